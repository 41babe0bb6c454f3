"""How the lanes of a vector lie in the registers of memory accesses: which accesses there are, and how many lanes a register."""

from __future__ import annotations

from functools import cache

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values.pairs import join
from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Immediate, Register, Vector
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.isa.types import ScalarType

__all__ = ["Packing", "alignment_of", "check_in_memory", "fill_registers", "joined_words", "packing", "split_words"]

_BYTES, _WIDE_BYTES = 16, 32
"""Widest access that every target has, and the one to global memory from sm_100 on (ld.v8.b32, ld.v4.b64; manual 9.7.9.8)."""

_WIDE = 100


class Packing(NamedTuple):
    """The accesses that move a vector, one after the other in memory."""

    accesses: int
    each: int  # registers of an access
    ratio: int  # lanes in a register: 1, 2 or 4
    bytes: int  # of an access
    suffix: str  # how ld and st name a register's type
    storage: ScalarType  # the register's type


@cache
def packing(element: type[vec], space: str, sm: int) -> Packing:
    """How a vector travels: by as few accesses as the space and the target have, in as few registers as an access may name."""
    scalar, lanes = element.element, element.lanes
    size = lanes * scalar.isa.bytes
    wide = space == "global" and sm >= _WIDE and size >= _WIDE_BYTES
    bytes = min(size, _WIDE_BYTES if wide else _BYTES)
    within = bytes // scalar.isa.bytes
    most = 8 if wide and scalar.isa.bits <= 32 else 4
    ratio = max(1, within // most)
    name = scalar.memory if ratio == 1 else f"b{ratio * scalar.isa.bits}"
    storage = scalar.storage if ratio == 1 else TYPES[name]
    return Packing(size // bytes, within // ratio, ratio, bytes, name, storage)


def alignment_of(stride: int, space: str) -> int:
    """Bytes that a vector of `stride` bytes is aligned to: its size, at most that of the widest access any target has."""
    return min(stride, _WIDE_BYTES if space == "global" else _BYTES)


def check_in_memory(element: type[vec]) -> None:
    """BuildError for a vector that no aligned accesses move: one whose lanes are not a power of two."""
    if element.lanes & (element.lanes - 1):
        raise build_error(
            "PTX221",
            f"{element.__name__} in memory",
            expected="2, 4, 8 or 16 lanes, so that each vector of an array is aligned",
            hint=f"lanes one by one, or a wider one and its first lanes: v[:{element.lanes}]",
        )


def fill_registers(k: FunctionBuilder, element: Any, registers: tuple[Register, ...], value: Any) -> None:
    """Let the registers of a load of an element hold an operand in every lane."""
    ratio = element.lanes // len(registers) if issubclass(element, vec) else 1
    if ratio > 1 and value != Immediate(0):
        if isinstance(value, Immediate):
            k.emit("mov.b16", single := k.register(TYPES["b16"]), value)
            value = single
        value = join(k, element.element, value, value)
        if ratio == 4:
            (value,) = joined_words(k, (value, value))
    for register in registers:
        k.emit(f"mov.{register.type.name}", register, value)


def joined_words(k: FunctionBuilder, halves: Sequence[Any]) -> tuple[Register, ...]:
    """Registers of 16 bits as half as many of 32."""
    words = tuple(k.register(TYPES["b32"]) for _ in halves[::2])
    for word, low, high in zip(words, halves[::2], halves[1::2]):
        k.emit("mov.b32", word, Vector((low, high)))
    return words


def split_words(k: FunctionBuilder, words: Sequence[Register]) -> tuple[Register, ...]:
    """Registers of 32 bits as twice as many of 16."""
    halves = tuple(k.register(TYPES["b16"]) for _ in range(2 * len(words)))
    for word, low, high in zip(words, halves[::2], halves[1::2]):
        k.emit("mov.b32", Vector((low, high)), word)
    return halves
