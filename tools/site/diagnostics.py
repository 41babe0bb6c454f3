"""A page for each diagnostic code, as `ptxgen explain CODE` prints it, and the list of them."""

from __future__ import annotations

from collections.abc import Iterator

from ptxgen.codes import GROUPS, group
from ptxgen.codes.index import INDEX as CODES
from ptxgen.codes.lookup import code_row
from ptxgen.verifier.explanation import explain
from tools.site.explained import explained, titled
from tools.site.pages import Page, plain, table

__all__ = ["INDEX", "diagnostic_pages"]

INDEX = "codes/index"


def diagnostic_pages(sample: int | None = None) -> Iterator[Page]:
    """Every code, or a sample of them, and the list."""
    codes = list(CODES)
    chosen = codes if sample is None else codes[:: max(1, len(codes) // sample)]
    for each in chosen:
        yield Page(f"codes/{each}.md", _page(each))
    yield Page(f"{INDEX}.md", _index(chosen))


def _page(name: str) -> str:
    row = code_row(name)
    assert row is not None
    language = "python" if row.python else "jinja" if row.template else "ptx"
    page = explain(name)
    return f"---\norphan: true\n---\n\n[Diagnostics](/{INDEX}.md)\n\n{titled(page)}\n{explained(page, {}, language)}"


def _index(codes: list[str]) -> str:
    parts = [
        "# Diagnostics\n",
        "Every finding has a code, which keeps its meaning. [Mistakes](/mistakes.md) shows what is said about common ones, "
        "[Checking a program](/checking.md) how findings are asked for and suppressed.\n",
    ]
    for digit, heading in GROUPS.items():
        rows = [(f"[{c}]({c}.md)", plain(CODES[c].meaning)) for c in codes if c[3] == digit]
        if rows:
            assert all(group(c) == heading for c in codes if c[3] == digit)
            parts += [f"## {heading[0].upper()}{heading[1:]}\n", table(("code", "meaning"), rows)]
    return "\n".join(parts)
