"""The keys of a join's side, or of groups, as kernels take them: a word a row, and the packed columns where that is a hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.joins.hash_join import words_of_key
from ptxgen.kernels.joins.hash_keys import pack_plan
from ptxgen.ops.arguments import check_columns, check_count, check_same_types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["MOST_ROWS", "Keys", "ReadKeys"]

MOST_ROWS = 1 << 31
"""Rows of a side: they are numbered in 32 bits, in steps of a whole grid."""


MOST_COLUMNS = 255
"""Of a key: they are parameters of a kernel, of which there are 4 KiB."""


class ReadKeys(NamedTuple):
    """Rows of a side: a tag each, and the packed keys where the tags are hashes."""

    rows: int
    tags: Array
    packed: Array | None


class Keys:
    """A side's keys as the kernels take them: a tag a row, and the packed keys where the tags are hashes.

    Columns are of types of 1, 2, 4 or 8 bytes; two keys are equal when their bits are. One column of 4 or 8 bytes is its own
    tag; others are packed into scratch that is made once, for `most` rows.
    """

    def __init__(self, device: Device, columns: Array | Sequence[Array], most: int | None = None) -> None:
        arrays = check_columns("a key", columns, device=device)
        self.most = check_count("rows of a join", arrays[0].size if most is None else most, most=MOST_ROWS)
        self.types = tuple(column.type for column in arrays)
        check_count("columns of a key", len(arrays), most=MOST_COLUMNS)
        self.sizes = tuple(kind.bytes for kind in self.types)
        self.direct = self.sizes in ((4,), (8,))
        self.words = 0 if sum(self.sizes) <= 8 else words_of_key(self.sizes)
        self.element = u32 if self.sizes == (4,) else u64
        self._device = device
        rows = 0 if self.direct else self.most
        self._words = device.empty(words_of_key(self.sizes) * rows, u32)
        self._tags = device.empty(rows, u64)
        self.packed = self._words if self.words else None
        """Where the packed keys of a call lie, that are compared where tags are equal."""

    def read(self, columns: Array | Sequence[Array]) -> tuple[ReadKeys, Plans]:
        """(these columns as the kernels take them, the launches that pack them)."""
        arrays = check_columns("a key", columns, device=self._device)
        check_same_types("a key", arrays, self.types)
        rows = arrays[0].size
        if rows > self.most:
            raise BuildError(f"a key of {rows} rows, this operation was made for at most {self.most}")
        if self.direct:
            return ReadKeys(rows, arrays[0].view(self.element), None), ()
        return ReadKeys(rows, self._tags, self.packed), (pack_plan(rows, arrays, self._words, self._tags),)

    def close(self) -> None:
        self._words.close()
        self._tags.close()
