"""An e-graph as rows on the host: which e-class a node is in, its operator, and its children.

Columns are numpy arrays of u32, so that a million rows are made and checked without a loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.interop.elements import FILL_OR_DATA, is_masked
from ptxgen.host.formats import numpy_module
from ptxgen.ops.egraph.errors import IntegrityError, expect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["U32_MAX", "OpIdRegistry", "Snapshot", "SnapshotRow", "u32_column"]

U32_MAX = 0xFFFFFFFF


class SnapshotRow(NamedTuple):
    """One e-node; its children are `children[children_offset:][:children_len]` of the snapshot."""

    eclass_id: int
    language_op_id: int
    children_offset: int
    children_len: int


class OpIdRegistry:
    """Operator name -> dense id, in the order of first sight."""

    def __init__(self, names: Iterable[str] = (), *, limit: int = U32_MAX) -> None:
        self._ids: dict[str, int] = {}
        self._limit = limit
        for name in names:
            self.try_intern(name)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, name: str) -> bool:
        return name in self._ids

    @property
    def names(self) -> tuple[str, ...]:
        """By id."""
        return tuple(self._ids)

    def intern(self, name: str) -> int:
        """The name's id; a new name gets the next one, or 2^32-1 when there is none left."""
        found = self._ids.get(name)
        if found is not None:
            return found
        if len(self._ids) >= self._limit:
            return U32_MAX
        return self._ids.setdefault(name, len(self._ids))

    def try_intern(self, name: str) -> int:
        """As `intern`, but IntegrityError when there is no id left."""
        if name not in self._ids and len(self._ids) >= self._limit:
            raise IntegrityError("DoesNotFit", context="operator count", value=len(self._ids) + 1)
        return self.intern(name)


class Snapshot:
    """Rows of an e-graph: `eclass_ids`, `op_ids`, `children_offsets`, `children_lens` and `children`, all of u32.

    Make one with `build`, `from_egraph` or `from_columns`. Nothing is checked beyond what fits u32 before
    `validate_integrity()`, which packing calls.
    """

    def __init__(
        self, eclass_ids: Any, op_ids: Any, children_offsets: Any, children_lens: Any, children: Any, ops: OpIdRegistry
    ) -> None:
        self.eclass_ids, self.op_ids = eclass_ids, op_ids
        self.children_offsets, self.children_lens, self.children = children_offsets, children_lens, children
        self.ops = ops

    def __len__(self) -> int:
        return len(self.eclass_ids)

    @property
    def rows(self) -> list[SnapshotRow]:
        """The rows one by one."""
        columns = (self.eclass_ids, self.op_ids, self.children_offsets, self.children_lens)
        return [SnapshotRow(*row) for row in zip(*[column.tolist() for column in columns])]

    def children_of(self, row: int) -> list[int]:
        """The e-classes of a row's children."""
        start = int(self.children_offsets[row])
        found: list[int] = self.children[start : start + int(self.children_lens[row])].tolist()
        return found

    @classmethod
    def build(cls, nodes: Iterable[tuple[int, str, Sequence[int]]], ops: OpIdRegistry | None = None) -> Snapshot:
        """From (e-class, operator, children) of each node. IntegrityError for an id that does not fit u32."""
        registry = OpIdRegistry() if ops is None else ops
        eclass_ids: list[int] = []
        op_ids: list[int] = []
        offsets: list[int] = []
        lens: list[int] = []
        children: list[int] = []
        for eclass, name, below in nodes:
            eclass_ids.append(eclass)
            op_ids.append(registry.try_intern(name))
            offsets.append(len(children))
            lens.append(len(below))
            children.extend(below)
        return cls.from_columns(eclass_ids, op_ids, offsets, lens, children, registry)

    @classmethod
    def from_egraph(cls, egraph: Any, name_of: Callable[[Any], str] = str) -> Snapshot:
        """From a host e-graph: `egraph.nodes()` gives (e-class, operator, children), `egraph.find(id)` the canonical id."""
        find = egraph.find
        return cls.build(
            (find(eclass), name_of(op), [find(child) for child in children]) for eclass, op, children in egraph.nodes()
        )

    @classmethod
    def from_columns(
        cls, eclass_ids: Any, op_ids: Any, children_offsets: Any, children_lens: Any, children: Any, ops: OpIdRegistry
    ) -> Snapshot:
        """From whole columns (lists or arrays of integers). IntegrityError for a value that does not fit u32."""
        named = {
            "e-class id": eclass_ids, "language_op_id": op_ids, "children offset": children_offsets,
            "children length": children_lens, "child e-class": children,
        }  # fmt: skip
        columns = {name: u32_column(name, values) for name, values in named.items()}
        rows = len(columns["e-class id"])
        for name in list(named)[1:4]:
            if len(columns[name]) != rows:
                raise IntegrityError("UnequalColumns", context=name, found=len(columns[name]), expected=rows)
        eclasses, names, offsets, lens, below = columns.values()
        return cls(eclasses, names, offsets, lens, below, expect("ops", ops, OpIdRegistry))

    def validate_integrity(self) -> None:
        """IntegrityError with the first row that names no operator, no range of children, or a child that is not an e-class."""
        np = numpy_module()
        starts, total = self.children_offsets.astype(np.uint64), len(self.children)
        ends = starts + self.children_lens
        _first("unknown language_op_id", self.op_ids >= len(self.ops), self.op_ids)
        _first("children range overflow", ends > U32_MAX, self.children_offsets)
        _first("children range end", ends > total, ends)
        dangling = np.flatnonzero(~np.isin(self.children, self.eclass_ids))
        if not dangling.size:
            return
        marks = np.zeros(total + 1, np.int64)
        marks[dangling + 1] = 1
        before = np.cumsum(marks)  # how many dangling children precede each place
        rows = np.flatnonzero(before[ends.astype(np.int64)] > before[starts.astype(np.int64)])
        if rows.size:
            row = int(rows[0])
            place = dangling[np.searchsorted(dangling, starts[row].astype(np.int64))]
            raise IntegrityError(
                "InvalidRow", context="dangling child eclass", row=row, value=int(self.children[place])
            )


def _first(context: str, wrong: Any, values: Any) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        raise IntegrityError("InvalidRow", context=context, row=row, value=int(values[row]))


def u32_column(name: str, values: Any) -> Any:
    """A list or an array of integers as an array of u32. IntegrityError for anything else, and for what does not fit."""
    np = numpy_module()
    array = np.asarray(values)
    if is_masked(type(values)):
        raise IntegrityError("NotIntegers", context=name, found=f"a masked array; give {FILL_OR_DATA}")
    if array.ndim != 1 or (array.size and array.dtype.kind not in "ui"):
        raise IntegrityError("NotIntegers", context=name, found=f"{array.dtype}, shape {array.shape}")
    if array.dtype == np.uint32:
        return array
    if array.size and (array.min() < 0 or array.max() > U32_MAX):
        outside = array[(array < 0) | (array > U32_MAX)]
        raise IntegrityError("DoesNotFit", context=name, value=int(outside[0]))
    if len(array) > U32_MAX:
        raise IntegrityError("DoesNotFit", context=f"{name} count", value=len(array))
    return array.astype(np.uint32)
