"""Sparse matrices and the index fields of their metadata (manual 9.7.14.6.1)."""

from __future__ import annotations

import pytest

from ptxgen.isa.layouts import LayoutError, compress, expand


def test_two_of_four() -> None:
    assert compress([[0, 5, 0, 7, 1, 0, 0, 0]], "f16") == ([[5, 7, 1, 0]], [[1, 3, 0, 1]])


def test_one_of_two_for_tf32() -> None:
    assert compress([[0, 5, 3, 0]], "tf32") == ([[5, 3]], [[0b1110, 0b0100]])


def test_two_pairs_of_four_for_packed_4_bit_types() -> None:
    assert compress([[0, 0, 1, 2, 0, 0, 0, 3]], "s4") == ([[1, 2, 0, 3]], [[1, 3]])
    assert compress([[0, 1, 2, 0]], "e2m1", container=True) == ([[1, 2]], [[1, 2]])


@pytest.mark.parametrize("type", ["f16", "tf32", "s8", "u4"])
def test_expand_is_the_inverse(type: str) -> None:
    rows = [[1, 0, 0, 2, 0, 3, 4, 0], [0, 0, 1, 0, 0, 0, 0, 0]] if type != "u4" else [[1, 2, 0, 0, 0, 0, 3, 4], [0] * 8]
    assert expand(*compress(rows, type), type) == rows


def test_a_chunk_with_too_many_elements() -> None:
    with pytest.raises(LayoutError, match=r"row 0 is not sparse: columns 4 to 7") as error:
        compress([[0, 0, 0, 0, 1, 2, 3, 0]], "bf16")
    assert error.value.hint == "at most two of four may be other than zero"
