"""Tensor maps: which rule an argument breaks."""

from __future__ import annotations

from typing import Any

import pytest

from ptxgen.isa.layouts import LayoutError, check_im2col, check_tiled
from ptxgen.isa.layouts.tensormap import TENSOR_TYPES

GOOD: dict[str, Any] = {"type": "bf16", "address": 4096, "shape": (1024, 512), "strides": (2048,), "box": (64, 128)}


def test_a_tensor_map_that_the_driver_takes() -> None:
    assert check_tiled(**GOOD, swizzle="128B") == ()


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"address": 4104}, "address is 0x1008; it must be a multiple of 16"),
        ({"shape": (), "strides": (), "box": ()}, "shape is of rank 0; it must be of rank 1 to 5"),
        ({"shape": (1024, 0)}, "shape[1] is 0; it must be 1 to 2**32"),
        ({"strides": (2040,)}, "strides[0] is 2040; it must be a multiple of 16"),
        ({"strides": (1 << 40,)}, "strides[0] is 1099511627776; it must be less than 2**40"),
        ({"strides": ()}, "strides is 0 numbers; it must be 1: one a dimension but the first"),
        ({"box": (64, 257)}, "box[1] is 257; it must be 1 to 256"),
        ({"box": (64,)}, "box is 1 numbers; it must be 2"),
        ({"box": (4, 128)}, "box[0] is 4 (8 bytes); it must be a multiple of 16 bytes"),
        (
            {"box": (128, 64), "swizzle": "128B"},
            "box[0] is 128 (256 bytes); it must be at most 128 bytes with swizzle 128B",
        ),
        ({"box": (32, 64), "swizzle": "32B"}, "box[0] is 32 (64 bytes); it must be at most 32 bytes with swizzle 32B"),
        ({"element_strides": (1, 9)}, "element_strides[1] is 9; it must be 1 to 8"),
        ({"interleave": "16B"}, "shape is of rank 2; it must be of rank 3 to 5 with interleave 16B"),
        (
            {"type": "u16", "nan_fill": True},
            "nan_fill is set; it must be unset for u16, which is not a floating-point type",
        ),
    ],
)
def test_one_broken_rule_is_one_problem(changed: dict[str, Any], said: str) -> None:
    assert [str(problem) for problem in check_tiled(**{**GOOD, **changed})] == [said]


def test_interleaved_and_padded_tensors() -> None:
    three: dict[str, Any] = {
        "type": "u8",
        "address": 4112,
        "shape": (64, 8, 8),
        "strides": (32, 256),
        "box": (16, 8, 8),
    }
    assert [p.argument for p in check_tiled(**three, interleave="32B", swizzle="128B")] == ["address", "swizzle"]
    padded: dict[str, Any] = {
        "type": "b4x16_p64",
        "address": 4096,
        "shape": (200, 8),
        "strides": (112,),
        "box": (64, 8),
    }
    assert [p.argument for p in check_tiled(**padded, swizzle="64B")] == ["shape[0]", "strides[0]", "box[0]", "swizzle"]


def test_im2col() -> None:
    good: dict[str, Any] = {
        "type": "f16", "address": 4096, "shape": (64, 14, 9, 64), "strides": (128, 1792, 16128), "lower": (-1, -1),
        "upper": (-1, -1), "channels": 8, "pixels": 64,
    }  # fmt: skip
    assert check_im2col(**good) == ()
    for changed, argument in (
        ({"lower": (-129, -1)}, "lower[0]"),
        ({"upper": (-1,)}, "upper"),
        ({"upper": (-1, -11)}, "upper[1]"),
        ({"channels": 257}, "channels"),
        ({"pixels": 1025}, "pixels"),
        ({"shape": (64, 14), "strides": (128,), "lower": (), "upper": ()}, "shape"),
    ):
        assert argument in [problem.argument for problem in check_im2col(**{**good, **changed})]


def test_names_that_do_not_exist() -> None:
    with pytest.raises(LayoutError, match="no tensor map of 'f8'"):
        check_tiled(**{**GOOD, "type": "f8"})
    with pytest.raises(LayoutError, match="no swizzle '256B'"):
        check_tiled(**GOOD, swizzle="256B")


def test_the_driver_s_numbers() -> None:
    assert [found.code for found in TENSOR_TYPES.values()] == list(range(16))
    assert (TENSOR_TYPES["bf16"].code, TENSOR_TYPES["b6x16_p32"].code) == (9, 15)
