"""What the thing under the cursor is: an instruction with its form, operands, targets and fragments; a register with its type,
definitions and uses; a label, a variable, a special register, a directive, a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.errors import PtxError
from ptxgen.ir.operands import Immediate
from ptxgen.isa.layouts import Layout, layout
from ptxgen.isa.layouts.names import OPCODES
from ptxgen.isa.specials import is_special
from ptxgen.lsp.answers.markdown import code_block, explained, table
from ptxgen.lsp.model.positions import Span
from ptxgen.lsp.model.statement import Statement
from ptxgen.verifier.explanation import explain
from ptxgen.verifier.explanation.pages import name_page

if TYPE_CHECKING:
    from ptxgen.isa.forms import Resolved
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.declarations import Declaration
    from ptxgen.lsp.model.positions import Position
    from ptxgen.lsp.model.program import Program, Scope
    from ptxgen.lsp.model.region import Region

__all__ = ["Hover", "hover"]

_LOOKED_AT = 200
"""So many uses of a register are read, to know which of them write it."""
_SHOWN = 6
"""So many places of each kind are shown."""
_LANES, _REGISTERS = 4, 8
"""So much of a fragment is shown."""
_BITS = re.compile(r"0[fFdD][0-9a-fA-F]+|0[xXbB]?[0-9a-fA-F]+U?")
_WORD = re.compile(r"[.%$A-Za-z_][\w$]*(?:(?:\.|::)\w+)*|0[xXbBfFdD]\w+")


class Hover(NamedTuple):
    """`text` is Markdown, `span` what it is about."""

    text: str
    span: Span


def hover(document: Document, position: Position) -> Hover | None:
    """What the word at a position is; None where there is nothing to say."""
    place = document.place(position)
    if place is None:
        return None
    region, program = place.region, place.region.program
    if region.kind == "name":
        return Hover(_instruction_name(region.text), region.span)
    if program.in_remark(place.offset):
        return None
    found = _at(program, place.statement, place.offset, document, region)
    return None if found is None else Hover(found[0], found[1].moved(region.span.start))


def _at(
    program: Program, statement: Statement | None, offset: int, document: Document, region: Region
) -> tuple[str, Span] | None:
    index = statement.word_at(offset) if statement is not None else None
    if statement is None or index is None:
        return _outside(program, offset, document, region)
    word, span = statement.texts[index], statement.spans[index]
    if index == statement.first and statement.is_instruction:
        return _instruction(statement, offset), span
    name = program.name_at(offset)
    if name is not None and not is_special(word):
        found = program.find_with_scope(name.name, offset)
        if found is not None:
            text = _declared(name.name, *found, program, document, region)
            return "\n\n".join([text, *_in_fragment(statement, name.name, offset)]), name.span
    return _word(word, span)


def _outside(program: Program, offset: int, document: Document, region: Region) -> tuple[str, Span] | None:
    """Labels, and the lines at the head of a module."""
    name = program.name_at(offset)
    found = program.find_with_scope(name.name, offset) if name is not None else None
    if name is not None and found is not None:
        return _declared(name.name, *found, program, document, region), name.span
    line_start = program.text.rfind("\n", 0, offset) + 1
    for match in _WORD.finditer(program.text, line_start):
        if match.start() > offset:
            break
        if match.end() >= offset:
            return _word(match[0], Span(*match.span()))
    return None


def _word(word: str, span: Span) -> tuple[str, Span] | None:
    """A special register, a directive, a type, a target, a number."""
    if _BITS.fullmatch(word):
        return _number(word, span)
    page = explain(word)
    return (explained(page), span) if page.found and page.kind not in ("rules", "code", "instruction") else None


# ---- instructions


def _instruction(statement: Statement, offset: int) -> str:
    parts = [_modifier(statement, offset)] if statement.op_span is not None and offset < statement.op_span.end else []
    found = statement.match
    if found is not None and found.resolved is not None and found.mismatch is not None:
        wrong = found.mismatch
        parts.append(f"Not legal as it stands: {wrong.found}; expected: {wrong.expected}")
    matched = found.resolved if found is not None and found.mismatch is None else None
    parts.append(_instruction_name(statement.op, matched))
    return "\n\n".join(part for part in parts if part)


def _instruction_name(op: str, matched: Resolved | None = None) -> str:
    """The page of an instruction, of one form where that is known, and what its fragments hold."""
    page = explain(op) if matched is None else name_page(op, (matched,))
    fragments = _layouts(op) if page.found else []
    return "\n\n".join([explained(page, without=("Example",) if fragments else ()), *map(_fragment, fragments)])


def _modifier(statement: Statement, offset: int) -> str:
    """Which word of the instruction's name the cursor is at, and what else might stand there."""
    match, span = statement.match, statement.op_span
    if match is None or match.resolved is None or span is None:
        return ""
    behind = statement.op.find(".", max(offset - span.start, 0))
    word = statement.op[: behind if behind >= 0 else None].rpartition(".")[2]
    resolved = match.resolved
    for segment in resolved.form.segments:
        if resolved.bindings.get(segment.name) == word and len(segment.choices) > 1:
            others = " ".join(f"`.{choice}`" for choice in segment.choices if choice != word)
            return f"`.{word}` is one of `.{segment.name}`; the others: {others}"
    return ""


def _layouts(op: str) -> list[Layout]:
    """The layouts of an instruction's fragments; [] for one that has none."""
    if op.partition(".")[0] not in OPCODES:
        return []
    try:
        return list(layout(op))
    except PtxError:
        return []


def _fragment(each: Layout) -> str:
    rows, columns = each.shape
    heading = (
        f"**{each.operand}**: {rows} x {columns} of .{each.type}, {each.registers} registers of {each.lanes} lanes"
    )
    return f"{heading}\n\n{code_block(_lanes(each), 'text')}"


def _lanes(each: Layout) -> str:
    """What the first registers of the first lanes hold, and the formula of all."""
    lines = [each.formula]
    if "register" in each.axes:
        registers = min(each.registers, _REGISTERS)
        for lane in range(min(each.lanes, _LANES)):
            held = (f"r{register} {_held(each, lane, register)}" for register in range(registers))
            more = "  ..." if registers < each.registers else ""
            lines.append(f"T{lane:<3} {'  '.join(held)}{more}")
    return "\n".join(lines)


def _held(each: Layout, lane: int, register: int) -> str:
    """The elements of a register: "(0,2..3)", or one after another where they are no row."""
    found = [each.element(lane, register, part) for part in range(each.slices)]
    elements = [element for element in found if element is not None]
    if not elements:
        return "-"
    first, last = elements[0], elements[-1]
    if first.row == last.row and last.column - first.column == len(elements) - 1 > 0:
        return f"({first.row},{first.column}..{last.column})"
    return " ".join(f"({element.row},{element.column})" for element in elements)


def _in_fragment(statement: Statement, name: str, offset: int) -> list[str]:
    """What a register holds of the matrix, where it stands in an instruction's fragment."""
    match = statement.match
    number = statement.operand_at(offset)
    if match is None or match.resolved is None or not 0 <= number < len(match.resolved.operands):
        return []
    spec = match.resolved.operands[number].spec
    fragment = next((each for each in _layouts(statement.op) if each.operand == spec.name), None)
    words = re.findall(r"[%$\w]+", statement.operands[number].text)
    if fragment is None or name not in words or "register" not in fragment.axes:
        return []
    register = words.index(name)
    if register >= fragment.registers:
        return []
    lanes = [(f"lane {lane}", _held(fragment, lane, register)) for lane in range(min(8, fragment.lanes))]
    return [
        f"Register {register} of `{spec.name}`, of a matrix of {fragment.shape[0]} x {fragment.shape[1]}:",
        table(lanes),
    ]


# ---- names


def _declared(
    name: str, declaration: Declaration, scope: Scope, program: Program, document: Document, region: Region
) -> str:
    line = document.lines.line(declaration.span.start + region.span.start)
    where = f"declared in line {line + 1}" if declaration.span.end else "an operand of the asm statement"
    parts = [code_block(declaration.written), f"{_KINDS.get(declaration.kind, declaration.kind)}, {where}"]
    if declaration.kind == "register":
        parts += _register_uses(name, declaration, scope, program, document, region)
    else:
        count = sum(1 for _ in program.uses(declaration, scope)) - 1
        parts.append(f"{count} {'use' if count == 1 else 'uses'}")
    return "\n\n".join(parts)


_KINDS = {"table": "list of targets", "prototype": "prototype of calls"}


def _register_uses(
    name: str, declaration: Declaration, scope: Scope, program: Program, document: Document, region: Region
) -> list[str]:
    """Where a register is written and where it is read."""
    uses = [use for use in program.uses(declaration, scope, name) if use.span.start != declaration.span.start]
    written: list[tuple[str, str]] = []
    read: list[tuple[str, str]] = []
    for use in uses[:_LOOKED_AT]:
        span = program.statement_at(use.span.start)
        if span is None:
            continue
        statement = Statement(program, span)
        line = document.lines.line(use.span.start + region.span.start)
        excerpt = " ".join(program.text[span.start : span.end].split())
        row = (str(line + 1), excerpt if len(excerpt) < 80 else excerpt[:77] + "...")
        number = statement.operand_at(use.span.start + 1)
        is_written = name in statement.written and number == 0
        (written if is_written else read).append(row)
    parts = []
    for what, rows in (("written", written), ("read", read)):
        if rows:
            more = f" (the first {_SHOWN} of {len(rows)})" if len(rows) > _SHOWN else ""
            parts += [f"**{what}**{more}", table(rows[:_SHOWN])]
    if len(uses) > _LOOKED_AT:
        parts.append(f"and {len(uses) - _LOOKED_AT} more uses")
    return parts or ["nothing uses it"]


# ---- numbers


def _number(word: str, span: Span) -> tuple[str, Span] | None:
    """The value of a number that is written in bits."""
    digits = word[2:].rstrip("U")
    kind = word[1:2].lower()
    try:
        if kind in ("f", "d"):
            value: object = Immediate(int(digits, 16), "f32" if kind == "f" else "f64").as_float()
        else:
            value = int(word.rstrip("U"), 0)
    except (ValueError, OverflowError):
        return None
    if isinstance(value, int):
        text = f"`{word}` is {value}, {value:#x}"
    else:
        text = f"`{word}` is {value!r} of .{'f32' if kind == 'f' else 'f64'}"
    return text, span
