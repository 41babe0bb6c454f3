"""The operands of the instruction that is being written, with the one at the cursor marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.isa import describe
from ptxgen.isa.forms import forms_of, resolve
from ptxgen.lsp.answers.before_cursor import before_cursor, operand_of

if TYPE_CHECKING:
    from ptxgen.isa.describe import OperandText
    from ptxgen.isa.notation import Form
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.positions import Position

__all__ = ["Signature", "Signatures", "signatures"]

_MOST = 16


class Signature(NamedTuple):
    """A form: its line, and (start, end, words) of each operand in that line."""

    label: str
    operands: tuple[tuple[int, int, str], ...]


class Signatures(NamedTuple):
    """Those that the name spells; `active` is the first that has the operand at the cursor, which is number `operand`."""

    found: tuple[Signature, ...]
    active: int
    operand: int


def signatures(document: Document, position: Position) -> Signatures | None:
    """The forms of the instruction whose operands are being written at a position."""
    place = document.place(position)
    if place is None or place.region.kind == "name":
        return None
    before = before_cursor(place.region.program, place.offset)
    if before.guard or before.rest is None or not before.name[:1].isalpha():
        return None
    number, _, _ = operand_of(before.rest)
    resolved = resolve(before.name)
    if resolved:
        found = [_signature(before.name, each.form, [e.spec.name for e in each.operands]) for each in resolved]
    else:
        forms = forms_of(before.name.partition(".")[0])
        found = [_signature(form.syntax, form, [spec.name for spec in form.operands]) for form in forms]
    found = list(dict.fromkeys(found))[:_MOST]
    if not found:
        return None
    active = next((n for n, each in enumerate(found) if number < len(each.operands)), 0)
    return Signatures(tuple(found), active, number)


def _signature(name: str, form: Form, names: list[str]) -> Signature:
    label = name
    parts: list[tuple[int, int, str]] = []
    for spec in form.operands:
        if spec.name not in names:
            continue
        label += ", " if parts else " "
        text = describe.notation(spec) if spec.kind != "call" else "f, (arguments)"
        parts.append((len(label), len(label) + len(text), _words(describe.operand(form, spec))))
        label += text
    return Signature(label, tuple(parts))


def _words(text: OperandText) -> str:
    parts = [text.direction, text.takes, text.type, text.space, text.range, text.notes]
    return ", ".join(part for part in parts if part)
