"""`ptxgen exec`: run a CUDA program on the CPU device, and say what it launched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import click

from ptxgen.isa.products import PLAIN, find_product

__all__ = ["exec"]


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--device", "place", metavar="NAME", help="cpu, or cpu:sm_90a: the CPU device of a target. [default: cpu]"
)
@click.option("--devices", type=click.IntRange(1, 64), help="How many devices the program sees. [default: 1]")
@click.option("--sanitize", metavar="TOOLS", help="memcheck, racecheck, ...: look for mistakes while it runs.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write what ran to a file, as JSON.")
@click.option("--quiet", is_flag=True, help="Say nothing at the end.")
def exec(
    command: tuple[str, ...],
    place: str | None,
    devices: int | None,
    sanitize: str | None,
    report: Path | None,
    quiet: bool,
) -> None:
    """Run COMMAND with a libcuda.so.1 that runs kernels on the CPU, and say at the end what it launched.

    \b
    ptxgen exec -- python vecadd.py
    ptxgen exec --devices 2 -- ./program --its-option

    The exit status is the program's.
    """
    from ptxgen.shim.environment import environment_for, library_folder
    from ptxgen.shim.process import REPORT

    environment = environment_for(library_folder(), os.environ)
    if place is not None:
        environment["PTXGEN_CPU_CAPABILITY"] = _capability(place)
    if devices is not None:
        environment["PTXGEN_CPU_DEVICES"] = str(devices)
    if sanitize is not None:
        environment["PTXGEN_SANITIZE"] = sanitize
    with tempfile.TemporaryDirectory(prefix="ptxgen-exec-") as folder:
        environment[REPORT] = folder
        try:
            status = subprocess.call(command, env=environment)
        except OSError as error:
            raise click.UsageError(f"{command[0]}: {error.strerror}") from None
        except KeyboardInterrupt:  # the program has got it too
            status = 130
        found = _together([json.loads(each.read_text("utf-8")) for each in sorted(Path(folder).glob("*.json"))])
    if report is not None:
        report.write_text(json.dumps({"status": status, **found}, indent=2) + "\n", "utf-8")
    if not quiet:
        _say(found)
    sys.exit(status if status >= 0 else 128 - status)


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


def _together(processes: list[dict[str, Any]]) -> dict[str, Any]:
    launches: Counter[str] = Counter()
    refused: dict[str, str] = {}
    faults: dict[str, str] = {}
    for each in processes:
        launches.update(each["launches"])
        refused |= each["refused"]
        faults |= each["faults"]
    return {"processes": len(processes), "launches": dict(launches), "refused": refused, "faults": faults}


def _say(found: dict[str, Any]) -> None:
    launches = found["launches"]
    of = f" in {found['processes']} processes" if found["processes"] > 1 else ""
    click.echo(f"ptxgen exec: {sum(launches.values())} launches of {len(launches)} kernels{of}", err=True)
    for what in ("refused", "faults"):
        for kernel, text in found[what].items():
            click.echo(f"ptxgen exec: {kernel}: {text}", err=True)
