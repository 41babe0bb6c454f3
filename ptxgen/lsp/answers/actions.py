"""Edits that mend a finding: what its "instead" says, as far as that is a text to put somewhere.

To add one, write a function of a `Case` that gives the title and the edits, or None where it has nothing to offer, and name it in
`_FIXES`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.matching.nearest import nearest_instruction
from ptxgen.isa.forms import forms_of, opcodes, resolve
from ptxgen.isa.targets import find_target
from ptxgen.lsp.model.positions import Edit, Span
from ptxgen.lsp.model.statement import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ptxgen.lsp.background.report import Finding
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.region import Region

__all__ = ["Action", "actions"]


class Action(NamedTuple):
    """An edit that is offered. `preferred`: it is the obvious one."""

    title: str
    finding: Finding
    edits: tuple[Edit, ...]
    preferred: bool = True


class Case:
    """A finding with what stands at its place. Offsets are those of the region's text."""

    def __init__(self, finding: Finding, region: Region) -> None:
        self.finding = finding
        self.region = region
        self.program = region.program
        self.span = finding.span.moved(-region.span.start)
        span = self.program.statement_at(self.span.start)
        self.statement = None if span is None else Statement(self.program, span)

    @property
    def instead(self) -> str:
        return self.finding.hint

    @property
    def op(self) -> tuple[str, Span] | None:
        """The name of the instruction and where it stands."""
        statement = self.statement
        if self.region.kind == "name":
            return self.region.text, Span(0, len(self.region.text))
        if statement is None or not statement.is_instruction or statement.op_span is None:
            return None
        return statement.op, statement.op_span


Fix = tuple[str, list[Edit], bool]


def actions(document: Document, findings: Iterable[Finding], span: Span) -> list[Action]:
    """What may be done about the findings that touch a span of the document."""
    found = []
    for finding in findings:
        if finding.span.start > span.end or finding.span.end < span.start:
            continue
        place = document.place_of(finding.span.start)
        if place is None:
            continue
        for title, edits, preferred in _fixes(Case(finding, place.region)):
            moved = tuple(edit._replace(span=edit.span.moved(place.region.span.start)) for edit in edits)
            found.append(Action(title, finding, moved, preferred))
    return found


def _fixes(case: Case) -> Iterator[Fix]:
    seen = set()
    for fix in _FIXES:
        found = fix(case)
        if found is not None and found[0] not in seen:
            seen.add(found[0])
            yield found


# ---- syntax


def _semicolon(case: Case) -> Fix | None:
    if case.finding.code != "PTX102":
        return None
    return "Write ';'", [Edit(Span(case.span.end, case.span.end), ";")], True


def _meant(case: Case) -> Fix | None:
    """ "did you mean '.visible'?": in place of the word."""
    meant = re.fullmatch(r"did you mean '(.+)'\?", case.instead)
    return None if meant is None else (f"Change to {meant[1]}", [Edit(case.span, meant[1])], True)


# ---- names of instructions


def _instruction(case: Case) -> Fix | None:
    """The nearest legal instruction."""
    for meant in (case.instead, case.finding.expected):
        meant = meant.strip().removesuffix(";")
        if case.op is None or meant == case.op[0] or not resolve(meant):
            continue
        related = meant.partition(".")[0] == case.op[0].partition(".")[0] or case.finding.code == "PTX200"
        if related:
            return f"Change to {meant}", [Edit(case.op[1], meant)], True
    return None


def _opcode(case: Case) -> Fix | None:
    """The nearest opcode, where no whole name is near."""
    if case.finding.code != "PTX200" or case.op is None or case.instead not in opcodes() or resolve(case.instead):
        return None
    opcode = case.op[0].partition(".")[0]
    start = case.op[1].start
    return f"Change to {case.instead}", [Edit(Span(start, start + len(opcode)), case.instead)], True


def _for_operands(case: Case) -> Fix | None:
    """The nearest instruction that takes the operands as they are."""
    if case.finding.code not in ("PTX202", "PTX203", "PTX204") or case.op is None or case.statement is None:
        return None
    read = case.statement.instruction
    if read is None or not forms_of(read.opcode):
        return None
    meant = nearest_instruction(f"{read.op}.", read.operands) if read.operands else None
    if meant is None or meant == read.op:
        return None
    from ptxgen.dataflow.matching.operands import match

    if match(meant, read.operands).mismatch is not None:
        return None
    return f"Change to {meant}, which takes these operands", [Edit(case.op[1], meant)], False


def _part(case: Case) -> Fix | None:
    """ ".global in place of .shared": a part of the name."""
    meant = re.fullmatch(r"(\.[\w:]+) in place of (\.[\w:]+)", case.instead)
    if meant is None or case.op is None or meant[2] not in case.op[0]:
        return None
    changed = re.sub(rf"{re.escape(meant[2])}(?![\w:])", meant[1], case.op[0], count=1)
    return f"Change to {changed}", [Edit(case.op[1], changed)], True


# ---- names of the program


def _name(case: Case) -> Fix | None:
    """The nearest name that is declared."""
    unknown = re.search(r"unknown (?:name|label|special register) (\S+)", case.finding.message)
    if unknown is None or not re.fullmatch(r"[%$\w.]+", case.instead):
        return None
    edits = [Edit(span, case.instead) for span in _words(case, unknown[1])]
    return (f"Change to {case.instead}", edits, True) if edits else None


def _longer_family(case: Case) -> Fix | None:
    """%r20 where `%r<20>` ends with %r19."""
    longer = re.fullmatch(r"\.reg \.\w+ ([%$\w]+)<(\d+)>;", case.instead)
    if longer is None:
        return None
    for declaration in case.program.visible(case.span.start):
        if declaration.name == longer[1] and declaration.members is not None:
            count = re.compile(r"<\s*(\d+)\s*>").search(case.program.text, declaration.span.end)
            if count is not None:
                title = f"Declare {longer[1]}<{longer[2]}>"
                return title, [Edit(Span(*count.span(1)), longer[2])], True
    return None


def _declare(case: Case) -> Fix | None:
    """A register that nobody declares, of the type that the instruction wants."""
    unknown = re.fullmatch(r"unknown name (%?[\w$]+)", case.finding.message)
    if unknown is None or case.statement is None or case.finding.code != "PTX301":
        return None
    type_ = _wanted_type(case.statement, unknown[1])
    routine = case.program.routine_at(case.span.start)
    if not type_ or routine is None or routine.body is None:
        return None
    at = routine.body.start + 1
    edit = Edit(Span(at, at), f"\n\t.reg .{type_} {unknown[1]};")
    return f"Declare .reg .{type_} {unknown[1]}", [edit], False


def _wanted_type(statement: Statement, name: str) -> str:
    if statement.guard is not None and name in statement.texts[: statement.first]:
        return "pred"
    number = next((n for n, each in enumerate(statement.operands) if each.text == name), -1)
    for form in resolve(statement.op):
        if 0 <= number < len(form.operands) and (type_ := form.operands[number].type) is not None:
            return type_.name if type_.fundamental else f"b{max(16, type_.bits)}"
    return ""


def _words(case: Case, name: str) -> list[Span]:
    """Where a name stands in the statement."""
    if case.statement is None:
        return []
    text = case.program.text
    pattern = re.compile(rf"(?<![\w$%.]){re.escape(name)}(?![\w$])")
    return [Span(*match.span()) for match in pattern.finditer(text, *case.statement.span)]


# ---- version and target


def _version(case: Case) -> Fix | None:
    """A newer `.version`."""
    needed = re.search(r"(?:\.version|PTX) (\d+)\.(\d+)", case.finding.expected)
    if case.finding.code not in ("PTX403", "PTX411", "PTX424") or needed is None:
        return None
    return _raised(case, (int(needed[1]), int(needed[2])), None)


def _target(case: Case) -> Fix | None:
    """The target that has it, and the version that this target needs."""
    named = re.search(r"sm_\d+[af]?", case.instead) or re.search(r"sm_\d+[af]?", case.finding.expected)
    if case.finding.code not in ("PTX412", "PTX424") or named is None:
        return None
    needed = re.search(r"PTX (\d+)\.(\d+)", case.finding.expected)
    target = find_target(named[0])
    version = max(target.since, (int(needed[1]), int(needed[2])) if needed else target.since)
    return _raised(case, version, target.name)


def _raised(case: Case, version: tuple[int, int], target: str | None) -> Fix | None:
    now, at = case.program.version, case.program.target
    if now is None or at is None:
        return None
    edits, words = [], []
    major, minor = map(int, now.name.split("."))
    if (major, minor) < version:
        edits.append(Edit(now.span, f"{version[0]}.{version[1]}"))
        words.append(f".version {version[0]}.{version[1]}")
    if target is not None and target != at.name:
        edits.append(Edit(at.span, target))
        words.append(f".target {target}")
    return (f"Raise to {' and '.join(words)}", edits, True) if edits else None


# ---- statements


def _insert(case: Case) -> Fix | None:
    """Whole statements that have to stand before this one."""
    statements = [each.strip() for each in case.instead.split(";") if each.strip()]
    if not case.instead.endswith(";") or case.statement is None or case.finding.code < "PTX5":
        return None
    if not all(resolve(each.split()[0]) and re.fullmatch(r"[\w.:]+(?: \d+)?", each) for each in statements):
        return None
    start = case.statement.span.start
    line = case.program.text.rfind("\n", 0, start) + 1
    indent = case.program.text[line:start]
    between = f"\n{indent}" if not indent.strip() else " "
    text = "".join(f"{each};{between}" for each in statements)
    return f"Insert {'; '.join(statements)}; before it", [Edit(Span(start, start), text)], False


def _delete(case: Case) -> Fix | None:
    if case.instead != "delete it" or case.statement is None:
        return None
    text, span = case.program.text, case.statement.span
    start, end = text.rfind("\n", 0, span.start) + 1, span.end + 1
    if text[start : span.start].strip() or text[end : text.find("\n", end) if "\n" in text[end:] else None].strip():
        return "Delete it", [Edit(Span(span.start, end), "")], False
    end = text.find("\n", end) + 1 or len(text)
    return "Delete it", [Edit(Span(start, end), "")], False


_FIXES: tuple[Callable[[Case], Fix | None], ...] = (
    _semicolon, _meant, _instruction, _opcode, _for_operands, _part, _name, _longer_family, _declare, _version, _target,
    _insert, _delete,
)  # fmt: skip
