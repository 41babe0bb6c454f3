#!/usr/bin/env python3
"""Operations on whole arrays beside CUB itself, PyTorch and a device copy.

    tools/bench/arrays.py [--json] [--tiny] [--device cuda|cpu] [--only PART...] [--log2 P...]

CUB is compiled by nvcc where there is one (cub_*.cu), and reads the same arrays. Results are checked first. Times are CUDA
events' around one call, the median of interleaved rounds; a call includes the clearing of its scratch memory, as CUB's does. The
device is kept busy while the host makes the call, so that what is measured is the device's time. The floor is the bytes that
must cross the memory interface at the speed of the device copy of the same run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import f32, s32, s64, u8, u16, u32, u64
from ptxgen.kernels.arrays.gather import count_up_plan
from ptxgen.ops import Dedup, GroupBy, HashTable, Histogram, Join, Reduce, RowSets, Scan, Select, Sort, elementwise
from tools.bench._command import command, print_json
from tools.bench._cub import Cub
from tools.bench._timer import Timer

Runs = dict[str, Callable[[], Any]]

ROUNDS = 9
"""Medians of 9 and of 20 rounds differ by less than a hundredth."""
SAMPLE = 1 << 22
"""Elements that are drawn for an input which repeats them: what a scan, a selection or a histogram of more takes depends on their
distribution alone."""


class Bench:
    """The device, its peers, and the largest sizes of this run."""

    def __init__(self, timer: Timer, largest: int, sorted_: tuple[int, ...], rows: int) -> None:
        self.timer, self.device, self.torch = timer, timer.device, timer.torch
        self.largest, self.sorted, self.rows = largest, sorted_, rows
        self.cub = Cub.of(timer.device, "cub_scans.cu", "cub_sorts.cu", "cub_groups.cu")
        copied, target = self.device.zeros(largest, f32), self.device.empty(largest, f32)
        times = timer.times({"copy": lambda: target.copy_from(copied)})
        self.copy_bytes_per_ms = 8 * largest / times["copy"]

    def row(self, name: str, moved: float, ours: Callable[[], Any], peers: Runs) -> dict[str, Any]:
        """As every benchmark has it."""
        times = self.timer.times({"ours": ours, **peers})
        mine = times.pop("ours")
        return {
            "name": name,
            "unit": "ms",
            "ours": mine,
            "peers": times,
            "ratio": min(times.values()) / mine if times else None,
            "floor": moved / self.copy_bytes_per_ms,
        }

    def beside_cub(self, name: str, *arguments: Any, n: int) -> Runs:
        """CUB's call as a peer, where there is CUB."""
        return {} if self.cub is None else {"CUB": self.cub.call(name, *arguments, n=n)}

    def repeated(self, sample: Any, n: int) -> px.Array:
        """n elements on the device, those of a sample again and again."""
        given = self.device.array(sample)
        made = self.device.empty(n, given.type)
        for begin in range(0, n, len(sample)):
            piece = min(len(sample), n - begin)
            made[begin : begin + piece].copy_from(given[:piece])
        return made

    def numbers(self, n: int) -> px.Array:
        """0, 1, 2, ..., in u32."""
        made = self.device.empty(n, u32)
        count_up_plan(n, made).launch()
        return made

    def random_keys(self, element: Any, n: int) -> tuple[px.Array, Any]:
        """(any bits on the device, the same for a check: torch's tensor, signed, or numpy's array)."""
        if self.torch is None:
            kind: Any = np.dtype(f"u{element.isa.bytes}")
            drawn = np.random.default_rng(3).integers(0, np.iinfo(kind).max, n, dtype=kind, endpoint=True)
            return self.device.array(drawn), drawn
        kind = self.torch.int32 if element.isa.bytes == 4 else self.torch.int64
        limits = self.torch.iinfo(kind)
        signed = self.torch.randint(limits.min, limits.max, (n,), dtype=kind, device="cuda")
        return self.device.asarray(signed).view(element), signed

    def tensor(self, host: Any) -> Any:
        """torch's tensor of the same bits; of unsigned elements a signed one."""
        signed = host.view(f"i{host.dtype.itemsize}") if host.dtype.kind == "u" and host.dtype.itemsize > 1 else host
        return self.torch.from_numpy(signed).cuda()


def scan_row(bench: Bench, element: Any, kind: Any) -> dict[str, Any]:
    """Inclusive sums."""
    device, torch, bytes_ = bench.device, bench.torch, element.isa.bytes
    n = bench.largest * 4 // bytes_
    sample = np.random.default_rng(1).integers(0, 5, min(n, SAMPLE)).astype(kind)
    x, y = bench.repeated(sample, n), device.empty(n, element)
    scan = Scan(device, element, n)
    scan(x, y)  # small integers: exact as long as the sums are below 2^24
    assert np.array_equal(y[: len(sample)].numpy(), np.cumsum(sample, dtype=kind)), "the scan is wrong"
    peers = bench.beside_cub(f"scan_{element.isa.name}", x, y, n=n)
    if torch is not None and element is f32:
        source = torch.from_dlpack(x)
        target = torch.empty_like(source)
        peers["torch.cumsum"] = lambda: torch.cumsum(source, 0, out=target)
    return bench.row(f"one pass: scan {element.isa.name} {n}", 2 * bytes_ * n, lambda: scan(x, y), peers)


def sum_row(bench: Bench) -> dict[str, Any]:
    """The sum of all elements."""
    device, n = bench.device, bench.largest
    sample = np.random.default_rng(2).integers(-4, 5, min(n, SAMPLE)).astype(np.float32)
    x, out, other = bench.repeated(sample, n), device.empty(1, f32), device.empty(1, f32)
    reduce = Reduce(device, f32)
    reduce(x, out)
    assert float(out.numpy()[0]) == float(sample.sum(dtype=np.float64)) * (n // len(sample)), "the sum is wrong"
    peers = bench.beside_cub("sum_f32", x, other, n=n)
    if bench.torch is not None:
        source = bench.torch.from_dlpack(x)
        peers["torch.sum"] = lambda: bench.torch.sum(source)
    return bench.row(f"one pass: sum of f32 {n}", 4 * n, lambda: reduce(x, out), peers)


def transform_row(bench: Bench) -> dict[str, Any]:
    """max(x, 0) of each element."""
    device, n = bench.device, bench.largest
    sample = np.random.default_rng(8).integers(-4, 5, min(n, SAMPLE)).astype(np.float32)
    x, y = bench.repeated(sample, n), device.empty(n, f32)
    elementwise("relu", x, out=y)
    assert np.array_equal(y[: len(sample)].numpy(), np.maximum(sample, 0)), "the transform is wrong"
    peers = bench.beside_cub("transform_f32", x, y, n=n)
    if bench.torch is not None:
        source = bench.torch.from_dlpack(x)
        target = bench.torch.empty_like(source)
        peers["torch.clamp"] = lambda: bench.torch.clamp(source, min=0, out=target)
    return bench.row(f"one pass: transform of f32 {n}", 8 * n, lambda: elementwise("relu", x, out=y), peers)


def select_row(bench: Bench, percent: int) -> dict[str, Any]:
    """The elements below a limit, in order: so many of a hundred."""
    device, n, limit = bench.device, bench.largest, (percent << 32) // 100
    sample = np.random.default_rng(9).integers(0, 1 << 32, min(n, SAMPLE), dtype=np.uint32)
    x, y, total = bench.repeated(sample, n), device.empty(n, u32), device.empty(1, u32)
    with Select(device, u32, n, op="lt", values=True) as select:
        select(x, y, limit)
        kept, found = sample[sample < limit], select.count()
        assert found == len(kept) * (n // len(sample)), "the selection is wrong"
        assert np.array_equal(y[found - len(kept) : found].numpy(), kept), "the selection is wrong"
        peers = bench.beside_cub("select_less_u32", x, y, total, limit, n=n)
        moved = 4 * (n + found)
        return bench.row(f"one pass: select {percent} % of u32 {n}", moved, lambda: select(x, y, limit), peers)


def check_sorted(bench: Bench, keys: Any, sorted_: px.Array, moved: px.Array | None = None) -> None:
    """By torch where it is there, which takes less time than numpy; its keys are signed."""
    if bench.torch is None:
        found, expected = sorted_.numpy(), np.sort(keys)
        rows = None if moved is None else moved.numpy()
    else:
        wide = keys.element_size()
        found = bench.torch.from_dlpack(sorted_.view(s32 if wide == 4 else s64))
        lowest = -(1 << 8 * wide - 1)  # signed numbers are in the order of the unsigned ones without it
        expected = bench.torch.sort(keys ^ lowest)[0] ^ lowest
        rows = None if moved is None else bench.torch.from_dlpack(moved.view(s32)).long()
    assert bool((found == expected).all()), "the sort is wrong"
    if rows is not None:
        assert bool((keys[rows] == found).all()), "the payload is wrong"
        assert bool(((rows[1:] > rows[:-1]) | (found[1:] != found[:-1])).all()), "equal keys changed places"


def sort_row(bench: Bench, element: Any, n: int, pairs: bool) -> dict[str, Any]:
    """Random keys, alone or with u32 payloads."""
    device, bytes_ = bench.device, element.isa.bytes
    given, keys = bench.random_keys(element, n)
    arguments = [given, device.empty(n, element)]
    if pairs:
        arguments += [bench.numbers(n), device.empty(n, u32)]
    with Sort(device, element, n, pairs=pairs) as sort:
        sort(*arguments)
        check_sorted(bench, keys, *arguments[1::2])
        peers = bench.beside_cub(f"sort_{'pairs_' * pairs}{element.isa.name}", *arguments, n=n)
        if bench.torch is not None:
            peers["torch.sort"] = lambda: bench.torch.sort(keys)
        moved = (bytes_ + 2 * (bytes_ + 4 * pairs) * sort.passes) * n
        return bench.row(f"sorts: {element.isa.name}{' pairs' * pairs} {n}", moved, lambda: sort(*arguments), peers)


class Counted(NamedTuple):
    """Values to count."""

    what: str
    element: Any
    bins: int
    draw: Callable[[np.random.Generator, int], Any]


COUNTED = (
    Counted("u8, 256 bins", u8, 256, lambda rng, n: rng.integers(0, 256, n, dtype=np.uint8)),
    Counted("u8, 256 bins, skewed", u8, 256, lambda rng, n: np.minimum(rng.geometric(0.3, n), 255).astype(np.uint8)),
    Counted("u8, 256 bins, one value", u8, 256, lambda rng, n: np.full(n, 7, np.uint8)),
    Counted("u16, 1024 bins", u16, 1024, lambda rng, n: rng.integers(0, 1024, n, dtype=np.uint16)),
    Counted("u32, 4096 bins", u32, 4096, lambda rng, n: rng.integers(0, 4096, n, dtype=np.uint32)),
)


def histogram_row(bench: Bench, work: Counted) -> dict[str, Any]:
    """How often each value occurs."""
    device, bytes_ = bench.device, work.element.isa.bytes
    n = bench.largest // bytes_
    sample = work.draw(np.random.default_rng(4), min(n, SAMPLE))
    x = bench.repeated(sample, n)
    with Histogram(device, work.element, work.bins) as histogram:
        histogram(x)
        expected = np.bincount(sample, minlength=work.bins) * (n // len(sample))
        assert np.array_equal(histogram.counts.numpy(), expected), "the counts are wrong"
        counts = device.zeros(work.bins, u32)
        peers = bench.beside_cub(f"histogram_{work.element.isa.name}", x, counts, work.bins, n=n)
        return bench.row(f"histograms: {work.what} {n}", n * bytes_, lambda: histogram(x), peers)


def range_row(bench: Bench, bins: int) -> dict[str, Any]:
    """How many f32 lie between edges at uneven distances."""
    device, n = bench.device, bench.largest // 4
    rng = np.random.default_rng(10)
    edges = np.sort(rng.choice(1 << 20, bins + 1, replace=False)).astype(np.float32) / (1 << 20)
    sample = rng.random(min(n, SAMPLE), dtype=np.float32)
    x = bench.repeated(sample, n)
    with Histogram.ranges(device, f32, edges.tolist(), closed=False) as histogram:
        histogram(x)
        places = np.searchsorted(edges, sample, side="right")
        expected = np.bincount(places, minlength=bins + 2)[1 : bins + 1] * (n // len(sample))
        assert np.array_equal(histogram.counts.numpy(), expected), "the counts are wrong"
        given, counts = device.array(edges), device.zeros(bins, u32)
        peers = bench.beside_cub("histogram_ranges_f32", x, counts, given, bins, n=n)
        return bench.row(f"histograms: f32, {bins} ranges {n}", n * 4, lambda: histogram(x), peers)


class Keyed(NamedTuple):
    """Rows with keys, on the host and on the device."""

    keys: Any
    on: px.Array
    different: int
    there: Any
    """Of each number below `different`, whether it is among them."""


@cache
def keyed(bench: Bench, groups: int | None) -> Keyed:
    """So many different keys at random, or all different."""
    n, rng = bench.rows, np.random.default_rng(5)
    keys = rng.permutation(n).astype(np.uint32) if groups is None else rng.integers(0, groups, n, dtype=np.uint32)
    return Keyed(keys, bench.device.array(keys), groups or n, among(keys, groups or n))


@cache
def amounts_of(bench: Bench) -> tuple[Any, px.Array]:
    """(a u64 for each row, the same on the device)."""
    amounts = np.random.default_rng(6).integers(0, 1000, bench.rows, dtype=np.uint64)
    return amounts, bench.device.array(amounts)


@cache
def sides_of(bench: Bench) -> tuple[Any, Any]:
    """Two columns without repeated rows, half of which are in both."""
    n, rng = bench.rows, np.random.default_rng(7)
    left, right = (rng.permutation(2 * n)[:n].astype(np.uint32) for _ in range(2))
    return left, right


def among(keys: Any, most: int) -> Any:
    """Which of the numbers below `most` are among the keys."""
    there = np.zeros(most, bool)
    there[keys] = True
    return there


def assert_set(found: px.Array, expected: Any, what: str) -> None:
    """The numbers that are expected, each once."""
    there = among(found.numpy(), len(expected))
    assert found.size == expected.sum(), f"{what}: {found.size}"
    assert np.array_equal(there, expected), f"{what} are wrong"


def distinct_row(bench: Bench, groups: int | None, ordered: bool) -> dict[str, Any]:
    """The different keys. CUB's are sorted and compared."""
    device, n = bench.device, bench.rows
    keys, on, different, there = keyed(bench, groups)
    with Dedup(device, on, ordered=ordered, values=True) as dedup:
        dedup(on)
        assert_set(dedup.rows(), there, "the distinct keys")
        scratch = (device.empty(n, u32), device.empty(n, u32), device.empty(1, u32))
        peers = bench.beside_cub("distinct_u32", on, *scratch, n=n)
        if bench.torch is not None:
            signed = bench.tensor(keys)
            peers["torch.unique"] = lambda: bench.torch.unique(signed)
        name = f"distinct keys: {n} u32, {different} different{_order(ordered)}"
        return bench.row(name, 4 * (n + min(n, different)), lambda: dedup(on), peers)


def group_row(bench: Bench, groups: int | None, ordered: bool) -> dict[str, Any]:
    """The sum of a u64 column by key. CUB's pairs are sorted and reduced."""
    device, n = bench.device, bench.rows
    keys, on, different, there = keyed(bench, groups)
    values, amounts = amounts_of(bench)
    wanted = {"sum": ("sum", amounts)}
    with GroupBy(device, on, ordered=ordered) as by:
        by.aggregate(on, wanted)
        (found,), sums = by.rows()
        assert_set(found, there, "the groups")
        expected = np.bincount(keys, values, minlength=different).astype(np.uint64)
        assert np.array_equal(sums["sum"].numpy(), expected[found.numpy()]), "the sums are wrong"
        sorted_, moved = device.empty(n, u32), device.empty(n, u64)
        results = (device.empty(n, u32), device.empty(n, u64), device.empty(1, u32))
        peers = bench.beside_cub("group_sum_u32", on, sorted_, amounts, moved, *results, n=n)
        name = f"sums by key: {n} u32, {different} groups{_order(ordered)}"
        return bench.row(name, 12 * (n + min(n, different)), lambda: by.aggregate(on, wanted), peers)


def _order(ordered: bool) -> str:
    return "" if ordered else ", in any order"


SETS: dict[str, Any] = {
    "union": np.logical_or,
    "intersection": np.logical_and,
    "difference": lambda left, right: left & ~right,
}
"""Of which numbers are there."""


def set_row(bench: Bench, name: str, ordered: bool) -> dict[str, Any]:
    """Of two columns without repeated rows, half of which are in both."""
    device, torch, n = bench.device, bench.torch, bench.rows
    left, right = sides_of(bench)
    a, b = device.array(left), device.array(right)
    peers: Runs = {}
    if torch is not None:
        one, other = bench.tensor(left), bench.tensor(right)
        theirs: dict[str, Callable[[], Any]] = {
            "union": lambda: torch.unique(torch.cat((one, other))),
            "intersection": lambda: one[torch.isin(one, other)],
            "difference": lambda: one[torch.isin(one, other, invert=True)],
        }
        peers["torch"] = theirs[name]
    with RowSets(device, a, 2 * n, ordered=ordered) as both:
        run: Callable[..., None] = getattr(both, name)
        run(a, b)
        expected = SETS[name](among(left, 2 * n), among(right, 2 * n))
        (found,) = both.rows()
        assert_set(found, expected, f"the {name}")
        moved = 8 * n + 4 * found.size
        return bench.row(f"sets: {name} of {n} and {n} u32{_order(ordered)}", moved, lambda: run(a, b), peers)


def join_row(bench: Bench) -> dict[str, Any]:
    """u32 keys on each side, one match each; the table is built and probed. Peers sort one side and search it."""
    device, torch, n = bench.device, bench.torch, bench.rows
    rng = np.random.default_rng(7)
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

    peers: Runs = {}
    if torch is not None:
        left, right = bench.tensor(probe), bench.tensor(build)

        def sort_and_search() -> None:
            keys, order = torch.sort(right)
            places = torch.searchsorted(keys, left, out_int32=True).clamp_(max=n - 1)
            hit = keys[places] == left
            torch.nonzero(hit), order[places[hit]]

        peers["torch sort+search"] = sort_and_search
    # What a join that counts, scans and materialises moves, its table built by atomics: in order the keys, 4*(2 + 1), ranks 8,
    # counts and first matches 16, places 8 and pairs 8; and at random 32-byte sectors, for each build row a counter read and
    # written, a first place and an entry, for each probe row its bucket's bounds and an entry. What our kernels move is less:
    # 32 of the build side and 76 of the probe side (ptxgen/kernels/joins: hash_partition, hash_build, hash_probe), 108.
    return bench.row(f"joins: {n} and {n} u32", (12 + 8 + 16 + 8 + 8 + 32 * 6) * n, ours, peers)


Rows = Iterator[dict[str, Any]]
GROUPS = (10, 1000, 100_000, None)
PARTS: dict[str, Callable[[Bench], Rows]] = {
    "scan": lambda on: (scan_row(on, element, kind) for element, kind in ((f32, np.float32), (u64, np.uint64))),
    "sum": lambda on: (sum_row(on) for _ in range(1)),
    "transform": lambda on: (transform_row(on) for _ in range(1)),
    "select": lambda on: (select_row(on, percent) for percent in (10, 50, 90)),
    "sort": lambda on: (
        sort_row(on, element, n, pairs) for element in (u32, u64) for n in on.sorted for pairs in (False, True)
    ),
    "histogram": lambda on: (histogram_row(on, work) for work in COUNTED),
    "ranges": lambda on: (range_row(on, bins) for bins in (16, 256, 4096)),
    "distinct": lambda on: (distinct_row(on, groups, ordered) for ordered in (True, False) for groups in GROUPS),
    "group": lambda on: (group_row(on, groups, ordered) for ordered in (True, False) for groups in GROUPS),
    "sets": lambda on: (set_row(on, name, ordered) for ordered in (True, False) for name in SETS),
    "join": lambda on: (join_row(on) for _ in range(1)),
}


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    parser.add_argument("--log2", type=int, default=28, help="elements of scans, sums, selections and histograms")
    parser.add_argument("--sorted", nargs="+", type=int, default=(20, 24, 28), help="powers of two: elements of sorts")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of groups, sets and joins")
    options = parser.parse_args()
    if options.tiny:
        options.log2, options.sorted, options.rows = 10, (10,), 500
    timer = Timer(px.device(options.device), 1 if options.tiny else ROUNDS)
    bench = Bench(timer, 1 << options.log2, tuple(1 << power for power in options.sorted), options.rows)
    rows: list[dict[str, Any]] = []
    for part in options.only:
        for found in PARTS[part](bench):
            rows.append(found)
            if not options.json:
                _print(found)
    if options.json:
        print_json(rows)


def _print(found: dict[str, Any]) -> None:
    peers = "  ".join(f"{peer} {value:.3f}" for peer, value in found["peers"].items())
    floor, ratio = found["floor"], found["ratio"]
    beside = f"  {ratio:.2f}x the best peer" if ratio else ""
    print(f"{found['name']:44} {found['ours']:.3f} ms  floor {floor:.3f}  {peers}{beside}", flush=True)


if __name__ == "__main__":
    main()
