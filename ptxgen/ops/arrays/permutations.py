"""Random orders of rows, and samples of them (ptxgen.kernels.arrays.permutation)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import permutation
from ptxgen.ops.arguments import MOST_ROWS, check_count, check_rows
from ptxgen.ops.borrowing import Launches

if TYPE_CHECKING:
    from ptxgen.host import Array
    from ptxgen.ops.launches import Plans

__all__ = ["random_rows"]


_launches = Launches()


def random_rows(out: Any, *, seed: int, rows: int | None = None) -> None:
    """out = different row numbers below `rows` in random order, u32: a permutation where `out` has as many, which is the
    default, a sample without replacement where it has fewer. The same for the same seed, of 64 bits. Launches on the current
    stream, or on the array's.

    A block cipher of the place, not a shuffle: out[i] depends on i, `rows` and the seed alone, so nothing is sorted or kept.
    Not for cryptography.
    """
    _launches.run(_plans, (seed, rows), out)


def _plans(out: Array, seed: int, rows: int | None) -> Plans:
    m = check_rows("out", out, u32)
    n = m if rows is None else check_count("rows", rows, most=MOST_ROWS)
    if m > n:
        raise BuildError(f"{m} different rows of {n}", hint="out[:rows]")
    return (permutation.plan(m, n, check_count("seed", seed, most=2**64 - 1), out),)
