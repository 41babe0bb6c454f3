"""Inclusive scan of each row by one CTA: y[r, i] = x[r, 0] + ... + x[r, i].

Shapes: x[rows, n] -> y[rows, n], row-major; u32, s32 (both wrap) or f32; any n up to threads*items of the variant. One row is the
scan of one block, the piece that scans of any length are made of.

Floor: each element is read and written once, but one CTA alone waits for its loads and five steps of shuffles twice: about
2 us, whatever n; with many rows, 2*4*rows*n bytes at an H200's 4.3 TB/s. A thread scans `items` neighbouring elements in
registers; the warps scan their threads' totals by shuffles, and the first warp scans the warps' totals through shared
memory: two barriers. Additions are in a fixed order, so a result is the same on every device.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, kernel, ptr, s32, u32, u64
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP, warp_scan
from ptxgen.kernels.blocks.tiles import as_vectors, load_where, store
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, integers
from ptxgen.kernels.plan import KernelPlan, common_alignment, using, widest_vector

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plan"]

E = TypeVar("E", bound=Value)


def _threads(threads: int, **_: Any) -> int:
    return threads


@kernel(threads=_threads)
def scan(
    k: Builder, n: u32, x: ptr[E], y: ptr[E], *, element: type[E], threads: int, items: int, vector: int = 1
) -> None:
    """A CTA a row; `vector` elements an access: n is a multiple of it, and the arrays are aligned to it."""
    row = k.ctaid.x.to(u64) * n.to(u64)
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    first, end = k.tid.x * (items // vector), n // vector
    source, target = (as_vectors(p.at(row), vector).at(first) for p in (x, y))
    inside = [first + j < end for j in range(items // vector)]
    values: list[Any] = []
    for j, condition in enumerate(inside):
        raw = [k.var(element, 0) for _ in range(vector)]
        load_where(k, condition, source, j, raw)
        values += raw
    for i in range(1, items):
        values[i] += values[i - 1]

    upto = warp_scan(k, values[-1], WARP)
    totals = k.shared(element, threads // WARP, name="totals")
    with k.if_(lane == WARP - 1):
        totals[warp] = upto
    k.barrier()
    warps = threads // WARP
    with k.if_(k.tid.x < WARP):
        has_total = lane < warps
        total = k.var(element, 0)
        with k.pred(
            has_total
        ):  # each lane its own word alone: a shuffle does not order the others' loads before the stores
            total.set(totals[lane])
        total.set(warp_scan(k, total, warps))
        with k.pred(has_total):
            totals[lane] = total
    k.barrier()
    base = k.var(element, 0)
    with k.if_(warp > 0):
        base.set(totals[warp - 1])
    ahead = k.shfl_up(upto, 1)
    with k.if_(lane > 0):
        base += ahead
    for j, condition in enumerate(inside):
        out = [base + value for value in values[j * vector : (j + 1) * vector]]
        with k.pred(condition):
            store(target, j, out)


KERNEL = scan


def plan(
    n: int, x: Any, y: Any, *, rows: int = 1, element: type[Value] = f32,
    threads: int | None = None, items: int | None = None, vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """y = inclusive scan of each row of x[rows, n]. BuildError for n over 16,384, the most that one CTA takes."""
    if items is None:
        items = 4 if n <= 4096 else 16
    if threads is None:
        threads = next((t for t in (32, 64, 128, 256, 512, 1024) if t * items >= n), 1024)
    if n > threads * items:
        raise BuildError(
            f"a scan of {n} elements by {threads} threads", hint=f"at most {threads * items} here, 16384 in all"
        )
    lanes = vector or widest_vector(element.isa.bytes, common_alignment(x, y), n)
    launch = using(scan, element=element, threads=threads, items=items, vector=lanes)
    return KernelPlan(launch, max(1, rows), threads, (n, x, y))


def _case(
    size: tuple[int, int], rng: np.random.Generator, *, element: type[Value], threads: int, items: int, vector: int
) -> Case:
    """Small integers: floating-point sums are exact in any order, integer ones wrap where they are shifted up."""
    import numpy as np

    rows, n = size
    kind = numpy_name(element.isa)
    if element.isa.is_float:
        x = HostArray(rng.integers(-8, 9, size).astype(kind), element)
    else:
        x = integers(rng, size, element, 0, (1 << 31) - 1)
    return Case(
        arrays={"x": x, "y": HostArray(np.zeros(size, kind), element)},
        plan=lambda on: plan(
            n, on["x"], on["y"], rows=rows, element=element, threads=threads, items=items, vector=vector
        ),
        expected={"y": np.cumsum(x.values, axis=1, dtype=kind)},
        tolerance=Tolerance(0.0, "exact: integers wrap, and the f32 inputs are small integers"),
    )  # fmt: skip


def _variant(element: type[Value], threads: int, items: int, vector: int) -> Variant:
    chosen: dict[str, Any] = {"element": element, "threads": threads, "items": items, "vector": vector}
    most = threads * items
    return Variant(
        "scan",
        f"{element.isa.name}.{most}" + (".scalar" if vector == 1 else ""),
        using(scan, **chosen),
        partial(_case, **chosen),
        sizes=((1, 0), (1, vector), (1, min(33, threads - 1) * vector), (2, most - vector), (3, most)),
    )


VARIANTS = (
    _variant(f32, 256, 4, 4),
    _variant(f32, 256, 4, 1),
    _variant(u32, 256, 4, 4),
    _variant(s32, 32, 4, 4),
    _variant(u32, 1024, 16, 4),
)
