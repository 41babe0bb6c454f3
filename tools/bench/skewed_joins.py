#!/usr/bin/env python3
"""Hash joins whose keys are not evenly distributed, beside the same join of keys that are.

    tools/bench/skewed_joins.py [--json] [--tiny] [--device cuda|cpu] [--rows 10000000] [--type u32] [--rounds 9]

Each join has n rows on both sides and (but for the last two) about n pairs; the table is built and probed. `ours` is the time by
CUDA events, the peer is the uniform join of the same run, so that the ratio says how many times the uniform time a skewed join
takes (below 1: longer). "without sharing" is the same join with frequent keys left in the buckets, where that ends in time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.ops import HashTable, Join, JoinOverflowError
from tools.bench._command import command, print_json
from tools.bench._head_start import head_start

AHEAD = 2_000_000
"""Clocks that the GPU sleeps while the host launches: 1 ms."""

Sides = tuple[Any, Any]


def uniform(n: int, rng: Any) -> Sides:
    """Each key once on each side."""
    return rng.permutation(n), rng.permutation(n)


def one_key(n: int, rng: Any) -> Sides:
    """All build rows have one key, which one probe row has."""
    return np.zeros(n), np.where(np.arange(n) == n // 3, 0, 1 + rng.permutation(n))


def a_tenth(n: int, rng: Any) -> Sides:
    """A tenth of the build rows have one key, which nine probe rows beside each other have; the others are different."""
    build, probe = rng.permutation(n), rng.permutation(n)
    build[rng.permutation(n)[: n // 10]] = n
    probe[n // 2 : n // 2 + 9] = n
    return build, probe


def both_sides(n: int, rng: Any) -> Sides:
    """sqrt(n) rows beside each other of both sides have one key."""
    build, probe, root = rng.permutation(n), n + rng.permutation(n), int(n**0.5)
    build[:root], probe[:root] = 3 * n, 3 * n
    return build, probe


def zipf(n: int, rng: Any) -> Sides:
    """Build keys by Zipf's law (exponent 1) over n / 10 values, each of which one probe row has."""
    values = max(1, n // 10)
    weights = np.cumsum(1 / np.arange(1, values + 1))
    build = np.searchsorted(weights, rng.random(n) * weights[-1])
    probe = n + rng.permutation(n)
    probe[rng.permutation(n)[:values]] = rng.permutation(values)
    return build, probe


def probe_alone(n: int, rng: Any) -> Sides:
    """All probe rows have one key, which one build row has."""
    return rng.permutation(n), np.zeros(n)


def too_many(n: int, rng: Any) -> Sides:
    """All rows have one key: n^2 pairs, which are counted and not written."""
    return np.zeros(n), np.zeros(n)


SIDES: tuple[Callable[[int, Any], Sides], ...] = (uniform, one_key, a_tenth, both_sides, zipf, probe_alone, too_many)
SLOW_WITHOUT = (too_many, both_sides)
"""What takes minutes where frequent keys are not shared out."""


def time_of(
    device: px.Device, sides: Sides, rounds: int, *, share: bool | None, ahead: Callable[[int], None]
) -> tuple[float, int]:
    """(median milliseconds to build and probe, pairs), checked by sums over the pairs."""
    build, probe = sides
    on_build, on_probe = device.array(build), device.array(probe)
    with HashTable(device, on_build, share_frequent=share) as table, Join(table, on_probe, 0) as join:
        join(on_probe)
        try:
            pairs = join.pairs(grow=True)
            assert np.array_equal(probe[pairs.left.numpy()], build[pairs.right.numpy()]), "the join is wrong"
            found = pairs.total
        except JoinOverflowError as error:
            found = error.total
        times = []
        for _ in range(rounds + 1):
            begin, end = device.event(), device.event()
            ahead(AHEAD)
            begin.record(device.current_stream)
            table.build(on_build)
            join(on_probe)
            end.record(device.current_stream)
            end.synchronize()
            times.append(end.elapsed_ms(begin))
    return median(times[1:]), found


def expected_pairs(build: Any, probe: Any) -> int:
    keys, counts = np.unique(build, return_counts=True)
    places = np.minimum(np.searchsorted(keys, probe), len(keys) - 1)
    return int(counts[places[keys[places] == probe]].sum())


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--type", default="u32", choices=("u32", "u64"))
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    if options.tiny:
        options.rows, options.rounds = 3000, 1
    device = px.device(options.device)
    ahead = head_start(device)
    rows: list[dict[str, Any]] = []
    even = 0.0
    for kind in SIDES:
        sides: Any = [
            side.astype({"u32": "uint32", "u64": "uint64"}[options.type])
            for side in kind(options.rows, np.random.default_rng(3))
        ]
        share = True if options.tiny else None
        ours, found = time_of(device, sides, options.rounds, share=share, ahead=ahead)
        assert found == expected_pairs(*sides), f"{found} pairs"
        even = even or ours
        peers = {"uniform": even}
        if kind not in SLOW_WITHOUT:
            peers["without sharing"] = time_of(device, sides, 2, share=False, ahead=ahead)[0]
        name = f"join of {options.rows} {options.type}, {kind.__name__.replace('_', ' ')}, {found} pairs"
        rows.append({"name": name, "unit": "ms", "ours": ours, "peers": peers, "ratio": even / ours, "floor": None})
        if not options.json:
            others = "  ".join(f"{peer} {value:.3f}" for peer, value in peers.items())
            print(f"{name:64} {ours:9.3f} ms  {ours / even:5.2f}x of uniform  {others}", flush=True)
    if options.json:
        print_json(rows)


if __name__ == "__main__":
    main()
