"""A pytest plugin for tests that ask for PyTorch's CUDA tensors, with a PyTorch that has no CUDA.

What is made for a CUDA device lies in managed memory of the driver's; results of PyTorch's own functions lie in host memory, and
the driver is told of it (cuMemHostRegister) when a kernel takes the address. Of `torch.cuda` there is what Triton and its tests
ask for.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import triton
from torch.overrides import TorchFunctionMode
from triton._C.libtriton import nvidia

_driver = ctypes.CDLL("libcuda.so.1")
_HOST_MEMORY_ALREADY_REGISTERED = 712
_MULTIPROCESSORS, _MAJOR, _MINOR, _SHARED_OPTIN = 16, 75, 76, 97  # CUdevice_attribute


def _call(name: str, *arguments: Any, allowed: int = 0) -> None:
    status = _driver[name](*arguments)
    if status not in (0, allowed):
        text = ctypes.c_char_p()
        _driver.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"{name}: CUDA error: {(text.value or b'unknown').decode()} ({status})")


def _attribute(number: int) -> int:
    found = ctypes.c_int()
    _call("cuDeviceGetAttribute", ctypes.byref(found), number, 0)
    return found.value


class _Cuda(TorchFunctionMode):  # type: ignore[misc]
    """What is asked for a CUDA device is made on the host, and then lies in memory of the driver's."""

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        del types
        given = dict(keywords or {})
        pinned = given.pop("pin_memory", False)
        if type(given.get("device")) is int:  # the number of an accelerator
            given["device"] = "cuda"
        asked = [*arguments, *given.values()]
        if function is not torch.Tensor.cuda:
            arguments = tuple("cpu" if _is_cuda(each) else each for each in arguments)
            given = {name: "cpu" if _is_cuda(each) else each for name, each in given.items()}
            result = function(*arguments, **given)
            if not (pinned or any(map(_is_cuda, asked))):
                return result
        else:
            result = arguments[0]
        return _on_device(result) if isinstance(result, torch.Tensor) else result


def _is_cuda(value: object) -> bool:
    return (isinstance(value, str) and value.split(":")[0] == "cuda") or (
        isinstance(value, torch.device) and value.type == "cuda"
    )


class _Memory:
    """Addresses that the driver knows, of storages that live. `epoch` counts contexts: what one had is gone with it."""

    def __init__(self) -> None:
        self.known: set[int] = set()
        self.epoch = 0

    def keep(self, base: int, storage: torch.UntypedStorage, release: str) -> None:
        self.known.add(base)
        weakref.finalize(storage, self._release, base, release, self.epoch).atexit = False

    def _release(self, base: int, release: str, epoch: int) -> None:
        if epoch == self.epoch:
            self.known.discard(base)
            _driver[release](ctypes.c_void_p(base))


_memory = _Memory()


def _on_device(tensor: torch.Tensor) -> torch.Tensor:
    """The same in an allocation of the driver's, as a CUDA tensor is: in whole units of 512 bytes."""
    storage = tensor.untyped_storage()
    if not storage.nbytes() or storage.data_ptr() in _memory.known:
        return tensor
    place = ctypes.c_uint64()
    _call("cuMemAllocManaged", ctypes.byref(place), ctypes.c_size_t(storage.nbytes()), 1)
    ctypes.memmove(place.value, storage.data_ptr(), storage.nbytes())
    block = (ctypes.c_char * storage.nbytes()).from_address(place.value)
    moved = torch.frombuffer(block, dtype=torch.uint8).untyped_storage()
    _memory.keep(place.value, moved, "cuMemFree_v2")
    found = torch.empty(0, dtype=tensor.dtype)
    found.set_(moved, tensor.storage_offset(), tensor.size(), tensor.stride())
    return found.requires_grad_(tensor.requires_grad)


_address = torch.Tensor.data_ptr


def _registered(tensor: torch.Tensor) -> int:
    """`Tensor.data_ptr`; kernels reach the memory until the storage is freed, also that of results on the host."""
    storage = tensor.untyped_storage()
    base = storage.data_ptr()
    if base and base not in _memory.known:
        size = ctypes.c_size_t(storage.nbytes())
        _call("cuMemHostRegister_v2", ctypes.c_void_p(base), size, 0, allowed=_HOST_MEMORY_ALREADY_REGISTERED)
        _memory.keep(base, storage, "cuMemHostUnregister")
    return int(_address(tensor))


def _properties(device: object = None) -> SimpleNamespace:
    del device
    name = ctypes.create_string_buffer(100)
    _call("cuDeviceGetName", name, 100, 0)
    memory = ctypes.c_size_t()
    _call("cuDeviceTotalMem_v2", ctypes.byref(memory), 0)
    return SimpleNamespace(
        name=name.value.decode(),
        major=_attribute(_MAJOR),
        minor=_attribute(_MINOR),
        multi_processor_count=_attribute(_MULTIPROCESSORS),
        shared_memory_per_block_optin=_attribute(_SHARED_OPTIN),
        total_memory=memory.value,
        warp_size=32,
    )


def _capability(device: object = None) -> tuple[int, int]:
    del device
    return _attribute(_MAJOR), _attribute(_MINOR)


class _Event:
    """An event of the default stream."""

    def __init__(self, enable_timing: bool = False) -> None:
        del enable_timing  # the driver's events always have a time
        self._handle = ctypes.c_void_p()
        _call("cuEventCreate", ctypes.byref(self._handle), 0)

    def record(self) -> None:
        _call("cuEventRecord", self._handle, None)

    def synchronize(self) -> None:
        _call("cuEventSynchronize", self._handle)

    def elapsed_time(self, later: _Event) -> float:
        """Milliseconds."""
        found = ctypes.c_float()
        _call("cuEventElapsedTime_v2", ctypes.byref(found), self._handle, later._handle)
        return found.value


class _CublasLt:
    """What tests compare products with: cuBLAS, which needs the CUDA runtime."""

    def __init__(self, workspace: torch.Tensor) -> None:
        del workspace

    def matmul(self, a: torch.Tensor, b: torch.Tensor, result: torch.Tensor) -> None:
        """The rows of `b` are columns of the product."""
        result.copy_(a.float() @ b.float().T)


def _open_context() -> None:
    context = ctypes.c_void_p()
    _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    _call("cuCtxSetCurrent", context)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """A fault ends its own test alone: what follows has a new context, and Triton compiles for it again."""
    if _driver.cuCtxSynchronize():
        _call("cuDevicePrimaryCtxReset_v2", 0)
        _memory.known.clear()
        _memory.epoch += 1
        _open_context()
        for function in [each for each in gc.get_objects() if isinstance(each, triton.JITFunction)]:
            function.device_caches.clear()


def _install() -> None:
    _call("cuInit", 0)
    _open_context()
    torch.Tensor.data_ptr = _registered
    torch._C._cuda_getCurrentRawStream = lambda device: 0
    for name, value in {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "device": lambda device: contextlib.nullcontext(),
        "synchronize": lambda device=None: _call("cuCtxSynchronize"),
        "get_device_capability": _capability,
        "get_device_properties": _properties,
        "get_device_name": lambda device=None: _properties().name,
        "empty_cache": lambda: None,
        "Event": _Event,
    }.items():
        setattr(torch.cuda, name, value)
    nvidia.cublas.CublasLt = _CublasLt
    _Cuda().__enter__()


_install()
