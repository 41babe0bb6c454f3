"""Back to an earlier moment: the launch runs again from its beginning, and pauses there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ptxgen.debugger import stepping
from ptxgen.debugger.focus import lowest
from ptxgen.debugger.stops import Stopping, judged
from ptxgen.debugger.threads import Thread
from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Collection

    from ptxgen.debugger.points import Breakpoint, Stop, Watchpoint
    from ptxgen.debugger.program import Instruction

__all__ = ["back_to", "back_to_line", "back_to_stop"]


class Session(Stopping, Protocol):
    """What goes back: a `session.Session`."""

    stop: Stop
    ptx: bool

    @property
    def ended(self) -> bool: ...

    @property
    def step_number(self) -> int: ...

    @property
    def points(self) -> list[Breakpoint | Watchpoint]: ...

    def arm(self) -> None: ...

    def quiet(self) -> None: ...

    def goto(self, step: int) -> Stop: ...

    def others(self, here: Instruction, *, over_calls: bool) -> set[int]: ...


def back_to_stop(session: Session) -> Stop:
    """To the last breakpoint or watchpoint before this moment, or the beginning. Hits are not counted again."""
    execution, now = session.execution, session.step_number
    points = session.points
    hits = [point.hits for point in points]
    execution.restart()
    for point in points:
        point.hits = 0
    session.arm()
    found: Stop | None = None
    while True:
        outcome = execution.run(now)
        if execution.steps >= now or execution.ended:
            break
        found = judged(session, outcome) or found
    for point, count in zip(points, hits):
        point.hits = count
    if found is None:
        return _arrive(session, None, None)
    return _arrive(session, found.thread, found.step, found)


def back_to(session: Session, numbers: Collection[int], before: int | None = None) -> Stop:
    """To the last step before a moment, which is this one, at which the thread in hand came to one of these instructions."""
    thread = _followed(session)
    step = session.execution.last_step_at(thread.followed, numbers, session.step_number if before is None else before)
    return _arrive(session, thread, step)


def back_to_line(session: Session, *, over_calls: bool) -> Stop:
    """To the beginning of the line that the thread in hand is at; if it is there, of the line before."""
    thread = _followed(session)
    here = None if session.ended else thread.instruction
    if here is None or session.ptx:
        return back_to(session, stepping.every(session.program, here.calls if here and over_calls else None))
    now = session.step_number
    start = _line_start(session, thread, here, now, over_calls=over_calls)
    if start < now:
        return _arrive(session, thread, start)
    stop = back_to(session, session.others(here, over_calls=over_calls), now)
    if stop.why == "start" or stop.instruction is None:
        return stop
    return _arrive(session, thread, _line_start(session, thread, stop.instruction, stop.step, over_calls=over_calls))


def _line_start(session: Session, thread: Thread, here: Instruction, step: int, *, over_calls: bool) -> int:
    """The step at which the thread began the line that it is at before a step."""
    execution = session.execution
    last = execution.last_step_at(thread.followed, session.others(here, over_calls=over_calls), step)
    execution.restart()
    session.quiet()
    execution.run(0 if last is None else last + 1)
    if not _is_there(session, thread):
        execution.follow(thread.followed, stepping.every(session.program, here.calls if over_calls else None))
        execution.run(step)
        session.quiet()
    return execution.steps


def _is_there(session: Session, thread: Thread) -> bool:
    """Is it the thread that executes the next instruction?"""
    warp, lanes = session.execution.here, session.execution.lanes_here
    return warp == thread.state and bool(lanes >> thread.lane & 1)


def _followed(session: Session) -> Thread:
    """The thread to go back with: the one in hand, else the one that executed the last instruction."""
    if session.thread is not None:
        return session.thread
    last = session.execution.last
    if last is None:
        raise DebugError("the launch has not begun")
    return Thread(session.program, session.execution, last[0], lowest(last[1] or 1))


def _arrive(session: Session, thread: Thread | None, step: int | None, stop: Stop | None = None) -> Stop:
    """The session is before a step of a thread, or where there is none at the beginning; it tells of a stop that it made there
    before, where there is one."""
    session.goto(step or 0)
    if thread is not None and step is not None:
        session.take(thread.state, thread.lane)
    session.stop = session.stopped("start" if step is None else "step") if stop is None else stop
    return session.stop
