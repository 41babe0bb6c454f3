"""Triton, with the ptxas that it brings. Threads and barriers are the compiler's: two mistakes cannot be written."""

# Other tools read these functions, Python and mypy do not.
# mypy: ignore-errors

import os
import tempfile

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()

import triton
import triton.language as tl
from _measure import report
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


# the kernel
@triton.jit
def saxpy(n, x, y, A: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, A * tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


# the end


@triton.jit
def assembly(y, WORDS: tl.constexpr):
    i = tl.arange(0, 32)
    tl.store(y + i, tl.inline_asm_elementwise(WORDS, "=r,r", [i], dtype=tl.int32, is_pure=False, pack=1))


@triton.jit
def outside(y):
    tl.store(y + tl.arange(0, 64), 0.0)


def compiled(function, types, constants, arch=90):
    source = ASTSource(function, types, constants)
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": 4}).asm


if __name__ == "__main__":
    types = {"n": "u32", "x": "*fp32", "y": "*fp32", "A": "constexpr", "BLOCK": "constexpr"}
    words = {"y": "*i32", "WORDS": "constexpr"}
    report(
        triton.__version__,
        lambda n: compiled(saxpy, types, {"A": float(n), "BLOCK": 256})["ptx"],
        {
            "an instruction that the target lacks": lambda: compiled(
                assembly, words, {"WORDS": "wgmma.fence.sync.aligned; mov.u32 $0, $1;"}, 80
            ),
            "a misspelt instruction": lambda: compiled(
                assembly, words, {"WORDS": "fence.porxy.async; mov.u32 $0, $1;"}
            ),
            "an access out of bounds": lambda: compiled(outside, {"y": "*fp32"}, {}),
        },
    )
