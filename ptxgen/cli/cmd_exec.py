"""`ptxgen exec`: run a CUDA program on the CPU device, and say what it launched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptxgen.isa.products import PLAIN, find_product

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.record import Ran

__all__ = ["exec"]


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--device", "place", metavar="NAME", help="cpu, or cpu:sm_90a: the CPU device of a target. [default: cpu]"
)
@click.option("--devices", type=click.IntRange(1, 64), help="How many devices the program sees. [default: 1]")
@click.option(
    "--sanitize",
    "tools",
    metavar="TOOLS",
    help="Watch every launch with tools of the sanitizer, or all: memcheck,racecheck. Exit status 1 if they find anything, or "
    "a kernel faults.",
)
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write what ran to a file, as JSON.")
@click.option("--quiet", is_flag=True, help="Say nothing at the end.")
def exec(
    command: tuple[str, ...],
    place: str | None,
    devices: int | None,
    tools: str | None,
    report: Path | None,
    quiet: bool,
) -> None:
    """Run COMMAND with a libcuda.so.1 that runs kernels on the CPU, and say at the end what it launched.

    \b
    ptxgen exec -- python vecadd.py
    ptxgen exec --devices 2 -- ./program --its-option
    ptxgen exec --sanitize racecheck -- python -m pytest tests

    The exit status is the program's; with --sanitize 1 where that is 0 and there were findings, or kernels that faulted.
    """
    from ptxgen.emulated_driver.state.record import read_records
    from ptxgen.shim.environment import environment_for, library_folder
    from ptxgen.shim.process import REPORT

    environment = environment_for(library_folder(), os.environ)
    if place is not None:
        environment["PTXGEN_CPU_CAPABILITY"] = _capability(place)
    if devices is not None:
        environment["PTXGEN_CPU_DEVICES"] = str(devices)
    if tools is not None:
        environment["PTXGEN_SANITIZE"] = _tools(tools)
    with tempfile.TemporaryDirectory(prefix="ptxgen-exec-") as folder:
        environment[REPORT] = folder
        try:
            status = _ended(subprocess.Popen(command, env=environment))
        except OSError as error:
            raise click.UsageError(f"{command[0]}: {error.strerror}") from None
        except KeyboardInterrupt:  # the program has got it too
            status = 130
        ran = read_records(Path(folder))
    status = status if status >= 0 else 128 - status
    if report is not None:
        report.write_text(json.dumps({"status": status, **ran.as_dict()}, indent=2) + "\n", "utf-8")
    if not quiet:
        _say(ran)
    sys.exit(status or int(bool(ran.findings or (environment.get("PTXGEN_SANITIZE") and ran.faults))))


def _ended(program: subprocess.Popen[bytes]) -> int:
    """The program's status. What is to end this process, as CI does that cancels a job, ends the program."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, lambda number, _frame: program.send_signal(number))
    return program.wait()


def _tools(text: str) -> str:
    """What PTXGEN_SANITIZE is for `--sanitize`."""
    from ptxgen.cpu.sanitizer.tools import TOOLS, chosen_tools

    try:
        return ",".join(TOOLS if text == "all" else sorted(chosen_tools(text.split(","))))
    except ValueError as error:
        raise click.UsageError(f"--sanitize {text}: {error}") from None


def _capability(place: str) -> str:
    """What the driver is told of a device such as cpu:sm_90a."""
    kind, _, target = place.partition(":")
    try:
        if kind != "cpu":
            raise ValueError("cpu, or cpu: and a target such as sm_90a")
        product = find_product(target) if target else PLAIN
    except ValueError as error:
        raise click.UsageError(f"--device {place}: {error}") from None
    return "{}.{}".format(*product.capability)


def _say(ran: Ran) -> None:
    of = f" in {ran.processes} processes" if ran.processes > 1 else ""
    click.echo(f"ptxgen exec: {sum(ran.launches.values())} launches of {len(ran.launches)} kernels{of}", err=True)
    for texts in (ran.refused, ran.faults):
        for kernel, text in texts.items():
            click.echo(f"ptxgen exec: {kernel}: {text}", err=True)
    for text in ran.findings:
        click.echo(text, err=True)
