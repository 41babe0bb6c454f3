"""What notebooks show of values: small, escaped, and of each kind of value."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.compare import difference
from ptxgen.errors import Diagnostic, Location
from ptxgen.markup import MOST_LINES, MOST_ROWS, box, listing, table

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)>&amp;'
PTX = f"""// {HOSTILE}
.version 7.0
.target sm_80
.address_size 64
.entry k() {{ ret; }}
"""


class Seen(HTMLParser):
    """The tags of a text, all of them closed, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        assert not any(name.startswith("on") for name, _ in attributes)
        self.tags.append(tag)
        self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: Any) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def seen(value: Any) -> Seen:
    html = value._repr_html_()
    assert len(html) < 100_000
    return Seen(html)


@px.kernel
def scale(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], *, unroll: int = 2):
    """x *= a"""
    i = k.global_id.x
    with k.if_(i < n):
        x[i] = a * x[i]


def test_a_kernel_and_its_module():
    kernel, module = seen(scale.using(unroll=4)), seen(scale.module(target="sm_80"))
    assert all(word in kernel.words for word in ("kernel scale", "x *= a", "ptr[f32]", "unroll", "4", "compile time"))
    assert ".visible .entry scale" in module.words
    assert "pre" in module.tags


def test_an_array():
    array = px.device("cpu").array(np.arange(1000, dtype=np.float32))
    assert "997. 998. 999." in seen(array).words
    assert "(1000,) .f32" in seen(array).words
    array.close()
    assert "(1000,) .f32" in seen(array).words


def test_layouts():
    found = px.layout("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
    assert "16 x 8" in seen(found).words
    assert "svg" in seen(found.a).tags
    assert "pre" in seen(px.layout("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16").d).tags


def test_findings():
    finding, *_ = px.verify(px.parse(PTX.replace("ret;", ".reg .b32 %r<3>; mov.b32 %r1, %r2; ret;"), name="k.ptx"))
    assert "PTX303" in seen(finding).words
    assert "k.ptx:5" in seen(finding).words


def test_differences():
    body = ".reg .b32 %r<3>; mov.b32 %r1, 3; st.global.b32 [ADDRESS], %r1; ret;"
    old, new = (px.parse(PTX.replace("ret;", body.replace("ADDRESS", where))) for where in ("8", "16"))
    assert "no difference" in seen(difference(old, old)).words
    assert "st.global.b32 [16]" in seen(difference(old, new)).words


def test_counts_and_what_the_sanitizer_finds():
    @px.kernel
    def race(k: px.Builder, where: px.ptr[u32], out: px.ptr[u32]):
        box = k.shared(u32, 64)
        box[k.tid.x] = 1
        out[k.tid.x] = box[where[k.tid.x]]

    dev = px.device("cpu")
    out, where = dev.zeros(64, u32), dev.array([i ^ 32 for i in range(64)], u32)
    with px.sanitize("racecheck", strict=False) as found, px.profile() as counts:
        race[1, 64](where, out)
    assert "racecheck" in seen(found.findings[0]).words
    assert "wavefronts" in seen(counts.launches[0]).words


@pytest.mark.parametrize(
    "value",
    [
        px.parse(PTX, name=HOSTILE),
        Diagnostic(
            "PTX000", HOSTILE, expected=HOSTILE, hint=HOSTILE, locations=[Location("ptx", HOSTILE, 1, None, HOSTILE)]
        ),
    ],
)
def test_words_of_others_stay_words(value):
    found = seen(value)
    assert HOSTILE in found.words
    assert not {"script", "img"} & set(found.tags)


def test_much_is_cut_and_counted():
    assert "... 5 more lines" in listing("\n".join(map(str, range(MOST_LINES + 5))))
    assert "... 7 more rows" in table(("a",), [(n,) for n in range(MOST_ROWS + 7)])
    assert Seen(box("t", "plain <b>", listing("<i>"))).words == "tplain <b><i>"
