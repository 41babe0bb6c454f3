"""The special registers of threads as numbers: %tid, %laneid, %lanemask, and what is the same for all (manual 10)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.launch_bounds import cta_extents
from ptxgen.dataflow.bodies.special_registers import variation
from ptxgen.dataflow.threads.uniformity import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.threads.thread_integers import Leaf, ThreadArithmetic, ThreadIntegers

__all__ = ["Indices", "extents"]

_MASKS: dict[str, Callable[[int], int]] = {
    "eq": lambda lane: 1 << lane,
    "lt": lambda lane: (1 << lane) - 1,
    "le": lambda lane: (2 << lane) - 1,
    "gt": lambda lane: -(2 << lane) & 0xFFFFFFFF,
    "ge": lambda lane: -(1 << lane) & 0xFFFFFFFF,
}


def extents(body: Body) -> tuple[int, ...]:
    """The CTA's extents as .reqntid states them, or as a .maxntid of one dimension allows; () where nothing says them."""
    stated = cta_extents(body.function)
    x, y, z = (*stated, 1, 1, 1)[:3]
    exact = body.function.directive("reqntid") is not None
    return (x, y, z) if stated and (exact or y == z == 1) else ()


class Indices:
    """Special registers in the first threads of a CTA, or, with `warp`, in the lanes of any one warp of it."""

    __slots__ = ("arithmetic", "extents", "stated", "warp")

    def __init__(self, body: Body, arithmetic: ThreadArithmetic, *, warp: bool) -> None:
        self.arithmetic: ThreadArithmetic = arithmetic
        self.extents: tuple[int, ...] = extents(body)
        self.stated: bool = body.function.directive("reqntid") is not None
        self.warp: bool = warp

    def of(self, name: str) -> ThreadIntegers | None:
        """The register of that name; None where threads have different values that are not known."""
        lanes = range(self.arithmetic.count)
        if name == "%laneid":
            return self.arithmetic.exact(tuple(t % WARP_SIZE for t in lanes))
        if name.startswith("%lanemask_"):
            return self.arithmetic.exact(tuple(_MASKS[name[10:]](t % WARP_SIZE) for t in lanes))
        if name.startswith("%tid."):
            return self._thread_index("xyz".index(name[-1]))
        if name.startswith("%ntid.") and self.stated:
            return self.arithmetic.number(self.extents["xyz".index(name[-1])])
        if name == "%warpid" and self.warp:
            return self.arithmetic.leaf(("special", name))
        if variation(name).same_in == "cta":
            return self.arithmetic.leaf(("special", name), WARP_SIZE if name == "%ntid.x" else 1)
        return None

    def _thread_index(self, axis: int) -> ThreadIntegers | None:
        """%tid of one axis. Without a stated size a warp lies along x, as everywhere in the verifier."""
        lanes, warp = range(self.arithmetic.count), self.warp
        if not self.extents:
            if axis:
                return self.arithmetic.leaf(("special", f"%tid.{'xyz'[axis]}")) if warp else None
            own = tuple(lanes)
            return self.arithmetic.leaf(("special", "%tid.x"), WARP_SIZE, own) if warp else self.arithmetic.exact(own)
        x, y, _ = self.extents
        extent, below = self.extents[axis], (1, x, x * y)[axis]
        parts = tuple(t // below % extent for t in lanes)
        if extent == 1 or not warp or prod(self.extents) <= WARP_SIZE or WARP_SIZE % (extent * below) == 0:
            return self.arithmetic.exact(parts)
        leaf: Leaf = ("special", f"%tid.{'xyz'[axis]}")
        if below % WARP_SIZE == 0:  # one value a warp
            return self.arithmetic.leaf(leaf)
        whole = extent * below % WARP_SIZE == 0 or prod(self.extents) == extent * below
        if WARP_SIZE % below or not whole:  # warps begin anywhere in a row
            return None
        return self.arithmetic.leaf(leaf, WARP_SIZE // below, tuple(t // below for t in lanes))
