"""Threads, frames and variables by the numbers that the protocol gives them. They are good until the launch goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.debugger.values import text_of
from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.debugger.program import Instruction
    from ptxgen.debugger.session import Session
    from ptxgen.debugger.threads import Thread, Warp

__all__ = ["Scopes", "thread_number"]

_LISTING = 1
"""The number of the PTX text as a source, where no file has it."""

Variables = "Callable[[], list[dict[str, Any]]]"


class FrameAt(NamedTuple):
    """A frame of a thread."""

    thread: Thread
    instruction: Instruction


def thread_number(session: Session, thread: Thread) -> int:
    """Of a warp, from 1 on: the same whenever it runs."""
    launch = session.execution.frame.launch
    return int(thread.state.cta.index * launch.warps + thread.state.index + 1)


class Scopes:
    """Of one stop of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._frames: list[FrameAt] = []
        self._variables: list[Callable[[], list[dict[str, Any]]]] = []

    # -- threads and frames -------------------------------------------------------------------------------------------

    def threads(self) -> list[dict[str, Any]]:
        """A row for each warp."""
        found = []
        for warp in self._session.warps:
            thread = self._lane_of(warp)
            ctaid = ", ".join(map(str, thread.ctaid))
            found.append({"id": thread_number(self._session, thread), "name": f"CTA ({ctaid}) warp {warp.state.index}"})
        return found or [{"id": 1, "name": self._session.program.name}]

    def thread(self, number: int) -> Thread:
        """The lane of a warp that stands for it. Raises DebugError."""
        for warp in self._session.warps:
            thread = self._lane_of(warp)
            if thread_number(self._session, thread) == number:
                return thread
        raise DebugError(f"thread {number} has ended")

    def _lane_of(self, warp: Warp) -> Thread:
        """The thread in hand, in its warp; else the lowest lane of those that are first in the text."""
        own = self._session.thread
        if own is not None and own.state == warp.state and not own.exited:
            return own
        positions = warp.positions
        lanes = positions[0][1] if positions else warp.state.live or 1
        return warp.thread((lanes & -lanes).bit_length() - 1)

    def stack(self, number: int) -> list[dict[str, Any]]:
        """The frames of a thread, the innermost first."""
        if self._session.thread is None:
            return []
        thread, rows = self.thread(number), []
        for index, frame in enumerate(thread.stack):
            at = FrameAt(self._session.warp_of(thread).thread(thread.lane, index), frame.instruction)
            self._frames.append(at)
            line = at.instruction.ptx if self._in_ptx(at.instruction) else at.instruction.line[1]
            name = f"{frame.function} (lane {thread.lane})" if index == 0 else frame.function
            row = {"id": len(self._frames), "name": name, "line": line, "column": 1}
            rows.append(
                {
                    **row,
                    "source": self.source(at.instruction),
                    "instructionPointerReference": str(at.instruction.number),
                }
            )
        return rows

    def _in_ptx(self, instruction: Instruction) -> bool:
        return self._session.ptx or instruction.place is None

    def source(self, instruction: Instruction) -> dict[str, Any]:
        """The file of an instruction, or the PTX text as it was printed."""
        import os

        program = self._session.program
        file = program.ptx_file if self._in_ptx(instruction) else instruction.line[0]
        if file and os.path.exists(file):
            return {"name": os.path.basename(file), "path": os.path.abspath(file)}
        return {"name": f"{program.name}.ptx", "sourceReference": _LISTING}

    def frame(self, number: int | None) -> Thread:
        """The thread of a frame, with that frame in hand; without a number the thread in hand. Raises DebugError."""
        if number is None:
            return self._session.hand()
        if not 0 < number <= len(self._frames):
            raise DebugError(f"there is no frame {number}")
        return self._frames[number - 1].thread

    # -- variables ----------------------------------------------------------------------------------------------------

    def scopes(self, frame: int) -> list[dict[str, Any]]:
        """What a frame has to show."""
        thread = self.frame(frame)
        rows = (
            (f"Registers of lane {thread.lane}", "registers", lambda: self._registers(thread)),
            ("Registers of the warp", None, lambda: self._warp(thread)),
            ("Parameters", "arguments", lambda: self._parameters(thread)),
        )
        told = []
        for name, hint, variables in rows:
            row = {"name": name, "variablesReference": self._refer(variables), "expensive": False}
            told.append({**row, "presentationHint": hint} if hint else row)
        return told

    def variables(self, number: int) -> list[dict[str, Any]]:
        """Those behind a number. Raises DebugError."""
        if not 0 < number <= len(self._variables):
            raise DebugError(f"there are no variables {number}")
        return self._variables[number - 1]()

    def _refer(self, rows: Callable[[], list[dict[str, Any]]]) -> int:
        self._variables.append(rows)
        return len(self._variables)

    def _registers(self, thread: Thread) -> list[dict[str, Any]]:
        types = {name: thread.register(name).type for name in thread.registers()}
        return [_row(name, text_of(value, types[name]), types[name].name) for name, value in thread.registers().items()]

    def _parameters(self, thread: Thread) -> list[dict[str, Any]]:
        names = [name for name, _, _ in self._session.program.kernel.parameters]
        special = [f"%{stem}.{axis}" for stem in ("ctaid", "tid") for axis in "xyz"] + ["%laneid"]
        return [_row(name, str(thread.lookup(name))) for name in (*names, *special)]

    def _warp(self, thread: Thread) -> list[dict[str, Any]]:
        """Each register, with its lanes behind it."""
        from ptxgen.debugger.show import registers_text

        found = []
        for row in self._session.warp_of(thread).registers(thread.stack[thread.frame].calls if thread.stack else None):
            lanes = [_row(f"[{n}]", text_of(value, row.type)) for n, value in enumerate(row.values)]
            short = registers_text([row], thread.state.live)[15:].splitlines()
            text = short[0] if len(short) == 1 else f"{short[0]} ..."
            number = self._refer(lambda lanes=lanes: lanes)  # type: ignore[misc]
            found.append({**_row(row.name, text, row.type.name), "variablesReference": number, "indexedVariables": 32})
        return found


def _row(name: str, value: str, type: str = "") -> dict[str, Any]:
    return {"name": name, "value": value, "type": type, "evaluateName": name, "variablesReference": 0}
