"""Layouts of fragments: against the table, against the manual's formulas as the manual writes them, and in both directions."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ptxgen as px
from ptxgen.isa.forms import resolve
from ptxgen.isa.layouts import (
    Layout,
    LayoutError,
    MatrixElement,
    RegisterPlace,
    TensorMemoryPlace,
    layout,
    layout_names,
)
from ptxgen.isa.layouts.names import OPCODES

if TYPE_CHECKING:
    from collections.abc import Callable

LANES = range(32)


# ---- what one asks ------------------------------------------------------------------------------------------------------


def test_which_lane_and_register_holds_row_3_column_5() -> None:
    mma = px.layout("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
    assert mma.d.where(3, 5) == RegisterPlace(lane=14, register=1, slice=0)
    assert mma.a.where(3, 5) == RegisterPlace(lane=14, register=0, slice=1)
    assert mma.b.where(3, 5) == RegisterPlace(lane=21, register=0, slice=1)
    assert mma.d.element(14, 1) == MatrixElement(row=3, column=5) == (3, 5)
    assert mma.a.element(*mma.a.where(15, 15)) == (15, 15)


def test_operands_by_name_and_by_attribute() -> None:
    assert px.layout("mma.m16n8k16.f16.A").formula == px.layout("mma.m16n8k16.f16").a.formula
    assert [one.operand for one in px.layout("mma.sp.m16n8k32.f16")] == ["d", "a", "b", "c", "metadata"]
    assert [one.operand for one in px.layout("wgmma.m64n128k16.bf16")] == ["d", "a"]
    assert "scale_a" in px.layout("mma.m16n8k64.mxf4")
    assert "scale_a" not in px.layout("mma.m16n8k64.u4")


@pytest.mark.parametrize(
    "short, whole",
    [
        ("mma.m16n8k16.bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        ("mma.m16n8k16.f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
        ("mma.m16n8k16.f16.f16.f16.f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"),
        ("mma.sp.m16n8k32.s8", "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"),
        ("mma.m16n8k64.mxf4", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0"),
        ("wgmma.m64n256k8.tf32", "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32"),
        ("wmma.m16n16k16.bf16", "wmma.mma.sync.aligned.row.row.m16n16k16.f32.bf16.bf16.f32"),
        ("ldmatrix.m8n8.x4", "ldmatrix.sync.aligned.m8n8.x4.b16"),
        ("tcgen05.ld.32x32b.x8", "tcgen05.ld.sync.aligned.32x32b.x8.b32"),
    ],
)
def test_short_names(short: str, whole: str) -> None:
    assert layout(short).name == whole
    assert layout(f"{whole} d, a, b, c;").name == whole


@pytest.mark.parametrize(
    "name, message, hint",
    [
        ("mna.m16n8k16.f16", "no layouts for", "mma"),
        ("mma", "alone is not an instruction", "its words too"),
        (
            "mma.m16n8k18.f16",
            "no instruction has the words",
            "mma has no 'm16n8k18'; similar: m16n8k128, m16n8k8, m16n8k16",
        ),
        ("mma.bf16.m16n8k16", "in this order", "similar: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        ("tcgen05.h.n256", "no instruction has the words", "tcgen05.a.n256 to tcgen05.g.n256"),
        ("mma.m16n8k16.f16.q", "no operand 'q'", "d, a, b, c"),
        ("mma.m16n8k16.f16.metadata", "no layout for 'metadata'", "d, a, b, c"),
        ("wgmma.m64n8k16.f16.b", "no layout for 'b'", "d, a"),
        ("tcgen05.b.n24", "N = 24 in layout B", "multiples of 16"),
    ],
)
def test_names_that_mean_nothing(name: str, message: str, hint: str) -> None:
    with pytest.raises(LayoutError, match=message) as error:
        layout(name)
    assert error.value.hint is not None
    assert hint in error.value.hint


def test_questions_outside_of_the_matrix_or_the_operand() -> None:
    a = layout("mma.m16n8k16.bf16.a")
    for question, message, hint in (
        (lambda: a.where(16, 0), "no row 16", "rows are 0 to 15"),
        (lambda: a.where(0, -1), "no column -1", "columns are 0 to 15"),
        (lambda: a.element(32, 0), "no lane 32", "lanes are 0 to 31"),
        (lambda: a.element(0, 4), "no register 4", "registers are 0 to 3"),
        (lambda: a.element(0, 0, 2), "no slice 2", "slices are 0 to 1"),
        (lambda: a.element(0, 0, 0, 0), "a place has 3 parts", None),
    ):
        with pytest.raises(LayoutError, match=message) as error:
            question()
        assert error.value.hint is None if hint is None else hint in str(error.value.hint)


# ---- every layout that there is -----------------------------------------------------------------------------------------


def every_layout(opcode: str) -> list[Layout]:
    """One of each that differs: of wgmma not every N."""
    found: dict[tuple[object, ...], Layout] = {}
    for name in layout_names(opcode):
        if opcode == "wgmma" and not any(f"m64n{n}k" in name for n in (8, 24, 96, 256)):
            continue
        for one in layout(name):
            found.setdefault((one.operand, one.type, one.shape, one.formula, one.shift), one)
    return list(found.values())


@pytest.mark.parametrize("opcode", OPCODES)
def test_every_layout_is_a_bijection_or_says_how_often_it_repeats(opcode: str) -> None:
    for one in every_layout(opcode):
        held: dict[tuple[int, int], int] = {}
        for place, element in one:
            held[element] = held.get(element, 0) + 1
            assert place in one.owners(*element)
        rows, columns = one.shape
        assert held.keys() == set(product(range(rows), range(columns))), one
        assert set(held.values()) == {one.copies}, one


_NAMES = {"e": "metadata", "meta": "metadata"}


@pytest.mark.parametrize("opcode", OPCODES)
def test_registers_are_as_many_and_as_wide_as_the_table_has_them(opcode: str) -> None:
    compared = 0
    for name in layout_names(opcode):
        of = layout(name)
        for operand in resolve(name)[0].operands:
            called = _NAMES.get(operand.spec.name, operand.spec.name)
            if opcode == "wmma" and called == "d" and ".load." in name:
                called = name.split(".")[2]
            if opcode == "wmma" and called == "r":
                called = "d"
            if operand.spec.kind == "vector" and called in of and not called.startswith("scale"):
                assert operand.type is not None
                assert (of[called].registers, of[called].register_bits) == (operand.lanes, operand.type.bits), (
                    name,
                    called,
                )
                compared += 1
    assert compared >= len(layout_names(opcode)) or opcode == "movmatrix"


@given(st.data())
def test_packing_and_unpacking(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([n for o in ("mma", "wmma", "ldmatrix", "movmatrix") for n in layout_names(o)]))
    one = data.draw(st.sampled_from(list(layout(name))))
    rows, columns = one.shape
    numbers = st.integers(0, (1 << one.bits) - 1)
    matrix = [[data.draw(numbers) if (r + c) % 7 == 0 else 0 for c in range(columns)] for r in range(rows)]
    packed = one.pack(matrix, raw=True)
    assert (len(packed), len(packed[0])) == (one.lanes, one.registers)
    assert one.unpack(packed, raw=True) == matrix


def test_packing_says_what_it_cannot_pack() -> None:
    a = layout("mma.m16n8k16.bf16.a")
    with pytest.raises(LayoutError, match=r"is 16x16, not 16x8"):
        a.pack([[0] * 8] * 16)
    with pytest.raises(LayoutError, match=r"128 is not a \.s8"):
        layout("mma.m16n8k32.s8.a").pack([[128] * 32] * 16)
    with pytest.raises(LayoutError, match="has no registers"):
        layout("tcgen05.d.n64.d").pack([[0] * 64] * 128)


def test_copies_that_differ_are_an_error() -> None:
    a = layout("wmma.load.a.m16n16k16.f16.a")
    packed = a.pack([[r * 16 + c for c in range(16)] for r in range(16)])
    packed[0][4] ^= 1
    with pytest.raises(LayoutError, match="copies of row 0, column 0 differ"):
        a.unpack(packed)


# ---- the manual's formulas, as it writes them (9.7.14.5.2 to .13): i is the element's number in the lane ----------------------

A: dict[str, tuple[Callable[[int, int, int], int], Callable[[int, int, int], int]]] = {
    "m8n8k4.f64": (lambda g, t, i: g, lambda g, t, i: t),
    "m8n8k16.s8": (lambda g, t, i: g, lambda g, t, i: t * 4 + i),
    "m8n8k32.s4": (lambda g, t, i: g, lambda g, t, i: t * 8 + i),
    "m8n8k128.b1": (lambda g, t, i: g, lambda g, t, i: t * 32 + i),
    "m16n8k4.tf32": (lambda g, t, i: g if i == 0 else g + 8, lambda g, t, i: t),
    "m16n8k4.f64": (lambda g, t, i: g if i == 0 else g + 8, lambda g, t, i: t),
    "m16n8k8.bf16": (lambda g, t, i: g if i < 2 else g + 8, lambda g, t, i: t * 2 + (i & 1)),
    "m16n8k8.tf32": (lambda g, t, i: g if i in (0, 2) else g + 8, lambda g, t, i: t if i < 2 else t + 4),
    "m16n8k8.f64": (lambda g, t, i: g if i in (0, 2) else g + 8, lambda g, t, i: t if i < 2 else t + 4),
    "m16n8k16.f16": (
        lambda g, t, i: g if 0 <= i < 2 or 4 <= i < 6 else g + 8,
        lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 4 else 0),
    ),
    "m16n8k16.f64": (
        lambda g, t, i: g if i % 2 == 0 else g + 8,
        lambda g, t, i: i * 2 + t if i % 2 == 0 else i * 2 - 2 + t,
    ),
    "m16n8k16.e4m3": (lambda g, t, i: g if i < 4 else g + 8, lambda g, t, i: t * 4 + (i & 3)),
    "m16n8k32.u4": (lambda g, t, i: g if i < 8 else g + 8, lambda g, t, i: t * 8 + (i & 7)),
    "m16n8k32.e5m2": (
        lambda g, t, i: g if 0 <= i < 4 or 8 <= i < 12 else g + 8,
        lambda g, t, i: t * 4 + (i & 3) + (16 if i >= 8 else 0),
    ),
    "m16n8k32.e2m1": (
        lambda g, t, i: g if 0 <= i < 4 or 8 <= i < 12 else g + 8,
        lambda g, t, i: t * 4 + (i & 3) + (16 if i >= 8 else 0),
    ),
    "m16n8k64.mxf4": (
        lambda g, t, i: g if 0 <= i < 8 or 16 <= i < 24 else g + 8,
        lambda g, t, i: t * 8 + (i & 7) + (32 if i >= 16 else 0),
    ),
    "m16n8k128.b1": (lambda g, t, i: g if i < 32 else g + 8, lambda g, t, i: t * 32 + (i & 31)),
    "m16n8k256.b1": (
        lambda g, t, i: g if 0 <= i < 32 or 64 <= i < 96 else g + 8,
        lambda g, t, i: t * 32 + (i & 31) + (128 if i >= 64 else 0),
    ),
}
B: dict[str, Callable[[int, int], int]] = {  # the row; the column is the group
    "m8n8k4.f64": lambda t, i: t,
    "m8n8k16.s8": lambda t, i: t * 4 + i,
    "m8n8k128.b1": lambda t, i: t * 32 + i,
    "m16n8k8.bf16": lambda t, i: t * 2 + i,
    "m16n8k8.tf32": lambda t, i: t + 4 * i,
    "m16n8k16.f16": lambda t, i: t * 2 + (i & 1) + (8 if i >= 2 else 0),
    "m16n8k16.f64": lambda t, i: t + i * 4,
    "m16n8k32.s8": lambda t, i: t * 4 + (i & 3) + (16 if i >= 4 else 0),
    "m16n8k64.s4": lambda t, i: t * 8 + (i & 7) + (32 if i >= 8 else 0),
    "m16n8k256.b1": lambda t, i: t * 32 + (i & 31) + (128 if i >= 32 else 0),
}


@pytest.mark.parametrize("name", A)
def test_multiplicand_a_by_the_manual(name: str) -> None:
    a = layout(f"mma.{name}.a")
    row, column = A[name]
    for lane, i in product(LANES, range(a.registers * a.slices)):
        expected = row(lane >> 2, lane % 4, i), column(lane >> 2, lane % 4, i)
        assert a.element(lane, *divmod(i, a.slices)) == expected


@pytest.mark.parametrize("name", B)
def test_multiplicand_b_by_the_manual(name: str) -> None:
    b = layout(f"mma.{name}.b")
    for lane, i in product(LANES, range(b.registers * b.slices)):
        assert b.element(lane, *divmod(i, b.slices)) == (B[name](lane % 4, i), lane >> 2)


@pytest.mark.parametrize("name", ["m16n8k16.f16.f16.f16.f16", "m16n8k32.s8", "m16n8k8.f64", "m16n8k256.b1"])
def test_accumulators_by_the_manual(name: str) -> None:
    d = layout(f"mma.{name}.d")
    for lane, i in product(LANES, range(4)):
        expected = (lane >> 2) + (8 if i >= 2 else 0), lane % 4 * 2 + (i & 1)
        assert d.element(lane, *divmod(i, d.slices)) == expected


def test_the_four_products_of_m8n8k4_by_the_manual() -> None:
    """9.7.14.5.1; product number (lane % 16) // 4 is stacked below the one before it."""
    half = layout("mma.m8n8k4.row.col.f32.f16.f16.f32")
    col = layout("mma.m8n8k4.col.row.f16.f16.f16.f16")
    for lane in LANES:
        number, upper = lane % 16 // 4, lane >= 16
        for i in range(4):
            assert half.a.element(lane, *divmod(i, 2)) == (8 * number + lane % 4 + 4 * upper, i)
            assert col.a.element(lane, *divmod(i, 2)) == (8 * number + i % 4 + 4 * upper, lane % 4)
            assert half.b.element(lane, *divmod(i, 2)) == (i, 8 * number + lane % 4 + 4 * upper)
            assert col.b.element(lane, *divmod(i, 2)) == (lane % 4, 8 * number + i + 4 * upper)
        for i in range(8):
            row = (lane & 1) + (i & 2) + 4 * upper
            assert half.d.element(lane, i) == (8 * number + row, (i & 4) + (lane & 2) + (i & 1))
            assert col.d.element(lane, *divmod(i, 2)) == (8 * number + lane % 4 + 4 * upper, i)


def test_wgmma_s_accumulator_goes_on_every_eight_columns() -> None:
    """9.7.15.5.1.1, figure 149: warp w of the warpgroup has rows 16w to 16w + 15."""
    d = layout("wgmma.m64n24k16.f16.d")
    for lane, i in product(range(128), range(12)):
        row = lane // 32 * 16 + lane % 32 // 4 + (8 if i % 4 >= 2 else 0)
        assert d.element(lane, i) == (row, i // 4 * 8 + lane % 4 * 2 + i % 2)


# ---- sparsity and scale factors -------------------------------------------------------------------------------------------


def test_the_selector_says_which_lanes_hold_metadata() -> None:
    def holding(name: str, selector: int) -> set[int]:
        return {place.lane % 4 for place, _ in layout(f"{name}.metadata", selector=selector)}

    assert [holding("mma.sp.m16n8k16.f16", f) for f in range(4)] == [{0}, {1}, {2}, {3}]
    assert [holding("mma.sp.m16n8k32.f16", f) for f in range(2)] == [{0, 1}, {2, 3}]
    assert holding("mma.sp.m16n8k64.s8", 0) == {0, 1, 2, 3}
    with pytest.raises(LayoutError, match="sparsity selector 2"):
        layout("mma.sp.m16n8k32.s8", selector=2)


def test_scale_factors_and_their_selectors() -> None:
    """9.7.14.3: two lanes of four hold A's factors, one B's; bytes as the selector says."""
    one = layout("mma.m16n8k32.mxf8f6f4", byte_a=2, thread_a=1, byte_b=3, thread_b=2)
    assert one.scale_a.where(9, 0) == RegisterPlace(lane=7, register=0, slice=2)
    assert one.scale_a.element(7, 0, 2) == (9, 0)
    assert one.scale_a.element(5, 0, 2) is None
    assert one.scale_b.where(0, 5) == RegisterPlace(lane=22, register=0, slice=3)
    four = layout("mma.m16n8k64.mxf4nvf4.scale_vec::4X")
    assert four.scale_a.where(8, 3) == RegisterPlace(lane=1, register=0, slice=3)
    with pytest.raises(LayoutError, match="byte selector 1 with scale_vec::2X"):
        layout("mma.m16n8k64.mxf4", byte_a=1)
    with pytest.raises(LayoutError, match="thread_a is 2"):
        layout("mma.m16n8k64.mxf4", thread_a=2)


def test_e2m1_in_a_byte_stands_in_its_middle() -> None:
    """9.7.14.5.14: kind::f8f6f4 has a byte an element, kind::mxf4 packs two."""
    assert layout("mma.m16n8k32.e2m1.a").pack([[1.5] * 32] * 16)[0][0] == 0x0C0C0C0C
    assert layout("mma.m16n8k64.mxf4.a").pack([[1.5] * 64] * 16)[0][0] == 0x33333333
    assert layout("mma.m16n8k32.e3m2.a").pack([[1.5] * 32] * 16)[0][0] == 0x0E0E0E0E


# ---- tensor memory ----------------------------------------------------------------------------------------------------------


def test_tensor_memory_moves() -> None:
    """9.7.16.2.3.1, figures 183 to 187."""
    assert layout("tcgen05.ld.32x32b.x4.d").where(17, 3) == RegisterPlace(17, 3)
    assert layout("tcgen05.ld.16x64b.x2.d").where(9, 3) == RegisterPlace(7, 1)
    assert layout("tcgen05.ld.16x128b.x2.d").where(9, 6) == RegisterPlace(6, 3)
    assert layout("tcgen05.ld.16x256b.x1.d").formula == layout("mma.m16n8k16.bf16.d").formula
    assert layout("tcgen05.st.16x32bx2.x4.r").where(3, 6) == RegisterPlace(19, 2)
    assert layout("tcgen05.ld.32x32b.x4.pack::16b.d").where(17, 3) == RegisterPlace(17, 1, 1)


@pytest.mark.parametrize(
    "name, element, place",
    [
        ("a.n256", (200, 5), TensorMemoryPlace(1, 72, 5)),
        ("b.n64", (70, 40), TensorMemoryPlace(1, 70, 8)),
        ("c.n64", (70, 40), TensorMemoryPlace(1, 6, 40)),
        ("c.n64.upper", (20, 40), TensorMemoryPlace(0, 52, 40)),
        ("d.n64", (70, 40), TensorMemoryPlace(0, 70, 40)),
        ("e.n64", (20, 40), TensorMemoryPlace(0, 84, 8)),
        ("f.n64", (20, 40), TensorMemoryPlace(0, 36, 40)),
        ("g.n64", (20, 40), TensorMemoryPlace(0, 84, 8)),
    ],
)
def test_data_paths(name: str, element: tuple[int, int], place: TensorMemoryPlace) -> None:
    d = layout(f"tcgen05.{name}.d")
    assert d.where(*element) == place
    assert d.element(*place) == element


def test_scale_factors_lie_in_every_quarter_of_the_lanes() -> None:
    scale = layout("tcgen05.d.n128.scale_a")
    assert [place.lane for place in scale.owners(40, 2)] == [8, 40, 72, 104]
    assert scale.where(40, 2) == TensorMemoryPlace(0, 8, 1, 2)
