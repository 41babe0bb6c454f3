"""The fundamental, alternate and packed types of PTX (manual 5.2) and which register may hold which operand (9.4)."""

from __future__ import annotations

__all__ = ["TYPES", "ScalarType", "accepts"]


class ScalarType:
    """A PTX type. `kind`: u, s, f, b (untyped bits), p (predicate), o (opaque handle).

    `bits` is the size of one operand; a packed type such as f16x2 counts all its elements.
    `fundamental` types may be declared as registers and variables; the others occur only as instruction modifiers.
    """

    __slots__ = (
        "bits", "bytes", "element", "fundamental", "is_float", "is_integer", "is_signed", "kind", "lanes", "name",
    )  # fmt: skip

    def __init__(
        self, name: str, kind: str, bits: int, *, lanes: int = 1, element: str = "", fundamental: bool = False
    ):
        self.name: str = name
        self.kind: str = kind
        self.bits: int = bits
        self.lanes: int = lanes
        self.element: str = element or name
        self.fundamental: bool = fundamental
        self.bytes: int = max(1, bits // 8)
        """Size in memory; sub-byte elements and predicates round up to one byte."""
        self.is_float: bool = kind == "f"
        self.is_signed: bool = kind == "s"
        self.is_integer: bool = kind in ("u", "s")

    def __repr__(self) -> str:
        return f".{self.name}"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (TYPES.__getitem__, (self.name,))


def _build() -> dict[str, ScalarType]:
    rows: list[ScalarType] = [ScalarType("pred", "p", 1, fundamental=True)]
    for kind, sizes in (
        ("u", (8, 16, 32, 64)),
        ("s", (8, 16, 32, 64)),
        ("b", (8, 16, 32, 64, 128)),
        ("f", (16, 32, 64)),
    ):
        rows += [ScalarType(f"{kind}{bits}", kind, bits, fundamental=True) for bits in sizes]
    rows.append(ScalarType("f16x2", "f", 32, lanes=2, element="f16", fundamental=True))
    # Alternate formats live in .b registers (5.2.3): the type is only how an instruction reads them.
    alternates = {"bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "ue8m0": 8, "ue4m3": 8, "e2m3": 8, "e3m2": 8, "e2m1": 4}
    alternates |= {"ue5m3": 8, "s2f6": 8}  # PTX ISA 9.4; 9.1, a fixed-point format
    rows += [ScalarType(name, "f", bits) for name, bits in alternates.items()]
    packed = {
        "bf16x2": ("bf16", 2, 32), "e4m3x2": ("e4m3", 2, 16), "e5m2x2": ("e5m2", 2, 16), "e2m3x2": ("e2m3", 2, 16),
        "e3m2x2": ("e3m2", 2, 16), "e2m1x2": ("e2m1", 2, 8), "ue8m0x2": ("ue8m0", 2, 16), "e4m3x4": ("e4m3", 4, 32),
        "e5m2x4": ("e5m2", 4, 32), "e2m3x4": ("e2m3", 4, 32), "e3m2x4": ("e3m2", 4, 32), "e2m1x4": ("e2m1", 4, 16),
        "f32x2": ("f32", 2, 64), "ue5m3x2": ("ue5m3", 2, 16), "s2f6x2": ("s2f6", 2, 16),
    }  # fmt: skip
    rows += [ScalarType(name, "f", bits, lanes=n, element=e) for name, (e, n, bits) in packed.items()]
    rows += [ScalarType(f"{k}{32 // n}x{n}", k, 32, lanes=n, element=f"{k}{32 // n}") for n in (2, 4) for k in "us"]
    rows += [ScalarType(f"{k}{bits}", k, bits) for k in "us" for bits in (2, 4)] + [
        ScalarType(f"b{bits}", "b", bits) for bits in (1, 2, 4)
    ]
    rows += [ScalarType(name, "o", 64, fundamental=True) for name in ("texref", "samplerref", "surfref")]
    return {row.name: row for row in rows}


TYPES: dict[str, ScalarType] = _build()
"""Every type by the name that follows its dot in PTX."""


def accepts(instruction: ScalarType, register: ScalarType, *, wider: bool = False) -> bool:
    """May a register of one type be an operand of an instruction of another type?

    Manual 9.4, table "Operand Size and Type Agreement": equal sizes, and either side untyped, or both integer, or both
    float. `wider` is the relaxation for ld, st and cvt (9.4.1): the register may be wider than the instruction's type.
    """
    if instruction.kind == "p" or register.kind == "p" or "o" in (instruction.kind, register.kind):
        return instruction is register
    needed = max(instruction.bits, 16) if instruction.bits < 8 else instruction.bits
    if register.bits != needed and not (wider and register.bits > needed):
        return False
    if not instruction.fundamental:  # packed and alternate formats: untyped bits, or the same shape under its own name
        if instruction.kind in "us":
            return register.kind in "bus"
        return register.kind == "b" or (register.kind == "f" and instruction.name == "f32x2" and register.bits == 64)
    if "b" in (instruction.kind, register.kind):
        return True
    if instruction.lanes != register.lanes:
        return False
    if instruction.is_float != register.is_float:
        return False
    return not instruction.is_float or register.bits == instruction.bits
