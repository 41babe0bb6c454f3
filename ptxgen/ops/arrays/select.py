"""The places where a condition holds, in order (ptxgen.kernels.arrays.select)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import select
from ptxgen.ops.arguments import (
    MOST_ROWS,
    check_apart,
    check_array,
    check_count,
    check_device,
    check_element,
    check_number,
)
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device

__all__ = ["Select"]


class Select:
    """`Select(device, u8, most)(flags, out)`: out[...] = the places i where `flags[i] != 0`, and how many, in `total`.

    `op` and `value` choose another comparison: "eq", "ne", "lt", "le", "gt", "ge". `total` is a device array of one u32, so
    that what follows need not wait for it; `count()` waits and reads it.
    """

    def __init__(self, device: Device, element: type[Value], most: int, *, op: str = "ne") -> None:
        check_element("selection", element, bits=(8, 16, 32, 64))
        if op not in select.COMPARISONS:
            raise BuildError(f"no comparison {op!r}", hint=", ".join(select.COMPARISONS))
        most = check_count("most", most, most=MOST_ROWS)
        self.device, self.element, self.most, self.op = check_device(device), element, most, op
        words = select.scratch_words(most)
        self._scratch = device.zeros(words, u64)
        self._ticket = self._scratch[words - 1 :]
        self.total: Array = device.zeros(1, u32)

    @takes_any_array
    def __call__(self, flags: Any, out: Any, value: int | float = 0) -> None:
        """Launch on the current stream. `out` has room for every place."""
        n = check_array("flags", flags, self.element, device=self.device, most=self.most)
        check_array("out", out, u32, device=self.device, least=n)
        check_apart("out", out, "flags", flags)
        value = check_number("value", value, self.element.isa)
        scratch = (self._scratch, self._ticket)
        select.plan(n, flags, value, out, self.total, *scratch, element=self.element, op=self.op).launch()

    def count(self) -> int:
        """How many places the last call found; waits for it."""
        return int.from_bytes(self.total.bytes(), "little")

    def close(self) -> None:
        """Free the scratch memory."""
        self._scratch.close()
        self.total.close()

    def __enter__(self) -> Select:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
