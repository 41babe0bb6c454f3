"""Many instructions, one verdict each, at 3 to 20 us an instruction.

One planted error makes the assembler skip code generation, and it reports every semantic error of a module with its line. A
syntax error ends the module: what follows the line is asked again. What an error may have hidden is asked again, and what it may
have spoilt is asked alone. An instruction that crashes the assembler, or hangs it, is found by splitting the batch.
"""

from __future__ import annotations

import re
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.assembler import Assembler, assemblers, nvjitlink
from ptxgen.assembler.pool import WorkerDied, WorkerHung, cpu_count
from ptxgen.executors import in_pieces
from ptxgen.isa.examples import declarations
from ptxgen.isa.targets import TARGETS, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.isa.targets import Target

__all__ = ["CRASH", "Place", "Tool", "find_tool", "module_head"]

CRASH = "the assembler crashed or gave no answer"
BATCH = 2000
TIME_LIMIT = 5.0  # seconds for a batch that takes 30 ms
PARTS = 16  # what a batch that ended badly is split into: each level of a hang costs the time limit

_MESSAGE = re.compile(r"(<builtin>, )?line (\d+); (\w+)\s*: (.*)")
_PLANTED = "planted.u32 %r1;"


class _OwnLine(Exception):
    """A message about a line of the batch's head, its own fault, or about an expansion's: that has no line here."""


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


Part = tuple[Place, tuple[str, ...]]
"""A batch: where, and its instructions."""


class Tool:
    """One nvJitLink, asked in worker processes. `targets` and `versions` are what it knows, oldest first. The workers
    of an `executor` ask the nvJitLink of the same version where they are."""

    def __init__(self, path: str, name: str, targets: Iterable[str], executor: Executor | None = None) -> None:
        self.executor = executor
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
        found: dict[int, str] = {}
        for at in range(0, len(lines), BATCH):
            asked = list(range(at, min(at + BATCH, len(lines))))
            while asked and (refused := self._refused(lines, asked, place)):
                found |= refused
                suspects = {_opcode(lines[i]) for i in refused}
                asked = [i for i in asked if i not in found and _opcode(lines[i]) in suspects]
        for i, words in found.items():
            if _foreign(words, lines[i]):
                alone = self._refused(lines, [i], place)
                found[i] = alone.get(i, "")
        return [found.get(i) or None for i in range(len(lines))]

    def _refused(self, lines: list[str], asked: list[int], place: Place) -> dict[int, str]:
        """What the assembler refuses of a batch, by its index; {} only when it accepts all of them together.

        Some instructions are sequences of others to the assembler, and the errors of those it reports once a module: the rest
        of that opcode has to be asked again.
        """
        self.asked += len(asked)
        found: dict[int, str] = {}
        pending = [asked]
        while pending:
            batch = pending.pop()
            try:
                log = self._log([lines[i] for i in batch], place)
                told, fatal = _read(log, len(module_head(place)), len(batch))
            except (WorkerDied, WorkerHung, _OwnLine) as refusal:
                if len(batch) == 1:
                    found[batch[0]] = self._alone(refusal, place)
                else:
                    step = -(-len(batch) // PARTS)
                    pending += [batch[at : at + step] for at in range(0, len(batch), step)]
                continue
            found |= {batch[at]: words for at, words in told.items()}
            if fatal is not None and fatal + 1 < len(batch):
                pending.append(batch[fatal + 1 :])
        return found

    def _alone(self, refusal: Exception, place: Place) -> str:
        """The verdict about the one instruction of a batch that ended so; RuntimeError when the batch without it does too."""
        if not isinstance(refusal, _OwnLine):
            return CRASH
        try:
            _read(self._log([], place), len(module_head(place)), 0)
        except _OwnLine as own:
            raise RuntimeError(f"the batch's own {own}") from None
        return str(refusal)

    def _log(self, lines: list[str], place: Place) -> str:
        text = "\n".join([*module_head(place), *lines, _PLANTED, *MODULE_TAIL])
        return nvjitlink.run(self.path, text.encode(), place.target, (), "batch.ptx", TIME_LIMIT)[1]

    def many(self, jobs: dict[Place, list[str]]) -> dict[Place, list[str | None]]:
        """Verdicts of several places, a batch a piece of work: of the executor's workers, else of a thread a processor."""
        parts = [
            (place, tuple(lines[at : at + BATCH]))
            for place, lines in jobs.items()
            for at in range(0, len(lines), BATCH)
        ]
        if self.executor is not None:
            told = dict(in_pieces(self.executor, partial(_verdicts_by, self.name), parts, size=1))
            self.asked += sum(len(lines) for _, lines in parts)
        else:
            with ThreadPoolExecutor(cpu_count()) as threads:
                told = dict(zip(parts, threads.map(lambda part: self.verdicts(list(part[1]), part[0]), parts)))
        found: dict[Place, list[str | None]] = {place: [] for place in jobs}
        for part in parts:
            found[part[0]] += told[part]
        return found


def _read(log: str, head: int, count: int) -> tuple[dict[int, str], int | None]:
    """The messages of a log by instruction; the place of the syntax error that ended it, if one did."""
    found: dict[int, str] = {}
    fatal = None
    heard = False
    for message in _MESSAGE.finditer(log):
        builtin, line, severity, words = message.groups()
        if severity in ("warning", "info"):
            continue
        heard = True
        at = int(line) - 1 - head
        if at < 0 or builtin:
            raise _OwnLine(f"line {line} is refused: {words}")
        if at < count:
            found[at] = f"{found[at]}; {words}" if at in found else words
            if severity == "fatal":
                fatal = at
    if not heard:
        raise RuntimeError(f"no verdict in the log: {log[:500]!r}")
    return found, fatal


_NAMED = re.compile(r"instruction '([a-z0-9]+)")


def _foreign(words: str, line: str) -> bool:
    """Do the words name another instruction, or a parameter of one? Then a neighbour's error may have caused them."""
    return "formal parameter" in words or any(name != _opcode(line) for name in _NAMED.findall(words))


def _opcode(line: str) -> str:
    return line.partition(" ")[0].partition(".")[0].rstrip(";")


def _installed() -> list[Assembler]:
    """The nvJitLinks of this machine that start, the newest first."""
    return [found for found in assemblers() if found.name == "nvjitlink" and found.available]


@lru_cache
def _named(name: str) -> Tool:
    """This machine's nvJitLink of that name and version. RuntimeError where there is none."""
    for found in _installed():
        if str(found) == name:
            return Tool(found.path, name, found.targets)
    raise RuntimeError(f"no {name} here; the certification asks one version everywhere")


def _verdicts_by(name: str, parts: list[Part]) -> list[list[str | None]]:
    """What an executor's worker does: the verdicts on batches."""
    tool = _named(name)
    return [tool.verdicts(list(lines), place) for place, lines in parts]


def find_tool(path: str | None = None) -> Tool | None:
    """The nvJitLink at `path`, or the newest of this machine; None when there is none."""
    for found in _installed():
        if path in (None, found.path):
            return Tool(found.path, str(found), found.targets)
    if path is not None:
        version, targets = nvjitlink.about(path)
        return Tool(path, f"nvjitlink {version}", targets)
    return None
