"""out[i] = table[indices[i]], rows of any type, from templates/embedding.ptx.j2; zeros for an index that is no row.

Shapes: table[rows, columns], rows any number of bytes apart, indices[count] of s64 or s32 -> out[count, columns]. An index below
0, or of `rows` or more, brings zeros: nothing outside of the table is read.

Floor: a row is read for each index and written once. `lanes` threads share a row, 16 bytes an access where distances and
addresses allow them, four of them in flight. For the backward see embedding_backward.py.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, f32, s32, s64, u8
from ptxgen.errors import BuildError
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, integers, normal
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["INDICES", "VARIANTS", "embedding", "plan", "unit_of"]

INDICES: tuple[type[Value], ...] = (s64, s32)
THREADS = 256
UNROLL = 4

_kernels: dict[Any, TemplateKernel] = {}


def embedding(unit: int, index: type[Value], lanes: int) -> TemplateKernel:
    """The kernel, the same object every time. BuildError for indices of another type."""
    if index not in INDICES:
        raise BuildError(f"indices of .{index.isa.name}", hint="s64 or s32")
    key = (unit, index, lanes)
    if key not in _kernels:
        given: dict[str, Any] = {"unit": unit, "index": index.isa.name, "lanes": lanes, "unroll": UNROLL}
        _kernels[key] = TemplateKernel("embedding", "embedding.ptx.j2", **given)
    return _kernels[key]


def unit_of(*bytes_: int) -> int:
    """The widest access that divides all of these, up to 16 bytes."""
    unit = 16
    while any(each % unit for each in bytes_):
        unit //= 2
    return unit


def plan(
    count: int, row_bytes: int, table: Any, rows: int, indices: Any, out: Any, *, table_step: int | None = None,
    out_step: int | None = None, index: type[Value] = s64, unit: int | None = None, lanes: int | None = None,
) -> KernelPlan:  # fmt: skip
    """`row_bytes` of each row; steps in bytes from row to row."""
    one = row_bytes if table_step is None else table_step
    other = row_bytes if out_step is None else out_step
    if unit is None:
        unit = unit_of(row_bytes, one, other, common_alignment(table, out))
    units = row_bytes // unit
    if lanes is None:
        lanes = 1
        while lanes * UNROLL < units and lanes < THREADS:
            lanes *= 2
        lanes = max(lanes, min(8, 1 << max(0, units - 1).bit_length()))  # neighbours' accesses beside each other
    grid = max(1, ceil_div(count, THREADS // lanes))
    return KernelPlan(
        embedding(unit, index, lanes), grid, THREADS, (table, one, rows, indices, out, other, count, units)
    )


def places_of(rng: np.random.Generator, count: int, rows: int, index: type[Value]) -> HostArray:
    """Random rows; some are used often, some never, some indices are no row."""
    import numpy as np

    places = rng.integers(0, max(rows, 1), count) // 2 * 2
    odd = np.arange(count)
    places = np.where(odd % 11 == 3, -1, np.where(odd % 13 == 4, rows, np.where(odd % 17 == 5, -(1 << 31), places)))
    return HostArray(places.astype(numpy_name(index.isa)), index)


def _case(
    size: tuple[int, int, int],
    rng: np.random.Generator,
    *,
    element: type[Value],
    index: type[Value],
    unit: int,
    lanes: int,
) -> Case:
    import numpy as np

    count, rows, columns = size
    shape = (rows, columns)
    table = normal(rng, shape, element) if element.isa.is_float else integers(rng, shape, element, 0, 200)
    indices = places_of(rng, count, rows, index)
    there = (indices.values >= 0) & (indices.values < rows)
    found = np.where(there[:, None], table.values[np.where(there, indices.values, 0)] if rows else 0, 0)
    return Case(
        arrays={"table": table, "indices": indices, "out": HostArray(np.ones((count, columns), table.values.dtype), element)},
        plan=lambda on: plan(
            count, columns * element.isa.bytes, on["table"], rows, on["indices"], on["out"], index=index, unit=unit, lanes=lanes
        ),
        expected={"out": found.astype(table.values.dtype)},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(element: type[Value], index: type[Value], unit: int, lanes: int, columns: int) -> Variant:
    given: dict[str, Any] = {"index": index, "unit": unit, "lanes": lanes}
    return Variant(
        "embedding",
        f"b{8 * unit}.{index.isa.name}.lanes-{lanes}",
        embedding(**given),
        partial(_case, element=element, **given),
        sizes=((0, 5, columns), (1, 1, columns), (50, 7, columns)),
    )


VARIANTS = (
    _variant(f32, s64, 16, 32, 132),
    _variant(bf16, s32, 4, 8, 10),
    _variant(u8, s64, 1, 4, 21),
)
