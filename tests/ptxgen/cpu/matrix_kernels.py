"""Kernels that run one matrix instruction on many matrices of bits at once, one warp each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ptxgen as px
from ptxgen import b32, u64
from ptxgen.isa.forms import resolve
from ptxgen.isa.layouts import SharedTile
from tests.ptxgen.host.layout_kernels import loaded, stored

if TYPE_CHECKING:
    from ptxgen.isa.layouts import Layout

Array = np.ndarray[Any, Any]


def _places(layout: Layout) -> tuple[Array, Array]:
    """(lane, register, slice) and (row, column) of everything that an operand holds, a column each."""
    found = list(layout)
    return np.array([place for place, _ in found]).T, np.array([element for _, element in found]).T


def packed(matrices: Array, layout: Layout) -> Array:
    """Matrices of bits as 32-bit words in the order of warps, lanes and registers."""
    (lane, register, piece), (row, column) = _places(layout)
    wide = np.uint64 if layout.register_bits == 64 else np.uint32
    words = np.zeros((len(matrices), layout.lanes, layout.registers), wide)
    mask = (1 << layout.bits) - 1
    for i in range(layout.slices):
        at = piece == i
        bits = (matrices[:, row[at], column[at]].astype(np.uint64) & np.uint64(mask)).astype(wide)
        words[:, lane[at], register[at]] |= bits << wide(i * layout.bits)
    return words.reshape(-1).view(np.uint32)


def unpacked(words: Array, layout: Layout) -> Array:
    """The inverse of `packed`, as signed 64-bit integers."""
    (lane, register, piece), (row, column) = _places(layout)
    wide = np.uint64 if layout.register_bits == 64 else np.uint32
    given = words.view(wide).reshape(-1, layout.lanes, layout.registers)
    found = np.zeros((len(given), *layout.shape), np.uint64)
    mask = np.uint64((1 << layout.bits) - 1)
    found[:, row, column] = given[:, lane, register].astype(np.uint64) >> (piece * layout.bits).astype(np.uint64) & mask
    return found.view(np.int64)


def mma(dev: px.Device, name: str, of: Any, *matrices: Array, selector: int | None = None) -> Array:
    """D of an mma for each of many A, B, C (and metadata with `selector`), all as bits."""
    form = resolve(name)[0].operands
    operands = ("a", "b", "c", "metadata")[: len(matrices)]

    @px.kernel(threads=32)
    def run(k: px.Builder, d: px.ptr[b32], a: px.ptr[b32], b: px.ptr[b32], c: px.ptr[b32], e: px.ptr[b32]) -> None:
        thread = k.global_id.x
        given = [loaded(k, pointer, spec, thread) for pointer, spec in zip((a, b, c), form[1:])]
        sums = tuple(k.var(getattr(px, part.type.name)) for part in form[0].parts)
        k.ptx[name](sums, *given, *([] if selector is None else [e[thread], selector]))
        stored(k, d, sums, thread)

    count = len(matrices[0])
    arrays = [dev.array(packed(m, of[operand]), b32) for operand, m in zip(operands, matrices)]
    result = dev.zeros(count * 32 * of.d.registers * of.d.register_bits // 32, b32)
    run[count, 32](result, *arrays, *arrays[: 4 - len(arrays)])
    return unpacked(result.numpy().view(np.uint32), of.d)


def images(matrices: Array, tile: SharedTile) -> Array:
    """Matrices of bits as they lie in a tile in shared memory, in 32-bit words."""
    whole = {8: np.uint8, 16: np.uint16, 32: np.uint32}[tile.bits]
    found = np.zeros((len(matrices), tile.bytes * 8 // tile.bits), whole)
    for row, column in np.ndindex(tile.rows, tile.columns):
        found[:, tile.offset(row, column) * 8 // tile.bits] = matrices[:, row, column]
    return found.reshape(-1).view(np.uint32)


def wgmma(
    dev: px.Device,
    name: str,
    of: Any,
    a: Array,
    b: Array,
    c: Array,
    *,
    add: bool = True,
    signs: tuple[int, int] = (1, 1),
    majors: tuple[str, str] = ("K", "K"),
    swizzle: str = "none",
    metadata: Array | None = None,
) -> Array:
    """D of one wgmma for each of many A (64 x K), B (K x N) and C, all as bits; A and B in shared memory.

    `add` and `signs`: what scale-d and the signs of A and B are. `metadata` is that of a sparse A.
    """
    form = next(form.operands for form in resolve(name) if form.operands[1].lanes == 1)
    (count, rows, depth), columns = a.shape, b.shape[2]
    tile_a = SharedTile(rows, depth, of.a.type, majors[0], swizzle)
    tile_b = SharedTile(columns, b.shape[1], of.a.type, majors[1], swizzle)
    size_a, size_b = tile_a.bytes // 4, tile_b.bytes // 4
    immediates = [*signs] * any(operand.spec.name == "scale_a" for operand in form)
    immediates += [int(major == "MN") for major in majors] * any(operand.spec.name == "trans_a" for operand in form)

    @px.kernel(threads=128)
    def run(k: px.Builder, d: px.ptr[b32], pa: px.ptr[b32], pb: px.ptr[b32], pc: px.ptr[b32], pe: px.ptr[b32]) -> None:
        space = k.shared(b32, size_a + size_b, align=1024)
        for source, first, size in ((pa, 0, size_a), (pb, size_a, size_b)):
            for i in k.range(k.tid.x, size, 128):
                space[i + first] = source[k.ctaid.x * size + i]
        k.ptx.fence.proxy.async_.shared__cta()
        k.barrier()
        address = (space.address >> 4).to(u64)
        sums = loaded(k, pc, form[0], k.global_id.x)
        k.ptx.wgmma.fence.sync.aligned()
        left, right = address + tile_a.wgmma(0).encode(), address + tile_b.wgmma(4 * size_a).encode()
        sparse = [] if metadata is None else [pe[k.global_id.x], 0]
        k.ptx[name](sums, left, right, *sparse, (k.tid.x < 128) if add else (k.tid.x >= 128), *immediates)
        k.ptx.wgmma.commit_group.sync.aligned()
        k.ptx.wgmma.wait_group.sync.aligned(0)
        stored(k, d, sums, k.global_id.x)

    arrays = [images(a, tile_a), images(np.swapaxes(b, -1, -2), tile_b), packed(c, of.d)]
    arrays.append(arrays[0] if metadata is None else packed(metadata, of.metadata))
    result = dev.zeros(count * 128 * of.d.registers, b32)
    run[count, 128](result, *(dev.array(words, b32) for words in arrays))
    return unpacked(result.numpy().view(np.uint32), of.d)
