"""A launch under the debugger: run, step, look, go back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.cpu.debugger.execution import Execution, Halt
from ptxgen.debugger import reversing, stepping
from ptxgen.debugger.capture import Capture, captured
from ptxgen.debugger.expressions import Expression
from ptxgen.debugger.focus import Wanted, find_lane
from ptxgen.debugger.points import Breakpoint, Stop, Watchpoint
from ptxgen.debugger.program import Program
from ptxgen.debugger.stops import Chase, judged, take_running
from ptxgen.debugger.threads import Thread, Warp
from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import TracebackType

    from ptxgen.cpu.debugger.state import CtaState, WarpState
    from ptxgen.debugger.focus import Indices
    from ptxgen.debugger.program import Instruction

__all__ = ["HISTORY", "Session", "debug"]

HISTORY = 1 << 30
"""Bytes of device memory that are copied, so that a launch can go back."""


def debug(
    launch: Callable[..., Any],
    *arguments: Any,
    kernel: str | None = None,
    skip: int = 0,
    history: int = HISTORY,
    **options: Any,
) -> Session:
    """Starts a launch under the debugger, paused before its first instruction: `px.debug(saxpy[4, 256], 1000, 2.0, x, y)`.

    `launch` is called with the arguments and options, and may be anything that launches a kernel on the CPU device: a configured
    kernel, an operation, a function. Its first launch is the session's, or with `kernel` the first of that name, behind `skip`
    others; launches before it run at once, those behind it when the session's has come to its end. `history`: bytes of device
    memory that may be copied, so that the launch can go back. Leaving the session, or `close`, ends the launch where it is.
    Raises DebugError where nothing such is launched, and what the call raises.
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
        self.execution = Execution(kernel, request, capture.options, history)
        self.program = Program(self.execution.kernel)
        self.breakpoints: list[Breakpoint] = []
        self.watchpoints: list[Watchpoint] = []
        self._numbers = 0
        self._focus: Thread | None = None
        self._closed = False
        self.ptx = not self.program.files
        """Do `step`, `next` and the others count lines of the PTX? Else those of the source."""
        self.execution.run(0)
        take_running(self)
        self.stop = self.stopped("start")

    # -- life ---------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        grid, block = self.execution.request[:2]
        return (
            f"<session of {self.program.name}, grid {grid}, block {block}: {self.stop.why} at step {self.step_number}>"
        )

    def _repr_html_(self) -> str:
        from ptxgen.debugger.notebook import session_html

        return session_html(self)

    def close(self) -> None:
        """The launch ends where it is. Launches behind it run where it has come to its end."""
        if self._closed:
            return
        self._closed = True
        done = self.execution.outcome.halt is Halt.DONE
        self.execution.close()
        self._keep = None
        if done and not self.execution.kernel.closed:
            self._capture.run_later()

    def detach(self) -> Stop:
        """The launch runs to its end; breakpoints and watchpoints are left out."""
        self.breakpoints.clear()
        self.watchpoints.clear()
        return self.resume()

    def _open(self) -> Execution:
        self.execution.check_open()
        return self.execution

    @property
    def ended(self) -> bool:
        """Has the launch come to its end, or to a fault?"""
        return self.execution.ended

    @property
    def step_number(self) -> int:
        """How many instructions warps have begun: this moment of the launch, for `goto`."""
        return self.execution.steps

    # -- breakpoints --------------------------------------------------------------------------------------------------

    def breakpoint(
        self, where: str | int, condition: str | None = None, *, thread: Thread | None = None, once: bool = False,
        ignore: int = 0,
    ) -> Breakpoint:  # fmt: skip
        """Stop where threads come to a line or a function: 12, "file.py:12", "ptx:12", "name". `condition` is an expression,
        which some thread that comes there must fulfil; `thread`: that thread alone; `ignore` so many stops. Raises DebugError."""
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
        thread = self.hand()
        reference = Expression(what).reference(thread)
        place, kind = thread.place(reference)
        cta = (thread.state.cta.address, thread.state.cta.index)
        own = None if reference.space in ("global", "const", "generic") else cta
        told = f"{what} of {thread}" if not reference.space else what
        made = Watchpoint(self._next_number(), told, place, kind, own, Expression(condition) if condition else None)
        self.watchpoints.append(made)
        return made

    def delete(self, number: int) -> None:
        """A breakpoint or watchpoint is gone. Raises DebugError."""
        point = self.point(number)
        self.breakpoints = [each for each in self.breakpoints if each is not point]
        self.watchpoints = [each for each in self.watchpoints if each is not point]

    @property
    def points(self) -> list[Breakpoint | Watchpoint]:
        """Breakpoints, then watchpoints."""
        return [*self.breakpoints, *self.watchpoints]

    def point(self, number: int) -> Breakpoint | Watchpoint:
        """By its number. Raises DebugError."""
        for each in self.points:
            if each.number == number:
                return each
        known = ", ".join(str(each.number) for each in self.points) or "none"
        raise DebugError(f"there is no breakpoint or watchpoint {number}", hint=f"there are {known}")

    def _next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    # -- what is in hand ----------------------------------------------------------------------------------------------

    @property
    def thread(self) -> Thread | None:
        """The one in hand; None where the launch is over."""
        return self._focus

    def hand(self) -> Thread:
        """The thread in hand. Raises DebugError where there is none."""
        self._open()
        if self._focus is None:
            raise DebugError("no thread is in hand: the launch has ended", hint="reverse_resume() or goto(0)")
        return self._focus

    @property
    def warp(self) -> Warp:
        """That of the thread in hand. Raises DebugError where the launch is over."""
        return self.warp_of(self.hand())

    def warp_of(self, thread: Thread) -> Warp:
        """That of a thread."""
        return Warp(self.program, self.execution, thread.state)

    @property
    def ctas(self) -> list[CtaState]:
        """Those that have begun and not ended."""
        return self._open().ctas

    @property
    def warps(self) -> list[Warp]:
        """Those of these CTAs that have threads left."""
        found = [warp for cta in self.ctas for warp in cta.warps if warp.live]
        return [Warp(self.program, self.execution, warp) for warp in found]

    def focus(
        self,
        *,
        ctaid: Indices | None = None,
        tid: Indices | None = None,
        warp: int | None = None,
        lane: int | None = None,
    ) -> Thread:
        """Takes another thread in hand: by its indices, `tid=(3, 0, 0)`, or by warp and lane; what is not said stays. Raises
        DebugError where there is no such thread, or its CTA has not begun or has ended."""
        self.take(*find_lane(self.ctas, self._focus, Wanted(ctaid, tid, warp, lane)))
        return self.hand()

    def take(self, state: WarpState | None, lane: int = 0) -> Thread | None:
        """A lane of a warp is in hand; with None, no thread is."""
        self._focus = None if state is None else Thread(self.program, self.execution, state, lane)
        return self._focus

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the thread in hand. Raises DebugError."""
        return self.hand().evaluate(expression)

    # -- forward ------------------------------------------------------------------------------------------------------

    def resume(self, timeout: float | None = None) -> Stop:
        """On to the next breakpoint or watchpoint, or the end; after `timeout` seconds it stops in any case."""
        return self._go(timeout=timeout)

    def step(self, count: int = 1) -> Stop:
        """On to the next line that the thread in hand comes to, into functions that it calls."""
        return self._repeat(count, lambda here: self.others(here, over_calls=False))

    def next(self, count: int = 1) -> Stop:
        """On to the next line of the same function, over those that it calls, or of what called it."""
        return self._repeat(count, lambda here: self.others(here, over_calls=True), deeper=0)

    def stepi(self, count: int = 1) -> Stop:
        """On to the next instruction of the thread in hand."""
        return self._repeat(count, lambda _: stepping.every(self.program))

    def finish(self) -> Stop:
        """On until the function that the thread in hand is in has returned; of a kernel, until the thread exits."""
        return self._repeat(1, lambda here: stepping.outside(self.program, here.calls), deeper=-1)

    def until(self, where: str | int | None = None) -> Stop:
        """On to a later line than this one, so out of a loop; or to the line that is named, if the thread comes there before its
        function returns."""
        named = self.program.where(str(where))[1] if where is not None else None

        def targets(here: Instruction) -> set[int]:
            if named is None:
                return stepping.later(self.program, here)
            return {*named, *stepping.outside(self.program, here.calls)}

        return self._repeat(1, targets)

    def goto(self, step: int) -> Stop:
        """To the moment before a step, forward or back; breakpoints do not stop it."""
        execution = self._open()
        if step < 0:
            raise DebugError(f"step {step}: steps count from 0")
        if step < execution.steps or execution.ended:
            execution.restart()
        self.quiet()
        outcome = execution.run(step)
        if execution.ended:
            found = judged(self, outcome)
            assert found is not None
            self.stop = found
        else:
            take_running(self)
            self.stop = self.stopped("step")
        return self.stop

    def others(self, here: Instruction, *, over_calls: bool) -> set[int]:
        """Instructions where a line other than the one in hand begins."""
        if self.ptx:
            return stepping.every(self.program, here.calls if over_calls else None)
        return stepping.other_lines(self.program, here, over_calls=over_calls)

    def _instruction(self) -> Instruction:
        """The next one of the thread in hand. Raises DebugError where there is none."""
        thread = self.hand()
        found = thread.instruction
        if self.execution.ended:
            raise DebugError("the launch has ended", hint="reverse_resume(), reverse_step() or goto(...)")
        if found is None:
            raise DebugError(f"{thread} has exited", hint="focus(...) takes another one in hand")
        return found

    def _repeat(self, count: int, targets: Callable[[Instruction], Collection[int]], deeper: int | None = None) -> Stop:
        """So many times the thread in hand goes on to one of the instructions that are told for where it is. `deeper`: in a
        function that is called so many times deeper at most; what calls itself is the same text at every depth."""
        for _ in range(max(count, 1)):
            here, thread = self._instruction(), self.hand()
            numbers = set(targets(here))
            deepest = None
            if deeper is not None and self.program.kernel.stack_calls:
                deepest = len(thread.stack) + deeper
                numbers |= stepping.of_function(self.program, here.calls) if deeper < 0 else set()
            self.execution.follow(thread.followed, {*numbers, *stepping.exits(self.program)})
            try:
                stop = self._go(Chase(thread, numbers))
                while stop.why == "step" and deepest is not None and len(thread.stack) > deepest:
                    stop = self._go(Chase(thread, numbers))
            finally:
                self.execution.follow(None)
            if stop.why != "step":
                break
        return self.stop

    def _go(self, chase: Chase | None = None, timeout: float | None = None) -> Stop:
        """Runs until there is a stop to tell."""
        execution = self._open()
        if execution.ended:
            raise DebugError("the launch has ended", hint="reverse_resume(), reverse_step() or goto(...)")
        self.arm()
        found = None
        while found is None:
            found = judged(self, execution.run(timeout=timeout), chase)
        self.breakpoints = [each for each in self.breakpoints if not (each.once and each in found.breakpoints)]
        self.stop = found
        return found

    def arm(self) -> None:
        """Breakpoints and watchpoints are set in the executor."""
        self.execution.break_at({n for each in self.breakpoints if each.enabled for n in each.instructions})
        self.execution.watch([each.place for each in self.watchpoints if each.enabled])

    def quiet(self) -> None:
        """None of them is, and no thread is followed."""
        self.execution.break_at(())
        self.execution.watch(())
        self.execution.follow(None)

    def stopped(self, why: str, who: Thread | None = None, **told: Any) -> Stop:
        """A stop at this moment, of the thread in hand or of another."""
        here = self._focus.instruction if self._focus is not None else None
        return Stop(why, self.execution.steps, who or self._focus, here, **told)

    # -- back ---------------------------------------------------------------------------------------------------------

    def reverse_resume(self) -> Stop:
        """Back to the last breakpoint or watchpoint before this moment, or the beginning."""
        self._open()
        return reversing.back_to_stop(self)

    def reverse_stepi(self) -> Stop:
        """Back to the instruction before, of the thread in hand."""
        self._open()
        return reversing.back_to(self, stepping.every(self.program))

    def reverse_step(self) -> Stop:
        """Back to the beginning of the line, or if the thread in hand is there, of the one before."""
        self._open()
        return reversing.back_to_line(self, over_calls=False)

    def reverse_next(self) -> Stop:
        """The same, over functions that this one calls."""
        self._open()
        return reversing.back_to_line(self, over_calls=True)

    def reverse_finish(self) -> Stop:
        """Back to the call of the function that the thread in hand is in."""
        self._open()
        return reversing.back_to(self, stepping.outside(self.program, self._instruction().calls))
