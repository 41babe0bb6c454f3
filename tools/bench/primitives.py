#!/usr/bin/env python3
"""Scan, sort and join of whole arrays beside a device copy, CuPy (CUB, Thrust) and PyTorch.

    tools/bench/primitives.py [--json] [--tiny] [--device cuda|cpu] [--only scan sort join] [--log2 28 24] [--join 10000000]

Results are checked first; peers are those that are installed, on a GPU. Times are CUDA events' around one call, the median
of interleaved rounds; a call includes the clearing of its scratch memory. The device is kept busy while the host makes the
call, so that what is measured is the device's time: the 20 to 150 us that the host takes are hidden where calls follow one
another. TB/s count each element's bytes once read and once written; the floor of a scan is the device copy of the same run,
that of a sort (1 + 2*passes) reads and writes at the copy's speed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.ops import HashTable, Join, Scan, Sort
from tools.bench._command import command, print_json
from tools.bench._timer import ROUNDS, Timer

PARTS = ("scan", "sort", "join")


def scan_row(timer: Timer, n: int) -> dict[str, Any]:
    """y = inclusive sum of n f32."""
    device, torch, cupy = timer.device, timer.torch, timer.cupy
    host = np.random.default_rng(1).integers(-4, 5, n).astype(np.float32)
    x, y = device.array(host), device.empty(n, f32)
    scan = Scan(device, f32, n)
    scan(x, y)
    checked = min(n, 1 << 22)  # small integers: exact as long as the sums are below 2^24
    assert np.array_equal(y[:checked].numpy(), np.cumsum(host[:checked], dtype=np.float32)), "the scan is wrong"
    runs: dict[str, Callable[[], Any]] = {"ours": lambda: scan(x, y), "device copy": lambda: y.copy_from(x)}
    if torch is not None:
        source = torch.from_numpy(host).cuda()
        target = torch.empty_like(source)
        runs["torch.cumsum"] = lambda: torch.cumsum(source, 0, out=target)
    if cupy is not None:
        array = cupy.asarray(host)
        runs["cupy.cumsum"] = lambda: cupy.cumsum(array)
    times = timer.times(runs)
    return row(f"scan f32 {n}", times, times["device copy"])


def sort_row(timer: Timer, n: int, pairs: bool, copy_bytes_per_ms: float) -> dict[str, Any]:
    """Random u32 keys, alone or with u32 payloads."""
    device, torch, cupy = timer.device, timer.torch, timer.cupy
    keys = np.random.default_rng(2).integers(0, 2**32, n, dtype=np.uint32)
    arguments = [device.array(keys), device.empty(n, u32)]
    if pairs:
        arguments += [device.array(np.arange(n, dtype=np.uint32)), device.empty(n, u32)]
    sort = Sort(device, u32, n, pairs=pairs)
    sort(*arguments)
    order = np.argsort(keys, kind="stable")
    assert np.array_equal(arguments[1].numpy(), keys[order]), "the sort is wrong"
    assert not pairs or np.array_equal(arguments[3].numpy(), order), "the payload is wrong"
    runs: dict[str, Callable[[], Any]] = {"ours": lambda: sort(*arguments)}
    if torch is not None:
        signed = torch.from_numpy(keys.view(np.int32)).cuda()
        runs["torch.sort"] = lambda: torch.sort(signed)
    if cupy is not None:
        array = cupy.asarray(keys)
        runs["cupy.argsort" if pairs else "cupy.sort"] = lambda: (cupy.argsort if pairs else cupy.sort)(array)
    moved = (4 + 8 * sort.passes + 8 * sort.passes * pairs) * n
    return row(f"sort u32{' pairs' * pairs} {n}", timer.times(runs), moved / copy_bytes_per_ms)


def join_row(timer: Timer, n: int, copy_bytes_per_ms: float) -> dict[str, Any]:
    """n u32 keys on each side, one match each: the table is built and probed. Peers sort one side and search it."""
    device, torch, cupy = timer.device, timer.torch, timer.cupy
    rng = np.random.default_rng(3)
    build, probe = (rng.permutation(n).astype(np.uint32) for _ in range(2))
    on_build, on_probe = device.array(build), device.array(probe)
    table = HashTable(device, on_build)
    join = Join(table, on_probe, n)
    join(on_probe)
    pairs = join.pairs()
    assert pairs.total == n, "the join is wrong"
    assert np.array_equal(probe[pairs.left.numpy()], build[pairs.right.numpy()]), "the join is wrong"

    def ours() -> None:
        table.build(on_build)
        join(on_probe)

    runs: dict[str, Callable[[], Any]] = {"ours": ours}
    if torch is not None:
        left, right = (torch.from_numpy(keys.view(np.int32)).cuda() for keys in (probe, build))

        def sort_and_search() -> None:
            keys, order = torch.sort(right)
            places = torch.searchsorted(keys, left, out_int32=True).clamp_(max=n - 1)
            hit = keys[places] == left
            torch.nonzero(hit), order[places[hit]]

        runs["torch sort+search"] = sort_and_search
    if cupy is not None:
        cupy_left, cupy_right = (cupy.asarray(keys.view(np.int32)) for keys in (probe, build))

        def cupy_search() -> None:
            order = cupy.argsort(cupy_right)
            keys = cupy_right[order]
            places = cupy.minimum(cupy.searchsorted(keys, cupy_left), n - 1)
            hit = keys[places] == cupy_left
            cupy.nonzero(hit), order[places[hit]]

        runs["cupy sort+search"] = cupy_search
    # What a join that counts, scans and materialises moves, its table built by atomics: in order the keys, 4*(2 + 1), ranks 8,
    # counts and first matches 16, places 8 and pairs 8; and at random 32-byte sectors, for each build row a counter read and
    # written, a first place and an entry, for each probe row its bucket's bounds and an entry. What our kernels move is less:
    # 32 of the build side and 76 of the probe side (ptxgen/kernels/joins/hash_partition.py, hash_build.py, hash_probe.py), 108.
    moved = (12 + 8 + 16 + 8 + 8 + 32 * 6) * n
    return row(f"join u32 {n}", timer.times(runs), moved / copy_bytes_per_ms)


def row(name: str, times: dict[str, float], floor: float) -> dict[str, Any]:
    """As every benchmark has it; the copy is a floor, not a peer."""
    peers = {peer: value for peer, value in times.items() if peer not in ("ours", "device copy")}
    ours = times["ours"]
    return {
        "name": name,
        "unit": "ms",
        "ours": ours,
        "peers": peers,
        "ratio": min(peers.values()) / ours if peers else None,
        "floor": floor,
    }


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    parser.add_argument("--log2", nargs=2, type=int, default=(28, 24), help="elements of the scan and of the sort")
    parser.add_argument("--join", type=int, default=10_000_000, help="rows of each side of the join")
    options = parser.parse_args()
    if options.tiny:
        options.log2, options.join = (10, 10), 500
    timer = Timer(px.device(options.device), 1 if options.tiny else ROUNDS)
    scanned, sorted_ = (1 << power for power in options.log2)
    scan = scan_row(timer, scanned)  # its device copy is what the others' floors go by
    copy_bytes_per_ms = 8 * scanned / scan["floor"]
    rows = [scan] if "scan" in options.only else []
    if "sort" in options.only:
        rows += [sort_row(timer, sorted_, pairs, copy_bytes_per_ms) for pairs in (False, True)]
    if "join" in options.only:
        rows.append(join_row(timer, options.join, copy_bytes_per_ms))
    if options.json:
        print_json(rows)
        return
    for found in rows:
        peers = "  ".join(f"{peer} {value:.3f}" for peer, value in found["peers"].items())
        print(
            f"{found['name']:24} {found['ours']:.3f} ms  {peers}  floor {found['floor']:.3f} "
            f"({found['floor'] / found['ours']:.0%} of it)"
            + (f"  {found['ratio']:.2f}x the best peer" if found["ratio"] else "")
        )


if __name__ == "__main__":
    main()
