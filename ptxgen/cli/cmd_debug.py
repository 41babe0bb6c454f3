"""`ptxgen debug`: a launch on the CPU device under the debugger."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING

import click

from ptxgen.cli.find import find
from ptxgen.cli.launching import argument_values, block_of, shape_options, shared_option
from ptxgen.cli.options import settings_option
from ptxgen.host.argument_text import FORMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.debugger import Session
    from ptxgen.debugger.commands import Commands

__all__ = ["debug", "start"]


@click.command(
    context_settings={"ignore_unknown_options": True},  # -1 is a number
    epilog=f"\b\nARGUMENTS are\n{FORMS}\n\n\b\nptxgen debug saxpy.py 1000 2.0 x.npy zeros:f32:1000 --grid 4 --break 12",
)
@click.argument("program")
@click.argument("arguments", nargs=-1)
@settings_option
@shape_options
@shared_option
@click.option("--device", "place", default="cpu", show_default=True, help="cpu, or cpu:sm_80, ...")
@click.option("--break", "places", multiple=True, metavar="WHERE", help="A breakpoint, as after the command `break`.")
@click.option(
    "--command", "-c", "commands", multiple=True, metavar="TEXT", help="A command to begin with; may be repeated."
)
@click.option("--batch", is_flag=True, help="End behind these; exit status 1 if one of them was an error.")
@click.option("--ptx", is_flag=True, help="Step by line of the PTX.")
@click.option(
    "--history", default=1 << 30, show_default=True, type=click.IntRange(0),
    help="Bytes of device memory that are copied, so that the launch can go back.",
)  # fmt: skip
def debug(
    program: str,
    arguments: tuple[str, ...],
    settings: dict[str, str],
    grid: tuple[int, ...],
    block: tuple[int, ...] | None,
    shared: int,
    place: str,
    places: tuple[str, ...],
    commands: tuple[str, ...],
    batch: bool,
    ptx: bool,
    history: int,
) -> None:
    """Launch the kernel of PROGRAM with ARGUMENTS under the debugger: breakpoints, steps by line, registers of a warp,
    watchpoints, and back to an earlier step.

    It stops before the first instruction and reads commands, from a file or a pipe too; `help` lists them. Their names are those
    of gdb.
    """
    from ptxgen.debugger.commands import Commands

    with start(program, arguments, settings, grid, block, shared, place, history) as session:
        session.ptx = session.ptx or ptx
        reader = Commands(session, sys.stdout, _source(batch))
        reader.told(session.stop)
        _begin(reader, session, [*(f"break {each}" for each in places), *commands])
        if not batch:
            _read(reader)
    if reader.failed and batch:
        raise SystemExit(1)


def start(
    program: str, arguments: tuple[str, ...], settings: dict[str, str], grid: tuple[int, ...], block: tuple[int, ...] | None,
    shared: int, place: str, history: int | None,
) -> Session:  # fmt: skip
    """The session of a launch, as the command describes it."""
    from ptxgen.debugger import debug as started
    from ptxgen.debugger.session import HISTORY
    from ptxgen.host import device

    dev = device(place)
    if dev.kind != "cpu":
        raise click.UsageError("the debugger is that of the CPU device: --device cpu, or cpu:sm_80")
    found = find(program, settings)
    kernel = found.load(dev)
    names = [name for name, _, _ in kernel.parameters]
    values = tuple(argument_values(found, names, arguments, dev))
    most = HISTORY if history is None else history
    block = block_of(kernel.entry, block)
    return started(kernel.launch, grid, block, values, shared=shared or None, history=most)


def _source(batch: bool) -> IO[str] | None:
    """Where commands come from: a terminal, with its editing and history, where there is one."""
    if batch or not sys.stdin.isatty():
        return sys.stdin
    with suppress(ImportError):  # not everywhere
        import readline

        readline.set_completer_delims(" \t\n+*/[]()=,")  # names have % and -
    return None


def _begin(reader: Commands, session: Session, commands: Sequence[str]) -> None:
    for each in commands:
        reader.say(f"{reader.prompt}{each}")
        if reader.onecmd(reader.precmd(each)):
            return


def _read(reader: Commands) -> None:
    """Until `quit` or the end of the input. An interrupt ends what a command does, not the session."""
    while True:
        try:
            reader.cmdloop()
            return
        except KeyboardInterrupt:
            reader.say("interrupted; `quit` ends the session")
