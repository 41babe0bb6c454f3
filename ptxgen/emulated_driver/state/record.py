"""What ran: counts of launches and what became of them, kept in files for a process that wants to know it of others.

Each process has two files: rows of JSON, and a count for each kernel in memory that is shared with the file. So nothing is lost
of a process that ends without a word: by a signal, by _exit, as workers of pytest-xdist and multiprocessing do.
"""

from __future__ import annotations

import os

from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.primitives import Lock
from driver_ctypes.typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from ptxgen.errors import Fault

__all__ = ["LaunchListener", "Ran", "read_records", "record_into", "recorded"]

_ROOM = 1 << 15
"""Kernels of a process that are counted each for itself; others are counted together."""


class Ran:
    """Of one process or several: launches by kernel, a kernel's first text of a refusal and of a fault, and what the sanitizer
    found, each mistake once."""

    def __init__(self) -> None:
        from collections import Counter

        self.processes = 0
        self.launches: Counter[str] = Counter()
        self.refused: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self.findings: list[str] = []

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "processes": self.processes, "launches": dict(self.launches), "refused": self.refused, "faults": self.faults,
            "findings": self.findings,
        }  # fmt: skip


class LaunchListener(Protocol):
    """Is told of each launch of this process: that it begins, and what became of it."""

    def launched(self, kernel: str) -> None: ...
    def refused(self, kernel: str, text: str) -> None: ...
    def faulted(self, kernel: str, fault: Fault) -> None: ...
    def found(self, text: str) -> None: ...


class LaunchRecord:
    """Writes what this process launches into a folder, from the first launch on. A child that Python forks has its own files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._begin()
        renew_in_child(self.__dict__, "_lock", Lock)
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._numbers: dict[str, int] = {}
        self._said: set[tuple[str, str]] = set()
        self._rows: int | None = None
        self._counts: memoryview | None = None

    def launched(self, kernel: str) -> None:
        """One more."""
        with self._lock:
            number = self._numbers.get(kernel)
            if number is None:
                number = self._numbers[kernel] = min(len(self._numbers), _ROOM - 1)
                self._write("kernel", kernel, number)
            if self._counts is not None:
                self._counts[number] += 1

    def refused(self, kernel: str, text: str) -> None:
        """It cannot be run."""
        self._once("refused", kernel, text)

    def faulted(self, kernel: str, fault: Fault) -> None:
        """It was ended by a mistake of its own."""
        self._once("fault", kernel, str(fault))

    def found(self, text: str) -> None:
        """The sanitizer did."""
        with self._lock:
            self._write("finding", "", text)

    def _once(self, what: str, kernel: str, text: str) -> None:
        with self._lock:
            if (what, kernel) not in self._said:
                self._said.add((what, kernel))
                self._write(what, kernel, text)

    def _write(self, *row: str | int) -> None:
        """One row, whole. Where the folder has gone, who wanted to know has ended."""
        import json
        import mmap
        import tempfile
        from pathlib import Path

        try:
            if self._rows is None:
                self._rows, name = tempfile.mkstemp(".rows", dir=self._folder)
                with open(Path(name).with_suffix(".counts"), "w+b") as file:
                    file.truncate(8 * _ROOM)
                    self._counts = memoryview(mmap.mmap(file.fileno(), 8 * _ROOM)).cast("Q")
            os.write(self._rows, json.dumps(row).encode() + b"\n")
        except OSError:
            self._counts = None


recorded: list[LaunchListener] = []
"""Who is told: each launch asks, so it is a list that is empty."""


def record_into(folder: Path) -> None:
    """Record what this process launches from now on, for as long as it lives."""
    recorded.append(LaunchRecord(folder))


def read_records(folder: Path) -> Ran:
    """What the processes did that recorded into a folder."""
    import json

    ran = Ran()
    for file in sorted(folder.glob("*.rows")):
        ran.processes += 1
        counts = memoryview(file.with_suffix(".counts").read_bytes()).cast("Q")
        named: dict[int, str] = {}
        for line in file.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break  # the process was ended while it wrote
            what, kernel, value = json.loads(line)
            if what == "kernel":
                named[value] = kernel if value not in named else "(others)"
            elif what == "finding":
                if value not in ran.findings:
                    ran.findings.append(value)
            else:
                (ran.refused if what == "refused" else ran.faults).setdefault(kernel, value)
        ran.launches.update({kernel: counts[number] for number, kernel in named.items()})
    return ran
