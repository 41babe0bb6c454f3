"""Masks, one byte a row, 1 where a condition holds: comparisons of columns, and the logic of masks.

Shapes: a[n] of integers of 8 to 64 bits, f16, f32 or f64, and b[n] or one value -> out[n] of u8. A NaN is unequal to
everything, as in IEEE 754. Masks combine by "and", "or", "xor", "andnot" (a and not b).

Floor: what is read and written in order, (b + 1)*n bytes for a column of b-byte elements, 3*n for two masks.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f16, f32, f64, kernel, ptr, s8, s32, u8, u32
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.select import COMPARISONS, holds
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["COMPARISONS", "KERNEL", "LOGIC", "VARIANTS", "combine_plan", "compare_plan"]

E = TypeVar("E", bound=Value)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""

LOGIC = ("and", "or", "xor", "andnot")


@kernel(max_threads=THREADS)
def compare(
    k: Builder, n: u32, a: ptr[E], b: ptr[E], value: E, out: ptr[u8], *, element: type[E], op: str, columns: bool
) -> None:
    """out[i] = a[i] OP b[i], or a[i] OP value."""
    for i in k.range(k.global_id.x, n, k.grid_size.x):
        found = holds(op, a[i], b[i] if columns else value)
        out[i] = k.select(found, k.const(u32, 1), 0).to(u8)


@kernel(max_threads=THREADS)
def combine(k: Builder, n: u32, a: ptr[u8], b: ptr[u8], out: ptr[u8], *, op: str) -> None:
    """out[i] = a[i] OP b[i], 0 or 1; any byte but 0 counts as 1."""
    for i in k.range(k.global_id.x, n, k.grid_size.x):
        left, right = a[i] != 0, b[i] != 0
        found = {
            "and": lambda p, q: p & q, "or": lambda p, q: p | q, "xor": lambda p, q: p ^ q, "andnot": lambda p, q: p & ~q,
        }[op](left, right)  # fmt: skip
        out[i] = k.select(found, k.const(u32, 1), 0).to(u8)


KERNEL = compare


def compare_plan(n: int, a: Any, b: Any, out: Any, *, element: type[Value], op: str) -> KernelPlan:
    """out = a OP b; `b` is an array or a number."""
    columns = not isinstance(b, (int, float))
    arguments = (n, a, b, 0, out) if columns else (n, a, a, b, out)
    launch = using(compare, element=element, op=op, columns=columns)
    return KernelPlan(launch, grid_for(n, THREADS, CTAS), THREADS, arguments)


def combine_plan(n: int, a: Any, b: Any, out: Any, *, op: str) -> KernelPlan:
    """out = a OP b of two masks."""
    return KernelPlan(using(combine, op=op), grid_for(n, THREADS, CTAS), THREADS, (n, a, b, out))


def _compare_case(n: int, rng: np.random.Generator, *, element: type[Value], op: str, columns: bool) -> Case:
    import numpy as np

    kind = numpy_name(element.isa)
    a, b = (rng.integers(0, 4, n).astype(kind) for _ in range(2))
    if element.isa.is_float:
        a[::5] = np.nan
    ufunc = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
    return Case(
        arrays={"a": HostArray(a, element), "b": HostArray(b, element), "out": HostArray(np.full(n, 9, np.uint8), u8)},
        plan=lambda on: compare_plan(n, on["a"], on["b"] if columns else 2, on["out"], element=element, op=op),
        expected={"out": getattr(np, ufunc[op])(a, b if columns else 2).astype(np.uint8)},
        tolerance=EXACT,
    )


def _combine_case(n: int, rng: np.random.Generator, *, op: str) -> Case:
    import numpy as np

    a, b = (rng.integers(0, 3, n).astype(np.uint8) for _ in range(2))
    left, right = a != 0, b != 0
    expected = {"and": left & right, "or": left | right, "xor": left ^ right, "andnot": left & ~right}[op]
    return Case(
        arrays={"a": HostArray(a, u8), "b": HostArray(b, u8), "out": HostArray(np.full(n, 9, np.uint8), u8)},
        plan=lambda on: combine_plan(n, on["a"], on["b"], on["out"], op=op),
        expected={"out": expected.astype(np.uint8)},
        tolerance=EXACT,
    )


_SIZES = (0, 1, 100, 3 * THREADS + 7)


def _compare(element: type[Value], op: str, *, columns: bool) -> Variant:
    how: dict[str, Any] = {"element": element, "op": op, "columns": columns}
    name = f"{op}.{element.isa.name}" + ".columns" * columns
    return Variant("masks", name, using(compare, **how), partial(_compare_case, **how), _SIZES)


VARIANTS = (
    _compare(u8, "eq", columns=False),
    _compare(u32, "lt", columns=True),
    _compare(s32, "ge", columns=False),
    _compare(f32, "ne", columns=True),
    _compare(s8, "lt", columns=False),
    _compare(f16, "gt", columns=True),
    _compare(f64, "le", columns=False),
    *(Variant("masks", op, using(combine, op=op), partial(_combine_case, op=op), _SIZES) for op in LOGIC),
)
