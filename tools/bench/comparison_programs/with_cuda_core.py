"""cuda-core: CUDA C++ by NVRTC, which assembles too where it is asked for a cubin."""

# mypy: ignore-errors

import cuda.core
from _measure import report
from cuda.core import Program, ProgramOptions

SAXPY = """
// # the kernel
constexpr float a = {a};
extern "C" __global__ void saxpy(unsigned n, const float *x, float *y) {{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}}
// # the end
"""

LACKS = '__global__ void k() { asm volatile("wgmma.fence.sync.aligned;"); }'
MISSPELT = '__global__ void k() { asm volatile("fence.porxy.async;"); }'
OUTSIDE = "__global__ void k(float *y) { y[threadIdx.x] = 0; }"
UNORDERED = """__global__ void k(unsigned *y) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = tile[63 - threadIdx.x];
}"""
DIVERGENT = "__global__ void k(unsigned n) { if (threadIdx.x < n) __syncthreads(); }"


def compiled(text: str, kind: str = "cubin", arch: str = "sm_90a") -> bytes:
    return Program(text, "c++", ProgramOptions(arch=arch)).compile(kind).code


if __name__ == "__main__":
    report(
        cuda.core.__version__,
        lambda n: compiled(SAXPY.format(a=float(n)), "ptx").decode(),
        {
            "an instruction that the target lacks": lambda: compiled(LACKS, arch="sm_80"),
            "a misspelt instruction": lambda: compiled(MISSPELT),
            "an access out of bounds": lambda: compiled(OUTSIDE),
            "a missing barrier": lambda: compiled(UNORDERED),
            "a barrier that not all threads reach": lambda: compiled(DIVERGENT),
        },
    )
