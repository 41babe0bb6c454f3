"""What a page of the site is, and the few constructs of Markdown that generated pages have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Page", "block", "code", "contents", "plain", "table", "write_pages"]


class Page(NamedTuple):
    """A file of the source tree: its path there, and its text. A page in no list of contents is an orphan for Sphinx."""

    path: str
    text: str


def plain(text: str) -> str:
    """Text as Markdown that shows it as it is, also in a cell of a table."""
    return re.sub(r"([\\`*_\[\]<>|{}#$~^])", r"\\\1", text.replace("\n", " "))


def code(text: str) -> str:
    """Text in the font of programs, also in a cell of a table; nothing for nothing."""
    return f"`{text}`".replace("|", "\\|") if text else ""


def block(text: str, language: str) -> str:
    """A block of code; its fence is longer than any in the text."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; short rows are filled up."""
    lines = [list(head), ["---"] * len(head), *([*row, *[""] * (len(head) - len(row))] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def contents(names: Iterable[str], caption: str = "") -> str:
    """A list of contents that Sphinx shows beside the pages."""
    said = f":caption: {caption}\n" if caption else ""
    return "```{toctree}\n:hidden:\n" + said + "\n" + "".join(f"{name}\n" for name in names) + "```\n"


def write_pages(pages: Iterable[Page], folder: Path) -> int:
    """Put the pages into the folder and take out all others. What has not changed is not touched, so that a later build of
    the site is quick. How many pages there are."""
    wanted = {folder / page.path: page.text for page in pages}
    for old in sorted(folder.rglob("*")):
        if old.is_file() and old not in wanted:
            old.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return len(wanted)
