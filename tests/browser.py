"""A browser without a window, for tests of pages: what a page says to the console, how wide it is, what it looks like.

It is driven through pipes by the browser's own protocol (Chrome DevTools Protocol): no port is opened and no package is needed.
"""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Page", "browser"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
)  # fmt: skip


class Page:
    """A tab. `complaints` are the console's errors and warnings, exceptions of scripts, and what could not be loaded; `requests`
    the addresses that were asked for."""

    def __init__(self, read: IO[bytes], write: IO[bytes]) -> None:
        self._read, self._write = read, write
        self._numbers = itertools.count(1)
        self._events: list[dict[str, Any]] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command of the protocol; its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        text = bytearray()
        while not text.endswith(b"\0"):
            byte = self._read.read(1)
            assert byte, "the browser has gone"
            text += byte
        answer: dict[str, Any] = json.loads(text[:-1])
        self._note(answer.get("method", ""), answer.get("params", {}))
        self._events.append(answer)
        return answer

    def _note(self, event: str, told: dict[str, Any]) -> None:
        if event == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(told["args"]))
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"]))
        elif event == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(told["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        """The window's, in pixels, and its colours."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme)

    def open(self, path: Path) -> None:
        """Loads a file, to its end."""
        self._events.clear()
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
            self._next()

    def value(self, expression: str) -> Any:
        """Of a JavaScript expression on the page."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def close(self) -> None:
        """Ends the browser."""
        self._session = None
        self.ask("Browser.close")

    def picture(self) -> bytes:
        """The window as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])


@contextmanager
def browser() -> Iterator[Page]:
    """A page of a new browser; the test is skipped where this machine has none."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser to look at a page with: none of {', '.join(NAMES)} is installed")
    theirs_in, ours_out = _pipe()
    ours_in, theirs_out = _pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", _START, str(theirs_in), str(theirs_out), program, *FLAGS, f"--user-data-dir={folder}"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        with os.fdopen(ours_in, "rb") as read, os.fdopen(ours_out, "wb", 0) as write:
            try:
                page = Page(read, write)
                yield page
                page.close()
            finally:
                process.kill()
                process.wait()


_START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
"""The browser reads from its file 3 and writes to its file 4."""


def _pipe() -> tuple[int, int]:
    """(end to read from, end to write to), neither of them one of those that the browser asks for."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
