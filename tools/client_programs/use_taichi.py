"""Taichi on CUDA: a field filled in parallel, atomic sums, a reduction."""

import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, offline_cache=False, device_memory_GB=0.1)
N = 1000
waves = ti.field(ti.f32, shape=N)
counts = ti.field(ti.i32, shape=7)


@ti.kernel
def fill():  # type: ignore[no-untyped-def]  # Taichi reads annotations, and None is none of its types
    for i in waves:
        waves[i] = ti.sin(0.1 * i) + i
        counts[i % 7] += 1


@ti.kernel
def total() -> ti.f32:
    found = 0.0
    for i in waves:
        found += waves[i]
    return found


def main() -> None:
    fill()
    places = np.arange(N)
    expected = np.sin(0.1 * places) + places
    assert np.allclose(waves.to_numpy(), expected, atol=1e-4)
    assert counts.to_numpy().tolist() == np.bincount(places % 7).tolist()
    assert np.isclose(total(), expected.sum())
    print("right")


main()
