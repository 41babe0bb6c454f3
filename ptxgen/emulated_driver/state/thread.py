"""What belongs to the calling thread: its stack of contexts, its capture mode."""

from __future__ import annotations

from driver_ctypes.abi import enums
from driver_ctypes.primitives import local
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.state.epoch import changed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.emulated_driver.state.context import Context
    from ptxgen.emulated_driver.state.green import GreenContext


class _End:
    """Goes with what Python knows of a thread: at its end, and where a thread of C leaves Python, which it may enter again."""

    def __del__(self, _changed: Callable[[], None] = changed) -> None:  # a default outlives the module's names
        _changed()


class Thread(local):
    """What belongs to the calling thread."""

    def __init__(self) -> None:
        self._end = _End()  # no answer about this thread is kept longer
        self.stack: list[Context] = []
        self.greens: list[GreenContext | None] = []  # for each of the stack, whose primary context it is
        self.capture_mode = 0
        self.in_host_function = False
        self.own_stream = False  # in a `_ptsz` or `_ptds` function, whose null stream is the thread's own

    def push(self, context: Context, green: GreenContext | None = None) -> None:
        """From now on it is current in this thread, as the primary context of a green one or as itself."""
        self.stack.append(context)
        self.greens.append(green)
        changed()

    def pop(self) -> int:
        """What was current is not any more; its handle."""
        handle = self.handle
        self.stack.pop()
        self.greens.pop()
        changed()
        return handle

    @property
    def green(self) -> GreenContext | None:
        """The green context that is current."""
        return self.greens[-1] if self.greens else None

    @property
    def handle(self) -> int:
        """Of the current context; 0 where there is none."""
        green = self.green
        if green is not None:
            return green.context_handle
        return self.stack[-1].handle if self.stack else 0

    def current(self) -> Context:
        """The current context, fit for work. Raises Refusal when there is none, it is gone or had a fault."""
        if not self.stack:
            raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, "no context is current in this thread")
        context = self.stack[-1]
        if context.fault or not context.alive:
            context.check()
        return context


thread = Thread()
