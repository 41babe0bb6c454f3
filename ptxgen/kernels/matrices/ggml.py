"""GGML's blocks of quantised weights by their public definition (ggml-quants.c of llama.cpp): random ones, and what they stand
for.

Everything is in numpy and by the definition's own order, so that the kernels, which take four lanes to 32 elements, are
compared with something that shares nothing with them.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["FORMATS", "Format", "random_blocks"]


class Format(NamedTuple):
    """`elements` of a block of so many `bytes`; `decode(blocks[n, bytes])` gives f32s [n, elements]."""

    name: str
    bytes: int
    elements: int
    decode: Callable[[Any], Any]
    halves: tuple[int, ...]
    """Where a block's f16 numbers are."""


def _half(blocks: Any, at: int) -> Any:
    import numpy as np

    return np.ascontiguousarray(blocks[:, at : at + 2]).view(np.float16).astype(np.float32)


def _nibbles(quants: Any) -> Any:
    """The lower ones, then the upper ones."""
    import numpy as np

    return np.concatenate([quants & 15, quants >> 4], axis=1).astype(np.float32)


def _q4_0(blocks: Any) -> Any:
    return (_nibbles(blocks[:, 2:]) - 8) * _half(blocks, 0)


def _q4_1(blocks: Any) -> Any:
    return _nibbles(blocks[:, 4:]) * _half(blocks, 0) + _half(blocks, 2)


def _q5_0(blocks: Any) -> Any:
    import numpy as np

    fifth = np.unpackbits(blocks[:, 2:6], axis=1, bitorder="little").astype(np.float32)
    return (_nibbles(blocks[:, 6:]) + 16 * fifth - 16) * _half(blocks, 0)


def _q8_0(blocks: Any) -> Any:
    import numpy as np

    return blocks[:, 2:].view(np.int8).astype(np.float32) * _half(blocks, 0)


def _scales(packed: Any) -> tuple[Any, Any]:
    """Eight scales and eight minima of 6 bits in 12 bytes."""
    import numpy as np

    first, second, third = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scales = np.concatenate([first & 63, third & 15 | (first >> 6) << 4], axis=1)
    least = np.concatenate([second & 63, third >> 4 | (second >> 6) << 4], axis=1)
    return scales.astype(np.float32), least.astype(np.float32)


def _by_64(blocks: Any, quants: Any) -> Any:
    """Eight times 32 elements: 32 bytes' lower nibbles, then their upper ones."""
    import numpy as np

    parts = quants.reshape(len(blocks), 4, 32)
    return np.stack([parts & 15, parts >> 4], axis=2).reshape(len(blocks), 8, 32).astype(np.float32)


def _q4_k(blocks: Any) -> Any:
    scales, least = _scales(blocks[:, 4:16])
    quants = _by_64(blocks, blocks[:, 16:])
    found = (_half(blocks, 0) * scales)[:, :, None] * quants - (_half(blocks, 2) * least)[:, :, None]
    return found.reshape(len(blocks), 256)


def _q5_k(blocks: Any) -> Any:
    import numpy as np

    scales, least = _scales(blocks[:, 4:16])
    fifth = np.stack([blocks[:, 16:48] >> bit & 1 for bit in range(8)], axis=1).astype(np.float32)
    quants = _by_64(blocks, blocks[:, 48:]) + 16 * fifth
    found = (_half(blocks, 0) * scales)[:, :, None] * quants - (_half(blocks, 2) * least)[:, :, None]
    return found.reshape(len(blocks), 256)


def _q6_k(blocks: Any) -> Any:
    import numpy as np

    low, high = blocks[:, :128].reshape(-1, 2, 2, 32), blocks[:, 128:192].reshape(-1, 2, 1, 32)
    nibbles = np.concatenate([low & 15, low >> 4], axis=2)
    bits = np.concatenate([high >> shift & 3 for shift in (0, 2, 4, 6)], axis=2)
    quants = (nibbles | bits << 4).astype(np.float32) - 32
    scales = blocks[:, 192:208].view(np.int8).astype(np.float32).reshape(-1, 2, 4, 2, 1)
    found = (_half(blocks, 208)[:, :, None, None, None] * scales) * quants.reshape(-1, 2, 4, 2, 16)
    return found.reshape(len(blocks), 256)


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("q4_0", 18, 32, _q4_0, (0,)),
        Format("q4_1", 20, 32, _q4_1, (0, 2)),
        Format("q5_0", 22, 32, _q5_0, (0,)),
        Format("q8_0", 34, 32, _q8_0, (0,)),
        Format("q4_k", 144, 256, _q4_k, (0, 2)),
        Format("q5_k", 176, 256, _q5_k, (0, 2)),
        Format("q6_k", 210, 256, _q6_k, (208,)),
    )
}


def random_blocks(rng: np.random.Generator, format: Format, count: int) -> Any:
    """Random bytes, with scales from -0.02 to 0.02: u8[count, bytes]."""
    import numpy as np

    blocks = rng.integers(0, 256, (count, format.bytes), dtype=np.uint8)
    for at in format.halves:
        blocks[:, at : at + 2] = rng.uniform(-0.02, 0.02, (count, 1)).astype(np.float16).view(np.uint8)
    return blocks
