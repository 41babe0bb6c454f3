"""The documentation site in its quick form: every document and a sample of the generated pages, built without a warning.

`tools/dev.py docs` builds all of it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from ptxgen.codes.index import INDEX
from ptxgen.isa.forms import all_forms
from tools.site import browser, checks
from tools.site.charts import with_charts
from tools.site.diagnostics import diagnostic_pages
from tools.site.docstrings import restructured
from tools.site.instructions import instruction_pages, instructions
from tools.site.interface import interface_pages
from tools.site.narrative import index_parts, narrative_pages
from tools.site.pages import Page, block, code, plain, write_pages

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.cpu_only


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built pages."""
    if find_spec("sphinx") is None:
        pytest.skip("the extra docs is not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "tools.site.build", "--quick", "--folder", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_document_is_a_page(site: Path) -> None:
    documents = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    assert len(documents) > 30
    assert [page.as_posix() for page in documents if not (site / page).exists()] == []


def test_the_contents_are_the_tables_of_the_index(site: Path) -> None:
    parts = index_parts((site.parent / "source" / "index.md").read_text("utf-8"))
    assert "tutorials/first-kernel" in parts["Learn"]
    listed = {page for pages in parts.values() for page in pages}
    documents = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert documents - {"index"} <= listed
    home = (site / "index.html").read_text("utf-8")
    assert all(f'href="{page}.html"' in home for page in listed)


def test_a_search_needs_no_server(site: Path) -> None:
    assert "elect" in (site / "searchindex.js").read_text("utf-8")
    assert 'src="searchindex.js"' in (site / "search.html").read_text("utf-8")


@pytest.mark.skipif(browser.chromium() is None, reason="no Chromium here: apt-get install chromium")
@pytest.mark.parametrize("page", ["index", "performance", "tutorials/hopper-gemm", "isa/index"])
def test_a_browser_shows_a_page_on_a_phone_and_on_a_desk(site: Path, page: str, tmp_path: Path) -> None:
    assert browser.look(site, tmp_path, (page,)) == []
    assert len(list(tmp_path.glob("*.png"))) == 2


@pytest.mark.skipif(browser.chromium() is None, reason="no Chromium here: apt-get install chromium")
def test_a_wrong_page_is_noticed_in_a_browser(tmp_path: Path) -> None:
    (tmp_path / "wide.html").write_text('<!doctype html><body style="margin: 0"><div style="width: 700px">wide</div>')
    assert "wide on a phone: it is 700 pixels wide, the screen 390" in browser.look(tmp_path, tmp_path, ("wide",))
    (tmp_path / "fails.html").write_text("<!doctype html><script>window.onload = () => { missing(); }</script>")
    assert any("missing is not defined" in each for each in browser.look(tmp_path, tmp_path, ("fails",)))


# ---- generated pages -------------------------------------------------------------------------------------------------


def test_each_instruction_and_each_code_has_a_page() -> None:
    """Their examples are verified while the pages are written; an assembler takes them in tests/ptxgen/isa/test_explain.py."""
    pages = {page.path: page.text for page in instruction_pages()}
    assert {f"isa/{name}.md" for name in instructions()} <= pages.keys()
    assert sum(map(len, instructions().values())) == len(all_forms())
    elect = pages["isa/elect.sync.md"]
    for part in (
        "elect.sync d|p, membermask".replace("|", "\\|"),
        "PTX 8.0",
        "exact:",
        "all lanes of the warp",
        "```ptx",
    ):
        assert part in elect
    assert "bounded" in pages["isa/tex.md"]
    assert "newer than 9.0" in pages["isa/cpu-device.md"]
    codes = {page.path: page.text for page in diagnostic_pages()}
    assert {f"codes/{code}.md" for code in INDEX} <= codes.keys()
    assert "cause" in codes["codes/PTX412.md"]


def test_each_public_name_is_on_a_page() -> None:
    import driver_ctypes
    import ptxgen

    text = "\n".join(page.text for page in interface_pages())
    for package in (ptxgen, driver_ctypes):
        names = set(package.__all__) - set(package._EXPORTS.get("", "").split())  # rooms have pages of their own
        assert [
            n for n in sorted(names) if not re.search(rf"auto\w+:: {package.__name__}\.{n}$", text, re.MULTILINE)
        ] == []


def test_pages_are_the_same_each_time(tmp_path: Path) -> None:
    first, second = (
        [*narrative_pages((), tmp_path), *instruction_pages(4), *diagnostic_pages(), *interface_pages()]
        for _ in range(2)
    )
    assert first == second


def test_what_is_no_longer_a_page_is_removed(tmp_path: Path) -> None:
    assert write_pages([Page("a/b.md", "one"), Page("c.md", "two")], tmp_path) == 2
    before = (tmp_path / "c.md").stat().st_mtime_ns
    write_pages([Page("c.md", "two"), Page("d.md", "three")], tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*.md")) == ["c.md", "d.md"]
    assert (tmp_path / "c.md").stat().st_mtime_ns == before, "an unchanged page is read again by Sphinx"


# ---- text ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given, expected",
    [
        ("`x` is an **array**, a_b_", "``x`` is an \\*\\*array\\*\\*, a\\_b\\_"),
        ("``x`` of `y`s", "``x`` of ``y``\\ s"),
        ("1. not a list", "\\1. not a list"),
        ("-o is no option", "\\-o is no option"),
        ("so:: no block", "so\\:\\: no block"),
        ("* one\n  more\n* two", "* one\n  more\n\n* two"),
        (
            "before\n    code *x*\n\n      deeper\nafter",
            "before\n\n.. code-block:: text\n\n   code *x*\n\n     deeper\n\nafter",
        ),
    ],
)
def test_a_docstring_is_shown_as_it_is(given: str, expected: str) -> None:
    assert "\n".join(restructured(given.split("\n"))).rstrip() == expected


def test_every_docstring_is_read_without_a_warning() -> None:
    docutils = pytest.importorskip("docutils.core")
    import inspect

    import ptxgen

    for name in ptxgen.__all__[::6]:
        text = "\n".join(restructured((inspect.getdoc(getattr(ptxgen, name)) or "").splitlines()))
        settings = {"report_level": 2, "halt_level": 2, "input_encoding": "unicode"}
        docutils.publish_doctree(text, settings_overrides=settings)


def test_markdown_shows_text_as_it_is() -> None:
    assert plain("a|b_c *d* <e> {f}") == "a\\|b\\_c \\*d\\* \\<e\\> \\{f\\}"
    assert (code("d|p"), code("")) == ("`d\\|p`", "")
    assert block("a ``` b\n", "text") == "````text\na ``` b\n````\n"


def test_a_chart_is_drawn_and_other_diagrams_are_left() -> None:
    chart = (
        '```mermaid\nxychart-beta horizontal\n    x-axis ["8x8", "a < b"]\n    y-axis "best peer / ours" 0 --> 1.5\n'
        "    bar [0.500, 2.000]\n    line [1, 1]\n```"
    )
    drawn = with_charts(chart)
    assert drawn.count("<rect") == 2
    assert "a &lt; b" in drawn
    assert 'class="less"' in drawn
    assert with_charts("```mermaid\ngraph TD\n```") == "```mermaid\ngraph TD\n```"
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")
    left = [fence for fence in re.findall(r"```mermaid\n.*?```", page, re.DOTALL) if with_charts(fence) == fence]
    assert left == []


def test_wrong_pages_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text('<h1 id="here">x</h1>')
    (tmp_path / "page.html").write_text(
        '<a href="other.html#here">1</a> <a href="other.html#there">2</a> <a href="gone.html">3</a> <a href="#no">4</a>'
        '<a href="https://example.org/">5</a> <script src="https://cdn.example.org/x.js"></script>'
        '<link rel="stylesheet" href="//fonts.example.org/f.css"/>'
    )
    (tmp_path / "style.css").write_text("@font-face { src: url('https://fonts.example.org/f.woff') }")
    assert checks.problems(tmp_path) == [
        "page.html: fetches https://cdn.example.org/x.js",
        "page.html: fetches //fonts.example.org/f.css",
        "page.html: nothing at other.html#there",
        "page.html: nothing at gone.html",
        "page.html: nothing at #no",
        "style.css: fetches https://fonts.example.org/f.woff",
    ]
