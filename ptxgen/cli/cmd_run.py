"""`ptxgen run`: launch a kernel once, on files and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.launching import argument_values, block_of, outputs, shape_options, shared_option, watched
from ptxgen.cli.options import settings_option
from ptxgen.host.argument_text import FORMS

if TYPE_CHECKING:
    from ptxgen.cpu.profiler.counts import Counts, LaunchCounts
    from ptxgen.host import Array, Device, KernelHandle

__all__ = ["run"]


@click.command(
    context_settings={"ignore_unknown_options": True},  # -1 is a number
    epilog=f"\b\nARGUMENTS are\n{FORMS}\n\n\b\nptxgen run saxpy.py 1000 2.0 x.npy zeros:f32:1000 --grid 4 --out y=y.npy",
)
@click.argument("program")
@click.argument("arguments", nargs=-1)
@settings_option
@shape_options
@shared_option
@click.option(
    "--device", "place", help="cpu, cpu:sm_80, cuda or cuda:1. [default: PTXGEN_DEVICE, else the GPU, else the CPU]"
)
@click.option(
    "--out",
    multiple=True,
    metavar="ARG=FILE",
    help="Write an array afterwards, as .npy, or as a picture .png; ARG is its name or its number from 0.",
)
@click.option(
    "--sanitize",
    "tools",
    metavar="TOOLS",
    help="Watch the launch on the CPU device with tools of the sanitizer, or all: memcheck,racecheck. Exit status 1 if they "
    "find anything.",
)
@click.option("--profile", is_flag=True, help="Count what the launch on the CPU device does, by line of source.")
@click.option("--json", "json_", is_flag=True, help="The device, the launch and the arguments afterwards, as JSON.")
def run(
    program: str,
    arguments: tuple[str, ...],
    settings: dict[str, str],
    grid: tuple[int, ...],
    block: tuple[int, ...] | None,
    shared: int,
    place: str | None,
    out: tuple[str, ...],
    tools: str | None,
    profile: bool,
    json_: bool,
) -> None:
    """Launch the kernel of PROGRAM with ARGUMENTS, and print its arrays or write them to files."""
    from contextlib import nullcontext

    from ptxgen.host import device
    from ptxgen.host.profiling import profile as counted

    dev = device(place)
    found = find(program, settings)
    kernel = found.load(dev)
    block = block_of(kernel.entry, block)
    names = [name for name, _, _ in kernel.parameters]
    if profile and dev.kind != "cpu":
        raise click.UsageError("--profile counts on the CPU device: add --device cpu")
    with watched(dev, tools) as watch, counted() if profile else nullcontext() as counts:
        values = argument_values(found, names, arguments, dev)
        files = outputs(out, names)
        for index in files:
            if index < len(values) and isinstance(values[index], (int, float, bytes)):
                raise click.UsageError(f"--out {names[index]}={files[index]}: that argument is no array")
        kernel.launch(grid, block, tuple(values), shared=shared)
        dev.synchronize()
    for index, path in files.items():
        _save(path, values[index])
    findings = list(map(str, watch.findings)) if watch is not None else []
    if json_:
        rows = [_plain(name, value, files.get(i)) for i, (name, value) in enumerate(zip(names, values))]
        launch = {"grid": grid, "block": block, "shared": shared}
        told = {"device": _about(dev), "kernel": kernel.entry.name, "launch": launch, "arguments": rows}
        told |= {} if watch is None else {"findings": findings}
        told |= {} if counts is None else {"profile": [launch.to_dict() for launch in counts.launches]}
        show.as_json(told)
    else:
        _print(kernel, dev, grid, block, list(zip(names, values)), files)
        for each in counts.launches if counts is not None else ():
            _print_counts(each)
        for finding in findings:
            click.echo(finding, err=True)
    if findings:
        raise SystemExit(1)


def _save(path: str, array: Array) -> None:
    import numpy

    if path.endswith(".png"):
        from ptxgen.resources.image import write_png

        write_png(path, array.numpy())
        return
    with open(path, "wb") as file:  # numpy.save would add .npy to a name that lacks it
        numpy.save(file, array.numpy())


def _about(dev: Device) -> dict[str, str]:
    return {"name": dev.name, "product": dev.handle.name, "target": dev.target}


def _plain(name: str, value: Any, path: str | None) -> dict[str, Any]:
    if isinstance(value, (int, float)):
        return {"name": name, "value": value}
    if isinstance(value, bytes):
        return {"name": name, "value": value.hex()}
    return {"name": name, "type": value.type.name, "shape": list(value.shape), "file": path}


def _print(
    kernel: KernelHandle,
    dev: Device,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    values: list[tuple[str, Any]],
    files: dict[int, str],
) -> None:
    about = _about(dev)
    click.echo(
        f"{kernel.entry.name} on {about['name']} ({about['product']}, {about['target']}), "
        f"grid {'x'.join(map(str, grid))}, block {'x'.join(map(str, block))}"
    )
    rows = []
    for index, (name, value) in enumerate(values):
        if isinstance(value, (int, float)):
            rows.append((str(index), name, "", str(value), ""))
        elif isinstance(value, bytes):
            rows.append((str(index), name, f"{len(value)} bytes", value.hex(), ""))
        else:
            kind = f"{value.type.name}[{'x'.join(map(str, value.shape))}]"
            rows.append((str(index), name, kind, _shortened(value), files.get(index, "")))
    show.table(("", "argument", "type", "afterwards", "written to"), rows)


def _print_counts(launch: LaunchCounts) -> None:
    """By line of source, and all together."""
    columns = ("line", "source", "instr.", "warps", "lanes", "divergent", "sectors", "of", "wavefronts", "of", "flops")
    rows = [(each.place, each.text, str(each.instructions), *_counted(each.counts)) for each in launch.lines()]
    rows.append(("", "all lines", str(len(launch.instructions)), *_counted(launch.total)))
    click.echo(f"{launch}; sectors of global memory and wavefronts of shared memory, of how many would do")
    show.table(columns, rows, right=columns[2:])


def _counted(c: Counts) -> list[str]:
    numbers = (c.divergent, c.global_sectors, c.global_fewest, c.shared_wavefronts, c.shared_fewest, c.all_flops)
    lanes = f"{c.lanes:.3g}" if c.lanes is not None else ""
    return [f"{c.warps:,}", lanes, *(f"{number:,.15g}" if number else "" for number in numbers)]


def _shortened(array: Array) -> str:
    """The first and last few elements."""
    import numpy

    flat = array.numpy().reshape(-1)
    return numpy.array2string(flat, threshold=8, edgeitems=3, precision=6, max_line_width=100)
