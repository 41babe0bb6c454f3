"""Many instructions, one verdict each, at 3 to 20 us an instruction.

One planted error makes the assembler skip code generation, and it reports every semantic error of a module with its line. A
syntax error ends the module: what follows the line is asked again. An instruction that crashes the assembler, or hangs it, is
found by halving.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.assemble import assemblers, nvjitlink
from ptxgen.assemble.pool import WorkerDied, WorkerHung, cpu_count
from ptxgen.isa.examples import declarations
from ptxgen.isa.targets import TARGETS, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.isa.targets import Target

__all__ = ["CRASH", "Place", "Tool", "find_tool", "module_head"]

CRASH = "the assembler crashed or gave no answer"
BATCH = 2000
TIME_LIMIT = 20.0  # seconds for a batch that takes 30 ms

_MESSAGE = re.compile(r"line (\d+); (\w+)\s*: (.*)")
_PLANTED = "planted.u32 %r1;"


class Place(NamedTuple):
    """Where an instruction is judged: a PTX version, a target, and whether in a device function."""

    version: tuple[int, int]
    target: str
    in_function: bool = False


def module_head(place: Place) -> list[str]:
    """The lines before the instructions: every register and name that they use."""
    kind = ".func f(.param .b64 parameter) {" if place.in_function else ".visible .entry k(.param .b64 parameter) {"
    return [
        f".version {place.version[0]}.{place.version[1]}",
        f".target {place.target}",
        ".address_size 64",
        ".func callee() { ret; }",
        kind,
        declarations(place.version) + " TARGETS: .branchtargets DONE;",
    ]


MODULE_TAIL = ["DONE: ret;", "}"]


class Tool:
    """One nvJitLink, asked in worker processes. `targets` and `versions` are what it knows, oldest first."""

    def __init__(self, path: str, name: str, targets: Iterable[str]) -> None:
        self.path = path
        self.name = name
        self.targets: list[Target] = [t for t in TARGETS.values() if t.name in set(targets)]
        self.versions = [v for v in VERSIONS if v >= self.targets[0].since and self._knows(v)]
        self.asked = 0

    def _knows(self, version: tuple[int, int]) -> bool:
        newest = self.targets[-1].name if version >= self.targets[-1].since else self.targets[0].name
        text = f".version {version[0]}.{version[1]}\n.target {newest}\n.address_size 64\n"
        _, log = nvjitlink.run(self.path, text.encode(), newest, (), "version.ptx", TIME_LIMIT)
        return "Unsupported .version" not in log

    def verdicts(self, lines: list[str], place: Place) -> list[str | None]:
        """For each instruction None if it is accepted, else the assembler's words."""
        self.asked += len(lines)
        found: list[str | None] = [None] * len(lines)
        pending = [(at, min(at + BATCH, len(lines))) for at in range(0, len(lines), BATCH)]
        while pending:
            start, stop = pending.pop()
            try:
                log = self._log(lines[start:stop], place)
            except (WorkerDied, WorkerHung):
                if stop - start == 1:
                    found[start] = CRASH
                else:
                    middle = (start + stop) // 2
                    pending += [(start, middle), (middle, stop)]
                continue
            fatal = self._read(log, found, start, stop, len(module_head(place)))
            if fatal is not None and fatal + 1 < stop:
                pending.append((fatal + 1, stop))
        return found

    def _log(self, lines: list[str], place: Place) -> str:
        text = "\n".join([*module_head(place), *lines, _PLANTED, *MODULE_TAIL])
        return nvjitlink.run(self.path, text.encode(), place.target, (), "batch.ptx", TIME_LIMIT)[1]

    def _read(self, log: str, found: list[str | None], start: int, stop: int, head: int) -> int | None:
        """Enter the messages of a log; the place of the syntax error that ended it, if one did."""
        fatal = None
        heard = False
        for message in _MESSAGE.finditer(log):
            if message[2] in ("warning", "info"):
                continue
            heard = True
            at = start + int(message[1]) - 1 - head
            if at < start:
                raise RuntimeError(f"the batch's own line {message[1]} is refused: {message[3]}")
            if at < stop:
                found[at] = f"{found[at]}; {message[3]}" if found[at] else message[3]
                if message[2] == "fatal":
                    fatal = at
        if not heard:
            raise RuntimeError(f"no verdict in the log: {log[:500]!r}")
        return fatal

    def many(self, jobs: dict[Place, list[str]]) -> dict[Place, list[str | None]]:
        """Verdicts of several places, one a processor at a time."""
        with ThreadPoolExecutor(cpu_count()) as threads:
            return dict(zip(jobs, threads.map(lambda place: self.verdicts(jobs[place], place), jobs)))


def find_tool(path: str | None = None) -> Tool | None:
    """The nvJitLink at `path`, or the newest of this machine; None when there is none."""
    for found in assemblers():
        if found.name == "nvjitlink" and found.available and path in (None, found.path):
            return Tool(found.path, str(found), found.targets)
    if path is not None:
        version, targets = nvjitlink.about(path)
        return Tool(path, f"nvjitlink {version}", targets)
    return None
