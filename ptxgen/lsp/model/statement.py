"""One statement, read: its words, the operand that a place is in, the instruction and the form that it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.matching.operands import Match, match
from ptxgen.ir import Register
from ptxgen.isa.types import TYPES
from ptxgen.lsp.model.positions import Span
from ptxgen.text.single import single_instruction, tokens_of

if TYPE_CHECKING:
    from ptxgen.ir import Instruction
    from ptxgen.lsp.model.program import Program

__all__ = ["OperandText", "Statement"]

_NAME = re.compile(r"[%$A-Za-z_][\w$]*", re.ASCII)
_OPENING, _CLOSING = "[{(", "]})"


class OperandText(NamedTuple):
    """An operand as it is written."""

    text: str
    span: Span


class Statement:
    """A statement of a program. `texts` are its words as the lexer cuts them, without comments; `spans` where they stand."""

    def __init__(self, program: Program, span: Span) -> None:
        self.program = program
        self.span = span
        tokens = tokens_of(program.text[span.start : span.end])
        self.texts = [text for _, text in tokens]
        self.spans = [Span(at, at + len(text)).moved(span.start) for at, text in tokens]

    @cached_property
    def guard(self) -> Span | None:
        """`@p` or `@!p`."""
        if self.texts[:1] != ["@"]:
            return None
        last = 2 if self.texts[1:2] == ["!"] else 1
        return Span(self.spans[0].start, self.spans[min(last, len(self.spans) - 1)].end)

    @cached_property
    def first(self) -> int:
        """The number of the word behind the guard: an opcode or a directive."""
        return 0 if self.guard is None else 3 if self.texts[1:2] == ["!"] else 2

    @property
    def op(self) -> str:
        """The whole dotted name of the instruction, or the directive; "" for nothing but a guard."""
        return self.texts[self.first] if self.first < len(self.texts) else ""

    @property
    def op_span(self) -> Span | None:
        return self.spans[self.first] if self.first < len(self.spans) else None

    @property
    def is_instruction(self) -> bool:
        return self.op[:1].isalpha()

    def word_at(self, offset: int) -> int | None:
        """The number of the word that a place is in, or right behind."""
        index = bisect_right(self.spans, offset, key=lambda span: span.start) - 1
        if index > 0 and offset == self.spans[index].start and not _NAME.match(self.texts[index]):
            index -= offset == self.spans[index - 1].end
        return index if index >= 0 and offset in self.spans[index] else None

    @cached_property
    def operands(self) -> list[OperandText]:
        """What stands between the commas behind the opcode, outside of brackets."""
        found: list[OperandText] = []
        depth, begin = 0, self.first + 1
        for index in range(self.first + 1, len(self.texts) + 1):
            text = self.texts[index] if index < len(self.texts) else ","
            if text in _OPENING:
                depth += 1
            elif text in _CLOSING:
                depth -= 1
            elif text == "," and (depth <= 0 or index == len(self.texts)):
                words = self.texts[begin:index]
                start = self.spans[begin].start if words else self._behind(begin - 1)
                end = self.spans[index - 1].end if words else start
                found.append(OperandText("".join(words), Span(start, end)))
                begin = index + 1
        return found

    def _behind(self, index: int) -> int:
        """Where the operand would begin that is missing behind a word."""
        return self.spans[index].end if 0 <= index < len(self.spans) else self.span.end

    def operand_at(self, offset: int) -> int:
        """The number of the operand that a place is in: of the commas before it, outside of brackets; -1 at the opcode."""
        op = self.op_span
        if op is None or offset <= op.end:
            return -1
        depth = count = 0
        for index in range(self.first + 1, len(self.texts)):
            if self.spans[index].start >= offset:
                break
            text = self.texts[index]
            depth += (text in _OPENING) - (text in _CLOSING)
            count += text == "," and depth <= 0
        return count

    @cached_property
    def instruction(self) -> Instruction | None:
        """The instruction in the ir; None where it is not finished, or none."""
        if not self.is_instruction:
            return None
        registers: list[Register] = []
        symbols: list[str] = []
        for name in dict.fromkeys(name for word in self.texts for name in _NAME.findall(word)):
            declaration = self.program.find(name, self.span.start)
            type_ = None if declaration is None else TYPES.get(declaration.type)
            if declaration is None:
                continue
            if declaration.kind == "register" and type_ is not None:
                registers.append(Register(name, type_, declaration.lanes))
            else:
                symbols.append(name)
        return single_instruction(self.program.text[self.span.start : self.span.end], registers, symbols)

    @cached_property
    def match(self) -> Match | None:
        """The form of the table that the instruction is, or the nearest reason why it is none."""
        read = self.instruction
        return None if read is None else match(read.op, read.operands)

    @cached_property
    def written(self) -> frozenset[str]:
        """The names of the registers that it writes, as far as the table knows the instruction."""
        found = self.match
        if found is None or found.resolved is None or found.mismatch is not None:
            return frozenset()
        names: set[str] = set()
        specs = found.resolved.form.operands
        for spec, operand in zip(specs, self.operands):
            if spec.written or spec.kind == "call":
                names.update(_NAME.findall(operand.text))
        return frozenset(names)
