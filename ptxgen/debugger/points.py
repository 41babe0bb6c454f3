"""Breakpoints and watchpoints, and what a stop tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.debugger.expressions import Expression
from ptxgen.debugger.values import text_of, value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.debugger.memory import Place
    from ptxgen.cpu.fault import KernelFault
    from ptxgen.debugger.program import Instruction
    from ptxgen.debugger.threads import Thread
    from ptxgen.debugger.values import Value
    from ptxgen.isa.types import ScalarType

__all__ = ["Breakpoint", "Change", "Stop", "Watchpoint"]


_WHY = {
    "start": "before the launch's first instruction",
    "exited": "the thread has exited",
    "end": "the launch has ended",
    "interrupted": "interrupted",
}


class Breakpoint:
    """`where` is the line or function; `condition` an expression that is asked in each thread that comes by, `only` the place of
    one thread, `hits` counts stops, and `ignore` so many of them pass by. `once`: it is gone after the first."""

    def __init__(
        self, number: int, where: str, instructions: Sequence[int], condition: Expression | None = None,
        only: Thread | None = None, once: bool = False,
    ) -> None:  # fmt: skip
        self.number = number
        self.where = where
        self.instructions = frozenset(instructions)
        self.condition = condition
        self.only = only.followed if only is not None else None
        self.only_text = str(only) if only is not None else ""
        self.once = once
        self.enabled = True
        self.hits = 0
        self.ignore = 0

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        told = f"breakpoint {self.number} at {self.where}"
        told += f" if {self.condition}" if self.condition is not None else ""
        told += f" in {self.only_text}" if self.only_text else ""
        return told + ("" if self.enabled else ", disabled")

    def takes(self, thread: Thread) -> bool:
        """Does it stop this thread, which is at one of its instructions?"""
        if self.only is not None and thread.followed != self.only:
            return False
        return self.condition is None or self.condition.holds(thread)


class Watchpoint:
    """Bytes whose changes stop the launch: a register of one thread, or memory. `cta` is the number of the CTA whose registers or
    shared memory they are; None for memory of the device."""

    def __init__(
        self, number: int, what: str, place: Place, type: ScalarType, cta: tuple[int, int] | None,
        condition: Expression | None = None,
    ) -> None:  # fmt: skip
        self.number = number
        self.what = what
        self.place = place
        self.type = type
        self.cta = cta
        self.condition = condition
        self.enabled = True
        self.hits = 0

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        told = f"watchpoint {self.number} on {self.what}"
        told += f" if {self.condition}" if self.condition is not None else ""
        return told + ("" if self.enabled else ", disabled")

    def value(self, data: bytes) -> Value | list[Value]:
        """What bytes there stand for."""
        step = min(self.type.bytes, len(data)) or 1
        found = [value_of(int.from_bytes(data[i : i + step], "little"), self.type) for i in range(0, len(data), step)]
        return found[0] if len(found) == 1 else found


class Change(NamedTuple):
    """What a watchpoint has seen: values before and after."""

    watchpoint: Watchpoint
    before: Value | list[Value]
    after: Value | list[Value]

    def __str__(self) -> str:
        kind = self.watchpoint.type
        if not isinstance(self.before, list) or not isinstance(self.after, list):
            assert not isinstance(self.before, list)
            assert not isinstance(self.after, list)
            return f"{self.watchpoint.what}: {text_of(self.before, kind)} -> {text_of(self.after, kind)}"
        pairs = enumerate(zip(self.before, self.after))
        told = [f"[{i}] {text_of(a, kind)} -> {text_of(b, kind)}" for i, (a, b) in pairs if a != b]
        more = f", and {len(told) - 4} more" if len(told) > 4 else ""
        return f"{self.watchpoint.what}: {', '.join(told[:4])}{more}"


class Stop(NamedTuple):
    """Why and where the launch has stopped, before a step.

    `why`: "start", "step", "breakpoint", "watchpoint", "exited" (the thread that was followed has), "end", "fault",
    "interrupted". `thread` is the one in hand, `instruction` the one that it executes next; of a watchpoint, `by` is the
    instruction that made the change.
    """

    why: str
    step: int
    thread: Thread | None = None
    instruction: Instruction | None = None
    breakpoints: tuple[Breakpoint, ...] = ()
    changes: tuple[Change, ...] = ()
    by: Instruction | None = None
    fault: KernelFault | None = None

    def __str__(self) -> str:
        lines = [str(point) for point in self.breakpoints]
        lines += [f"watchpoint {each.watchpoint.number}, {each}" for each in self.changes]
        if self.fault is not None:
            lines = [str(self.fault)]
        elif not lines and self.why in _WHY:
            lines = [_WHY[self.why]]
        if self.by is not None:
            lines.append(f"by {self.by.short_line}  {self.by.text}")
        if self.thread is not None:
            lines.append(f"step {self.step}, {self.thread}")
        if self.instruction is not None and self.why != "exited":
            lines += self.instruction.lines()
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ptxgen.markup import box, listing

        return box(f"step {self.step}", listing(str(self)))
