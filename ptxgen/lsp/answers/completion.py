"""What may be written next: directives, opcodes, one modifier after another, and operands. Only what the table has for the
module's target."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.isa import spelling
from ptxgen.isa.directives import directive, directives
from ptxgen.isa.forms import forms_of, opcodes
from ptxgen.isa.targets import TARGETS, VERSIONS, find_target
from ptxgen.isa.types import TYPES
from ptxgen.lsp.answers.before_cursor import before_cursor
from ptxgen.lsp.answers.operand_completion import Names, guards, operands
from ptxgen.lsp.model.positions import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.isa.notation import Availability
    from ptxgen.isa.targets import Target
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.positions import Position
    from ptxgen.lsp.model.program import Program

__all__ = ["Item", "completion", "module_target"]

_DECLARES = (".reg", ".const", ".global", ".local", ".param", ".shared", ".tex")
_HEADER_LINE = re.compile(r"^[ \t]*\.(target|version|address_size)[ \t]+([\w., ]*)$")


class Item(NamedTuple):
    """A proposal: `label` takes the place of `span`. `kind` is "opcode", "modifier", "directive", "type", "target", "register",
    "label", "variable", "function", "special" or "constant"; `explain` the name by which `ptxgen explain` knows it."""

    label: str
    kind: str
    span: Span
    detail: str = ""
    explain: str = ""


def completion(document: Document, position: Position) -> list[Item]:
    """The proposals at a position, the likeliest first."""
    place = document.place(position)
    if place is None:
        return []
    program, offset = place.region.program, place.offset
    base = place.region.span.start
    if place.region.kind == "name":
        found = list(_names(place.region.text[:offset], offset, None))
    elif program.in_remark(offset - 1) and not program.text[:offset].endswith("\n"):
        return []
    else:
        found = list(_proposals(program, offset))
    return [item._replace(span=item.span.moved(base)) for item in found]


def module_target(program: Program) -> Target | None:
    """The target that the module names; None where it names none that is known."""
    try:
        return None if program.target is None else find_target(program.target.name)
    except ValueError:
        return None


def _proposals(program: Program, offset: int) -> Iterator[Item]:
    line = program.text[program.text.rfind("\n", 0, offset) + 1 : offset]
    header = _HEADER_LINE.match(line)
    if header is not None:
        yield from _header_words(header[1], header[2], offset)
        return
    target = module_target(program)
    before = before_cursor(program, offset)
    names = Names(program, offset, target)
    if before.guard:
        yield from _items(guards(names), before.name, offset)
    elif before.rest is None and not before.name.startswith("."):
        yield from _names(before.name, offset, target)
        if "." not in before.name:
            yield from _directives(program, offset, "", target)
    elif before.name.startswith("."):
        yield from _of_directive(program, before.text, offset, target)
    elif before.rest is not None:
        yield from _items(operands(before.name, before.rest, names), "", offset)


def _items(found: Iterable[tuple[str, str, str, int]], written: str, offset: int) -> Iterator[Item]:
    for label, kind, detail, size in found:
        size = size if not written else len(written)
        explained = label if kind == "special" else ""
        yield Item(label, kind, Span(offset - size, offset), detail, explained)


def _header_words(name: str, written: str, offset: int) -> Iterator[Item]:
    word = re.split(r"[ ,]+", written)[-1]
    span = Span(offset - len(word), offset)
    if name == "version":
        for version in reversed(VERSIONS):
            yield Item(f"{version[0]}.{version[1]}", "constant", span, "PTX version")
    elif name == "address_size":
        yield from (Item(size, "constant", span) for size in ("64", "32"))
    elif "," in written:
        for row in directives():
            if "target" in row.places:
                yield Item(row.name, "target", span, row.purpose, row.name)
    else:
        for target in reversed(TARGETS.values()):
            yield Item(target.name, "target", span, f"PTX {target.since[0]}.{target.since[1]}", target.name)


# ---- names of instructions


def _names(written: str, offset: int, target: Target | None) -> Iterator[Item]:
    """Opcodes, or behind a dot the modifiers that may come next."""
    opcode, *words = written.split(".")
    if not words:
        span = Span(offset - len(opcode), offset)
        for name in opcodes():
            forms = [form for form in forms_of(name) if _is_there(form.since, target)]
            if forms:
                yield Item(name, "opcode", span, forms[0].syntax, name)
        return
    state = spelling.begin(opcode)
    for word in words[:-1]:
        state = spelling.following(state).get(word, ())
    span = Span(offset - len(words[-1]), offset)
    stem = written[: len(written) - len(words[-1])]
    for word, there in spelling.following(state).items():
        possible = [place for place in there if _is_there(place.form.since, target) and _has(place, word, target)]
        if possible:
            whole = "" if not spelling.is_complete(there) else "; may end here"
            yield Item(word, "modifier", span, possible[0].form.syntax + whole, f"{stem}{word}")


def _has(place: spelling.RowPosition, word: str, target: Target | None) -> bool:
    """Is a modifier that begins with the word there for the target?"""
    segment = place.form.segments[place.segment - 1]
    choices = [since for choice, since in segment.choices.items() if word in choice.split(".")]
    return not choices or any(_is_there(since, target) for since in choices)


def _is_there(since: Iterable[Availability], target: Target | None) -> bool:
    return target is None or any(target.provides(choice.sm, choice.suffix) for choice in since)


# ---- directives


def _directives(program: Program, offset: int, written: str, target: Target | None) -> Iterator[Item]:
    place = "module" if program.scope_at(offset) is program.module else "body"
    places = {place} if program.target is not None or place == "body" else {"head", "module"}
    span = Span(offset - len(written), offset)
    seen = set()
    for row in directives():
        if places & set(row.places) and row.name.startswith(".") and row.name not in seen and row.until is None:
            seen.add(row.name)
            if _is_there([row.since], target):
                yield Item(row.name, "directive", span, row.purpose, row.name)


def _of_directive(program: Program, text: str, offset: int, target: Target | None) -> Iterator[Item]:
    """Behind a dot: a directive, or what belongs behind one."""
    word = re.search(r"\.\w*\Z", text)
    written = word[0] if word is not None else ""
    span = Span(offset - len(written), offset)
    if text == written:
        yield from _directives(program, offset, written, target)
    elif ".entry" in text or ".func" in text:
        yield from _of_head(text, span, target)
    elif text.startswith((".visible", ".extern", ".weak", ".common")) and not any(each in text for each in _DECLARES):
        for name in (".entry", ".func", ".global", ".const", ".shared"):
            yield Item(name, "directive", span, _purpose(name), name)
    elif any(text.startswith(each) or f" {each}" in text for each in _DECLARES) and text.endswith((".", " ", written)):
        if _has_type(text.removesuffix(written)):
            return
        names = (".align", ".attribute", ".v2", ".v4") if not text.startswith(".reg") else (".v2", ".v4")
        for type_ in TYPES.values():
            if type_.fundamental and (type_.kind != "p" or text.startswith(".reg")):
                yield Item(f".{type_.name}", "type", span, f"{type_.bits} bits", f".{type_.name}")
        for name in names:
            yield Item(name, "directive", span, _purpose(name), name)


def _of_head(text: str, span: Span, target: Target | None) -> Iterator[Item]:
    """What may stand behind a function's parameters, or among them."""
    kind = "entry" if ".entry" in text else "func"
    if text.count("(") > text.count(")"):
        piece = re.split(r"[(,]", text)[-1]
        if ".param" not in piece and ".reg" not in piece:
            yield Item(".param", "directive", span, _purpose(".param"), ".param")
        elif not _has_type(piece):
            for type_ in TYPES.values():
                if type_.fundamental:
                    yield Item(f".{type_.name}", "type", span, f"{type_.bits} bits", f".{type_.name}")
        elif kind == "entry":
            yield from (Item(name, "directive", span, _purpose(name), name) for name in (".ptr", ".align", ".global"))
        return
    for row in directives():
        if kind in row.places and row.name.startswith(".") and row.until is None and _is_there([row.since], target):
            yield Item(row.name, "directive", span, row.purpose, row.name)


def _has_type(text: str) -> bool:
    return any(word in TYPES for word in re.findall(r"\.(\w+)\b", text))


def _purpose(name: str) -> str:
    row = directive(name)
    return "" if row is None else row.purpose
