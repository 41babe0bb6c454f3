"""What a tensor map may be: the rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, checked one by one.

The driver answers "invalid value" to all of them; these functions say which one, and what would do. Rules and limits are those of
the CUDA driver API's page on tensor maps (13.1) and of manual 5.5. Extents are innermost first, as the driver takes them.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.isa.layouts.mixed_radix import LayoutError
from ptxgen.isa.layouts.swizzle import SWIZZLES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["INTERLEAVES", "TENSOR_TYPES", "Problem", "TensorType", "check_im2col", "check_tiled"]


class TensorType(NamedTuple):
    """A tensor map's element type: the driver's number for it, bits of an element, and whether it is a float."""

    code: int
    bits: int
    is_float: bool = False


TENSOR_TYPES: dict[str, TensorType] = {
    name: TensorType(code, bits, name[0] in "fbt" and bits >= 16)
    for code, (name, bits) in enumerate(
        (
            *(("u8", 8), ("u16", 16), ("u32", 32), ("s32", 32), ("u64", 64), ("s64", 64), ("f16", 16), ("f32", 32)),
            *(("f64", 64), ("bf16", 16), ("f32_ftz", 32), ("tf32", 32), ("tf32_ftz", 32)),
            *(("b4x16", 4), ("b4x16_p64", 4), ("b6x16_p32", 6)),
        )
    )
}
"""Element types by PTX name; the packed ones as manual 5.5.1.1 calls them (16U4_ALIGN8B, 16U4_ALIGN16B, 16U6_ALIGN16B)."""

INTERLEAVES = ("none", "16B", "32B")
"""Interleave layouts (manual 5.5.6), by the driver's numbers 0, 1, 2."""

_PADDED = {
    "b4x16_p64": ("none", "128B", "128B_ATOM_32B"),
    "b6x16_p32": ("none", "128B", "128B_ATOM_32B", "128B_ATOM_64B"),
}
"""The types that a copy pads to 16 bytes each 16 elements, with the swizzles they go with."""

_CORNERS = {3: (-(1 << 15), (1 << 15) - 1), 4: (-(1 << 7), (1 << 7) - 1), 5: (-(1 << 4), (1 << 4) - 1)}


class Problem(NamedTuple):
    """A rule that a tensor map breaks: the argument, what was found, and what it must be."""

    argument: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.argument} is {self.found}; it must be {self.expected}"


class _Checks:
    """The problems found so far, and the questions that both kinds of tensor map answer."""

    def __init__(self, type: str, shape: Sequence[int], interleave: str, swizzle: str) -> None:
        if type not in TENSOR_TYPES:
            raise LayoutError(f"no tensor map of {type!r}", hint=f"one of {', '.join(TENSOR_TYPES)}")
        if interleave not in INTERLEAVES:
            raise LayoutError(f"no interleave layout {interleave!r}", hint=f"one of {', '.join(INTERLEAVES)}")
        if swizzle not in SWIZZLES:
            raise LayoutError(f"no swizzle {swizzle!r}", hint=f"one of {', '.join(SWIZZLES)}")
        self.type, self.shape, self.interleave, self.swizzle = type, tuple(shape), interleave, swizzle
        self.found: list[Problem] = []

    def need(self, holds: bool, argument: str, found: object, expected: str) -> None:
        if not holds:
            self.found.append(Problem(argument, str(found), expected))

    def memory(self, address: int, strides: Sequence[int]) -> None:
        """The tensor in global memory: rank, address, extents and strides."""
        rank, padded = len(self.shape), self.type in _PADDED
        apart = 32 if self.interleave == "32B" or padded else 16
        why = " with interleave 32B or a padded type" if apart == 32 else ""
        self.need(address % apart == 0, "address", hex(address), f"a multiple of {apart}{why}")
        for axis, extent in enumerate(self.shape):
            self.need(1 <= extent <= 1 << 32, f"shape[{axis}]", extent, "1 to 2**32")
        if padded and self.shape:
            self.need(self.shape[0] % 128 == 0, "shape[0]", self.shape[0], f"a multiple of 128 for {self.type}")
        elif self.type == "b4x16" and self.shape:
            self.need(self.shape[0] % 2 == 0, "shape[0]", self.shape[0], "even for b4x16")
        self.need(
            len(strides) == max(rank - 1, 0),
            "strides",
            f"{len(strides)} numbers",
            f"{rank - 1}: one a dimension but the first",
        )
        for axis, stride in enumerate(strides):
            name = f"strides[{axis}]"
            self.need(stride % apart == 0, name, stride, f"a multiple of {apart}{why}")
            self.need(0 <= stride < 1 << 40, name, stride, "less than 2**40")

    def steps(self, element_strides: Sequence[int]) -> None:
        self.need(
            len(element_strides) == len(self.shape),
            "element_strides",
            f"{len(element_strides)} numbers",
            str(len(self.shape)),
        )
        for axis, step in enumerate(element_strides):
            self.need(1 <= step <= 8, f"element_strides[{axis}]", step, "1 to 8")

    def inner(self, argument: str, elements: int) -> None:
        """The innermost extent in shared memory against type, interleave and swizzle."""
        bits = 8 if self.type in _PADDED else TENSOR_TYPES[self.type].bits
        size, said = elements * bits // 8, f"{elements} ({elements * bits // 8} bytes)"
        if self.type in _PADDED:
            self.need(elements == 128, argument, elements, f"128 for {self.type}")
        self.need(elements * bits % 128 == 0, argument, said, "a multiple of 16 bytes")
        if self.interleave == "none" and self.swizzle != "none":
            span = SWIZZLES[self.swizzle].span
            self.need(size <= span, argument, said, f"at most {span} bytes with swizzle {self.swizzle}")

    def modes(self, nan_fill: bool) -> None:
        """Combinations of type, interleave, swizzle and fill."""
        type_, interleave, rank = self.type, self.interleave, len(self.shape)
        if interleave != "none":
            self.need(rank >= 3, "shape", f"of rank {rank}", f"of rank 3 to 5 with interleave {interleave}")
        if interleave == "32B":
            self.need(self.swizzle == "32B", "swizzle", self.swizzle, "32B with interleave 32B")
        if type_ == "b6x16_p32":
            self.need(interleave == "none", "interleave", interleave, "none for b6x16_p32")
        if type_ in _PADDED:
            allowed = _PADDED[type_]
            self.need(self.swizzle in allowed, "swizzle", self.swizzle, f"one of {', '.join(allowed)} for {type_}")
        if nan_fill:
            self.need(
                TENSOR_TYPES[type_].is_float,
                "nan_fill",
                "set",
                f"unset for {type_}, which is not a floating-point type",
            )


def check_tiled(
    type: str,
    address: int,
    shape: Sequence[int],
    strides: Sequence[int],
    box: Sequence[int],
    *,
    element_strides: Sequence[int] | None = None,
    interleave: str = "none",
    swizzle: str = "none",
    nan_fill: bool = False,
) -> tuple[Problem, ...]:
    """Every rule of cuTensorMapEncodeTiled that these arguments break; () if the driver takes them.

    `shape` and `box` count elements, innermost dimension first; `strides` are bytes, of all dimensions but the first. Raises
    LayoutError for a type, interleave or swizzle that does not exist.
    """
    checks = _Checks(type, shape, interleave, swizzle)
    rank = len(checks.shape)
    checks.need(1 <= rank <= 5, "shape", f"of rank {rank}", "of rank 1 to 5")
    checks.memory(address, strides)
    checks.need(len(box) == rank, "box", f"{len(box)} numbers", str(rank))
    for axis, extent in enumerate(box):
        checks.need(1 <= extent <= 256, f"box[{axis}]", extent, "1 to 256")
    if box:
        checks.inner("box[0]", box[0])
    checks.steps(element_strides if element_strides is not None else (1,) * rank)
    checks.modes(nan_fill)
    return tuple(checks.found)


def check_im2col(
    type: str,
    address: int,
    shape: Sequence[int],
    strides: Sequence[int],
    lower: Sequence[int],
    upper: Sequence[int],
    channels: int,
    pixels: int,
    *,
    element_strides: Sequence[int] | None = None,
    interleave: str = "none",
    swizzle: str = "none",
    nan_fill: bool = False,
) -> tuple[Problem, ...]:
    """The same for cuTensorMapEncodeIm2col: `shape` is C, W, (H, (D,)) N; `lower` and `upper` are the corners of the box in the
    space of W, H, D; `channels` a pixel and `pixels` a column are what one copy loads.
    """
    checks = _Checks(type, shape, interleave, swizzle)
    rank = len(checks.shape)
    checks.need(3 <= rank <= 5, "shape", f"of rank {rank}", "of rank 3 to 5 in im2col mode")
    checks.memory(address, strides)
    lowest, highest = _CORNERS.get(rank, _CORNERS[3])
    for name, corner in (("lower", lower), ("upper", upper)):
        checks.need(len(corner) == rank - 2, name, f"{len(corner)} numbers", f"{rank - 2}: one a spatial dimension")
        for axis, one in enumerate(corner):
            checks.need(lowest <= one <= highest, f"{name}[{axis}]", one, f"{lowest} to {highest} at rank {rank}")
    for axis, (low, high, extent) in enumerate(zip(lower, upper, checks.shape[1:-1])):
        checks.need(
            low < extent + high,
            f"upper[{axis}]",
            high,
            f"such that the box of {extent} - {low} + {high} pixels is not empty",
        )
    checks.need(1 <= channels <= 256, "channels", channels, "1 to 256")
    checks.need(1 <= pixels <= 1024, "pixels", pixels, "1 to 1024")
    checks.inner("channels", channels)
    checks.steps(element_strides if element_strides is not None else (1,) * rank)
    checks.modes(nan_fill)
    return tuple(checks.found)
