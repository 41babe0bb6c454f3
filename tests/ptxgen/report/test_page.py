"""The page of a kernel: what it says, what it never lets through, and what a browser makes of it."""

from __future__ import annotations

import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.cli.app import app
from ptxgen.report import html_report
from tests.browser import browser

PAGE = """import ptxgen as px
from ptxgen import f32, u32

@px.kernel
def turn(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]):
    tile = k.shared(f32, 32 * 32)
    i, j = k.tid.x, k.tid.y
    tile[j * 32 + i] = x[j * n + i]  # <b>rows</b>
    k.barrier()
    with k.if_(i < n):
        y[j * n + i] = tile[i * 32 + j]
"""


class Parts(HTMLParser):
    """Of a page: its tags, the ids of elements, where links lead, and the words of each element with an id."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: dict[str, dict[str, str | None]] = {}
        self.rows: dict[str, str] = {}
        self._row = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        known = dict(attributes)
        assert not any(name.startswith("on") for name in known), (tag, known)
        if known.get("id"):
            self.ids.append(str(known["id"]))
            self.attributes[str(known["id"])] = known
        if tag == "a" and "href" in known:
            self.links.append(str(known["href"]))
        if tag == "tr":
            self._row = str(known.get("id") or "")

    def handle_data(self, data: str) -> None:
        if self._row:
            self.rows[self._row] = self.rows.get(self._row, "") + data


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of a kernel that was run, as the command writes it."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "turn.py").write_text(PAGE)
    command = ["report", str(folder / "turn.py"), "32", "random:f32:32x32", "zeros:f32:32x32", "--block", "32x32"]
    result = CliRunner().invoke(app, [*command, "--sanitize", "all", "-o", str(folder / "turn.html")])
    assert result.exit_code == 0, result.output
    return folder / "turn.html"


def test_what_it_says(page):
    text = page.read_text("utf-8")
    parts = Parts(text)
    for section in ("findings", "code", "graph", "registers", "mix", "roofline", "occupancy", "lines"):
        assert section in parts.ids
    assert len(parts.ids) == len(set(parts.ids))
    assert {link[1:] for link in parts.links} <= set(parts.ids)
    assert "bank conflicts" in text
    assert "PTX612" in text


def test_lines_lead_to_their_source_and_counts(page):
    parts = Parts(page.read_text("utf-8"))
    (load,) = (name for name, words in parts.rows.items() if "ld.shared.f32" in words and name.startswith("p"))
    row = parts.attributes[load]
    assert "y[j * n + i] = tile[i * 32 + j]" in parts.rows[str(row["data-s"])]
    names = re.findall(r"<option[^>]*>([^<]*)</option>", page.read_text("utf-8"))
    values = dict(zip(names, str(row["data-v"]).split(",")))
    assert (values["warps"], values["threads"], values["wavefronts"], values["conflicts"]) == (
        "32",
        "1024",
        "1024",
        "992",
    )


def test_it_needs_nothing_else(page):
    text = page.read_text("utf-8")
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)|@import|url\((?!#)""", text)
    assert "default-src 'none'" in text


def test_tables_and_drawings_have_names(page):
    text = page.read_text("utf-8")
    for table in re.findall(r"<table.*?</table>", text, re.DOTALL):
        assert "<thead>" in table
        assert 'scope="col"' in table
    for drawing in re.findall(r"<svg[^>]*role[^>]*>\s*<title", text):
        assert "aria-labelledby" in drawing
    assert text.count('role="img"') + text.count('role="group"') == 3


HOSTILE = '</code></script><script>alert(1)</script>" onmouseover="alert(2)'


def hostile_module() -> px.Module:
    return px.parse(
        f"""// {HOSTILE}
.version 7.0
.target sm_80
.address_size 64
.file 1 "<img src=x onerror=alert(3)>"
.visible .entry k(.param .u64 out)
{{
	.reg .b32 %r<4>;
	.loc 1 7 1
	mov.u32 %r1, %tid.x; // {HOSTILE}
	add.u32 %r2, %r1, %r3;
	// {HOSTILE}
	ret;
}}
""",
        name=f"{HOSTILE}.ptx",
    )


def test_words_of_a_program_stay_words():
    text = html_report(hostile_module())
    parts = Parts(text)
    assert parts.tags.count("script") == 1
    assert "img" not in parts.tags
    assert any("alert(1)" in words for words in parts.rows.values())


@pytest.mark.parametrize("place", ["outside", "link"])
def test_files_that_a_program_points_at_stay_here(tmp_path, place):
    """A page that is passed on must not carry what a hostile `.file` names."""
    secret, inside = tmp_path / "secret" / "key.cu", tmp_path / "project"
    secret.parent.mkdir()
    inside.mkdir()
    secret.write_text("\n".join(f"password {n}" for n in range(20)))
    if place == "link":
        (inside / "key.cu").symlink_to(secret)
    named = inside / "key.cu" if place == "link" else secret
    text = str(hostile_module()).replace("<img src=x onerror=alert(3)>", str(named))
    found = html_report(px.parse(text), folders=[str(inside)])
    assert "password" not in found
    assert "outside the folders" in found
    assert "password" in html_report(px.parse(text), folders=[str(secret.parent)])


def test_a_template_is_the_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head = ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() {\n"
    Path("k.ptx.j2").write_text(head + "{% for i in range(3) %}\nnanosleep.u32 {{ i }};\n{% endfor %}\nret;\n}\n")
    result = CliRunner().invoke(app, ["report", "k.ptx.j2", "-o", "k.html"])
    assert result.exit_code == 0, result.output
    parts = Parts(Path("k.html").read_text("utf-8"))
    assert sum(each.get("data-s") == "s0-6" for each in parts.attributes.values()) == 3


def test_a_variant_of_the_library_and_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["report", "saxpy/f32"]).exit_code == 0
    assert Path("saxpy.html").stat().st_size > 10_000
    result = CliRunner().invoke(app, ["report", "saxpy/f32", "1", "2"])
    assert result.exit_code == 1
    assert "takes 4 argument(s)" in result.output
    Path("two.ptx").write_text(
        ".version 7.0\n.target sm_80\n.address_size 64\n.entry a() { ret; }\n.entry b() { ret; }\n"
    )
    result = CliRunner().invoke(app, ["report", "two.ptx"])
    assert "has several kernels" in result.output
    with pytest.raises(KeyError, match="not one kernel but: a, b"):
        html_report(px.parse(Path("two.ptx").read_text()))


def test_a_kernel_among_others_keeps_its_lines():
    """What is said of one kernel does not wait for others, and its lines are those of the whole text."""
    body = "\n\t.reg .b32 %r<3>;\n\tmov.u32 %r1, %tid.x;\n\tadd.u32 %r2, %r1, 1;\n\tret;\n}\n"
    text = ".version 7.0\n.target sm_80\n.address_size 64\n" + "".join(
        f".visible .entry k{n}()\n{{{body}" for n in range(3)
    )
    module = px.parse(text, name="k.ptx")
    with px.profile() as counts:
        px.device("cpu:sm_80").load(module)["k2"].launch(2, 64, ())
    found = html_report(module, "k2", launch=counts.launches[0])
    parts = Parts(found)
    number = next(n for n, line in enumerate(str(module).split("\n"), 1) if "k2" in line) + 4
    assert "add.u32" in parts.rows[f"p{number}"]
    assert str(parts.attributes[f"p{number}"]["data-v"]).startswith("4,128,")
    assert not any("k1" in words for words in parts.rows.values())


def test_a_large_program_is_quick_and_small():
    """6,000 instructions in 600 blocks."""
    blocks = "".join(
        f"L{n}:\n\tsetp.lt.u32 %p1, %r1, {n};\n\t@%p1 bra L{n + 2};\n" + "\tadd.u32 %r1, %r1, %r2;\n" * 18
        for n in range(300)
    )
    head = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>; .reg .pred %p<2>;\n"
    module = px.parse(f"{head}{blocks}L300:\nL301:\n\tret;\n}}\n")
    began = process_time()
    found = html_report(module)
    assert process_time() - began < 5
    assert len(found.encode()) < 4_000_000
    assert len(zlib.compress(found.encode())) < 300_000


def test_a_page_is_the_same_twice():
    assert html_report(hostile_module()) == html_report(hostile_module())


# -- in a browser -----------------------------------------------------------------------------------------------------


def picture(data: bytes) -> np.ndarray[Any, Any]:
    """The pixels of a PNG of 8 bits a channel without interlacing, unfiltered by row, as (rows, bytes)."""
    from io import BytesIO

    from PIL import Image

    return np.asarray(Image.open(BytesIO(data)).convert("RGB"))


def test_it_is_looked_at_in_a_browser(page):
    pytest.importorskip("PIL", reason="reading a screenshot needs pillow: pip install 'ptxgen[image]'")
    with browser() as tab:
        for width, dark in ((390, False), (390, True), (1400, False)):
            tab.size(width, 900, dark=dark)
            tab.open(page)
            assert tab.complaints == []
            assert tab.value("document.documentElement.scrollWidth") <= width
            shown = picture(tab.picture())
            colours = np.unique(shown.reshape(-1, 3), axis=0)
            assert len(colours) > 50
            assert (shown.mean() < 90) == dark
        assert {url.partition(":")[0] for url in tab.requests} <= {"file", "data"}

        load = "[...document.querySelectorAll('tr[data-v]')].find(row => row.textContent.includes('ld.shared.f32'))"
        tab.value(f"{load}.querySelector('a').click()")
        assert "992" in tab.value("document.getElementById('about').textContent")
        assert tab.value("document.querySelectorAll('tr.on').length") >= 2
        metric = "document.getElementById('metric')"
        tab.value(f"{metric}.value = 'conflicts'; {metric}.dispatchEvent(new Event('change'))")
        assert tab.value(f"{load}.style.getPropertyValue('--h')") == "1"
        assert tab.value("document.querySelectorAll('a.block').length") == 3


def test_nothing_hostile_runs_in_a_browser(tmp_path):
    (tmp_path / "k.html").write_text(html_report(hostile_module()), "utf-8")
    with browser() as tab:
        tab.size(1000, 800)
        tab.ask("Page.addScriptToEvaluateOnNewDocument", source="window.alert = () => { window.hit = true; }")
        tab.open(tmp_path / "k.html")
        tab.value(
            "document.querySelectorAll('*').forEach(each => each.dispatchEvent(new Event('mouseover', {bubbles: true})))"
        )
        assert tab.value("window.hit") is None
        assert tab.complaints == []


@px.kernel
def plain(k: px.Builder, n: u32, x: px.ptr[f32]):
    with k.if_(k.tid.x < n):
        x[k.tid.x] = k.const(f32, 1.0)


def test_a_page_without_a_run():
    text = html_report(plain.module(target="sm_90a"))
    parts = Parts(text)
    assert "lines" not in parts.ids
    assert re.findall(r"<option[^>]*>([^<]*)</option>", text) == ["live registers"]
