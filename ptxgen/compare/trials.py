"""Both programs on the CPU device, with one input: where their results differ.

An input counts only where the old program comes to its end with it, and to the same end whatever the order in which warps run:
what is out of its bounds, or what races, tells nothing about the other program.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.compare.arguments import element, packed
from ptxgen.cpu.arena import Arena
from ptxgen.cpu.options import LaunchOptions
from ptxgen.cpu.program import LoadedProgram, compile_relocatable
from ptxgen.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.compare.arguments import Field, Input
    from ptxgen.ir import Module
    from ptxgen.isa.types import ScalarType

__all__ = ["Finding", "Trial"]

_BUDGETS = (16, 1, 7)
"""Rounds of a loop before another warp runs: other orders of the same program."""


class Finding(NamedTuple):
    """What one input tells: "same", "different" (`detail` says where), or "unusable", and why."""

    verdict: str
    detail: str = ""


class Memory(NamedTuple):
    """What a launch leaves: its buffers, the module's variables, or the fault that ended it."""

    buffers: tuple[bytes, ...]
    variables: dict[str, bytes]
    fault: str = ""


class Trial:
    """Two programs ready to run; raises UnsupportedError where the CPU device does not run one of the kernels."""

    def __init__(
        self, old: Module, new: Module, names: tuple[str, str], fields: Sequence[Field], seconds: float
    ) -> None:
        self.modules = (old, new)
        self.names = names
        self.fields = fields
        self.seconds = seconds
        self.arena = Arena()
        self.programs = [compile_relocatable(module) for module in self.modules]

    def close(self) -> None:
        """Gives the memory back."""
        self.arena.close()

    def judge(self, given: Input) -> Finding:
        """What the input tells."""
        before = self._run(0, given, _BUDGETS[0])
        if before.fault:
            return Finding("unusable", before.fault)
        after = self._run(1, given, _BUDGETS[0])
        detail = self._difference(before, after)
        if not detail:
            return Finding("same")
        for budget in _BUDGETS[1:]:
            if self._difference(before, self._run(0, given, budget)):
                return Finding("unusable", "the old program's own result depends on the order of its warps")
        return Finding("different", detail)

    def _run(self, side: int, given: Input, budget: int) -> Memory:
        arena = self.arena
        program = LoadedProgram(self.programs[side], arena)
        blocks: list[tuple[int, int]] = []
        try:
            kernel = program.kernels[self.names[side]]
            block = bytearray(kernel.parameter_bytes)
            for field, value in zip(self.fields, given.values):
                if isinstance(value, bytes):
                    place = arena.allocate(len(value))
                    blocks.append((place, len(value)))
                    arena.view(place, len(value))[:] = value
                    data = place.to_bytes(8, "little")
                else:
                    data = packed(field, value)
                block[field.offset : field.offset + len(data)] = data
            options = LaunchOptions(budget=budget, tier="base", time_limit=self.seconds, watchdog=self.seconds)
            try:
                kernel.launch(
                    (given.grid, 1, 1), given.block, bytes(block), dynamic_shared=given.shared, options=options
                )
            except (Fault, ValueError) as fault:
                return Memory((), {}, str(fault).split("\n")[0])
            return Memory(
                tuple(bytes(arena.view(place, size)) for place, size in blocks),
                {name: bytes(arena.raw(place, size)) for name, (place, size) in program.globals.items()},
            )
        finally:
            for place, _ in blocks:
                arena.free(place)
            program.close()

    def _difference(self, before: Memory, after: Memory) -> str:
        """The first element that is another one, in words; "" where there is none."""
        if after.fault:
            return f"the new program ends with a fault: {after.fault}"
        pointers = [field for field in self.fields if field.pointer]
        for field, one, other in zip(pointers, before.buffers, after.buffers):
            place = _first(field.type, one, other)
            if place >= 0:
                values = " -> ".join(element(field.type, data, place) for data in (one, other))
                return f"{field.name}[{place}]: {values}"
        for name, data in before.variables.items():
            there = after.variables.get(name, data)
            if there != data:
                byte = next((n for n, pair in enumerate(zip(data, there)) if pair[0] != pair[1]), len(data))
                return f"variable {name}, byte {byte}: {data[byte : byte + 1].hex()} -> {there[byte : byte + 1].hex()}"
        return ""


def _first(type_: ScalarType, one: bytes, other: bytes) -> int:
    """The index of the first element that differs; two NaNs do not. -1 where there is none."""
    if one == other:
        return -1
    size = type_.bytes
    for place in range(len(one) // size):
        first, second = (data[place * size : (place + 1) * size] for data in (one, other))
        if first != second and not (_is_nan(type_, first) and _is_nan(type_, second)):
            return place
    return -1


def _is_nan(type_: ScalarType, data: bytes) -> bool:
    form = {"f16": "<e", "f32": "<f", "f64": "<d"}.get(type_.name)
    return form is not None and math.isnan(struct.unpack(form, data)[0])
