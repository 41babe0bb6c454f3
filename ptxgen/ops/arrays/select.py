"""The elements for which a condition holds, in order (ptxgen.kernels.arrays.select)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import select
from ptxgen.kernels.arrays.select import Outputs
from ptxgen.ops.arguments import (
    MOST_ROWS,
    check_all_apart,
    check_array,
    check_count,
    check_device,
    check_element,
    check_number,
)
from ptxgen.ops.borrowing import Launches
from ptxgen.ops.scratch import HostNumber, read_number

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.kernels.arrays.select import Condition
    from ptxgen.kernels.plan import KernelPlan
    from ptxgen.ops.launches import Plans

__all__ = ["Select"]


class Select:
    """`Select(device, u8, most)(flags, out)`: out[...] = the places i where `flags[i] != 0`, and how many, in `total`.

    `op` and `value` choose another comparison: "eq", "ne", "lt", "le", "gt", "ge". `op="change"` chooses the elements whose bits
    differ from those of the one before, and the first; a function `op(k, x)` of the builder and the element gives any predicate.
    With `values` the elements themselves are written in place of their places; `rest=`, of a call, takes the others, in order
    too. One pass reads the elements once. `total` is a device array of one u32, given or its own, so that what follows need
    not wait for it; `count()` waits and reads it. `host_total`: it lies in memory of the host, which `count()` reads sooner and
    kernels later.
    """

    def __init__(
        self, device: Device, element: type[Value], most: int, *, op: str | Condition = "ne", values: bool = False,
        total: Array | None = None, host_total: bool = False,
    ) -> None:  # fmt: skip
        check_element("selection", element, bits=(8, 16, 32, 64))
        if not callable(op) and op not in (*select.COMPARISONS, "change"):
            raise BuildError(
                f"no comparison {op!r}", hint='op="eq", "ne", "lt", "le", "gt", "ge", "change" or a function'
            )
        most = check_count("most", most, most=MOST_ROWS)
        self.device, self.element, self.most, self.op = check_device(device), element, most, op
        self.values = values
        words = select.scratch_words(most, element, op)
        self._scratch = device.zeros(words, u64)
        self._ticket = self._scratch[words - 1 :]
        self.launches = Launches(device)
        self._number = HostNumber(device) if host_total else None
        self._own_total = total is None
        if total is None:
            total = device.zeros(1, u32) if self._number is None else self._number.array
        self.total: Array = total

    def __call__(self, flags: Any, out: Any, value: int | float = 0, *, rest: Any = None) -> None:
        """Launch on the current stream, or on the arrays'. `out`, and `rest`, have room for every element."""
        self.launches.run(self.plans, (value,), flags, out, rest)

    def plans(self, flags: Array, out: Array, rest: Array | None, value: int | float) -> Plans:
        n = check_array("flags", flags, self.element, device=self.device, most=self.most)
        written = {"out": out} if rest is None else {"out": out, "rest": rest}
        for name, each in written.items():
            check_array(name, each, self.element if self.values else u32, device=self.device, least=n)
        check_all_apart(written, {"flags": flags})
        outs, *rests = [Outputs(own=each) if self.values else Outputs(each) for each in written.values()]
        return (self.plan(flags, value, (), outs, *rests),)

    def plan(
        self, flags: Array, value: int | float, columns: tuple[Array, ...], outs: Outputs, rests: Outputs | None = None
    ) -> KernelPlan:
        """The launch for outputs of any kind, and columns beside the elements; all of them have been checked."""
        return select.plan(
            flags.size, flags, check_number("value", value, self.element.isa), self.total, self._scratch, self._ticket,
            element=self.element, op=self.op, columns=columns, outs=outs, rests=rests,
        )  # fmt: skip

    def count(self) -> int:
        """How many elements the last call found; waits for it."""
        return read_number(self.total) if self._number is None else self._number.read()

    def close(self) -> None:
        """Free the scratch memory."""
        self.launches.close()
        self._scratch.close()
        if self._number is not None:
            self._number.close()
        elif self._own_total:
            self.total.close()

    def __enter__(self) -> Select:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
