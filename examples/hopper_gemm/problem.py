"""What every step computes, and whether it is right: C (m, n) = A (m, depth) B (n, depth)^T of bf16, with sums in f32."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import ptxgen as px
from ptxgen import bf16

__all__ = ["SIZES", "ceil_div", "check", "difference"]

SIZES = (200, 264, 136)
"""(m, n, depth) of a check: no multiples of a tile; 16 bytes are 8 elements, and rows for TMA begin at multiples of them."""


def ceil_div(a: int, b: int) -> int:
    """How many parts of size b cover a."""
    return -(-a // b)


def difference(multiply: Callable[[Any, Any, Any], None], dev: px.Device, sizes: tuple[int, int, int] = SIZES) -> float:
    """The largest difference from numpy's product. Of small integers it is 0, in whatever order they are added."""
    m, n, depth = sizes
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-1, 2, (rows, depth)).astype(np.float32) for rows in (m, n))
    c = dev.zeros((m, n), bf16)
    multiply(dev.array(x, bf16), dev.array(y, bf16), c)
    return float(np.abs(c.numpy().astype(np.float32) - x @ y.T).max())


def check(multiply: Callable[[Any, Any, Any], None]) -> None:
    """Compare with numpy on the device that the command line names, and say so."""
    parser = argparse.ArgumentParser(description="Check this step's product against numpy.")
    parser.add_argument("--device", choices=("cpu", "cuda"), default=None)
    given = parser.parse_args()
    dev = px.device(given.device) if given.device else px.device()
    found = difference(multiply, dev)
    print(f"{'right' if found == 0 else f'wrong by {found}'} on {dev!r}")
    if found:
        raise SystemExit(1)
