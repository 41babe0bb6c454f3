"""Two texts, line by line: the one home of unified differences."""

from __future__ import annotations

import difflib

__all__ = ["text_difference"]


def text_difference(old: str, new: str, old_name: str = "old", new_name: str = "new") -> list[str]:
    """The lines of a unified difference; [] where the texts are equal line by line, whatever their line ends."""
    return list(difflib.unified_diff(old.splitlines(), new.splitlines(), old_name, new_name, lineterm=""))
