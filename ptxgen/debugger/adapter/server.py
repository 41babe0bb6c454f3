"""Reads requests, answers them in their order, and tells of stops."""

from __future__ import annotations

import io
import threading
from contextlib import redirect_stdout
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from ptxgen.debugger.adapter import wire
from ptxgen.debugger.adapter.requests import REQUESTS
from ptxgen.debugger.adapter.scopes import Scopes, thread_number
from ptxgen.errors import DebugError, Error

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.debugger.points import Stop
    from ptxgen.debugger.session import Session

__all__ = ["Adapter", "serve"]

_REASONS = {
    "start": "entry", "step": "step", "exited": "step", "breakpoint": "breakpoint", "watchpoint": "data breakpoint",
    "fault": "exception", "interrupted": "pause",
}  # fmt: skip


def serve(source: IO[bytes], sink: IO[bytes], start: Callable[[dict[str, Any]], Session]) -> None:
    """Until the editor disconnects or the stream ends. `start` makes a session of the arguments of a `launch` request, and
    raises an Error where it cannot."""
    adapter = Adapter(sink, start)
    worker = threading.Thread(target=adapter.work, name="ptxgen-dap")
    with redirect_stdout(_Output(adapter)):  # what kernels print
        worker.start()
        try:
            while not adapter.ended and (message := wire.read(source)) is not None:
                adapter.take(message)
        finally:
            adapter.take(None)
            worker.join()


class _Output(io.TextIOBase):
    """A stdout whose text the editor shows."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    def write(self, text: str) -> int:
        self._adapter.event("output", {"category": "stdout", "output": text})
        return len(text)


class Adapter:
    """One editor, and the session that it has launched. `points` are the numbers of its breakpoints by file."""

    def __init__(self, sink: IO[bytes], start: Callable[[dict[str, Any]], Session]) -> None:
        self._sink = sink
        self._start = start
        self._session: Session | None = None
        self._scopes: Scopes | None = None
        self._requests: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._after: list[Callable[[], None]] = []
        self._sending = threading.Lock()
        self._number = 0
        self.points: dict[str, list[int]] = {}
        self.stop_on_entry = True
        self.ended = False
        self._busy = False  # with a request, and with what follows its response

    # -- messages -----------------------------------------------------------------------------------------------------

    def take(self, message: dict[str, Any] | None) -> None:
        """A message of the editor; None is the end. `pause` interrupts the request that is at work."""
        if message is None or message.get("command") in ("pause", "disconnect", "terminate"):
            self._interrupt()
        if message is not None and message.get("command") in ("disconnect", "terminate"):
            self.ended = message["command"] == "disconnect"
        self._requests.put(message)

    def _interrupt(self) -> None:
        session = self._session
        if session is not None and self._busy:
            session.execution.interrupt()

    def work(self) -> None:
        """Answers requests, one after the other."""
        while (message := self._requests.get()) is not None:
            if message.get("type") != "request":
                continue
            self._busy = True
            self._answer(message)
            after, self._after = self._after, []
            for each in after:
                self._run(each)
            self._busy = False
            if self._session is not None:
                self._session.execution.forget_interrupt()
        self.end()

    def _answer(self, message: dict[str, Any]) -> None:
        command = message.get("command", "")
        told: dict[str, Any] = {"request_seq": message.get("seq", 0), "command": command, "success": True}
        try:
            if command != "pause":
                if command not in REQUESTS:
                    raise DebugError(f"the request {command!r} is not answered")
                told["body"] = REQUESTS[command](self, message.get("arguments") or {}) or {}
        except Error as wrong:
            told.update(success=False, message=str(wrong))
        except (KeyError, TypeError, ValueError) as wrong:
            told.update(success=False, message=f"wrong arguments of {command!r}: {type(wrong).__name__} {wrong}")
        self._send("response", told)

    def _run(self, work: Callable[[], None]) -> None:
        """What follows a response: the launch goes on, and stops."""
        try:
            work()
        except Error as wrong:
            self.event("output", {"category": "stderr", "output": f"{wrong}\n"})
            if self._session is not None:
                self.tell_stop(self._session.stop)

    def then(self, work: Callable[[], None]) -> None:
        """To do when the response is sent."""
        self._after.append(work)

    def event(self, name: str, body: dict[str, Any] | None = None) -> None:
        """Tells the editor of something."""
        self._send("event", {"event": name, "body": body or {}})

    def _send(self, kind: str, message: dict[str, Any]) -> None:
        with self._sending:
            self._number += 1
            try:
                wire.write(self._sink, {"seq": self._number, "type": kind, **message})
            except (OSError, ValueError):  # the editor is gone
                self.ended = True

    # -- the session --------------------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """Raises DebugError where nothing is launched."""
        if self._session is None:
            raise DebugError("nothing is launched yet")
        return self._session

    @property
    def scopes(self) -> Scopes:
        """Of the last stop."""
        if self._scopes is None:
            self._scopes = Scopes(self.session)
        return self._scopes

    def launch(self, arguments: dict[str, Any]) -> None:
        """Starts the session; it then wants to know of breakpoints."""
        if self._session is not None:
            raise DebugError("a launch is under way already")
        self._session = self._start(arguments)
        self._session.ptx = self._session.ptx or bool(arguments.get("ptx"))
        self.stop_on_entry = bool(arguments.get("stopOnEntry", True))
        self.then(lambda: self.event("initialized"))

    def hold(self, thread: int | None) -> None:
        """Takes a thread of the protocol in hand."""
        session = self.session
        if thread is None or session.thread is None or thread_number(session, session.thread) == thread:
            return
        chosen = self.scopes.thread(thread)
        session.take(chosen.state, chosen.lane)

    def tell_stop(self, stop: Stop) -> None:
        """An event: why and where."""
        self._scopes = None
        if stop.why == "end":
            self.event("output", {"category": "console", "output": f"{stop}\n"})
            self.event("terminated")
            return
        body: dict[str, Any] = {"reason": _REASONS[stop.why], "allThreadsStopped": True, "text": str(stop)}
        if stop.thread is not None:
            body["threadId"] = thread_number(self.session, stop.thread)
        if stop.breakpoints:
            body["hitBreakpointIds"] = [point.number for point in stop.breakpoints]
        if stop.fault is not None or stop.changes:
            self.event("output", {"category": "console", "output": f"{stop}\n"})
        self.event("stopped", body)

    def end(self) -> None:
        """The session is over."""
        session, self._session = self._session, None
        if session is not None:
            session.close()
            self.event("terminated")
