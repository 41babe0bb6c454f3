"""Which entries of a hash table (see hash_join.py) match the rows of a probe side, in one pass (see hash_search.py).

`probe_pairs` writes the pairs (probe row, build row) of equal keys in order of the probe rows: a CTA looks a tile of rows up,
counts their matches and remembers one of each row, learns by decoupled look-back (see lookback.py) how many pairs the tiles
before it have, and writes. The pairs of a row that has a frequent key of the build side (see hash_frequent.py) are all of a run,
and are left to `write_runs` (hash_runs.py). `probe_marks` only says which rows have a match, and stops at the first.

Shapes: tags[n] of u32 or u64 -> left[capacity], right[capacity] of u32 and total[1] of u64, or marks[n] of u8. `states` and
`ticket` are scratch that is zero before the first launch: two u64 a tile, and one. The order of one row's pairs depends on
timing.

Floor, n rows with u32 keys and one match each: the keys read and the pairs written in order, 12*n bytes, and two 32-byte
sectors a row, of a bucket's bounds and of its entries: 76*n in all, 0.18 ms for 10^7 rows at an H200's 4.3 TB/s. On a table
that is larger than the L2 cache it takes 0.5 ms: the memory brings 64 bytes for each sector, 1.1 GB in all.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u8, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.kernels.blocks.collectives import WARP, warp_reduce, warp_scan, warps_before
from ptxgen.kernels.blocks.lookback import before_tile, publish_total, take_turn, words_of
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_frequent import WORDS, only_frequent
from ptxgen.kernels.joins.hash_join import (
    NO_ROW,
    buckets_for,
    element_of,
    entries_of,
    padded_entries,
    random_tags,
    table_of,
    words_of_key,
    zeros,
)
from ptxgen.kernels.joins.hash_keys import MIXED, packed_of, random_columns
from ptxgen.kernels.joins.hash_runs import Runs, runs_of, write_run
from ptxgen.kernels.joins.hash_search import (
    LONG,
    Entries,
    ProbeRows,
    count_together,
    each_long,
    find_together,
    has_match,
    rows_of,
    search,
)
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "marks_plan", "pairs_plan", "scratch_words"]

T = TypeVar("T", bound=Integer)

THREADS = 512
"""Of a CTA that writes pairs: 500 us for 10^7 rows on an H200, 519 with 256."""
MARKERS = 256
"""Of a CTA that marks rows."""
WARPS = THREADS // WARP
ITEMS = 2
"""Rows that a thread looks up at a time: with four, fewer threads fit into an SM."""
TILE = THREADS * ITEMS


@kernel(threads=THREADS)
def probe_pairs(
    k: Builder, n: u32, tags: ptr[T], mask: u32, starts: ptr[u32], entries: ptr[u32], probe_keys: ptr[u32],
    build_keys: ptr[u32], frequent: ptr[u32], firsts: ptr[u32], pairs: ptr[u32], chunks: ptr[u32], states: ptr[u64],
    ticket: ptr[u64], total: ptr[u64], capacity: u32, left: ptr[u32], right: ptr[u32], *, element: type[T], words: int,
    outer: bool, runs: bool,
) -> None:  # fmt: skip
    """A CTA a tile of TILE rows. Pairs past `capacity` are not written; the last tile writes the total, in 64 bits.

    `words` of a packed key whose hash the tag is, else 0. `runs`: the rows of the frequent key i lie in `pairs` from firsts[i]
    on, before firsts[i + 1]. `outer`: a row without a match has a pair with NO_ROW. From the tile on that comes to 2^32 pairs
    nothing is written: places have 32 bits.
    """
    turn = take_turn(k, ticket)
    tile = turn.tile
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    table = Entries(k, entries, element, probe_keys, build_keys, words)
    first = tile * TILE + warp * (WARP * ITEMS) + lane
    rows = rows_of(k, first, n, tags, mask, starts, element, ITEMS, hashed=words > 0)
    counts, matches = [k.var(u32, 0) for _ in range(ITEMS)], [k.var(u32, NO_ROW) for _ in range(ITEMS)]
    in_runs = runs_of(k, rows, n, frequent, firsts) if runs else []
    long = _count(k, rows, table, lane, counts, matches)
    for count, (_, length) in zip(counts, in_runs):
        count += length
    if outer:
        for count, number in zip(counts, rows.numbers):
            with k.pred(number < n):
                count.set(k.max(count, 1))
    own = k.var(u64, 0)
    for count in counts:
        own += count.to(u64)

    before_warp, whole = warps_before(k, warp_reduce(k, "sum", own), WARPS, name="sums")
    publish_total(k, states, turn, whole)
    before = before_tile(k, "sum", states, turn, whole, 0)
    with k.if_((k.tid.x == 0) & (n - tile * TILE <= TILE)):
        total[0] = before + whole
    with k.if_((before + whole > NO_ROW) | (before >= capacity.to(u64))):
        k.return_()

    output = _Output(k, capacity, left, right)
    next_ = k.var(u32, (before + before_warp).to(u32))
    for i, (number, count, match, is_long) in enumerate(zip(rows.numbers, counts, matches, long)):
        upto_lane = warp_scan(k, count, WARP)
        place = k.var(u32, next_ + upto_lane - count)
        several = (count > 1) & (place < capacity)
        one_match = count == 1
        if in_runs:
            begin, length = in_runs[i]
            to_write = k.select(place < capacity, length, 0)
            write_run(k, number, begin, to_write, place, capacity, pairs, left, right, element, chunks)
            several, one_match = several & (length == 0), one_match & (length == 0)
        next_ += k.shfl_idx(upto_lane, WARP - 1)
        output.write_long(i, rows, table, several, place, lane)
        with k.if_(several & ~is_long):
            one = ProbeRows(*([values[i]] for values in rows))
            search(k, one, table, partial(output.write_item, place, number))
        with k.if_(one_match):
            output.write(place, number, match)


def _count(
    k: Builder, rows: ProbeRows, table: Entries, lane: Any, counts: list[Any], matches: list[Any]
) -> list[Any]:  # fmt: skip
    """Adds up the matches of each row, and remembers one; which of the rows' buckets are long, which a warp reads together."""

    def note(i: int, build_row: Any) -> None:
        counts[i] += 1
        matches[i].set(build_row)

    long = [end - begin > LONG for begin, end in zip(rows.firsts, rows.ends)]
    short = [k.select(is_long, begin, end) for is_long, begin, end in zip(long, rows.firsts, rows.ends)]
    search(k, rows._replace(ends=short), table, note)
    for i, (is_long, count, match) in enumerate(zip(long, counts, matches)):
        for lanes, row in each_long(k, rows, i, is_long, alike=table.words == 0):
            found, some = count_together(k, row, table)
            all_, one = warp_reduce(k, "sum", found), warp_reduce(k, "min", some)
            with k.if_((lanes >> lane) & 1 != 0):
                count.set(all_)
                match.set(one)
    return long


class _Output:
    """The pairs as they are written."""

    def __init__(self, k: Builder, capacity: Any, left: Any, right: Any) -> None:
        self.k, self.capacity, self.left, self.right = k, capacity, left, right
        self.places = k.shared(u32, THREADS, name="places")

    def write(self, place: Any, number: Any, build_row: Any) -> None:
        with self.k.if_(place < self.capacity):
            self.left[place] = number
            self.right[place] = build_row
        place.set(place + 1)

    def write_item(self, place: Any, number: Any, _: int, build_row: Any) -> None:
        self.write(place, number, build_row)

    def write_long(self, i: int, rows: ProbeRows, table: Entries, wanted: Any, place: Any, lane: Any) -> None:
        """Those of the lanes' rows i that have long buckets, by the warp; `place`: of a lane's first pair."""
        k, places, number = self.k, self.places, rows.numbers[i]
        places[k.tid.x] = place
        k.syncwarp()
        for lanes, row in each_long(k, rows, i, wanted, alike=table.words == 0):

            def put(rank: Any, build_row: Any, lanes: Any = lanes) -> None:
                rest = k.var(u32, lanes)
                with k.while_(lambda: rest != 0):
                    source = k.clz(k.brev(rest))
                    rest.set(rest & (rest - 1))
                    at = places[k.tid.x - lane + source] + rank
                    with k.if_(at < self.capacity):
                        self.left[at] = number - lane + source
                        self.right[at] = build_row

            find_together(k, row, table, put)
        k.syncwarp()


@kernel(max_threads=MARKERS, min_ctas=3)
def probe_marks(
    k: Builder, n: u32, tags: ptr[T], mask: u32, starts: ptr[u32], entries: ptr[u32], probe_keys: ptr[u32],
    build_keys: ptr[u32], frequent: ptr[u32], firsts: ptr[u32], marks: ptr[u8], *, element: type[T], words: int,
    runs: bool,
) -> None:  # fmt: skip
    """marks[row] = 1 if the row has a match, else 0."""
    table = Entries(k, entries, element, probe_keys, build_keys, words)
    warps = k.grid_size.x // WARP
    for first in k.range(k.global_id.x // WARP * (WARP * ITEMS), n, warps * (WARP * ITEMS)):
        rows = rows_of(k, first + k.lane, n, tags, mask, starts, element, ITEMS, hashed=words > 0)
        marked = [k.var(u32, 0) for _ in range(ITEMS)]
        if runs:
            for mark, (_, length) in zip(marked, runs_of(k, rows, n, frequent, firsts)):
                mark.set(k.min(length, 1))
        long = [end - begin > LONG for begin, end in zip(rows.firsts, rows.ends)]
        short = [k.var(u32, k.select(is_long, *bounds)) for is_long, *bounds in zip(long, rows.firsts, rows.ends)]

        def note(i: int, _: Any, rows: ProbeRows = rows, short: list[Any] = short, marked: list[Any] = marked) -> None:
            marked[i].set(1)
            short[i].set(rows.firsts[i])

        search(k, rows._replace(ends=short), table, note)
        for i, (is_long, mark) in enumerate(zip(long, marked)):
            for lanes, row in each_long(k, rows, i, is_long, alike=words == 0):
                some = has_match(k, row, table)
                with k.if_(((lanes >> k.lane) & 1 != 0) & some):
                    mark.set(1)
        for row, mark in zip(rows.numbers, marked):
            with k.pred(row < n):
                marks[row] = mark.to(u8)


KERNEL = probe_pairs


def scratch_words(n: int) -> int:
    """u64 words of scratch for n rows: the states of the tiles and the ticket."""
    return ceil_div(max(n, 1), TILE) * words_of(u64) + 1


def pairs_plan(
    n: int, tags: Any, mask: int, starts: Any, entries: Any, probe_keys: Any, build_keys: Any, runs: Runs | None,
    chunks: Any, states: Any, ticket: Any, total: Any, capacity: int, left: Any, right: Any, *, words: int,
    outer: bool = False,
) -> KernelPlan:  # fmt: skip
    """The pairs of n probe rows; the scratch is zero before the first launch. Where there are runs, the number of chunks is zero
    before each (see hash_runs.py)."""
    kernel_ = using(probe_pairs, element=element_of(tags), words=words, outer=outer, runs=runs is not None)
    arguments = (
        n, tags, mask, starts, entries, probe_keys, build_keys, *(runs or (starts,) * 3), chunks, states, ticket, total,
        capacity, left, right,
    )  # fmt: skip
    return KernelPlan(kernel_, grid_for(n, TILE), THREADS, arguments)


def marks_plan(
    n: int, tags: Any, mask: int, starts: Any, entries: Any, probe_keys: Any, build_keys: Any, runs: Runs | None,
    marks: Any, *, words: int,
) -> KernelPlan:  # fmt: skip
    """Which of n probe rows have a match."""
    kernel_ = using(probe_marks, element=element_of(tags), words=words, runs=runs is not None)
    frequent, firsts, _ = runs or (starts,) * 3
    arguments = (n, tags, mask, starts, entries, probe_keys, build_keys, frequent, firsts, marks)
    return KernelPlan(kernel_, grid_for(n, MARKERS * ITEMS), MARKERS, arguments)


def _table_case(
    n: int, rng: np.random.Generator, *, element: type[Integer], hashed: bool, runs: bool
) -> tuple[Any, ...]:
    """n probe rows on n/2 build rows: the launches' first arguments as arrays, the mask, the words of a key and each probe row's
    matches, in the order of the buckets. Keys that are `hashed` have columns of 8, 2 and 4 bytes; some of the build side's have a
    tag that another key has too. With `runs` the first probe row's key is frequent."""
    import numpy as np

    build, probe = random_tags(rng, n // 2, element), random_tags(rng, n, element)
    packed: Any = (build, probe)
    words = 0
    if hashed:
        words = words_of_key(MIXED[1])
        packed, (build, probe) = zip(*[packed_of(random_columns(rng, size, MIXED[1])) for size in (n // 2, n)])
        build[:LONG:2] = probe[0] if n else 0  # tags that collide: the keys decide
    frequent, kept = np.zeros(WORDS, np.uint32), np.ones(len(build), bool)
    if runs and n:
        build[::5] = probe[0]
        frequent, kept = only_frequent(probe[0]), build != probe[0]
    run, rest = (np.nonzero(which)[0].astype(np.uint32) for which in (~kept, kept))
    table = table_of(build, element, buckets_for(n // 2) - 1, hashed=hashed, rows=rest)
    matches = [np.nonzero(build == tag)[0] for tag in probe]
    if hashed:
        keys = [side.reshape(-1, words) for side in packed]
        matches = [rows[(keys[0][rows] == key).all(axis=1)] for rows, key in zip(matches, keys[1])]
    arrays = {
        "tags": HostArray(probe, element), "starts": HostArray(table.starts, u32),
        "entries": HostArray(padded_entries(table), u32),
        "build_keys": HostArray(packed[0].view(np.uint32), u32), "probe_keys": HostArray(packed[1].view(np.uint32), u32),
        "frequent": HostArray(frequent, u32), "firsts": HostArray(np.array([0, len(run)], np.uint32), u32),
        "runs": HostArray(entries_of(build[run], run, element), u32),
    }  # fmt: skip
    return arrays, table.mask, words, matches


def _pairs_case(
    n: int, rng: np.random.Generator, *, element: type[Integer], hashed: bool = False, outer: bool = False,
    runs: bool = False,
) -> Case:  # fmt: skip
    """A quarter of the pairs does not fit."""
    import numpy as np

    arrays, mask, words, matches = _table_case(n, rng, element=element, hashed=hashed, runs=runs)
    rows = [found if len(found) else np.full(int(outer), NO_ROW) for found in matches]
    left = np.repeat(np.arange(n, dtype=np.uint32), [len(found) for found in rows])
    right = np.concatenate([np.zeros(0), *rows]).astype(np.uint32)
    capacity = len(left) - len(left) // 4
    written = np.arange(len(left)) < capacity
    arrays |= {
        "states": HostArray(np.zeros(scratch_words(n), np.uint64), u64), "ticket": HostArray(np.zeros(1, np.uint64), u64),
        "chunks": zeros(8),
        "total": HostArray(np.full(1, 7, np.uint64), u64), "left": zeros(len(left)), "right": zeros(len(left)),
    }  # fmt: skip

    def launch(on: Mapping[str, Any]) -> KernelPlan:
        return pairs_plan(
            n, on["tags"], mask, on["starts"], on["entries"], on["probe_keys"], on["build_keys"], _of(on, runs),
            on["chunks"], on["states"], on["ticket"], on["total"], capacity, on["left"], on["right"], words=words,
            outer=outer,
        )  # fmt: skip

    expected: dict[str, Any] = {
        "left": np.where(written, left, 0).astype(np.uint32), "right": np.where(written, right, 0).astype(np.uint32),
        "total": np.array([len(left)], np.uint64),
    }  # fmt: skip
    return Case(arrays=arrays, plan=launch, expected=expected, tolerance=EXACT)


def _of(on: Mapping[str, Any], runs: bool) -> Runs | None:
    return Runs(on["frequent"], on["firsts"], on["runs"]) if runs else None


def _marks_case(
    n: int, rng: np.random.Generator, *, element: type[Integer], hashed: bool = False, runs: bool = False
) -> Case:
    import numpy as np

    arrays, mask, words, matches = _table_case(n, rng, element=element, hashed=hashed, runs=runs)
    arrays["marks"] = HostArray(np.full(n, 7, np.uint8), u8)
    return Case(
        arrays=arrays,
        plan=lambda on: marks_plan(
            n, on["tags"], mask, on["starts"], on["entries"], on["probe_keys"], on["build_keys"], _of(on, runs),
            on["marks"], words=words,
        ),
        expected={"marks": np.array([len(found) > 0 for found in matches], np.uint8)},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(name: str, element: type[Integer], *, marks: bool = False, **how: Any) -> Variant:
    words = words_of_key(MIXED[1]) if how.get("hashed") else 0
    runs = how.get("runs", False)
    if marks:
        kernel_ = using(probe_marks, element=element, words=words, runs=runs)
    else:
        kernel_ = using(probe_pairs, element=element, words=words, outer=how.get("outer", False), runs=runs)
    case = partial(_marks_case if marks else _pairs_case, element=element, **how)
    return Variant("hash_probe", name, kernel_, case, (0, 1, 100, TILE + 77))


VARIANTS = (
    _variant("pairs.u32", u32),
    _variant("pairs.u64", u64),
    _variant("pairs.u32.outer", u32, outer=True),
    _variant("pairs.hashed", u64, hashed=True),
    _variant("marks.u32", u32, marks=True),
    _variant("marks.u64", u64, marks=True),
    _variant("marks.hashed", u64, marks=True, hashed=True),
    _variant("pairs.u32.runs", u32, runs=True),
    _variant("pairs.u64.runs", u64, runs=True),
    _variant("marks.u32.runs", u32, marks=True, runs=True),
    _variant("marks.u64.runs", u64, marks=True, runs=True),
)
