"""A kernel's machine code in memory."""

from __future__ import annotations

import ctypes

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.cpu.debugger import DEBUG
from ptxgen.cpu.jit import Tier, lanes_at_once, load_object
from ptxgen.cpu.profiler.counters import TOOL
from ptxgen.cpu.rt.libraries import libraries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ptxgen.cpu.relocatable import RelocatableKernel

__all__ = ["Code", "lanes_of"]

ONE_BY_ONE = frozenset({TOOL, DEBUG})
"""The profile counts lane by lane, and the debugger stops each."""


def lanes_of(tier: Tier, tools: Iterable[str]) -> int:
    """How many lanes of a warp the code of a tier runs at once, where it can, for a kernel that these tools watch; 0: none."""
    return lanes_at_once() if tier is Tier.FAST and ONE_BY_ONE.isdisjoint(tools) else 0


class Code:
    """Machine code of one tier, and with one kind of products: `run(launch record)`, `geometry(launch record)` and the warp
    function's address."""

    __slots__ = ("_libraries", "geometry", "label", "products", "run", "tier", "warp")

    def __init__(
        self, tier: Tier, products: str, relocatable: RelocatableKernel, code: bytes, symbols: Mapping[str, int]
    ) -> None:
        lanes = lanes_of(tier, relocatable.code.tools)
        needed = libraries(relocatable.code, fused=products == "fast", lanes=lanes)
        library = load_object(code, needed, symbols)
        core = needed[0].addresses
        self.tier = tier
        self.label = "fast" if tier == Tier.FAST else "base"
        self.products = products
        self._libraries = (library, *needed)
        self.warp = library.addresses["warp"]
        self.run: Callable[[int], int] = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)(core["grid"])
        self.geometry: Callable[[int], None] = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(core["geometry"])
