"""Launching kernels: the arguments, and the work itself.

The usual launch, of a shape that was found legal before, does the least: look up, copy the arguments, run.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi import enums, numbers
from driver_ctypes.abi.constants import (
    CU_LAUNCH_PARAM_BUFFER_POINTER,
    CU_LAUNCH_PARAM_BUFFER_SIZE,
    CU_LAUNCH_PARAM_END,
)
from driver_ctypes.abi.structs import CUlaunchAttribute, CUlaunchAttributeValue, CUlaunchConfig
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver.calls.registry import entry
from ptxgen.emulated_driver.errors.log import log
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.launch.attributes import HINTS, NODE_ATTRIBUTES, checked, event_of, record
from ptxgen.emulated_driver.launch.shapes import check, check_part, cluster_refused
from ptxgen.emulated_driver.modules.libraries import function_of
from ptxgen.emulated_driver.modules.loading import Function, functions
from ptxgen.emulated_driver.pointers import get_u64, need
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.graph import ExecutionContext, NodeWork
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.order import OrderedLaunch, begin_launch, running
from ptxgen.emulated_driver.state.record import recorded
from ptxgen.emulated_driver.state.shape import NO_CLUSTER, Asked, Dim, Shape
from ptxgen.emulated_driver.streams.stream import stream_of
from ptxgen.errors import Fault, PtxError

if TYPE_CHECKING:
    from ptxgen.cpu.options import LaunchOptions
    from ptxgen.cpu.request import Request

A = numbers.CUlaunchAttributeID
_OVERLAP = A.PROGRAMMATIC_STREAM_SERIALIZATION  # in a capture it makes the edges programmatic
_CLUSTER_POLICY = A.CLUSTER_SCHEDULING_POLICY_PREFERENCE
_SPREAD = numbers.CUclusterSchedulingPolicy.SPREAD.to_bytes(64, "little")
"""The policy that a captured launch's node has, where none was asked for."""


class Launch(NodeWork):
    """A kernel launch, with its arguments copied."""

    __slots__ = ("arguments", "function", "shape")
    kind = numbers.CUgraphNodeType.KERNEL

    def __init__(self, function: Function, shape: Shape, arguments: bytes) -> None:
        self.function = function
        self.shape = shape
        self.arguments = arguments

    def check(self) -> None:
        if not self.function.alive:
            raise Refusal(enums.CUresult.ERROR_INVALID_HANDLE, f"the module of {self.function.name!r} was unloaded")

    def run(self, context: ExecutionContext) -> None:
        """Runs the grid to its end. A fault is kept in the context, as on hardware; the launch itself succeeds."""
        function, shape, options = self.function, self.shape, machine.options
        if function.module.program is None:
            self.check()  # once more: closing a module waits for the stream's lock, which is held only now
        for each in recorded:
            each.launched(function.name)
        try:
            request = function.requests.get(shape)
            if request is None or request.options is not options:
                request = self._request(options)
            function.kernel.run(
                request, self.arguments, _order(function.name) if options.sanitizer is not None else None
            )
        except Fault as fault:
            for each in recorded:
                each.faulted(function.name, fault)
            context.fail(_code_of(fault), str(fault))
        except PtxError as error:  # the executor cannot run this kernel: nothing has happened yet
            log.error(str(error))
            for each in recorded:
                each.refused(function.name, str(error))
            raise Refusal(
                enums.CUresult.ERROR_NOT_SUPPORTED, f"kernel {function.name!r} does not run on the CPU device"
            ) from None

    def _request(self, options: LaunchOptions) -> Request:
        """How the executor runs launches of this shape, kept for the next."""
        function, shape = self.function, self.shape
        cluster = shape.cluster if shape.cluster != NO_CLUSTER else function.cluster
        fit = function.fit.get(shape)
        request = function.kernel.request(
            shape.grid, shape.block, shape.shared, cluster if cluster != NO_CLUSTER else None, shape.cooperative,
            fit.resident if fit is not None else None, options,
        )  # fmt: skip
        if fit is not None:
            function.requests[shape] = request
        return request


def _code_of(fault: Exception) -> int:
    """What the context answers after a fault of the executor."""
    code = enums.CUresult
    codes = {  # by ptxgen.cpu.fault kinds
        "illegal address": code.ERROR_ILLEGAL_ADDRESS,
        "misaligned address": code.ERROR_MISALIGNED_ADDRESS,
        "read-only address": code.ERROR_ILLEGAL_ADDRESS,
        "timeout": code.ERROR_LAUNCH_TIMEOUT,
        "no progress": code.ERROR_LAUNCH_TIMEOUT,
        "assert": code.ERROR_ASSERT,
        "tensor map": code.ERROR_ILLEGAL_INSTRUCTION,
        "tensor coordinates": code.ERROR_ILLEGAL_INSTRUCTION,
        "no cluster": code.ERROR_ILLEGAL_INSTRUCTION,
    }
    return codes.get(getattr(fault, "kind", ""), code.ERROR_LAUNCH_FAILED)


def _order(name: str) -> OrderedLaunch | None:
    """Which earlier launches this one of a kernel comes after, for a sanitizer; None outside of a stream."""
    return None if running.stream is None else begin_launch(running.stream, f"launch of {name}")


# --- arguments --------------------------------------------------------------------------------------------------------


def arguments_of(function: Function, slots: int | None, extra: int | None) -> bytes:
    """The kernel's parameter block, copied from an array of pointers or from the caller's own block."""
    if extra:
        if slots:
            raise invalid_value("kernelParams and extra are both given")
        return _extra(function, extra)
    parameters = function.parameters
    if not parameters.count:
        return b""
    if not slots:
        raise invalid_value(f"{function.name!r} has {parameters.count} parameters, no arguments are given")
    block = parameters.read(slots)
    if not block:
        raise invalid_value("the address of an argument is null")
    return block


def _extra(function: Function, extra: int) -> bytes:
    """A block that is too short leaves the rest undefined on hardware; here it is 0."""
    block = size = None
    for position in range(0, 64, 16):
        key = get_u64(extra + position)
        if key == CU_LAUNCH_PARAM_END:
            break
        value = get_u64(extra + position + 8)
        if key == CU_LAUNCH_PARAM_BUFFER_POINTER:
            block = value
        elif key == CU_LAUNCH_PARAM_BUFFER_SIZE:
            size = value
        else:
            raise invalid_value(f"extra has the unknown key {key}")
    if not block or not size:
        raise invalid_value("extra needs a buffer (1) and the address of its size (2)")
    nbytes, wanted = get_u64(size), function.parameters.nbytes
    if nbytes > wanted:
        raise Refusal(
            enums.CUresult.ERROR_LAUNCH_OUT_OF_RESOURCES,
            f"{nbytes} bytes of arguments; {function.name!r} has {wanted} of parameters",
        )
    return ctypes.string_at(block, nbytes).ljust(wanted, b"\0")


# --- entries ----------------------------------------------------------------------------------------------------------


def queue_kernel(
    context: Context,
    handle: int | None,
    asked: Asked,
    stream: int | None,
    slots: int | None,
    extra: int | None,
    hints: dict[int, bytes] | None = None,
) -> None:
    """What the three functions of the driver do: the kernel runs in its stream's order, or becomes a node of a capture.
    `hints` are the launch attributes that change nothing of the kernel's work; a captured launch keeps them for its
    node.
    """
    function = functions.live.get(handle or 0) or function_of(context, handle)
    where = stream_of(context, stream)
    try:
        shape, resident = function.fit.get(asked) or check(function, Shape(*asked))
        if shape.cooperative and where.green is not None:
            check_part(function, shape, resident, where.green.multiprocessors)
        arguments = arguments_of(function, slots, extra)
    except Refusal as refusal:
        if where.capture is not None:
            where.capture.invalidate(f"a launch in it was refused: {refusal.text}")
        raise
    if function.module.context is not where.context:
        raise Refusal(enums.CUresult.ERROR_INVALID_HANDLE, "the function and the stream are of different contexts")
    if where.capture is not None:
        overlap = hints is not None and _OVERLAP in hints
        node = where.capture.add(where, Launch(function, shape, arguments), overlap=overlap)
        node.attributes[_CLUSTER_POLICY] = _SPREAD
        node.attributes.update({id_: value for id_, value in (hints or {}).items() if id_ in NODE_ATTRIBUTES})
    else:
        node = None
        where.do(Launch(function, shape, arguments))
    if not hints:
        return
    for id_, value in hints.items():
        recorded = event_of(id_, CUlaunchAttributeValue.from_buffer_copy(value))
        if recorded is not None:
            record(where, node, *recorded)


@entry("cuLaunchKernel")
def launch_kernel(
    context: Context, handle: int | None, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
    stream: int | None, slots: int | None, extra: int | None,
) -> None:  # fmt: skip
    queue_kernel(context, handle, ((gx, gy, gz), (bx, by, bz), shared, NO_CLUSTER, False), stream, slots, extra)


@entry("cuLaunchCooperativeKernel")
def launch_cooperative_kernel(
    context: Context, handle: int | None, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int,
    stream: int | None, slots: int | None,
) -> None:  # fmt: skip
    queue_kernel(context, handle, Shape((gx, gy, gz), (bx, by, bz), shared, NO_CLUSTER, True), stream, slots, None)


@entry("cuLaunchKernelEx")
def launch_kernel_ex(
    context: Context, config: int | None, handle: int | None, slots: int | None, extra: int | None
) -> None:
    shape, stream, attributes = read_config(config)
    queue_kernel(context, handle, shape, stream, slots, extra, _hints(config) if attributes else None)


def _hints(config: int | None) -> dict[int, bytes]:
    """The attributes of a checked configuration that a node keeps."""
    c = CUlaunchConfig.from_address(config or 0)
    attributes = (CUlaunchAttribute * c.numAttrs).from_address(c.attrs)
    hints = {a.id: bytes(checked(a.id, CUlaunchAttributeValue.from_buffer_copy(a.value))) for a in attributes}
    if _OVERLAP in hints and not int.from_bytes(hints[_OVERLAP][:4], "little"):
        del hints[_OVERLAP]
    return hints


def read_config(config: int | None) -> tuple[Shape, int | None, int]:
    """The shape, stream and number of attributes of a CUlaunchConfig."""
    if not config:
        raise invalid_value("a pointer that must not be null is null")
    c = CUlaunchConfig.from_address(config)
    cluster, cooperative = read_attributes(c.attrs, c.numAttrs) if c.numAttrs else (NO_CLUSTER, False)
    shape = Shape(
        (c.gridDimX, c.gridDimY, c.gridDimZ),
        (c.blockDimX, c.blockDimY, c.blockDimZ),
        c.sharedMemBytes,
        cluster,
        cooperative,
    )
    return shape, c.hStream, c.numAttrs


def read_attributes(attributes: int | None, number: int) -> tuple[Dim, bool]:
    """(cluster, cooperative) of launch attributes. The others are hints, or about overlap, and work here runs in
    order.
    """
    need(attributes)
    assert attributes is not None
    cluster, cooperative = NO_CLUSTER, False
    for attribute in (CUlaunchAttribute * number).from_address(attributes):
        value = attribute.value
        if attribute.id == A.CLUSTER_DIMENSION:
            cluster = (value.clusterDim.x, value.clusterDim.y, value.clusterDim.z)
            if not all(cluster):
                raise cluster_refused(f"cluster {cluster}: each extent must be at least 1")
        elif attribute.id == A.COOPERATIVE:
            cooperative = value.cooperative != 0
        elif attribute.id == A.DEVICE_UPDATABLE_KERNEL_NODE:
            raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "device-updatable nodes are not offered")
        elif attribute.id not in HINTS:
            raise invalid_value(f"launch attribute {attribute.id} is unknown")
        else:
            checked(attribute.id, CUlaunchAttributeValue.from_buffer_copy(value))
            event_of(attribute.id, value)
    return cluster, cooperative
