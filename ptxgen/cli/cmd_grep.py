"""`ptxgen grep`: the instructions of programs that fit a pattern."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import settings_option, target_option
from ptxgen.dataflow.patterns.notation import read_pattern
from ptxgen.dataflow.patterns.operands import PatternError
from ptxgen.dataflow.patterns.search import EFFECT_WORDS, SPACE_WORDS
from ptxgen.dataflow.patterns.search import grep as search
from ptxgen.errors import Error, PtxWarning
from ptxgen.isa.notation import TRAITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.dataflow.patterns.search import PatternMatch
    from ptxgen.errors import Location
    from ptxgen.ir import Module

__all__ = ["grep"]

_STDIN = "-"


@click.command()
@click.argument("pattern")
@click.argument("programs", nargs=-1, metavar="[PROGRAM...]")
@click.option(
    "--effect", type=click.Choice(list(EFFECT_WORDS)), metavar="EFFECT", help=f"Only: {', '.join(EFFECT_WORDS)}."
)
@click.option("--kind", type=click.Choice(list(TRAITS)), metavar="KIND", help=f"Only: {', '.join(TRAITS)}.")
@click.option(
    "--space", type=click.Choice(SPACE_WORDS), metavar="SPACE", help=f"Only accesses of: {', '.join(SPACE_WORDS)}."
)
@settings_option
@target_option
@click.option("-c", "--count", is_flag=True, help="Only how many there are in each program.")
@click.option("--json", "json_", is_flag=True, help="The matches, with what names stand for, as JSON.")
@click.pass_context
def grep(
    ctx: click.Context,
    pattern: str,
    programs: tuple[str, ...],
    effect: str | None,
    kind: str | None,
    space: str | None,
    settings: dict[str, str],
    target: str | None,
    version: str,
    count: bool,
    json_: bool,
) -> None:
    """Print the instructions of each PROGRAM that fit PATTERN, with their places, functions and source lines.

    \b
    ptxgen grep 'ld.global.*.f32' kernel.ptx
    ptxgen grep 'mul.*.f32 $a,$b,$c; add.*.f32 $d,$a,$e' build/     a product that is added
    ptxgen grep '*' --effect writes --space global saxpy/f32

    A name is opcode and modifiers, `*` any number of modifiers, an opcode alone each of its forms. `$a` stands for one operand,
    and for its value in what follows a `;`. PROGRAM may be a folder, whose *.ptx are read, or -, the standard input (also
    where none is given).

    Exit status 0 when something was found, 1 when nothing was, 2 when a program could not be read.
    """
    try:
        steps = read_pattern(pattern)
    except PatternError as wrong:
        raise click.UsageError(str(wrong), ctx) from None
    found: list[tuple[str, list[PatternMatch]]] = []
    failed = False
    for program in _each_file(programs or (_STDIN,)):
        try:
            module = _module(program, settings, target, version)
        except (Error, OSError, click.UsageError) as wrong:
            failed = True
            click.echo(f"{click.style('error', fg='red', bold=True)}: {_told(wrong)}", err=True)
            continue
        matches = list(search(module, pattern, effect=effect, kind=kind, space=space))
        found.append((program, matches))
        if count and not json_:
            click.echo(f"{program}:{len(matches)}" if len(programs) != 1 or program != programs[0] else len(matches))
        elif not json_:
            _print(matches, apart=len(steps) > 1)
    if json_:
        show.as_json([_plain(program, match) for program, matches in found for match in matches])
    ctx.exit(2 if failed else 0 if any(matches for _, matches in found) else 1)


def _each_file(programs: Sequence[str]) -> Iterator[str]:
    for program in programs:
        if Path(program).is_dir():
            yield from (str(path) for path in sorted(Path(program).rglob("*.ptx")) if path.is_file())
        else:
            yield program


def _module(program: str, settings: dict[str, str], target: str | None, version: str) -> Module:
    """A program's module, which need not be legal. A file keeps its own target."""
    if program == _STDIN:
        from ptxgen.text import parse
        from ptxgen.text.files import source_text

        return parse(source_text(sys.stdin.buffer.read(), "<stdin>"), name="<stdin>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PtxWarning)
        own = program.endswith(".ptx")
        return find(program, {} if own else settings).build(None if own else target, "auto" if own else version)


def _told(wrong: Exception) -> str:
    return wrong.format_message() if isinstance(wrong, click.UsageError) else str(wrong)


def _print(matches: Sequence[PatternMatch], *, apart: bool) -> None:
    for match in matches:
        for text, places in zip(match.texts, match.places):
            # Of a template, the line that was written and not the one that came of it.
            shown = [place for place in places if place.kind != "ptx"] if _is_rendered(places) else places
            first, *others = [f"{place.file}:{place.line}" for place in shown] or ["?"]
            where, source = click.style(first, fg="cyan"), ", ".join(others)
            behind = click.style(f"  // {source}", dim=True) if source else ""
            click.echo(f"{where}: {match.function}: {text}{behind}")
        if apart:
            click.echo("--")


def _is_rendered(places: Sequence[Location]) -> bool:
    return any(place.kind == "template" for place in places)


def _plain(program: str, match: PatternMatch) -> dict[str, Any]:
    return {
        "program": program,
        "function": match.function,
        "instructions": [
            {"text": text, "places": [_place(place) for place in places]}
            for text, places in zip(match.texts, match.places)
        ],
        "bindings": match.bindings,
    }


def _place(place: Location) -> dict[str, Any]:
    return {"kind": place.kind, "file": place.file, "line": place.line, "column": place.column}
