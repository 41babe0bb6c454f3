"""cuda-bindings: the driver's functions by their names, and NVRTC's: a cubin, memory, a stream, events, a launch."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.bindings import driver, nvrtc

SOURCE = b'extern "C" __global__ void scale(float* x, float by, int n) { int i = threadIdx.x; if (i < n) x[i] *= by; }'
COUNT = 100


def checked(answer: tuple[Any, ...]) -> Any:
    assert int(answer[0]) == 0, answer[0]
    return answer[1] if len(answer) == 2 else answer[1:]


def cubin() -> bytes:
    program = checked(nvrtc.nvrtcCreateProgram(SOURCE, b"scale.cu", 0, [], []))
    checked(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=sm_90"]))
    room: bytes = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
    checked(nvrtc.nvrtcGetCUBIN(program, room))
    checked(nvrtc.nvrtcDestroyProgram(program))
    return room


def main() -> None:
    checked(driver.cuInit(0))
    context = checked(driver.cuDevicePrimaryCtxRetain(0))
    checked(driver.cuCtxSetCurrent(context))
    module = checked(driver.cuModuleLoadData(cubin()))
    scale, stream = checked(driver.cuModuleGetFunction(module, b"scale")), checked(driver.cuStreamCreate(0))
    numbers = (ctypes.c_float * COUNT)(*range(COUNT))
    memory = checked(driver.cuMemAllocAsync(ctypes.sizeof(numbers), stream))
    checked(driver.cuMemcpyHtoDAsync(memory, ctypes.addressof(numbers), ctypes.sizeof(numbers), stream))
    begin, end = (checked(driver.cuEventCreate(0)) for _ in range(2))
    checked(driver.cuEventRecord(begin, stream))
    kinds = ctypes.c_void_p, ctypes.c_float, ctypes.c_int
    checked(driver.cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, stream, ((int(memory), 2.5, COUNT), kinds), 0))
    checked(driver.cuEventRecord(end, stream))
    checked(driver.cuMemcpyDtoHAsync(ctypes.addressof(numbers), memory, ctypes.sizeof(numbers), stream))
    checked(driver.cuMemFreeAsync(memory, stream))
    checked(driver.cuStreamSynchronize(stream))
    assert checked(driver.cuEventElapsedTime(begin, end)) >= 0
    assert list(numbers) == [2.5 * i for i in range(COUNT)]
    checked(driver.cuDevicePrimaryCtxRelease(0))
    print("right")


main()
