"""Three sets of rules for tensor maps that were written apart: the ISA's, the binding's, and the emulated driver's.

What the binding takes the driver takes; what the ISA's rules refuse the binding refuses, and the other way round.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import driver_ctypes as dc
from driver_ctypes.memory.tensormap import ELEMENTS
from ptxgen.isa.layouts.tensormap import TENSOR_TYPES, check_tiled

pytestmark = pytest.mark.cpu_only


@pytest.fixture(scope="module")
def context() -> dc.Context:
    from ptxgen.emulated_driver import open_driver

    dc.register_driver("cpu", open_driver, foreign_pointers=False)
    return dc.driver("cpu").device(0).primary_context()


def test_the_same_elements() -> None:
    assert {name: (e.code, e.bits, e.is_float) for name, e in ELEMENTS.items()} == {
        name: tuple(kind) for name, kind in TENSOR_TYPES.items()
    }


@st.composite
def tiled(draw: st.DrawFn) -> dict[str, Any]:
    """Arguments that are right in most places."""
    rank = draw(st.integers(1, 5))
    element = draw(st.sampled_from([name for name in ELEMENTS if not name.startswith("b") or name == "bf16"]))
    size = ELEMENTS[element].bits // 8
    inner = draw(st.sampled_from([16, 32, 64, 128, 24, 256])) // size or 1
    return {
        "element": element,
        "address": draw(st.sampled_from([0, 16, 32, 1 << 40, 8])),
        "shape": tuple(draw(st.lists(st.sampled_from([64, 1, 1000, 1 << 32]), min_size=rank, max_size=rank))),
        "strides": tuple(
            draw(st.lists(st.sampled_from([4096, 32, 48, 8, 1 << 39]), min_size=rank - 1, max_size=rank - 1))
        ),
        "box": (inner, *draw(st.lists(st.sampled_from([1, 8, 2]), min_size=rank - 1, max_size=rank - 1))),
        "element_strides": tuple(draw(st.lists(st.sampled_from([1, 1, 2, 8, 9]), min_size=rank, max_size=rank))),
        "interleave": draw(st.sampled_from(["none", "none", "16B", "32B"])),
        "swizzle": draw(st.sampled_from(["none", "32B", "64B", "128B"])),
        "nan_fill": draw(st.booleans()),
    }


@given(arguments=tiled())
def test_the_rules_agree(context: dc.Context, arguments: dict[str, Any]) -> None:
    a = dict(arguments)
    element, address, shape, strides, box = (a.pop(k) for k in ("element", "address", "shape", "strides", "box"))
    problems = check_tiled(element, address, shape, strides, box, **a)
    refused = False
    try:
        dc.tensor_map(address, element, shape, box, strides=strides, context=context, **a)
    except dc.TensorMapError:
        refused = True
    assert refused == bool(problems)
