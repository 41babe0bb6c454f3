"""From what the executor tells to a stop: which breakpoints and watchpoints it is for, and which thread is in hand then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ptxgen.cpu.debugger.debug_record import Reason
from ptxgen.cpu.debugger.execution import Halt
from ptxgen.debugger.focus import lowest
from ptxgen.debugger.points import Breakpoint, Change, Stop
from ptxgen.debugger.threads import Thread

if TYPE_CHECKING:
    from collections.abc import Collection

    from ptxgen.cpu.debugger.execution import Execution, Outcome
    from ptxgen.cpu.debugger.state import WarpState
    from ptxgen.debugger.points import Watchpoint
    from ptxgen.debugger.program import Instruction, Program

__all__ = ["Chase", "Stopping", "judged", "take_running"]


class Chase(NamedTuple):
    """A thread that is followed to one of these instructions."""

    thread: Thread
    numbers: Collection[int]


class Stopping(Protocol):
    """Whose launch it is: a `session.Session`."""

    program: Program
    breakpoints: list[Breakpoint]
    watchpoints: list[Watchpoint]

    @property
    def execution(self) -> Execution: ...

    @property
    def thread(self) -> Thread | None: ...

    def take(self, state: WarpState | None, lane: int = 0) -> Thread | None: ...

    def stopped(self, why: str, who: Thread | None = None, **told: Any) -> Stop: ...


def judged(session: Stopping, outcome: Outcome, chase: Chase | None = None) -> Stop | None:
    """What an outcome of the executor is to people; None where the launch goes on."""
    if outcome.halt is Halt.DONE:
        changes = _changes(session)
        session.take(None)
        return session.stopped("end", changes=changes)
    if outcome.halt is Halt.FAULT:
        _take_fault(session)
        return session.stopped("fault", fault=outcome.fault)
    if outcome.halt is Halt.INTERRUPTED:
        take_running(session)
        return session.stopped("interrupted")
    changes = _changes(session) if outcome.reason & Reason.WATCH else ()
    by = _by(session) if changes else None
    hit = _hit(session) if outcome.reason & Reason.BREAK else ()
    if changes or hit:
        return session.stopped("breakpoint" if hit else "watchpoint", breakpoints=hit, changes=changes, by=by)
    if outcome.reason & Reason.STEP and chase is not None:
        here = chase.thread.instruction
        if here is None or here.number in chase.numbers:
            session.take(chase.thread.state, chase.thread.lane)
            return session.stopped("step")
        return _at_exit(session, chase)
    return None


def _at_exit(session: Stopping, chase: Chase) -> Stop | None:
    """The thread is at an instruction that may end it: it executes that."""
    outcome = session.execution.run(session.execution.steps + 1)
    if session.execution.ended:
        return judged(session, outcome)
    if not chase.thread.exited:
        return None
    take_running(session)
    return session.stopped("exited", chase.thread)


def take_running(session: Stopping) -> None:
    """The thread in hand is one that executes the next instruction: the same lane as before, if that does."""
    execution, now = session.execution, session.thread
    warp, lanes = execution.here, execution.lanes_here
    if warp is None or not lanes:
        running = [each for cta in execution.ctas for each in cta.warps if each.live]
        warp, lanes = (running[0], running[0].live) if running else (None, 0)
    stays = now is not None and now.state == warp and lanes >> now.lane & 1
    session.take(warp, now.lane if stays and now is not None else lowest(lanes))


def _take_fault(session: Stopping) -> None:
    """The thread in hand is the one that did something wrong, or one of those that wait for ever."""
    launch, warp = session.execution.frame.launch, session.execution.here
    if warp is not None and launch.fault_kind:
        session.take(warp, launch.fault_lane)
        return
    waits = [each for cta in session.execution.ctas for each in cta.warps if each.waiting]
    if waits:
        session.take(waits[0], lowest(waits[0].waiting))


def _hit(session: Stopping) -> tuple[Breakpoint, ...]:
    """The breakpoints that stop the warp which is about to execute an instruction; the thread in hand is one that they stop."""
    warp, lanes, now = session.execution.here, session.execution.lanes_here, session.thread
    assert warp is not None
    here = session.program.at(next(n for n, some in warp.positions().items() if some & lanes)).number
    own = now.lane if now is not None and now.state == warp else -1
    order = sorted((n for n in range(32) if lanes >> n & 1), key=lambda n: n != own)
    found: list[Breakpoint] = []
    for point in session.breakpoints:
        if not point.enabled or here not in point.instructions:
            continue
        threads = (Thread(session.program, session.execution, warp, lane) for lane in order)
        stopped = next((each for each in threads if point.takes(each)), None)
        if stopped is None:
            continue
        point.hits += 1
        if point.hits <= point.ignore:
            continue
        if not found:
            session.take(warp, stopped.lane)
        found.append(point)
    return tuple(found)


def _changes(session: Stopping) -> tuple[Change, ...]:
    """What watchpoints have seen, of those that are of a CTA that is there."""
    execution = session.execution
    seen = {place: (before, after) for place, before, after in execution.changed()}
    if not seen:
        return ()
    execution.look_anew()
    running = {(cta.address, cta.index) for cta in execution.ctas}
    last = execution.last
    thread = Thread(session.program, execution, last[0], lowest(last[1] or 1)) if last else session.thread
    found = []
    for point in session.watchpoints:
        if not point.enabled or point.place not in seen or not (point.cta is None or point.cta in running):
            continue
        if point.condition is not None and (thread is None or not point.condition.holds(thread)):
            continue
        before, after = seen[point.place]
        point.hits += 1
        found.append(Change(point, point.value(before), point.value(after)))
    return tuple(found)


def _by(session: Stopping) -> Instruction | None:
    """The instruction that was executed last; the thread in hand is one that executed it."""
    last, now = session.execution.last, session.thread
    if last is None:
        return None
    warp, lanes, number = last
    if now is None or now.state != warp or not lanes >> now.lane & 1:
        session.take(warp, lowest(lanes or 1))
    return session.program.at(number)
