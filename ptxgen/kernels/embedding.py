"""Rows of a table by numbers: out[i] = table[tokens[i]].

Shapes: tokens[n] of s64, s32 or u32, table[rows, d] -> out[n, d], of elements of any size whose rows are multiples of 4 bytes. A
number outside of the table brings zeros.

Floor: the rows are read and written; eight of 4096 bf16 are 0.13 MB, the time of a launch. A thread moves 16 bytes where
addresses and rows allow it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, s32, s64, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, integers
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, using, widest_vector
from ptxgen.kernels.tiles import as_vectors, load_where, store

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "TOKENS", "VARIANTS", "WORD", "plan", "take_rows"]

T = TypeVar("T", bound=Integer)

THREADS = 128
WORD = 4
"""Bytes that rows are multiples of."""
TOKENS: tuple[Any, ...] = (s64, s32, u32)


@kernel(max_threads=THREADS)
def take_rows(
    k: Builder, count: u64, rows: u64, pieces: u64, tokens: ptr[T], table: ptr[u32], out: ptr[u32],
    *, index: type[T], vector: int,
) -> None:  # fmt: skip
    """A thread has `vector` words; `count` threads in all, `pieces` a row."""
    number = k.global_id.x.to(u64)
    with k.if_(number < count):
        row = number // pieces
        token = tokens[row].to(u64)  # a negative one is beyond every table
        values = [k.var(u32, 0) for _ in range(vector)]
        source = as_vectors(table.at((token * pieces + (number - row * pieces)) * vector), vector)
        load_where(k, token < rows, source, 0, values)
        store(as_vectors(out.at(number * vector), vector), 0, values)


KERNEL = take_rows


def plan(n: int, rows: int, words: int, tokens: Any, table: Any, out: Any, *, index: Any = s64) -> KernelPlan:
    """`words`: a row's words of 4 bytes; table and out as such."""
    vector = widest_vector(WORD, common_alignment(table, out), words)
    launch = using(take_rows, index=index, vector=vector)
    count = n * (words // vector)
    return KernelPlan(launch, grid_for(count, THREADS), THREADS, (count, rows, words // vector, tokens, table, out))


def _case(n: int, rng: np.random.Generator, *, index: Any, words: int) -> Case:
    """One number in five is outside of the table of 7 rows."""
    import numpy as np

    table = integers(rng, (7, words), u32, 0, 1 << 20)
    tokens = rng.integers(0, 7, n).astype(numpy_name(index.isa))
    tokens[::5] = 7
    if index.isa.kind == "s":
        tokens[3::5] = -1
    inside = (tokens >= 0) & (tokens < 7)
    expected = np.where(inside[:, None], table.values[np.where(inside, tokens, 0).astype(np.int64)], 0).astype(
        np.uint32
    )
    return Case(
        arrays={"tokens": HostArray(tokens, index), "table": table, "out": integers(rng, (n, words), u32, 0, 9)},
        plan=lambda on: plan(n, 7, words, on["tokens"], on["table"], on["out"], index=index),
        expected={"out": expected},
        tolerance=EXACT,
    )


def _variant(index: Any, words: int) -> Variant:
    kernel = using(take_rows, index=index, vector=widest_vector(WORD, 16, words))
    name = f"{index.isa.name}.words-{words}"
    return Variant("embedding", name, kernel, partial(_case, index=index, words=words), sizes=(0, 1, 150))


VARIANTS = (_variant(s64, 8), _variant(u32, 3))
