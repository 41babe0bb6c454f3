"""Register fragments as digits: mma, wgmma, ldmatrix, stmatrix, movmatrix (manual 9.7.14.5, 9.7.14.6, 9.7.15.5, 9.7.15.6).

The manual gives a formula or a figure per shape and type; they are a handful of patterns. A 32-bit register holds `e` elements
that are neighbours along K, four lanes hold neighbouring registers, eight lanes eight rows of A (columns of B), and further
registers go on 8 rows below, then 4 * e further along K.
"""

from __future__ import annotations

from ptxgen.isa.layouts.mixed_radix import Layout, LayoutError
from ptxgen.isa.layouts.numbers import element_bits

__all__ = [
    "accumulator",
    "m8n8k4_f16",
    "metadata",
    "moved",
    "multiplicand_a",
    "multiplicand_b",
    "scale_a",
    "scale_b",
    "stored",
]

FRAGMENT = ("lane", "register", "slice")


def _axes(lane: str, register: str, slice: str = "") -> dict[str, str]:
    return dict(zip(FRAGMENT, (lane, register, slice)))


def _room(type: str, *, container: bool) -> tuple[int, int]:
    """(bits an element takes in a register, bit it starts at in them).

    In kind::f8f6f4 and kind::mxf8f6f4 every element has a byte: e2m1 in its middle, 6-bit types in its lower bits (9.7.14.5.14).
    """
    bits = element_bits(type)
    return (8, 2) if container and bits == 4 else (bits, 0)


def multiplicand_a(
    name: str, type: str, rows: int, k: int, *, warps: int = 1, container: bool = False, source: str = ""
) -> Layout:
    """A of mma and, with `warps=4`, A in registers of wgmma. A sparse A is stored without its zeros: give half of K."""
    bits, shift = _room(type, container=container)
    each = max(32 // bits, 1)
    lane = f"4:{each}c 8:r" + (f" {warps}:16r" if warps > 1 else "")
    register = f"{min(rows, 16) // 8}:8r {k // (4 * each)}:{4 * each}c"
    return Layout(
        name, "a", type, (rows * warps, k), _axes(lane, register, f"{each}:c"), bits=bits, shift=shift, source=source
    )


def multiplicand_b(name: str, type: str, k: int, *, container: bool = False, source: str = "") -> Layout:
    """B of mma: K rows of 8 columns."""
    bits, shift = _room(type, container=container)
    each = max(32 // bits, 1)
    axes = _axes(f"4:{each}r 8:c", f"{k // (4 * each)}:{4 * each}r", f"{each}:r")
    return Layout(name, "b", type, (k, 8), axes, bits=bits, shift=shift, source=source)


def accumulator(
    name: str, operand: str, type: str, rows: int, columns: int, *, warps: int = 1, source: str = ""
) -> Layout:
    """C or D of mma and wgmma: two neighbours of a row, 8 rows below if there are 16, then 8 columns further."""
    bits = element_bits(type)
    down = f"{min(rows, 16) // 8}:8r {columns // 8}:8c"
    lane = "4:2c 8:r" + (f" {warps}:16r" if warps > 1 else "")
    axes = _axes(lane, down, "2:c") if bits == 16 else _axes(lane, f"2:c {down}")
    return Layout(name, operand, type, (rows * warps, columns), axes, bits=bits, source=source)


def m8n8k4_f16(name: str, layout_a: str, layout_b: str, type_d: str, type_c: str) -> tuple[Layout, ...]:
    """(d, a, b, c) of the four products that mma.m8n8k4 with f16 computes at once (9.7.14.5.1).

    Lanes 4i to 4i+3 and 16+4i to 16+4i+3 compute product i. The four matrices are stacked: product i has rows 8i to 8i+7 of A,
    C and D, and columns 8i to 8i+7 of B.
    """
    source = "9.7.14.5.1"
    note = "four products: number i has rows 8i to 8i+7 of A, C and D and columns 8i to 8i+7 of B"

    def made(operand: str, type: str, shape: tuple[int, int], axes: dict[str, str]) -> Layout:
        return Layout(name, operand, type, shape, axes, bits=element_bits(type), source=source, note=note)

    def sum_(operand: str, type: str) -> Layout:
        if type == "f16":
            return made(operand, type, (32, 8), _axes("4:r 4:8r 2:4r", "4:2c", "2:c"))
        return made(operand, type, (32, 8), _axes("2:r 2:2c 4:8r 2:4r", "2:c 2:2r 2:4c"))

    a = _axes("4:r 4:8r 2:4r", "2:2c", "2:c") if layout_a == "row" else _axes("4:c 4:8r 2:4r", "2:2r", "2:r")
    b = _axes("4:r 4:8c 2:4c", "2:2c", "2:c") if layout_b == "row" else _axes("4:c 4:8c 2:4c", "2:2r", "2:r")
    return sum_("d", type_d), made("a", "f16", (32, 4), a), made("b", "f16", (4, 32), b), sum_("c", type_c)


def metadata(
    name: str, type: str, k: int, *, warps: int = 1, selector: int = 0, container: bool = False, source: str = ""
) -> Layout:
    """The metadata of a sparse A of 16 rows a warp: its columns are the index fields of a row, in order (9.7.14.6.1).

    A field says where in its chunk a stored element (for 4-bit types: a stored pair) stands: 2 bits, two fields a chunk of
    four elements (of eight for packed 4-bit types, not in byte containers); for tf32, 4 bits and one field a chunk of two.
    `selector` is the instruction's sparsity selector: which lane of four, or which pair of lanes, provides the bits.
    """
    wide = type == "tf32"
    bits, kind = (4, "u4") if wide else (2, "u2")
    fields = k // 4 if element_bits(type) == 4 and not container else k // 2
    contributing = fields * bits * 16 // (8 * 32)  # lanes of four
    if not 0 <= selector < 4 // contributing:
        raise LayoutError(f"{name}: sparsity selector {selector}", hint=f"0 to {4 // contributing - 1}")
    chosen = f"{4 // contributing}:={selector}"
    if element_bits(type) >= 16:  # a register has 16 bits of a row and 16 of the row 8 below
        half = 16 // bits
        lane, slice_ = f"{contributing}:{half}c {chosen} 8:r", f"{half}:c 2:8r"
    else:  # a register has 32 bits of one row: even lanes of the upper 8 rows, odd ones of the lower
        lane, slice_ = f"2:8r {contributing // 2}:16c {chosen} 8:r", "16:c"
    lane += f" {warps}:16r" if warps > 1 else ""
    return Layout(name, "metadata", kind, (16 * warps, fields), _axes(lane, "1", slice_), bits=bits, source=source)


def scale_a(name: str, type: str, vector: int, *, byte: int = 0, thread: int = 0) -> Layout:
    """The scale factors of A: 16 rows, `vector` columns (manual 9.7.14.3). `byte`, `thread`: the operand's two selectors."""
    if thread not in (0, 1):
        raise LayoutError(f"{name}: thread_a is {thread}", hint="0 (lanes 0 and 1 of four) or 1 (lanes 2 and 3)")
    axes = _axes(f"2:8r 2:={thread} 8:r", "1", _scale_bytes(name, vector, byte, "c"))
    return Layout(name, "scale_a", type, (16, vector), axes, bits=8, source="9.7.14.3")


def scale_b(name: str, type: str, vector: int, *, byte: int = 0, thread: int = 0) -> Layout:
    """The scale factors of B: `vector` rows, 8 columns (manual 9.7.14.3)."""
    if thread not in (0, 1, 2, 3):
        raise LayoutError(f"{name}: thread_b is {thread}", hint="0 to 3: which lane of four")
    axes = _axes(f"4:={thread} 8:c", "1", _scale_bytes(name, vector, byte, "r"))
    return Layout(name, "scale_b", type, (vector, 8), axes, bits=8, source="9.7.14.3")


def _scale_bytes(name: str, vector: int, byte: int, way: str) -> str:
    """Which bytes of the 32 bits hold factors (manual table 37): one, a pair, or all."""
    if byte not in range(0, 4, vector):
        allowed = ", ".join(map(str, range(0, 4, vector)))
        raise LayoutError(f"{name}: byte selector {byte} with scale_vec::{vector}X", hint=f"one of {allowed}")
    return {1: f"4:={byte}", 2: f"2:{way} 2:={byte // 2}", 4: f"4:{way}"}[vector]


def stored(name: str, operand: str, shape: str, count: int, *, trans: bool, type: str) -> Layout:
    """What ldmatrix loads and stmatrix stores: rows are the rows in shared memory, whose addresses lanes 0, 1, ... give.

    The matrices of `.x2` and `.x4` are stacked: row 8 of m8n8.x2 is the first row of the second matrix. With `.trans` a lane
    holds a column of what lies in memory. `operand` "d" for ldmatrix, "r" for stmatrix.
    """
    ldmatrix, stmatrix = "9.7.14.5.15", "9.7.14.5.16"
    source = ldmatrix if operand == "d" else stmatrix
    note = ""
    if shape == "m8n8":  # figures 104 and 107
        matrix, rows = (16, (8 * count, 8)), f"{count}:8r"
        axes = _axes("4:2r 8:c", rows, "2:r") if trans else _axes("4:2c 8:r", rows, "2:c")
    elif shape == "m8n16":  # figure 106
        matrix, axes = (8, (8 * count, 16)), _axes("4:4c 8:r", f"{count}:8r", "4:c")
    elif shape == "m16n16":  # figure 105; the order within it as in CuTe's traits of SM100_U8x8_LDSM_T
        matrix, axes = (8, (16 * count, 16)), _axes("4:4r 8:c", f"2:2r {count}:16r", "2:r 2:8c")
    else:  # m16n8, figure 108: the 8 columns of the matrix lie as 8 rows of 16 bytes
        matrix, axes = (8, (8 * count, 16)), _axes("4:2r 8:c", f"{count}:8r", "2:r 2:8c")
    if shape in ("m8n16", "m16n16", "m16n8"):
        note = "from the manual's figures and CuTe's traits; sm_90 does not have it, so it was not run"
    bits, extent = matrix
    return Layout(name, operand, type, extent, axes, bits=bits, source=source, note=note)


def moved(name: str) -> tuple[Layout, Layout]:
    """(d, a) of movmatrix (9.7.14.5.17), both in terms of the matrix in `a`: where an element is after and before."""
    note = "rows and columns are those of the matrix in a"
    d = Layout(
        name, "d", "b16", (8, 8), _axes("4:2r 8:c", "1", "2:r"), bits=16, source="9.7.14.5.17, figure 110", note=note
    )
    a = Layout(
        name, "a", "b16", (8, 8), _axes("4:2c 8:r", "1", "2:c"), bits=16, source="9.7.14.5.17, figure 109", note=note
    )
    return d, a
