"""Built pages in Chromium without a window, as wide as a phone and as a desk.

A page is right when it is not wider than the screen and writes no error to the console. Pictures are kept.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

__all__ = ["PAGES", "WIDTHS", "chromium", "look"]

WIDTHS = {"phone": (390, 844), "desk": (1280, 900)}
PAGES = ("index", "performance", "api/ptxgen-builder", "isa/cp.async.bulk", "codes/PTX412")
"""Looked at where nothing else is said: prose, wide tables, long signatures, an instruction, a code."""


def chromium() -> str | None:
    """The browser of this machine."""
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


def look(html: Path, pictures: Path, pages: tuple[str, ...] = PAGES) -> list[str]:
    """What is wrong with these pages at each width; a picture of each goes to `pictures`."""
    program = chromium()
    if program is None:
        return ["no Chromium here to look at pages with (Debian, Ubuntu: apt-get install chromium)"]
    html = html.absolute()
    pictures.mkdir(parents=True, exist_ok=True)
    found = []
    for page in pages:
        if not (html / f"{page}.html").exists():
            continue
        for screen, size in WIDTHS.items():
            wrong = _shown(program, html, page, size, pictures / f"{page.replace('/', '-')}-{screen}.png")
            found += [f"{page} on a {screen}: {each}" for each in wrong]
    return found


_FRAME = """<!doctype html><title>waiting</title>
<iframe id="page" style="width: {width}px; height: {height}px; border: 0; display: block" src="{page}"></iframe>
<style>body {{ margin: 0 }}</style>
<script>
const frame = document.getElementById("page");
const errors = [];
frame.contentWindow.addEventListener("error", event => errors.push(event.message));
frame.addEventListener("load", () => setTimeout(() => {{
  const root = frame.contentDocument.documentElement;
  document.title = JSON.stringify({{ needed: root.scrollWidth, given: root.clientWidth, errors: errors }});
}}, 100));
</script>"""
"""A page in a frame of the screen's width: a window of Chromium is never narrower than 500 pixels."""


def _shown(program: str, html: Path, page: str, size: tuple[int, int], picture: Path) -> list[str]:
    """What is wrong with a page that is shown at that size."""
    width, height = size
    with tempfile.TemporaryDirectory() as scratch:
        frame = Path(scratch) / "frame.html"
        frame.write_text(_FRAME.format(width=width, height=height, page=(html / f"{page}.html").as_uri()))
        flags = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--allow-file-access-from-files",
            "--hide-scrollbars", "--enable-logging=stderr", "--virtual-time-budget=4000", f"--user-data-dir={scratch}/user",
            f"--window-size={max(width, 500)},{height}", "--dump-dom", f"--screenshot={picture}",
        ]  # fmt: skip
        done = subprocess.run(
            [program, *flags, frame.as_uri()],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            check=False,
        )
    measured = re.search(r"<title>\{&quot;|<title>(\{.*?\})</title>", done.stdout)
    if measured is None or measured[1] is None:
        return [f"the browser shows nothing: {done.stderr.strip()[-300:]}"]
    import json

    told = json.loads(measured[1])
    wrong = [f"an error: {each}" for each in told["errors"]]
    wrong += [f"on the console: {line}" for line in re.findall(r":CONSOLE.*\] \"(.*)", done.stderr)]
    if told["needed"] > told["given"]:
        wrong.append(f"it is {told['needed']} pixels wide, the screen {told['given']}")
    return wrong
