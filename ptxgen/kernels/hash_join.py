"""Count-scan-materialise hash join: which rows of two tables have equal keys, in as many launches as that takes words to say.

A key is one or more columns; its *tag* is one word: the key itself when it has at most eight bytes, else its FNV-1a-64 hash
(G. Fowler, L. C. Noll, K.-P. Vo), and then the packed keys are compared too. The build side becomes a table of buckets:
`bucket_count` counts and ranks, a scan turns the counts into the buckets' first places, `bucket_scatter` puts the (tag, row)
entries there. On the probe side `probe_count` counts each row's matches and remembers the first, a scan gives each
row its place, and `probe_write` writes the pairs (probe row, build row).

Shapes: tags[n] of u32 or u64; starts[buckets + 1] of u32, where buckets = mask + 1 is a power of two; entries[n] of
(tag, row), 8 bytes, or (tag, row, 0), 16 bytes. The order of a bucket's entries depends on timing: the set of pairs is always
the same, the order of one probe row's pairs is not.

Floor, n build rows and m probe rows with u32 keys, one match each: what is read and written in order, 4*(2n + m) of keys,
8*n of ranks, 16*m of counts and first matches, 8*m of places and 8*m of pairs; and what is not, 32-byte sectors: for each
build row a counter read and written, a first place and an entry, for each probe row a bucket's bounds and an entry:
32*(4n + 2m) bytes. For 10^7 each that is 2.4 GB, 0.57 ms at an H200's 4.3 TB/s.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.build import Builder, kernel, ptr, u8, u16, u32, u64
from ptxgen.build.values import Integer
from ptxgen.device.formats import numpy_name
from ptxgen.kernels.cases import EXACT, Case, Host, Variant
from ptxgen.kernels.collectives import WARP, group_reduce
from ptxgen.kernels.plan import Plan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy as np

__all__ = [
    "COLUMN", "KERNEL", "NO_ROW", "VARIANTS", "bucket_of", "buckets_for", "count_plan", "element_of", "pack_plan",
    "parts_of", "probe_plan", "scatter_plan", "table_of", "words_of_key", "write_plan",
]  # fmt: skip

T = TypeVar("T", bound=Integer)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""
NO_ROW = 0xFFFFFFFF
"""The build row of a probe row without a match, in an outer join."""

WRITTEN, READ = 16 << 20, 64 << 20
"""Bytes of a part of a table that is written at random, and read at random: what is best beside the streams in an H200's L2
cache of 60 MB."""

FNV_OFFSET, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
COLUMN = {1: u8, 2: u16, 4: u32, 8: u64}


def fnv1a(k: Builder, words: list[Any], size: int) -> Any:
    """FNV-1a-64 of the first `size` bytes of 32-bit words."""
    found: Any = k.const(u64, FNV_OFFSET)
    for i in range(size):
        byte = (words[i // 4] >> 8 * (i % 4)) & 0xFF
        found = (byte.to(u64) ^ found) * FNV_PRIME
    return found


def words_of_key(sizes: tuple[int, ...]) -> int:
    """32-bit words of a packed key: its bytes, rounded up."""
    return -(-sum(sizes) // 4)


@kernel(max_threads=THREADS)
def pack_keys(
    k: Builder, n: u32, columns: ptr[u64], packed: ptr[u32], tags: ptr[u64], *, sizes: tuple[int, ...]
) -> None:
    """packed[row, word] and tags[row] of a key of several columns, whose addresses `columns` holds.

    `sizes` are the columns' bytes, 1, 2, 4 or 8 each. Keys are packed without gaps, the last word filled up with zeros.
    """
    bytes_ = sum(sizes)
    bases = [k.pointer(columns[c], COLUMN[size]) for c, size in enumerate(sizes)]
    for row in k.range(k.global_id.x, n, k.grid_size.x):
        words: list[Any] = [None] * words_of_key(sizes)
        at = 0
        for base, size in zip(bases, sizes):
            value = base[row].to(u64)
            for b in range(size):
                part = ((value >> 8 * b) & 0xFF).to(u32) << 8 * (at % 4)
                words[at // 4] = part if words[at // 4] is None else words[at // 4] | part
                at += 1
        for w, word in enumerate(words):
            packed[row * len(words) + w] = word
        if bytes_ > 8:
            tags[row] = fnv1a(k, words, bytes_)
        else:
            tags[row] = words[0].to(u64) if len(words) == 1 else (words[1].to(u64) << 32) | words[0].to(u64)


def bucket_of(k: Builder, tag: Any, mask: Any, *, hashed: bool) -> Any:
    """The bucket of a key: its hash folded to 32 bits. A tag that is `hashed` is the hash itself."""
    if hashed:
        found = tag
    else:
        words = [tag] if tag.isa.bits == 32 else [tag.to(u32), (tag >> 32).to(u32)]
        found = fnv1a(k, words, 4 * len(words))
    return (found ^ (found >> 32)).to(u32) & mask


@kernel(max_threads=THREADS)
def bucket_count(
    k: Builder, n: u32, tags: ptr[T], mask: u32, parts: u32, shift: u32, counts: ptr[u32], ranks: ptr[u32], *,
    element: type[T], hashed: bool,
) -> None:  # fmt: skip
    """counts[bucket] += how many rows fall into it; ranks[row] = how many were there before the row."""
    for row, part in _rows_by_part(k, n, parts):
        bucket = bucket_of(k, tags[row], mask, hashed=hashed)
        with k.if_(bucket >> shift == part):
            ranks[row] = k.atomic_add(counts, bucket, 1)


def _rows_by_part(k: Builder, n: u32, parts: u32) -> Iterator[tuple[Any, Any]]:
    """The rows of the whole grid, once for each part of the table. A part fits into the L2 cache, so that the many small
    accesses to it stay there; the keys are read in order, so reading them again costs little."""
    for part in k.range(parts):
        for row in k.range(k.global_id.x, n, k.grid_size.x):
            yield row, part


@kernel(max_threads=THREADS)
def bucket_scatter(
    k: Builder, n: u32, tags: ptr[T], mask: u32, parts: u32, shift: u32, starts: ptr[u32], ranks: ptr[u32],
    entries: ptr[u32], *, element: type[T], hashed: bool,
) -> None:  # fmt: skip
    """Put each row's entry at its rank in its bucket."""
    for row, part in _rows_by_part(k, n, parts):
        tag = tags[row]
        bucket = bucket_of(k, tag, mask, hashed=hashed)
        with k.if_(bucket >> shift == part):
            place = starts[bucket] + ranks[row]
            if element.isa.bits == 32:
                entries.vectors(2)[place] = (tag, row)
            else:
                entries.vectors(4)[place] = (tag.to(u32), (tag >> 32).to(u32), row, k.const(u32, 0))


def _matches(
    k: Builder, row: Any, tag: Any, bucket: Any, starts: Any, entries: Any, keys: tuple[Any, Any], words: int,
    found: Callable[[Any], None],
) -> None:  # fmt: skip
    """`found(build row)` for each entry of the tag's bucket with the same key. `words` is not 0 for keys that are hashed."""
    here = starts.at(bucket)
    for place in k.range(here[0], here[1]):
        if tag.isa.bits == 32:
            other, build_row = entries.vectors(2)[place]
            same = other == tag
        else:
            low, high, build_row, _ = entries.vectors(4)[place]
            same = (low == tag.to(u32)) & (high == (tag >> 32).to(u32))
        with k.if_(same):
            if not words:
                found(build_row)
            else:
                probe_key, build_key = keys[0].at(row * words), keys[1].at(build_row * words)
                differ = k.var(u32, 0)
                for w in range(words):
                    differ |= probe_key[w] ^ build_key[w]
                with k.if_(differ == 0):
                    found(build_row)


@kernel(threads=THREADS)
def probe_count(
    k: Builder, n: u32, tags: ptr[T], mask: u32, parts: u32, shift: u32, starts: ptr[u32], entries: ptr[u32],
    probe_keys: ptr[u32], build_keys: ptr[u32], counts: ptr[u32], firsts: ptr[u32], total: ptr[u64], *,
    element: type[T], words: int, outer: bool,
) -> None:  # fmt: skip
    """counts[row] of a probe row's matches, firsts[row] one of them (NO_ROW without), and total += all counts, in 64 bits.

    `outer`: a row without a match counts once.
    """
    own = k.var(u64, 0)
    for row, part in _rows_by_part(k, n, parts):
        tag = tags[row]
        bucket = bucket_of(k, tag, mask, hashed=words > 0)
        with k.if_(bucket >> shift == part):
            count, first = k.var(u32, 0), k.var(u32, NO_ROW)

            def note(build_row: Any, count: Any = count, first: Any = first) -> None:
                count.set(count + 1)
                first.set(build_row)

            _matches(k, row, tag, bucket, starts, entries, (probe_keys, build_keys), words, note)
            if outer:
                count.set(k.max(count, 1))
            counts[row] = count
            firsts[row] = first
            own += count.to(u64)
    sums = k.shared(u64, THREADS // WARP, name="sums")
    whole = group_reduce(k, "sum", own, THREADS, lambda: sums)
    with k.if_((k.tid.x == 0) & (whole != 0)):
        k.reduce_add(total, 0, whole)


@kernel(max_threads=THREADS)
def probe_write(
    k: Builder, n: u32, tags: ptr[T], mask: u32, starts: ptr[u32], entries: ptr[u32], probe_keys: ptr[u32],
    build_keys: ptr[u32], counts: ptr[u32], firsts: ptr[u32], places: ptr[u32], total: ptr[u64], capacity: u32,
    left: ptr[u32], right: ptr[u32], *, element: type[T], words: int,
) -> None:  # fmt: skip
    """The pairs of each probe row at its place; what would lie past `capacity` is not written.

    A row with one match has had it remembered, so its bucket is not read again. Of 2^32 pairs and more nothing is written:
    the places, of 32 bits, mean nothing then.
    """
    with k.if_(total[0] > NO_ROW):
        k.return_()
    for row in k.range(k.global_id.x, n, k.grid_size.x):
        count, place = counts[row], k.var(u32, places[row])
        with k.if_((count == 1) & (place < capacity)):
            left[place] = row
            right[place] = firsts[row]
        with k.if_((count > 1) & (place < capacity)):

            def write(build_row: Any, row: Any = row, place: Any = place) -> None:
                with k.if_(place < capacity):
                    left[place] = row
                    right[place] = build_row
                place.set(place + 1)

            bucket = bucket_of(k, tags[row], mask, hashed=words > 0)
            _matches(k, row, tags[row], bucket, starts, entries, (probe_keys, build_keys), words, write)


KERNEL = probe_count


def buckets_for(rows: int) -> int:
    """A power of two, one bucket for one or two rows: the buckets' bounds then fit into the L2 cache twice as long."""
    return 1 << max(0, (rows - 1) // 2).bit_length()


def parts_of(mask: int, bytes_: int, most: int) -> tuple[int, int]:
    """(parts, shift): how many parts of at most `most` bytes a table of `bytes_` has, and which bits of a bucket number them."""
    bits = mask.bit_length()
    parts = max(0, (bytes_ - 1) // most).bit_length()
    return 1 << min(parts, bits), bits - min(parts, bits)


def element_of(tags: Any) -> type[Integer]:
    """u32 or u64: what an array of tags holds."""
    return u32 if tags.type.bits == 32 else u64


def pack_plan(n: int, columns: Any, packed: Any, tags: Any, *, sizes: tuple[int, ...]) -> Plan:
    """The packed keys and tags of n rows; `columns` holds the addresses of the columns."""
    return Plan(using(pack_keys, sizes=sizes), grid_for(n, THREADS, CTAS), THREADS, (n, columns, packed, tags))


def count_plan(n: int, tags: Any, mask: int, counts: Any, ranks: Any, *, hashed: bool) -> Plan:
    """counts[bucket] of n rows, and each row's rank; the counts are zero before."""
    kernel_ = using(bucket_count, element=element_of(tags), hashed=hashed)
    return Plan(
        kernel_, grid_for(n, THREADS, CTAS), THREADS, (n, tags, mask, *parts_of(mask, 4 * mask, READ), counts, ranks)
    )


def scatter_plan(n: int, tags: Any, mask: int, starts: Any, ranks: Any, entries: Any, *, hashed: bool) -> Plan:
    """The entries of n rows; `starts` is the exclusive scan of the counts."""
    kernel_ = using(bucket_scatter, element=element_of(tags), hashed=hashed)
    parts = parts_of(mask, 4 * mask + 4 * entries.size, WRITTEN)
    return Plan(kernel_, grid_for(n, THREADS, CTAS), THREADS, (n, tags, mask, *parts, starts, ranks, entries))


def probe_plan(
    n: int, tags: Any, mask: int, starts: Any, entries: Any, probe_keys: Any, build_keys: Any, counts: Any, firsts: Any,
    total: Any, *, words: int, outer: bool = False,
) -> Plan:  # fmt: skip
    """The matches of n probe rows; `total`, one u64, is zero before."""
    kernel_ = using(probe_count, element=element_of(tags), words=words, outer=outer)
    parts = parts_of(mask, 4 * mask + 4 * entries.size, READ)
    arguments = (n, tags, mask, *parts, starts, entries, probe_keys, build_keys, counts, firsts, total)
    return Plan(kernel_, grid_for(n, THREADS, CTAS), THREADS, arguments)


def write_plan(
    n: int, tags: Any, mask: int, starts: Any, entries: Any, probe_keys: Any, build_keys: Any, counts: Any, firsts: Any,
    places: Any, total: Any, capacity: int, left: Any, right: Any, *, words: int,
) -> Plan:  # fmt: skip
    """The pairs; `places` is the exclusive scan of the counts."""
    kernel_ = using(probe_write, element=element_of(tags), words=words)
    arguments = (
        n, tags, mask, starts, entries, probe_keys, build_keys, counts, firsts, places, total, capacity, left, right
    )  # fmt: skip
    return Plan(kernel_, grid_for(n, THREADS, CTAS), THREADS, arguments)


class _Table(NamedTuple):
    """A hash table as numpy builds it, for the cases: rows in order, as one thread would put them."""

    mask: int
    counts: Any
    starts: Any
    ranks: Any
    entries: Any


def _buckets(tags: Any, mask: int, *, hashed: bool = False) -> Any:
    """What `bucket_of` computes, by numpy."""
    import numpy as np

    found = tags if hashed else _fnv1a(tags.view(np.uint8).reshape(len(tags), tags.dtype.itemsize))
    return ((found ^ (found >> np.uint64(32))).astype(np.uint32) & np.uint32(mask)).astype(np.int64)


def table_of(tags: Any, element: type[Integer], mask: int, *, hashed: bool = False) -> _Table:
    import numpy as np

    buckets = _buckets(tags, mask, hashed=hashed)
    counts = np.bincount(buckets, minlength=mask + 2).astype(np.uint32)
    starts = (np.cumsum(counts, dtype=np.uint32) - counts).astype(np.uint32)
    order = np.argsort(buckets, kind="stable").astype(np.uint32)
    ranks = np.zeros(len(tags), np.uint32)
    ranks[order] = np.arange(len(tags), dtype=np.uint32) - starts[buckets[order]]
    chosen = tags[order]
    parts = [chosen] if element is u32 else [(chosen >> np.uint64(s)).astype(np.uint32) for s in (0, 32)]
    fill = [] if element is u32 else [np.zeros_like(order)]
    return _Table(mask, counts, starts, ranks, np.stack([*parts, order, *fill], axis=1).reshape(-1))


def _tags(rng: np.random.Generator, n: int, element: type[Integer]) -> Any:
    """Keys of which some occur several times; 64-bit ones differ in their upper halves only."""
    import numpy as np

    drawn = rng.integers(0, max(1, n), n).astype(np.uint64)
    return drawn.astype(np.uint32) if element is u32 else drawn << np.uint64(32)


def _zeros(n: int) -> Host:
    import numpy as np

    return Host(np.zeros(n, np.uint32), u32)


def _one_a_bucket(rng: np.random.Generator, n: int, element: type[Integer]) -> tuple[Any, _Table]:
    """Tags of which no two share a bucket, so that ranks do not depend on timing; and their table."""
    import numpy as np

    tags, mask = _tags(rng, n, element), buckets_for(n) - 1
    _, firsts = np.unique(_buckets(tags, mask), return_index=True)
    tags = tags[np.sort(firsts)]
    return tags, table_of(tags, element, mask)


def _count_case(n: int, rng: np.random.Generator, *, element: type[Integer]) -> Case:
    tags, table = _one_a_bucket(rng, n, element)
    ranks = _zeros(len(tags))
    ranks.values[:] = 7  # each is written
    return Case(
        arrays={"tags": Host(tags, element), "counts": _zeros(table.mask + 2), "ranks": ranks},
        plan=lambda on: count_plan(len(tags), on["tags"], table.mask, on["counts"], on["ranks"], hashed=False),
        expected={"counts": table.counts, "ranks": table.ranks},
        tolerance=EXACT,
    )


def _scatter_case(n: int, rng: np.random.Generator, *, element: type[Integer]) -> Case:
    tags = _tags(rng, n, element)
    table = table_of(tags, element, buckets_for(n) - 1)
    return Case(
        arrays={
            "tags": Host(tags, element), "starts": Host(table.starts, u32), "ranks": Host(table.ranks, u32),
            "entries": _zeros(len(table.entries)),
        },
        plan=lambda on: scatter_plan(
            n, on["tags"], table.mask, on["starts"], on["ranks"], on["entries"], hashed=False
        ),
        expected={"entries": table.entries},
        tolerance=EXACT,
    )  # fmt: skip


def _fnv1a(rows: Any) -> Any:
    """FNV-1a-64 of each row of bytes, by numpy."""
    import numpy as np

    found = np.full(len(rows), FNV_OFFSET, np.uint64)
    with np.errstate(over="ignore"):
        for i in range(rows.shape[1]):
            found = (found ^ rows[:, i].astype(np.uint64)) * np.uint64(FNV_PRIME)
    return found


def packed_of(columns: list[Any]) -> tuple[Any, Any]:
    """(packed words, tags) of a key's columns, as `pack_keys` makes them, by numpy."""
    import numpy as np

    bytes_ = [column.view(np.uint8).reshape(len(column), column.dtype.itemsize) for column in columns]
    rows = np.concatenate(bytes_, axis=1)
    size = rows.shape[1]
    padded = np.zeros((len(rows), max(8, -(-size // 4) * 4)), np.uint8)
    padded[:, :size] = rows
    words = np.ascontiguousarray(padded[:, : -(-size // 4) * 4]).view(np.uint32)
    tags = _fnv1a(rows) if size > 8 else np.ascontiguousarray(padded[:, :8]).view(np.uint64).reshape(-1)
    return words.reshape(-1), tags


_PACKED = ((1, 4), (8, 2, 4))
"""Columns of a key that is its own tag, and of one that is hashed."""


def _key_columns(rng: np.random.Generator, n: int, sizes: tuple[int, ...]) -> list[Any]:
    return [rng.integers(0, 4, n).astype(numpy_name(COLUMN[size].isa)) for size in sizes]


def _pack_case(n: int, rng: np.random.Generator, *, sizes: tuple[int, ...]) -> Case:
    import numpy as np

    columns = _key_columns(rng, n, sizes)
    words, tags = packed_of(columns)
    names = [f"column{i}" for i in range(len(sizes))]

    def launch(on: Mapping[str, Any]) -> Plan:
        addresses = on["columns"]
        addresses.copy_from(np.array([on[name].pointer for name in names], np.uint64))
        return pack_plan(n, addresses, on["packed"], on["tags"], sizes=sizes)

    return Case(
        arrays={
            **{name: Host(column, COLUMN[size]) for name, column, size in zip(names, columns, sizes)},
            "columns": Host(np.zeros(len(sizes), np.uint64), u64), "packed": _zeros(len(words)),
            "tags": Host(np.zeros(n, np.uint64), u64),
        },
        plan=launch,
        expected={"packed": words, "tags": tags},
        tolerance=EXACT,
    )  # fmt: skip


def _probe_case(
    n: int, rng: np.random.Generator, *, element: type[Integer], write: bool, hashed: bool = False, outer: bool = False
) -> Case:
    """n probe rows on n/2 build rows. Buckets are in row order here, so the pairs are too. Keys that are `hashed` have
    columns of 8, 2 and 4 bytes; half of the build side's have a tag that another key has too."""
    import numpy as np

    build, probe = _tags(rng, n // 2, element), _tags(rng, n, element)
    packed: Any = (build, probe)
    words = 0
    if hashed:
        words = words_of_key(_PACKED[1])
        packed, (build, probe) = zip(*[packed_of(_key_columns(rng, size, _PACKED[1])) for size in (n // 2, n)])
        build[::2] = probe[0] if n else 0  # tags that collide: the keys decide
    table = table_of(build, element, buckets_for(n // 2) - 1, hashed=hashed)
    matches = [np.nonzero(build == tag)[0] for tag in probe]
    if hashed:
        keys = [side.reshape(-1, words) for side in packed]
        matches = [rows[(keys[0][rows] == key).all(axis=1)] for rows, key in zip(matches, keys[1])]
    counts = np.array([len(rows) for rows in matches], np.uint32)
    firsts = np.array([rows[-1] if len(rows) else NO_ROW for rows in matches], np.uint32)
    counts = np.maximum(counts, 1) if outer else counts
    total = int(counts.sum())
    left = np.repeat(np.arange(n, dtype=np.uint32), counts)
    right = np.concatenate([np.zeros(0), *(rows if len(rows) else [NO_ROW] * outer for rows in matches)]).astype(
        np.uint32
    )
    capacity = total - total // 4  # the last quarter does not fit
    arrays = {
        "tags": Host(probe, element), "starts": Host(table.starts, u32), "entries": Host(table.entries, u32),
        "build_keys": Host(packed[0].view(np.uint32), u32), "probe_keys": Host(packed[1].view(np.uint32), u32),
        "counts": Host(counts, u32) if write else _zeros(n), "firsts": Host(firsts, u32) if write else _zeros(n),
        "places": Host((np.cumsum(counts) - counts).astype(np.uint32), u32),
        "total": Host(np.array([total if write else 0], np.uint64), u64), "left": _zeros(total), "right": _zeros(total),
    }  # fmt: skip

    def launch(on: Mapping[str, Any]) -> Plan:
        keys = (on["probe_keys"], on["build_keys"], on["counts"], on["firsts"])
        table_ = (table.mask, on["starts"], on["entries"], *keys)
        if not write:
            return probe_plan(n, on["tags"], *table_, on["total"], words=words, outer=outer)
        return write_plan(
            n, on["tags"], *table_, on["places"], on["total"], capacity, on["left"], on["right"], words=words
        )  # fmt: skip

    expected: dict[str, Any]
    if not write:
        expected = {"counts": counts, "firsts": firsts, "total": np.array([total], np.uint64)}
    else:
        written = np.arange(total) < capacity
        expected = {
            "left": np.where(written, left, 0).astype(np.uint32),
            "right": np.where(written, right, 0).astype(np.uint32),
        }
    return Case(arrays=arrays, plan=launch, expected=expected, tolerance=EXACT)


_SIZES = (0, 1, 100, 1000)


def _variant(name: str, kernel_: Any, case: Any, element: type[Integer], **more: Any) -> Variant:
    return Variant("hash_join", f"{name}.{element.isa.name}", kernel_, partial(case, element=element, **more), _SIZES)


VARIANTS = tuple(
    _variant(name, using(kernel_, element=element, **how), case, element, **more)
    for element in (u32, u64)
    for name, kernel_, how, case, more in (
        ("count", bucket_count, {"hashed": False}, _count_case, {}),
        ("scatter", bucket_scatter, {"hashed": False}, _scatter_case, {}),
        ("probe", probe_count, {"words": 0, "outer": False}, _probe_case, {"write": False}),
        ("write", probe_write, {"words": 0}, _probe_case, {"write": True}),
    )
) + tuple(
    Variant(
        "hash_join", "pack." + "+".join(COLUMN[size].isa.name for size in sizes), using(pack_keys, sizes=sizes),
        partial(_pack_case, sizes=sizes), _SIZES,
    )
    for sizes in _PACKED
) + (
    _variant("probe.outer", using(probe_count, element=u32, words=0, outer=True), _probe_case, u32, write=False, outer=True),
    _variant(
        "probe.hashed", using(probe_count, element=u64, words=words_of_key(_PACKED[1]), outer=False), _probe_case, u64,
        write=False, hashed=True,
    ),
    _variant(
        "write.hashed", using(probe_write, element=u64, words=words_of_key(_PACKED[1])), _probe_case, u64, write=True,
        hashed=True,
    ),
)  # fmt: skip
