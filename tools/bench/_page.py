"""docs/performance.md: a section for each benchmark, written from its rows by `tools/dev.py bench NAME... --write`. A page of
docs/ that has the marks of a benchmark gets its section instead, without a heading.

Standard library alone: dev.py imports it on machines that have nothing else.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

__all__ = ["home", "means", "section", "updated", "write"]

HEAD = """# Performance

Written by `tools/dev.py bench NAME... --write`; nobody edits it by hand. A section names the machine that its figures come
from. All of its rows come from one run, in which ours and the peers take turns. The ratio is the best peer's figure over ours.
The floor is what no program can be faster than; each benchmark says how it is computed.
"""
BEGIN, END = "<!-- bench {} -->", "<!-- end of {} -->"
TABLE = ": "
"""Behind the name of the table that a row belongs to, in the row's name."""


def means(rows: Sequence[dict[str, Any]]) -> dict[str, tuple[float, float, int]]:
    """By table: geometric mean and least of the ratios to the best peer, and how many there are."""
    ratios = {table: [row["ratio"] for row in found if row["ratio"]] for table, found in _tables(rows).items()}
    return {table: (geometric_mean(each), min(each), len(each)) for table, each in ratios.items() if each}


def home(docs: Path, name: str) -> Path:
    """The page that a benchmark's section belongs to: the one that has its marks, else performance.md."""
    pages = sorted(docs.rglob("*.md"))
    return next((page for page in pages if BEGIN.format(name) in page.read_text("utf-8")), docs / "performance.md")


def section(name: str, source: str, rows: Sequence[dict[str, Any]], machine: str, *, heading: bool = True) -> str:
    """Markdown for one benchmark, whose text is `source`."""
    about = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0].replace("\n", " ")
    parts = [BEGIN.format(name), *[f"## {name}"] * heading, f"{about} On {machine}, by `tools/dev.py bench {name}`."]
    found = means(rows)
    for table, each in _tables(rows).items():
        parts += [f"### {table}"] * bool(table)
        parts.append(_table(each))
        if table in found:
            mean, least, count = found[table]
            parts.append(f"Geometric mean of {count} ratios {mean:.3f}, least {least:.3f}.")
        if len(each) > 2 and all(row["ratio"] for row in each):
            parts.append(_chart(each))
    return "\n\n".join([*parts, END.format(name)]) + "\n"


def updated(page: str, name: str, text: str) -> str:
    """The page with this section in the place of the old one, or behind the others."""
    begin, end = page.find(BEGIN.format(name)), page.find(END.format(name))
    if begin < 0 or end < 0:
        return f"{page.rstrip()}\n\n{text}"
    return page[:begin] + text + page[end + len(END.format(name)) + 1 :]


def write(path: Path, texts: dict[str, str]) -> None:
    """Put sections by name into the page at `path`."""
    page = path.read_text() if path.exists() else HEAD
    for name, text in texts.items():
        page = updated(page, name, text)
    path.write_text(page)


def _tables(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        table, colon, _ = row["name"].partition(TABLE)
        found[table if colon else ""].append(row)
    return found


def _table(rows: Sequence[dict[str, Any]]) -> str:
    peers = list(dict.fromkeys(peer for row in rows for peer in row["peers"]))
    has = {"ratio": any(row["ratio"] for row in rows), "floor": any(row["floor"] for row in rows)}
    head = ["", "unit", "ours", *peers, *["best peer / ours"] * has["ratio"], *["floor / ours"] * has["floor"]]
    lines = [head, ["---", "---", *["--:"] * (len(head) - 2)]]
    for row in rows:
        line = [_short(row), row["unit"], _figure(row["ours"]), *(_figure(row["peers"].get(peer)) for peer in peers)]
        line += [f"{row['ratio']:.3f}" if row["ratio"] else ""] * has["ratio"]
        line += [f"{row['floor'] / row['ours']:.0%}" if row["floor"] else ""] * has["floor"]
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _short(row: dict[str, Any]) -> str:
    table, colon, rest = str(row["name"]).partition(TABLE)
    return rest if colon else table


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}" if value >= 1000 else f"{value:.4g}"


def _chart(rows: Sequence[dict[str, Any]]) -> str:
    """Bars of the ratios, and a line at 1, as Mermaid that code hosts draw."""
    names = ", ".join(f'"{_short(row)}"' for row in rows)
    bars = ", ".join(f"{row['ratio']:.3f}" for row in rows)
    ones = ", ".join("1" for _ in rows)
    top = max(1.5, max(row["ratio"] for row in rows))
    return (
        f'```mermaid\nxychart-beta horizontal\n    x-axis [{names}]\n    y-axis "best peer / ours" 0 --> {top:.1f}\n'
        f"    bar [{bars}]\n    line [{ones}]\n```"
    )
