"""Green contexts: a device's primary context with some of its multiprocessors, and streams of them.

A green context has a handle of its own that may be made current; what is then made current is the primary context, and the thread
remembers the handle. Streams know theirs. Kernels run as they do elsewhere: the multiprocessors limit cooperative launches.
"""

from __future__ import annotations

import struct
from itertools import count
from typing import NamedTuple

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.contexts.context import primary_release, primary_retain
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import MEMORY, get_u32, need, put_u32, put_u64
from ptxgen.emulated_driver.state.context import Context, Stream, contexts, primary_of, streams
from ptxgen.emulated_driver.state.cpu_device import Device
from ptxgen.emulated_driver.state.epoch import changed
from ptxgen.emulated_driver.state.green import GreenContext, green_of, greens
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.thread import thread
from ptxgen.emulated_driver.streams.events import ctx_record_event, ctx_wait_event, events
from ptxgen.emulated_driver.streams.stream import GREATEST_PRIORITY, LEAST_PRIORITY, LEGACY, PER_THREAD, stream_of

_INVALID, _MULTIPROCESSORS = 0, 1  # CUdevResourceType
_RESOURCE = struct.Struct("<IIII80x3I36x")
"""CUdevResource: its type; in the driver's own part device, split and a word that tells ours; multiprocessors, the fewest of a
part, and what they are a multiple of."""
_OURS = 0x70747867
_DEFAULT_STREAM = 1  # CUgreenCtxCreate_flags
_IGNORE_COSCHEDULING, _LARGE_CLUSTERS = 1, 2  # CUdevSmResourceSplit_flags
_splits = count(1)


class Part(NamedTuple):
    """Multiprocessors of a device; those of one split are disjoint."""

    device: Device
    split: int
    multiprocessors: int
    fewest: int
    multiple: int

    def write(self, address: int) -> None:
        """As a CUdevResource."""
        kind = _MULTIPROCESSORS if self.multiprocessors else _INVALID
        ordinal = self.device.ordinal
        _RESOURCE.pack_into(
            MEMORY, address, kind, ordinal, self.split, _OURS, self.multiprocessors, self.fewest, self.multiple
        )


def _whole(device: Device, multiprocessors: int = 0) -> Part:
    """All of a device, or so many of its multiprocessors. The units are those that cuda.h lists by compute architecture."""
    architecture = device.product.target.sm // 10
    fewest, multiple = (2, 2) if architecture < 8 else (4, 2) if architecture < 9 else (8, 8)
    return Part(device, 0, multiprocessors or device.product.multiprocessors, fewest, multiple)


def _read(address: int | None) -> Part:
    if not address:
        raise invalid_value("the resource is null")
    kind, ordinal, split, ours, *numbers = _RESOURCE.unpack_from(MEMORY, address)
    if kind != _MULTIPROCESSORS:
        raise Refusal(enums.CUresult.ERROR_INVALID_RESOURCE_TYPE, f"a resource of type {kind}: 1, of multiprocessors")
    if ours != _OURS:
        raise Refusal(
            enums.CUresult.ERROR_INVALID_RESOURCE_CONFIGURATION, "the resource is none that this driver has given"
        )
    return Part(machine.device(ordinal), split, *numbers)


class Description(NamedTuple):
    """What a green context is to have."""

    device: Device
    multiprocessors: int


descriptions: Handles[Description] = Handles("description of resources", counted=False)


def _put(part: Part, out: int | None, kind: int) -> None:
    if kind != _MULTIPROCESSORS:
        raise Refusal(enums.CUresult.ERROR_INVALID_RESOURCE_TYPE, f"resource type {kind}: 1, of multiprocessors")
    if not out:
        raise invalid_value("the pointer for the resource is null")
    part.write(out)


def _known(handle: int | None) -> GreenContext:
    found = greens.find(handle)
    if found is None:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, f"{handle or 0:#x} is not a live green context")
    return found


# --- resources --------------------------------------------------------------------------------------------------------


@entry("cuDeviceGetDevResource", needs=INIT)
def device_get_resource(ordinal: int, out: int | None, kind: int) -> None:
    _put(_whole(machine.device(ordinal)), out, kind)


@entry("cuCtxGetDevResource", needs=INIT)
def context_get_resource(handle: int | None, out: int | None, kind: int) -> None:
    context = contexts.find(handle)
    if context is None:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, f"{handle or 0:#x} is not a live context")
    green = green_of(handle)
    _put(_whole(context.device, green.multiprocessors if green is not None else 0), out, kind)


@entry("cuGreenCtxGetDevResource", needs=INIT)
def green_get_resource(handle: int | None, out: int | None, kind: int) -> None:
    green = _known(handle)
    _put(_whole(green.primary.device, green.multiprocessors), out, kind)


@entry("cuDevSmResourceSplitByCount", needs=INIT)
def split_by_count(
    result: int | None, groups: int | None, given: int | None, remaining: int | None, flags: int, least: int
) -> None:
    """Groups of equal size, as many as fit; all of what is left is the rest."""
    if not groups:
        raise invalid_value("the pointer for the number of groups is null")
    whole = _read(given)
    if flags & ~(_IGNORE_COSCHEDULING | _LARGE_CLUSTERS) or not 0 <= least <= whole.multiprocessors:
        raise invalid_value(f"flags {flags} (0 to 3), at least {least} of {whole.multiprocessors} multiprocessors")
    if whole.split:
        raise Refusal(
            enums.CUresult.ERROR_INVALID_RESOURCE_CONFIGURATION, "what was split is split again in a green context"
        )
    fewest, multiple = (2, 2) if flags & _IGNORE_COSCHEDULING else (whole.fewest, whole.multiple)
    size = -(-max(least, fewest) // multiple) * multiple
    number = whole.multiprocessors // size
    if result:
        number = min(number, get_u32(groups))
    split = next(_splits)
    part = Part(whole.device, split, size, fewest, multiple)
    if result:
        for index in range(number):
            part.write(result + index * _RESOURCE.size)
    if remaining:
        part._replace(multiprocessors=whole.multiprocessors - number * size).write(remaining)
    put_u32(groups, number)


@entry("cuDevResourceGenerateDesc", needs=INIT)
def generate_description(out: int | None, resources: int | None, number: int) -> None:
    need(out, resources)
    if not number:
        raise invalid_value("no resources are given")
    assert resources is not None
    parts = [_read(resources + index * _RESOURCE.size) for index in range(number)]
    first = parts[0]
    if any((part.device, part.split) != (first.device, first.split) for part in parts) or (
        number > 1 and not first.split
    ):
        raise Refusal(
            enums.CUresult.ERROR_INVALID_RESOURCE_CONFIGURATION, "the resources are not of one split of one device"
        )
    total = sum(part.multiprocessors for part in parts)
    if total > first.device.product.multiprocessors:
        raise Refusal(
            enums.CUresult.ERROR_INVALID_RESOURCE_CONFIGURATION, f"{total} multiprocessors: some are given twice"
        )
    put_u64(out, descriptions.add(Description(first.device, total)))


# --- contexts ---------------------------------------------------------------------------------------------------------


@entry("cuGreenCtxCreate", needs=INIT)
def create(out: int | None, description: int | None, ordinal: int, flags: int) -> None:
    need(out)
    device, wanted = machine.device(ordinal), descriptions.find(description)
    if wanted is None or wanted.device is not device or flags != _DEFAULT_STREAM:
        raise invalid_value("a description of resources of this device and the flag 1 (a default stream) are needed")
    assert out is not None
    primary_retain(out, ordinal)
    put_u64(out, GreenContext(primary_of(device), contexts, wanted.multiprocessors).handle)


def _gone(device: Device) -> Context:
    """A context that was destroyed."""
    context = Context(device)
    contexts.discard(context.handle)
    context.alive = False
    return context


@entry("cuGreenCtxDestroy", needs=INIT)
def destroy(handle: int | None) -> None:
    """Its streams go too: they answer that their context is destroyed."""
    green = _known(handle)
    greens.remove(green.handle)
    contexts.discard(green.context_handle)
    changed()
    gone = _gone(green.primary.device)
    for stream in streams:
        if stream.green is green:
            stream.context = gone
    primary_release(green.primary.device.ordinal)


@entry("cuCtxFromGreenCtx", needs=INIT)
def context_of(out: int | None, handle: int | None) -> None:
    need(out)
    put_u64(out, _known(handle).context_handle)


@entry("cuGreenCtxGetId", needs=INIT)
def get_id(handle: int | None, out: int | None) -> None:
    need(out)
    green = _known(handle) if handle else thread.green
    if green is None:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, "no green context is current in this thread")
    put_u64(out, green.id)


@entry("cuGreenCtxStreamCreate", needs=INIT)
def stream_create(out: int | None, handle: int | None, flags: int, priority: int) -> None:
    need(out)
    if flags != enums.CUstream_flags.NON_BLOCKING:
        raise invalid_value(f"stream flags {flags}: 1 (non-blocking)")
    green = _known(handle)
    stream = Stream(green.primary.check(), flags, min(max(priority, GREATEST_PRIORITY), LEAST_PRIORITY))
    stream.green = green
    put_u64(out, stream.handle)


# --- streams and events -----------------------------------------------------------------------------------------------


def _green_of_stream(context: Context, handle: int | None) -> GreenContext | None:
    """For a default stream, that of the calling thread."""
    if not handle or handle in (LEGACY, PER_THREAD):
        return thread.green
    return stream_of(context, handle).green


@entry("cuStreamGetGreenCtx")
def stream_get_green(context: Context, handle: int | None, out: int | None) -> None:
    green = _green_of_stream(context, handle)
    put_u64(out, green.handle if green is not None else 0)


@entry("cuStreamGetCtx_v2")
def stream_get_contexts(context: Context, handle: int | None, out: int | None, green: int | None) -> None:
    """The primary context too, of a green one's stream."""
    need(out, green)
    found = _green_of_stream(context, handle)
    if found is not None and handle == PER_THREAD:
        raise Refusal(enums.CUresult.ERROR_INVALID_HANDLE, "a green context has no stream of each thread")
    known = context if not handle or handle in (LEGACY, PER_THREAD) else stream_of(context, handle).context
    put_u64(green, found.handle if found is not None else 0)
    put_u64(out, known.handle)


def _of_its_primary(green: GreenContext, event: int | None) -> None:
    if events.get(event).context is not green.primary:
        raise Refusal(enums.CUresult.ERROR_INVALID_HANDLE, "the event and the green context are of different contexts")


@entry("cuGreenCtxRecordEvent", needs=INIT)
def record_event(handle: int | None, event: int | None) -> None:
    green = _known(handle)
    _of_its_primary(green, event)
    ctx_record_event(green.primary.handle, event)


@entry("cuGreenCtxWaitEvent", needs=INIT)
def wait_event(handle: int | None, event: int | None) -> None:
    """The event may be of another context."""
    ctx_wait_event(_known(handle).primary.handle, event)
