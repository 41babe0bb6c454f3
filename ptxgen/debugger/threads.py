"""A thread and a warp of a paused launch: registers, memory, call stack, by the names of the program."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.cpu.debugger.execution import Followed
from ptxgen.cpu.debugger.memory import Place, place_of
from ptxgen.cpu.normalize.activation import CALLER_FP
from ptxgen.debugger.expressions import Expression, Reference
from ptxgen.debugger.program import is_named
from ptxgen.debugger.values import Value, bits_of, find_type, value_of
from ptxgen.errors import DebugError
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.debugger.execution import Execution
    from ptxgen.cpu.debugger.state import WarpState
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.flat import Call, Reg
    from ptxgen.cpu.record_layout import LaunchRecord
    from ptxgen.debugger.program import Instruction, Program
    from ptxgen.isa.types import ScalarType

__all__ = ["Frame", "RegisterRow", "Thread", "Warp", "place_text"]


class Frame(NamedTuple):
    """A function that a thread is in: `instruction` is the next one, or the call."""

    function: str
    instruction: Instruction
    calls: tuple[Call, ...]


class RegisterRow(NamedTuple):
    """A register of a warp: a value for each of its 32 lanes, None where a lane has not written it."""

    name: str
    type: ScalarType
    values: tuple[Value | None, ...]


def place_text(ctaid: Dim3, warp: int, lane: int, tid: Dim3) -> str:
    """Where a thread is in its launch."""
    return f"CTA {_extents(ctaid)}, thread {_extents(tid)} (warp {warp}, lane {lane})"


def _extents(extents: Dim3) -> str:
    return f"({', '.join(map(str, extents))})"


class Thread:
    """A lane of a warp, and one of its frames, 0 the innermost. It reads what is there when it is asked."""

    def __init__(self, program: Program, execution: Execution, state: WarpState, lane: int, frame: int = 0) -> None:
        self._program = program
        self._execution = execution
        self.state = state
        self.lane = lane
        self.frame = frame
        self._cta = state.cta.index  # another CTA may come to its record

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return place_text(self.ctaid, self.state.index, self.lane, self.tid)

    @property
    def ctaid(self) -> Dim3:
        return self.state.cta.ctaid

    @property
    def tid(self) -> Dim3:
        return self.state.tid(self.lane)

    @property
    def exited(self) -> bool:
        return self.state.cta.index != self._cta or not self.state.live >> self.lane & 1

    @property
    def waits(self) -> bool:
        """Does it wait for other threads?"""
        return bool(self.state.waiting >> self.lane & 1)

    @property
    def launch(self) -> LaunchRecord:
        """The record of its launch."""
        return self._execution.frame.launch

    @property
    def followed(self) -> Followed:
        return Followed(self.state.address, self._cta, self.lane)

    # -- where it is --------------------------------------------------------------------------------------------------

    @property
    def instruction(self) -> Instruction | None:
        """The one that it executes next, or waits at; None where it has exited."""
        number = self._execution.next_of(self.state, self.lane) if self.state.cta.index == self._cta else None
        return None if number is None else self._program.at(number)

    @property
    def stack(self) -> list[Frame]:
        """The functions that it is in, the innermost first."""
        here = self.instruction
        record: int | None = None
        found: list[Frame] = []
        while here is not None:
            found.append(Frame(here.function, here, here.calls))
            site = here.calls[-1].site
            if site is None:
                here, record = self._caller(here, record)
                continue
            outer = here.calls[:-1]
            calls = [op.index for op in self._program.ops if op.origin is site and op.leads]
            number = next((n for n in calls if _same(self._program.ops[n].calls, outer)), None)
            here = None if number is None else self._program.at(number)
        return found

    def _caller(self, here: Instruction, record: int | None) -> tuple[Instruction | None, int | None]:
        """(the call, the record of its function) of a function that was called through the stack, whose record is there, or in
        the frame pointer; see cpu/normalize/activation.py."""
        calls = self._program.kernel.stack_calls
        if not calls or here.function == self._program.name:
            return None, None
        if record is None:
            record = self.state.bits(calls[0].pointer, self.lane)
        if record is None:
            return None, None
        (number,), (outer,) = self.read("local", record, "u32"), self.read("local", record + CALLER_FP, "u64")
        assert isinstance(number, int)
        assert isinstance(outer, int)
        return (self._program.at(calls[number].save.index), outer) if number < len(calls) else (None, None)

    @property
    def _in_hand(self) -> Instruction:
        """The instruction of the frame in hand. Raises DebugError where the thread has exited."""
        here = self.instruction
        if here is None:
            raise DebugError(f"{self} has exited")
        if not self.frame:
            return here
        stack = self.stack
        return stack[min(self.frame, len(stack) - 1)].instruction

    # -- values -------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Value | None:
        """A register, a special register or a parameter by its name; None for a register that it has not written."""
        return self.lookup(name)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, see expressions.py."""
        return Expression(expression).evaluate(self)

    def registers(self) -> dict[str, Value | None]:
        """Those of the function that it is in, by name."""
        return {reg.name: self._register(reg) for reg in self._program.registers(self._in_hand.calls)}

    def register(self, name: str) -> Reg:
        """A register of the program by its name. Raises DebugError."""
        here = self._in_hand
        found = self._program.register(name, here.calls, here.number)
        if found is None:
            registers = [reg.name for reg in self._program.registers(here.calls)]
            known = ", ".join([*registers[:8], *["..."] * (len(registers) > 8), *self._program.variables])
            raise DebugError(f"{here.function} has no register, variable or parameter {name}", hint=f"it has {known}")
        return found

    def _register(self, reg: Reg) -> Value | None:
        bits = None if self._is_covered else self.state.bits(reg, self.lane)
        return None if bits is None else value_of(bits, reg.type)

    @property
    def _is_covered(self) -> bool:
        """Has the function of the frame in hand called itself? Its registers are then those of the innermost call."""
        if not self.frame or not self._program.kernel.stack_calls:
            return False
        stack = self.stack
        frame = min(self.frame, len(stack) - 1)
        return any(each.calls is stack[frame].calls for each in stack[:frame])

    def raw(self, name: str) -> int | None:
        """The bits of a register; None where the thread has not written it."""
        return self.state.bits(self.register(name), self.lane)

    def lookup(self, name: str) -> Value | None:
        """The value of what an expression names. Raises DebugError."""
        special = self._special(name)
        if special is not None:
            return special
        here = self._in_hand
        found = self._program.register(name, here.calls, here.number)
        if found is not None:
            return self._register(found)
        kernel = self._program.kernel
        for variable in kernel.shared_variables:
            if is_named(variable.name, name):
                return variable.offset
        for local in kernel.local_variables:
            if is_named(local.name, name) and local.function == here.function:
                base = self.state.bits(local.base, self.lane) if local.base is not None else 0
                return None if base is None else base + local.offset
        for declared, (parameter, offset, size) in zip(kernel.declared_parameters, kernel.parameters):
            if parameter == name and size == declared.type.bytes:
                return self.read("param", offset, declared.type)[0]
            if parameter == name:
                return offset
        self.register(name)
        return None

    def _special(self, name: str) -> int | None:
        """A special register; None for what is none, or not one that is shown."""
        stem, _, axis = name.removeprefix("%").partition(".")
        found = _SPECIAL.get(stem) if name.startswith("%") else None
        if found is None:
            return None
        value = found(self)
        if isinstance(value, int):
            return None if axis else value
        return int(value["xyz".index(axis)]) if axis in ("x", "y", "z") else None

    # -- memory -------------------------------------------------------------------------------------------------------

    def read(self, space: str, address: int, type: ScalarType | str, count: int = 1) -> list[Value]:
        """Elements of memory: `space` is global, shared, local, param, const or generic; in shared, local and param memory the
        address counts from the beginning of the thread's own. Raises DebugError where they are not there."""
        kind = find_type(type) if isinstance(type, str) else type
        place = place_of(self._execution, space, address, kind.bytes * count, self.state, self.lane)
        data = ctypes.string_at(*place)
        step = kind.bytes
        return [value_of(int.from_bytes(data[i : i + step], "little"), kind) for i in range(0, len(data), step)]

    def place(self, reference: Reference) -> tuple[Place, ScalarType]:
        """Where a register or memory lies in this machine's memory, and what it holds."""
        if not reference.space:
            reg = self.register(reference.name)
            return Place(*self.state.register_place(reg, self.lane)), reg.type
        kind = reference.type or TYPES["b8"]
        nbytes = kind.bytes * reference.elements
        return place_of(self._execution, reference.space, reference.address, nbytes, self.state, self.lane), kind

    def write(self, target: str, value: Value) -> None:
        """Changes a register or an element of memory: `thread.write("%r1", 3)`. A run again changes it there too."""
        reference = Expression(target).reference(self)
        place, kind = self.place(reference)
        if reference.elements != 1:
            raise DebugError(f"{target}: one element is changed at a time")
        data = bits_of(value, kind).to_bytes(place.nbytes, "little")
        self._execution.write(place, data)
        if not reference.space:
            self._execution.note_written(self.state, self.register(reference.name), self.lane)


class Warp:
    """A warp: what all its lanes have."""

    def __init__(self, program: Program, execution: Execution, state: WarpState) -> None:
        self._program = program
        self._execution = execution
        self.state = state

    def __repr__(self) -> str:
        return f"<warp {self.state.index} of CTA {_extents(self.state.cta.ctaid)}>"

    @property
    def active(self) -> int:
        """Lanes that execute the next instruction, where it is this warp's turn."""
        here = self._execution.here
        return self._execution.lanes_here if here == self.state else 0

    @property
    def positions(self) -> list[tuple[Instruction, int]]:
        """(instruction, lanes that execute it next or wait at it): one where the warp is together."""
        found: dict[int, int] = {}
        for number, lanes in self.state.positions().items():
            leader = self._program.at(number).number
            found[leader] = found.get(leader, 0) | lanes
        return [(self._program.at(number), lanes) for number, lanes in found.items()]

    def thread(self, lane: int, frame: int = 0) -> Thread:
        return Thread(self._program, self._execution, self.state, lane, frame)

    def registers(self, calls: tuple[Call, ...] | None = None) -> list[RegisterRow]:
        """Those of a function, as it is called there, that some lane has written; of the innermost one of its first lane."""
        if calls is None:
            positions = self.positions
            calls = positions[0][0].calls if positions else self._program.ops[0].calls
        rows = []
        for reg in self._program.registers(calls):
            bits = [self.state.bits(reg, lane) for lane in range(32)]
            if any(each is not None for each in bits):
                values = tuple(None if each is None else value_of(each, reg.type) for each in bits)
                rows.append(RegisterRow(reg.name, reg.type, values))
        return rows


def _same(calls: tuple[Call, ...], others: tuple[Call, ...]) -> bool:
    """Are these the same functions, called from the same places?"""
    return len(calls) == len(others) and all(
        a.function == b.function and a.site is b.site for a, b in zip(calls, others)
    )


_SPECIAL: dict[str, Callable[[Thread], Any]] = {
    "tid": lambda thread: thread.tid,
    "ctaid": lambda thread: thread.ctaid,
    "ntid": lambda thread: thread.launch.block,
    "nctaid": lambda thread: thread.launch.grid,
    "laneid": lambda thread: thread.lane,
    "warpid": lambda thread: thread.state.index,
    "cluster_ctarank": lambda thread: thread.state.cta.rank,
}
"""Special registers that expressions may name: numbers, or a number for each axis."""
