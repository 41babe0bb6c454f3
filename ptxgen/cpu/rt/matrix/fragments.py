"""The fragments of a matrix instruction, gathered into matrices and scattered from them, as ptxgen.isa.layouts has them."""

from __future__ import annotations

import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.rt.matrix.signature import ARGUMENTS
from ptxgen.isa.layouts import layout
from ptxgen.isa.layouts.numbers import decode, element_bits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.emit import Emitter
    from ptxgen.isa.layouts import Layout

__all__ = ["Fragments"]


WARP = 32
"""Lanes; of a warpgroup's layout, those of the first warp, which holds the first rows."""


CACHE_LINE = 64


class _Places(NamedTuple):
    """A layout as sums: an element's number in its matrix, row by row, is that of its lane + register + slice."""

    lanes: list[int]  # -1: the lane holds nothing
    registers: list[int]
    slices: list[int]


class Fragments:
    """What writes the body of an instruction's function: its fragments, by the names that layouts give its operands.

    `without` are the letters of operands that lie elsewhere than in registers. `fused`: sums as fused.py makes them.
    """

    def __init__(self, e: Emitter, op: str, selector: int, without: str = "", *, fused: bool = False) -> None:
        self.e = e
        self.op = op
        self.words = op.split(".")
        self.warp, self.table, self.scalars, self.rows = (LlvmValue(e, t, f"%a{i}") for i, t in enumerate(ARGUMENTS))
        in_registers = not op.startswith("tcgen05.") or op.startswith(("tcgen05.ld.", "tcgen05.st."))
        found = layout(op, selector=selector) if in_registers else ()
        self.layouts: dict[str, Layout] = {one.operand: one for one in found}
        self.without = without
        self.fused = fused
        self._first: dict[str, int] = {}
        number = 0
        for operand, one in self.layouts.items():
            self._first[operand] = number
            number += one.registers if operand not in without else 0

    def matrix(self, element: str, count: int) -> LlvmValue:
        """Room for that many elements, on the stack. Vectors in it that begin at a multiple of their size cross no cache line."""
        return self.e.var(f"[{count} x {element}]", align=CACHE_LINE).pointer

    def gather(self, operand: str, target: LlvmValue, element: str, decode: Callable[[LlvmValue], LlvmValue]) -> None:
        """Fills a matrix with the elements of an operand: `decode` makes one of its bits, in the low bits of an integer."""
        e, one = self.e, self.layouts[operand]
        with self._words(operand) as (pointer, at):
            word = e.load(f"i{one.register_bits}", pointer)
            for i, move in enumerate(_places(one).slices):
                value = decode(_bits(word, i * one.bits + one.shift, one.bits - one.shift))
                e.store(value, e.element(element, target, at + move))

    def scatter(self, operand: str, source: LlvmValue, element: str, encode: Callable[[LlvmValue], LlvmValue]) -> None:
        """Fills the registers of an operand from a matrix: `encode` makes an element's bits of it, as an integer of any width."""
        e, one = self.e, self.layouts[operand]
        with self._words(operand) as (pointer, at):
            word = e.const(f"i{one.register_bits}", 0)
            for i, move in enumerate(_places(one).slices):
                bits = encode(e.load(element, e.element(element, source, at + move))).resize(word.type)
                word = (bits << i * one.bits) if i == 0 else word | (bits << i * one.bits)
            e.store(word, pointer)

    @contextmanager
    def _words(self, operand: str) -> Iterator[tuple[LlvmValue, LlvmValue]]:
        """Its body runs for each register and lane: (where its value lies, number of its first element)."""
        e, one = self.e, self.layouts[operand]
        places = _places(one)
        lanes, registers = (self.table_of(operand, numbers) for numbers in places[:2])
        with e.count(0, e.const("i32", one.registers)) as register:
            values, step = self.register(operand, register)
            start = e.load("i32", e.element("i32", registers, register))
            with e.count(0, e.const("i32", WARP)) as lane:
                move = e.load("i32", e.element("i32", lanes, lane))
                pointer = e.offset(values, lane.zext("i64") * step)
                if -1 in places.lanes:
                    with e.if_(move.sge(0)):
                        yield pointer, start + move
                else:
                    yield pointer, start + move

    def register(self, operand: str, number: LlvmValue) -> tuple[LlvmValue, LlvmValue]:
        """(where the value of lane 0 lies, bytes to the next lane's) of a register of the operand: 0 bytes where all are one."""
        e, size = self.e, self.layouts[operand].register_bits // 8
        entry = e.load("i32", e.element("i32", self.table, number + self._first[operand]))
        single = entry.slt(0)
        offset = single.select(~entry << 3, entry)
        return (
            e.offset(single.select(self.scalars, self.warp), offset.zext("i64")),
            single.select(e.const("i64", 0), size),
        )

    def table_of(self, name: str, numbers: list[int]) -> LlvmValue:
        """A table of constants."""
        label = f"@{name}.{self.e.fresh('n')}"
        text = ", ".join(f"i32 {n}" for n in numbers)
        self.e.module.heads.append(f"{label} = private constant [{len(numbers)} x i32] [{text}]")
        return LlvmValue(self.e, "ptr", label)

    def numbers_of(self, type: str) -> LlvmValue:
        """A table of the numbers, as doubles, that the bits of a small type stand for."""
        label, count = f"@numbers.{self.e.fresh('n')}", 1 << element_bits(type)
        bits = [struct.unpack("<Q", struct.pack("<d", decode(code, type)))[0] for code in range(count)]
        text = ", ".join(f"double 0x{number:016X}" for number in bits)
        self.e.module.heads.append(f"{label} = private constant [{count} x double] [{text}]")
        return LlvmValue(self.e, "ptr", label)


def _places(layout: Layout) -> _Places:
    columns = layout.shape[1]

    def number(*place: int) -> int:
        found = layout.element(*place)
        return -1 if found is None else found.row * columns + found.column

    lanes = [number(lane) for lane in range(WARP)]
    some = next(lane for lane, n in enumerate(lanes) if n >= 0)
    registers = [number(some, r) - lanes[some] for r in range(layout.registers)]
    slices = [number(some, 0, s) - lanes[some] for s in range(layout.slices)]
    return _Places(lanes, registers, slices)


def _bits(word: LlvmValue, start: int, count: int) -> LlvmValue:
    shifted = word >> start
    return shifted if start + count == word.bits else shifted & ((1 << count) - 1)
