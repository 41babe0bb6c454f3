"""wmma fragments as sm_90a has them.

The manual leaves them unspecified (9.7.14.4.1): which element a register holds depends on the architecture. These were observed
on an H200 by loading matrices whose elements tell their numbers, and are compared again by the device tests. They are the
fragments of the mma instructions that each wmma is made of there, the same for row- and column-major memory; m8n32k16 computes
the transposed product; f16 multiplicands, which have eight registers in every shape, hold copies where fewer would do.
"""

from __future__ import annotations

from ptxgen.isa.layouts.mixed_radix import Layout
from ptxgen.isa.layouts.numbers import element_bits

__all__ = ["fragments"]

SOURCE = "observed on sm_90a"
NOTE = "the manual leaves wmma fragments unspecified (9.7.14.4.1): other architectures may differ"

#   (shape, type's bits)    registers of A               of B                     what f16 has besides, A and B
_MULTIPLICANDS = {
    ("m16n16k16", 16): ("2:8r 2:8c", "2:8r 2:8c", "2:0", "2:0"),
    ("m8n32k16", 16): ("2:8c", "2:8c 2:8r 2:16c", "4:0", ""),
    ("m32n8k16", 16): ("2:8r 2:8c 2:16r", "2:8r", "", "4:0"),
    ("m16n16k16", 8): ("2:8r", "2:8c", "", ""),
    ("m8n32k16", 8): ("", "4:8c", "", ""),
    ("m32n8k16", 8): ("4:8r", "", "", ""),
    ("m16n16k8", 32): ("2:8r 2:4c", "2:4r 2:8c", "", ""),
}  # fmt: skip

_SUMS = {"m16n16k16": "2:8r 2:8c", "m16n16k8": "2:8r 2:8c", "m8n32k16": "4:8c", "m32n8k16": "4:8r"}


def fragments(name: str, extent: tuple[int, int, int], types: list[str]) -> dict[str, Layout]:
    """The operands of a wmma.mma, or the one of a wmma.load or wmma.store, in the instruction's order."""
    words = name.split(".")
    if words[1] == "load":
        return {words[2]: _fragment(name, words[2], extent, types[0])}
    if words[1] == "store":
        return {"d": _fragment(name, "d", extent, types[0])}
    if len(types) == 2:  # f16 multiplicands are not spelled out
        types = [types[0], "f16", "f16", types[1]]
    return {operand: _fragment(name, operand, extent, type_) for operand, type_ in zip("dabc", types)}


def _fragment(name: str, operand: str, extent: tuple[int, int, int], type: str) -> Layout:
    m, n, k = extent
    shape = f"m{m}n{n}k{k}"
    bits = element_bits(type)
    if operand in "cd":
        rows, columns = m, n
        along, across = ("r", "c") if shape == "m8n32k16" else ("c", "r")  # that one is computed transposed
        lane, pair = f"4:2{along} 8:{across}", f"2:{along}"
        further = _SUMS.get(shape, "")
        register, slice_ = (further, pair) if bits == 16 else (f"{pair} {further}", "")
    else:
        rows, columns = (m, k) if operand == "a" else (k, n)
        along, across = ("c", "r") if operand == "a" else ("r", "c")
        each = max(32 // bits, 1)
        lane, slice_ = f"4:{each}{along} 8:{across}", f"{each}:{along}"
        a, b, a_again, b_again = _MULTIPLICANDS.get((shape, bits), ("", "", "", ""))
        register, again = (a, a_again) if operand == "a" else (b, b_again)
        if type == "f16":
            register = f"{register} {again}"
    axes = {"lane": lane, "register": register, "slice": slice_}
    return Layout(name, operand, type, (rows, columns), axes, bits=bits, source=SOURCE, note=NOTE)
