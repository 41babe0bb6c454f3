"""PyCUDA: a module of PTX, arrays in page-locked memory, streams, events. Its SourceModule needs nvcc, and is left out."""

from __future__ import annotations

import numpy as np
import pycuda.autoprimaryctx  # noqa: F401
import pycuda.driver as cuda

PTX = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x) {
.reg .b32 %i; .reg .f32 %f; .reg .b64 %d<3>;
ld.param.u64 %d1, [x]; mov.u32 %i, %tid.x; mul.wide.u32 %d2, %i, 4; add.u64 %d1, %d1, %d2;
ld.global.f32 %f, [%d1]; add.f32 %f, %f, %f; st.global.f32 [%d1], %f; ret; }
"""


def main() -> None:
    twice = cuda.module_from_buffer(PTX).get_function("twice")
    host = cuda.pagelocked_empty(64, np.float32)
    host[:] = np.arange(64)
    memory, stream = cuda.mem_alloc(host.nbytes), cuda.Stream()
    cuda.memcpy_htod_async(memory, host, stream)
    twice(memory, block=(64, 1, 1), grid=(1, 1), stream=stream)
    cuda.memcpy_dtoh_async(host, memory, stream)
    stream.synchronize()
    assert (host == 2 * np.arange(64)).all()
    print("right")


main()
