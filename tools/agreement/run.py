"""Runs the families on the CPU device and on a GPU: `python -m tools.agreement.run`, on a machine with a GPU.

python -m tools.agreement.run textures --samples 1000000
python -m tools.agreement.run operations --only cvt --samples 1000000
python -m tools.agreement.run products --samples 100000 --part 2/4         the second of four parts that run beside one another
python -m tools.agreement.run textures --device cuda --save there.npz      one device alone, its results kept
python -m tools.agreement.run textures --device cpu --against there.npz    and compared elsewhere

The CPU device runs its optimised code (`--tier base` for the other).
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from ptxgen.emulated_driver.state.machine import machine
from tools.agreement.clusters import clusters
from tools.agreement.operations import operation_batches
from tools.agreement.products import products
from tools.agreement.textures import textures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Results = dict[str, "np.ndarray[Any, Any]"]
"""Case -> its results, a row for each sample, as words."""
Batch = "Callable[[px.Device], Results]"
"""Runs the same samples on any device."""

FAMILIES: dict[str, Callable[[int, str], Iterable[Callable[[px.Device], Results]]]] = {
    "textures": textures,
    "operations": operation_batches,
    "products": products,
    "clusters": clusters,
}
"""Name -> the batches of that many samples of each case whose name has that text in it."""


def distance(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> tuple[int, float]:
    """(how many of the rows differ, by how much as floats of 32 bits at most)."""
    differ = one != other
    rows = differ.reshape(len(differ), -1).any(axis=1)
    with np.errstate(invalid="ignore"):
        a, b = (np.ascontiguousarray(x[rows]).view(np.float32).astype(np.float64) for x in (one, other))
        apart = np.abs(a - b)
    return int(rows.sum()), float(np.nanmax(apart)) if apart.size and not np.isnan(apart).all() else 0.0


class Tally:
    """What was compared so far. A row is printed for each case that differs."""

    def __init__(self) -> None:
        self.cases: dict[str, tuple[int, int, float]] = {}
        """Name -> samples, those that differ, the largest difference."""

    def add(self, one: Results, other: Results) -> None:
        for name in one:
            samples, rows, most = self.cases.get(name, (0, 0, 0.0))
            differ, by = distance(one[name], other[name])
            self.cases[name] = samples + len(one[name]), rows + differ, max(most, by)
            if differ:
                print(f"{name:50} {len(one[name]):9,} samples  {differ:9,} differ  by {by:.3g} at most", flush=True)

    def tell(self) -> int:
        """Prints the sums; how many cases differ."""
        samples = sum(each[0] for each in self.cases.values())
        different = sum(1 for each in self.cases.values() if each[1])
        same = len(self.cases) - different
        print(f"{len(self.cases):,} cases, {samples:,} samples: {same:,} cases are the same, {different:,} differ")
        return different


def joined(batches: Iterable[Results]) -> Results:
    """The results of a case one behind the other."""
    found: dict[str, list[np.ndarray[Any, Any]]] = {}
    for results in batches:
        for name, rows in results.items():
            found.setdefault(name, []).append(rows)
    return {name: np.concatenate(parts) for name, parts in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--samples", type=int, default=20_000, help="of each case")
    parser.add_argument("--device", help="of one device alone (default: of the CPU device and the GPU)")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--part", default="1/1", help="2/4: of the batches the second, sixth, tenth, ...")
    parser.add_argument("--skip", type=int, default=0, help="that many batches of the part")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no batch after that time")
    parser.add_argument("--tier", choices=("fast", "base"), default="fast", help="of the CPU device's code")
    parser.add_argument("--save", type=Path, help="keep the results")
    parser.add_argument("--against", type=Path, help="compare with kept results")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    began = time.perf_counter()

    def batches() -> Iterator[Callable[[px.Device], Results]]:
        every = FAMILIES[options.family](options.samples, options.only)
        mine = itertools.islice(every, part - 1, None, parts)
        for number, batch in enumerate(itertools.islice(mine, options.skip, None), options.skip):
            if time.perf_counter() - began > options.seconds:
                print(f"{options.seconds:g} s are over: go on with --skip {number}")
                return
            yield batch

    def device(name: str) -> px.Device:
        found = px.device(name)
        if found.kind == "cpu":
            machine.options = machine.options.replaced(tier=options.tier)
        return found

    tally = Tally()
    if options.device is None:
        cpu, gpu = device("cpu"), device("cuda")
        for batch in batches():
            tally.add(batch(cpu), batch(gpu))
        tally.tell()
        return 0
    found = joined(batch(device(options.device)) for batch in batches())
    if options.save:
        kept: dict[str, Any] = {**found}
        np.savez_compressed(options.save, **kept)
    if options.against:
        with np.load(options.against) as other:
            tally.add(found, dict(other))
        tally.tell()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
