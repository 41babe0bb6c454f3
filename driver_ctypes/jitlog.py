"""What the driver's PTX compiler wrote, as data: messages with their PTX lines, and each kernel's resources.

The format is that of ptxas inside the driver (recorded from driver 580): ``ptxas application ptx input, line 8; error
: Arguments mismatch for instruction 'add'``, without file and line ``ptxas fatal   : ...``, from the loader ``error   :
...``, and continuation lines ``ptxas         .     0 bytes stack frame, ...``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_MESSAGE = re.compile(
    r"(?:ptxas\s+)?(?:.*?, line (?P<line>\d+);\s*)?(?P<severity>info|warning|error|fatal)\s*:\s?(?P<text>.*)"
)
_CONTINUATION = re.compile(r"ptxas\s+\.\s*(?P<text>.*)")
_FUNCTION = re.compile(
    r"Compiling entry function '(?P<compiled>[^']+)'|Function properties for (?P<properties>[^\s;]+)"
)
_AMOUNTS: dict[str, re.Pattern[str]] = {
    "registers": re.compile(r"Used (\d+) registers"),
    "barriers": re.compile(r"used (\d+) barriers"),
    "shared": re.compile(r"(\d+) bytes smem"),
    "stack": re.compile(r"(\d+) bytes stack frame"),
    "spill_stores": re.compile(r"(\d+) bytes spill stores"),
    "spill_loads": re.compile(r"(\d+) bytes spill loads"),
}
_CONSTANT = re.compile(r"(\d+) bytes cmem\[\d+\]")


class JitMessage(NamedTuple):
    """One message of the log. ``line`` counts PTX lines from 1; None where the compiler named no line."""

    severity: str
    line: int | None
    text: str

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line is not None else ""
        return f"{self.severity}{where}: {self.text}"


class Resources(NamedTuple):
    """What one kernel uses, as its compiler says: bytes, but for registers (for each thread) and barriers."""

    registers: int = 0
    barriers: int = 0
    shared: int = 0
    constant: int = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0


def parse(log: str) -> tuple[JitMessage, ...]:
    """The messages of an error or info log. A line of no known form continues the message before it."""
    messages: list[JitMessage] = []
    for line in filter(None, map(str.strip, log.splitlines())):
        found = _MESSAGE.fullmatch(line)
        if found:
            number = found["line"]
            messages.append(JitMessage(found["severity"], int(number) if number else None, found["text"].strip()))
            continue
        continuation = _CONTINUATION.fullmatch(line)
        text = continuation["text"].strip() if continuation else line
        if messages:
            last = messages[-1]
            messages[-1] = last._replace(text=f"{last.text}; {text}")
        else:
            messages.append(JitMessage("info", None, text))
    return tuple(messages)


def resources(info_log: str) -> dict[str, Resources]:
    """Resources of each function that the info log speaks of, by name; empty where the driver took its binary cache."""
    found: dict[str, Resources] = {}
    name: str | None = None
    for message in parse(info_log):
        named = _FUNCTION.search(message.text)
        if named:
            name = named["compiled"] or named["properties"]
        if name is None:
            continue
        known = {key: int(match[1]) for key, what in _AMOUNTS.items() if (match := what.search(message.text))}
        constant = sum(map(int, _CONSTANT.findall(message.text)))
        if constant:
            known["constant"] = constant
        found[name] = found.get(name, Resources())._replace(**known)
    return found
