"""Tensor copies of tiles: the methods of `TensorMap` in a kernel (manual 9.7.9.27).

A copy moves boxes whose rows are as wide as the swizzle: a wider tile takes several copies. Coordinates are innermost first, as
the tensor map's extents are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.addresses import address_at, own_shared
from ptxgen.builder.tiles.tensor_types import TensorType
from ptxgen.builder.values.scalars import Integer
from ptxgen.ir import Immediate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.barriers import MemoryBarrier
    from ptxgen.builder.tiles.clusters import CtaGroup
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.tiles.tensor_types import Tensor
    from ptxgen.ir import Address, Operand

__all__ = [
    "address_in", "box_of", "bulk_commit", "bulk_wait", "coordinate", "further", "load",
    "prefetch", "publish_shared", "reduce", "store",
]  # fmt: skip

_TALLEST = 256
"""The largest extent of a box (CUDA driver API, cuTensorMapEncodeTiled)."""

REDUCTIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")
"""What `.redOp` may be (manual 9.7.9.27.1.3)."""


def box_of(tile: DeviceTile, rank: int) -> TensorType:
    """The boxes that copies of a tile move, for a tensor of so many dimensions."""
    lines = tile.rows if tile.layout.major == "K" else tile.columns
    while lines > _TALLEST:
        lines //= 2
    width = min(tile.layout.per_line, tile.columns if tile.layout.major == "K" else tile.rows)
    return TensorType(tile.element.isa, (width, lines, *(1,) * (rank - 2)), tile.layout.swizzle)


def _boxes(tensor: Tensor, tile: DeviceTile, coordinates: Any) -> Iterator[tuple[Address, tuple[Operand, ...]]]:
    """(address in shared memory, coordinates) of each box of a tile; the tensor's kind is noted and checked."""
    k = tensor.builder
    if not isinstance(coordinates, (tuple, list)) or not 2 <= len(coordinates) <= 5:
        raise build_error("PTX202", f"the coordinates {coordinates!r:.60}", expected="2 to 5, innermost first")
    box = box_of(tile, len(coordinates))
    tensor.moves(box)
    width, lines = box.box[:2]
    along, across = (tile.columns, tile.rows) if tile.layout.major == "K" else (tile.rows, tile.columns)
    if along % width or across % lines:
        raise build_error("PTX221", f"copies of {tile!r} in boxes of {width}x{lines}", expected="whole boxes")
    first, second, *rest = coordinates
    for x in range(0, along, width):
        for y in range(0, across, lines):
            row, column = (y, x) if tile.layout.major == "K" else (x, y)
            place = (further(first, x), further(second, y), *rest)
            yield tile.operand(tile.layout.plain_offset(row, column)), tuple(coordinate(k, each) for each in place)


def address_in(tensor: Tensor, where: tuple[Operand, ...] = ()) -> Address:
    """`[map, {coordinates}]`."""
    return address_at(tensor.builder, tensor.address, 0, where)


def further(coordinate: Any, by: int) -> Any:
    return coordinate + by if by else coordinate


def coordinate(k: FunctionBuilder, value: Any) -> Operand:
    number = plain(value)
    if isinstance(number, int):
        return Immediate(number)
    if not isinstance(value, Integer) or value.isa.bits != 32:
        raise build_error("PTX220", f"the coordinate {value!r:.60}", expected="a 32-bit integer", hint="x.to(s32)")
    return k.use(value)


def load(
    tensor: Tensor,
    tile: DeviceTile,
    coordinates: Any,
    barrier: MemoryBarrier,
    *,
    among: CtaGroup | None = None,
) -> None:
    """Copy the tile whose first element has these coordinates to shared memory; `barrier` counts its bytes.

    What lies outside of the tensor arrives as zeros, and counts. One thread executes it. Where `among` is
    a group of CTAs of the cluster that all load this tile, each brings its part of it to all of them (multicast), to the
    same places and barriers there.
    """
    k = tensor.builder
    barrier.expect(tile.bytes)
    if among is not None and among.size > 1:
        tile, coordinates = _share(tile, coordinates, among)
    else:
        among = None
    space = own_shared(k) if among is None else "shared::cluster"
    for place, where in _boxes(tensor, tile, coordinates):
        name = f"cp.async.bulk.tensor.{len(where)}d.{space}.global.tile.mbarrier::complete_tx::bytes"
        operands: list[Operand] = [place, address_in(tensor, where), barrier.operand()]
        if among is not None:
            name += ".multicast::cluster"
            operands.append(k.use(among.mask))
        k.emit(name, *operands)


def _share(tile: DeviceTile, coordinates: Any, among: CtaGroup) -> tuple[DeviceTile, Any]:
    """The part of a tile that this CTA loads, and its coordinates: some of the tile's lines."""
    across = tile.rows if tile.layout.major == "K" else tile.columns
    lines, rest = divmod(across, among.size)
    if rest or lines % tile.layout.lines:
        raise build_error("PTX221", f"{tile!r} shared by {among.size} CTAs", expected=f"{tile.layout.lines} lines each")
    first = among.index * lines
    if tile.layout.major == "K":
        part = tile.part(first, rows=lines)
    else:
        part = tile.part(0, first, columns=lines)
    return part, (coordinates[0], coordinates[1] + first, *coordinates[2:])


def store(tensor: Tensor, tile: DeviceTile, coordinates: Any) -> None:
    """Copy a tile from shared memory to where these coordinates are; what would lie outside of the tensor is left out.

    One thread executes it, after `k.publish_shared()` and a barrier of the threads that wrote the tile; then `k.bulk_commit()`,
    and before the tile is written again `k.bulk_wait(...)`.
    """
    k = tensor.builder
    for place, where in _boxes(tensor, tile, coordinates):
        name = f"cp.async.bulk.tensor.{len(where)}d.global.shared::cta.tile.bulk_group"
        k.emit(name, address_in(tensor, where), place)


def reduce(tensor: Tensor, operation: str, tile: DeviceTile, coordinates: Any) -> None:
    """As `store`, but each element there becomes that and the tile's: "add", "min", "max", "and", "or", "xor", "inc", "dec"."""
    if operation not in REDUCTIONS:
        raise build_error("PTX201", f"a reduction {operation!r}", expected=", ".join(REDUCTIONS))
    k = tensor.builder
    for place, where in _boxes(tensor, tile, coordinates):
        name = f"cp.reduce.async.bulk.tensor.{len(where)}d.global.shared::cta.{operation}.tile.bulk_group"
        k.emit(name, address_in(tensor, where), place)


def prefetch(tensor: Tensor, tile: DeviceTile | None = None, coordinates: Any = None) -> None:
    """Bring the map's own 128 bytes near; or, with a tile and coordinates, the tile into L2."""
    k = tensor.builder
    if tile is None:
        k.emit("prefetch.tensormap", address_in(tensor))
        return
    for _, where in _boxes(tensor, tile, coordinates):
        name = f"cp.async.bulk.prefetch.tensor.{len(where)}d.L2.global.tile"
        k.emit(name, address_in(tensor, where))


def publish_shared(k: FunctionBuilder) -> None:
    """What this thread wrote to shared memory is there for tensor copies that follow a barrier (manual 9.7.13.4)."""
    k.emit("fence.proxy.async.shared::cta")


def bulk_commit(k: FunctionBuilder) -> None:
    """Make a group of this thread's stores and reductions since the last one."""
    k.emit("cp.async.bulk.commit_group")


def bulk_wait(k: FunctionBuilder, groups: int = 0, *, read: bool = True) -> None:
    """Wait until at most the last `groups` groups of this thread are under way: the tiles of the others may be written again.
    Without `read` also until they have arrived in global memory."""
    if groups < 0:
        raise build_error("PTX221", f"waiting for all but {groups!r} groups", expected="0 or more")
    k.emit(f"cp.async.bulk.wait_group{'.read' if read else ''}", Immediate(groups))
