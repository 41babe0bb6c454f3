"""Kernel nodes: a kernel, its configuration and its arguments, as bytes that one argument can be changed in."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import structs
from driver_ctypes.arguments.signature import converter
from driver_ctypes.errors import ArgumentCountError, ArgumentError, ArgumentTypeError
from driver_ctypes.launch.attributes import NODE_ATTRIBUTES
from driver_ctypes.launch.limits import check_config
from driver_ctypes.launch.sending import require_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.modules.module import Function
    from driver_ctypes.session.session import Session

Dim3 = tuple[int, int, int]


class KernelWork:
    """What a kernel node does. `block` has the bytes of all arguments; `owners` are the objects behind those given."""

    def __init__(
        self,
        function: Function,
        grid: Dim3,
        block: Dim3,
        shared: int,
        packed: bytes | bytearray,
        owners: tuple[Any, ...] = (),
    ) -> None:
        self.function = function
        self.grid = grid
        self.block = block
        self.shared = shared
        self.packed = packed
        self.owners = owners

    def arguments(self) -> tuple[tuple[str, Any], ...]:
        """(name, value) of each argument."""
        buffer = self._copy()
        pointers = _pointers(self.function, buffer)
        return require_signature(self.function).read(ctypes.addressof(pointers))

    def params(self) -> tuple[structs.CUDA_KERNEL_NODE_PARAMS_v2, Any]:
        """(the driver's structure, what it points to): the driver copies the arguments in the call that takes it."""
        return self.params_over(self._copy())

    def _copy(self) -> Any:
        return ctypes.create_string_buffer(bytes(self.packed), max(len(self.packed), 1))

    def params_over(self, buffer: Any) -> tuple[structs.CUDA_KERNEL_NODE_PARAMS_v2, Any]:
        """The same with the arguments in *buffer*."""
        pointers = _pointers(self.function, buffer)
        params = structs.CUDA_KERNEL_NODE_PARAMS_v2(
            self.function.handle, *self.grid, *self.block, self.shared, ctypes.addressof(pointers)
        )
        return params, (buffer, pointers)


def _pointers(function: Function, buffer: Any) -> Any:
    offsets = require_signature(function).offsets
    base = ctypes.addressof(buffer)
    return (ctypes.c_void_p * max(len(offsets), 1))(*[base + offset for offset in offsets])


def check_function(value: Any) -> Function:
    """*value* itself. ArgumentTypeError for what is not a loaded kernel."""
    from driver_ctypes.modules.module import Function

    if not isinstance(value, Function):
        name = getattr(value, "__name__", None) or type(value).__name__
        raise ArgumentTypeError(
            f"a kernel node takes a loaded kernel, not {name!r} ({type(value).__name__})",
            name="function",
            hint="module.function(name), or kernel.on(device).function of a kernel in Python",
        )
    return value


def kernel_work(
    function: Function, grid: Any, block: Any, shared: int, args: tuple[Any, ...], cluster: Any, cooperative: bool
) -> KernelWork:
    """The work of a new node, everything checked."""
    check_function(function)
    function.module.check_open()
    config = check_config(function, grid, block, shared, cluster, cooperative)
    signature = require_signature(function)
    values = signature.convert(args, function.context, function.name)
    packed = bytearray(signature.size)
    signature.packing.pack_into(packed, 0, *values)
    return KernelWork(
        function, config.grid, config.block, config.shared, bytes(packed), (function.module, function, *args)
    )


def loaded_function(context: Session, handle: int) -> Function | None:
    """The kernel behind a CUfunction that this package has loaded, in whichever context: a graph may run kernels of
    several.
    """
    found = context.kernels.get(handle)
    if found is None and handle:
        kernels = [session.kernels.get(handle) for session in tuple(context.driver.sessions)]
        found = next((kernel for kernel in kernels if kernel is not None and kernel.module.handle), None)
    return found


def read_work(context: Session, node: int) -> KernelWork:
    """The work of a node in the driver. Raises ArgumentError for a kernel without a known signature."""
    params = structs.CUDA_KERNEL_NODE_PARAMS_v2()
    context.call("cuGraphKernelNodeGetParams_v2", node, ctypes.byref(params))
    function = loaded_function(context, params.func or 0)
    if function is None or function.signature is None or (function.signature.params and not params.kernelParams):
        raise ArgumentError(
            f"the kernel of node {node:#x} was not loaded by this package, or its signature is not known",
            hint="load its module with signatures={...}, or set the node's parameters through context.call",
        )
    grid = (params.gridDimX, params.gridDimY, params.gridDimZ)
    block = (params.blockDimX, params.blockDimY, params.blockDimZ)
    return KernelWork(function, grid, block, params.sharedMemBytes, _bytes_behind(function, params.kernelParams))


def _bytes_behind(function: Function, pointers: int | None) -> bytes:
    """The packed arguments behind a ``kernelParams`` array."""
    signature = require_signature(function)
    packed = bytearray(signature.size)
    if pointers and signature.params:
        addresses = (ctypes.c_void_p * len(signature.params)).from_address(pointers)
        for param, offset, address in zip(signature.params, signature.offsets, addresses):
            if address:
                packed[offset : offset + param.size] = ctypes.string_at(address, param.size)
    return bytes(packed)


def changed(
    work: KernelWork, arguments: Mapping[str, Any], function: Function | None, grid: Any, block: Any, shared: Any
) -> tuple[KernelWork, dict[str, Any]]:
    """(*work* with other arguments, configuration or kernel, the new argument values by name). Another kernel needs all of
    its arguments.
    """
    target = work.function if function is None else check_function(function)
    signature = require_signature(target)
    names = [param.name for param in signature.params]
    unknown = [name for name in arguments if name not in names]
    if unknown:
        raise ArgumentError(
            f"kernel {target.name!r} has no parameter {', '.join(map(repr, unknown))}",
            name=unknown[0],
            hint=f"it has: {', '.join(names) or 'none'}",
        )
    same = signature == work.function.signature
    missing = [] if same else [name for name in names if name not in arguments]
    if missing:
        raise ArgumentCountError(
            f"kernel {target.name!r} takes the place of {work.function.name!r}: {', '.join(missing)} not given",
            hint="another kernel needs all of its arguments",
        )
    target.module.check_open()
    config = None
    if function is not None or not (grid is None and block is None and shared is None):
        grid, block = work.grid if grid is None else grid, work.block if block is None else block
        config = check_config(target, grid, block, work.shared if shared is None else shared, None, False)
    packed = _repacked(target, bytes(work.packed) if same else bytes(signature.size), arguments, same=same, old=work)
    new = KernelWork(
        target,
        config.grid if config else work.grid,
        config.block if config else work.block,
        config.shared if config else work.shared,
        packed,
        (target.module, target),
    )
    return new, dict(arguments)


def _repacked(function: Function, packed: bytes, arguments: Mapping[str, Any], *, same: bool, old: KernelWork) -> bytes:
    """*packed* with some arguments changed, each checked; the others keep their very bytes."""
    if not arguments:
        return packed
    signature = require_signature(function)
    result = bytearray(packed)
    try:
        for param, offset, convert in zip(signature.params, signature.offsets, converters_of(function)):
            if param.name in arguments:
                value = arguments[param.name]
                struct.pack_into("<" + param.code, result, offset, value if convert is None else convert(value))
    except Exception:  # the careful way says what is wrong, with the parameter's name and place
        current = dict(old.arguments()) if same else {}
        values = [arguments.get(param.name, current.get(param.name)) for param in signature.params]
        fresh = bytearray(signature.size)
        signature.packing.pack_into(fresh, 0, *signature.convert(values, function.context, function.name))
        for param, offset in zip(signature.params, signature.offsets):
            if param.name in arguments:
                result[offset : offset + param.size] = fresh[offset : offset + param.size]
    return bytes(result)


def converters_of(function: Function) -> list[Callable[[Any], Any] | None]:
    """The converter of each argument; the function keeps them for its launches too."""
    if function.converters is None:
        params = require_signature(function).params
        function.converters = [converter(p, i, function.context, function.name) for i, p in enumerate(params)]
    return function.converters


# --- attributes -------------------------------------------------------------------------------------------------------


def read_attributes(context: Session, node: int) -> dict[str, Any]:
    """A kernel node's attributes that are not at their default, by name; what the driver or device lacks is left out."""
    found: dict[str, Any] = {}
    if not context.driver.has("cuGraphKernelNodeGetAttribute"):
        return found
    failed = False
    for name, (number, read) in NODE_ATTRIBUTES.items():
        value = structs.CUlaunchAttributeValue()
        if context.try_call("cuGraphKernelNodeGetAttribute", node, number, ctypes.byref(value)):
            failed = True
        else:
            said = read(value)
            found.update({name: said} if said is not None else {})
    if failed:
        context.driver.new_log()
    return found
