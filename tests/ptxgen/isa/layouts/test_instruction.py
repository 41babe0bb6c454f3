"""The instruction descriptor of tcgen05.mma (manual 9.7.16.4.2)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxgen.isa.layouts import InstructionDescriptor, LayoutError
from ptxgen.isa.layouts.instruction import KINDS


@pytest.mark.parametrize(
    "descriptor, bits",
    [
        # bit by bit from tables 42 to 44
        (InstructionDescriptor("f16", 128, 256, "bf16"), 8 << 24 | 32 << 17 | 1 << 10 | 1 << 7 | 1 << 4),
        (InstructionDescriptor("f16", 64, 8, "f16", d="f16"), 4 << 24 | 1 << 17),
        (InstructionDescriptor("tf32", 128, 64, "tf32", transpose_b=True),
         8 << 24 | 8 << 17 | 1 << 16 | 2 << 10 | 2 << 7 | 1 << 4),
        (InstructionDescriptor("i8", 128, 64, "s8", "u8", saturate=True), 8 << 24 | 8 << 17 | 1 << 7 | 2 << 4 | 1 << 3),
        (InstructionDescriptor("f8f6f4", 256, 128, "e5m2", "e2m1", negate_a=True),
         16 << 24 | 16 << 17 | 1 << 13 | 5 << 10 | 1 << 7 | 1 << 4),
        (InstructionDescriptor("f16", 128, 64, "bf16", sparse=True, selector=1, max_shift=16),
         2 << 30 | 8 << 24 | 8 << 17 | 1 << 10 | 1 << 7 | 1 << 4 | 1 << 2 | 1),
        (InstructionDescriptor("mxf8f6f4", 128, 64, "e4m3", scale_a_id=3, scale_b_id=2),
         3 << 29 | 1 << 27 | 1 << 23 | 8 << 17 | 2 << 4),
        (InstructionDescriptor("mxf4nvf4", 256, 64, "e2m1", k96=True), 1 << 31 | 2 << 27 | 8 << 17 | 1 << 10 | 1 << 7),
    ],
)  # fmt: skip
def test_known_descriptors(descriptor: InstructionDescriptor, bits: int) -> None:
    assert descriptor.encode() == bits
    assert InstructionDescriptor.decode(bits, descriptor.kind) == descriptor


@given(st.data())
def test_descriptors_come_back(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(KINDS)))
    kind = KINDS[name]
    types = sorted(kind.inputs)
    made = InstructionDescriptor(
        name,
        data.draw(st.sampled_from((128, 256))),
        data.draw(st.integers(1, 32)) * 8,
        types[0] if name == "f16" else data.draw(st.sampled_from(types)),
        types[0] if name == "f16" else data.draw(st.sampled_from(types)),
        "f32" if name != "i8" else "s32",
        sparse=data.draw(st.booleans()),
        negate_a=kind.negate and data.draw(st.booleans()),
        transpose_b=kind.transpose and data.draw(st.booleans()),
        scale_a_id=data.draw(st.sampled_from((0, 2))) if kind.scales else 0,
    )
    assert InstructionDescriptor.decode(made.encode(), name) == made


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        (("f17", 128, 64, "f16"), {}, "no kind 'f17'"),
        (("f16", 128, 64, "tf32"), {}, "kind::f16 has no A of tf32"),
        (("f16", 128, 64, "bf16"), {"d": "f16"}, "A and B of f16 too"),
        (("f16", 96, 64, "f16"), {}, "M = 96"),
        (("f16", 128, 260, "f16"), {}, "N = 260"),
        (("f16", 128, 64, "f16"), {"selector": 1}, "or sparse=True"),
        (("f16", 128, 64, "f16"), {"saturate": True}, "saturate with kind::f16"),
        (("i8", 128, 64, "s8"), {"negate_a": True}, "negation with kind::i8"),
        (("mxf4", 128, 64, "e2m1"), {"transpose_a": True}, "transposition with kind::mxf4"),
        (("mxf4", 128, 64, "e2m1"), {"scale_a_id": 1}, "scale factor id 1"),
        (("mxf4", 128, 64, "e2m1"), {"scale_type": "ue4m3"}, "scale factors of ue4m3"),
        (("mxf8f6f4", 64, 64, "e4m3"), {}, "M = 64"),
        (("tf32", 128, 64, "tf32"), {"k96": True}, "K = 96"),
    ],
)
def test_what_a_kind_does_not_have(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(LayoutError) as error:
        InstructionDescriptor(*arguments, **options)
    assert message in str(error.value)


def test_shapes_of_table_39() -> None:
    InstructionDescriptor("f16", 64, 24, "f16").check_shape(1)
    InstructionDescriptor("f16", 256, 32, "f16").check_shape(2)
    InstructionDescriptor("f16", 32, 64, "f16").check_shape(1, ws=True)
    for descriptor, group, ws, message in (
        (InstructionDescriptor("f16", 256, 64, "f16"), 1, False, "M = 256 with kind::f16, cta_group::1"),
        (InstructionDescriptor("f16", 128, 24, "f16"), 2, False, "N = 24"),
        (InstructionDescriptor("i8", 64, 40, "s8"), 1, False, "N = 40 with kind::i8"),
        (InstructionDescriptor("i8", 64, 24, "s8", transpose_b=True), 1, False, "N = 24"),
        (
            InstructionDescriptor("mxf4", 128, 64, "e2m1", sparse=True),
            2,
            False,
            "M = 128 with kind::mxf4, cta_group::2, sparse",
        ),
        (InstructionDescriptor("mxf4", 128, 64, "e2m1"), 1, True, "does not exist"),
    ):
        with pytest.raises(LayoutError) as error:
            descriptor.check_shape(group, ws=ws)
        assert message in str(error.value)


def test_reserved_bits() -> None:
    bits = InstructionDescriptor("f16", 128, 64, "f16").encode()
    with pytest.raises(LayoutError, match="reserved bits 0x00000040"):
        InstructionDescriptor.decode(bits | 1 << 6, "f16")
    with pytest.raises(LayoutError, match="atype is 2"):
        InstructionDescriptor.decode(bits | 2 << 7, "f16")
    assert (
        str(InstructionDescriptor("f16", 128, 64, "f16", sparse=True))
        == "kind::f16 m128n64k32 a=f16 b='f16' sparse=True"
    )
