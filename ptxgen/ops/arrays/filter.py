"""Rows that satisfy conditions: masks of comparisons, their logic, and compaction of columns by a mask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32
from ptxgen.errors import BuildError
from ptxgen.host import Array
from ptxgen.kernels.arrays import masks
from ptxgen.kernels.arrays.select import Outputs
from ptxgen.ops.arguments import (
    check_all_apart,
    check_apart_or_same,
    check_array,
    check_columns,
    check_count,
    check_number,
    check_result,
    check_rows,
    value_type,
)
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Device

__all__ = ["Filter", "combine", "compare", "invert"]


@takes_any_array
def compare(a: Array, op: str, b: Array | int | float, out: Array) -> None:
    """out[i] = 1 where `a[i] OP b[i]`, or `a[i] OP b` of a number, else 0; launches on the current stream.

    `op` is "eq", "ne", "lt", "le", "gt" or "ge"; `out` is a mask, an array of u8. A NaN is unequal to everything.
    """
    element = value_type("a", a)
    n = check_rows("a", a, element)
    if op not in masks.COMPARISONS:
        raise BuildError(f"no comparison {op!r}", hint=", ".join(masks.COMPARISONS))
    other: Any = b
    if isinstance(b, Array):
        check_array("b", b, element, device=a.device, least=n)
    else:
        other = check_number("b", b, element.isa)
    check_array("out", out, u8, device=a.device, least=n)
    check_apart_or_same("out", out, "a", a)
    if isinstance(b, Array):
        check_apart_or_same("out", out, "b", b)
    masks.compare_plan(n, a, other, out, element=element, op=op).launch()


@takes_any_array
def combine(a: Array, op: str, b: Array, out: Array) -> None:
    """out = a OP b of two masks, by "and", "or", "xor" or "andnot" (a and not b); out may be one of them."""
    n = check_rows("a", a, u8)
    if op not in masks.LOGIC:
        raise BuildError(f"no combination {op!r}", hint=", ".join(masks.LOGIC))
    check_array("b", b, u8, device=a.device, least=n)
    check_array("out", out, u8, device=a.device, least=n)
    check_apart_or_same("out", out, "a", a)
    check_apart_or_same("out", out, "b", b)
    masks.combine_plan(n, a, b, out, op=op).launch()


@takes_any_array
def invert(a: Array, out: Array) -> None:
    """out = not a; out may be a."""
    n = check_rows("a", a, u8)
    check_array("out", out, u8, device=a.device, least=n)
    check_apart_or_same("out", out, "a", a)
    masks.compare_plan(n, a, 0, out, element=u8, op="eq").launch()


class Filter:
    """`Filter(device, most)(mask, columns, outs)`: the rows of each column where the mask is not 0, in order, in one pass.

    With `rests`, the rows where it is 0 go there, in order too. A call only launches; `total` is a device array of one u32, `rows`
    the numbers of the rows that are kept, and `count()` waits for the total.
    """

    def __init__(self, device: Device, most: int) -> None:
        most = check_count("most", most)
        self._select = Select(device, u8, most)
        self.device, self.most = device, most
        self.total = self._select.total
        self.rows = device.empty(most, u32)
        self._others: Array | None = None

    @takes_any_array
    def __call__(
        self, mask: Array, columns: Array | Sequence[Array], outs: Array | Sequence[Array],
        rests: Array | Sequence[Array] | None = None,
    ) -> None:  # fmt: skip
        """Launch on the current stream. Each of `outs`, and of `rests`, has room for every row."""
        n = check_array("mask", mask, u8, device=self.device, most=self.most)
        arrays = check_columns("the table", columns, device=self.device)
        if arrays[0].size != n:
            raise BuildError(f"the columns have {arrays[0].size} rows, the mask {n}")
        written = {"out": _listed(outs)}
        if rests is not None:
            written["rest"] = _listed(rests)
        named = {}
        for name, into in written.items():
            if len(arrays) != len(into):
                raise BuildError(f"{len(arrays)} columns go into {len(into)} arrays")
            for number, (column, out) in enumerate(zip(arrays, into)):
                check_result(f"{name} {number}", out, column, n)
                named[f"{name} {number}"] = out
        read = {"mask": mask, **{f"column {number}": column for number, column in enumerate(arrays)}}
        check_all_apart(named, read)
        outputs = [Outputs(self.rows, columns=tuple(written["out"]))]
        if rests is not None:
            if self._others is None:
                self._others = self.device.empty(self.most, u32)
            outputs.append(Outputs(self._others, columns=tuple(written["rest"])))
        self._select.plan(mask, 0, tuple(arrays), *outputs).launch()

    def count(self) -> int:
        """How many rows the last call found; waits for it."""
        return self._select.count()

    def close(self) -> None:
        """Free the scratch memory."""
        self._select.close()
        self.rows.close()
        if self._others is not None:
            self._others.close()

    def __enter__(self) -> Filter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _listed(arrays: Any) -> list[Any]:
    return list(arrays) if isinstance(arrays, (list, tuple)) else [arrays]
