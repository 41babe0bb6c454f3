"""The 32-bit instruction descriptor of tcgen05.mma (manual 9.7.16.4.2, tables 42 to 44), and its shapes (table 39)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from driver_ctypes.typing import NamedTuple
from ptxgen.isa.layouts.mixed_radix import LayoutError

__all__ = ["KINDS", "InstructionDescriptor", "Kind"]

_F8F6F4 = {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5}
_SUMS = {"f16": 0, "f32": 1, "s32": 2}


class Kind(NamedTuple):
    """One `.kind` of tcgen05.mma: codes of A's and B's types, of D's, of the scale factors' (if scaled), and K when dense."""

    inputs: dict[str, int]
    sums: tuple[str, ...]
    k: int
    scales: dict[str, int] | None = None
    transpose: bool = True
    negate: bool = True


KINDS: dict[str, Kind] = {
    "tf32": Kind({"tf32": 2}, ("f32",), 8),
    "f16": Kind({"f16": 0, "bf16": 1}, ("f16", "f32"), 16),
    "f8f6f4": Kind(_F8F6F4, ("f16", "f32"), 32),
    "i8": Kind({"u8": 0, "s8": 1}, ("s32",), 32, negate=False),
    "mxf8f6f4": Kind(_F8F6F4, ("f32",), 32, {"ue8m0": 1}),
    "mxf4": Kind({"e2m1": 1}, ("f32",), 64, {"ue8m0": 1}, transpose=False),
    "mxf4nvf4": Kind({"e2m1": 1}, ("f32",), 64, {"ue4m3": 0, "ue8m0": 1}, transpose=False),
}
"""Every `.kind`, with the codes of tables 42 to 44."""


def _listed(codes: dict[str, int] | None) -> str:
    return ", ".join(codes) if codes else "none"


@dataclass(frozen=True)
class InstructionDescriptor:
    """What tcgen05.mma is to do. `kind` as in `.kind::`, `m` and `n` of the whole product (of the CTA pair with cta_group 2).

    `selector` is the sparsity selector; `transpose_a` and `transpose_b` mean MN-major; `max_shift` (0, 8, 16, 32) is for `.ws`;
    `scale_type`, `scale_a_id`, `scale_b_id` are for the block-scaled kinds; `k96` asks for K = 96 (mxf4 and mxf4nvf4, sm_103a).
    Making one checks it: LayoutError says what the kind does not have. `check_shape` checks M and N against the instruction's
    other qualifiers, which the descriptor does not hold.
    """

    kind: str
    m: int
    n: int
    a: str
    b: str = ""
    d: str = "f32"
    sparse: bool = False
    selector: int = 0
    saturate: bool = False
    negate_a: bool = False
    negate_b: bool = False
    transpose_a: bool = False
    transpose_b: bool = False
    max_shift: int = 0
    scale_type: str = ""
    scale_a_id: int = 0
    scale_b_id: int = 0
    k96: bool = False

    def __post_init__(self) -> None:
        kind = KINDS.get(self.kind)
        if kind is None:
            raise LayoutError(f"no kind {self.kind!r}", hint=f"one of {', '.join(KINDS)}")
        put = object.__setattr__
        put(self, "b", self.b or self.a)
        if self.kind == "i8" and self.d == "f32":
            put(self, "d", "s32")
        if kind.scales and not self.scale_type:
            put(self, "scale_type", "ue8m0" if self.kind != "mxf4nvf4" else "ue4m3")
        for what, given, allowed in (("A", self.a, kind.inputs), ("B", self.b, kind.inputs), ("D", self.d, kind.sums)):
            if given not in allowed:
                raise LayoutError(f"kind::{self.kind} has no {what} of {given}", hint=f"one of {', '.join(allowed)}")
        if self.kind == "f16" and self.d == "f16" and (self.a, self.b) != ("f16", "f16"):
            raise LayoutError("kind::f16 with D of f16", hint="A and B of f16 too")
        self._check_fields(kind)

    def _check_fields(self, kind: Kind) -> None:
        scaled, of = kind.scales is not None, f"with kind::{self.kind}"
        ids = range(4) if self.kind == "mxf8f6f4" or self.k96 else (0, 2)
        rows = (128, 256) if scaled else (32, 64, 128, 256)
        shifted = self.max_shift in ((0,) if scaled else (0, 8, 16, 32))
        rules = (
            (self.n % 8 == 0 and 8 <= self.n <= 256, f"N = {self.n}", "multiples of 8 up to 256"),
            (self.m in rows, f"M = {self.m}", ", ".join(map(str, rows))),
            (self.selector in range(4), f"selector {self.selector}", "0 to 3"),
            (self.sparse or not self.selector, f"selector {self.selector}", "0, or sparse=True"),
            (not self.selector or self.kind in ("f16", "tf32"), f"selector {self.selector} {of}", "0"),
            (not self.saturate or self.kind == "i8", f"saturate {of}", "kind i8 alone"),
            (kind.negate or not (self.negate_a or self.negate_b), f"negation {of}", "all kinds but i8"),
            (kind.transpose or not (self.transpose_a or self.transpose_b), f"transposition {of}", "K-major A and B"),
            (shifted, f"max_shift {self.max_shift} {of}", "0" if scaled else "0, 8, 16, 32"),
            (
                self.scale_type in (kind.scales or ("",)),
                f"scale factors of {self.scale_type} {of}",
                _listed(kind.scales),
            ),
            (scaled or not (self.scale_a_id or self.scale_b_id), f"a scale factor id {of}", "0"),
            (self.scale_a_id in ids, f"scale factor id {self.scale_a_id}", ", ".join(map(str, ids))),
            (self.scale_b_id in ids, f"scale factor id {self.scale_b_id}", ", ".join(map(str, ids))),
            (not self.k96 or (scaled and kind.k == 64 and not self.sparse), "K = 96", "dense mxf4 or mxf4nvf4"),
        )
        for holds, found, expected in rules:
            if not holds:
                raise LayoutError(f"tcgen05.mma instruction descriptor: {found}", hint=f"allowed: {expected}")

    @property
    def k(self) -> int:
        """K of one instruction: what the kind takes, twice that if A is sparse."""
        return 96 if self.k96 else KINDS[self.kind].k * (2 if self.sparse else 1)

    def check_shape(self, cta_group: int, *, ws: bool = False) -> None:
        """Does tcgen05.mma{.ws} with this `.cta_group` have this M and N (table 39)? LayoutError with what it has."""
        scaled = KINDS[self.kind].scales is not None
        if cta_group not in (1, 2) or (ws and (scaled or cta_group == 2)):
            raise LayoutError(f"tcgen05.mma{'.ws' * ws}.cta_group::{cta_group} with kind::{self.kind} does not exist")
        if ws:
            rows: tuple[int, ...] = (32, 64, 128)
            columns: list[int] = [64, 128] if self.sparse else [64, 128, 256]
        elif cta_group == 1:
            rows = (128,) if scaled else (64, 128)
            columns = [8, 16, 24, *range(32, 257, 16)] if self.kind == "i8" else list(range(8, 257, 8))
        else:
            rows = (256,) if scaled and (self.sparse or self.k96) else (128, 256)
            columns = list(range(32, 257, 32)) if self.kind == "i8" else list(range(16, 257, 16))
        if self.transpose_b and self.a in ("u8", "s8", "e4m3", "e5m2"):  # table 52
            columns = [n for n in columns if n % (16 * cta_group) == 0]
        said = f"with kind::{self.kind}, cta_group::{cta_group}{', .ws' * ws}{', sparse' * self.sparse}"
        for what, given, allowed in (("M", self.m, rows), ("N", self.n, columns)):
            if given not in allowed:
                raise LayoutError(f"{what} = {given} {said}", hint=f"one of {', '.join(map(str, allowed))}")

    def encode(self) -> int:
        """The 32 bits of the operand `idesc`."""
        kind = KINDS[self.kind]
        common = (
            int(self.sparse) << 2
            | kind.inputs[self.a] << 7
            | kind.inputs[self.b] << 10
            | int(self.negate_a) << 13
            | int(self.negate_b) << 14
            | int(self.transpose_a) << 15
            | int(self.transpose_b) << 16
            | self.n >> 3 << 17
        )
        if kind.scales is not None:
            scale = kind.scales[self.scale_type] << 23 | self.scale_b_id << 4 | self.scale_a_id << 29
            return common | scale | self.m >> 7 << 27 | int(self.k96) << 31
        shift = (0, 8, 16, 32).index(self.max_shift)
        return common | self.selector | int(self.saturate) << 3 | _SUMS[self.d] << 4 | self.m >> 4 << 24 | shift << 30

    @classmethod
    def decode(cls, bits: int, kind: str) -> InstructionDescriptor:
        """The descriptor that 32 bits are for a `.kind`, which they do not say. Raises LayoutError where they are none."""
        of = KINDS.get(kind)
        if of is None:
            raise LayoutError(f"no kind {kind!r}", hint=f"one of {', '.join(KINDS)}")

        def field(first: int, width: int = 1) -> int:
            return bits >> first & ((1 << width) - 1)

        def named(what: str, codes: dict[str, int], code: int) -> str:
            found = next((name for name, known in codes.items() if known == code), None)
            if found is None:
                raise LayoutError(f"{bits:#010x} is not an instruction descriptor of kind::{kind}: {what} is {code}")
            return found

        scaled = of.scales is not None
        made = cls(
            kind,
            field(27, 2) << 7 if scaled else field(24, 5) << 4,
            field(17, 6) << 3,
            named("atype", of.inputs, field(7, 3)),
            named("btype", of.inputs, field(10, 3)),
            "f32" if scaled else named("dtype", _SUMS, field(4, 2)),
            sparse=bool(field(2)),
            selector=0 if scaled else field(0, 2),
            saturate=bool(not scaled and field(3)),
            negate_a=bool(field(13)),
            negate_b=bool(field(14)),
            transpose_a=bool(field(15)),
            transpose_b=bool(field(16)),
            max_shift=0 if scaled else (0, 8, 16, 32)[field(30, 2)],
            scale_type=named("the scale type", of.scales, field(23)) if of.scales else "",
            scale_a_id=field(29, 2) if scaled else 0,
            scale_b_id=field(4, 2) if scaled else 0,
            k96=bool(scaled and field(31)),
        )
        if made.encode() != bits:
            raise LayoutError(
                f"{bits:#010x} is not an instruction descriptor of kind::{kind}: "
                f"reserved bits {made.encode() ^ bits:#010x} are set"
            )
        return made

    def __str__(self) -> str:
        """Only what differs from the default."""
        said = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self)[4:] if getattr(self, f.name) != f.default]
        return f"kind::{self.kind} m{self.m}n{self.n}k{self.k} a={self.a} " + " ".join(said)
