"""The tools of the sanitizer, by name, and where their findings are collected."""

from __future__ import annotations

import threading

from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ptxgen.cpu.sanitizer.findings import Finding

__all__ = ["TOOLS", "Sanitizer", "chosen_tools", "set_locator"]

TOOLS = ("asynccheck", "initcheck", "memcheck", "racecheck", "synccheck")
"""Those that there are."""


def chosen_tools(names: Iterable[str]) -> frozenset[str]:
    """The tools of these names, of which "all" is every one; ValueError for a name that no tool has, and without any."""
    found = [name.strip() for name in names if name.strip()]
    if found == ["all"]:
        return frozenset(TOOLS)
    for name in found:
        if name not in TOOLS:
            raise ValueError(f"the CPU device has no tool {name!r}: there are {', '.join(TOOLS)}")
    if not found:
        raise ValueError(f"no tool is named: there are {', '.join(TOOLS)}")
    return frozenset(found)


_locate: list[Callable[[Finding], Finding]] = [lambda finding: finding]


def set_locator(locate: Callable[[Finding], Finding]) -> None:
    """Let whoever made the PTX that kernels come as add to findings the lines that it was made from."""
    _locate[0] = locate


class Sanitizer:
    """The tools that are on, and what they have found so far, each finding once. Safe to use from several threads."""

    def __init__(self, tools: Iterable[str]) -> None:
        self.tools = chosen_tools(tools)
        self._lock = threading.Lock()
        self._found: dict[tuple[object, ...], Finding] = {}
        self._told = 0
        self.listeners: list[Callable[[Finding], None]] = []

    def __repr__(self) -> str:
        return f"<sanitizer {','.join(sorted(self.tools))}: {len(self._found)} findings>"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """In the order in which they were found."""
        with self._lock:
            return tuple(self._found.values())

    def add(self, finding: Finding) -> None:
        """Keeps a finding, unless the same one is there."""
        finding = _locate[0](finding)
        with self._lock:
            if finding.key in self._found:
                return
            self._found[finding.key] = finding
        for tell in self.listeners:
            tell(finding)

    def untold(self) -> tuple[Finding, ...]:
        """Those that no earlier call has given."""
        with self._lock:
            found = tuple(self._found.values())[self._told :]
            self._told = len(self._found)
        return found
