"""What a function says of itself, and what may be set."""

from __future__ import annotations

from driver_ctypes.abi import enums, numbers
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.modules.libraries import function_of, kernels
from ptxgen.emulated_driver.modules.loading import Function
from ptxgen.emulated_driver.pointers import need, put_i32, put_u64, texts
from ptxgen.emulated_driver.state.context import Context, primary_of
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.thread import thread

A = numbers.CUfunction_attribute
Policy = numbers.CUclusterSchedulingPolicy
_POLICIES = (Policy.DEFAULT, Policy.SPREAD, Policy.LOAD_BALANCING)


def get_attribute(function: Function, attribute: int) -> int:
    own = function.product.sm
    kernel = function.kernel
    values = {
        A.MAX_THREADS_PER_BLOCK: function.max_threads,
        A.SHARED_SIZE_BYTES: kernel.static_shared,
        A.CONST_SIZE_BYTES: function.module.constant_bytes,
        A.LOCAL_SIZE_BYTES: kernel.local_bytes,
        A.NUM_REGS: function.registers,
        A.PTX_VERSION: own,
        A.BINARY_VERSION: own,
        A.CACHE_MODE_CA: 0,
        A.MAX_DYNAMIC_SHARED_SIZE_BYTES: function.max_dynamic,
        A.PREFERRED_SHARED_MEMORY_CARVEOUT: function.carveout,
        A.CLUSTER_SIZE_MUST_BE_SET: int(function.cluster_must_be_set or function.cluster[0] > 0),
        A.REQUIRED_CLUSTER_WIDTH: function.cluster[0],
        A.REQUIRED_CLUSTER_HEIGHT: function.cluster[1],
        A.REQUIRED_CLUSTER_DEPTH: function.cluster[2],
        A.NON_PORTABLE_CLUSTER_SIZE_ALLOWED: function.non_portable,
        A.CLUSTER_SCHEDULING_POLICY_PREFERENCE: function.cluster_policy,
    }
    if attribute not in values:
        raise invalid_value(f"function attribute {attribute} is unknown")
    return values[attribute]


def set_attribute(function: Function, attribute: int, value: int) -> None:
    """Refuses what cannot be set, and values that no launch could use."""
    room = function.product.target.shared_optin - function.kernel.static_shared
    if attribute == A.MAX_DYNAMIC_SHARED_SIZE_BYTES and 0 <= value <= room:
        function.max_dynamic = value
    elif (
        attribute == A.PREFERRED_SHARED_MEMORY_CARVEOUT
        and numbers.CUshared_carveout.DEFAULT <= value <= numbers.CUshared_carveout.MAX_SHARED
    ):
        function.carveout = value
    elif A.REQUIRED_CLUSTER_WIDTH <= attribute <= A.REQUIRED_CLUSTER_DEPTH and value >= 0:
        extents = list(function.cluster)
        extents[attribute - A.REQUIRED_CLUSTER_WIDTH] = value
        function.cluster = (extents[0], extents[1], extents[2])
    elif attribute == A.NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        function.non_portable = int(value != 0)
    elif attribute == A.CLUSTER_SCHEDULING_POLICY_PREFERENCE and value in _POLICIES:
        function.cluster_policy = value
    else:
        raise invalid_value(f"function attribute {attribute} cannot be set to {value}")
    function.forget_shapes()


@entry("cuFuncGetAttribute")
def func_get_attribute(context: Context, out: int | None, attribute: int, handle: int | None) -> None:
    put_i32(out, get_attribute(function_of(context, handle), attribute))


@entry("cuFuncSetAttribute")
def func_set_attribute(context: Context, handle: int | None, attribute: int, value: int) -> None:
    set_attribute(function_of(context, handle), attribute, value)


@entry("cuFuncSetCacheConfig")
def func_set_cache_config(context: Context, handle: int | None, config: int) -> None:
    function_of(context, handle)
    if config not in set(enums.CUfunc_cache):
        raise invalid_value(f"cache configuration {config}: 0 to 3")


@entry("cuFuncGetModule")
def func_get_module(context: Context, out: int | None, handle: int | None) -> None:
    put_u64(out, function_of(context, handle).module.handle)


@entry("cuFuncGetName")
def func_get_name(context: Context, out: int | None, handle: int | None) -> None:
    need(handle)
    put_u64(out, texts.address(function_of(context, handle).name))


def put_parameter(function: Function, index: int, offset: int | None, size: int | None) -> None:
    parameters = function.kernel.parameters
    if not offset or index >= len(parameters):
        raise invalid_value(f"parameter {index} of {len(parameters)}, and a place for its offset, are needed")
    _name, at, nbytes = parameters[index]
    put_u64(offset, at)
    if size:
        put_u64(size, nbytes)


@entry("cuFuncGetParamInfo")
def func_get_param_info(context: Context, handle: int | None, index: int, offset: int | None, size: int | None) -> None:
    put_parameter(function_of(context, handle), index, offset, size)


@entry("cuFuncIsLoaded")
def func_is_loaded(context: Context, out: int | None, handle: int | None) -> None:
    function_of(context, handle)
    put_i32(out, 1)


@entry("cuFuncLoad")
def func_load(context: Context, handle: int | None) -> None:
    """Functions are loaded with their module."""
    function_of(context, handle)


# --- kernels of libraries ---------------------------------------------------------------------------------------------


def _on(handle: int | None, ordinal: int) -> Function:
    """The kernel's function in the context that is current, which must be the device's, else in the primary context."""
    device = machine.device(ordinal)
    kernel = kernels.get(handle)
    current = thread.stack[-1] if thread.stack else primary_of(device)
    return kernel.function((current if current.device is device else primary_of(device)).check())


@entry("cuKernelGetAttribute", needs=INIT)
def kernel_get_attribute(out: int | None, attribute: int, handle: int | None, ordinal: int) -> None:
    put_i32(out, get_attribute(_on(handle, ordinal), attribute))


@entry("cuKernelSetAttribute", needs=INIT)
def kernel_set_attribute(attribute: int, value: int, handle: int | None, ordinal: int) -> None:
    set_attribute(_on(handle, ordinal), attribute, value)


@entry("cuKernelSetCacheConfig", needs=INIT)
def kernel_set_cache_config(handle: int | None, config: int, ordinal: int) -> None:
    machine.device(ordinal)
    kernels.get(handle)
    if config not in set(enums.CUfunc_cache):
        raise invalid_value(f"cache configuration {config}: 0 to 3")


@entry("cuKernelGetParamInfo")
def kernel_get_param_info(
    context: Context, handle: int | None, index: int, offset: int | None, size: int | None
) -> None:
    put_parameter(kernels.get(handle).function(context), index, offset, size)
