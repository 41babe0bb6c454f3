"""Another name for a register, a family of registers, a label, a variable or a function, everywhere where it is meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.errors import PtxError
from ptxgen.isa.forms import opcodes
from ptxgen.isa.specials import is_special
from ptxgen.lsp.answers.navigation import named_at
from ptxgen.lsp.model.positions import Edit
from ptxgen.lsp.model.program import without_digits

if TYPE_CHECKING:
    from ptxgen.lsp.answers.navigation import Named
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.positions import Position, Span

__all__ = ["RenameError", "rename", "renamed_span"]

_LEGAL = re.compile(r"[A-Za-z][\w$]*|[_$%][\w$]+", re.ASCII)


class RenameError(PtxError):
    """A rename that would change what the program means, or that is none; the message says what is in the way."""


def renamed_span(document: Document, position: Position) -> tuple[Span, str]:
    """What a rename at a position would rename, and its present name. RenameError where there is nothing."""
    named = _named(document, position)
    return named.use.span.moved(named.place.region.span.start), named.use.name


def rename(document: Document, position: Position, name: str) -> list[Edit]:
    """The edits that give the thing at a position another name.

    A register of a family `%r<9>` is renamed with its family: %r3 to %x3 makes it `%x<9>`. RenameError for a name that PTX does
    not take, that means something where it would stand, or that would then mean something else.
    """
    named = _named(document, position)
    old, new = _stems(named, name)
    if old == new:
        return []
    if _LEGAL.fullmatch(new) is None and not (named.declaration.members is not None and _LEGAL.fullmatch(f"{new}0")):
        raise RenameError(f"{new!r} is not a name of PTX", hint="letters, digits, _ and $, perhaps behind a %")
    if is_special(new) or is_special(f"{new}.x") or new == "WARP_SZ":
        raise RenameError(f"{new} is a special register", hint="another name")
    if named.declaration.kind in ("label", "function") and new in opcodes():
        raise RenameError(f"{new} is an instruction", hint="another name")
    region = named.place.region
    uses = list(region.program.uses(named.declaration, named.scope))
    if region.program.holes and _in_template(named, old):
        raise RenameError(f"the template makes a part of a name that begins with {old}", hint="rename it by hand")
    texts = {use.name: new + use.name[len(old) :] for use in uses}
    edits = [Edit(use.span, texts[use.name]) for use in uses]
    _check_conflicts(named, edits)
    base = region.span.start
    return edits if base == 0 else [Edit(edit.span.moved(base), edit.text) for edit in edits]


def _named(document: Document, position: Position) -> Named:
    named = named_at(document, position)
    if named is None:
        raise RenameError(
            "nothing here has a name that this file declares", hint="a register, label, variable or function"
        )
    if not named.declaration.span.end:
        raise RenameError(f"{named.use.name} is an operand of the asm statement", hint="reorder the operands instead")
    if named.declaration.kind == "function" and ".extern" in _line_before(named):
        raise RenameError(f"{named.use.name} is defined in another module", hint="rename it there first")
    return named


def _line_before(named: Named) -> str:
    text, start = named.place.region.text, named.declaration.span.start
    return text[text.rfind("\n", 0, start) + 1 : start]


def _stems(named: Named, name: str) -> tuple[str, str]:
    """(what all the names begin with that change, what they begin with then)."""
    old = named.declaration.name
    if named.declaration.members is None or named.use.name == old:
        return old, name
    index = named.use.name[len(old) :]
    if not name.endswith(index) or name == index:
        raise RenameError(
            f"{named.use.name} is one of the family {old}<...>, which is renamed as a whole",
            hint=f"a name that ends in {index}, or a .reg of its own for it",
        )
    return old, name[: -len(index)]


def _in_template(named: Named, stem: str) -> bool:
    """Is there a name with this stem that a template finishes?"""
    text = named.place.region.text
    return any(text.endswith(stem, 0, hole.start) for hole in named.place.region.holes)


def _check_conflicts(named: Named, edits: list[Edit]) -> None:
    """RenameError where a new name has a meaning already, or would hide one."""
    program, declaration = named.place.region.program, named.declaration
    names = {edit.text for edit in edits}
    taken = {name for name in names if program.declares(name)}
    for edit in edits:
        at = edit.span.start
        if edit.text not in taken:
            continue
        there = program.find(edit.text, at) if edit.span != declaration.span or declaration.members is None else None
        if there is not None and there is not declaration:
            _refuse(named, edit.text, there.span)
    stems = set(map(without_digits, names))
    for scope in program.scopes:  # inner scopes that use an outer thing of that name
        if scope.span.start < named.scope.span.start or scope.span.end > named.scope.span.end:
            continue
        for each in scope.all():
            if each is declaration or without_digits(each.name) not in stems:
                continue
            clash = (n for n in names if n == each.name or (each.members is not None and _is_of(each.name, n)))
            if (first := min(clash, default=None)) is not None:
                _refuse(named, first, each.span)
    _check_family(named, edits)


def _check_family(named: Named, edits: list[Edit]) -> None:
    """A family declares more names than are used: none of them may be another's."""
    if named.declaration.members is None or not edits:
        return
    own = next((edit.text for edit in edits if edit.span == named.declaration.span), None)
    scope = named.scope
    while own is not None:
        for each in scope.all():
            index = each.name[len(own) :]
            is_member = (
                each.members is None and each.name.startswith(own) and index.isdigit() and named.declaration.has(index)
            )
            if each is not named.declaration and (is_member or (each.members is not None and each.name == own)):
                _refuse(named, each.name, each.span)
        if scope.parent is None:
            return
        scope = scope.parent


def _is_of(prefix: str, name: str) -> bool:
    return name.startswith(prefix) and name[len(prefix) :].isdigit()


def _refuse(named: Named, name: str, span: Span) -> None:
    line = named.place.region.text.count("\n", 0, span.start) + 1
    raise RenameError(f"{name} is declared already, in line {line}", hint="another name")
