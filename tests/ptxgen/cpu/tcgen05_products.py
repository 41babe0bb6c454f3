"""Products of tcgen05.mma in tests: operands of every kind, as bits where the instruction wants them and as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ptxgen.isa.layouts import InstructionDescriptor, SharedTile
from ptxgen.isa.layouts.instruction import KINDS
from ptxgen.isa.layouts.tmem import data_path, letter_of, metadata, operand_a, scale
from tests.ptxgen.cpu.tensor_memory import Array, run

if TYPE_CHECKING:
    from ptxgen.cpu import LaunchOptions
    from ptxgen.isa.layouts import Layout

#           exponent and mantissa bits, bias
FLOATS = {
    "f16": (5, 10, 15), "bf16": (8, 7, 127), "tf32": (8, 23, 127), "e4m3": (4, 3, 7), "e5m2": (5, 2, 15), "e2m3": (2, 3, 1),
    "e3m2": (3, 2, 3), "e2m1": (2, 1, 1), "ue4m3": (4, 3, 7),
}  # fmt: skip
A_AT, B_SCALES, A_SCALES, METADATA, WIDTH = 128, 160, 176, 192, 224
"""Columns of tensor memory: D is from 0 on."""


def numbers(codes: Array, type: str) -> Array:
    """What bit patterns stand for."""
    if type in ("u8", "s8"):
        return codes.astype(np.uint8 if type == "u8" else np.int8).astype(np.float64)
    if type == "ue8m0":
        return 2.0 ** (codes.astype(np.float64) - 127)
    exponent, mantissa, bias = FLOATS[type]
    field = codes >> mantissa & (1 << exponent) - 1
    fraction = (codes & (1 << mantissa) - 1) / 2.0**mantissa
    sign = 1.0 - 2.0 * (codes >> exponent + mantissa & 1)
    return sign * np.where(field == 0, fraction, 1 + fraction) * 2.0 ** (np.maximum(field, 1) - float(bias))


def codes(rng: np.random.Generator, shape: tuple[int, ...], type: str) -> Array:
    """Random patterns of numbers near 1, of any number in small formats without NaN."""
    if type in ("u8", "s8"):
        return rng.integers(0, 256, shape)
    exponent, mantissa, bias = FLOATS[type]
    near = rng.integers(max(bias - 2, 0), min(bias + 2, 1 << exponent), shape)
    kept = mantissa if type != "tf32" else 10
    fraction = rng.integers(0, 1 << kept, shape) << mantissa - kept
    return rng.integers(0, 2, shape) << exponent + mantissa | near << mantissa | fraction


def width(type: str) -> int:
    """Bits of an element."""
    return 8 if type in ("u8", "s8") else 32 if type == "tf32" else 1 + sum(FLOATS[type][:2])


@dataclass(frozen=True)
class Product:
    """One tcgen05.mma: D = A B^T + C, or without `add` A B^T."""

    kind: str
    m: int
    n: int
    a: str
    b: str = ""
    d: str = "f32"
    group: int = 1
    ws: bool = False
    sparse: bool = False
    major_a: str = "K"
    major_b: str = "K"
    swizzle: str = "128B"
    vector: int = 0
    words: str = ""
    operands: str = ""
    in_tensor_memory: bool = False
    upper: bool = False
    add: bool = True
    options: tuple[tuple[str, int], ...] = ()

    @property
    def letter(self) -> str:
        return letter_of(self.m, self.group, sparse=self.sparse, ws=self.ws)

    def descriptor(self) -> InstructionDescriptor:
        return InstructionDescriptor(
            self.kind, self.m, self.n, self.a, self.b or self.a, d=self.d, sparse=self.sparse,
            transpose_a=self.major_a == "MN", transpose_b=self.major_b == "MN", **dict(self.options),
        )  # type: ignore[arg-type]  # fmt: skip

    def tile(self, rows: int, deep: int, major: str) -> SharedTile:
        """Where `deep` elements of each row lie, in the units that the kind has in memory."""
        unit = {"f16": "f16", "tf32": "f32", "mxf4": "e2m1", "mxf4nvf4": "e2m1"}.get(self.kind, "s8")
        span = {"128B": 128, "64B": 64, "32B": 32, "none": 16}.get(self.swizzle, 128)
        bits = {"f16": 16, "f32": 32, "s8": 8, "e2m1": 4}[unit]
        return SharedTile(rows, max(span * 8 // bits, deep) if major == "K" else deep, unit, major, self.swizzle)

    @property
    def k(self) -> int:
        return KINDS[self.kind].k * (1 + self.sparse)


@cache
def _chunks(tile: SharedTile) -> Array:
    """The byte at which each 16 bytes of a line begin, (lines, chunks along it)."""
    each, k_major = 128 // tile.bits, tile.major == "K"
    lines, along = (tile.rows, tile.columns) if k_major else (tile.columns, tile.rows)
    places = [[(i, j) if k_major else (j, i) for j in range(0, along, each)] for i in range(lines)]
    return np.array([[tile.offset(*place) for place in line] for line in places])


def image(bits: Array, tile: SharedTile, size: int) -> bytes:
    """Elements of `size` bits as they lie in shared memory: those of less than a byte side by side at the start of 16 bytes."""
    each, lines = 128 // tile.bits, bits if tile.major == "K" else bits.T
    whole = np.zeros((lines.shape[0], -(-lines.shape[1] // each) * each), np.int64)
    whole[:, : lines.shape[1]] = lines
    one_by_one = (whole[..., None] >> np.arange(size) & 1).reshape(len(whole), -1, each * size).astype(np.uint8)
    padded = np.zeros((*one_by_one.shape[:2], 128), np.uint8)
    padded[..., : each * size] = one_by_one
    chunks = np.packbits(padded, axis=-1, bitorder="little")
    out = np.zeros(tile.bytes, np.uint8)
    out[_chunks(tile)[:, : chunks.shape[1], None] + np.arange(16)] = chunks
    return out.tobytes()


def _places(layout: Layout) -> tuple[Array, Array]:
    """(CTA, lane, column, slice) and (row, column) of all elements, a column each: the sums of what each part adds."""
    axes = [np.arange(layout.size(axis)) for axis in layout.axes]
    moves = []
    for parts, digits in zip(axes, layout.axes.values()):
        found, rest = np.zeros((3, len(parts)), np.int64), parts
        for size, step, way in digits:
            rest, value = np.divmod(rest, size)
            if way == "=":
                found[2] |= value != step
            elif way != "0":
                found["rc".index(way)] += value * step
        moves.append(found)
    grid = np.stack([one.reshape(-1) for one in np.meshgrid(*axes, indexing="ij")])
    row, column, missing = sum(move[:, parts] for move, parts in zip(moves, grid))
    return grid[:, missing == 0], np.stack([row, column])[:, missing == 0]


def put(memory: Array, layout: Layout, bits: Array, first: int) -> None:
    """Elements to tensor memory, (CTAs, lanes, columns), from a column on."""
    (cta, lane, column, piece), (row, at) = _places(layout)
    words = (bits[row, at].astype(np.int64) << piece * layout.bits).astype(np.uint32)
    np.bitwise_or.at(memory, (cta, lane, first + column), words)


def compressed(rng: np.random.Generator, p: Product, rows: int) -> tuple[Array, Array]:
    """(where in K the stored elements of each row stand, the index fields)."""
    stored = KINDS[p.kind].k
    if p.kind == "tf32":
        chosen = rng.integers(0, 2, (rows, stored))
        return 2 * np.arange(stored) + chosen, np.where(chosen, 0b1110, 0b0100)
    pairs = p.kind in ("mxf4", "mxf4nvf4")
    fields = stored // 2 if pairs else stored
    first = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    chosen = first[rng.integers(0, 6, (rows, fields // 2))].reshape(rows, fields)
    place = 4 * (np.arange(fields) // 2) + chosen
    return (2 * np.repeat(place, 2, 1) + np.tile((0, 1), fields) if pairs else place), chosen


def check(p: Product, *, seed: int = 0, options: LaunchOptions | None = None) -> None:
    """Runs the instruction and compares D with the sum in float64, within the bound of sums in its type."""
    rng = np.random.default_rng(seed)
    stored, type_b = KINDS[p.kind].k, p.b or p.a
    a_bits, b_bits = codes(rng, (p.m, stored), p.a), codes(rng, (p.n, p.k), type_b)
    x, y = numbers(a_bits, p.a), numbers(b_bits, type_b)
    memory = np.zeros((p.group, 128, WIDTH), np.uint32)
    places = np.tile(np.arange(stored), (p.m, 1))
    rows = p.m // p.group
    if p.sparse:
        places, fields = compressed(rng, p, p.m)
        for cta in range(p.group):
            of = metadata("metadata", p.a if p.kind not in ("f8f6f4", "mxf8f6f4") else "s8", p.k)
            put(memory[cta : cta + 1], of, fields[cta * rows : (cta + 1) * rows], METADATA)
    if p.vector:
        x, y = (
            x * _scales(p, rng, memory, "a", places),
            y * _scales(p, rng, memory, "b", np.tile(np.arange(p.k), (p.n, 1))),
        )
    whole = np.zeros((p.m, p.k))
    np.put_along_axis(whole, places, x, 1)
    integer = p.kind == "i8"
    c = rng.integers(-50, 50, (p.m, p.n))
    c_bits = (
        c
        if integer
        else c.astype(np.float16 if p.d == "f16" else np.float32).view(np.uint16 if p.d == "f16" else np.uint32)
    )
    of_d = data_path("d", p.letter, p.n, upper=p.upper)["d"]
    put(memory, of_d, c_bits.astype(np.int64) & 0xFFFFFFFF, 0)
    lane = 16 << 16 if p.upper else 0
    images, a, b = _shared(p, a_bits, b_bits, memory)
    operand = f"[%t+{A_AT + lane}]" if p.in_tensor_memory else "%d2"
    meta = f" [%t+{METADATA}]," if p.sparse else ""
    factors = f" [%t+{A_SCALES}], [%t+{B_SCALES}]," if p.vector else ""
    name = f"tcgen05.mma{'.ws' * p.ws}{'.sp' * p.sparse}.cta_group::{p.group}.kind::{p.kind}{p.words}"
    enable = "%yes" if p.add else "%no"
    instructions = f"""
	cvt.u64.u32 %d1, %space; shr.u64 %d1, %d1, 4; mov.b32 %r5, {p.descriptor().encode()};
	add.u64 %d2, %d1, {a}; add.u64 %d3, %d1, {b};
	{name} [%t+{lane}], {operand}, %d3,{meta} %r5,{factors} {enable}{p.operands};"""
    after = run(instructions, memory, images, group=p.group, **({"options": options} if options else {}))
    (cta, lanes, column, _), (row, at) = _places(of_d)
    words = after.reshape(memory.shape)[cta, lanes, column]
    found = np.zeros((p.m, p.n))
    half = words.astype(np.uint16).view(np.float16)
    found[row, at] = words.view(np.int32) if integer else half if p.d == "f16" else words.view(np.float32)
    expected = whole @ y.T + p.add * c
    if integer:
        np.testing.assert_array_equal(found, expected)
        return
    limit = np.abs(whole) @ np.abs(y).T + np.abs(c)
    limit = limit * (stored + 2) * 2.0**-24 + np.abs(expected) * (2.0**-11 if p.d == "f16" else 2.0**-23)
    assert (np.abs(found - expected) <= limit).all(), np.abs(found - expected).max()
    assert np.abs(expected).max() > 1


def _scales(p: Product, rng: np.random.Generator, memory: Array, operand: str, places: Array) -> Array:
    """The factor of each element, (rows, elements); all of them in tensor memory."""
    type = p.descriptor().scale_type
    rows = places.shape[0]
    factors = (
        rng.integers(125, 130, (rows, p.vector)) if type == "ue8m0" else rng.integers(0x30, 0x40, (rows, p.vector))
    )
    column, given = (A_SCALES, p.m // p.group) if operand == "a" else (B_SCALES, rows)
    for cta in range(p.group):
        first = cta * given if operand == "a" else 0
        mine = factors[first : first + given]
        if operand == "b" and p.letter == "B":  # a half of the columns is where the same half of D is
            of = scale(operand, operand, given // 2, p.vector)
            for half in range(2):
                lanes = np.zeros((1, 128, WIDTH), np.uint32)
                put(lanes, of, mine[half * given // 2 : (half + 1) * given // 2], column)
                memory[cta, 64 * half : 64 * half + 64] |= lanes[0, 64 * half : 64 * half + 64]
        else:
            put(memory[cta : cta + 1], scale(operand, operand, given, p.vector), mine, column)
    return np.take_along_axis(numbers(factors, type), places * p.vector // p.k, 1)


def _shared(p: Product, a_bits: Array, b_bits: Array, memory: Array) -> tuple[list[bytes], int, int]:
    """(shared memory of each CTA, descriptors of A and B for a tile at 0); A goes to tensor memory where the product has it."""
    type_b = p.b or p.a
    images = []
    tile_a, tile_b = p.tile(p.m // p.group, KINDS[p.kind].k, p.major_a), p.tile(p.n // p.group, p.k, p.major_b)
    start = 0 if p.in_tensor_memory else -(-tile_a.bytes // 1024) * 1024
    for cta in range(p.group):
        rows_a = a_bits[cta * tile_a.rows : (cta + 1) * tile_a.rows]
        rows_b = b_bits[cta * tile_b.rows : (cta + 1) * tile_b.rows]
        first = b"" if p.in_tensor_memory else image(rows_a, tile_a, width(p.a)).ljust(start, b"\0")
        images.append(first + image(rows_b, tile_b, width(type_b)))
    if p.in_tensor_memory:
        packed = a_bits << (8 - width(p.a)) // 2 if p.kind in ("f8f6f4", "mxf8f6f4") else a_bits
        in_bytes = "s8" if p.kind in ("f8f6f4", "mxf8f6f4", "i8") else p.a
        put(
            memory,
            operand_a("a", p.letter, "f32" if p.kind == "tf32" else in_bytes, a_bits.shape[1], upper=p.upper),
            packed,
            A_AT,
        )
    return images, tile_a.tcgen05(0).encode(), tile_b.tcgen05(start).encode()
