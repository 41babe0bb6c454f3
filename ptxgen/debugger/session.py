"""A launch under the debugger: run, step, look, go back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.cpu.debugger.debug_record import Reason
from ptxgen.cpu.debugger.execution import Execution, Halt
from ptxgen.debugger import stepping
from ptxgen.debugger.capture import Capture, captured
from ptxgen.debugger.expressions import Expression
from ptxgen.debugger.points import Breakpoint, Change, Stop, Watchpoint
from ptxgen.debugger.program import Program
from ptxgen.debugger.threads import Thread, Warp
from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import TracebackType

    from ptxgen.cpu.debugger.execution import Outcome
    from ptxgen.cpu.debugger.state import CtaState, WarpState
    from ptxgen.cpu.fault import Dim3
    from ptxgen.debugger.program import Instruction

__all__ = ["HISTORY", "Session", "debug"]

HISTORY = 1 << 30
"""Bytes of device memory that are copied, so that a launch can go back."""

_BREAKS, _STEPS = "breakpoint", "step"


def debug(
    launch: Callable[..., Any],
    *arguments: Any,
    kernel: str | None = None,
    skip: int = 0,
    history: int = HISTORY,
    **options: Any,
) -> Session:
    """Starts a launch under the debugger, paused before its first instruction: `px.debug(saxpy[4, 256], 1000, 2.0, x, y)`.

    `launch` is called with the arguments and options, and may be anything that launches a kernel on the CPU device: a configured kernel, an
    operation, a function. Its first launch is the session's, or with `kernel` the first of that name, behind `skip` others;
    launches before it run at once, those behind it when the session's has come to its end. `history`: bytes of
    device memory that may be copied, so that the launch can go back. Leaving the session, or `close`, ends the launch where
    it is. Raises DebugError where nothing such is launched, and what the call raises.
    """
    capture = captured(lambda: launch(*arguments, **options), kernel, skip)
    return Session(capture, history, (launch, arguments, options))


class Session:
    """Use it with `with`, or close it. `thread` is the thread in hand: what steps follow, and what expressions mean.

    The arrays of the launch can be read as ever while it is paused, and show what they hold at that moment.
    """

    def __init__(self, capture: Capture, history: int, keep: object = None) -> None:
        assert capture.first is not None
        self._capture = capture
        self._keep = keep  # the arrays of the launch
        kernel, request = capture.first
        self._execution = Execution(kernel, request, capture.options, history)
        self.program = Program(self._execution.kernel)
        self.breakpoints: list[Breakpoint] = []
        self.watchpoints: list[Watchpoint] = []
        self._numbers = 0
        self._focus: Thread | None = None
        self._closed = False
        self._moved = False  # past where the last stop was
        self.ptx = not self.program.files
        """Do `step`, `next` and the others count lines of the PTX? Else those of the source."""
        self._execution.run(0)
        self._here()
        self.stop = self._stopped("start")

    # -- life ---------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        grid, block = self._execution.request[:2]
        return f"<session of {self.program.name}, grid {grid}, block {block}: {self.stop.why} at step {self.step_number}>"

    def _repr_html_(self) -> str:
        from ptxgen.debugger.notebook import session_html

        return session_html(self)

    def close(self) -> None:
        """The launch ends where it is. Launches behind it run where it has come to its end."""
        if self._closed:
            return
        self._closed = True
        done = self._execution.outcome.halt is Halt.DONE
        self._execution.close()
        self._keep = None
        if done:
            self._capture.run_later()

    def detach(self) -> Stop:
        """The launch runs to its end; breakpoints and watchpoints are left out."""
        self.breakpoints.clear()
        self.watchpoints.clear()
        return self.resume()

    def _open(self) -> Execution:
        if self._closed:
            raise DebugError("the session is closed", hint="px.debug(...) again")
        return self._execution

    @property
    def ended(self) -> bool:
        """Has the launch come to its end, or to a fault?"""
        return self._execution.ended

    @property
    def step_number(self) -> int:
        """How many instructions warps have begun: this moment of the launch, for `goto`."""
        return self._execution.steps

    # -- breakpoints --------------------------------------------------------------------------------------------------

    def breakpoint(
        self, where: str | int, condition: str | None = None, *, thread: Thread | None = None, once: bool = False,
        ignore: int = 0,
    ) -> Breakpoint:  # fmt: skip
        """Stop where threads come to a line or a function: 12, "file.py:12", "ptx:12", "name". `condition` is an expression, which
        some thread that comes there must fulfil; `thread`: that thread alone; `ignore` so many stops. Raises DebugError."""
        self._open()
        found, numbers = self.program.where(str(where))
        made = Breakpoint(
            self._next_number(), found, numbers, Expression(condition) if condition else None, thread, once
        )
        made.ignore = ignore
        self.breakpoints.append(made)
        return made

    def watch(self, what: str, condition: str | None = None) -> Watchpoint:
        """Stop where a register of the thread in hand, or memory that it addresses, changes: "%r1", "shared.f32[0:64]",
        "global.u32[x]". The address is that of now. Raises DebugError."""
        thread = self._thread()
        reference = Expression(what).reference(thread)
        place, kind = thread.place(reference)
        cta = (thread.state.cta.address, thread.state.cta.index)
        own = None if reference.space in ("global", "const", "generic") else cta
        told = f"{what} of {thread}" if not reference.space else what
        made = Watchpoint(
            self._next_number(), told, place, kind, own, Expression(condition) if condition else None
        )
        self.watchpoints.append(made)
        return made

    def delete(self, number: int) -> None:
        """A breakpoint or watchpoint is gone. Raises DebugError."""
        point = self.point(number)
        self.breakpoints = [each for each in self.breakpoints if each is not point]
        self.watchpoints = [each for each in self.watchpoints if each is not point]

    def point(self, number: int) -> Breakpoint | Watchpoint:
        """By its number. Raises DebugError."""
        for each in (*self.breakpoints, *self.watchpoints):
            if each.number == number:
                return each
        known = ", ".join(str(each.number) for each in (*self.breakpoints, *self.watchpoints)) or "none"
        raise DebugError(f"there is no breakpoint or watchpoint {number}", hint=f"there are {known}")

    def _next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    # -- what is in hand ----------------------------------------------------------------------------------------------

    @property
    def thread(self) -> Thread | None:
        """The one in hand; None where the launch is over."""
        return self._focus

    def _thread(self) -> Thread:
        self._open()
        if self._focus is None:
            raise DebugError("no thread is in hand: the launch has ended", hint="reverse_resume() or goto(0)")
        return self._focus

    @property
    def warp(self) -> Warp:
        """That of the thread in hand. Raises DebugError where the launch is over."""
        return Warp(self.program, self._execution, self._thread().state)

    @property
    def ctas(self) -> list[CtaState]:
        """Those that have begun and not ended."""
        return self._open().ctas

    @property
    def warps(self) -> list[Warp]:
        """Those of these CTAs that have threads left."""
        found = [warp for cta in self.ctas for warp in cta.warps if warp.live]
        return [Warp(self.program, self._execution, warp) for warp in found]

    def focus(
        self, *, ctaid: Dim3 | int | None = None, tid: Dim3 | int | None = None, warp: int | None = None, lane: int | None = None
    ) -> Thread:
        """Takes another thread in hand: by its indices, `tid=(3, 0, 0)`, or by warp and lane; what is not said stays. Raises
        DebugError where there is no such thread, or its CTA has not begun or has ended."""
        now = self._focus
        wanted = _three(ctaid) if ctaid is not None else now.ctaid if now is not None else None
        cta = next((each for each in self.ctas if each.ctaid == wanted or wanted is None), None)
        if cta is None:
            running = ", ".join(str(each.ctaid) for each in self.ctas[:8]) or "none"
            raise DebugError(f"CTA {wanted} is not running", hint=f"running: {running}")
        if tid is not None:
            threads = ((w, n) for w in cta.warps for n in range(32) if w.lanes >> n & 1)
            found = next(((w, n) for w, n in threads if w.tid(n) == _three(tid)), None)
            if found is None:
                raise DebugError(f"CTA {cta.ctaid} has no thread {_three(tid)}")
            return self._take(*found)
        number = warp if warp is not None else now.state.index if now is not None else 0
        warps = cta.warps
        if not 0 <= number < len(warps):
            raise DebugError(f"CTA {cta.ctaid} has {len(warps)} warps, and no warp {number}")
        state = warps[number]
        chosen = lane if lane is not None else now.lane if now is not None and warp is None else _first(state.live or 1)
        if not 0 <= chosen < 32 or not state.lanes >> chosen & 1:
            raise DebugError(f"warp {number} has no lane {chosen}")
        return self._take(state, chosen)

    def _take(self, state: WarpState, lane: int) -> Thread:
        self._focus = Thread(self.program, self._execution, state, lane)
        return self._focus

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the thread in hand. Raises DebugError."""
        return self._thread().evaluate(expression)

    # -- forward ------------------------------------------------------------------------------------------------------

    def resume(self, timeout: float | None = None) -> Stop:
        """On to the next breakpoint or watchpoint, or the end; after `timeout` seconds it stops in any case."""
        self._open().follow(None)
        return self._go(timeout=timeout)

    def step(self, count: int = 1) -> Stop:
        """On to the next line that the thread in hand comes to, into functions that it calls."""
        return self._lines(count, over_calls=False)

    def next(self, count: int = 1) -> Stop:
        """On to the next line of the same function, over those that it calls, or of what called it."""
        return self._lines(count, over_calls=True)

    def _lines(self, count: int, *, over_calls: bool) -> Stop:
        for _ in range(max(count, 1)):
            self._follow(self._others(self._instruction(), over_calls=over_calls))
            if self.stop.why != _STEPS:
                break
        return self.stop

    def _others(self, here: Instruction, *, over_calls: bool) -> set[int]:
        """Where a line other than the one in hand begins."""
        if self.ptx:
            return stepping.every(self.program, here.calls if over_calls else None)
        return stepping.other_lines(self.program, here, over_calls=over_calls)

    def stepi(self, count: int = 1) -> Stop:
        """On to the next instruction of the thread in hand."""
        for _ in range(max(count, 1)):
            if self._follow(stepping.every(self.program)).why != _STEPS:
                break
        return self.stop

    def finish(self) -> Stop:
        """On until the function that the thread in hand is in has returned; of a kernel, until the thread exits."""
        return self._follow(stepping.outside(self.program, self._instruction().calls))

    def until(self, where: str | int | None = None) -> Stop:
        """On to a later line than this one, so out of a loop; or to the line that is named, if the thread comes there before its
        function returns."""
        here = self._instruction()
        if where is None:
            return self._follow(stepping.later(self.program, here))
        _, numbers = self.program.where(str(where))
        return self._follow({*numbers, *stepping.outside(self.program, here.calls)})

    def goto(self, step: int) -> Stop:
        """To the moment before a step, forward or back; breakpoints do not stop it."""
        execution = self._open()
        if step < 0:
            raise DebugError(f"step {step}: steps count from 0")
        if step < execution.steps or execution.ended:
            execution.restart()
        self._quiet()
        execution.run(step)
        self._here()
        self.stop = self._stopped(_STEPS)
        return self.stop

    def _instruction(self) -> Instruction:
        found = self._thread().instruction
        if found is None or self._execution.ended:
            raise DebugError(f"{self._focus} has exited" if found is None else "the launch has ended")
        return found

    def _follow(self, numbers: Collection[int]) -> Stop:
        """Runs until the thread in hand comes to one of these instructions, or exits."""
        thread = self._thread()
        if thread.exited:
            raise DebugError(f"{thread} has exited", hint="focus(...) takes another one in hand")
        self._execution.follow(thread.followed, {*numbers, *stepping.exits(self.program)})
        try:
            return self._go(thread, frozenset(numbers))
        finally:
            self._execution.follow(None)

    def _go(
        self, thread: Thread | None = None, numbers: Collection[int] = (), timeout: float | None = None
    ) -> Stop:
        """Runs until there is a stop to tell."""
        execution = self._open()
        self._arm()
        while True:
            outcome = execution.run(timeout=timeout)
            found = self._judged(outcome, thread, numbers)
            if found is not None:
                self.stop = found
                return found

    def _arm(self) -> None:
        """Breakpoints and watchpoints are set in the executor."""
        self._execution.break_at({n for each in self.breakpoints if each.enabled for n in each.instructions})
        self._execution.watch([each.place for each in self.watchpoints if each.enabled])

    def _quiet(self) -> None:
        """None is."""
        self._execution.break_at(())
        self._execution.watch(())
        self._execution.follow(None)

    # -- stops --------------------------------------------------------------------------------------------------------

    def _judged(self, outcome: Outcome, thread: Thread | None, numbers: Collection[int]) -> Stop | None:
        """What an outcome of the executor is to people; None where it goes on."""
        if outcome.halt is Halt.DONE:
            changes = self._changes()
            self._focus = None
            return self._stopped("end", changes=changes)
        if outcome.halt is Halt.FAULT:
            self._at_fault()
            return self._stopped("fault", fault=outcome.fault)
        if outcome.halt is Halt.INTERRUPTED:
            self._here()
            return self._stopped("interrupted")
        changes = self._changes() if outcome.reason & Reason.WATCH else ()
        hit = self._hit() if outcome.reason & Reason.BREAK else ()
        if changes or hit:
            by = self._by(changes)
            return self._stopped("watchpoint" if changes and not hit else _BREAKS, breakpoints=hit, changes=changes, by=by)
        if outcome.reason & Reason.STEP and thread is not None:
            here = thread.instruction
            if here is None or here.number in numbers:
                self._focus = thread
                return self._stopped(_STEPS)
            return self._at_exit(thread)
        return None

    def _at_exit(self, thread: Thread) -> Stop | None:
        """The thread is at an instruction that may end it: it executes that."""
        outcome = self._execution.run(self._execution.steps + 1)
        if not self._execution.ended and not (thread.exited or thread.followed != self._followed_now(thread)):
            return None
        if self._execution.ended:
            return self._judged(outcome, None, ())
        self._here()
        return self._stopped("exited", who=thread)

    @staticmethod
    def _followed_now(thread: Thread) -> object:
        return thread.followed

    def _stopped(self, why: str, *, who: Thread | None = None, **told: Any) -> Stop:
        thread = who or self._focus
        here = self._focus.instruction if self._focus is not None else None
        return Stop(why, self._execution.steps, thread, here, **told)

    def _here(self) -> None:
        """The thread in hand is one that executes the next instruction: the same lane as before, if that does."""
        execution, now = self._execution, self._focus
        warp, lanes = execution.here, execution.lanes_here
        if warp is None or not lanes:
            running = [each for cta in execution.ctas for each in cta.warps if each.live]
            if not running:
                self._focus = None
                return
            warp, lanes = running[0], running[0].live
        stays = now is not None and now.state == warp and lanes >> now.lane & 1
        self._take(warp, now.lane if stays and now is not None else _first(lanes))

    def _at_fault(self) -> None:
        """The thread in hand is the one that did something wrong, or one of those that wait for ever."""
        launch, warp = self._execution.frame.launch, self._execution.here
        if warp is not None and launch.fault_kind:
            self._take(warp, launch.fault_lane)
            return
        waits = [each for cta in self._execution.ctas for each in cta.warps if each.waiting]
        if waits:
            self._take(waits[0], _first(waits[0].waiting))

    def _hit(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that stop the warp which is about to execute an instruction; the thread in hand is one that they
        stop."""
        warp, lanes = self._execution.here, self._execution.lanes_here
        assert warp is not None
        here = self.program.at(next(n for n, some in warp.positions().items() if some & lanes)).number
        found = []
        own = self._focus.lane if self._focus is not None and self._focus.state == warp else -1
        order = sorted((n for n in range(32) if lanes >> n & 1), key=lambda n: n != own)
        for point in self.breakpoints:
            if not point.enabled or here not in point.instructions:
                continue
            threads = (Thread(self.program, self._execution, warp, lane) for lane in order)
            stopped = next((each for each in threads if point.takes(each)), None)
            if stopped is None:
                continue
            point.hits += 1
            if point.hits <= point.ignore:
                continue
            if not found:
                self._focus = stopped
            found.append(point)
        self.breakpoints = [each for each in self.breakpoints if not (each.once and each in found)]
        return tuple(found)

    def _changes(self) -> tuple[Change, ...]:
        """What watchpoints have seen, of those that are of a CTA that is there."""
        seen = {place: (before, after) for place, before, after in self._execution.changed()}
        if not seen:
            return ()
        self._execution.look_anew()
        running = {(cta.address, cta.index) for cta in self._execution.ctas}
        found = []
        for point in self.watchpoints:
            if not point.enabled or point.place not in seen or not (point.cta is None or point.cta in running):
                continue
            last = self._execution.last
            thread = Thread(self.program, self._execution, last[0], _first(last[1] or 1)) if last else self._focus
            if point.condition is not None and (thread is None or not point.condition.holds(thread)):
                continue
            before, after = seen[point.place]
            point.hits += 1
            found.append(Change(point, point.value(before), point.value(after)))
        return tuple(found)

    def _by(self, changes: tuple[Change, ...]) -> Instruction | None:
        """The instruction that made a change; the thread in hand is one that executed it."""
        last = self._execution.last
        if not changes or last is None:
            return None
        warp, lanes, number = last
        own = self._focus
        if own is None or own.state != warp or not lanes >> own.lane & 1:
            self._take(warp, _first(lanes or 1))
        return self.program.at(number)

    # -- back ---------------------------------------------------------------------------------------------------------

    def reverse_stepi(self) -> Stop:
        """Back to the instruction before, of the thread in hand."""
        return self._back(stepping.every(self.program))

    def reverse_step(self) -> Stop:
        """Back to the beginning of the line, or if the thread in hand is there, of the one before."""
        return self._back_lines(over_calls=False)

    def reverse_next(self) -> Stop:
        """The same, over functions that this one calls."""
        return self._back_lines(over_calls=True)

    def reverse_finish(self) -> Stop:
        """Back to the call of the function that the thread in hand is in."""
        return self._back(stepping.outside(self.program, self._instruction().calls))

    def reverse_resume(self) -> Stop:
        """Back to the last breakpoint or watchpoint before this moment, or the beginning."""
        execution, now = self._open(), self.step_number
        before = self.stop
        execution.restart()
        self._arm()
        found: Stop | None = None
        while True:
            outcome = execution.run(now)
            if execution.steps >= now or execution.ended:
                break
            found = self._judged(outcome, None, ()) or found
        if found is None or found.step == before.step:
            stop = self.goto(0)
            self.stop = stop._replace(why="start")
            return self.stop
        self.goto(found.step)
        if found.thread is not None:
            self._take(found.thread.state, found.thread.lane)
        self.stop = found
        return found

    def _back(self, numbers: Collection[int], before: int | None = None) -> Stop:
        """To the last step before a moment at which the thread in hand came to one of these instructions."""
        thread = self._past()
        now = self.step_number if before is None else before
        found = self._execution.last_step_at(thread.followed, numbers, now)
        return self._arrive(thread, found)

    def _arrive(self, thread: Thread, step: int | None) -> Stop:
        """The session is before a step of a thread, or where there is none at the beginning."""
        if step is None:
            self.goto(0)
            self.stop = self.stop._replace(why="start")
            return self.stop
        self.goto(step)
        self._take(thread.state, thread.lane)
        self.stop = self._stopped(_STEPS)
        return self.stop

    def _past(self) -> Thread:
        """The thread to follow back: the one in hand, else the one that executed the last instruction."""
        if self._focus is not None:
            return self._focus
        last = self._open().last
        if last is None:
            raise DebugError("the launch has not begun")
        return Thread(self.program, self._execution, last[0], _first(last[1] or 1))

    def _back_lines(self, *, over_calls: bool) -> Stop:
        if self.ptx or self._focus is None or self._focus.instruction is None:
            here = self._focus.instruction if self._focus is not None else None
            return self._back(stepping.every(self.program, here.calls if here and over_calls else None))
        thread, now = self._focus, self.step_number
        start = self._line_start(thread, self._instruction(), now, over_calls=over_calls)
        if start < now or now == 0:
            return self._arrive(thread, start)
        stop = self._back(self._others(self._instruction(), over_calls=over_calls), now)
        if stop.why == "start" or stop.instruction is None:
            return stop
        start = self._line_start(thread, stop.instruction, stop.step, over_calls=over_calls)
        return self._arrive(thread, start)

    def _line_start(self, thread: Thread, here: Instruction, step: int, *, over_calls: bool) -> int:
        """The step at which the thread began the line that it is at before a step."""
        execution = self._execution
        others = self._others(here, over_calls=over_calls)
        last = execution.last_step_at(thread.followed, others, step)
        execution.restart()
        self._quiet()
        execution.run(0 if last is None else last + 1)
        own = stepping.every(self.program, here.calls if over_calls else None)
        execution.follow(thread.followed, own)
        execution.run(step)
        found = execution.steps
        self._quiet()
        return found


def _first(lanes: int) -> int:
    """The lowest lane of a mask."""
    return (lanes & -lanes).bit_length() - 1


def _three(extents: Dim3 | int) -> Dim3:
    if isinstance(extents, int):
        return (extents, 0, 0)
    x, y, z = (*extents, 0, 0)[:3]
    return (x, y, z)
