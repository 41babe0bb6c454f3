"""Numbers as bits of an element, and back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxgen.isa.layouts import LayoutError
from ptxgen.isa.layouts.numbers import decode, encode


@pytest.mark.parametrize(
    "type, number, bits",
    [
        ("f16", 1.5, 0x3E00), ("f16", -0.0, 0x8000), ("f16", 65504, 0x7BFF), ("f16", 65520, 0x7C00), ("f16", 2.0**-24, 1),
        ("bf16", 1.0, 0x3F80), ("bf16", 1.00390625, 0x3F80), ("bf16", 1.01171875, 0x3F82), ("tf32", 1.0, 0x3F800000),
        ("f32", 0.1, 0x3DCCCCCD), ("f64", 1.0, 0x3FF0000000000000), ("e4m3", 448, 0x7E), ("e4m3", 2.0**-9, 1),
        ("e5m2", 57344, 0x7B),
        ("e5m2", math.inf, 0x7C), ("e3m2", 28, 0x1F), ("e2m3", 7.5, 0x1F), ("e2m1", 6, 7), ("e2m1", -0.5, 9), ("ue8m0", 1, 127),
        ("ue8m0", 2.0**127, 254), ("ue4m3", 1.0, 0x38), ("s8", -1, 0xFF), ("s4", -8, 8), ("u4", 15, 15), ("b1", 1, 1),
        ("u2", 3, 3),
    ],
)  # fmt: skip
def test_known_patterns(type: str, number: float, bits: int) -> None:
    assert encode(number, type) == bits
    if type not in ("bf16", "f16") or number < 65520:
        assert decode(encode(decode(bits, type), type), type) == decode(bits, type)


@pytest.mark.parametrize("type", ["f16", "bf16", "e5m2", "e4m3", "e3m2", "e2m3", "e2m1", "ue4m3", "ue8m0"])
def test_every_pattern_comes_back(type: str) -> None:
    bits = {"f16": 16, "bf16": 16, "e3m2": 6, "e2m3": 6, "e2m1": 4, "ue4m3": 7}.get(type, 8)
    for pattern in range(1 << bits):
        number = decode(pattern, type)
        if not math.isnan(number):
            assert encode(number, type) == pattern


@given(st.floats(width=32, allow_nan=False))
def test_f16_rounds_as_numpy_does(number: float) -> None:
    with np.errstate(over="ignore"):
        assert encode(number, "f16") == int(np.float16(number).view(np.uint16))


@pytest.mark.parametrize(
    "type, number, message",
    [
        ("s8", 128, "integers from -128 to 127"),
        ("u8", -1, "integers from 0 to 255"),
        ("s32", 0.5, "0.5 is not a .s32"),
        ("e4m3", 480, "at most 448"),
        ("e2m1", 8, "at most 6"),
        ("e2m1", math.nan, "has no NaN"),
        ("ue4m3", -1, "it has no sign"),
        ("ue8m0", 0, "has no zero"),
    ],
)
def test_what_a_type_cannot_hold(type: str, number: float, message: str) -> None:
    with pytest.raises(LayoutError) as error:
        encode(number, type)
    assert message in str(error.value)
