"""Dr.Jit's CUDA backend: a fused expression, a reduction, a scan, a gather, a loop."""

from __future__ import annotations

import time

import drjit as dr

time.sleep(
    5
)  # importing it has begun a thread that opens the driver, and its first use would wait for that with the GIL

import numpy as np  # noqa: E402
from drjit.cuda import Float, UInt32  # noqa: E402


@dr.syntax
def collatz(n: UInt32) -> UInt32:
    steps = UInt32(0)
    while n != 1:
        n = dr.select(n & 1 == 0, n // 2, 3 * n + 1)
        steps += 1
    return steps


def steps_of(n: int) -> int:
    return 0 if n == 1 else 1 + steps_of(n // 2 if n % 2 == 0 else 3 * n + 1)


def main() -> None:
    x = dr.arange(Float, 1000) / 10
    places = np.arange(1000, dtype=np.float32) / np.float32(10)
    assert np.allclose((dr.sin(x) * dr.exp(-x)).numpy(), np.sin(places) * np.exp(-places), atol=1e-6)
    assert dr.sum(dr.arange(UInt32, 1000))[0] == 499500
    assert dr.prefix_sum(UInt32(1, 2, 3, 4)).numpy().tolist() == [0, 1, 3, 6]
    assert dr.gather(Float, x, UInt32(30, 20, 10)).numpy().tolist() == [3, 2, 1]
    assert collatz(dr.arange(UInt32, 40) + 1).numpy().tolist() == [steps_of(n) for n in range(1, 41)]
    print("right")


main()
