"""mma of 8, 6 and 4 bits, with factors of scale and without, against sums in exact numbers (sm_100a, sm_120a).

Which lane and register holds what is written here from the manual's formulas (9.7.14.3, 9.7.14.5.10, .11 and .14), the sums from
arXiv 2511.10909; no such device was at hand.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from ptxgen.cpu import KernelFault
from ptxgen.errors import UnsupportedError
from tests.ptxgen.cpu.machine import load, run

#            exponent and mantissa bits, bias
FORMATS = {
    "e4m3": (4, 3, 7), "e5m2": (5, 2, 15), "e3m2": (3, 2, 3), "e2m3": (2, 3, 1), "e2m1": (2, 1, 1), "ue4m3": (4, 3, 7),
}  # fmt: skip
MATRICES = 1
QUAD = np.arange(32) % 4
GROUP = np.arange(32) // 4


class Form(NamedTuple):
    """An mma: its kind, K, the types of D, A, B, and of factors; `blocks` of these along K."""

    kind: str
    k: int
    d: str
    a: str
    b: str
    factors: str = ""
    blocks: int = 0
    sparse: bool = False

    @property
    def name(self) -> str:
        words = [f"mma{'.sp::ordered_metadata' * self.sparse}.sync.aligned.m16n8k{self.k}.row.col.kind::{self.kind}"]
        words += [f"block_scale.scale_vec::{self.blocks}X"] * bool(self.blocks)
        words += [self.d, self.a, self.b, self.d, *[self.factors] * bool(self.blocks)]
        return ".".join(words)

    @property
    def bits(self) -> int:
        """That an element takes in a register."""
        return 4 if self.kind.startswith("mxf4") else 8


FORMS = [
    Form("f8f6f4", 32, "f32", "e4m3", "e5m2"),
    Form("f8f6f4", 32, "f16", "e2m3", "e2m1"),
    Form("f8f6f4", 32, "f32", "e2m1", "e3m2"),
    Form("mxf8f6f4", 32, "f32", "e4m3", "e2m1", "ue8m0", 1),
    Form("mxf8f6f4", 32, "f32", "e3m2", "e5m2", "ue8m0", 1),
    Form("mxf4", 64, "f32", "e2m1", "e2m1", "ue8m0", 2),
    Form("mxf4nvf4", 64, "f32", "e2m1", "e2m1", "ue4m3", 4),
    Form("mxf4nvf4", 64, "f32", "e2m1", "e2m1", "ue8m0", 2),
    Form("f8f6f4", 64, "f32", "e4m3", "e2m3", sparse=True),
    Form("mxf8f6f4", 64, "f32", "e5m2", "e4m3", "ue8m0", 1, sparse=True),
    Form("mxf4nvf4", 128, "f32", "e2m1", "e2m1", "ue4m3", 4, sparse=True),
]


def numbers(codes: np.ndarray, type: str) -> np.ndarray:
    """What bit patterns stand for."""
    if type == "ue8m0":
        return 2.0 ** (codes - 127.0)
    exponent, mantissa, bias = FORMATS[type]
    field, fraction = codes >> mantissa & (1 << exponent) - 1, codes & (1 << mantissa) - 1
    value = np.where(field == 0, fraction, fraction + (1 << mantissa)) * 2.0 ** (np.maximum(field, 1) - bias - mantissa)
    return np.where(codes >> exponent + mantissa & 1, -value, value)


def patterns(rng: np.random.Generator, shape: tuple[int, ...], type: str) -> np.ndarray:
    """Of any finite numbers; of factors, far enough apart that sums are cut off."""
    if type in ("ue8m0", "ue4m3"):
        return rng.integers(107, 147, shape) if type == "ue8m0" else rng.integers(1, 0x7F, shape)
    width = 1 + sum(FORMATS[type][:2])
    found = rng.integers(0, 1 << width, shape)
    finite = {"e4m3": 0x7F, "e5m2": 0x7C}.get(type)
    return np.where(found & 0x7F >= finite, found & 0x83, found) if finite else found


def exponent(x: float, least: int) -> int:
    """Of a number whose type has subnormals from there on."""
    return max(math.frexp(x)[1] - 1, least)


def least(type: str) -> int:
    return -127 if type == "ue8m0" else 1 - FORMATS[type][2]


def modelled(form: Form, x: np.ndarray, y: np.ndarray, factors: np.ndarray, c: float) -> float:
    """C plus the sum of x * y * factors: aligned to the largest exponent, cut off below it, rounded toward zero."""
    grouped = form.kind.startswith("mxf4")
    fraction, terms = (35 if grouped else 25), [(c, exponent(c, -126 if form.d == "f32" else -14))]
    if grouped:
        for n in range(0, len(x), 16):
            scale = factors[n]
            up = sum(exponent(each, least(form.factors)) for each in scale)
            terms.append((float(np.sum(x[n : n + 16] * y[n : n + 16])) * scale[0] * scale[1], up))
    else:
        for one, other, scale in zip(x, y, factors):
            up = exponent(one, least(form.a)) + exponent(other, least(form.b)) + sum(exponent(s, -127) for s in scale)
            terms.append((one * other * scale[0] * scale[1], up))
    top = max((up for value, up in terms if value), default=0)
    total = sum(math.trunc(math.ldexp(value, fraction - top)) for value, _ in terms)
    result = math.ldexp(total, top - fraction)
    if form.d == "f16":
        return float(np.float16(result))
    last = math.ldexp(1.0, max(math.frexp(result)[1] - 24, -149))
    return math.trunc(result / last) * last


def fragment(matrix: np.ndarray, lines: np.ndarray, first: np.ndarray, bits: int, shift: int) -> np.ndarray:
    """A register: of each lane the elements of a line from one on, side by side."""
    each = 32 // bits
    columns = first[:, None] + np.arange(each)
    elements = matrix[..., lines[:, None], columns].astype(np.uint64) << (np.arange(each) * bits + shift).astype(
        np.uint64
    )
    return np.bitwise_or.reduce(elements, -1).astype(np.uint32)


def operand(matrix: np.ndarray, type: str, bits: int, *, a: bool) -> list[np.ndarray]:
    """The registers of A, or of B by its columns (figures of 9.7.14.5.10 and 11)."""
    each, shift = 32 // bits, 2 if bits == 8 and type == "e2m1" else 0
    places = [(down, along) for along in range(0, matrix.shape[-1], 4 * each) for down in ((0, 8) if a else (0,))]
    return [fragment(matrix, GROUP + down, along + QUAD * each, bits, shift) for down, along in places]


def scale_register(factors: np.ndarray, byte: int, thread: int, *, a: bool) -> np.ndarray:
    """Of A, lanes 0 and 1 of four (or 2 and 3) have the rows 8 apart; of B one lane of four has a column."""
    lines, blocks = factors.shape[-2:]
    words = np.full((len(factors), 32), 0x55AA33CC, np.uint32)  # what is in other bytes does not matter
    for line in range(lines):
        lane = 4 * (line % 8) + (2 * thread + line // 8 if a else thread)
        for block in range(blocks):
            at = np.uint32(8 * (byte + block))
            words[:, lane] = words[:, lane] & ~(np.uint32(255) << at) | factors[:, line, block].astype(np.uint32) << at
    return words


def metadata_register(fields: np.ndarray) -> np.ndarray:
    """Even lanes of a pair have a row of the upper eight, odd ones the row below; with 32 bits of it, those of the first pair of
    four the first half of the fields."""
    words = np.zeros((len(fields), 32), np.uint32)
    count = fields.shape[-1]
    for lane in range(32):
        row, part = lane // 4 + 8 * (lane & 1), lane % 4 // 2
        for i in range(16):
            number = 16 * part + i
            if number < count:
                words[:, lane] |= fields[:, row, number].astype(np.uint32) << np.uint32(2 * i)
    return words


def text(form: Form, selectors: tuple[str, str, str, str]) -> str:
    """The kernel: a warp for each product; its registers come one after the other, 32 words of each."""
    size, sums = form.k * form.bits // 32, 4 if form.d == "f32" else 2
    counts = {"a": 16 * size // (32 << form.sparse), "b": 8 * size // 32, "c": sums}
    names = [f"%{operand}{i}" for operand, count in counts.items() for i in range(count)]
    names += ["%e"] * form.sparse + ["%sa", "%sb"] * bool(form.blocks)
    d = [f"%x{i}" for i in range(sums)]
    vectors = [f"{{{', '.join(n for n in names if n[1] == operand and n not in ('%e',))}}}" for operand in "abc"]
    extra = ["%e", "0"] * form.sparse
    if form.blocks:
        byte_a, thread_a, byte_b, thread_b = selectors
        extra += [
            "{%sa}",
            f"{{{byte_a}, {thread_a}}}",
            "%sb",
            f"{{{byte_b}, {thread_b}}}",
        ]  # CUTLASS has both in braces
    arguments = ", ".join([f"{{{', '.join(d)}}}", *vectors, *extra])
    loads = "\n".join(f"ld.global.b32 {name}, [%d1+{128 * i}];" for i, name in enumerate(names))
    stores = "\n".join(f"st.global.b32 [%d2+{128 * i}], {name};" for i, name in enumerate(d))
    return f"""
	.reg .b32 {", ".join([*names, *d])};
	mul.lo.u32 %r1, %ctaid.x, {128 * len(names)}; mad.lo.u32 %r1, %t, 4, %r1; cvt.u64.u32 %d1, %r1; add.u64 %d1, %d1, %in;
	mul.lo.u32 %r1, %ctaid.x, {128 * sums}; mad.lo.u32 %r1, %t, 4, %r1; cvt.u64.u32 %d2, %r1; add.u64 %d2, %d2, %out;
	mov.b16 %h1, {selectors[1].lstrip("%h") if selectors[1].startswith("%") else 1};
	{loads}
	{form.name} {arguments};
	{stores}"""


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name.partition("col.")[2] + "-sparse" * form.sparse)
def test_sums(form: Form) -> None:
    rng = np.random.default_rng(form.k + form.blocks)
    stored = form.k >> form.sparse
    a, b = (patterns(rng, (MATRICES, n, depth), type) for n, depth, type in ((16, stored, form.a), (8, form.k, form.b)))
    dtype = np.float32 if form.d == "f32" else np.float16
    c = (rng.standard_normal((MATRICES, 16, 8)) * 2.0 ** rng.integers(-4, 12, (MATRICES, 16, 8))).astype(dtype)
    each = 2 if form.bits == 4 else 1  # elements that a field of the metadata is about
    pairs = np.array([(i, j) for j in range(4) for i in range(j)])
    fields = pairs[rng.integers(0, 6, (MATRICES, 16, stored // each // 2))].reshape(MATRICES, 16, -1)
    place = np.arange(stored)
    if form.sparse:
        chunk = fields + np.arange(fields.shape[-1]) // 2 * 4
        place = np.repeat(chunk, each, -1) * each + np.arange(stored) % each
    factors = [np.full((MATRICES, n, 1), 127) for n in (16, 8)]
    if form.blocks:
        factors = [patterns(rng, (MATRICES, n, form.blocks), form.factors) for n in (16, 8)]
    scales = [numbers(f, form.factors or "ue8m0") for f in factors]
    words = [*operand(a, form.a, form.bits, a=True), *operand(b, form.b, form.bits, a=False)]
    for columns in (c[..., :8, :], c[..., 8:, :]):
        sums = [columns[:, GROUP, 2 * QUAD + i] for i in range(2)]
        halves = [s.view(np.uint16).astype(np.uint32) for s in sums] if form.d == "f16" else []
        words += [halves[0] | halves[1] << np.uint32(16)] if halves else [s.view(np.uint32) for s in sums]
    byte = 4 - form.blocks if form.blocks else 0
    words += [metadata_register(fields)] * form.sparse
    if form.blocks:
        words += [scale_register(factors[0], byte, 1, a=True), scale_register(factors[1], 0, 3, a=False)]
    data = np.stack(words, 1).astype(np.uint32).tobytes()
    selectors = (str(byte), "%h1", "0", "3")
    count = 4 if form.d == "f32" else 2
    found = run(text(form, selectors), words=MATRICES * count * 32, grid=(MATRICES, 1, 1), data=data)
    result = np.frombuffer(found.data, dtype).reshape(MATRICES, count, 32, -1)
    x, y = numbers(a, form.a), numbers(b, form.b)
    for n in range(MATRICES):
        for lane in range(32):
            for i in range(4):
                row, column = lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2
                along = np.broadcast_to(place, (MATRICES, 16, stored))[n, row]
                pairs_ = np.stack(
                    [s[n, line][along * s.shape[-1] // form.k] for s, line in zip(scales, (row, column))], -1
                )
                expected = modelled(form, x[n, row], y[n, column, along], pairs_, float(c[n, row, column]))
                got = result[n, i, lane, 0] if form.d == "f32" else result[n, i // 2, lane, i % 2]
                assert got == expected, (form.name, n, row, column, float(got), expected)


def test_a_factor_that_is_nan_makes_its_row_nan() -> None:
    form = FORMS[3]
    words = [np.zeros((1, 32), np.uint32)] * 10
    words += [scale_register(np.full((1, n, 1), 127), 3 * a, 1 if a else 3, a=a) for n, a in ((16, True), (8, False))]
    words[-2][0, 4 * 5 + 2] |= 0xFF000000  # row 5
    data = np.stack(words, 1).tobytes()
    found = np.array(run(text(form, ("3", "%h1", "0", "3")), words=128, data=data).f32).reshape(4, 32)
    expected = np.zeros((4, 32), bool)
    expected[:2, 20:24] = True
    np.testing.assert_array_equal(np.isnan(found), expected)


def test_a_selector_that_the_instruction_does_not_take_is_a_fault() -> None:
    form = FORMS[5]
    body = text(form, ("0", "%h1", "0", "3")).replace("mov.b16 %h1, 1", "mov.b16 %h1, 2")
    with pytest.raises(KernelFault, match="a selector of scale factors is 2"):
        run(body, words=128, data=bytes(128 * 12))


def test_types_that_a_kind_does_not_take_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"kind::mxf4\.block_scale"):
        load(".visible .entry test() { .reg .f32 %x<4>; .reg .b32 %r<8>;\n"
             "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e4m3.e4m3.f32.ue8m0 {%x0, %x1, %x2, %x3}, "
             "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%x0, %x1, %x2, %x3}, %r6, {0, 0}, %r7, {0, 0}; }")  # fmt: skip
