"""What a fuzz target is, and how one is found by its name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["Target", "Wrong", "load", "names", "reduced"]


class Wrong(Exception):
    """An answer that is not the expected one."""


class Target:
    """A part that takes inputs. A case is text, so that it can be kept in a file."""

    seconds = 5.0
    """After so long a case hangs."""

    def draw(self, rng: Random) -> str:
        """The next case."""
        raise NotImplementedError

    def judge(self, case: str) -> None:
        """Try the case. Whatever is raised is a finding: what the part may raise is caught here."""
        raise NotImplementedError


def names() -> list[str]:
    """The targets that there are."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def load(name: str) -> Target:
    """The target of that name (with a dot, of that module), ready for its first case."""
    found: Target = import_module(name if "." in name else f"tools.fuzz.{name}").target()
    return found


def reduced(case: str, still: Callable[[str], bool], tries: int = 300) -> str:
    """The case without the lines that its finding does not need, by halves, quarters and so on."""
    lines = case.splitlines(keepends=True)
    size = len(lines) // 2
    while size and tries:
        at = 0
        while at < len(lines) and tries:
            tries -= 1
            fewer = lines[:at] + lines[at + size :]
            if still("".join(fewer)):
                lines = fewer
            else:
                at += size
        size //= 2
    return "".join(lines)
