"""Old forms of what there are newer functions for, which programs still call. They need what the newer ones need."""

from __future__ import annotations

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUdevprop
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.contexts.context import destroy
from ptxgen.emulated_driver.contexts.device_queries import attribute_of
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.modules.libraries import function_of
from ptxgen.emulated_driver.pointers import need, put_i32, put_struct
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.machine import machine

A = enums.CUdevice_attribute
_PROPERTIES = (  # in the order of CUdevprop's fields
    A.MAX_THREADS_PER_BLOCK, A.MAX_BLOCK_DIM_X, A.MAX_BLOCK_DIM_Y, A.MAX_BLOCK_DIM_Z, A.MAX_GRID_DIM_X, A.MAX_GRID_DIM_Y,
    A.MAX_GRID_DIM_Z, A.MAX_SHARED_MEMORY_PER_BLOCK, A.TOTAL_CONSTANT_MEMORY, A.WARP_SIZE, A.MAX_PITCH,
    A.MAX_REGISTERS_PER_BLOCK, A.CLOCK_RATE, A.TEXTURE_ALIGNMENT,
)  # fmt: skip
_DEFAULT_BANK_SIZE, _FOUR_BYTE_BANKS, _EIGHT_BYTE_BANKS = 0, 1, 2  # CUsharedconfig, which cuda.h calls deprecated
_AFFINITY_OF_SMS = 0  # CU_EXEC_AFFINITY_TYPE_SM_COUNT


@entry("cuDeviceComputeCapability", needs=INIT)
def device_compute_capability(major: int | None, minor: int | None, ordinal: int) -> None:
    need(major, minor)
    device = machine.device(ordinal)
    put_i32(major, attribute_of(device, A.COMPUTE_CAPABILITY_MAJOR))
    put_i32(minor, attribute_of(device, A.COMPUTE_CAPABILITY_MINOR))


@entry("cuDeviceGetProperties", needs=INIT)
def device_get_properties(out: int | None, ordinal: int) -> None:
    need(out)
    device = machine.device(ordinal)
    threads, x, y, z, gx, gy, gz, shared, constant, warp, pitch, registers, clock, texture = (
        attribute_of(device, attribute) for attribute in _PROPERTIES
    )
    properties = CUdevprop(threads, (x, y, z), (gx, gy, gz), shared, constant, warp, pitch, registers, clock, texture)
    put_struct(out, properties)


@entry("cuDeviceGetExecAffinitySupport", needs=INIT)
def device_get_exec_affinity_support(out: int | None, kind: int, ordinal: int) -> None:
    """Contexts on a part of the multiprocessors need NVIDIA's multi-process service."""
    need(out)
    machine.device(ordinal)
    if kind != _AFFINITY_OF_SMS:
        raise invalid_value(f"execution affinity type {kind}: 0")
    put_i32(out, 0)


@entry("cuCtxGetSharedMemConfig")
def ctx_get_shared_mem_config(context: Context, out: int | None) -> None:
    need(out)
    put_i32(out, _FOUR_BYTE_BANKS)


@entry("cuCtxSetSharedMemConfig")
def ctx_set_shared_mem_config(context: Context, config: int) -> None:
    _check_banks(config)


@entry("cuFuncSetSharedMemConfig")
def func_set_shared_mem_config(context: Context, handle: int | None, config: int) -> None:
    function_of(context, handle)
    _check_banks(config)


@entry("cuFuncSetBlockShape")
def func_set_block_shape(context: Context, handle: int | None, x: int, y: int, z: int) -> None:
    """For launches without a block, which are not offered; PyCUDA calls it before cuLaunchKernel too."""
    function_of(context, handle)
    if min(x, y, z) < 1:
        raise invalid_value(f"a block of {x} x {y} x {z} threads")


@entry("cuCtxDetach", needs=INIT)
def ctx_detach(handle: int | None) -> None:
    """Of a context that nobody has attached to, which cuCtxAttach is not offered for: its end."""
    destroy(handle)


def _check_banks(config: int) -> None:
    if config not in (_DEFAULT_BANK_SIZE, _FOUR_BYTE_BANKS, _EIGHT_BYTE_BANKS):
        raise invalid_value(f"shared memory configuration {config}: 0, 1 or 2")
