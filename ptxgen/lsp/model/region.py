"""A part of a file that is PTX: its text has the length of that part, so that an offset into one is an offset into the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lsp.model.declarations import Declaration
from ptxgen.lsp.model.positions import Span
from ptxgen.lsp.model.program import Program
from ptxgen.lsp.model.rereading import reread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.lsp.model.positions import Edit

__all__ = ["Region"]


class Region:
    """PTX at `span` of a file. `text` is as long as the span: what is not PTX there is blank, what somebody fills in are
    underscores (`holes`).

    `kind` is "module", "statements" (of a body) or "name" (of one instruction). `foreign` are the spans, in this text, of
    another language. `operands` are those of an asm statement, by their name in its text, with the type of a register that holds
    one; "" for a constant.
    """

    def __init__(
        self, span: Span, text: str, kind: str = "module", *, holes: Sequence[Span] = (), foreign: Sequence[Span] = (),
        operands: Mapping[str, str] | None = None, program: Program | None = None,
    ) -> None:  # fmt: skip
        assert len(text) == span.end - span.start
        self.span = span
        self.text = text
        self.kind = kind
        self.holes = tuple(holes)
        self.foreign = tuple(foreign)
        self.operands = dict(operands or {})
        self._program = program

    @property
    def program(self) -> Program:
        """Its statements and declarations."""
        if self._program is None:
            self._program = self._read()
        return self._program

    def edited(self, edit: Edit, text: str) -> Region | None:
        """The region of a file that is PTX alone after an edit, where it need not be read anew."""
        program = None if self._program is None or self.foreign else reread(self._program, edit, text)
        return None if program is None else Region(Span(0, len(text)), text, program=program)

    def _read(self) -> Program:
        program = Program(self.text, holes=self.holes)
        for name, type_ in self.operands.items():
            if type_:
                program.module.add(Declaration(name, "register", Span(0, 0), type_, "reg"))
        return program

    def is_foreign(self, offset: int) -> bool:
        """Is the place inside of what is not PTX?"""
        return any(span.start < offset < span.end for span in self.foreign)
