"""What the kernels of attention's gradients share (`query_gradients`, `key_gradients`): tensor cores of sm_90a, and weights
that are recomputed (FlashAttention-2 and 3).

With weights P = 2^(scale score - base), dP = dO V^T and D = rowsum(dO O), dS = P (dP - D) gives dQ = dS K, dK = dS^T Q and
dV = P^T dO; of scores c tanh(score / c), dS has the factor 1 - tanh^2 too. The first kernel goes over the keys of each block of
queries and makes dQ; the second one over the queries of each block of keys and makes dK and dV, with scores whose rows are keys,
so that what it multiplies by is in registers. Seven products where one kernel would have five, but no sums that several CTAs add
to: each run has the same bits.

Floor: the seven products, 14*queries*keys*d operations (half where causal) at the 989 TFLOP/s of bf16 of an H200's datasheet.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import f32, ptr, s32, u32, u64

if TYPE_CHECKING:
    from ptxgen.builder import Builder
    from ptxgen.builder.tiles.fragments import Sums
    from ptxgen.kernels.attention.attention_forward import Tile

__all__ = ["CONSUMERS", "FULL", "REGISTERS", "ROWS", "KeyTile", "Statistics", "bound", "scaled", "steepness"]

ROWS = 64
"""Queries of a block of statistics: their bases, then their D."""

CONSUMERS = 2

REGISTERS = (40, 232)
"""Of a thread that loads, of one that multiplies; `FULL` where the sums of dK and dV alone take 128."""
FULL = (24, 240)


class KeyTile(NamedTuple):
    """64 keys for each consuming warpgroup, from `first` on; of the blocks of queries, those from `least` up to `end` see one."""

    head: u32
    matrix: u32
    first: u32
    least: Any
    end: u32
    shift: s32
    queries: u32
    keys: u32
    query_row: Any = 0
    """As in `Tile`."""
    key_row: Any = 0
    sequence: Any = 0


class Statistics(NamedTuple):
    """What the first kernel tells the second one: `values` has a block for each 64 queries, `blocks` a head of all `heads`.
    Sequences in one array have so many that none has another's: the first of sequence i is starts[i] // 64 + i.
    """

    values: ptr[f32]
    blocks: u32
    heads: u32
    shared: u32 | int = 1
    """`heads` times this: where the head of queries is known, a product that a register would hold is made anew."""

    def line(self, tile: Tile | KeyTile, head: u32, block: u32) -> u64:
        """Where a block of a head's queries begins."""
        if not isinstance(tile.sequence, int):
            block = block + (tile.query_row // ROWS + tile.sequence)
        return ((tile.matrix * self.heads * self.shared + head) * self.blocks + block).to(u64) * (2 * ROWS)


def bound(k: Builder, scores: Sums, inner: f32 | None) -> None:
    """Scores become tanh(score / c) where there is a bound c."""
    if inner is not None:
        for score in scores.values:
            score.set(k.tanh(score * inner))


def steepness(k: Builder, bounded: f32) -> f32:
    """1 - tanh^2: the derivative of a bounded score; 0 for -inf, which stands for a key that is not seen."""
    return k.max(k.fma(-bounded, bounded, 1.0), 0.0)


def scaled(total: Sums, factor: f32) -> Any:
    return total.map(lambda value: value * factor)
