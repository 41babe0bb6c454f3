"""The table of a hash join: what a key's tag is, in which bucket it lies, and how buckets lie in memory.

A key is one or more columns; its *tag* is one word: the key itself when it has at most eight bytes, else its FNV-1a-64 hash
(G. Fowler, L. C. Noll, K.-P. Vo), and then the packed keys are compared too. A tag that is not a hash is spread over the buckets
by a mix that no two tags share: of u32 the one that C. Wellons found by search ("Prospecting for Hash Functions", 2018), of
u64 the finaliser of splitmix64 (S. Vigna, public domain).

Shapes: tags[n] of u32 or u64; starts[buckets + 1] of u32, where buckets = mask + 1 is a power of two; entries[n] of
(tag, row), 8 bytes, or (tag, row, 0), 16 bytes, with room for one more where n is odd: they are read 16 bytes at a time. The
order of a bucket's entries depends on timing.

hash_keys.py makes tags of columns, hash_partition.py and hash_build.py build the table, hash_search.py searches it and
hash_probe.py writes what is found.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import Builder, u8, u16, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.kernels.cases import HostArray

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "COLUMN", "NO_ROW", "Table", "bucket_of", "buckets_for", "buckets_of", "element_of", "entries_of", "entry_bytes",
    "entry_of", "fnv1a", "fnv1a_of", "hash_of", "key_at", "load_entry", "padded_entries", "random_tags", "table_of", "tag_of",
    "words_of_key", "zeros",
]  # fmt: skip

NO_ROW = 0xFFFFFFFF
"""The build row of a probe row without a match, in an outer join."""

FNV_OFFSET, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
MIX_32 = ((16, 0x7FEB352D), (15, 0x846CA68B), (16, None))
MIX_64 = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, None))
"""(shift, factor): x ^= x >> shift, then x *= factor."""
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


def key_at(k: Builder, keys: Any, row: Any, words: int) -> Any:
    """Where a row's packed key of so many words lies: of wide keys, places go beyond 32 bits long before rows do."""
    return keys.at(k.mul_wide(row, words))


def bucket_of(k: Builder, tag: Any, mask: Any, *, hashed: bool) -> Any:
    """The bucket of a tag. One that is `hashed` is a hash already, of which both halves count."""
    return ((tag ^ (tag >> 32)).to(u32) if hashed else _mixed(tag)) & mask


def hash_of(k: Builder, tag: Any, *, hashed: bool) -> Any:
    """32 bits of a tag, each of which depends on all of the key's."""
    return _mixed((tag ^ (tag >> 32)).to(u32) if hashed else tag)


def _mixed(tag: Any) -> Any:
    found = tag
    for shift, factor in MIX_32 if tag.isa.bits == 32 else MIX_64:
        found = found ^ (found >> shift)
        found = found if factor is None else found * factor
    return found if tag.isa.bits == 32 else found.to(u32)


def load_entry(entries: Any, place: Any, element: type[Integer]) -> list[Any]:
    """The words of the entry at a place: the tag's one or two, then the row."""
    found = entries.vectors(entry_bytes(element) // 4).load(place)
    return list(found)[: element.isa.bytes // 4 + 1]


def entry_of(k: Builder, tag: Any, row: Any) -> tuple[Any, ...]:
    """The words of an entry, to be stored as one vector."""
    return (tag, row) if tag.isa.bits == 32 else (tag.to(u32), (tag >> 32).to(u32), row, k.const(u32, 0))


def tag_of(words: list[Any], element: type[Integer]) -> Any:
    """The tag from an entry's first words."""
    return words[0] if element.isa.bits == 32 else (words[1].to(u64) << 32) | words[0].to(u64)


def entry_bytes(element: type[Integer]) -> int:
    """Of an entry with a tag of this type."""
    return 2 * element.isa.bytes


def element_of(tags: Any) -> type[Integer]:
    """u32 or u64: what an array of tags holds."""
    return u32 if tags.type.bits == 32 else u64


def buckets_for(rows: int) -> int:
    """A power of two, one bucket for two to four rows: they are read together, and fewer bounds stay longer in the L2 cache."""
    return 1 << max(0, (rows - 1) // 4).bit_length()


# The same by numpy, for the kernels' cases.


class Table(NamedTuple):
    """A hash table with the rows of a bucket in order."""

    mask: int
    starts: Any
    entries: Any


def buckets_of(tags: Any, mask: int, *, hashed: bool = False) -> Any:
    """What `bucket_of` computes."""
    import numpy as np

    if hashed:
        found = tags ^ (tags >> np.uint64(32))
    else:
        found = tags.copy()
        with np.errstate(over="ignore"):
            for shift, factor in MIX_32 if tags.dtype.itemsize == 4 else MIX_64:
                found ^= found >> tags.dtype.type(shift)
                found *= tags.dtype.type(1 if factor is None else factor)
    return (found.astype(np.uint32) & np.uint32(mask)).astype(np.int64)


def table_of(tags: Any, element: type[Integer], mask: int, *, hashed: bool = False, rows: Any = None) -> Table:
    """The table of rows 0, 1, ... with these tags, or of some of them."""
    import numpy as np

    rows = np.arange(len(tags), dtype=np.uint32) if rows is None else rows
    buckets = buckets_of(tags[rows], mask, hashed=hashed)
    counts = np.bincount(buckets, minlength=mask + 2).astype(np.uint32)
    order = rows[np.argsort(buckets, kind="stable")]
    return Table(mask, np.cumsum(counts, dtype=np.uint32) - counts, entries_of(tags[order], order, element))


def entries_of(tags: Any, rows: Any, element: type[Integer]) -> Any:
    """The words of entries, one after the other."""
    import numpy as np

    parts = [tags] if element is u32 else [(tags >> np.uint64(s)).astype(np.uint32) for s in (0, 32)]
    fill = [] if element is u32 else [np.zeros_like(rows)]
    return np.stack([*parts, rows, *fill], axis=1).reshape(-1)


def padded_entries(table: Table) -> Any:
    """The entries with the room that reading them 16 bytes at a time needs."""
    import numpy as np

    return np.concatenate([table.entries, np.zeros(-len(table.entries) % 4, np.uint32)])


def fnv1a_of(rows: Any) -> Any:
    """FNV-1a-64 of each row of bytes."""
    import numpy as np

    found = np.full(len(rows), FNV_OFFSET, np.uint64)
    with np.errstate(over="ignore"):
        for i in range(rows.shape[1]):
            found = (found ^ rows[:, i].astype(np.uint64)) * np.uint64(FNV_PRIME)
    return found


def random_tags(rng: np.random.Generator, n: int, element: type[Integer]) -> Any:
    """Keys of which some occur several times; 64-bit ones differ in their upper halves only."""
    import numpy as np

    drawn = rng.integers(0, max(1, n), n).astype(np.uint64)
    return drawn.astype(np.uint32) if element is u32 else drawn << np.uint64(32)


def zeros(n: int) -> HostArray:
    """n u32."""
    import numpy as np

    return HostArray(np.zeros(n, np.uint32), u32)
