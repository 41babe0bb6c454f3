"""Probe rows that have a frequent key (see hash_frequent.py): their pairs are a run's, and many CTAs write them.

`runs_of` and `write_run` are parts of the kernels of hash_probe.py. A row of SHARED_OUT pairs or more is left in *chunks* of at
most CHUNK pairs to `write_runs`, which shares them out.

Shapes: chunks of u32, CHUNK_WORDS each: how many there are, and how many CTAs of `write_runs` have come to their end, zero before
the first launch and after each; then (probe row, first entry of the run, place of the first pair, pairs) of each chunk; pairs[n],
the entries of the runs, of the form of the table's; left, right of u32.

Floor: entries read and pairs written in order, 16 bytes a pair of u32 keys, of which the entries come from the L2 cache where
several rows have the key: 10^7 pairs at an H200's 4.3 TB/s: 0.04 ms.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_frequent import NONE, frequent_at
from ptxgen.kernels.joins.hash_join import element_of, entries_of, entry_bytes, load_entry
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["CHUNK_WORDS", "KERNEL", "VARIANTS", "Runs", "chunk_words", "runs_of", "runs_plan", "write_run"]

THREADS = 512
CTAS = 132 * 4
"""Four CTAs of 512 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""
CHUNK = 8192
CHUNK_WORDS = 4
"""Of a chunk, and of what stands before the chunks."""
SHARED_OUT = 1024
"""Pairs of a row from which on they are left to `write_runs`; its warp writes fewer at once."""
AHEAD = 4
"""Entries that a thread has in flight."""


class Runs(NamedTuple):
    """The frequent keys of a table, where the run of each begins, and the entries of the runs."""

    frequent: Any
    firsts: Any
    pairs: Any


def runs_of(k: Builder, rows: Any, n: Any, frequent: Any, firsts: Any) -> list[tuple[Any, Any]]:
    """Of `rows` (see hash_search.py): (first entry, entries) of each one's run, none where its key is not frequent. A row with a
    run has no match in its bucket, which is made empty."""
    found = [(k.var(u32, 0), k.var(u32, 0)) for _ in rows.numbers]
    with k.if_(frequent[0] != 0):
        for number, tag, bucket, end, (begin, length) in zip(*rows, found):
            with k.if_(number < n):
                key = frequent_at(k, frequent, tag)
                with k.if_(key != NONE):
                    bounds = firsts.at(key)
                    begin.set(bounds[0])
                    length.set(bounds[1] - begin)
                    end.set(bucket)
    return found


def write_run(
    k: Builder, number: Any, begin: Any, length: Any, place: Any, capacity: Any, pairs: Any, left: Any, right: Any,
    element: type[Integer], chunks: Any,
) -> None:  # fmt: skip
    """The pairs of each lane's row that has a run: by the warp, or, of many, left to others."""
    fits = k.min(length, capacity - place)
    with k.if_(fits >= SHARED_OUT):
        _leave_run(k, chunks, number, begin, place, fits)
    rest = k.var(u32, k.ballot((length != 0) & (fits < SHARED_OUT)))
    with k.while_(lambda: rest != 0):
        source = k.clz(k.brev(rest))
        rest &= rest - 1
        row, first, at, size = (k.shfl_idx(value, source) for value in (number, begin, place, fits))
        for j in k.range(k.lane, size, WARP):
            left[at + j] = row
            right[at + j] = load_entry(pairs, first + j, element)[-1]


def _leave_run(k: Builder, chunks: Any, row: Any, first: Any, place: Any, length: Any) -> None:
    """Leave the `length` pairs of a row to `write_runs`: by one thread."""
    at = k.var(u32, 1 + k.atomic_add(chunks, 0, (length + (CHUNK - 1)) // CHUNK))
    for done in k.range(0, length, CHUNK):
        chunks.vectors(4)[at] = (row, first + done, place + done, k.min(length - done, CHUNK))
        at += 1


@kernel(threads=THREADS)
def write_runs(k: Builder, chunks: ptr[u32], pairs: ptr[u32], left: ptr[u32], right: ptr[u32], *, words: int) -> None:
    """left and right of every chunk, a CTA each. An entry has `words` words, of which the row is the second or third."""
    number = words // 2
    for c in k.range(k.ctaid.x, chunks[0], k.nctaid.x):
        row, first, place, length = chunks.vectors(4)[c + 1]
        runs, lefts, rights = pairs.at(k.mul_wide(first, words)), left.at(place), right.at(place)
        for base in k.range(k.tid.x, length, THREADS * AHEAD):
            found = [k.var(u32, 0) for _ in range(AHEAD)]
            for i, each in enumerate(found):
                with k.pred(base + i * THREADS < length):
                    each.set(runs[(base + i * THREADS) * words + number])
            for i, each in enumerate(found):
                with k.pred(base + i * THREADS < length):
                    lefts[base + i * THREADS] = row
                    rights[base + i * THREADS] = each
    k.barrier()
    with k.if_(k.tid.x == 0):
        with k.if_(
            k.atomic_add(chunks, 1, 1, order="acq_rel") == k.nctaid.x - 1
        ):  # all others have read how many there are
            chunks[0] = 0
            chunks[1] = 0


KERNEL = write_runs


def chunk_words(capacity: int) -> int:
    """Words of the chunks that there can be, of rows of SHARED_OUT pairs and more whose first is below the capacity."""
    return CHUNK_WORDS * (ceil_div(capacity, SHARED_OUT) + ceil_div(capacity, CHUNK) + 2)


def runs_plan(tags: Any, chunks: Any, capacity: int, pairs: Any, left: Any, right: Any) -> KernelPlan:
    """The pairs of all chunks, of which there are at most those of `capacity`."""
    kernel_ = using(write_runs, words=entry_bytes(element_of(tags)) // 4)
    return KernelPlan(kernel_, grid_for(capacity, CHUNK, CTAS), THREADS, (chunks, pairs, left, right))


def _case(n: int, rng: np.random.Generator, *, element: type[Integer]) -> Case:
    """Rows 0, 5, 10, ... have n pairs each of one run, in chunks of different lengths, which do not lie in order."""
    import numpy as np

    rows = rng.permutation(n).astype(np.uint32)
    pairs = entries_of(rows.astype(np.uint32 if element is u32 else np.uint64), rows, element)
    cuts = sorted({0, n, *(n * i // 7 for i in range(7))})
    parts = [(5 * row, a, row * n + a, b - a) for row in range(3) for a, b in pairwise(cuts)]
    order = rng.permutation(np.array(parts, np.uint32).reshape(-1, CHUNK_WORDS))
    chunks = np.concatenate([[[len(parts), 0, 0, 0]], order]).astype(np.uint32).reshape(-1)
    sides = {name: HostArray(np.full(3 * n, 7, np.uint32), u32) for name in ("left", "right")}
    return Case(
        arrays={
            "tags": HostArray(np.zeros(1, np.uint32 if element is u32 else np.uint64), element),
            "chunks": HostArray(chunks, u32),
            "pairs": HostArray(pairs, u32), **sides,
        },
        plan=lambda on: runs_plan(on["tags"], on["chunks"], 3 * n, on["pairs"], on["left"], on["right"]),
        expected={"left": np.repeat(np.arange(3, dtype=np.uint32) * 5, n), "right": np.tile(rows, 3)},
        tolerance=EXACT,
    )  # fmt: skip


VARIANTS = tuple(
    Variant(
        "hash_runs", element.isa.name, using(write_runs, words=entry_bytes(element) // 4), partial(_case, element=element),
        (0, 1, 100, 9000),
    )
    for element in (u32, u64)
)  # fmt: skip
