"""Tokens -> the directives of modules, functions and bodies that declare no storage (manual chapter 11)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.ir import (
    Alias,
    BranchTargets,
    CallPrototype,
    CallTargets,
    CodeBlock,
    Directive,
    FileDirective,
    IntermediateSource,
    LineDirective,
    Pragma,
    Section,
)
from ptxgen.isa.directives import head_directives
from ptxgen.isa.targets import ADDRESS_SIZE, LATEST
from ptxgen.text.common_operands import NAME, NUMBER
from ptxgen.text.constants import integer
from ptxgen.text.cursor import Unexpected, is_name, nearest
from ptxgen.text.declarations import parameters
from ptxgen.text.lexer import END

if TYPE_CHECKING:
    from ptxgen.ir import Source, Statement, Variable
    from ptxgen.text.cursor import Cursor

__all__ = [
    "alias",
    "file",
    "function_directives",
    "header",
    "intermediate_source",
    "line",
    "pragma",
    "section",
    "targets_or_prototype",
]

_PROTOTYPE_SPACES = frozenset((".param", ".reg"))


def header(c: Cursor) -> tuple[tuple[int, int], str, tuple[str, ...], int]:
    """`.version`, `.target`, `.address_size`: the module's first lines. What is wrong in them is noted, not raised."""
    version, target, address_size = LATEST, "", 64
    options: tuple[str, ...] = ()
    try:
        version = _version(c)
    except Unexpected as error:
        c.findings.append(error.finding)
        _skip_to(c, ".target")
    try:
        target, options = _targets(c)
        if c.texts[c.i] == ".address_size":  # absent: 64, as ptxas takes it; no target of today has 32
            c.i += 1
            if version < ADDRESS_SIZE:
                wrong = c.unexpected(
                    ".version 2.3 or newer", at=c.i - 1, code="PTX105", message=".address_size came with PTX 2.3"
                )
                c.findings.append(wrong.finding)
            address_size = integer(c, "32 or 64 after .address_size")
            if address_size not in (32, 64):
                raise c.unexpected("32 or 64", at=c.i - 1, code="PTX105", message=f"no address size {address_size}")
    except Unexpected as error:
        c.findings.append(error.finding)
    return version, target, options, address_size


def _version(c: Cursor) -> tuple[int, int]:
    if c.texts[c.i] != ".version":
        raise c.unexpected(
            "'.version 8.0' as the first directive", code="PTX105", message="the module does not start with .version"
        )
    major, dot, minor = c.texts[c.i + 1].partition(".")
    c.i += 1
    if not (dot and major.isdigit() and minor.isdigit()):
        raise c.unexpected("major.minor, as in .version 8.0", code="PTX105", message="malformed PTX version")
    c.i += 1
    return int(major), int(minor)


def _targets(c: Cursor) -> tuple[str, tuple[str, ...]]:
    """One `.target` line, or several, which count together (manual 11.1.2)."""
    if c.texts[c.i] != ".target":
        expected = "'.target sm_...' after .version"
        raise c.unexpected(expected, code="PTX105", message="the module has no .target behind its .version")
    names: list[str] = []
    while c.texts[c.i] == ".target":
        c.i += 1
        names += _names(c, "a target such as sm_90a")
    return names[0], tuple(names[1:])


def _names(c: Cursor, what: str) -> list[str]:
    names = [c.expect_name(what)]
    while c.texts[c.i] == ",":
        c.i += 1
        names.append(c.expect_name(what))
    return names


def _skip_to(c: Cursor, text: str) -> None:
    """Go to a token that is near, if it is."""
    for index in range(c.i, min(c.i + 4, len(c.texts))):
        if c.texts[index] == text:
            c.i = index
            return


def function_directives(c: Cursor, ends: frozenset[str] = frozenset()) -> tuple[Directive, ...]:
    """`.maxntid 256, 1, 1 .minnctapersm 2 .pragma "nounroll";` up to `{` or `;`, or up to one of `ends`."""
    found: list[Directive] = []
    while c.texts[c.i][0] == "." and c.texts[c.i] not in ends:
        name, start = c.texts[c.i], c.i
        if name == ".pragma":
            texts = pragma(c).texts
            found.append(Directive("pragma", texts, c.source(start)))
            continue
        try:
            found.append(Directive(name[1:], _arguments(c, name), c.source(start)))
        except Unexpected as error:
            c.findings.append(error.finding)
            c.i = max(c.i, start + 1)
            while c.texts[c.i][0] != "." and c.texts[c.i] not in ("{", "}", ";", END):
                c.i += 1
    return tuple(found)


def _arguments(c: Cursor, name: str) -> tuple[int | str, ...]:
    """The numbers behind a directive, or the names and numbers behind .language."""
    row = head_directives().get(name)
    if row is None:
        raise c.unexpected(
            "'{', ';' or a directive of functions", code="PTX106", message=f"unknown directive {name}",
            hint=nearest(name, head_directives()),
        )  # fmt: skip
    c.i += 1
    least, most = row.arguments
    if not most:
        return ()
    values = [_argument(c, name)]
    while c.texts[c.i] == ",":
        c.i += 1
        values.append(_argument(c, name))
    if not least <= len(values) <= most:
        raise c.unexpected(f"{least} to {most} numbers", message=f"{len(values)} numbers after {name}")
    return tuple(values)


def _argument(c: Cursor, name: str) -> int | str:
    if name == ".language" and c.texts[c.i][0] == '"':
        return _string(c)
    return integer(c, f"a number after {name}")


def pragma(c: Cursor) -> Pragma:
    """`.pragma "a", "b";`"""
    start = c.i
    c.i += 1
    texts = [_string(c)]
    while c.texts[c.i] == ",":
        c.i += 1
        texts.append(_string(c))
    c.expect_semicolon("',' or ")
    return Pragma(tuple(texts), c.source(start))


def _string(c: Cursor) -> str:
    text = c.texts[c.i]
    if text[0] != '"' or len(text) < 2:
        raise c.unexpected('a "string"')
    c.i += 1
    return text[1:-1]


def file(c: Cursor) -> FileDirective:
    """`.file 1 "name"`, `.file 1 "name", timestamp, size`; no semicolon."""
    source = c.source(c.i)
    c.i += 1
    index = integer(c, "the number of the file")
    name = _string(c)
    if c.texts[c.i] != ",":
        return FileDirective(index, name, source=source)
    c.i += 1
    timestamp = integer(c, "a timestamp")
    c.expect(",", "the timestamp")
    return FileDirective(index, name, timestamp, integer(c, "the size of the file"), source)


def line(c: Cursor) -> LineDirective:
    """`.loc 1 2 3`, with `, function_name label+4, inlined_at 1 2 3` for inlined code; no semicolon. Also .loc_intermediate."""
    intermediate = c.texts[c.i] == ".loc_intermediate"
    c.i += 1
    numbers = [integer(c, what) for what in ("the number of a file", "a line", "a column")]
    inlined = None
    if intermediate:
        return LineDirective(numbers[0], numbers[1], numbers[2], intermediate=True)
    if c.texts[c.i] == "," and c.texts[c.i + 1] == "function_name":
        c.i += 2
        label = c.texts[c.i]
        if not is_name(label) and label[0] != ".":
            raise c.unexpected("a label in .debug_str")
        c.i += 1
        if c.texts[c.i] == "+":
            c.i += 1
            label += f"+{integer(c, 'an offset')}"
        c.expect(",", "the name of the function")
        if c.texts[c.i] != "inlined_at":
            raise c.unexpected("inlined_at")
        c.i += 1
        where = [integer(c, what) for what in ("the number of a file", "a line", "a column")]
        inlined = f"function_name {label}, inlined_at {where[0]} {where[1]} {where[2]}"
    elif c.texts[c.i] == ";":
        raise c.unexpected("the next statement", hint=".loc has no ';'")
    return LineDirective(numbers[0], numbers[1], numbers[2], inlined)


def alias(c: Cursor) -> Alias:
    """`.alias name, aliasee;`"""
    start = c.i
    c.i += 1
    name = c.expect_name("the new name")
    c.expect(",", "the new name")
    aliasee = c.expect_name("the name of a function")
    c.expect_semicolon()
    c.scope.symbol(name)
    return Alias(name, aliasee, c.source(start))


def targets_or_prototype(c: Cursor, name: str, source: Source) -> Statement:
    """What follows `name:`: `.branchtargets`, `.calltargets` or `.callprototype` (manual 11.3)."""
    directive = c.texts[c.i]
    c.i += 1
    if directive == ".callprototype":
        return _prototype(c, name, source)
    targets = _target_list(c)
    c.expect_semicolon("',' or ")
    if directive == ".branchtargets":
        return BranchTargets(name, targets, source)
    return CallTargets(name, targets, source)


def _target_list(c: Cursor) -> tuple[str, ...]:
    """`L1, L2`; `N<3>` stands for N0, N1, N2."""
    found: list[str] = []
    while True:
        name = c.expect_name("a name")
        if c.texts[c.i] == "<":
            c.i += 1
            count = integer(c, "how many, as in N<3>")
            c.expect(">", "the count")
            found += [f"{name}{index}" for index in range(count)]
        else:
            found.append(name)
        if c.texts[c.i] != ",":
            return tuple(found)
        c.i += 1


def _prototype(c: Cursor, name: str, source: Source) -> CallPrototype:
    results: tuple[Variable, ...] = parameters(c, spaces=_PROTOTYPE_SPACES) if c.texts[c.i] == "(" else ()
    if c.texts[c.i] != "_":
        raise c.unexpected("'_' where a function has its name")
    c.i += 1
    params = parameters(c, spaces=_PROTOTYPE_SPACES) if c.texts[c.i] == "(" else ()
    directives = function_directives(c)
    c.expect_semicolon()
    return CallPrototype(name, results, params, directives, source)


# DWARF (manual 11.5.3): kept as text, once it is seen to be well formed.

_VALUE = rf"(?:{NUMBER}|0[xX][0-9a-fA-F]{{1,16}}|(?:{NAME}|\.[A-Za-z][\w$]*)(?:-{NAME}|\+{NUMBER})?)"
_DWARF_LINE = re.compile(
    rf"\s*(?:\.b(?:8|16|32|64)[ \t]+{_VALUE}(?:[ \t]*,[ \t]*{_VALUE})*|{NAME}:)[ \t\r]*(?=\n)|\s*\}}|", re.ASCII
)
"""What compilers write, and the brace behind it: read without tokens, as the common statements of bodies are."""


def section(c: Cursor) -> Section:
    """`.section .debug_info { lines }`."""
    c.i += 1
    name = c.texts[c.i]
    if name[0] != "." or len(name) == 1:
        raise c.unexpected("the name of a section, such as .debug_info")
    c.i += 1
    c.expect("{", "the name of the section")
    first = c.tokens.starts[c.i - 1] + 1
    end = _common_dwarf(c.tokens.source, first) if c.common else None
    if end is not None:
        c.seek(end)
    while c.texts[c.i] != "}":
        _dwarf_line(c)
    text = c.tokens.source[first : c.tokens.starts[c.i]]
    c.i += 1
    return Section(name[1:], tuple(line for line in map(str.strip, text.split("\n")) if line))


def _common_dwarf(source: str, at: int) -> int | None:
    """The offset of the section's `}`, where all before it is common."""
    for match in _DWARF_LINE.finditer(source, at):
        end = match.end()
        if source[end - 1] == "}":
            return end - 1
        if end == match.start():
            return None
    return None


def _dwarf_line(c: Cursor) -> None:
    text = c.texts[c.i]
    if is_name(text) and c.texts[c.i + 1] == ":":
        c.i += 2
        return
    if text not in (".b8", ".b16", ".b32", ".b64"):
        raise c.unexpected("'}', a label, .b8, .b16, .b32 or .b64 in the section")
    c.i += 1
    _dwarf_value(c)
    while c.texts[c.i] == ",":
        c.i += 1
        _dwarf_value(c)


def _dwarf_value(c: Cursor) -> None:
    """`12`, `-1`, `label`, `.section`, `label+4`, `label-label`."""
    text = c.texts[c.i]
    if is_name(text) or (text[0] == "." and text[1:2].isalpha()):
        c.i += 1
        if c.texts[c.i] == "-":
            c.i += 1
            c.expect_name("a label after '-'")
            return
        if c.texts[c.i] != "+":
            return
        c.i += 1
    if c.texts[c.i] == "-":
        c.i += 1
    integer(c, "an integer or a label")


# The text of an intermediate language (manual 11.5.6): one token from .source_begin to .source_end, each alone on its line.


def intermediate_source(c: Cursor) -> IntermediateSource:
    """`.nv_intermediate_source_section { .code_block { ... } }`."""
    source = c.source(c.i)
    c.i += 1
    c.expect("{", ".nv_intermediate_source_section")
    blocks = []
    while c.texts[c.i] == ".code_block":
        blocks.append(_code_block(c))
    c.expect("}", "the last .code_block")
    return IntermediateSource(tuple(blocks), source)


def _code_block(c: Cursor) -> CodeBlock:
    source = c.source(c.i)
    c.i += 1
    c.expect("{", ".code_block")
    _field(c, ".ir_name")
    name = _string(c)
    _field(c, ".sourceFileName")
    if not c.texts[c.i][0].isdigit():
        raise c.unexpected("the number of a .file")
    file = integer(c, "the number of a .file")
    text = c.texts[c.i]
    if not text.startswith(".source_begin"):
        raise c.unexpected(".source_begin", at=c.i)
    if "\n" not in text or text.rpartition("\n")[2].strip() != ".source_end":
        raise c.unexpected(
            ".source_begin and .source_end, each on a line of its own",
            message="the text behind .source_begin has no end",
        )
    c.i += 1
    c.expect("}", ".source_end")
    return CodeBlock(name, file, tuple(line.rstrip("\r") for line in text.split("\n")[1:-1]), source)


def _field(c: Cursor, name: str) -> None:
    """`name:`, written together."""
    if c.texts[c.i] != name or c.tokens.starts[c.i + 1] != c.tokens.starts[c.i] + len(name):
        raise c.unexpected(f"{name}:", at=c.i)
    c.i += 1
    c.expect(":", name)
