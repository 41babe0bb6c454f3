"""The page: one HTML document that needs nothing else.

Whoever wrote the PTX has written the page's names, comments and lines: every one of them is escaped by the template, and the
browser is told to run no script but the page's own, by its hash, and to fetch nothing.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxgen.report.contents import contents_of
from ptxgen.report.metrics import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jinja2

    from ptxgen.cpu.profiler.counts import LaunchCounts
    from ptxgen.cpu.sanitizer.findings import Finding
    from ptxgen.ir import Module
    from ptxgen.report.contents import Contents, Row

__all__ = ["html_report"]

_TEMPLATES = Path(__file__).parent / "templates"


def html_report(
    module: Module,
    kernel: str | None = None,
    *,
    launch: LaunchCounts | None = None,
    findings: Sequence[Finding] | None = None,
    threads: int | None = None,
    shared: int = 0,
    tool: str = "auto",
    folders: Sequence[str] = (),
) -> str:
    """The page of one kernel, as HTML text.

    kernel: its name, where the module has several. launch: what `px.profile` counted of it. findings: what `px.sanitize` found;
    None where it did not watch. threads, shared, tool: as for `px.analyze`. folders: of the files that `.loc` names, those in
    these folders are shown. Raises VerifyError for a module with errors, AssembleError for one that the assembler refuses,
    KeyError for a kernel that is not there.
    """
    contents = contents_of(
        module, kernel, launch=launch, findings=findings, threads=threads, shared=shared, tool=tool, folders=folders
    )
    return _environment().get_template("page.html.j2").render(page=contents, values=_values(contents))


def _values(contents: Contents) -> dict[int, str]:
    """By number of a line, its metrics with commas between, for the script; "" for what has none."""
    return {
        row.line.number: ",".join(_value(row, contents)) for row in contents.rows if row.line.instruction is not None
    }


def _value(row: Row, contents: Contents) -> list[str]:
    found = []
    for metric in contents.metrics:
        number = row.alive if metric.of_text else metric.of(row.counts) if row.counts is not None else None
        found.append("" if number is None else f"{number:.15g}")
    return found


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters["short"] = short
    made.globals.update(style=_file("style.css"), script=_file("script.js"), script_hash=_hash("script.js"))
    return made


def _file(name: str) -> Any:
    """A file of the page itself, which is not escaped."""
    from markupsafe import Markup

    return Markup((_TEMPLATES / name).read_text("utf-8").strip())


def _hash(name: str) -> str:
    """As a Content-Security-Policy names a script."""
    digest = hashlib.sha256(str(_file(name)).encode()).digest()
    return f"sha256-{b64encode(digest).decode()}"
