"""Kernels that run one matrix instruction on operands from memory, registers packed by the layouts under test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ptxgen as px
from ptxgen import b32, u64
from ptxgen.isa.forms import resolve

if TYPE_CHECKING:
    from ptxgen.isa.layouts import Layout, SharedTile


def words(registers: list[list[int]], layout: Layout) -> np.ndarray[Any, Any]:
    """Packed registers as 32-bit words in the order of lanes."""
    return np.array(registers, dtype=np.uint64 if layout.register_bits == 64 else np.uint32).reshape(-1).view(np.uint32)


def unpacked(array: Any, layout: Layout) -> np.ndarray[Any, Any]:
    """The matrix in registers that a kernel wrote to memory in the order of lanes."""
    lanes = array.numpy().view(np.uint64 if layout.register_bits == 64 else np.uint32).reshape(layout.lanes, -1)
    return np.array(layout.unpack(lanes.tolist()))


def loaded(k: Any, pointer: Any, specification: Any, thread: Any) -> tuple[Any, ...]:
    """One register after the other of a vector operand, as variables."""
    count = specification.lanes
    types = [getattr(px, part.type.name) for part in specification.parts]
    source = pointer.cast(types[0])
    return tuple(k.var(type_, source[thread * count + i]) for i, type_ in enumerate(types))


def stored(k: Any, pointer: Any, values: tuple[Any, ...], thread: Any) -> None:
    target = pointer.cast(type(values[0]))
    for i, value in enumerate(values):
        target[thread * len(values) + i] = value


def mma(dev: Any, name: str, of: Any, operands: dict[str, Any], *extra: int) -> np.ndarray[Any, Any]:
    """D of an mma (also sparse, then with `extra` = the selector) whose operands are given as matrices of numbers."""
    form = resolve(name)[0].operands

    @px.kernel(threads=32)
    def run(k: px.Builder, d: px.ptr[b32], a: px.ptr[b32], b: px.ptr[b32], c: px.ptr[b32], e: px.ptr[b32]) -> None:
        lane = k.tid.x
        given = [loaded(k, pointer, spec, lane) for pointer, spec in zip((d, a, b, c), form)]
        if "metadata" in of:
            k.ptx[name](*given, e[lane], *extra)
        else:
            k.ptx[name](*given)
        stored(k, d, given[0], lane)

    arrays = {
        operand: dev.array(words(of[operand].pack(matrix), of[operand]), b32) for operand, matrix in operands.items()
    }
    result = dev.zeros(32 * of.d.registers * of.d.register_bits // 32, b32)
    run[1, 32](result, arrays["a"], arrays["b"], arrays["c"], arrays.get("metadata", arrays["a"]))
    return unpacked(result, of.d)


def image(tile: SharedTile, matrix: Any) -> np.ndarray[Any, Any]:
    """The bytes of a tile in shared memory."""
    from ptxgen.isa.layouts.numbers import encode

    bits = np.zeros(tile.bytes * 8 // tile.bits, dtype={8: np.uint8, 16: np.uint16, 32: np.uint32}[max(tile.bits, 8)])
    if tile.bits < 8:  # b1: packed along K, lowest bit first
        data = np.zeros(tile.bytes, np.uint8)
        for row in range(tile.rows):
            for column in range(tile.columns):
                data[tile.offset(row, column)] |= int(matrix[row][column]) << (column % 8)
        return data.view(np.uint32)
    for row in range(tile.rows):
        for column in range(tile.columns):
            bits[tile.offset(row, column) * 8 // tile.bits] = encode(matrix[row][column], tile.type)
    return bits.view(np.uint32)


def wgmma(
    dev: Any,
    name: str,
    of: Any,
    a: Any,
    b: Any,
    c: Any,
    tile_a: SharedTile | None,
    tile_b: SharedTile,
    *,
    metadata: Any = None,
) -> np.ndarray[Any, Any]:
    """D of wgmma steps along K of the tiles: A from `tile_a`, or from registers where that is None (one step then)."""
    specs = next(r.operands for r in resolve(name) if (r.operands[1].lanes > 1) is (tile_a is None))
    step = int(next(word for word in name.split(".") if word.startswith("m64n")).split("k")[1])
    step_a = step // 2 if metadata is not None else step
    images = [image(tile_a, a) if tile_a else words(of.a.pack(a), of.a), image(tile_b, b)]
    size_a = len(images[0]) if tile_a else 0
    size_b = len(images[1])
    has_scales = any(spec.spec.name == "scale_a" for spec in specs)
    majors = [int(t is not None and t.major == "MN") for t in ((tile_a, tile_b) if tile_a else (tile_b,))]
    takes_majors = any(spec.spec.name.startswith("trans") for spec in specs)
    steps = tile_b.columns // step

    @px.kernel(threads=128)
    def run(k: px.Builder, d: px.ptr[b32], pa: px.ptr[b32], pb: px.ptr[b32], c: px.ptr[b32], e: px.ptr[b32]) -> None:
        thread = k.tid.x
        space = k.shared(b32, size_a + size_b + 512, align=1024)
        origin_b = -(-size_a // 256) * 256
        for source, first, size in ((pa, 0, size_a), (pb, origin_b, size_b))[0 if size_a else 1 :]:
            for i in k.range(thread, size, 128):
                space[i + first] = source[i]
        k.ptx.fence.proxy.async_.shared__cta()
        k.barrier()
        address = (space.address >> 4).to(u64)
        always = thread < 128
        sums = loaded(k, c, specs[0], thread)
        left = loaded(k, pa, specs[1], thread) if tile_a is None else ()
        k.ptx.wgmma.fence.sync.aligned()
        for number in range(steps):
            first = address + tile_a.wgmma(0, 0, number * step_a).encode() if tile_a else left
            second = address + tile_b.wgmma(origin_b * 4, 0, number * step).encode()
            rest = [1, 1] * has_scales + majors * takes_majors
            sparse = [e[thread], 0] if metadata is not None else []
            k.ptx[name](sums, first, second, *sparse, always, *rest)
        k.ptx.wgmma.commit_group.sync.aligned()
        k.ptx.wgmma.wait_group.sync.aligned(0)
        stored(k, d, sums, thread)

    packed = words(of.metadata.pack(metadata), of.metadata) if metadata is not None else images[1]
    arrays = [dev.array(one, b32) for one in (*images, words(of.d.pack(c), of.d), packed)]
    result = dev.zeros(128 * of.d.registers, b32)
    run[1, 128](result, *arrays)
    return unpacked(result, of.d)


def matrix_load(dev: Any, name: str, of: Any, memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What ldmatrix loads from rows of 16 bytes: the matrix of raw 16-bit elements that its registers hold."""
    registers = of.d.registers

    @px.kernel(threads=32)
    def run(k: px.Builder, d: px.ptr[b32], source: px.ptr[b32]) -> None:
        lane = k.tid.x
        space = k.shared(b32, 128, align=128)
        for i in range(4):
            space[lane * 4 + i] = source[lane * 4 + i]
        k.barrier()
        found = tuple(k.var(b32) for _ in range(registers))
        k.ptx[name](found, space.at((lane % (8 * registers)) * 4))
        stored(k, d, found, lane)

    result = dev.zeros(32 * registers, b32)
    run[1, 32](result, dev.array(memory.view(np.uint32).reshape(-1), b32))
    return np.array(of.d.unpack(result.numpy().view(np.uint32).reshape(32, -1).tolist(), raw=True))


def matrix_store(dev: Any, name: str, of: Any, matrix: Any) -> np.ndarray[Any, Any]:
    """The rows of 16 bytes that stmatrix writes."""
    registers = of.r.registers

    @px.kernel(threads=32)
    def run(k: px.Builder, out: px.ptr[b32], source: px.ptr[b32]) -> None:
        lane = k.tid.x
        space = k.shared(b32, 128, align=128)
        given = tuple(k.var(b32, source[lane * registers + i]) for i in range(registers))
        k.ptx[name](space.at((lane % (8 * registers)) * 4), given)
        k.barrier()
        for i in range(4):
            out[lane * 4 + i] = space[lane * 4 + i]

    out = dev.zeros(128, b32)
    run[1, 32](out, dev.array(words(of.r.pack(matrix, raw=True), of.r), b32))
    return out.numpy().view(np.uint16).reshape(32, 8)[: 8 * registers]


def transpose(dev: Any, of: Any, matrix: Any) -> np.ndarray[Any, Any]:
    """The matrix as movmatrix leaves it, read with the layout of its `d`."""

    @px.kernel(threads=32)
    def run(k: px.Builder, d: px.ptr[b32], a: px.ptr[b32]) -> None:
        moved = k.var(b32)
        k.ptx.movmatrix.sync.aligned.m8n8.trans.b16(moved, a[k.tid.x])
        d[k.tid.x] = moved

    d = dev.zeros(32, b32)
    run[1, 32](d, dev.array(words(of.a.pack(matrix, raw=True), of.a), b32))
    return np.array(of.d.unpack(d.numpy().view(np.uint32).reshape(32, 1).tolist(), raw=True))


def wmma_registers(dev: Any, name: str, memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The registers (32 lanes x registers, as unsigned) that wmma.load fills from dense memory with the default stride."""
    (vector, *_) = resolve(name)[0].operands
    wide = vector.parts[0].type.bits == 64

    @px.kernel(threads=32)
    def run(k: px.Builder, d: px.ptr[b32], source: px.ptr[b32]) -> None:
        found = tuple(k.var(getattr(px, part.type.name)) for part in vector.parts)
        k.ptx[name](found, source)
        stored(k, d, found, k.tid.x)

    d = dev.zeros(32 * vector.lanes * (2 if wide else 1), b32)
    run[1, 32](d, dev.array(memory.view(np.uint32).reshape(-1), b32))
    return d.numpy().view(np.uint64 if wide else np.uint32).reshape(32, -1)
