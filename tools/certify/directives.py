"""Directives and targets against the assembler.

Each directive's example at its version and target and just below; where it may not stand; its arguments at their bounds and
beyond; what it needs and excludes. Each target at its first version and before; the static shared memory that it allows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.assembler import nvjitlink
from ptxgen.isa.directives import directives
from ptxgen.isa.targets import TARGETS, VERSIONS
from tools.certify.modules import Case, Outcome, ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.isa.directives import DirectiveForm
    from ptxgen.isa.targets import Target
    from tools.certify.verdicts import Tool

__all__ = ["certify_directives", "certify_targets"]


def certify_directives(tool: Tool, *, everywhere: bool = True) -> Outcome:
    """Ask about every directive; `everywhere`: on every target, not only where it begins and just below."""
    cases: list[Case] = []
    for row in directives():
        cases += _cases(tool, row, everywhere)
    return ask(tool, cases)


def _first(tool: Tool, row: DirectiveForm) -> tuple[tuple[int, int], Target]:
    target = next(t for t in tool.targets if t.provides(row.since.sm, row.since.suffix))
    return max(row.since.version, target.since), target


def _cases(tool: Tool, row: DirectiveForm, everywhere: bool) -> Iterator[Case]:
    version, target = _first(tool, row)
    if row.example:
        yield from _edges(tool, row, everywhere)
    if row.places[0] in ("entry", "func"):
        yield from _functions(row, version, target)
        yield from _counts(row, version, target)
        yield from _company(row, version, target)
    if row.places[0] == "pragma":
        yield from _pragmas(row, version, target)
    if row.places == ("target",) and row.excludes:
        both = f", {row.excludes[0]}, {row.name}"
        yield Case("", version, target, False, f".target{both}", both)
    if row.spaces == ("global",):
        yield from _spaces(row, version, target)


def _edges(tool: Tool, row: DirectiveForm, everywhere: bool) -> Iterator[Case]:
    """Accepted at the minimum, at the newest version and on every target that has it; refused below and elsewhere."""
    version, target = _first(tool, row)
    options = f", {row.name}" if row.places == ("target",) else ""
    if ".samplerref" in row.example:
        options = ", texmode_independent"

    def case(at: tuple[int, int], on: Target, legal: bool) -> Case:
        whole = row.name == "debug"  # whether there is debugging data is seen at the end
        return Case(row.example, at, on, legal, f"{row.name}: {row.example.strip()}", options, whole=whole)

    yield case(version, target, True)
    yield case(tool.versions[-1], target, True)
    earlier = [v for v in tool.versions if v < row.since.version and v >= target.since]
    if earlier:
        yield case(earlier[-1], target, False)
    below = [t for t in tool.targets if not t.provides(row.since.sm, row.since.suffix)]
    for each in tool.targets if everywhere else below[-1:]:
        yield case(tool.versions[-1], each, each.provides(row.since.sm, row.since.suffix))


def _heads(row: DirectiveForm, arguments: str | None = None) -> str:
    """The directive as a function's head has it, with what it needs beside it."""
    written = _arguments(row) if arguments is None else arguments
    needed = {".reqntid": ".reqntid 32", ".reqnctapercluster": ".reqnctapercluster 2"}
    return " ".join([*(needed[name] for name in row.needs), f"{row.name} {written}".strip()]) + (
        ";" if row.name == ".pragma" else ""
    )


def _arguments(row: DirectiveForm) -> str:
    if row.name == ".pragma":
        return '"nounroll"'
    return str(max(row.allowed[0], 2)) if row.arguments[1] else ""


def _functions(row: DirectiveForm, version: tuple[int, int], target: Target) -> Iterator[Case]:
    """On a kernel, on a device function and on a prototype."""
    if row.until is not None:
        return
    for place, text in (
        ("entry", ".visible .entry k() {head} {{ ret; }}\n"),
        ("func", ".visible .func k() {head} {{ ret; }}\n"),
    ):
        legal = place in row.places
        yield Case(text.format(head=_heads(row)), version, target, legal, f"{row.name} on .{place}")


def _counts(row: DirectiveForm, version: tuple[int, int], target: Target) -> Iterator[Case]:
    """One argument too few and too many; the bounds, and one beyond."""
    if row.until is not None or row.name in (".pragma",):
        return
    kind = "entry" if "entry" in row.places else "func"
    least, most = row.arguments
    low, high = row.allowed

    def case(arguments: str, legal: bool) -> Case:
        text = f".visible .{kind} k() {_heads(row, arguments)} {{ ret; }}\n"
        return Case(text, version, target, legal, f"{row.name} {arguments}")

    if not most:
        yield case("1", False)
        return
    for count in range(min(most, 4) + 2):
        yield case(", ".join([str(max(low, 2))] * count), least <= count <= most)
    yield case(str(low), True)
    yield case(str(high), True)
    yield case(str(high + 1), False)
    if low:
        yield case(str(low - 1), False)


def _company(row: DirectiveForm, version: tuple[int, int], target: Target) -> Iterator[Case]:
    for other in row.excludes:
        text = f".visible .entry k() {row.name} 2 {other} 2 {{ ret; }}\n"
        yield Case(text, version, target, False, f"{row.name} with {other}")
    for missing in row.needs:
        left = [name for name in row.needs if name != missing]
        head = " ".join([*(f"{name} 2" for name in left), row.name])
        yield Case(f".visible .entry k() {head} {{ ret; }}\n", version, target, False, f"{row.name} without {missing}")


def _pragmas(row: DirectiveForm, version: tuple[int, int], target: Target) -> Iterator[Case]:
    """At module, kernel and statement level; with and without an argument."""
    word = re.sub(r" \w+$", " 7", row.syntax.strip('"'))
    for place, text in (
        ("module", '.pragma "{word}";\n.visible .entry k() {{ ret; }}\n'),
        ("entry", '.visible .entry k() .pragma "{word}"; {{ ret; }}\n'),
        ("body", '.visible .entry k() {{ .pragma "{word}"; ret; }}\n'),
    ):
        yield Case(text.format(word=word), version, target, place in row.places, f'.pragma "{word}" at {place} level')
    if row.arguments[1] and row.name == "frequency":
        text = '.visible .entry k() {{ .pragma "{word}"; ret; }}\n'
        yield Case(text.format(word=f"{row.name} -1"), version, target, False, f'.pragma "{row.name} -1"', whole=True)
        yield Case(text.format(word=row.name), version, target, False, f'.pragma "{row.name}"', whole=True)


def _spaces(row: DirectiveForm, version: tuple[int, int], target: Target) -> Iterator[Case]:
    for space in ("global", "const", "shared"):
        name = row.syntax.replace("uuid1", "1").replace("uuid2", "2")
        text = f"{name} .{space} .b32 v;\n" if row.name == ".common" else f".{space} .attribute({name}) .b32 v;\n"
        yield Case(text, version, target, space in row.spaces, f"{row.name} on .{space}")


# ---- targets ---------------------------------------------------------------------------------------------------------


def certify_targets(tool: Tool) -> Outcome:
    """Every target that the tool knows: its first version and the one before; static shared memory; parameters."""
    cases: list[Case] = []
    for target in tool.targets:
        cases += _target(tool, target)
    outcome = ask(tool, cases)
    _, names = nvjitlink.about(tool.path)
    missing = [f"{name} is taken by the assembler and is not in the table" for name in names if name not in TARGETS]
    return outcome._replace(unexplained=[*outcome.unexplained, *missing])


def _target(tool: Tool, target: Target) -> Iterator[Case]:
    newest = tool.versions[-1]
    empty = ".visible .entry k() { ret; }\n"
    yield Case(empty, target.since, target, True, target.name)
    earlier = [v for v in VERSIONS if v < target.since]
    if earlier:
        yield Case(empty, earlier[-1], target, False, target.name)
    for size, legal in ((target.shared_static, True), (target.shared_static + 1, False)):
        text = f".visible .entry k() {{ .shared .align 1 .b8 s[{size}]; .reg .b32 r; mov.b32 r, s; st.shared.b8 [r], r; ret; }}\n"
        yield Case(text, newest, target, legal, f"{size} bytes of shared memory", whole=True)
    limit = target.parameter_bytes(newest)
    for size, legal in ((limit, True), (limit + 1, False)):
        text = f".visible .entry k(.param .align 1 .b8 p[{size}]) {{ ret; }}\n"
        yield Case(text, newest, target, legal, f"{size} bytes of parameters", whole=True)
