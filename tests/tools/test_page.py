"""docs/performance.md is written from the rows of benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.bench import _page

SOURCE = '"""Products beside a library:\nboth as graphs.\n\nMore.\n"""\n'


def row(name: str, ours: float, peers: dict[str, float], floor: float | None = None) -> dict[str, Any]:
    ratio = min(peers.values()) / ours if peers else None
    return {"name": name, "unit": "us", "ours": ours, "peers": peers, "ratio": ratio, "floor": floor}


ROWS = [
    row("bf16: 8x8", 2.0, {"library": 4.0, "other": 3.0}, 1.0),
    row("bf16: 16x8", 4.0, {"library": 2.0}, 1.0),
    row("bf16: 1234x8", 12345.678, {"library": 12345.678}),
    row("alone", 0.5, {}),
]


def test_a_section_has_a_table_a_mean_and_a_chart_for_each_group_of_rows() -> None:
    text = _page.section("gemm", SOURCE, ROWS, "a GPU")
    assert "## gemm\n\nProducts beside a library: both as graphs. On a GPU, by `tools/dev.py bench gemm`.\n" in text
    assert "| 8x8 | us | 2 | 4 | 3 | 1.500 | 50% |\n| 16x8 | us | 4 | 2 |  | 0.500 | 25% |\n" in text
    assert "| 1234x8 | us | 12345.7 | 12345.7 |  | 1.000 |  |\n" in text
    assert "Geometric mean of 3 ratios 0.909, least 0.500." in text
    assert "bar [1.500, 0.500, 1.000]" in text
    assert "| alone | us | 0.5 |" in text
    assert _page.means(ROWS)["bf16"] == (pytest.approx(0.75 ** (1 / 3)), 0.5, 3)


def test_a_section_replaces_its_old_self_and_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "performance.md"
    texts = {name: _page.section(name, SOURCE, ROWS, "a GPU") for name in ("one", "two", "three")}
    _page.write(path, texts)
    whole = path.read_text()
    assert whole.index("## one") < whole.index("## two") < whole.index("## three")
    _page.write(path, {"two": texts["two"].replace("a GPU", "another GPU")})
    assert path.read_text() == whole.replace(texts["two"], texts["two"].replace("a GPU", "another GPU"))
    _page.write(path, {"two": texts["two"]})
    assert path.read_text() == whole


def test_a_page_that_has_the_marks_of_a_benchmark_gets_its_section(tmp_path: Path) -> None:
    tutorial = tmp_path / "tutorials" / "steps.md"
    tutorial.parent.mkdir()
    tutorial.write_text("# Steps\n\nBefore.\n\n<!-- bench one -->\n<!-- end of one -->\n\nAfter.\n")
    assert _page.home(tmp_path, "one") == tutorial
    assert _page.home(tmp_path, "two") == tmp_path / "performance.md"
    text = _page.section("one", SOURCE, ROWS, "a GPU", heading=False)
    assert "## one" not in text
    _page.write(tutorial, {"one": text})
    whole = tutorial.read_text()
    assert whole.startswith("# Steps\n\nBefore.\n\n<!-- bench one -->")
    assert "| 8x8 | us | 2 |" in whole
    assert whole.endswith("<!-- end of one -->\n\nAfter.\n")
