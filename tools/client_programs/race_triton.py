"""Triton: a kernel with a race, which `ptxgen exec --sanitize racecheck` tells with this file's line."""

from __future__ import annotations

import ctypes
import warnings

import triton
import triton.language as tl

warnings.filterwarnings("ignore")
cuda = ctypes.CDLL("libcuda.so.1")
SIZE = 64


class Array:
    """What a kernel of Triton's takes: a type and an address."""

    dtype = "fp32"

    def __init__(self) -> None:
        self.place = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.place), 4 * SIZE) == 0
        assert cuda.cuMemsetD32_v2(self.place, 0, SIZE) == 0

    def data_ptr(self) -> int:
        return self.place.value


@triton.jit
def total(x, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.arange(0, SIZE)
    value = tl.load(x + at)
    tl.store(x + at % 2, value + 1)  # race: each program writes what the other one reads


context = ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
total[(2,)](Array(), SIZE=SIZE)
assert cuda.cuCtxSynchronize() == 0
print("ran")
