"""Operands of matrix products, as bits: ordinary ones, and those that models of the hardware trip over."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

WIDTHS = {
    "f16": (5, 10), "bf16": (8, 7), "tf32": (8, 23), "f32": (8, 23), "e4m3": (4, 3), "e5m2": (5, 2), "f64": (11, 52),
}  # fmt: skip
"""Bits of exponent and mantissa in a register: of the 32 that a tf32 has, the lowest 13 must not matter."""

KINDS = ("near", "spread", "all", "zeros", "tiny", "huge", "special", "short", "signed zeros", "cancelling", "hidden")


def numbers(random: np.random.Generator, type: str, shape: tuple[int, ...], kind: str) -> Array:
    """Numbers of a kind that all have the same range of exponents; integers of any kind are drawn from all."""
    if type not in WIDTHS:
        return random.integers(0, 1 << int(type[1:]), shape)
    exponent_bits, mantissa_bits = WIDTHS[type]
    bias, top = (1 << (exponent_bits - 1)) - 1, (1 << exponent_bits) - 1
    reach = min(12, bias - 2)
    low, high = {
        "near": (bias - 2, bias + 3),
        "spread": (bias - reach, bias + reach + 1),
        "zeros": (bias - reach, bias + reach + 1),
        "tiny": (0, 3),
        "huge": (top - 3, top),
        "short": (bias - 6, bias + 7),
    }.get(kind, (0, top))
    exponent, mantissa = random.integers(low, high, shape), random.integers(0, 1 << mantissa_bits, shape)
    zero = random.random(shape) < {"zeros": 0.6, "tiny": 0.2, "signed zeros": 0.97}.get(kind, 0.0)
    if kind == "special":
        chosen = random.random(shape)
        exponent = np.where(chosen < 0.02, top, exponent)
        mantissa = np.where(chosen < 0.015, 0, mantissa)  # three of four are infinite, the others NaN
    if kind == "short":  # sums are often half way between two results
        mantissa &= -1 << max(mantissa_bits - 2, 0)
    sign = random.integers(0, 2, shape) << (exponent_bits + mantissa_bits)
    return sign | np.where(zero, 0, exponent << mantissa_bits | mantissa)


def operands(types: str, rows: int, columns: int, depth: int, each: int) -> tuple[Array, Array, Array]:
    """A, B and C for `each` products of every kind. `types` "f32.f16.f16.f32": of D, A, B and C."""
    _, type_a, type_b, type_c = types.split(".")
    random = np.random.default_rng(depth)
    found: list[tuple[Array, Array, Array]] = []
    for kind in KINDS:
        kinds = {"cancelling": ("near", "near", "near"), "hidden": ("zeros", "all", "tiny")}.get(kind, (kind,) * 3)
        a = numbers(random, type_a, (each, rows, depth), kinds[0])
        b = numbers(random, type_b, (each, depth, columns), kinds[1])
        c = numbers(random, type_c, (each, rows, columns), kinds[2])
        if kind == "cancelling" and type_a in WIDTHS:  # what is left is what the last product is, and that is tiny
            half = depth // 2
            minus = np.int64(1) << sum(WIDTHS[type_a])
            a[:, :, half:], b[:, half:] = a[:, :, :half] ^ minus, b[:, :half]
            b[:, -1] = numbers(random, type_b, (each, columns), "tiny")
        found.append((a, b, c))
    a, b, c = (np.concatenate([matrices[i] for matrices in found]) for i in range(3))
    return a, b, c


def sparsity(form: str, count: int, rows: int, fields: int) -> tuple[Array, Array]:
    """Metadata, and where along K the elements, or pairs of elements of four bits, stand that it is about."""
    random = np.random.default_rng(fields)
    if "tf32" in form:  # one of two
        metadata = random.choice([0b0100, 0b1110], (count, rows, fields))
        return metadata, (metadata >> 3) + 2 * np.arange(fields)
    pairs = np.array([(i, j) for j in range(4) for i in range(j)])  # two of four
    metadata = pairs[random.integers(0, 6, (count, rows, fields // 2))].reshape(count, rows, fields)
    return metadata, metadata + np.arange(fields) // 2 * 4
