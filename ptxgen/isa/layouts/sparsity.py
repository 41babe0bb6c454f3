"""Structured sparsity of A: which elements of a row are kept, and the index fields that say so (manual 9.7.14.6.1).

Of every four elements two are kept (2:4); of every two tf32 elements one (1:2); of 4-bit types two pairs of every four pairs
(4:8). The fields of a chunk are in ascending order, which is what `.sp::ordered_metadata` asks for and `.sp` takes too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.isa.layouts.mixed_radix import LayoutError
from ptxgen.isa.layouts.numbers import element_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["compress", "expand"]

_TF32 = (0b0100, 0b1110)  # the first or the second of two


def _group(type: str, container: bool) -> int:
    """Elements that are kept or dropped together: packed 4-bit types go in pairs, in byte containers they do not."""
    return 2 if element_bits(type) == 4 and not container else 1


def compress(matrix: Any, type: str, *, container: bool = False) -> tuple[list[list[Any]], list[list[int]]]:
    """A sparse matrix -> (the elements that are stored, the index fields), as the layouts `a` and `metadata` take them.

    `container`: e2m1 with a byte for each element, as kind::f8f6f4 and kind::mxf8f6f4 have it.
    Raises LayoutError for a row with too many elements other than zero in one chunk.
    """
    group = _group(type, container)
    kept, fields = [], []
    for number, row in enumerate(matrix):
        values, indices = _tf32_row(row, number) if type == "tf32" else _row(row, number, group)
        kept.append(values)
        fields.append(indices)
    return kept, fields


def _tf32_row(row: Any, number: int) -> tuple[list[Any], list[int]]:
    values, indices = [], []
    for start in range(0, len(row), 2):
        chunk = row[start], row[start + 1]
        if all(chunk):
            raise _too_many(number, start, 2, "one of two")
        which = 1 if chunk[1] else 0
        values.append(chunk[which])
        indices.append(_TF32[which])
    return values, indices


def _row(row: Any, number: int, group: int) -> tuple[list[Any], list[int]]:
    values, indices = [], []
    for start in range(0, len(row), 4 * group):
        groups = [[row[start + i * group + j] for j in range(group)] for i in range(4)]
        used = [i for i in range(4) if any(groups[i])]
        if len(used) > 2:
            raise _too_many(number, start, 4 * group, "two of four" if group == 1 else "two pairs of four")
        spare = [i for i in range(4) if i not in used]
        chosen = sorted([*used, *spare[: 2 - len(used)]])
        for i in chosen:
            values += groups[i]
        indices += chosen
    return values, indices


def _too_many(row: int, start: int, width: int, rule: str) -> LayoutError:
    return LayoutError(
        f"row {row} is not sparse: columns {start} to {start + width - 1} have too many elements other than zero",
        hint=f"at most {rule} may be other than zero",
    )


def expand(
    kept: Sequence[Sequence[Any]], fields: Sequence[Sequence[int]], type: str, *, container: bool = False
) -> list[list[Any]]:
    """The inverse of `compress`: the whole matrix, with its zeros."""
    group = _group(type, container)
    full = []
    for values, indices in zip(kept, fields):
        width = 2 if type == "tf32" else 4 * group
        row: list[Any] = [0] * (len(values) * 2)
        for number, index in enumerate(indices):
            chunk = number if type == "tf32" else number // 2
            place = _TF32.index(index) if type == "tf32" else index
            for j in range(group):
                row[chunk * width + place * group + j] = values[number * group + j]
        full.append(row)
    return full
