"""The parameters of copies, fills, memory operations and semaphores, from Python values; and semaphores of another API or
process, imported to be signalled and waited for in streams and graphs.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi import structs
from driver_ctypes.arguments.parameter import as_pointer
from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.graphs.owners import HeldHost
from driver_ctypes.memory.host import PinnedBuffer
from driver_ctypes.session.handle import Handle
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.session.session import Session


_HOST, _DEVICE = 1, 2  # CUmemorytype


# --- copies -----------------------------------------------------------------------------------------------------------


def copy_params(
    context: Session, dst: Any, src: Any, nbytes: int | None, rows: int, dst_pitch: int, src_pitch: int
) -> tuple[structs.CUDA_MEMCPY3D, tuple[Any, ...]]:
    """(the driver's structure, owners) of a copy of *rows* rows of *nbytes* bytes each; a pitch of 0 means no gap."""
    sides = {"dst": _side(context, dst, writable=True), "src": _side(context, src, writable=False)}
    if nbytes is None:
        known = [side for side in (sides["src"], sides["dst"]) if side.nbytes is not None]
        known.sort(key=lambda side: side.kind)  # the host's side says it, else the source
        if not known or rows != 1:
            raise ArgumentTypeError("how many bytes are copied is not known", hint="pass nbytes, the bytes of a row")
        nbytes = known[0].nbytes or 0
    if nbytes <= 0 or rows <= 0:
        raise ArgumentRangeError(f"a copy node of {rows} row(s) of {nbytes} bytes", hint="leave the node out")
    params = structs.CUDA_MEMCPY3D(WidthInBytes=nbytes, Height=rows, Depth=1)
    for name, pitch in (("dst", dst_pitch), ("src", src_pitch)):
        side = sides[name]
        if pitch and pitch < nbytes:
            raise ArgumentRangeError(f"{name}_pitch={pitch} is less than a row of {nbytes} bytes")
        span = (rows - 1) * (pitch or nbytes) + nbytes
        if side.nbytes is not None and span > side.nbytes:
            raise ArgumentRangeError(f"the copy spans {span} bytes of {name}, which has {side.nbytes}")
        setattr(params, f"{name}MemoryType", side.kind)
        setattr(params, f"{name}{'Host' if side.kind == _HOST else 'Device'}", side.address)
        setattr(params, f"{name}Pitch", pitch or nbytes)
        setattr(params, f"{name}Height", rows)
    return params, tuple([side.owner for side in sides.values() if side.owner is not None])


def check_sides(params: structs.CUDA_MEMCPY3D) -> None:
    """Raises ArgumentRangeError where a side of a copy is a null pointer."""
    for name in ("dst", "src"):
        if not getattr(params, f"{name}Device") and not getattr(params, f"{name}Host"):
            raise ArgumentRangeError(f"{name} of a copy node is a null pointer", name=name)


class _CopySide(NamedTuple):
    kind: int
    address: int
    nbytes: int | None
    owner: Any


def _side(context: Session, value: Any, *, writable: bool) -> _CopySide:
    """Device memory, or host memory that is held open. A bare address is a device address."""
    if isinstance(value, PinnedBuffer):
        return _CopySide(_HOST, value.address, value.nbytes, value)
    if isinstance(value, int) or hasattr(value, "pointer") or hasattr(value, "__cuda_array_interface__"):
        nbytes = getattr(value, "nbytes", None)
        owner = None if isinstance(value, int) else value
        return _CopySide(_DEVICE, as_pointer(value, context), nbytes if isinstance(nbytes, int) else None, owner)
    held = HeldHost(value, writable=writable)
    return _CopySide(_HOST, held.address, held.nbytes, held)


# --- fills ------------------------------------------------------------------------------------------------------------


def fill_params(
    context: Session, dst: Any, value: int, count: int, width: int, rows: int, pitch: int
) -> structs.CUDA_MEMSET_NODE_PARAMS_v1:
    """Fill *rows* rows of *count* elements of *width* bytes, *pitch* bytes from row to row."""
    if width not in (1, 2, 4):
        raise ArgumentRangeError(f"memset: an element has 1, 2 or 4 bytes, not {width}")
    bits = 8 * width
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise ArgumentRangeError(f"memset: {value} does not fit {width} byte(s)")
    if count <= 0 or rows <= 0:
        raise ArgumentRangeError(f"a fill node of {rows} row(s) of {count} elements", hint="leave the node out")
    if rows > 1 and pitch < count * width:
        raise ArgumentRangeError(f"memset: pitch {pitch} is less than a row of {count * width} bytes")
    have, span = getattr(dst, "nbytes", None), (rows - 1) * pitch + count * width
    if isinstance(have, int) and span > have:
        raise ArgumentRangeError(f"the fill spans {span} bytes of a {type(dst).__name__} of {have}")
    address = as_pointer(dst, context)
    if address % width or not address:
        raise ArgumentRangeError(
            f"memset: address {address:#x} is not aligned to {width} bytes"
            if address
            else "a fill node at a null pointer"
        )
    return structs.CUDA_MEMSET_NODE_PARAMS_v1(
        address, pitch if rows > 1 else 0, value % (1 << bits), width, count, rows
    )


# --- semaphores -------------------------------------------------------------------------------------------------------


def semaphore_params(
    fences: Sequence[tuple[Any, int]], *, signal: bool
) -> tuple[structs.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1, Any, tuple[Any, ...]]:
    """The same for (semaphore, value) pairs; a semaphore is an `ExternalSemaphore` or its handle."""
    kind: Any = structs.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS if signal else structs.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS
    number = len(fences)
    handles = [getattr(semaphore, "handle", semaphore) for semaphore, _value in fences]
    array, values = (ctypes.c_void_p * max(number, 1))(*handles), (kind * max(number, 1))()
    for place, (_semaphore, value) in zip(values, fences):
        place.params.fence.value = value
    params = structs.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1(ctypes.addressof(array), ctypes.addressof(values), number)
    return params, (array, values), tuple([semaphore for semaphore, _value in fences])


_KINDS = {"opaque_fd": 1, "timeline_fd": 9}  # CUexternalSemaphoreHandleType


class ExternalSemaphore(Handle):
    """An imported semaphore; `import_semaphore` makes it."""

    kind = "external semaphore"
    _destroy = "cuDestroyExternalSemaphore"

    @property
    def handle(self) -> int:
        """The CUexternalSemaphore."""
        self.check_open()
        return self._handle

    def signal(self, value: int, stream: Any = None) -> None:
        """Set it to *value* after the work queued on *stream* so far."""
        self._queue("cuSignalExternalSemaphoresAsync", value, stream, signal=True)

    def wait(self, value: int, stream: Any = None) -> None:
        """Let later work of *stream* wait until it has reached *value*."""
        self._queue("cuWaitExternalSemaphoresAsync", value, stream, signal=False)

    def _queue(self, symbol: str, value: int, stream: Any, *, signal: bool) -> None:
        target = self.context.stream_from(stream)
        target.check_open()
        params, kept, _owners = semaphore_params([(self, value)], signal=signal)
        self.context.call(symbol, params.extSemArray, params.paramsArray, 1, target.handle)
        del kept
        capture = target.active_capture
        if capture is not None:
            capture.retain(self)


def import_semaphore(context: Session, descriptor: int, kind: str = "timeline_fd") -> ExternalSemaphore:
    """The semaphore behind a file descriptor, which is the driver's from then on: ``timeline_fd`` (a Vulkan timeline
    semaphore) or ``opaque_fd``. The emulated driver takes a file of at least 8 bytes, its counter, as either.
    """
    if kind not in _KINDS:
        raise ArgumentError(f"no kind of semaphore {kind!r}", hint=f"use one of {', '.join(_KINDS)}")
    description = structs.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC(type=_KINDS[kind])
    description.handle.fd = descriptor
    handle = ctypes.c_void_p()
    context.call("cuImportExternalSemaphore", ctypes.byref(handle), ctypes.byref(description))
    return ExternalSemaphore(context, handle.value or 0)
