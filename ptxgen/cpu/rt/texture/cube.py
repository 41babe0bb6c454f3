"""Cubes of six square faces (manual 5.3.4): which face a direction meets, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["face_of", "face_position"]


def face_of(e: Emitter, x: LlvmValue, y: LlvmValue, z: LlvmValue) -> LlvmValue:
    """The number of the face, an i32: +x, -x, +y, -y, +z, -z. The direction is in floats."""
    ax, ay, az = (e.intrinsic("llvm.fabs", v) for v in (x, y, z))
    is_z = az.fcmp("oge", ax) & az.fcmp("oge", ay)
    is_y = ay.fcmp("oge", ax)
    zero = e.const("float", 0)

    def side(first: int, value: LlvmValue) -> LlvmValue:
        return value.fcmp("olt", zero).select(e.const("i32", first + 1), first)

    return is_z.select(side(4, z), is_y.select(side(2, y), side(0, x)))


def face_position(e: Emitter, x: LlvmValue, y: LlvmValue, z: LlvmValue, *, axis: int) -> LlvmValue:
    """Where the direction meets its face, along the face's axis 0 or 1, from 0 to 1."""
    face = e.use(face_of, x, y, z)
    wide = [v.cast("fpext", "double") for v in (x, y, z)]
    numerators = ((2, -1), (2, 1), (0, 1), (0, 1), (0, 1), (0, -1)) if axis == 0 else (
        (1, -1), (1, -1), (2, 1), (2, -1), (1, -1), (1, -1))  # fmt: skip
    top, bottom = wide[0], wide[0]
    for number, (which, sign) in enumerate(numerators):
        here = face.eq(number)
        top = here.select(wide[which] if sign > 0 else -wide[which], top)
        bottom = here.select(wide[number // 2], bottom)
    half = e.double(0.5)
    found = top / e.intrinsic("llvm.fabs", bottom) * half + half
    return found.cast("fptrunc", "float").known_number()
