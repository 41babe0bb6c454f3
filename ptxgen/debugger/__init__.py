"""The debugger of kernels on the CPU device: `px.debug`, `ptxgen debug`, and a server for editors, `ptxgen dap`.

    session       a launch under the debugger: run, step, look, go back
    capture       takes a launch over, with its arguments, from the call that makes it
    program       lines of Python, CUDA or PTX, and the instructions that come from them
    focus         which thread is meant by its indices
    stepping      at which instructions `step`, `next`, `finish`, `until` pause
    stops         which of them a pause of the executor is for; reversing goes back to an earlier moment
    points        breakpoints, watchpoints, and what a stop tells
    threads       a thread and a warp: registers, memory, call stack
    expressions   `%r1 + 4 * %laneid`, `shared.f32[tile]`: what conditions, watchpoints and `print` take
    values        bits as values of PTX types, and back
    show          all of that as text, notebook as HTML
    commands      the commands of `ptxgen debug`
    adapter/      the Debug Adapter Protocol on top of a session

The executor pauses, in `ptxgen.cpu.debugger`; here is what people see of it. A command is a method `do_NAME` of
`commands.Commands`, with its help in the docstring; a request of an editor is a function of `adapter.requests`. May import
everything below the tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.debugger.points import Breakpoint, Stop, Watchpoint
    from ptxgen.debugger.session import Session, debug

__all__ = ["Breakpoint", "Session", "Stop", "Watchpoint", "debug"]

_EXPORTS = {"points": "Breakpoint Stop Watchpoint", "session": "Session debug"}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
