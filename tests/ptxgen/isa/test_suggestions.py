"""Which name was meant."""

from __future__ import annotations

import pytest

from ptxgen.isa.forms import opcodes
from ptxgen.isa.suggestions import similar_names
from ptxgen.isa.types import TYPES


@pytest.mark.parametrize("name, meant", [("u33", "u32"), ("u23", "u32"), ("s63", "s64"), ("f3", "f32")])
def test_types(name: str, meant: str) -> None:
    assert similar_names(
        name, [each.name for each in TYPES.values() if each.fundamental and each.kind in "usf"], 1
    ) == [meant]


@pytest.mark.parametrize(
    "name, meant", [("ad", "add"), ("addd", "add"), ("fmaa", "fma"), ("shf", "shfl"), ("mob", "mov")]
)
def test_opcodes(name: str, meant: str) -> None:
    assert meant in similar_names(name, [each for each in opcodes() if each != name], 2)


def test_nothing_is_near_what_is_like_nothing() -> None:
    assert similar_names("zzzz", opcodes()) == []
    assert similar_names("", opcodes()) == []


def test_ties_keep_the_order_and_names_come_once() -> None:
    assert similar_names("ax", ["ay", "az", "ay"], 5, cutoff=0.5) == ["ay", "az"]
    assert similar_names("ax", ["az", "ay"], 1, cutoff=0.5) == ["az"]
