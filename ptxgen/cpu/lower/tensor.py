"""Tensor copies in tiled mode and in that of im2col (manual 9.7.9.25.5). rt/tensor.py moves the bytes, rt/bulk.py says when."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu import record_layout
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.bulk import BYTES, brings, completion, completion_beside, group, together
from ptxgen.cpu.lower.cluster import beside, members
from ptxgen.cpu.lower.copies import note_rank, shared_span, span, start_bulk, started
from ptxgen.cpu.lower.mbarrier import good, who
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.windows import cluster_place, in_window
from ptxgen.cpu.record_layout import RANK_SHIFT, BulkKind
from ptxgen.cpu.rt.spans import Span
from ptxgen.cpu.rt.tensor import GATHERED, MAP_ALIGNMENT, MAP_BYTES, MAP_WORDS, MapMode
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

S32, U16 = TYPES["s32"], TYPES["u16"]
DIMENSIONS = "1d 2d 3d 4d 5d"
LOAD_MODES = "tile tile::gather4 im2col im2col::w im2col::w::128"
STORE_MODES = "tile im2col_no_offs"
ROW_MODES = ("tile::gather4", "tile::scatter4")
"""Of copies of four rows of a matrix, each with a coordinate of its own behind that of the column."""
ALIGNMENT = 128
"""Of a box in shared memory, in bytes."""


class Size(NamedTuple):
    """Of a box in bytes: what a copy brings, as i32, and what it takes in shared memory, as i64."""

    copied: LlvmValue
    taken: LlvmValue


class TensorOperand(NamedTuple):
    """An operand `[map, {c0, ...}]` as it is at the issue of its copy: what is checked is what is used later.

    A kernel may store to a map in global memory while the copy is under way.
    """

    map: LlvmValue
    """Pointer to a copy of the words of the map."""
    numbers: LlvmValue
    """Pointer to five coordinates, three offsets; behind rows of their own 1 as the last."""
    size: Size


def tensor_operand(
    k: LoweringContext, form: FormModifiers, operand: FlatOperand, access: Span, offsets: FlatOperand = ()
) -> TensorOperand:
    """The operand `[map, {c0, ...}]`, checked."""
    e = k.e
    rank, mode = int(form.dim[0]), form.get("mode") or ""
    rows = mode in ROW_MODES
    count = 1 + GATHERED if rows else rank
    place, coordinates = (operand[0], operand[1:]) if isinstance(operand, tuple) else (operand, ())
    if not isinstance(place, FlatAddress) or len(coordinates) != count:
        raise unsupported(f"{k.op.op} without a tensor map and {count} coordinates", k.op.origin.source)
    address = k.address(place)
    if place.space == "param" and place.base is None and place.frame is None:  # the name of a parameter
        address = address + k.uniform("param.address", lambda: k.launch.get("param"))
    source = e.ptr(span(k, address, e.const("i64", MAP_BYTES), MAP_ALIGNMENT, Span.GENERIC))
    map_ = e.var(f"[{MAP_WORDS} x i32]").pointer
    _copy_words(k, map_, source, MAP_WORDS)
    values = [k.read(c, S32) for c in coordinates] + [e.const("i32", 0)] * (5 - count)
    values += [k.read(o, U16).zext("i32") for o in (offsets if isinstance(offsets, tuple) else (offsets,))]
    values += [e.const("i32", 0)] * (7 - len(values)) + [e.const("i32", 1)] * rows
    found = e.var("[8 x i32]").pointer
    for i in range(8):
        e.store(values[i] if i < len(values) else e.const("i32", 0), e.offset(found, 4 * i))
    numbers = (e.const("i32", rank), e.const("i32", int(_map_mode(mode))), e.const("i32", int(access)))
    size = e.call("tensor_check", "i64", map_, found, *numbers, *who(k))
    good(k, size.ne(0))
    return TensorOperand(map_, found, Size(size.trunc("i32"), size >> 32))


def _map_mode(mode: str) -> MapMode:
    """What the map of a copy is for."""
    wide = {"im2col::w": MapMode.IM2COL_W, "im2col::w::128": MapMode.IM2COL_W_128}
    return wide.get(mode, MapMode.IM2COL if mode.startswith("im2col") else MapMode.TILE)


def start_tensor(
    k: LoweringContext, kind: BulkKind, where: LlvmValue, shared: LlvmValue, tensor: TensorOperand
) -> LlvmValue:
    """Puts a tensor copy under way that completes on the mbarrier `where`, or in a bulk group when it is null."""
    none = k.e.const("i64", 0)
    to, source = (shared, none) if kind is BulkKind.TENSOR_LOAD else (none, shared)
    entry = start_bulk(k, kind, where, to, source, tensor.size.copied)
    _copy_words(k, k.e.offset(entry, record_layout.BulkCopy.map.offset), tensor.map, MAP_WORDS)
    _copy_words(k, k.e.offset(entry, record_layout.BulkCopy.numbers.offset), tensor.numbers, 8)
    return entry


def _copy_words(k: LoweringContext, to: LlvmValue, source: LlvmValue, count: int) -> None:
    for i in range(0, 4 * count, 4):
        k.e.store(k.e.load("i32", k.e.offset(source, i)), k.e.offset(to, i))


def shared_box(
    k: LoweringContext, operand: FlatOperand, size: Size, access: Span, *, cluster: bool = False
) -> LlvmValue:
    """The machine's address, an i64, of a box in shared memory, checked."""
    assert isinstance(operand, FlatAddress)
    return shared_span(k, operand, size.taken, ALIGNMENT, access, cluster=cluster)


@lowers(
    f"cp.async.bulk.tensor.dim.shared.global{{.mode}}.{BYTES}{{.multicast::cluster}}{{.group}}{{.L2::cache_hint}}",
    dim=DIMENSIONS, mode=LOAD_MODES, shared="shared::cta shared::cluster", group="cta_group::1 cta_group::2",
    raw=True, destinations=0,
)  # fmt: skip
def load(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """With `.cta_group::2` a copy completes on an mbarrier of its destination's CTA or of the other one of the pair."""
    to, tensor, where, *rest = op.operands
    pair = form.group == "cta_group::2"
    offsets = rest.pop(0) if (form.mode or "").startswith("im2col") else ()
    with k.when(k.guard()):
        if form.get("multicast::cluster"):
            found = tensor_operand(k, form, tensor, Span.GLOBAL, offsets)
            k.probe.moves(k, "global", found.size.copied)
            k.probe.tensor(k, found.map, found.numbers, write=False)
            with members(k, k.read(rest[0], U16)) as rank:
                address = beside(k, to, rank)
                box = cluster_place(k, address, found.size.taken, ALIGNMENT)
                mbarrier = completion_beside(k, where, _counting(k, where, rank) if pair else rank)
                brings(k, box, "shared::cluster", found.size.taken.trunc("i32"), mbarrier)
                k.probe.box(k, found.map, found.numbers, box)
                note_rank(k, start_tensor(k, BulkKind.TENSOR_LOAD, mbarrier, box, found), address)
        else:
            address = together(k, to, where, pair=pair)
            cluster = form.shared == "shared::cluster"
            mbarrier = completion(k, where, cluster=cluster)
            found = tensor_operand(k, form, tensor, Span.GLOBAL, offsets)
            k.probe.moves(k, "global", found.size.copied)
            k.probe.tensor(k, found.map, found.numbers, write=False)
            box = shared_box(k, to, found.size, Span.WRITE, cluster=cluster)
            brings(k, box, "shared::cluster", found.size.taken.trunc("i32"), mbarrier)
            k.probe.box(k, found.map, found.numbers, box)
            note_rank(k, start_tensor(k, BulkKind.TENSOR_LOAD, mbarrier, box, found), address)
        started(k)


def _counting(k: LoweringContext, where: FlatOperand, rank: LlvmValue) -> LlvmValue:
    """The rank of the CTA in a destination's pair that has the mbarrier: the even or the odd one, as that of the operand."""
    assert isinstance(where, FlatAddress)
    return (rank & -2) | (in_window(k, where) >> RANK_SHIFT & 1)


@lowers(
    "cp.async.bulk.tensor.dim.global.shared::cta{.mode}.bulk_group{.L2::cache_hint}",
    dim=DIMENSIONS, mode=f"{STORE_MODES} tile::scatter4", raw=True, destinations=0,
)  # fmt: skip
def store(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    tensor, source = op.operands[:2]
    with k.when(k.guard()):
        found = tensor_operand(k, form, tensor, Span.GLOBAL | Span.WRITE)
        box = shared_box(k, source, found.size, Span.GLOBAL)
        takes(k, box, found, adds=False)
        start_tensor(k, BulkKind.TENSOR_STORE, group(k), box, found)
        started(k)


def takes(k: LoweringContext, box: LlvmValue, tensor: TensorOperand, *, adds: bool) -> None:
    """Tells the sanitizer of what a store or a reduction of a box reads, and where it writes."""
    k.probe.run(k, box, "shared", tensor.size.taken.trunc("i32"), write=False, partly=True, by_copy=True)
    k.probe.moves(k, "global", tensor.size.copied)
    k.probe.tensor(k, tensor.map, tensor.numbers, write=True, updates=adds)


@lowers(
    "cp.async.bulk.prefetch.tensor.dim.L2.global{.mode}{.L2::cache_hint}",
    dim=DIMENSIONS, mode=LOAD_MODES, raw=True, destinations=0,
)  # fmt: skip
def prefetch(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Memory here has no caches of its own, but a map and coordinates that no load may have are a fault."""
    with k.when(k.guard()):
        offsets = op.operands[1] if "::w" in (form.mode or "") else ()
        tensor_operand(k, form, op.operands[0], Span.PREFETCH, offsets)
