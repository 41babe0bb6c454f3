"""`ptxgen stress`: kernels of the library again and again, on drawn problems, and everything that looks odd."""

from __future__ import annotations

import random
import statistics
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ptxgen.cli import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Device
    from ptxgen.kernels import Variant

__all__ = ["stress"]

_SPIKE = 4.0
"""A cycle so many times its variant's median is a spike, where times vary as much as is worth a word."""


class Anomaly(NamedTuple):
    """Something odd: `kind` is "failure" (a wrong result), "leak", "memory", "slow", "nondeterministic", "spike" or "variation".

    `cycle` and `seed` give it again: `ptxgen stress VARIANT --cycles 1 --seed SEED`; -1 is for what many cycles show together.
    """

    kind: str
    variant: str
    size: str
    cycle: int
    seed: int
    detail: str


class Cycle(NamedTuple):
    """One turn: a variant on a problem, twice on the same data."""

    variant: Variant
    size: Any
    seed: int
    ms: float
    peak: int


@click.command()
@click.argument("kernels", nargs=-1)
@click.option("--cycles", type=click.IntRange(1), default=100, show_default=True, help="How often.")
@click.option("--seed", type=click.IntRange(0), default=42, show_default=True, help="Gives the same problems again.")
@click.option(
    "--slow", type=click.FloatRange(0), default=1000.0, show_default=True, help="Milliseconds of a slow cycle."
)
@click.option("--memory", type=click.FloatRange(0), default=64.0, show_default=True, help="MiB that a cycle may take.")
@click.option("--variation", type=click.FloatRange(0), default=0.2, show_default=True, help="Of times, of their mean.")
@click.option(
    "--failures", type=click.FloatRange(0, 100), default=0.0, show_default=True, help="Per cent that may fail."
)
@click.option(
    "--device", "place", help="cpu, cpu:sm_80, cuda or cuda:1. [default: PTXGEN_DEVICE, else the GPU, else the CPU]"
)
@click.option("--json", "json_", is_flag=True, help="The same as JSON.")
def stress(
    kernels: tuple[str, ...],
    cycles: int,
    seed: int,
    slow: float,
    memory: float,
    variation: float,
    failures: float,
    place: str | None,
    json_: bool,
) -> None:
    """Launch drawn variants of KERNELS (such as `saxpy` or `softmax/f16`; else all) on drawn problems, and tell what is odd.

    \b
    ptxgen stress --cycles 20
    ptxgen stress scan matmul --seed 7 --json

    Each cycle launches twice on the same data: both results must be right, and are to be the same bits. Exit status 1 when more
    cycles fail than --failures allows, or memory leaks. Slow cycles, much memory, spikes, varying times and results whose bits
    differ from launch to launch are told, and do no harm.
    """
    from ptxgen.cli.cmd_demo import chosen
    from ptxgen.host import device

    dev = device(place)
    variants = [v for v in chosen(kernels) if dev.target not in v.absent]
    found, done = _run(variants, cycles, seed, dev, slow=slow, memory=memory * (1 << 20))
    found += _of_times(done, variation)
    failed = len({anomaly.cycle for anomaly in found if anomaly.kind == "failure"})
    leaked = any(anomaly.kind == "leak" for anomaly in found)
    if json_:
        show.as_json(_plain(dev, cycles, seed, done, found, failed))
    else:
        _print(dev, cycles, done, found, failed)
    if leaked or 100 * failed > failures * cycles:
        raise SystemExit(1)


def _run(
    variants: Sequence[Variant], cycles: int, seed: int, dev: Device, *, slow: float, memory: float
) -> tuple[list[Anomaly], list[Cycle]]:
    """The cycles, drawn from the seed alone."""
    import numpy as np

    from ptxgen.errors import Error
    from ptxgen.host.memory_monitor import memory_account

    found: list[Anomaly] = []
    done: list[Cycle] = []
    for number in range(cycles):
        own = seed if cycles == 1 else random.Random(f"{seed}/{number}").getrandbits(32)
        variant = random.Random(f"{own}/variant").choice(list(variants))
        size = random.Random(f"{own}/size").choice(variant.sizes)  # the same where the variant is given by its name
        say = _Say(found, variant, size, number, own)
        began = time.perf_counter()
        case = variant.case(size, own)
        results = []
        with memory_account() as account:
            try:
                for _ in range(2):
                    arrays, plan = case.on(dev)
                    plan.launch()
                    outcome = case.compare(arrays)
                    if not outcome.passed:
                        say("failure", f"off by {outcome.error:.3g}, {outcome.part:.3g} times what is allowed")
                    results.append({name: arrays[name].numpy() for name in case.expected})
                    del arrays, plan
            except Error as error:
                say("failure", str(error))
        ms = 1e3 * (time.perf_counter() - began)
        left = account.live
        account.close()
        if left:
            say("leak", f"{sum(each.nbytes for each in left)} bytes, first {left[0]}")
        if len(results) == 2 and any(
            not np.array_equal(results[0][n], results[1][n], equal_nan=True) for n in results[0]
        ):
            say("nondeterministic", "two launches on the same data give other bits")
        if ms > slow:
            say("slow", f"{ms:.0f} ms")
        if account.total.peak > memory:
            say("memory", f"{account.total.peak / (1 << 20):.1f} MiB")
        done.append(Cycle(variant, size, own, ms, account.total.peak))
    return found, done


class _Say:
    """Notes anomalies of one cycle."""

    def __init__(self, found: list[Anomaly], variant: Variant, size: Any, cycle: int, seed: int) -> None:
        self.found = found
        self.about = variant.label, str(size), cycle, seed

    def __call__(self, kind: str, detail: str) -> None:
        self.found.append(Anomaly(kind, *self.about, detail))


def _of_times(done: list[Cycle], variation: float) -> list[Anomaly]:
    """Problems that were run several times, the first of which builds and loads and does not count."""
    times: dict[tuple[str, str], list[tuple[int, Cycle]]] = {}
    for number, cycle in enumerate(done):
        times.setdefault((cycle.variant.label, str(cycle.size)), []).append((number, cycle))
    found = []
    for (label, size), cycles in times.items():
        counted = cycles[1:]
        if len(counted) < 3:
            continue
        ms = [cycle.ms for _, cycle in counted]
        spread = statistics.stdev(ms) / statistics.mean(ms)
        if spread <= variation:
            continue
        found.append(Anomaly("variation", label, size, -1, -1, f"{spread:.2f} of the mean of {len(ms)} cycles"))
        median = statistics.median(ms)
        for number, cycle in counted:
            if cycle.ms > _SPIKE * median:
                detail = f"{cycle.ms:.1f} ms, the median is {median:.1f}"
                found.append(Anomaly("spike", label, size, number, cycle.seed, detail))
    return found


def _plain(dev: Device, cycles: int, seed: int, done: list[Cycle], found: list[Anomaly], failed: int) -> dict[str, Any]:
    return {
        "device": dev.name,
        "cycles": cycles,
        "seed": seed,
        "failed": failed,
        "passed_percent": 100 * (cycles - failed) / cycles,
        "ms": {"median": statistics.median(c.ms for c in done), "largest": max(c.ms for c in done)},
        "peak_bytes": max(c.peak for c in done),
        "anomalies": [anomaly._asdict() for anomaly in found],
    }


def _print(dev: Device, cycles: int, done: list[Cycle], found: list[Anomaly], failed: int) -> None:
    if found:
        columns = ("anomaly", "variant", "problem", "cycle", "seed", "what")
        rows = [
            (
                a.kind,
                a.variant,
                a.size,
                *("-" if n < 0 else str(n) for n in (a.cycle, a.seed)),
                a.detail.splitlines()[0],
            )
            for a in found
        ]
        show.table(columns, rows, right=("cycle", "seed"))
    median, largest = statistics.median(c.ms for c in done), max(c.ms for c in done)
    click.echo(
        f"{dev.name}: {cycles - failed} of {cycles} cycles passed, median {median:.1f} ms, longest {largest:.1f} ms, "
        f"at most {max(c.peak for c in done) / 1024:.0f} KiB"
    )
