#!/usr/bin/env python3
"""Merges, and scans, reductions and sorts of segments beside CUB and PyTorch.

    tools/bench/segments.py [--json] [--tiny] [--device cuda|cpu] [--log2 P]

As tools/bench/arrays.py measures: CUDA events around one call, CUB compiled by nvcc, results checked first. Segments of a
reduction are alike, or one of them has half of the elements. An eighth of the elements is sorted: CUB has a sort for short
segments and one for long ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import u32
from ptxgen.ops import SegmentedReduce, SegmentedScan, SegmentedSort, merge
from tools.bench._command import command, print_json
from tools.bench._cub import Cub
from tools.bench._timer import ROUNDS, Timer

Runs = dict[str, Callable[[], Any]]


class Bench:
    """n elements on the device, and its peers."""

    def __init__(self, timer: Timer, n: int) -> None:
        self.timer, self.device, self.torch, self.n = timer, timer.device, timer.torch, n
        self.cub = Cub.of(timer.device, "cub_segments.cu")
        copied, target = (self.device.zeros(n, u32) for _ in range(2))
        self.copy_bytes_per_ms = 8 * n / timer.times({"copy": lambda: target.copy_from(copied)})["copy"]

    def row(self, name: str, words: int, ours: Callable[[], Any], peers: Runs, n: int | None = None) -> dict[str, Any]:
        """What is measured of one call, which moves so many words, of n elements."""
        times = self.timer.times({"ours": ours, **peers})
        mine = times.pop("ours")
        ratio = min(times.values()) / mine if times else None
        floor = 4 * words / self.copy_bytes_per_ms
        return {
            "name": f"{name} {n or self.n}",
            "unit": "ms",
            "ours": mine,
            "peers": times,
            "ratio": ratio,
            "floor": floor,
        }

    def beside_cub(self, name: str, *arguments: Any, n: int | None = None, peer: str = "CUB") -> Runs:
        """CUB's call as a peer, where there is CUB."""
        return {} if self.cub is None else {peer: self.cub.call(name, *arguments, n=n or self.n)}


def merges(bench: Bench) -> Iterator[dict[str, Any]]:
    """Two sorted halves, keys alone and with payloads."""
    device, n = bench.device, bench.n
    keys = np.random.default_rng(1).integers(0, 2**32, n, np.uint32)
    a, b = (device.array(np.sort(half)) for half in (keys[: n // 2], keys[n // 2 :]))
    p, q = (device.array(np.arange(side.size, dtype=np.uint32)) for side in (a, b))
    out, moved = device.empty(n, u32), device.empty(n, u32)
    merge(a, b, out)
    assert np.array_equal(out.numpy(), np.sort(keys)), "the merge is wrong"
    yield bench.row("merge u32", 2 * n, lambda: merge(a, b, out), bench.beside_cub("merge_u32", a, b, out))
    yield bench.row(
        "merge u32, payloads", 4 * n, lambda: merge(a, b, out, payload=(p, q), out_payload=moved),
        bench.beside_cub("merge_pairs_u32", a, p, b, q, out, moved),
    )  # fmt: skip


def scans(bench: Bench) -> Iterator[dict[str, Any]]:
    """Sums along runs of equal keys, of about 10 and of about 10,000 elements."""
    device, n = bench.device, bench.n
    x = np.random.default_rng(2).integers(0, 9, n, np.uint32)
    on, y = device.array(x), device.empty(n, u32)
    with SegmentedScan(device, u32, n) as scan:
        for length in (10, 10_000):
            keys = device.array((np.arange(n, dtype=np.int64) // length).astype(np.uint32))
            scan.by_key(on, keys, y)
            whole = np.cumsum(x, dtype=np.uint32)
            begins = np.arange(n) // length * length
            assert np.array_equal(y.numpy(), whole - whole[begins] + x[begins]), "the scan is wrong"
            peers = bench.beside_cub("scan_by_key_u32", keys, on, y)
            yield bench.row(f"scan by key, runs of {length:,}", 3 * n, partial(scan.by_key, on, keys, y), peers)


def reductions(bench: Bench) -> Iterator[dict[str, Any]]:
    """Sums of segments."""
    device, n = bench.device, bench.n
    x = np.random.default_rng(3).integers(0, 9, n, np.uint32)
    on = device.array(x)
    for name, offsets in (
        ("of 16", np.arange(0, n + 1, 16)), ("of 10,000", np.append(np.arange(0, n, 10_000), n)),
        ("of 1,000 and n/2", np.append(np.arange(0, n // 2, 1000), n)),
    ):  # fmt: skip
        segments = len(offsets) - 1
        places, sums = device.array(offsets.astype(np.uint32)), device.empty(segments, u32)
        with SegmentedReduce(device, u32, n) as reduce:
            reduce(on, places, sums)
            whole = np.append(np.uint32(0), np.cumsum(x, dtype=np.uint32))
            assert np.array_equal(sums.numpy(), np.diff(whole[offsets])), "the sums are wrong"
            peers = bench.beside_cub("segment_sums_u32", on, sums, segments, places)
            if bench.torch is not None:
                lengths = bench.torch.from_numpy(np.diff(offsets)).cuda()
                floats = bench.torch.from_numpy(x.astype(np.float32)).cuda()
                peers["torch"] = partial(bench.torch.segment_reduce, floats, "sum", lengths=lengths)
            yield bench.row(f"sums of segments {name}", n + 2 * segments, partial(reduce, on, places, sums), peers)


LENGTHS = (16, 100, 1000, 4000, 10_000, 100_000)


def sorts(bench: Bench) -> Iterator[dict[str, Any]]:
    """Random keys in segments that are alike."""
    device, n = bench.device, bench.n // 8
    keys = np.random.default_rng(4).integers(0, 2**32, n, np.uint32)
    on, out = device.array(keys), device.empty(n, u32)
    with SegmentedSort(device, u32, n) as sort:
        for length in LENGTHS:
            offsets = np.append(np.arange(0, n, length), n)
            places, segments = device.array(offsets.astype(np.uint32)), len(offsets) - 1
            sort(on, places, out)
            whole = n // length * length
            expected = np.sort(keys[:whole].reshape(-1, length)).reshape(-1)
            assert np.array_equal(out.numpy(), np.append(expected, np.sort(keys[whole:]))), "the sort is wrong"
            peers = bench.beside_cub("segmented_sort_u32", on, out, segments, places, n=n)
            peers |= bench.beside_cub(
                "segmented_radix_sort_u32", on, out, segments, places, n=n, peer="CUB's radix sort"
            )
            if bench.torch is not None:
                rows = bench.torch.from_numpy(keys[:whole].view(np.int32).reshape(-1, length)).cuda()
                peers["torch.sort of rows"] = partial(bench.torch.sort, rows, 1)
            yield bench.row(f"sort segments of {length:,}", 2 * n, partial(sort, on, places, out), peers, n)


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--log2", type=int, default=27, help="elements")
    options = parser.parse_args()
    timer = Timer(px.device(options.device), 1 if options.tiny else ROUNDS)
    bench = Bench(timer, 1 << (10 if options.tiny else options.log2))
    rows = [row for part in (merges, scans, reductions, sorts) for row in part(bench)]
    if options.json:
        print_json(rows)
        return
    for row in rows:
        peers = "  ".join(f"{peer} {value:.3f}" for peer, value in row["peers"].items())
        beside = f"  {row['ratio']:.2f}x the best peer" if row["ratio"] else ""
        print(f"{row['name']:44} {row['ours']:.3f} ms  floor {row['floor']:.3f}  {peers}{beside}", flush=True)


if __name__ == "__main__":
    main()
