"""`ptxgen run`: launch a kernel once, on files and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import settings_option
from ptxgen.host.argument_text import FORMS, ArgumentTextError, argument, extents

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ptxgen.cli.programs import ProgramArgument
    from ptxgen.cpu.sanitizer.tools import Sanitizer
    from ptxgen.host import Array, Device, KernelHandle

__all__ = ["run"]


def _shape(ctx: click.Context, option: click.Parameter, text: str) -> tuple[int, ...]:
    found = extents(text)
    if found is None or not 1 <= len(found) <= 3:
        raise click.BadParameter(f"{text!r} is not like 4, 4x2 or 4x2x1", ctx, option)
    return found


@click.command(
    context_settings={"ignore_unknown_options": True},  # -1 is a number
    epilog=f"\b\nARGUMENTS are\n{FORMS}\n\n\b\nptxgen run saxpy.py 1000 2.0 x.npy zeros:f32:1000 --grid 4 --out y=y.npy",
)
@click.argument("program")
@click.argument("arguments", nargs=-1)
@settings_option
@click.option("--grid", default="1", show_default=True, callback=_shape, help="CTAs: 4, 4x2 or 4x2x1.")
@click.option("--block", default="256", show_default=True, callback=_shape, help="Threads of a CTA, likewise.")
@click.option("--shared", default=0, show_default=True, type=click.IntRange(0), help="Dynamic shared memory, in bytes.")
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
@click.option("--json", "json_", is_flag=True, help="The device, the launch and the arguments afterwards, as JSON.")
def run(
    program: str,
    arguments: tuple[str, ...],
    settings: dict[str, str],
    grid: tuple[int, ...],
    block: tuple[int, ...],
    shared: int,
    place: str | None,
    out: tuple[str, ...],
    tools: str | None,
    json_: bool,
) -> None:
    """Launch the kernel of PROGRAM with ARGUMENTS, and print its arrays or write them to files."""
    from ptxgen.host import device

    dev = device(place)
    found = find(program, settings)
    kernel = found.load(dev)
    names = [name for name, _, _ in kernel.parameters]
    with _watched(dev, tools) as watch:
        values = _values(found, names, arguments, dev)
        files = _outputs(out, names)
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
        show.as_json(told if watch is None else {**told, "findings": findings})
    else:
        _print(kernel, dev, grid, block, list(zip(names, values)), files)
        for finding in findings:
            click.echo(finding, err=True)
    if findings:
        raise SystemExit(1)


def _watched(dev: Device, tools: str | None) -> AbstractContextManager[Sanitizer | None]:
    """The sanitizer at work in its body, with the tools of `--sanitize`."""
    from contextlib import nullcontext

    if tools is None:
        return nullcontext()
    if dev.kind != "cpu":
        raise click.UsageError("--sanitize watches kernels on the CPU device: add --device cpu")
    from ptxgen.host.sanitizing import sanitize

    return sanitize(*(tools.split(",") if tools != "all" else ()), strict=False)


def _values(program: ProgramArgument, names: list[str], texts: tuple[str, ...], dev: Device) -> list[Any]:
    """The arguments as numbers and arrays, each array of the type that its parameter points to."""
    from driver_ctypes import ArgumentTypeError

    values = []
    for index, text in enumerate(texts):
        if text.startswith("--"):
            raise click.NoSuchOption(text)
        try:
            value = argument(text, dev)
        except ArgumentTextError as wrong:
            raise click.UsageError(str(wrong)) from None
        element = program.element(index)
        if element is not None and not isinstance(value, (int, float, bytes)) and value.type is not element:
            raise ArgumentTypeError(
                f"{names[index]} points to {element.name}, and {text} is an array of {value.type.name}",
                hint=f"convert it (x.npy:{element.name}), or make it of that type",
            )
        values.append(value)
    return values


def _outputs(texts: tuple[str, ...], names: list[str]) -> dict[int, str]:
    """`INDEX=FILE` or `NAME=FILE` -> {argument's index: file}. Raises click.UsageError."""
    found = {}
    for text in texts:
        which, equals, path = text.partition("=")
        index = names.index(which) if which in names else int(which) if which.isdecimal() else -1
        if not equals or not path or not 0 <= index < len(names):
            listed = ", ".join(f"{i} or {name}" for i, name in enumerate(names))
            raise click.UsageError(f"--out {text}: expected ARGUMENT=FILE.npy, where ARGUMENT is {listed}")
        found[index] = path
    return found


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


def _shortened(array: Array) -> str:
    """The first and last few elements."""
    import numpy

    flat = array.numpy().reshape(-1)
    return numpy.array2string(flat, threshold=8, edgeitems=3, precision=6, max_line_width=100)
