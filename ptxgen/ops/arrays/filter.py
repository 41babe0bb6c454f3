"""Rows that satisfy conditions: masks of comparisons, their logic, and compaction of columns by a mask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32
from ptxgen.errors import BuildError
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
from ptxgen.ops.borrowing import Launches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["Filter", "combine", "compare", "invert"]


_launches = Launches()


def compare(a: Any, op: str, b: Any, out: Any) -> None:
    """out[i] = 1 where `a[i] OP b[i]`, or `a[i] OP b` of a number, else 0; launches on the current stream, or on the arrays'.

    `op` is "eq", "ne", "lt", "le", "gt" or "ge"; `out` is a mask, an array of u8. A NaN is unequal to everything.
    """
    if hasattr(b, "shape") and b.shape:
        _launches.run(_compare_plans, (op,), a, out, b)
    else:
        _launches.run(_compare_plans, (op, b), a, out, None)


def _compare_plans(a: Array, out: Array, b: Array | None, op: str, number: int | float = 0) -> Plans:
    element = value_type("a", a)
    n = check_rows("a", a, element)
    if op not in masks.COMPARISONS:
        raise BuildError(f"no comparison {op!r}", hint=", ".join(masks.COMPARISONS))
    if b is not None:
        check_array("b", b, element, device=a.device, least=n)
    other: Any = check_number("b", number, element.isa) if b is None else b
    check_array("out", out, u8, device=a.device, least=n)
    check_apart_or_same("out", out, "a", a)
    if b is not None:
        check_apart_or_same("out", out, "b", b)
    return (masks.compare_plan(n, a, other, out, element=element, op=op),)


def combine(a: Any, op: str, b: Any, out: Any) -> None:
    """out = a OP b of two masks, by "and", "or", "xor" or "andnot" (a and not b); out may be one of them."""
    _launches.run(_combine_plans, (op,), a, b, out)


def _combine_plans(a: Array, b: Array, out: Array, op: str) -> Plans:
    n = check_rows("a", a, u8)
    if op not in masks.LOGIC:
        raise BuildError(f"no combination {op!r}", hint=", ".join(masks.LOGIC))
    check_array("b", b, u8, device=a.device, least=n)
    check_array("out", out, u8, device=a.device, least=n)
    check_apart_or_same("out", out, "a", a)
    check_apart_or_same("out", out, "b", b)
    return (masks.combine_plan(n, a, b, out, op=op),)


def invert(a: Any, out: Any) -> None:
    """out = not a; out may be a."""
    _launches.run(_invert_plans, (), a, out)


def _invert_plans(a: Array, out: Array) -> Plans:
    n = check_rows("a", a, u8)
    check_array("out", out, u8, device=a.device, least=n)
    check_apart_or_same("out", out, "a", a)
    return (masks.compare_plan(n, a, 0, out, element=u8, op="eq"),)


class Filter:
    """`Filter(device, most)(mask, columns, outs)`: the rows of each column where the mask is not 0, in order, in one pass.

    With `rests`, the rows where it is 0 go there, in order too. A call only launches; `total` is a device array of one u32,
    `rows` the numbers of the rows that are kept, and `count()` waits for the total.
    """

    def __init__(self, device: Device, most: int) -> None:
        most = check_count("most", most)
        self._select = Select(device, u8, most)
        self.device, self.most = device, most
        self.total = self._select.total
        self.rows = device.empty(most, u32)
        self._others: Array | None = None
        self.launches = Launches(device)

    def __call__(self, mask: Any, columns: Any, outs: Any, rests: Any = None) -> None:
        """Launch on the current stream, or on the arrays'. Each of `outs`, and of `rests`, has room for every row."""
        self.launches.run(self.plans, (), mask, columns, outs, rests)

    def plans(
        self, mask: Array, columns: Array | Sequence[Array], outs: Array | Sequence[Array],
        rests: Array | Sequence[Array] | None,
    ) -> Plans:  # fmt: skip
        """The launches."""
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
        return (self._select.plan(mask, 0, tuple(arrays), *outputs),)

    def count(self) -> int:
        """How many rows the last call found; waits for it."""
        return self._select.count()

    def close(self) -> None:
        """Free the scratch memory."""
        self.launches.close()
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
