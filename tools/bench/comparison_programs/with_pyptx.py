"""pyptx. Its kernels give PTX; to assemble and to launch it needs PyTorch or JAX with a GPU."""

# Other tools read these functions, Python and mypy do not.
# mypy: ignore-errors

import pyptx
from _measure import report
from pyptx import Tile, kernel, ptx, reg, smem
from pyptx.spec.validate import set_strict
from pyptx.types import f32, u32

LAUNCH = {"grid": (4, 1, 1), "block": (256, 1, 1), "arch": "sm_90a"}


def build(a: float):
    # the kernel
    @kernel(in_specs=(Tile(1000, f32),), out_specs=(Tile(1000, f32),), raw_params=[("u32", "n")], **LAUNCH)
    def saxpy(X, Y):
        px, py = ptx.global_ptrs(X, Y)
        n = ptx.param(u32, "n")
        i = reg.scalar(u32)
        ptx.inst.mad.lo.u32(i, ptx.special.ctaid.x(), ptx.special.ntid.x(), ptx.special.tid.x())
        with ptx.if_(i < n):
            x, y, factor = reg.scalar(f32), reg.scalar(f32), reg.scalar(f32, init=a)
            ptx.inst.ld.global_.f32(x, ptx.addr(px + i * 4))
            ptx.inst.ld.global_.f32(y, ptx.addr(py + i * 4))
            ptx.inst.fma.rn.f32(y, factor, x, y)
            ptx.inst.st.global_.f32(ptx.addr(py + i * 4), y)
        ptx.ret()

    # the end

    return saxpy


def lacks():
    @kernel(arch="sm_80")
    def mistaken():
        ptx.wgmma.fence()
        ptx.ret()

    return mistaken.ptx()


def misspelt():
    @kernel(arch="sm_90a")
    def mistaken():
        ptx.fence.porxy_async()  # the typed functions are what it checks
        ptx.ret()

    return mistaken.ptx()


def outside():
    @kernel(in_specs=(Tile(60, f32),), out_specs=(Tile(60, f32),), grid=(1, 1, 1), block=(64, 1, 1), arch="sm_90a")
    def mistaken(X, Y):
        _, py = ptx.global_ptrs(X, Y)
        i = reg.from_(ptx.special.tid.x(), u32)
        ptx.inst.st.global_.f32(ptx.addr(py + i * 4), reg.scalar(f32, init=0.0))
        ptx.ret()

    return mistaken.ptx()


def unordered():
    @kernel(in_specs=(Tile(64, f32),), out_specs=(Tile(64, f32),), grid=(1, 1, 1), block=(64, 1, 1), arch="sm_90a")
    def mistaken(X, Y):
        tile = smem.alloc(f32, (64, 1))
        px, py = ptx.global_ptrs(X, Y)
        i = reg.from_(ptx.special.tid.x(), u32)
        x = reg.scalar(f32)
        ptx.inst.ld.global_.f32(x, ptx.addr(px + i * 4))
        tile[i, 0] = x
        ptx.inst.st.global_.f32(ptx.addr(py + i * 4), tile[i ^ 63, 0])
        ptx.ret()

    return mistaken.ptx()


def divergent():
    @kernel(arch="sm_90a")
    def mistaken():
        i = reg.from_(ptx.special.tid.x(), u32)
        with ptx.if_(i < 7):
            ptx.bar.sync(0)
        ptx.ret()

    return mistaken.ptx()


if __name__ == "__main__":
    set_strict(True)  # its checks raise
    report(
        pyptx.__version__,
        lambda n: build(float(n)).ptx(),
        {
            "an instruction that the target lacks": lacks,
            "a misspelt instruction": misspelt,
            "an access out of bounds": outside,
            "a missing barrier": unordered,
            "a barrier that not all threads reach": divergent,
        },
    )
