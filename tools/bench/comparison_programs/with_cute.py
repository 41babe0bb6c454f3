"""CuTe DSL, with the assembler that it brings."""

# Other tools read these functions, Python and mypy do not.
# mypy: ignore-errors

import cutlass
from _measure import report
from cutlass import cute
from cutlass._mlir.dialects import llvm
from cutlass.cute.runtime import make_ptr
from cutlass.memory import SmemAllocator


def build(a: float):
    # the kernel
    @cute.kernel
    def saxpy_kernel(n: cutlass.Int32, x: cute.Tensor, y: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        cta, _, _ = cute.arch.block_idx()
        size, _, _ = cute.arch.block_dim()
        i = cta * size + tid
        if i < n:
            y[i] = a * x[i] + y[i]

    @cute.jit
    def saxpy(n: cutlass.Int32, px: cute.Pointer, py: cute.Pointer):
        x, y = cute.make_tensor(px, cute.make_layout(n)), cute.make_tensor(py, cute.make_layout(n))
        saxpy_kernel(n, x, y).launch(grid=(4, 1, 1), block=(256, 1, 1))

    # the end

    return saxpy


def compiled(function, *arguments, arch="sm_90a"):
    return cute.compile[cute.KeepPTX(), cute.GPUArch(arch)](function, *arguments).__ptx__


def pointer():
    return make_ptr(cutlass.Float32, 0, cute.AddressSpace.gmem, assumed_align=4)


@cute.kernel
def lacks_kernel():
    llvm.inline_asm(None, [], "wgmma.fence.sync.aligned;", "", has_side_effects=True)


@cute.jit
def lacks():
    lacks_kernel().launch(grid=(1, 1, 1), block=(128, 1, 1))


@cute.kernel
def misspelt_kernel():
    llvm.inline_asm(None, [], "fence.porxy.async;", "", has_side_effects=True)


@cute.jit
def misspelt():
    misspelt_kernel().launch(grid=(1, 1, 1), block=(128, 1, 1))


@cute.kernel
def outside_kernel(y: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    y[tid] = 0.0


@cute.jit
def outside(py: cute.Pointer):
    outside_kernel(cute.make_tensor(py, cute.make_layout(60))).launch(grid=(1, 1, 1), block=(64, 1, 1))


@cute.kernel
def unordered_kernel(y: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    tile = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(64))
    tile[tid] = y[tid]
    y[tid] = tile[63 - tid]


@cute.jit
def unordered(py: cute.Pointer):
    unordered_kernel(cute.make_tensor(py, cute.make_layout(64))).launch(grid=(1, 1, 1), block=(64, 1, 1))


@cute.kernel
def divergent_kernel(n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    if tid < n:
        cute.arch.barrier()


@cute.jit
def divergent(n: cutlass.Int32):
    divergent_kernel(n).launch(grid=(1, 1, 1), block=(64, 1, 1))


if __name__ == "__main__":
    report(
        cutlass.__version__,
        lambda n: compiled(build(float(n)), 1000, pointer(), pointer()),
        {
            "an instruction that the target lacks": lambda: compiled(lacks, arch="sm_80"),
            "a misspelt instruction": lambda: compiled(misspelt),
            "an access out of bounds": lambda: compiled(outside, pointer()),
            "a missing barrier": lambda: compiled(unordered, pointer()),
            "a barrier that not all threads reach": lambda: compiled(divergent, 7),
        },
    )
