"""Packed keys and tags of the columns of a hash join's key (see hash_join.py).

Shapes: columns[n] of 1, 2, 4 or 8 bytes an element; packed[n, words] of u32, tags[n] of u64.

Floor: each column is read once, packed keys and tags are written once: 2*sum(sizes) + 8 bytes a row.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import COLUMN, fnv1a, fnv1a_of, key_at, words_of_key, zeros
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ptxgen.builder import Kernel

__all__ = ["KERNEL", "MIXED", "VARIANTS", "pack_plan", "packed_of", "random_columns"]

T = TypeVar("T", bound=Integer)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""


@kernel(max_threads=THREADS)
def pack_keys(k: Builder, n: u32, packed: ptr[u32], tags: ptr[u64], *columns: T, types: tuple[type[T], ...]) -> None:
    """packed[row, word] and tags[row] of a key of several columns. Keys are packed without gaps, the last word filled up with
    zeros."""
    bases: Sequence[Any] = columns
    sizes = tuple([base.element.isa.bytes for base in bases])
    bytes_ = sum(sizes)
    for row in k.range(k.global_id.x, n, k.grid_size.x):
        words: list[Any] = [None] * words_of_key(sizes)
        at = 0
        for base, size in zip(bases, sizes):
            value = base[row].to(u64)
            for b in range(size):
                part = ((value >> 8 * b) & 0xFF).to(u32) << 8 * (at % 4)
                words[at // 4] = part if words[at // 4] is None else words[at // 4] | part
                at += 1
        key = key_at(k, packed, row, len(words))
        for w, word in enumerate(words):
            key[w] = word
        if bytes_ > 8:
            tags[row] = fnv1a(k, words, bytes_)
        else:
            tags[row] = words[0].to(u64) if len(words) == 1 else (words[1].to(u64) << 32) | words[0].to(u64)


KERNEL = pack_keys


def pack_plan(n: int, columns: Sequence[Any], packed: Any, tags: Any) -> KernelPlan:
    """The packed keys and tags of n rows of these columns."""
    parts = [column.view(COLUMN[column.type.bytes]) for column in columns]
    arguments = (n, packed, tags, *parts)
    return KernelPlan(_kernel([each.type.bytes for each in columns]), grid_for(n, THREADS, CTAS), THREADS, arguments)


def _kernel(sizes: Sequence[int]) -> Kernel:
    return using(pack_keys, types=tuple([ptr.__class_getitem__(COLUMN[size]) for size in sizes]))


def packed_of(columns: list[Any]) -> tuple[Any, Any]:
    """(packed words, tags) of a key's columns, by numpy."""
    import numpy as np

    bytes_ = [column.view(np.uint8).reshape(len(column), column.dtype.itemsize) for column in columns]
    rows = np.concatenate(bytes_, axis=1)
    size = rows.shape[1]
    padded = np.zeros((len(rows), max(8, -(-size // 4) * 4)), np.uint8)
    padded[:, :size] = rows
    words = np.ascontiguousarray(padded[:, : -(-size // 4) * 4]).view(np.uint32)
    tags = fnv1a_of(rows) if size > 8 else np.ascontiguousarray(padded[:, :8]).view(np.uint64).reshape(-1)
    return words.reshape(-1), tags


MIXED = ((1, 4), (8, 2, 4))
"""Columns of a key that is its own tag, and of one that is hashed."""


def random_columns(rng: np.random.Generator, n: int, sizes: tuple[int, ...]) -> list[Any]:
    """Few different values a column, so that keys repeat."""
    return [rng.integers(0, 4, n).astype(numpy_name(COLUMN[size].isa)) for size in sizes]


def _case(n: int, rng: np.random.Generator, *, sizes: tuple[int, ...]) -> Case:
    import numpy as np

    columns = random_columns(rng, n, sizes)
    words, tags = packed_of(columns)
    names = [f"column{i}" for i in range(len(sizes))]

    return Case(
        arrays={
            **{name: HostArray(column, COLUMN[size]) for name, column, size in zip(names, columns, sizes)},
            "packed": zeros(len(words)),
            "tags": HostArray(np.zeros(n, np.uint64), u64),
        },
        plan=lambda on: pack_plan(n, [on[name] for name in names], on["packed"], on["tags"]),
        expected={"packed": words, "tags": tags},
        tolerance=EXACT,
    )  # fmt: skip


VARIANTS = tuple(
    Variant(
        "hash_keys", "+".join(COLUMN[size].isa.name for size in sizes), _kernel(sizes), partial(_case, sizes=sizes),
        (0, 1, 100, 1000),
    )
    for sizes in MIXED
)  # fmt: skip
