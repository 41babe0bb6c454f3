"""Kernels that run one matrix instruction on many matrices of bits at once, one warp each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ptxgen as px
from ptxgen import b32
from ptxgen.isa.forms import resolve
from tests.ptxgen.device.layout_kernels import loaded, stored

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
