"""What accesses rely on: how the memory behind a pointer is aligned."""

from __future__ import annotations

from ptxgen.ir import Variable

__all__ = ["Alignment"]


class Alignment:
    """The widest alignment that accesses rely on, in bytes, through any of the pointers made from one parameter or variable.

    A parameter says it (`.ptr .align`), and a launch checks the argument; a variable is declared with it. `of` is what the
    memory belongs to: a variable, or the alignments of the pointers that this one was made from. `contiguous` are the bytes
    at a pointer that lie in a row, where a layout moves pieces of that size.
    """

    __slots__ = ("_of", "bytes", "contiguous")

    def __init__(self, *of: Variable | Alignment, contiguous: int = 0) -> None:
        self._of = of
        self.bytes: int = 0
        made_from: list[int] = [each.contiguous for each in of if isinstance(each, Alignment)]
        self.contiguous: int = contiguous or min(made_from, default=1 << 63)

    def rely_on(self, bytes: int) -> None:
        """An access needs so many."""
        if bytes <= self.bytes:
            return
        self.bytes = bytes
        for each in self._of:
            if isinstance(each, Variable):
                each.align = max(bytes, each.align or 0)
            else:
                each.rely_on(bytes)
