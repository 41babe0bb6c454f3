"""A program launched once, on the arguments of the command line: what `run` and `report` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ptxgen.dataflow.bodies.launch_bounds import stated
from ptxgen.host.argument_text import ArgumentTextError, argument, extents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from ptxgen.cli.programs import ProgramArgument
    from ptxgen.cpu.profiler.counts import LaunchCounts
    from ptxgen.cpu.sanitizer.findings import Finding
    from ptxgen.cpu.sanitizer.tools import Sanitizer
    from ptxgen.host import Device
    from ptxgen.ir import Function, Module

__all__ = ["argument_values", "block_of", "counted_launch", "outputs", "shape_options", "shared_option", "watched"]


def shape_options(command: Any) -> Any:
    """`--grid` and `--block`."""
    command = click.option(
        "--block", callback=_shape, help="Threads of a CTA, likewise.  [default: .reqntid or .maxntid, else 256]"
    )(command)
    return click.option(
        "--grid", default="1", show_default=True, callback=_shape, help="CTAs: 4, 4x2 or 4x2x1."
    )(command)  # fmt: skip


shared_option = click.option(
    "--shared", default=0, show_default=True, type=click.IntRange(0), help="Dynamic shared memory, in bytes."
)
"""`--shared`, of a command that launches."""


def block_of(entry: Function, block: tuple[int, ...] | None) -> tuple[int, ...]:
    """The threads of a CTA: what `--block` says, else the kernel's directives, else 256."""
    return block or stated(entry, "reqntid", "maxntid") or (256,)


def _shape(ctx: click.Context, option: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    found = extents(text)
    if found is None or not 1 <= len(found) <= 3:
        raise click.BadParameter(f"{text!r} is not like 4, 4x2 or 4x2x1", ctx, option)
    return found


def watched(dev: Device, tools: str | None) -> AbstractContextManager[Sanitizer | None]:
    """The sanitizer at work in its body, with the tools of `--sanitize`."""
    from contextlib import nullcontext

    if tools is None:
        return nullcontext()
    if dev.kind != "cpu":
        raise click.UsageError("--sanitize watches kernels on the CPU device: add --device cpu")
    from ptxgen.host.sanitizing import sanitize

    return sanitize(*(tools.split(",") if tools != "all" else ()), strict=False)


def argument_values(program: ProgramArgument, names: list[str], texts: tuple[str, ...], dev: Device) -> list[Any]:
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


def counted_launch(
    program: ProgramArgument, module: Module, entry: str, texts: tuple[str, ...], grid: tuple[int, ...],
    block: tuple[int, ...], shared: int, tools: str | None = None,
) -> tuple[LaunchCounts, Sequence[Finding] | None]:  # fmt: skip
    """What a launch of the kernel counts on the CPU device of the module's target, and what the sanitizer finds."""
    from ptxgen.host import device
    from ptxgen.host.profiling import profile

    dev = device(f"cpu:{module.target}")
    kernel = dev.load(module)[entry]
    names = [name for name, _, _ in kernel.parameters]
    with watched(dev, tools) as watch, profile() as counts:
        kernel.launch(grid, block, tuple(argument_values(program, names, texts, dev)), shared=shared or None)
        dev.synchronize()
    (launch,) = counts.launches
    return launch, watch.findings if watch is not None else None


def outputs(texts: tuple[str, ...], names: list[str]) -> dict[int, str]:
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
