"""Launching kernels: what CUDA checks, the arguments, and the work itself.

The usual launch, of a shape that was found legal before, does the least: look up, copy the arguments, run.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from driver_ctypes.abi.enums import CUlaunchAttributeID
from driver_ctypes.abi.structs import CUlaunchAttribute, CUlaunchAttributeValue, CUlaunchConfig
from ptxgen.emulated_driver.launch.attributes import checked, event_of, record
from ptxgen.emulated_driver.logs import log
from ptxgen.emulated_driver.modules.libraries import function_of
from ptxgen.emulated_driver.modules.loading import Function
from ptxgen.emulated_driver.pointers import get_u64, need
from ptxgen.emulated_driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.emulated_driver.state import Context, machine
from ptxgen.emulated_driver.streams.stream import Stream, Work, stream_of
from ptxgen.emulated_driver.table import entry
from ptxgen.errors import Fault, PtxError

Dim = tuple[int, int, int]
NO_CLUSTER: Dim = (0, 0, 0)
MAX_GRID: Dim = (0x7FFFFFFF, 65535, 65535)
MAX_BLOCK: Dim = (1024, 1024, 64)
PORTABLE_CLUSTER, LARGEST_CLUSTER = 8, 16
_KEPT_SHAPES = 4096
_HINTS = frozenset(
    (0, 1, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16)
)  # attributes that change nothing of the kernel's work here
_OVERLAP = 6  # PROGRAMMATIC_STREAM_SERIALIZATION: in a capture it makes the edges programmatic
_SPREAD = (1).to_bytes(64, "little")  # the policy that a captured launch's node tells, where none was asked for
_OF_NODES = frozenset((1, 5, 8, 9, 10, 14))  # attributes that a captured launch's node keeps

_CODES = {  # ptxgen.cpu.fault kinds; anything else is LAUNCH_FAILED
    "illegal address": CUresult.ERROR_ILLEGAL_ADDRESS,
    "misaligned address": CUresult.ERROR_MISALIGNED_ADDRESS,
    "read-only address": CUresult.ERROR_ILLEGAL_ADDRESS,
    "timeout": CUresult.ERROR_LAUNCH_TIMEOUT,
    "assert": CUresult.ERROR_ASSERT,
    "tensor map": CUresult.ERROR_ILLEGAL_INSTRUCTION,
    "tensor coordinates": CUresult.ERROR_ILLEGAL_INSTRUCTION,
    "no cluster": CUresult.ERROR_ILLEGAL_INSTRUCTION,
}


class Shape(NamedTuple):
    """Everything of a launch but the function, the stream and the arguments."""

    grid: Dim
    block: Dim
    shared: int = 0
    cluster: Dim = NO_CLUSTER
    cooperative: bool = False


class Launch(Work):
    """A kernel launch, with its arguments copied."""

    __slots__ = ("arguments", "function", "shape")
    kind = 0

    def __init__(self, function: Function, shape: Shape, arguments: bytes) -> None:
        self.function = function
        self.shape = shape
        self.arguments = arguments

    def check(self) -> None:
        if not self.function.alive:
            raise Refusal(CUresult.ERROR_INVALID_HANDLE, f"the module of {self.function.name!r} was unloaded")

    def run(self, stream: Stream) -> None:
        self.check()  # once more: closing a module waits for the stream's lock, which is held only now
        run(stream.context, self.function, self.shape, self.arguments)


def run(context: Context, function: Function, shape: Shape, arguments: bytes) -> None:
    """Runs a grid to its end. A fault is kept in the context, as on hardware; the launch itself succeeds."""
    cluster = shape.cluster if shape.cluster != NO_CLUSTER else function.cluster
    try:
        function.kernel.launch(
            shape.grid, shape.block, arguments, dynamic_shared=shape.shared,
            cluster=cluster if cluster != NO_CLUSTER else None, cooperative=shape.cooperative,
            options=machine.options,
        )  # fmt: skip
    except Fault as fault:
        context.fail(_CODES.get(getattr(fault, "kind", ""), CUresult.ERROR_LAUNCH_FAILED), str(fault))
    except PtxError as error:  # the executor cannot run this kernel: nothing has happened yet
        log.error(str(error))
        raise Refusal(
            CUresult.ERROR_NOT_SUPPORTED, f"kernel {function.name!r} does not run on the CPU device"
        ) from None


# --- what CUDA checks -------------------------------------------------------------------------------------------------


def check(function: Function, shape: Shape) -> None:
    """Refuses a shape the device or the kernel does not allow; shapes that passed are remembered."""
    if shape in function.fit:
        return
    _check_extents("grid", shape.grid, MAX_GRID)
    _check_extents("block", shape.block, MAX_BLOCK)
    threads = shape.block[0] * shape.block[1] * shape.block[2]
    if threads > function.max_threads:
        raise invalid_value(f"{threads} threads in a block; {function.name!r} allows {function.max_threads}")
    if function.required_block != NO_CLUSTER and shape.block != function.required_block:
        raise invalid_value(f"block {shape.block}; {function.name!r} requires {function.required_block} (.reqntid)")
    if shape.shared > function.max_dynamic:
        raise invalid_value(
            f"{shape.shared} bytes of dynamic shared memory; {function.name!r} allows {function.max_dynamic}"
            " (attribute MAX_DYNAMIC_SHARED_SIZE_BYTES)"
        )
    _check_cluster(function, shape)
    if shape.cooperative:
        _check_resident(function, shape, threads)
    if len(function.fit) >= _KEPT_SHAPES:
        function.fit.clear()
    function.fit.add(shape)


def _check_extents(what: str, extents: Dim, limits: Dim) -> None:
    if not all(0 < extent <= limit for extent, limit in zip(extents, limits)):
        raise invalid_value(f"{what} {extents}: each extent must be from 1 to {limits}")


def _check_cluster(function: Function, shape: Shape) -> None:
    cluster = shape.cluster
    if function.cluster != NO_CLUSTER and cluster not in (NO_CLUSTER, function.cluster):
        raise _cluster_refused(f"cluster {cluster}; {function.name!r} requires {function.cluster} (.reqnctapercluster)")
    if cluster == NO_CLUSTER:
        cluster = function.cluster
    if cluster == NO_CLUSTER:
        if function.cluster_must_be_set:
            raise _cluster_refused(f"{function.name!r} must be launched with a cluster size (.explicitcluster)")
        return
    most = LARGEST_CLUSTER if function.non_portable else PORTABLE_CLUSTER
    blocks = cluster[0] * cluster[1] * cluster[2]
    if not 0 < blocks <= most:
        raise _cluster_refused(f"cluster {cluster} has {blocks} blocks: 1 to {most} are allowed")
    if any(extent % size for extent, size in zip(shape.grid, cluster)):
        raise _cluster_refused(f"grid {shape.grid} is no multiple of the cluster {cluster}")


def _cluster_refused(text: str) -> Refusal:
    return Refusal(CUresult.ERROR_INVALID_CLUSTER_SIZE, text)


def _check_resident(function: Function, shape: Shape, threads: int) -> None:
    from ptxgen.emulated_driver.launch.occupancy import LIMITS, blocks_per_sm

    room = LIMITS.multiprocessors * blocks_per_sm(function, threads, shape.shared)
    blocks = shape.grid[0] * shape.grid[1] * shape.grid[2]
    if blocks > room:
        raise Refusal(
            CUresult.ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            f"a cooperative grid of {blocks} blocks; {room} fit on the device at once",
        )


# --- arguments --------------------------------------------------------------------------------------------------------


def arguments_of(function: Function, slots: int | None, extra: int | None) -> bytes:
    """The kernel's parameter block, copied from an array of pointers or from the caller's own block."""
    if extra:
        if slots:
            raise invalid_value("kernelParams and extra are both given")
        return _extra(function, extra)
    if not function.layout:
        return b""
    if not slots:
        raise invalid_value(f"{function.name!r} has {len(function.layout)} parameters, no arguments are given")
    parts = []
    for pointer, (padding, size) in zip(function.slots.from_address(slots), function.layout):
        if not pointer:
            raise invalid_value("the address of an argument is null")
        if padding:
            parts.append(bytes(padding))
        parts.append(ctypes.string_at(pointer, size))
    return b"".join(parts)


def _extra(function: Function, extra: int) -> bytes:
    """A block that is too short leaves the rest undefined on hardware; here it is 0."""
    block = size = None
    for position in range(0, 64, 16):
        key = get_u64(extra + position)
        if key == 0:
            break
        value = get_u64(extra + position + 8)
        if key == 1:
            block = value
        elif key == 2:
            size = value
        else:
            raise invalid_value(f"extra has the unknown key {key}")
    if not block or not size:
        raise invalid_value("extra needs a buffer (1) and the address of its size (2)")
    nbytes, wanted = get_u64(size), function.parameter_bytes
    if nbytes > wanted:
        raise Refusal(
            CUresult.ERROR_LAUNCH_OUT_OF_RESOURCES,
            f"{nbytes} bytes of arguments; {function.name!r} has {wanted} of parameters",
        )
    return ctypes.string_at(block, nbytes).ljust(wanted, b"\0")


# --- entries ----------------------------------------------------------------------------------------------------------


def launch(
    context: Context,
    handle: int | None,
    shape: Shape,
    stream: int | None,
    slots: int | None,
    extra: int | None,
    hints: dict[int, bytes] | None = None,
) -> None:
    """`hints` are the launch attributes that change nothing of the kernel's work; a captured launch keeps them for its
    node.
    """
    function = function_of(context, handle)
    where = stream_of(context, stream)
    try:
        check(function, shape)
        arguments = arguments_of(function, slots, extra)
    except Refusal as refusal:
        if where.capture is not None:
            where.capture.spoil(f"a launch in it was refused: {refusal.text}")
        raise
    if function.module.context is not where.context:
        raise Refusal(CUresult.ERROR_INVALID_HANDLE, "the function and the stream are of different contexts")
    if where.capture is not None:
        overlap = hints is not None and _OVERLAP in hints
        node = where.capture.add(where, Launch(function, shape, arguments), overlap=overlap)
        node.attributes[int(CUlaunchAttributeID.CLUSTER_SCHEDULING_POLICY_PREFERENCE)] = _SPREAD
        node.attributes.update({id_: value for id_, value in (hints or {}).items() if id_ in _OF_NODES})
    else:
        node = None
        where.do(Launch(function, shape, arguments))
    for id_, value in (hints or {}).items():
        recorded = event_of(id_, CUlaunchAttributeValue.from_buffer_copy(value))
        if recorded is not None:
            record(where, node, *recorded)


@entry("cuLaunchKernel")
def launch_kernel(
    context: Context, handle: int | None, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
    stream: int | None, slots: int | None, extra: int | None,
) -> None:  # fmt: skip
    launch(context, handle, Shape((gx, gy, gz), (bx, by, bz), shared), stream, slots, extra)


@entry("cuLaunchCooperativeKernel")
def launch_cooperative_kernel(
    context: Context, handle: int | None, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
    stream: int | None, slots: int | None,
) -> None:  # fmt: skip
    launch(context, handle, Shape((gx, gy, gz), (bx, by, bz), shared, NO_CLUSTER, True), stream, slots, None)


@entry("cuLaunchKernelEx")
def launch_kernel_ex(
    context: Context, config: int | None, handle: int | None, slots: int | None, extra: int | None
) -> None:
    shape, stream = read_config(config)
    launch(context, handle, shape, stream, slots, extra, _hints(config))


def _hints(config: int | None) -> dict[int, bytes] | None:
    """The attributes of a checked configuration that a node keeps."""
    c = CUlaunchConfig.from_address(config or 0)
    if not c.numAttrs:
        return None
    attributes = (CUlaunchAttribute * c.numAttrs).from_address(c.attrs)
    hints = {a.id: bytes(checked(a.id, CUlaunchAttributeValue.from_buffer_copy(a.value))) for a in attributes}
    if _OVERLAP in hints and not int.from_bytes(hints[_OVERLAP][:4], "little"):
        del hints[_OVERLAP]
    return hints


def read_config(config: int | None) -> tuple[Shape, int | None]:
    """The shape and stream of a CUlaunchConfig."""
    need(config)
    assert config is not None
    c = CUlaunchConfig.from_address(config)
    cluster, cooperative = read_attributes(c.attrs, c.numAttrs) if c.numAttrs else (NO_CLUSTER, False)
    shape = Shape(
        (c.gridDimX, c.gridDimY, c.gridDimZ),
        (c.blockDimX, c.blockDimY, c.blockDimZ),
        c.sharedMemBytes,
        cluster,
        cooperative,
    )
    return shape, c.hStream


def read_attributes(attributes: int | None, number: int) -> tuple[Dim, bool]:
    """(cluster, cooperative) of launch attributes. The others are hints, or about overlap, and work here runs in
    order.
    """
    need(attributes)
    assert attributes is not None
    cluster, cooperative = NO_CLUSTER, False
    for attribute in (CUlaunchAttribute * number).from_address(attributes):
        value = attribute.value
        if attribute.id == CUlaunchAttributeID.CLUSTER_DIMENSION:
            cluster = (value.clusterDim.x, value.clusterDim.y, value.clusterDim.z)
            if not all(cluster):
                raise _cluster_refused(f"cluster {cluster}: each extent must be at least 1")
        elif attribute.id == CUlaunchAttributeID.COOPERATIVE:
            cooperative = value.cooperative != 0
        elif attribute.id == CUlaunchAttributeID.DEVICE_UPDATABLE_KERNEL_NODE:
            raise Refusal(CUresult.ERROR_NOT_SUPPORTED, "device-updatable nodes are not offered")
        elif attribute.id not in _HINTS:
            raise invalid_value(f"launch attribute {attribute.id} is unknown")
        else:
            checked(attribute.id, CUlaunchAttributeValue.from_buffer_copy(value))
            event_of(attribute.id, value)
    return cluster, cooperative
