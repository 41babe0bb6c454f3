"""The packed device image: nine columns of u32 one after another, uploaded with one copy.

R rows, C children, G e-classes; 6R + C + 2G + 1 words, little endian. `COLUMNS` names them in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import u32
from ptxgen.host.formats import numpy_module
from ptxgen.ops.arguments import check_device
from ptxgen.ops.egraph.errors import IntegrityError, PlanError, RunError, expect, expect_count
from ptxgen.ops.egraph.snapshot import Snapshot, u32_column

if TYPE_CHECKING:
    from types import TracebackType

    from ptxgen.host import Array, Device

__all__ = [
    "COLUMNS",
    "ColumnSnapshot",
    "ColumnSpan",
    "DeviceImage",
    "DeviceView",
    "ImageLayout",
    "ResidentImage",
    "UploadPlan",
    "pack_image",
    "plan_upload",
    "signatures_of",
    "upload",
]  # fmt: skip

COLUMNS = (
    "row_eclass_ids", "row_language_op_ids", "row_children_offsets", "row_children_lens", "row_signatures", "children",
    "group_eclass_ids", "group_offsets", "group_rows",
)  # fmt: skip

SEED = 0xA24BAED4
"""What a row's signature begins with."""

WORD = 4


class ColumnSpan(NamedTuple):
    """A column's place in the image, in words or in bytes."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        return self.offset + self.length


class ImageLayout:
    """Where the nine columns of an image lie: `layout["children"]` is a ColumnSpan in words."""

    def __init__(self, row_count: int, child_count: int, eclass_group_count: int) -> None:
        counts = {"row_count": row_count, "child_count": child_count, "eclass_group_count": eclass_group_count}
        for name, count in counts.items():
            expect_count(name, count, most=1 << 64)
        self.row_count, self.child_count, self.eclass_group_count = row_count, child_count, eclass_group_count
        lengths = [row_count] * 5 + [child_count, eclass_group_count, eclass_group_count + 1, row_count]
        self._spans: dict[str, ColumnSpan] = {}
        offset = 0
        for name, length in zip(COLUMNS, lengths):
            self._spans[name] = ColumnSpan(offset, length)
            offset += length
        self.word_count = offset

    def __getitem__(self, column: str) -> ColumnSpan:
        """RunError for a name that is not a column's."""
        if column not in self._spans:
            raise RunError("WrongArgument", name="column", found=repr(column), expected=", ".join(COLUMNS))
        return self._spans[column]

    @property
    def byte_count(self) -> int:
        """PlanError when it has more than 64 bits."""
        if self.word_count * WORD >= 1 << 64:
            raise PlanError("ByteSizeOverflow", words=self.word_count)
        return self.word_count * WORD

    def bytes_of(self, column: str) -> ColumnSpan:
        """The column's place in bytes."""
        span = self[column]
        return ColumnSpan(span.offset * WORD, span.length * WORD)


class DeviceImage(NamedTuple):
    """A packed image on the host: `words` is one numpy array of u32."""

    words: Any
    layout: ImageLayout

    def column(self, name: str) -> Any:
        """A column, as a view."""
        span = self.layout[name]
        return self.words[span.offset : span.end]

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each thing, by name."""
        layout = self.layout
        return {
            "row count": layout.row_count, "child count": layout.child_count,
            "eclass group count": layout.eclass_group_count,
        }  # fmt: skip


class ColumnSnapshot(NamedTuple):
    """Columns of a resident image as they were when they were read, by name, and how many bytes that took."""

    columns: dict[str, Any]
    byte_count: int

    def column(self, name: str) -> Any:
        """RunError for a column that was not read."""
        if name not in self.columns:
            found = ", ".join(self.columns) or "no column"
            raise RunError("WrongArgument", name="snapshot", found=f"of {found}", expected=f"one that has {name}")
        return self.columns[name]

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each thing whose column was read, by name."""
        named = {"row count": "row_signatures", "child count": "children"}
        return {field: len(self.columns[name]) for field, name in named.items() if name in self.columns}


def _mix(h: Any, v: Any) -> Any:
    """mix(h, v) = rotl32(h ^ (v + 0x9E3779B9 + (h << 6) + (h >> 2)), 13) * 0x85EBCA6B of u32 arrays."""
    np = numpy_module()
    x = h ^ (v + np.uint32(0x9E3779B9) + (h << np.uint32(6)) + (h >> np.uint32(2)))
    return ((x << np.uint32(13)) | (x >> np.uint32(19))) * np.uint32(0x85EBCA6B)


def signatures_of(op_ids: Any, children_offsets: Any, children_lens: Any, children: Any) -> Any:
    """Every row's signature: the operator, the number of children and each child mixed into SEED."""
    np = numpy_module()
    found = _mix(_mix(np.full(len(op_ids), SEED, np.uint32), op_ids), children_lens)
    rows, place = np.flatnonzero(children_lens), 0
    while rows.size:  # the n-th child of every row that has one
        found[rows] = _mix(found[rows], children[children_offsets[rows].astype(np.int64) + place])
        place += 1
        rows = rows[children_lens[rows] > place]
    return found


def pack_image(snapshot: Snapshot, *, signatures: Any = None) -> DeviceImage:
    """The image of a snapshot, which is validated first. `signatures` replaces the computed ones (to force collisions)."""
    np = numpy_module()
    expect("snapshot", snapshot, Snapshot).validate_integrity()
    ids, counts = np.unique(snapshot.eclass_ids, return_counts=True)
    layout = ImageLayout(len(snapshot), len(snapshot.children), len(ids))
    image = DeviceImage(np.empty(layout.word_count, np.uint32), layout)
    columns = (snapshot.op_ids, snapshot.children_offsets, snapshot.children_lens)
    if signatures is None:
        signatures = signatures_of(*columns, snapshot.children)
    elif len(u32_column("signature", signatures)) != len(snapshot):
        raise IntegrityError("UnequalColumns", context="signature", found=len(signatures), expected=len(snapshot))
    offsets = np.concatenate([np.zeros(1, np.uint32), np.cumsum(counts, dtype=np.uint32)])
    rows = np.argsort(snapshot.eclass_ids, kind="stable")
    content = (snapshot.eclass_ids, *columns, signatures, snapshot.children, ids, offsets, rows)
    for name, values in zip(COLUMNS, content):
        image.column(name)[:] = values
    return image


class DeviceView(NamedTuple):
    """The addresses of the nine columns on the device, and how many there are of each thing."""

    row_count: int
    child_count: int
    eclass_group_count: int
    pointers: dict[str, int]


class ResidentImage:
    """An image in a device's memory, until `close()`. `column(name)` is a column as a device array."""

    def __init__(self, array: Array, layout: ImageLayout) -> None:
        self.array, self.layout = array, layout

    @property
    def device(self) -> Device:
        return self.array.device

    @property
    def byte_len(self) -> int:
        return self.array.nbytes

    @property
    def word_count(self) -> int:
        return self.array.size

    def column(self, name: str) -> Array:
        """RunError when the memory is too small for it."""
        span = self.layout.bytes_of(name)
        if span.end > self.byte_len:
            raise RunError("SpanOutOfBounds", column=name, end=span.end, byte_len=self.byte_len)
        words = self.layout[name]
        return self.array[words.offset : words.end]

    def view(self) -> DeviceView:
        """Addresses and counts. RunError when a column ends outside the memory."""
        layout = self.layout
        pointers = {name: self.column(name).pointer for name in COLUMNS}
        return DeviceView(layout.row_count, layout.child_count, layout.eclass_group_count, pointers)

    def download(self) -> DeviceImage:
        """The image as it is now; waits for it."""
        return DeviceImage(self.array.numpy().copy(), self.layout)

    def close(self) -> None:
        """Free the memory."""
        self.array.close()

    def __enter__(self) -> ResidentImage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class UploadPlan(NamedTuple):
    """What an upload will do: `byte_spans` of the columns in memory of `byte_count` bytes, from `words`, the image's own where
    the plan is `borrowed` and a copy where it is not."""

    words: Any
    layout: ImageLayout
    byte_spans: dict[str, ColumnSpan]
    byte_count: int
    borrowed: bool


def plan_upload(image: DeviceImage, *, borrowed: bool = True) -> UploadPlan:
    """PlanError when the image's words are not what its layout says. A plan that is not `borrowed` has its own words, so the
    image may change before the upload."""
    np = numpy_module()
    layout, words = expect("image", image, DeviceImage).layout, image.words
    byte_count = layout.byte_count
    if not isinstance(words, np.ndarray) or words.dtype != np.uint32 or words.ndim != 1:
        raise RunError(
            "WrongArgument", name="image.words", found=_form_of(words), expected="a one-dimensional array of u32"
        )
    for name in COLUMNS:
        if layout[name].end > len(words):
            raise PlanError(
                "ImageColumnOutOfBounds", column=name, row=max(0, len(words) - layout[name].offset),
                start=layout[name].offset, end=layout[name].end, len=len(words),
            )  # fmt: skip
    kept = words if borrowed else words.copy()
    return UploadPlan(
        kept[: layout.word_count], layout, {name: layout.bytes_of(name) for name in COLUMNS}, byte_count, borrowed
    )


def _form_of(words: Any) -> str:
    return f"{words.dtype} of shape {words.shape}" if hasattr(words, "dtype") else type(words).__name__


def upload(device: Device, image: DeviceImage | UploadPlan) -> ResidentImage:
    """One allocation and one copy of an image, or of a plan's words. A failed copy frees the memory."""
    check_device(device)
    plan = image if isinstance(image, UploadPlan) else plan_upload(image)
    array = device.empty(plan.layout.word_count, u32)
    try:
        array.copy_from(plan.words)
    except BaseException:
        array.close()
        raise
    return ResidentImage(array, plan.layout)
