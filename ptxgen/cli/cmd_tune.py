"""`ptxgen tune`: find the fastest configurations of the library's kernels on a device."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptxgen.cli import show
from ptxgen.host.argument_text import extents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.kernels.tunable import Tunable
    from ptxgen.tuning import Progress

__all__ = ["tune"]


def _shapes(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    found = [extents(text) for text in texts]
    for text, shape in zip(texts, found):
        if shape is None:
            raise click.BadParameter(f"{text!r} is not like 4096, 4096x256 or 512x512x64", ctx, option)
    return tuple(shape for shape in found if shape is not None)


@click.command()
@click.argument("kernels", nargs=-1)
@click.option(
    "--shape", "shapes", multiple=True, metavar="SHAPE", callback=_shapes, help="Such as 4096x64. May be repeated."
)
@click.option(
    "--rounds", type=click.IntRange(1), default=9, show_default=True, help="Times that each finalist is measured."
)
@click.option("--warm", is_flag=True, help="Leave the caches warm between launches.")
@click.option("--again", is_flag=True, help="Measure what an earlier call has found, too.")
@click.option(
    "--write",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file of defaults for the winners.",
)
@click.option(
    "--device", "place", help="cpu, cpu:sm_80, cuda or cuda:1. [default: PTXGEN_DEVICE, else the GPU, else the CPU]"
)
@click.option("--json", "json_", is_flag=True, help="The same as JSON.")
def tune(
    kernels: tuple[str, ...],
    shapes: tuple[tuple[int, ...], ...],
    rounds: int,
    warm: bool,
    again: bool,
    file: Path | None,
    place: str | None,
    json_: bool,
) -> None:
    """Measure the configurations of the library's KERNELS (such as `matmul`; else all that have a space), and keep the fastest.

    \b
    ptxgen tune matmul --shape 4096x4096x4096
    ptxgen tune --again --write ptxgen/kernels/shipped/nvidia_h200.json

    Later processes of this user take what was kept. Without --shape, each kernel's own shapes; on the CPU device small ones.
    """
    from ptxgen.host import device
    from ptxgen.kernels.winners import winner_store
    from ptxgen.tuning import tune as tune_kernel
    from ptxgen.tuning import write_shipped
    from ptxgen.tuning.shipping import winners_of

    dev, store = device(place), winner_store()
    if file is not None and store is None:
        raise click.UsageError("--write takes what was kept, and caches are off (PTXGEN_CACHE)")
    results, winners = [], []
    for each in _chosen(kernels):
        given = each._asdict()
        own = given.pop("small") if dev.kind == "cpu" else given.pop("shapes")
        given = {name: value for name, value in given.items() if name not in ("small", "shapes")}
        with _shown(each.label, quiet=json_) as progress:
            result = tune_kernel(
                **given, shapes=shapes or own, device=dev, rounds=rounds, cache="warm" if warm else "cold", again=again,
                progress=progress,
            )  # fmt: skip
        results.append(result)
        if store is not None:
            winners += winners_of(each.kernel, result, dev, store)
        if not json_:
            click.echo(str(result))
    if file is not None:
        count = write_shipped(file, winners)
        click.echo(f"{file}: {count} records, {len(winners)} of them new", err=True)
    if json_:
        show.as_json([result.to_dict() for result in results])


def _chosen(names: tuple[str, ...]) -> list[Tunable]:
    from ptxgen.kernels.tunable import tunables

    known = list(tunables())
    for name in names:
        if not any(each.kernel.__name__ == name for each in known):
            there = ", ".join(dict.fromkeys(each.kernel.__name__ for each in known))
            raise click.UsageError(f"no kernel {name!r} with a space; there are {there}")
    return [each for each in known if not names or each.kernel.__name__ in names]


@contextmanager
def _shown(label: str, *, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A bar on stderr, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    columns: Any = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[config]}"),
    )
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task(label, total=None, config="")

        def progress(now: Progress) -> None:
            shape = "x".join(map(str, now.shape_class))
            what = f"{label} {shape} {now.stage}"
            bars.update(task, description=what, completed=now.done, total=now.total, config=now.config or now.best)

        yield progress
