"""Rows that satisfy conditions: masks of comparisons, their logic, and compaction of columns by a mask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.build import f32, f64, s32, s64, u8, u16, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels import masks
from ptxgen.ops.arguments import check_array
from ptxgen.ops.gather import gather
from ptxgen.ops.select import Select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.build.values import Value
    from ptxgen.device import Array, Device

__all__ = ["Filter", "combine", "compare", "invert", "value_type"]

_TYPES: dict[Any, type[Value]] = {kind.isa: kind for kind in (u8, u16, u32, s32, f32, u64, s64, f64)}


def value_type(name: str, array: Any) -> type[Value]:
    """The builder's type of a device array's elements. BuildError where columns of a table cannot have it."""
    found = _TYPES.get(getattr(array, "type", None))
    if found is None:
        raise BuildError(f"{name} is {array!r}", hint="a device array of u8, u16, u32, s32, f32, u64, s64 or f64")
    return found


def compare(a: Array, op: str, b: Array | int | float, out: Array) -> None:
    """out[i] = 1 where `a[i] OP b[i]`, or `a[i] OP b` of a number, else 0; launches on the current stream.

    `op` is "eq", "ne", "lt", "le", "gt" or "ge"; `out` is a mask, an array of u8. A NaN is unequal to everything.
    """
    element = value_type("a", a)
    if op not in masks.COMPARISONS:
        raise BuildError(f"no comparison {op!r}", hint=", ".join(masks.COMPARISONS))
    if not isinstance(b, (int, float)):
        check_array("b", b, element, least=a.size)
    elif isinstance(b, float) and not element.isa.is_float:
        raise BuildError(f"a column of .{element.isa.name} compared with {b!r}", hint="an integer")
    check_array("out", out, u8, least=a.size)
    masks.compare_plan(a.size, a, b, out, element=element, op=op).launch()


def combine(a: Array, op: str, b: Array, out: Array) -> None:
    """out = a OP b of two masks, by "and", "or", "xor" or "andnot" (a and not b); out may be one of them."""
    n = check_array("a", a, u8)
    if op not in masks.LOGIC:
        raise BuildError(f"no combination {op!r}", hint=", ".join(masks.LOGIC))
    check_array("b", b, u8, least=n)
    check_array("out", out, u8, least=n)
    masks.combine_plan(n, a, b, out, op=op).launch()


def invert(a: Array, out: Array) -> None:
    """out = not a; out may be a."""
    n = check_array("a", a, u8)
    check_array("out", out, u8, least=n)
    masks.compare_plan(n, a, 0, out, element=u8, op="eq").launch()


class Filter:
    """`Filter(device, most)(mask, columns, outs)`: the rows of each column where the mask is not 0, in order.

    A call only launches; `total` is a device array of one u32, `rows` the row numbers, and `count()` waits for the total.
    """

    def __init__(self, device: Device, most: int) -> None:
        self.device, self.most = device, most
        self._select = Select(device, u8, most)
        self.total = self._select.total
        self.rows = device.empty(most, u32)

    def __call__(self, mask: Array, columns: Sequence[Array], outs: Sequence[Array]) -> None:
        """Launch on the current stream. Each of `outs` has room for every row."""
        n = check_array("mask", mask, u8, most=self.most)
        if len(columns) != len(outs):
            raise BuildError(f"{len(columns)} columns go into {len(outs)} arrays")
        for number, column in enumerate(columns):
            if getattr(column, "size", None) != n:
                raise BuildError(f"column {number} is {column!r}, the mask has {n} rows")
        self._select(mask, self.rows)
        for column, out in zip(columns, outs):
            gather(self.rows[:n], column, out, limit=self.total)

    def count(self) -> int:
        """How many rows the last call found; waits for it."""
        return self._select.count()

    def close(self) -> None:
        """Free the scratch memory."""
        self._select.close()
        self.rows.close()

    def __enter__(self) -> Filter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
