"""What belongs to the calling thread: its stack of contexts, its capture mode."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ptxgen.emulated_driver.errors.refusal import CUresult, Refusal
from ptxgen.emulated_driver.state.epoch import changed

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.context import Context


class Thread(threading.local):
    """What belongs to the calling thread."""

    def __init__(self) -> None:
        self.stack: list[Context] = []
        self.capture_mode = 0
        self.in_host_function = False
        self.own_stream = False  # in a `_ptsz` or `_ptds` function, whose null stream is the thread's own

    def push(self, context: Context) -> None:
        """From now on it is current in this thread."""
        self.stack.append(context)
        changed()

    def pop(self) -> Context:
        """The current context, which is current no more."""
        context = self.stack.pop()
        changed()
        return context

    def current(self) -> Context:
        """The current context, fit for work. Raises Refusal when there is none, it is gone or had a fault."""
        if not self.stack:
            raise Refusal(CUresult.ERROR_INVALID_CONTEXT, "no context is current in this thread")
        context = self.stack[-1]
        if context.fault or not context.alive:
            context.check()
        return context


thread = Thread()
