"""ptxgen."""

# Its mistakes are seen by mypy too.
# mypy: ignore-errors

from _measure import report

import ptxgen as px
from ptxgen import f32, u32


def build(a: float) -> px.Kernel:
    # the kernel
    @px.kernel
    def saxpy(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]):
        i = k.global_id.x
        with k.if_(i < n):
            y[i] = k.fma(a, x[i], y[i])

    # the end

    return saxpy


@px.kernel
def lacks(k: px.Builder, n: u32):
    k.ptx.wgmma.fence.sync.aligned()


@px.kernel
def misspelt(k: px.Builder, n: u32):
    k.ptx.fence.porxy.async_()


@px.kernel
def outside(k: px.Builder, x: px.ptr[f32]):
    x[k.global_id.x] = 0.0


@px.kernel
def unordered(k: px.Builder, y: px.ptr[u32]):
    tile = k.shared(u32, 64)
    tile[k.tid.x] = k.tid.x
    y[k.tid.x] = tile[63 - k.tid.x]


@px.kernel
def divergent(k: px.Builder, n: u32):
    with k.if_(k.tid.x < n):
        k.barrier()


def run(kernel: px.Kernel, *arguments: object) -> None:
    """On the CPU device, watched by the sanitizer."""
    dev = px.device("cpu")
    try:
        with px.sanitize("racecheck", "synccheck"):
            kernel[1, 64](*arguments)
            dev.synchronize()
    except px.Error:
        dev.reset()  # the next one begins afresh
        raise


if __name__ == "__main__":
    report(
        px.__version__,
        lambda n: str(build(float(n)).module(target="sm_90a")),
        {
            "an instruction that the target lacks": lambda: lacks.module(target="sm_80"),
            "a misspelt instruction": lambda: misspelt.module(target="sm_90a"),
            "an access out of bounds": lambda: run(outside, px.device("cpu").zeros(60, f32)),
            "a missing barrier": lambda: run(unordered, px.device("cpu").zeros(64, u32)),
            "a barrier that not all threads reach": lambda: run(divergent, 7),
        },
    )
