"""`ptxgen demo`: every kernel of the library, from its Python function to a replayed graph, on this machine."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ptxgen.cli import show
from ptxgen.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.text import Text

    from ptxgen.host import Device
    from ptxgen.kernels import Variant
    from ptxgen.kernels.cases import Case, Outcome

__all__ = ["chosen", "demo"]

RUNS = 5  # of which the fastest counts


class DemoRow(NamedTuple):
    """What one variant did. Times in ms: `load` builds and loads, `run` launches and waits.

    `error` is the largest absolute error of the launch and the replayed graph, `allowed` the largest part (at most 1) of
    what the kernel's tolerance allows there. No `problem`: all is well.
    """

    kernel: str
    lines: int | None = None
    emit: float | None = None
    cubin: int | None = None
    load: float | None = None
    run: float | None = None
    error: float | None = None
    allowed: float | None = None
    problem: str | None = None


@click.command()
@click.argument("kernels", nargs=-1)
@click.option(
    "--device", "place", help="cpu, cpu:sm_80, cuda or cuda:1. [default: PTXGEN_DEVICE, else the GPU, else the CPU]"
)
@click.option("--json", "json_", is_flag=True, help="The same as JSON.")
def demo(kernels: tuple[str, ...], place: str | None, json_: bool) -> None:
    """Emit, verify, assemble, load, launch, capture and replay each kernel of the library, and compare with numpy.

    Without KERNELS, all that the device's target has; else those named, such as `saxpy` or `softmax/f16`. Exit status 1 if
    anything is wrong.
    """
    from ptxgen.host import device

    found = chosen(kernels)
    dev = device(place)
    variants = [variant for variant in found if kernels or dev.target not in variant.absent]
    tool, without = _assembler(dev.target)
    if not json_:
        click.echo(f"device: {dev.name}, {dev.handle.name}; kernels are built for {dev.target}{_why(place, dev)}")
        click.echo(f"assembler: {tool or without}")
    rows = _all(variants, dev, assembling=tool is not None, quiet=json_)
    failed = [row for row in rows if row.problem]
    if json_:
        about = {"name": dev.name, "product": dev.handle.name, "target": dev.target}
        show.as_json({"device": about, "assembler": tool, "ok": not failed, "kernels": [row._asdict() for row in rows]})
    else:
        _print(rows)
        for row in failed:
            click.echo(f"{click.style('wrong', fg='red', bold=True)}: {row.kernel}: {row.problem}")
        click.echo(f"{len(rows) - len(failed)} of {len(rows)} kernels are right on {dev.name} ({dev.handle.name})")
    if failed:
        raise SystemExit(1)


def chosen(names: Sequence[str]) -> list[Variant]:
    """The variants of the library that these names mean, families or single ones; all for none."""
    from ptxgen.kernels import CATALOGUE

    everything = [variant for variants in CATALOGUE.values() for variant in variants]
    for name in names:
        if not any(name in (variant.family, variant.label) for variant in everything):
            raise click.UsageError(f"no kernel {name!r} in the library; there are {', '.join(CATALOGUE)}")
    return [variant for variant in everything if not names or variant.family in names or variant.label in names]


def _assembler(target: str) -> tuple[str | None, str]:
    """The tool that will be used, or None and why there is none."""
    from ptxgen.assembler import assemblers

    found = assemblers()
    for tool in found:
        if tool.available and target in tool.targets:
            return str(tool), ""
    return None, "none: " + "; ".join(f"{tool} {tool.reason or f'does not know {target}'}" for tool in found)


def _why(place: str | None, dev: Device) -> str:
    """Why the CPU device was taken where the choice was open."""
    import os

    import driver_ctypes

    if place or os.environ.get("PTXGEN_DEVICE") or dev.kind != "cpu":
        return ""
    reason = driver_ctypes.diagnose("cuda").problem or "no GPU"
    return f" (no GPU was found: {reason.splitlines()[0]})"


def _all(variants: Sequence[Variant], dev: Device, *, assembling: bool, quiet: bool) -> list[DemoRow]:
    from rich.console import Console

    rows = []
    console = Console(stderr=True)
    with nullcontext() if quiet or not console.is_terminal else console.status("") as status:
        for variant in variants:
            if status is not None:
                status.update(variant.label)
            rows.append(_one(variant, dev, assembling=assembling))
    return rows


def _one(variant: Variant, dev: Device, *, assembling: bool) -> DemoRow:
    row = DemoRow(variant.label)
    try:
        for step in (_emit, _assemble, _launch, _replay):
            if step is not _assemble or assembling:
                row = _worse(row, step(variant, dev))
    except Error as error:
        if dev.context.poisoned is not None:
            dev.reset()
        return row._replace(problem=str(error))
    return row


def _worse(row: DemoRow, found: dict[str, Any]) -> DemoRow:
    """The row with what a step found: of two errors the larger, of two problems the first."""
    if row.error is not None and "error" in found:
        found = {key: max(getattr(row, key), found[key]) for key in ("error", "allowed")} | {
            "problem": row.problem or found["problem"]
        }
    return row._replace(**found)


def _emit(variant: Variant, dev: Device) -> dict[str, Any]:
    """Trace, verify and print; timed when the table's chapters are loaded."""
    text = str(variant.module(dev.target, strict=True))
    seconds = min(_timed(lambda: str(variant.module(dev.target, strict=True)))[0] for _ in range(RUNS))
    return {"lines": text.count("\n"), "emit": 1e3 * seconds}


def _assemble(variant: Variant, dev: Device) -> dict[str, Any]:
    from ptxgen.assembler import assemble

    return {"cubin": len(assemble(str(variant.module(dev.target)), dev.target, name=f"{variant.label}.ptx").cubin)}


def _launch(variant: Variant, dev: Device) -> dict[str, Any]:
    """Load, launch, compare; then the time of a launch."""
    case = variant.case()
    arrays, plan = case.on(dev)
    seconds, _ = _timed(lambda: plan.kernel.on(dev))
    plan.launch()
    run = min(_launch_time(case, dev) for _ in range(RUNS))
    return {"load": 1e3 * seconds, "run": 1e3 * run, **_judged(case.compare(arrays), "the launch")}


def _launch_time(case: Case, dev: Device) -> float:
    """Seconds of a launch on arrays of its own: kernels change what they are given, and some need zeros there."""
    _arrays, plan = case.on(dev)
    launch = plan.bind(dev)
    dev.synchronize()

    def once() -> None:
        launch()
        dev.synchronize()

    return _timed(once)[0]


def _replay(variant: Variant, dev: Device) -> dict[str, Any]:
    """The same launch captured in a graph, replayed on new arrays' contents."""
    case = variant.case(seed=1)
    arrays, plan = case.on(dev)
    with dev.capture() as graph:
        plan.launch()
    graph.launch()
    outcome = case.compare(arrays)
    graph.close()
    return _judged(outcome, "the replayed graph")


def _judged(outcome: Outcome, what: str) -> dict[str, Any]:
    problem = None
    if not outcome.passed:
        problem = f"{what} is wrong: largest error {outcome.error:.3g}, {outcome.part:.3g} times what is allowed"
    return {"error": outcome.error, "allowed": outcome.part, "problem": problem}


def _timed(action: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = action()
    return time.perf_counter() - began, result


def _print(rows: Sequence[DemoRow]) -> None:
    from rich.text import Text

    def cells(row: DemoRow) -> list[str | Text]:
        verdict = Text("wrong", "bold red") if row.problem else Text("ok", "green")
        return [
            row.kernel, _number(row.lines, "d"), _number(row.emit, ".2f"), _number(row.cubin, "d"), _number(row.load, ".1f"),
            _number(row.run, ".3f"), _number(row.error, ".1e"), _number(row.allowed, ".0%"), verdict,
        ]  # fmt: skip

    columns = ("kernel", "PTX lines", "emit ms", "cubin bytes", "load ms", "run ms", "error", "of allowed", "verdict")
    show.table(columns, [cells(row) for row in rows], right=columns[1:8])


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form) if value else "0"
