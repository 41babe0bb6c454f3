"""Structured sparsity in registers: `spcompress` and `spdecompress` (PTX ISA 9.4, sm_107a).

The lengths of their vectors follow from several modifiers together, so each combination is a row, and the rows are computed.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["ROWS"]

_ELEMENTS = (8, 16)
_INDICES = (2, 4)
_COUNTS = (1, 2, 4, 8, 16, 32, 64)
_FACTORS = ((1, 2), (1, 4), (1, 8), (1, 16), (2, 4), (2, 8), (2, 16), (4, 8), (4, 16))


def _registers(bits: int) -> int:
    return -(-bits // 32)


def _compress() -> Iterator[str]:
    """`num` registers of chosen elements out of twice as many; an index for each, packed."""
    for element in _ELEMENTS:
        for index in _INDICES:
            for num in _COUNTS:
                metadata = -(-num * index // element)
                yield (
                    f"spcompress.b{element}.b{index}.sp::2:4.x{num}  {{q*{metadata}:b32}}, {{d*{num}:b32}}, "
                    f"{{a*{2 * num}:b32=}}, descriptor:b32^ ; lets descriptor float"
                )


def _decompress() -> Iterator[str]:
    """What is chosen of a group fits into 32 bits, an index reaches the whole group, the result fills 1 to 128 registers."""
    for element in _ELEMENTS:
        for index in _INDICES:
            for chosen, group in _FACTORS:
                for num in _COUNTS:
                    if chosen * element > 32 or group > 1 << index or not 32 <= group * element * num <= 4096:
                        continue
                    sizes = (group * element * num, chosen * index * num, chosen * element * num)
                    dense, metadata, compressed = map(_registers, sizes)
                    yield (
                        f"spdecompress.b{element}.b{index}.sp::{chosen}:{group}.x{num}  {{d*{dense}:b32}}, "
                        f"{{m*{metadata}:b32=}}, {{c*{compressed}:b32=}}"
                    )


ROWS = "\n".join(["section 9.7.9", *(f"{row} ; since 9.4 sm_107a" for row in (*_compress(), *_decompress()))])
