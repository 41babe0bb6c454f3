"""Factors of scale, given row by row, in the layout that block-scaled products read: `factor_tile`.

Rows are padded to 128, factors of a row to four, with zeros. Floor: the bytes, each read once and written once; a thread writes
a word, the four factors of a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, kernel, ptr, s64, u8, u32, u64
from ptxgen.kernels.blocks.factor_tiles import BAND, WORD
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "blocked", "blocked_size", "plan"]

THREADS = 256


@kernel(threads=THREADS)
def factors(
    k: Builder, rows: u32, columns: u32, batch: u32, x: ptr[u8], row_stride: s64, column_stride: s64, batch_stride: s64,
    out: ptr[u32],
) -> None:  # fmt: skip
    """out (batch, bands, words, 32, 4) = the factors x (batch, rows, columns), with any strides, in words of four; row r of a
    band is at (r % 32, r // 32)."""
    words, bands = (columns + (WORD - 1)) // WORD, (rows + (BAND - 1)) // BAND
    for number in k.range(k.global_id.x, batch * bands * words * BAND, k.grid_size.x):
        within, rest = number % BAND, number // BAND
        band = rest // words
        row, first = band % bands * BAND + within % 4 * 32 + within // 4, rest % words * WORD
        line = x.at((band // bands).to(s64) * batch_stride + row.to(s64) * row_stride)
        word = k.var(u32, 0)
        for index in range(WORD):
            column = first + index
            with k.if_((row < rows) & (column < columns)):
                word.set(word | line[column.to(s64) * column_stride].to(u32) << 8 * index)
        out[number.to(u64)] = word


KERNEL = factors


def blocked_size(rows: int, columns: int, batch: int = 1) -> int:
    """Factors of the layout, those that pad it among them."""
    return batch * ceil_div(rows, BAND) * ceil_div(columns, WORD) * BAND * WORD


def plan(
    x: Any, out: Any, *, rows: int, columns: int, batch: int = 1, strides: tuple[int, int, int] | None = None
) -> KernelPlan:
    """The factors x, of which rows, columns and matrices are so many apart: side by side unless stated."""
    apart = strides or (columns, 1, rows * columns)
    grid = grid_for(blocked_size(rows, columns, batch) // WORD, THREADS)
    return KernelPlan(factors, grid, THREADS, (rows, columns, batch, x, *apart, out))


def blocked(x: Any) -> Any:
    """The same of a numpy array of bytes (batch, rows, columns): flat."""
    import numpy as np

    batch, rows, columns = x.shape
    bands, words = ceil_div(rows, BAND), ceil_div(columns, WORD)
    padded = np.zeros((batch, bands * BAND, words * WORD), np.uint8)
    padded[:, :rows, :columns] = x
    parts = padded.reshape(batch, bands, 4, 32, words, WORD)
    return np.ascontiguousarray(parts.transpose(0, 1, 4, 3, 2, 5)).reshape(-1)


def _case(size: tuple[int, int, int], rng: np.random.Generator) -> Case:
    import numpy as np

    batch, rows, columns = size
    x = rng.integers(0, 256, size, dtype=np.uint8)
    expected = blocked(x).view(np.uint32)
    return Case(
        {"x": HostArray(x, u8), "out": HostArray(np.full_like(expected, 7), u32)},
        lambda given: plan(given["x"], given["out"], rows=rows, columns=columns, batch=batch),
        {"out": expected},
        EXACT,
    )


VARIANTS = (Variant("factors", "u8", factors, _case, ((1, 1, 1), (2, 130, 5), (1, 128, 8))),)
