"""Copies and fills: as work of a stream, and as the nodes of a graph.

A range that the driver does not know is refused when the work is made, not when it runs. Overlapping copies are as
memmove.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from driver_ctypes.abi import enums, numbers
from driver_ctypes.abi.structs import CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER
from ptxgen.emulated_driver.calls.registry import entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.memory.addresses import check_device_span, check_host_span, is_pageable, note_written
from ptxgen.emulated_driver.memory.watching import Span, watch
from ptxgen.emulated_driver.pointers import copy_struct, move
from ptxgen.emulated_driver.state.context import Context, contexts
from ptxgen.emulated_driver.state.graph import ExecutionContext, NodeWork
from ptxgen.emulated_driver.state.order import host_waited
from ptxgen.emulated_driver.streams.stream import enqueue, stream_of

if TYPE_CHECKING:
    from driver_ctypes.abi.structs import CUDA_MEMSET_NODE_PARAMS_v1
    from ptxgen.emulated_driver.memory.arrays import DriverArray

HOST, DEVICE, UNIFIED = numbers.CUmemorytype.HOST, numbers.CUmemorytype.DEVICE, numbers.CUmemorytype.UNIFIED
ARRAY = numbers.CUmemorytype.ARRAY


class Side:
    """Source or target of a copy: the address of its first byte, the bytes from row to row and from slice to slice."""

    __slots__ = ("address", "kind", "pitch", "slice")

    def __init__(self, kind: int, address: int, pitch: int = 0, slice_: int = 0) -> None:
        self.kind = kind
        self.address = address
        self.pitch = pitch
        self.slice = slice_

    def check(self, width: int, height: int, depth: int) -> None:
        span = (depth - 1) * self.slice + (height - 1) * self.pitch + width
        if self.kind == DEVICE:
            check_device_span(self.address, span)
        else:
            check_host_span(self.address, span)


class Copy(NodeWork):
    """`depth` slices of `height` rows of `width` bytes."""

    __slots__ = ("depth", "height", "source", "target", "width")
    kind = numbers.CUgraphNodeType.MEMCPY

    def __init__(self, target: Side, source: Side, width: int, height: int = 1, depth: int = 1) -> None:
        self.target = target
        self.source = source
        self.width = width
        self.height = height
        self.depth = depth

    def check(self) -> None:
        if self.width and self.height and self.depth:
            self.target.check(self.width, self.height, self.depth)
            self.source.check(self.width, self.height, self.depth)

    def run(self, context: ExecutionContext) -> None:
        target, source = self.target, self.source
        if self.height == self.depth == 1:
            move(target.address, source.address, self.width)
            note_written(target.address, self.width)
            watch(self._told, self._spans)
            return
        for z in range(self.depth):
            to, origin = target.address + z * target.slice, source.address + z * source.slice
            for _ in range(self.height):
                move(to, origin, self.width)
                note_written(to, self.width)
                to += target.pitch
                origin += source.pitch
        watch(self._told, self._spans)

    @property
    def on_device(self) -> bool:
        """From device to device?"""
        return self.source.kind == self.target.kind == DEVICE

    def _told(self) -> str:
        """What it does, in words."""
        sides = (
            ("HtoD" if self.source.kind == HOST else "DtoH") if HOST in (self.source.kind, self.target.kind) else "DtoD"
        )
        return f"memcpy {sides} of {self.width * self.height * self.depth} bytes"

    def _spans(self) -> list[Span]:
        """What it touches, row by row."""
        return [
            Span(side.address + z * side.slice + y * side.pitch, self.width, side is self.target)
            for side in (self.source, self.target) for z in range(self.depth) for y in range(self.height)
        ]  # fmt: skip

    def params(self) -> CUDA_MEMCPY3D:
        """As cuGraphMemcpyNodeGetParams tells it: offsets are part of the addresses."""
        out = CUDA_MEMCPY3D(WidthInBytes=self.width, Height=self.height, Depth=self.depth)
        for name, side in (("src", self.source), ("dst", self.target)):
            setattr(out, f"{name}MemoryType", side.kind)
            setattr(out, f"{name}{'Host' if side.kind == HOST else 'Device'}", side.address)
            setattr(out, f"{name}Pitch", side.pitch)
            setattr(out, f"{name}Height", side.slice // side.pitch if side.pitch else 0)
        return out


def flat(target_kind: int, target: int | None, source_kind: int, source: int | None, nbytes: int) -> Copy | None:
    """A plain copy, checked; None when there is nothing to do, and then nothing is checked."""
    if nbytes == 0:
        return None
    work = Copy(Side(target_kind, target or 0, nbytes), Side(source_kind, source or 0, nbytes), nbytes)
    work.check()
    return work


def _side(
    params: CUDA_MEMCPY3D | CUDA_MEMCPY3D_PEER | CUDA_MEMCPY2D, name: str, width: int, height: int, depth: int
) -> Side:
    """One side of a pitched copy, from the structure of any of the three forms."""

    def get(field: str) -> int:
        return getattr(params, name + field, 0) or 0

    kind, x, y, z = get("MemoryType"), get("XInBytes"), get("Y"), get("Z")
    if kind == ARRAY:
        from ptxgen.emulated_driver.memory.arrays import arrays

        return _array_side(arrays.get(get("Array")), (x, y, z), (width, height, depth))
    if kind not in (HOST, DEVICE, UNIFIED):
        raise invalid_value(f"{name}MemoryType is {kind}: host (1), device (2), an array (3) or unified (4)")
    pitch, rows = get("Pitch") or x + width, get("Height") or y + height
    if pitch < x + width:
        raise invalid_value(f"{name}Pitch is {pitch}, a row needs {x + width} bytes")
    if depth > 1 and rows < y + height:
        raise invalid_value(f"{name}Height is {rows}, a slice needs {y + height} rows")
    base = get("Host") if kind == HOST else get("Device")
    if not base:
        raise invalid_value(f"the address of {name} is null")
    return Side(kind, base + (z * rows + y) * pitch + x, pitch, rows * pitch)


def _array_side(array: DriverArray, first: tuple[int, int, int], extent: tuple[int, int, int]) -> Side:
    """A side that is an array, of whole elements inside it."""
    if first[0] % array.texel or extent[0] % array.texel:
        raise invalid_value(f"{extent[0]} bytes from byte {first[0]}: an element of the array has {array.texel}")
    have = array.pitch, array.rows, array.slices
    if any(at + count > most for at, count, most in zip(first, extent, have)):
        raise invalid_value(f"{extent} bytes, rows and slices from {first} on: the array has {have}")
    x, y, z = first
    return Side(DEVICE, array.base + (z * array.rows + y) * array.pitch + x, array.pitch, array.pitch * array.rows)


def pitched(params: CUDA_MEMCPY3D | CUDA_MEMCPY3D_PEER | CUDA_MEMCPY2D) -> Copy | None:
    """The copy that a structure describes, checked; None when it is empty."""
    width, height, depth = params.WidthInBytes, params.Height, getattr(params, "Depth", 1)
    if not width or not height or not depth:
        return None
    target, source = [_side(params, name, width, height, depth) for name in ("dst", "src")]
    work = Copy(target, source, width, height, depth)
    work.check()
    return work


class Fill(NodeWork):
    """`height` rows of `width` elements, each set to `value`."""

    __slots__ = ("element", "height", "pitch", "target", "value", "width")
    kind = numbers.CUgraphNodeType.MEMSET

    def __init__(self, target: int, value: int, element: int, width: int, height: int = 1, pitch: int = 0) -> None:
        self.target = target
        self.value = value & ((1 << 8 * element) - 1)
        self.element = element
        self.width = width
        self.height = height
        self.pitch = pitch

    def check(self) -> None:
        row = self.width * self.element
        if not row or not self.height:
            return
        if self.target % self.element or (self.height > 1 and (self.pitch % self.element or self.pitch < row)):
            raise invalid_value(
                f"address and pitch must be multiples of {self.element}, the pitch at least {row} bytes"
            )
        check_device_span(self.target, (self.height - 1) * self.pitch + row)

    def run(self, context: ExecutionContext) -> None:
        if self.width:
            for row in range(self.height):
                _fill(self.target + row * self.pitch, self.value, self.element, self.width)
                note_written(self.target + row * self.pitch, self.width * self.element)
            watch(self._told, self._spans)

    def _told(self) -> str:
        """What it does, in words."""
        return f"memset of {self.width * self.height * self.element} bytes"

    def _spans(self) -> list[Span]:
        return [Span(self.target + row * self.pitch, self.width * self.element, True) for row in range(self.height)]

    def params(self) -> CUDA_MEMSET_NODE_PARAMS_v1:
        from driver_ctypes.abi.structs import CUDA_MEMSET_NODE_PARAMS_v1

        return CUDA_MEMSET_NODE_PARAMS_v1(self.target, self.pitch, self.value, self.element, self.width, self.height)


def _fill(target: int, value: int, element: int, count: int) -> None:
    """Doubles what is filled already: memmove's speed for every element size."""
    pattern = value.to_bytes(element, "little")
    if len(set(pattern)) == 1:
        ctypes.memset(target, pattern[0], element * count)
        return
    done, total = min(element * count, 4096 // element * element), element * count
    ctypes.memmove(target, pattern * (done // element), done)
    while done < total:
        step = min(done, total - done)
        ctypes.memmove(target + done, target, step)
        done += step


def fill_of(params: CUDA_MEMSET_NODE_PARAMS_v1) -> Fill:
    """The fill that a structure describes, checked."""
    if params.elementSize not in (1, 2, 4):
        raise invalid_value(f"elementSize is {params.elementSize}: 1, 2 or 4")
    if not params.width or not params.height:
        raise invalid_value("a fill of nothing")
    work = Fill(params.dst, params.value, params.elementSize, params.width, params.height, params.pitch)
    work.check()
    return work


def _now(context: Context, work: NodeWork | None) -> None:
    """A synchronous call: the default stream's work. The host waits for it where memory of the host takes part: a fill, or a copy
    from device to device, it only asks for (driver API, "API synchronization behavior")."""
    stream = stream_of(context, None)
    if work is not None:
        enqueue(stream, work)
    if not isinstance(work, Fill) and not (isinstance(work, Copy) and work.on_device):
        host_waited(stream)


def _later(context: Context, handle: int | None, work: NodeWork | None) -> None:
    stream = stream_of(context, handle)
    if work is None:
        return
    enqueue(stream, work)
    if stream.capture is None and isinstance(work, Copy) and is_pageable(work.target.address):
        host_waited(stream)  # it returns when it is done


# --- one dimension ----------------------------------------------------------------------------------------------------


@entry("cuMemcpy")
def memcpy(context: Context, target: int, source: int, nbytes: int) -> None:
    _now(context, flat(UNIFIED, target, UNIFIED, source, nbytes))


@entry("cuMemcpyHtoD_v2")
def memcpy_to_device(context: Context, target: int, source: int | None, nbytes: int) -> None:
    _now(context, flat(DEVICE, target, HOST, source, nbytes))


@entry("cuMemcpyDtoH_v2")
def memcpy_to_host(context: Context, target: int | None, source: int, nbytes: int) -> None:
    _now(context, flat(HOST, target, DEVICE, source, nbytes))


@entry("cuMemcpyDtoD_v2")
def memcpy_on_device(context: Context, target: int, source: int, nbytes: int) -> None:
    _now(context, flat(DEVICE, target, DEVICE, source, nbytes))


@entry("cuMemcpyAsync")
def memcpy_async(context: Context, target: int, source: int, nbytes: int, stream: int | None) -> None:
    _later(context, stream, flat(UNIFIED, target, UNIFIED, source, nbytes))


@entry("cuMemcpyHtoDAsync_v2")
def memcpy_to_device_async(context: Context, target: int, source: int | None, nbytes: int, stream: int | None) -> None:
    _later(context, stream, flat(DEVICE, target, HOST, source, nbytes))


@entry("cuMemcpyDtoHAsync_v2")
def memcpy_to_host_async(context: Context, target: int | None, source: int, nbytes: int, stream: int | None) -> None:
    _later(context, stream, flat(HOST, target, DEVICE, source, nbytes))


@entry("cuMemcpyDtoDAsync_v2")
def memcpy_on_device_async(context: Context, target: int, source: int, nbytes: int, stream: int | None) -> None:
    _later(context, stream, flat(DEVICE, target, DEVICE, source, nbytes))


def _peers(*handles: int | None) -> None:
    for handle in handles:
        if not contexts.get(handle).alive:
            raise Refusal(enums.CUresult.ERROR_CONTEXT_IS_DESTROYED)


@entry("cuMemcpyPeer")
def memcpy_peer(context: Context, target: int, there: int | None, source: int, here: int | None, nbytes: int) -> None:
    _peers(there, here)
    _now(context, flat(DEVICE, target, DEVICE, source, nbytes))


@entry("cuMemcpyPeerAsync")
def memcpy_peer_async(
    context: Context, target: int, there: int | None, source: int, here: int | None, nbytes: int, stream: int | None
) -> None:
    _peers(there, here)
    _later(context, stream, flat(DEVICE, target, DEVICE, source, nbytes))


@entry("cuMemcpy3DPeer")
def memcpy_3d_peer(context: Context, params: int | None) -> None:
    _now(context, _between(params))


@entry("cuMemcpy3DPeerAsync")
def memcpy_3d_peer_async(context: Context, params: int | None, stream: int | None) -> None:
    _later(context, stream, _between(params))


def _between(params: int | None) -> Copy | None:
    found = copy_struct(CUDA_MEMCPY3D_PEER, params)
    _peers(found.srcContext, found.dstContext)
    return pitched(found)


# --- between arrays and memory, a row of bytes ------------------------------------------------------------------------


def _in_array(handle: int | None, offset: int, nbytes: int) -> Side:
    """Bytes of an array of one dimension, or of the rows of one of two, as they lie one behind the other."""
    from ptxgen.emulated_driver.memory.arrays import arrays

    array = arrays.get(handle)
    if offset + nbytes > array.nbytes:
        raise invalid_value(f"{nbytes} bytes from {offset} on: the array has {array.nbytes}")
    return Side(DEVICE, array.base + offset, nbytes)


def _row(target: Side, source: Side, nbytes: int) -> Copy | None:
    if not nbytes:
        return None
    work = Copy(target, source, nbytes)
    work.check()
    return work


@entry("cuMemcpyAtoA_v2")
def memcpy_between_arrays(
    context: Context, target: int | None, to: int, source: int | None, origin: int, nbytes: int
) -> None:
    _now(context, _row(_in_array(target, to, nbytes), _in_array(source, origin, nbytes), nbytes))


@entry("cuMemcpyAtoD_v2")
def memcpy_array_to_device(context: Context, target: int, source: int | None, origin: int, nbytes: int) -> None:
    _now(context, _row(Side(DEVICE, target, nbytes), _in_array(source, origin, nbytes), nbytes))


@entry("cuMemcpyDtoA_v2")
def memcpy_device_to_array(context: Context, target: int | None, to: int, source: int, nbytes: int) -> None:
    _now(context, _row(_in_array(target, to, nbytes), Side(DEVICE, source, nbytes), nbytes))


@entry("cuMemcpyAtoH_v2")
def memcpy_array_to_host(context: Context, target: int | None, source: int | None, origin: int, nbytes: int) -> None:
    _now(context, _row(Side(HOST, target or 0, nbytes), _in_array(source, origin, nbytes), nbytes))


@entry("cuMemcpyHtoA_v2")
def memcpy_host_to_array(context: Context, target: int | None, to: int, source: int | None, nbytes: int) -> None:
    _now(context, _row(_in_array(target, to, nbytes), Side(HOST, source or 0, nbytes), nbytes))


@entry("cuMemcpyAtoHAsync_v2")
def memcpy_array_to_host_async(
    context: Context, target: int | None, source: int | None, origin: int, nbytes: int, stream: int | None
) -> None:
    _later(context, stream, _row(Side(HOST, target or 0, nbytes), _in_array(source, origin, nbytes), nbytes))


@entry("cuMemcpyHtoAAsync_v2")
def memcpy_host_to_array_async(
    context: Context, target: int | None, to: int, source: int | None, nbytes: int, stream: int | None
) -> None:
    _later(context, stream, _row(_in_array(target, to, nbytes), Side(HOST, source or 0, nbytes), nbytes))


# --- two and three dimensions -----------------------------------------------------------------------------------------


@entry("cuMemcpy2D_v2")
def memcpy_2d(context: Context, params: int | None) -> None:
    _now(context, pitched(copy_struct(CUDA_MEMCPY2D, params)))


@entry("cuMemcpy2DUnaligned_v2")
def memcpy_2d_unaligned(context: Context, params: int | None) -> None:
    _now(context, pitched(copy_struct(CUDA_MEMCPY2D, params)))


@entry("cuMemcpy2DAsync_v2")
def memcpy_2d_async(context: Context, params: int | None, stream: int | None) -> None:
    _later(context, stream, pitched(copy_struct(CUDA_MEMCPY2D, params)))


@entry("cuMemcpy3D_v2")
def memcpy_3d(context: Context, params: int | None) -> None:
    _now(context, pitched(copy_struct(CUDA_MEMCPY3D, params)))


@entry("cuMemcpy3DAsync_v2")
def memcpy_3d_async(context: Context, params: int | None, stream: int | None) -> None:
    _later(context, stream, pitched(copy_struct(CUDA_MEMCPY3D, params)))


# --- fills ------------------------------------------------------------------------------------------------------------


def _filled(target: int, value: int, element: int, width: int, height: int = 1, pitch: int = 0) -> Fill | None:
    if not width or not height:
        return None
    work = Fill(target, value, element, width, height, pitch)
    work.check()
    return work


def _register_fills() -> None:
    """Three element sizes in four forms: at once and in a stream, of a row and of several."""

    def fills(element: int) -> None:
        bits = 8 * element

        @entry(f"cuMemsetD{bits}_v2")
        def memset(context: Context, target: int, value: int, count: int) -> None:
            _now(context, _filled(target, value, element, count))

        @entry(f"cuMemsetD{bits}Async")
        def memset_async(context: Context, target: int, value: int, count: int, stream: int | None) -> None:
            _later(context, stream, _filled(target, value, element, count))

        @entry(f"cuMemsetD2D{bits}_v2")
        def memset_2d(context: Context, target: int, pitch: int, value: int, width: int, height: int) -> None:
            _now(context, _filled(target, value, element, width, height, pitch))

        @entry(f"cuMemsetD2D{bits}Async")
        def memset_2d_async(
            context: Context, target: int, pitch: int, value: int, width: int, height: int, stream: int | None
        ) -> None:
            _later(context, stream, _filled(target, value, element, width, height, pitch))

    for element in (1, 2, 4):
        fills(element)


_register_fills()
