"""Triton: addition, softmax of rows, a matrix product on tensor cores. Arrays are this file's: PyTorch's need its own runtime."""

from __future__ import annotations

import ctypes
import warnings
from typing import Any

import numpy as np
import triton
import triton.language as tl

warnings.filterwarnings("ignore")
cuda = ctypes.CDLL("libcuda.so.1")


def call(name: str, *arguments: Any) -> None:
    assert cuda[name](*arguments) == 0, name


class Array:
    """What a kernel of Triton's takes: a type and an address."""

    def __init__(self, values: Any) -> None:
        self.values = np.ascontiguousarray(values)
        self.dtype = {"float32": "fp32", "float16": "fp16"}[str(self.values.dtype)]
        self.place, self.size = ctypes.c_uint64(), ctypes.c_size_t(self.values.nbytes)
        self.host = ctypes.c_void_p(self.values.ctypes.data)
        call("cuMemAlloc_v2", ctypes.byref(self.place), self.size)
        call("cuMemcpyHtoD_v2", self.place, self.host, self.size)

    def data_ptr(self) -> int:
        return self.place.value

    def numpy(self) -> Any:
        call("cuMemcpyDtoH_v2", self.host, self.place, self.size)
        return self.values


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def softmax(x, out, width, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    columns = tl.arange(0, BLOCK)
    at = tl.program_id(0) * width + columns
    row = tl.load(x + at, mask=columns < width, other=-float("inf"))
    exponents = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + at, exponents / tl.sum(exponents, axis=0), mask=columns < width)


@triton.jit
def product(a, b, out, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))


def main() -> None:
    context, draw = ctypes.c_void_p(), np.random.default_rng(1)
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)

    x, out = Array(np.arange(1000, dtype=np.float32)), Array(np.zeros(1000, np.float32))
    add[(4,)](x, x, out, 1000, BLOCK=256)
    assert (out.numpy() == 2 * x.values).all()

    rows, out = Array(draw.standard_normal((5, 100), np.float32)), Array(np.zeros((5, 100), np.float32))
    softmax[(5,)](rows, out, 100, BLOCK=128)
    exponents = np.exp(rows.values)
    assert np.allclose(out.numpy(), exponents / exponents.sum(1, keepdims=True), rtol=1e-5)

    a, b = (Array(draw.standard_normal((64, 64)).astype(np.float16)) for _ in range(2))
    out = Array(np.zeros((64, 64), np.float32))
    product[(1,)](a, b, out, SIZE=64)
    assert np.allclose(out.numpy(), a.values.astype(np.float32) @ b.values.astype(np.float32), atol=1e-4)
    print("right")


main()
