"""Build the documentation site: its pages, Sphinx, and checks of the result. `tools/dev.py docs` starts it.

tools/dev.py docs                 every page, into build/docs/html
tools/dev.py docs --quick         the documents and a sample of the generated pages
tools/dev.py docs --serve [PORT]  then offer them to a browser on this machine
tools/dev.py docs --browser       then look at pages as a phone and a desk show them (needs Chromium)
"""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools.site import browser, checks, diagnostics, instructions, interface
from tools.site.narrative import DOCS, ROOT, narrative_pages
from tools.site.pages import Page, write_pages

__all__ = ["build", "main", "pages"]

FOLDER = ROOT / "build" / "docs"
SAMPLE = 6
"""How many pages of each kind a quick build has."""


def pages(source: Path, *, quick: bool = False) -> Iterator[Page]:
    """Every page of the site; `source` is the folder that they will lie in."""
    sample = SAMPLE if quick else None
    yield from narrative_pages((instructions.INDEX, diagnostics.INDEX, interface.INDEX), source)
    yield from instructions.instruction_pages(sample)
    yield from diagnostics.diagnostic_pages(sample)
    yield from interface.interface_pages(2 if quick else None)


def build(folder: Path, *, quick: bool = False, jobs: int | None = None) -> list[str]:
    """Make folder/html; what is wrong with it, a line each: a warning of Sphinx, a link that leads nowhere, a request."""
    from sphinx.cmd.build import build_main

    began = time.perf_counter()
    source, html = folder / "source", folder / "html"
    count = write_pages(pages(source, quick=quick), source)
    written = time.perf_counter()
    jobs = jobs or len(os.sched_getaffinity(0))
    flags = ["-b", "html", "-q", "-n", "-j", str(jobs), "-c", str(DOCS), "-d", str(folder / "doctrees")]
    log = folder / "warnings.txt"
    status = build_main([*flags, "-w", str(log), str(source), str(html)])
    made = time.perf_counter()
    problems = log.read_text("utf-8").splitlines() or ["Sphinx failed"] * bool(status)
    problems += checks.problems(html)
    steps = f"text {written - began:.0f} s, Sphinx {made - written:.0f} s, checks {time.perf_counter() - made:.0f} s"
    print(f"{count} pages ({steps}): {len(problems)} problems", file=sys.stderr)
    return problems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tools/dev.py docs", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a sample of the generated pages")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to (default: build/docs)")
    parser.add_argument(
        "--serve", type=int, nargs="?", const=8000, metavar="PORT", help="offer the pages on this machine"
    )
    parser.add_argument("--browser", action="store_true", help="look at pages in Chromium, and keep pictures of them")
    given = parser.parse_args(arguments)
    folder = given.folder.absolute()
    problems = build(folder, quick=given.quick)
    if given.browser:
        problems += browser.look(folder / "html", folder / "pictures")
    print("\n".join(problems), file=sys.stderr)
    print(folder / "html" / "index.html")
    if given.serve is not None:
        serve(folder / "html", given.serve)
    return int(bool(problems))


def serve(html: Path, port: int) -> None:
    """The pages over HTTP, until interrupted."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(html))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/", file=sys.stderr)
        server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
