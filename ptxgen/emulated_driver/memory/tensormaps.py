"""Tensor maps: what the driver takes, and the 128 bytes that it makes, as recorded on an H200.

Word by word (of 8 bytes): 0 the address; 1 mode, rank, type, interleave, swizzle, fill, promotion and the first stride;
2 and 3 the other strides (in units of 16 bytes, their upper bits in word 3); 4 to 6 extents less one, element strides
less one in three bits each, the inner box extent less one; 7 the other box extents, or the corners and pixels of
im2col; 8 the bytes of a box in shared memory; 9 the alignment that the swizzle needs there.
"""

from __future__ import annotations

from typing import NamedTuple

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import NOTHING, entry
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.pointers import i32_array, need, put_bytes, put_u64, u64_array
from ptxgen.emulated_driver.state.machine import machine

T = enums.CUtensorMapDataType
Interleave = enums.CUtensorMapInterleave
Swizzle = enums.CUtensorMapSwizzle
Fill = enums.CUtensorMapFloatOOBfill


class ElementType(NamedTuple):
    """A data type: the bytes of an element, and the code that stands for it in word 1 from bit 7."""

    nbytes: int
    code: int


_TFLOAT32 = 0x200  # this bit beside the code of a float
_ELEMENTS: dict[int, ElementType] = {
    T.UINT8: ElementType(1, 0),
    T.UINT16: ElementType(2, 1),
    T.UINT32: ElementType(4, 2),
    T.INT32: ElementType(4, 3),
    T.UINT64: ElementType(8, 4),
    T.INT64: ElementType(8, 5),
    T.FLOAT16: ElementType(2, 6),
    T.FLOAT32: ElementType(4, 7),
    T.FLOAT64: ElementType(8, 9),
    T.BFLOAT16: ElementType(2, 10),
    T.FLOAT32_FTZ: ElementType(4, 8),
    T.TFLOAT32: ElementType(4, 7 | _TFLOAT32),
    T.TFLOAT32_FTZ: ElementType(4, 8 | _TFLOAT32),
}
"""What compute capability 9.0 takes."""
_FLOATS = (T.FLOAT16, T.FLOAT32, T.FLOAT64, T.BFLOAT16, T.FLOAT32_FTZ, T.TFLOAT32, T.TFLOAT32_FTZ)
_SPAN: dict[int, int] = {
    Swizzle.NONE: 1 << 30,
    Swizzle.SWIZZLE_32B: 32,
    Swizzle.SWIZZLE_64B: 64,
    Swizzle.SWIZZLE_128B: 128,
}
"""Bytes of the inner extent that a swizzle allows, of those that compute capability 9.0 takes."""
_ATOMICITY: dict[int, int] = {
    Swizzle.SWIZZLE_128B_ATOM_32B: 1,
    Swizzle.SWIZZLE_128B_ATOM_32B_FLIP_8B: 2,
    Swizzle.SWIZZLE_128B_ATOM_64B: 3,
}
"""The ways of compute capability 10.0 in which a swizzle of 128 bytes keeps more than 16 together, as `tensormap.replace` has
them (manual 5.5.7)."""
_ALIGNMENT: dict[int, int] = {
    Swizzle.NONE: 16,
    Swizzle.SWIZZLE_32B: 256,
    Swizzle.SWIZZLE_64B: 512,
    Swizzle.SWIZZLE_128B: 1024,
}
"""Bytes, in shared memory."""
_TILED, _IM2COL, _IM2COL_W = 0, 1, 2  # modes, in word 1; im2col::w::128 is the next one
_MAX_ADDRESS = 1 << 57
_MAX_BOX = 228 << 10  # bytes: the shared memory of a multiprocessor
_CORNER_BITS = {3: 16, 4: 8, 5: 5}


class Tensor(NamedTuple):
    """The arguments that both modes share; extents innermost first, strides in bytes."""

    type: int
    rank: int
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    steps: tuple[int, ...]
    interleave: int
    swizzle: int
    promotion: int
    fill: int


def _refuse(holds: bool, text: str) -> None:
    if not holds:
        raise invalid_value(text)


def _read(
    type_: int, rank: int, address: int | None, shape: int | None, strides: int | None, steps: int | None, *modes: int
) -> Tensor:
    """The arguments, checked."""
    _refuse(type_ in _ELEMENTS, f"data type {type_}: compute capability 9.0 takes 0 to {max(_ELEMENTS):d}")
    _refuse(1 <= rank <= 5, f"rank {rank}: 1 to 5")
    need(shape, strides, steps)
    found = Tensor(
        type_, rank, address or 0, tuple(u64_array(shape, rank)), tuple(u64_array(strides, rank - 1)),
        tuple([step & 0xFFFFFFFF for step in i32_array(steps, rank)]), *modes,
    )  # fmt: skip
    apart = 32 if found.interleave == Interleave.INTERLEAVE_32B else 16
    _refuse(found.interleave in set(Interleave), f"interleave {found.interleave}: 0, 1 or 2")
    _refuse(
        found.swizzle in _SPAN or (found.swizzle in _ATOMICITY and _has_blackwell()),
        f"swizzle {found.swizzle}: compute capability 9.0 takes 0 to 3, 10.0 those up to {max(_ATOMICITY):d} too",
    )
    _refuse(found.promotion in set(enums.CUtensorMapL2promotion), f"promotion {found.promotion}: 0 to 3")
    _refuse(
        found.fill == Fill.NONE or (found.fill == Fill.NAN_REQUEST_ZERO_FMA and type_ in _FLOATS),
        f"fill {found.fill}: 0, or 1 for floats",
    )
    _refuse(found.interleave == Interleave.NONE or rank >= 3, f"rank {rank}: an interleaved tensor has 3 to 5")
    _refuse(not found.address % apart, f"address {found.address:#x}: a multiple of {apart}")
    _refuse(found.address < _MAX_ADDRESS, f"address {found.address:#x}: less than 2**57")
    for extent in found.shape:
        _refuse(1 <= extent <= 1 << 32, f"extent {extent}: 1 to 2**32")
    for stride in found.strides:
        _refuse(not stride % apart and stride < 1 << 40, f"stride {stride}: a multiple of {apart} below 2**40")
    for step in found.steps:
        _refuse(1 <= step <= 8, f"element stride {step}: 1 to 8")
    return found


def _inner(tensor: Tensor, elements: int) -> None:
    size = elements * _ELEMENTS[tensor.type].nbytes
    _refuse(not size % 16, f"an inner extent of {size} bytes: a multiple of 16")
    if tensor.interleave == Interleave.NONE:
        _refuse(
            size <= _SPAN[_plain(tensor.swizzle)],
            f"an inner extent of {size} bytes: swizzle {tensor.swizzle} is narrower",
        )


def _plain(swizzle: int) -> int:
    """The swizzle whose span it has."""
    return int(Swizzle.SWIZZLE_128B) if swizzle in _ATOMICITY else swizzle


def _has_blackwell() -> bool:
    return any(product.target.sm >= 100 for product in machine.products())


def _fits(size: int) -> None:
    _refuse(size <= _MAX_BOX, f"a box of {size} bytes: {_MAX_BOX} at most")


def _words(tensor: Tensor, mode: int, inner: int, box: int, size: int) -> bytes:
    """The 128 bytes. `box` is word 7, `size` the bytes that one copy brings."""
    words = [0] * 16
    words[0] = tensor.address
    words[1] = (
        mode | tensor.rank - 1 << 4 | _ELEMENTS[tensor.type].code << 7 | tensor.interleave << 11
        | _plain(tensor.swizzle) << 13 | tensor.fill << 15 | tensor.promotion << 17
        | _ATOMICITY.get(tensor.swizzle, 0) << 22
    )  # fmt: skip
    for axis, stride in enumerate(tensor.strides):
        units, place = stride >> 4, axis + 1
        words[1 + place // 2] |= (units & 0xFFFFFFFF) << 32 * (place % 2)
        words[3] |= units >> 32 << 32 + 4 * axis
    for axis, extent in enumerate(tensor.shape):
        words[4 + axis // 2] |= extent - 1 << 32 * (axis % 2)
    for axis, step in enumerate(tensor.steps):
        words[6] |= step - 1 << 32 + 3 * axis
    words[6] |= inner - 1 << 56
    words[7], words[8], words[9] = box, size, _ALIGNMENT[_plain(tensor.swizzle)]
    return b"".join(word.to_bytes(8, "little") for word in words)


@entry("cuTensorMapEncodeTiled", needs=NOTHING)
def encode_tiled(
    out: int | None, type_: int, rank: int, address: int | None, shape: int | None, strides: int | None, box: int | None,
    steps: int | None, interleave: int, swizzle: int, promotion: int, fill: int,
) -> None:  # fmt: skip
    need(out)
    tensor = _read(type_, rank, address, shape, strides, steps, interleave, swizzle, promotion, fill)
    need(box)
    extents = [extent & 0xFFFFFFFF for extent in i32_array(box, rank)]
    size = _ELEMENTS[type_].nbytes
    for extent, step in zip(extents, tensor.steps):
        _refuse(1 <= extent <= 256, f"box extent {extent}: 1 to 256")
        size *= extent // step  # copies round up
    _inner(tensor, extents[0])
    _fits(size)
    outer = sum(extent - 1 << 8 * axis for axis, extent in enumerate(extents[1:]))
    put_bytes(out, _words(tensor, _TILED, extents[0], outer, size))


@entry("cuTensorMapEncodeIm2col", needs=NOTHING)
def encode_im2col(
    out: int | None, type_: int, rank: int, address: int | None, shape: int | None, strides: int | None, lower: int | None,
    upper: int | None, channels: int, pixels: int, steps: int | None, interleave: int, swizzle: int, promotion: int,
    fill: int,
) -> None:  # fmt: skip
    need(out)
    _refuse(3 <= rank <= 5, f"rank {rank}: 3 to 5 in im2col mode")
    tensor = _read(type_, rank, address, shape, strides, steps, interleave, swizzle, promotion, fill)
    need(lower, upper)
    bits, box = _CORNER_BITS[rank], 0
    corners = i32_array(lower, rank - 2), i32_array(upper, rank - 2)
    for half, values in enumerate(corners):
        for axis, value in enumerate(values):
            _refuse(-(1 << bits - 1) <= value < 1 << bits - 1, f"corner {value}: {bits} bits at rank {rank}")
            box |= (value & (1 << bits) - 1) << 16 * half + bits * axis
    for low, high, extent in zip(*corners, tensor.shape[1:-1]):
        _refuse(low < extent + high, f"corners {low} and {high} leave nothing of {extent} pixels")
    _refuse(1 <= channels <= 256, f"{channels} channels of a pixel: 1 to 256")
    _refuse(1 <= pixels <= 1024, f"{pixels} pixels of a column: 1 to 1024")
    _inner(tensor, channels)
    size = channels * pixels * _ELEMENTS[type_].nbytes
    _fits(size)
    put_bytes(out, _words(tensor, _IM2COL, channels, box | pixels - 1 << 32, size))


@entry("cuTensorMapEncodeIm2colWide", needs=NOTHING)
def encode_im2col_wide(
    out: int | None, type_: int, rank: int, address: int | None, shape: int | None, strides: int | None, lower: int,
    upper: int, channels: int, pixels: int, steps: int | None, interleave: int, mode: int, swizzle: int, promotion: int,
    fill: int,
) -> None:  # fmt: skip
    """Of compute capability 10.0. Its words are those of im2col with corners of 16 bits; the number of its mode is ours."""
    need(out)
    _refuse(_has_blackwell(), "no device of compute capability 10.0 is there")
    _refuse(3 <= rank <= 5, f"rank {rank}: 3 to 5 in im2col mode")
    _refuse(interleave == Interleave.NONE, f"interleave {interleave}: 0 in this mode")
    _refuse(swizzle in (Swizzle.SWIZZLE_64B, Swizzle.SWIZZLE_128B), f"swizzle {swizzle}: 2 or 3 in this mode")
    _refuse(mode in (0, 1), f"mode {mode}: 0 or 1")
    tensor = _read(type_, rank, address, shape, strides, steps, interleave, swizzle, promotion, fill)
    for value in (lower, upper):
        _refuse(-(1 << 15) <= value < 1 << 15, f"corner {value}: 16 bits")
    _refuse(lower < tensor.shape[1] + upper, f"corners {lower} and {upper} leave nothing of {tensor.shape[1]} pixels")
    _refuse(1 <= channels <= 256, f"{channels} channels of a pixel: 1 to 256")
    pixels = 128 if mode else pixels
    _refuse(1 <= pixels <= 1024, f"{pixels} pixels of a column: 1 to 1024")
    _inner(tensor, channels)
    size = channels * pixels * _ELEMENTS[type_].nbytes
    _fits(size)
    box = lower & 0xFFFF | (upper & 0xFFFF) << 16 | pixels - 1 << 32
    put_bytes(out, _words(tensor, _IM2COL_W + mode, channels, box, size))


@entry("cuTensorMapReplaceAddress", needs=NOTHING)
def replace_address(out: int | None, address: int | None) -> None:
    need(out)
    _refuse(bool(address) and not (address or 0) % 16, f"address {address or 0:#x}: a multiple of 16, and not null")
    _refuse((address or 0) < _MAX_ADDRESS, f"address {address or 0:#x}: less than 2**57")
    put_u64(out, address or 0)
