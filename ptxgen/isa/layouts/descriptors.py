"""The 64-bit descriptors of matrices in shared memory: wgmma's (manual 9.7.15.5.1.2.2) and tcgen05's (9.7.16.4.1).

Both hold the start address and two strides, in units of 16 bytes; they differ in the swizzle field and in fixed bits.
"""

from __future__ import annotations

from driver_ctypes.typing import NamedTuple
from ptxgen.isa.layouts.mixed_radix import LayoutError
from ptxgen.isa.layouts.swizzle import find_swizzle

__all__ = ["Tcgen05Descriptor", "WgmmaDescriptor"]

_WGMMA = {"none": 0, "128B": 1, "64B": 2, "32B": 3}
_TCGEN05 = {"none": 0, "128B_ATOM_32B": 1, "128B": 2, "64B": 4, "32B": 6}


def _encoded(what: str, value: int) -> int:
    """matrix-descriptor-encode(x) = (x & 0x3FFFF) >> 4, for an x that it keeps."""
    if value % 16 or not 0 <= value < 1 << 18:
        raise LayoutError(f"{what} is {value} bytes", hint="a multiple of 16 from 0 to 262128")
    return value >> 4


def _field(bits: int, first: int, width: int) -> int:
    return bits >> first & ((1 << width) - 1)


def _swizzle(what: str, name: str, codes: dict[str, int]) -> int:
    found = find_swizzle(name).name
    if found not in codes:
        raise LayoutError(f"{what} has no swizzle {found}", hint=f"one of {', '.join(codes)}")
    return codes[found]


def _named(what: str, code: int, codes: dict[str, int]) -> str:
    found = next((name for name, known in codes.items() if known == code), None)
    if found is None:
        raise LayoutError(f"{what}: swizzle field {code}", hint=f"one of {', '.join(map(str, codes.values()))}")
    return found


def _base(offset: int, swizzle: str) -> int:
    if not 0 <= offset < 8:
        raise LayoutError(f"a base offset of {offset}", hint="0 to 7: (pattern start address >> 7) & 7")
    if offset and find_swizzle(swizzle).name == "none":
        raise LayoutError("a base offset without a swizzle", hint="base_offset=0")
    return offset


def _unused(what: str, bits: int, used: int) -> None:
    if not 0 <= bits < 1 << 64 or bits & ~used:
        raise LayoutError(f"{bits:#x} is not a {what}: bits {bits & ~used:#x} must be 0")


class WgmmaDescriptor(NamedTuple):
    """A matrix in shared memory for wgmma.mma_async. All sizes in bytes.

    `address` in shared memory (its lower 18 bits), `leading` and `stride` are the manual's leading dimension and stride
    dimension byte offsets; `base_offset` is 0 where the swizzle's pattern starts at a multiple of its length.
    """

    address: int
    leading: int = 16
    stride: int = 0
    swizzle: str = "none"
    base_offset: int = 0

    def encode(self) -> int:
        """The 64 bits. Raises LayoutError for a field that has no encoding."""
        return (
            _encoded("the start address", self.address)
            | _encoded("the leading dimension byte offset", self.leading) << 16
            | _encoded("the stride dimension byte offset", self.stride) << 32
            | _base(self.base_offset, self.swizzle) << 49
            | _swizzle("wgmma", self.swizzle, _WGMMA) << 62
        )

    @classmethod
    def decode(cls, bits: int) -> WgmmaDescriptor:
        """The descriptor that 64 bits are. Raises LayoutError where bits are set that the manual leaves unused."""
        _unused("wgmma descriptor", bits, 0xC00E_3FFF_3FFF_3FFF)
        return cls(
            _field(bits, 0, 14) << 4,
            _field(bits, 16, 14) << 4,
            _field(bits, 32, 14) << 4,
            _named("wgmma", _field(bits, 62, 2), _WGMMA),
            _field(bits, 49, 3),
        )


class Tcgen05Descriptor(NamedTuple):
    """A matrix in shared memory for tcgen05.mma and tcgen05.cp. Fields as in WgmmaDescriptor.

    `absolute`: `leading` is the address of the second chunk, not an offset (for K of 48 bytes, on sm_103a): 128B swizzle with
    16-byte atoms, K-major, base offset 0.
    """

    address: int
    leading: int = 16
    stride: int = 0
    swizzle: str = "none"
    base_offset: int = 0
    absolute: bool = False

    def encode(self) -> int:
        """The 64 bits. Raises LayoutError for a field that has no encoding."""
        if self.absolute and (find_swizzle(self.swizzle).name != "128B" or self.base_offset):
            raise LayoutError("an absolute leading address", hint='needs swizzle="128B" and base_offset=0')
        return (
            _encoded("the start address", self.address)
            | _encoded("the leading dimension", self.leading) << 16
            | _encoded("the stride dimension byte offset", self.stride) << 32
            | 0b001 << 46  # fixed: the descriptor's version on sm_100
            | _base(self.base_offset, self.swizzle) << 49
            | int(self.absolute) << 52
            | _swizzle("tcgen05", self.swizzle, _TCGEN05) << 61
        )

    @classmethod
    def decode(cls, bits: int) -> Tcgen05Descriptor:
        """The descriptor that 64 bits are. Raises LayoutError where fixed or unused bits are wrong."""
        _unused("tcgen05 descriptor", bits, 0xE01E_7FFF_3FFF_3FFF)
        if _field(bits, 46, 3) != 0b001:
            raise LayoutError(
                f"{bits:#x} is not a tcgen05 descriptor: bits 46 to 48 are {_field(bits, 46, 3):#05b}, not 0b001"
            )
        return cls(
            _field(bits, 0, 14) << 4,
            _field(bits, 16, 14) << 4,
            _field(bits, 32, 14) << 4,
            _named("tcgen05", _field(bits, 61, 3), _TCGEN05),
            _field(bits, 49, 3),
            bool(_field(bits, 52, 1)),
        )
