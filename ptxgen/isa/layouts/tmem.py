"""Tensor memory: what tcgen05.ld and .st move, and where tcgen05.mma keeps its matrices (manual 9.7.16).

Tensor memory of a CTA is 128 lanes of 512 columns of 32 bits. The manual shows these layouts as figures; their digits agree with
CuTe's traits (copy_traits_sm100, mma_traits_sm100_frag) and with Triton's linear layouts. No device that has tensor
memory was at hand: the tests check their structure and assemble kernels that use them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.isa.layouts.mixed_radix import Layout, LayoutError
from ptxgen.isa.layouts.numbers import element_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LETTERS", "data_path", "letter_of", "metadata", "moved_by", "operand_a", "scale", "shape_of_letter"]

NOTE = "from the manual's figures, CuTe and Triton; sm_90 has no tensor memory, so it was not run"

#         lane, and the registers of .x1; further registers go on `step` columns further
_MOVES = {
    "32x32b": ("32:r", "", 1, 32),  # figure 183
    "16x64b": ("2:8r 2:c 8:r", "", 2, 16),  # figure 184
    "16x128b": ("4:c 8:r", "2:8r", 4, 16),  # figure 185
    "16x256b": ("4:2c 8:r", "2:c 2:8r", 8, 16),  # figure 186
}


def moved_by(name: str, operand: str, shape: str, count: int, *, packed: bool = False) -> Layout:
    """The registers of tcgen05.ld or .st: rows are lanes of tensor memory from the address on, columns its columns.

    With `.16x32bx2` the columns from `count` on are those at address + immHalfSplitoff. With `.pack::16b` or `.unpack::16b`
    a register holds the lower halves of two neighbouring columns.
    """
    each = 2 if packed else 1
    if shape == "16x32bx2":  # figure 187
        lane, first, rows, columns = f"16:r 2:{count * each}c", f"{count}:{each}c", 16, 2 * count * each
        register = first
    else:
        lane, register, step, rows = _MOVES[shape]
        columns = step * count * each
        if packed:
            lane, register = _doubled(lane), _doubled(register)
        register = f"{register} {count}:{step * each}c"
    return Layout(
        name,
        operand,
        "b16" if packed else "b32",
        (rows, columns),
        {"lane": lane, "register": register, "slice": f"{each}:c"},
        bits=16 if packed else 32,
        source="9.7.16.2.3.1, figures 183 to 187",
        note=NOTE,
    )


def _doubled(digits: str) -> str:
    """Columns counted in halves of registers: every step along columns is twice as far."""
    words = [word.partition(":") for word in digits.split()]
    return " ".join(
        f"{size}:{int(move[:-1] or 1) * 2}c" if move.endswith("c") else f"{size}:{move}" for size, _, move in words
    )


#          M, cta_group, the CTA's digit, the lanes' digits, by which N is divided, section
_PATHS = {
    "A": (256, 2, "2:128r", "128:r", 1, "9.7.16.10.5.1"),
    "B": (128, 2, "2:64r", "64:r 2:{half}c", 2, "9.7.16.10.5.2"),
    "C": (128, 2, "2:64r", "16:r 2:={upper} 4:16r", 1, "9.7.16.10.5.3"),
    "D": (128, 1, "1", "128:r", 1, "9.7.16.10.5.4"),
    "E": (64, 1, "1", "64:r 2:{half}c", 2, "9.7.16.10.5.5"),
    "F": (64, 1, "1", "16:r 2:={upper} 4:16r", 1, "9.7.16.10.5.6"),
    "G": (32, 1, "1", "32:r 4:{quarter}c", 4, "9.7.16.10.5.7"),
}
LETTERS = tuple(_PATHS)


def shape_of_letter(letter: str) -> tuple[int, int]:
    """(M, cta_group) of a data path layout of the manual's table in 9.7.16.10.5."""
    return _PATHS[letter][:2]


def letter_of(m: int, cta_group: int, *, sparse: bool, ws: bool) -> str:
    """Which of the manual's layouts A to G an M has (table in 9.7.16.10.5). Raises LayoutError where there is none."""
    found = {
        (256, 2): "A", (128, 2): "C" if sparse else "B", (128, 1): "D", (64, 1): "E" if ws else "F", (32, 1): "G" if ws else "",
    }.get((m, cta_group), "")  # fmt: skip
    if not found or (ws and cta_group == 2):
        raise LayoutError(
            f"tcgen05.mma{'.ws' * ws} has no M = {m} with cta_group::{cta_group}",
            hint="cta_group::1: 64 and 128 (with .ws also 32); cta_group::2: 128 and 256, without .ws",
        )
    return found


def data_path(name: str, letter: str, n: int, *, upper: bool = False) -> dict[str, Layout]:
    """The matrices of tcgen05.mma in tensor memory in one of the manual's layouts A to G: D, and what else is settled.

    Columns are relative to the operand's address. `upper`: layouts C and F use every other 16 lanes, the upper ones with
    this. D has one 32-bit column an element, f16 too (in its lower half). `a` is A of 16-bit elements and K = 16 where all
    data paths take their own rows (A, C, D, F); `scale_a` and `scale_b` are the factors of scale_vec::4X, in all four quarters
    of the lanes; their column c holds rows 32c to 32c + 31.
    """
    m, _, cta, lane, divided, section = _PATHS[letter]
    if n % (8 * divided) or not 0 < n <= 256:
        raise LayoutError(f"{name}: N = {n} in layout {letter}", hint=f"multiples of {8 * divided} up to 256")
    lane = lane.format(half=n // 2, quarter=n // 4, upper=int(upper))
    made = {"d": _matrix(name, "d", "b32", (m, n), (cta, lane, f"{n // divided}:c", ""), section)}
    if divided == 1:
        made["a"] = operand_a(name, letter, "f16", 16, upper=upper)
    if letter in "AD":
        for operand, extent in (("scale_a", m if letter == "D" else 128), ("scale_b", n)):
            if extent % 32 == 0:
                made[operand] = scale(name, operand, extent, 4)
    return made


def operand_a(name: str, letter: str, type: str, k: int, *, upper: bool = False) -> Layout:
    """A in tensor memory: its rows lie as D's, neighbours along K share a 32-bit column (9.7.16.10.4)."""
    m, _, cta, lane, divided, section = _PATHS[letter]
    if divided != 1:
        raise LayoutError(f"{name}: A in tensor memory in layout {letter} is not described by the manual")
    each = 32 // element_bits(type)
    axes = (cta, lane.format(upper=int(upper)), f"{k // each}:{each}c", f"{each}:c")
    return _matrix(name, "a", type, (m, k), axes, section)


def scale(name: str, operand: str, extent: int, vector: int, *, identifier: int = 0) -> Layout:
    """Scale factors in tensor memory (9.7.16.10.7): `extent` rows of A or columns of B, `vector` factors of each.

    `identifier` is the instruction descriptor's scale factor id: the first byte that is used, 0 to 3. The four quarters of the
    lanes hold the same.
    """
    if identifier not in range(0, 4, vector):
        raise LayoutError(f"{name}: scale factor id {identifier} with scale_vec::{vector}X")
    slice_ = {1: f"4:={identifier}", 2: f"2:c 2:={identifier // 2}", 4: "4:c"}[vector]
    axes = ("1", "32:r 4:0", f"{extent // 32}:32r", slice_)
    return _matrix(name, operand, "ue8m0", (extent, vector), axes, "9.7.16.10.7")


def metadata(name: str, type: str, k: int) -> Layout:
    """The metadata of a sparse A with M = 128, selector 0 (9.7.16.10.8): its columns are the index fields of a row."""
    wide = type == "tf32"
    bits = 4 if wide else 2
    if element_bits(type) <= 8:
        fields = k // 4 if element_bits(type) == 4 else k // 2
        axes = ("1", "128:r", f"{fields // 16}:16c", "16:c")
    else:
        half = 16 // bits
        fields = k // 2
        axes = ("1", f"8:r 2:{half}c 8:16r", "1", f"{half}:c 2:8r")
    return _matrix(name, "metadata", "u4" if wide else "u2", (128, fields), axes, "9.7.16.10.8")


def _matrix(name: str, operand: str, type: str, shape: tuple[int, int], axes: Sequence[str], source: str) -> Layout:
    digits = dict(zip(("cta", "lane", "column", "slice"), axes))
    return Layout(name, operand, type, shape, digits, bits=element_bits(type), source=source, note=NOTE)
