"""Layouts drawn as text and as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as tree

import pytest

from ptxgen.isa.layouts import LayoutError, layout


def test_who_holds_each_element() -> None:
    assert (
        layout("movmatrix.m8n8.a").text()
        == """\
movmatrix.sync.aligned.m8n8.trans.b16  operand a: 8 x 8 of .b16
  lane 4:2c 8:r   register 1   slice 2:c
  manual 9.7.14.5.17, figure 109
  rows and columns are those of the matrix in a

      0       2       4       6
   0  T0 r0   T1 r0   T2 r0   T3 r0
   1  T4 r0   T5 r0   T6 r0   T7 r0
   2  T8 r0   T9 r0   T10 r0  T11 r0
   3  T12 r0  T13 r0  T14 r0  T15 r0
   4  T16 r0  T17 r0  T18 r0  T19 r0
   5  T20 r0  T21 r0  T22 r0  T23 r0
   6  T24 r0  T25 r0  T26 r0  T27 r0
   7  T28 r0  T29 r0  T30 r0  T31 r0
"""
    )


def test_what_each_lane_holds() -> None:
    lines = layout("mma.m16n8k16.bf16.a").text(view="lanes").splitlines()
    assert lines[4].split() == "T0 r0: (0,0..1) r1: (8,0..1) r2: (0,8..9) r3: (8,8..9)".split()
    assert len(lines) == 4 + 32
    assert "r0: (0..1,0)" in layout("mma.m16n8k16.bf16.b").text(view="lanes")
    assert "(0,0) (1,0) (0,8) (1,8)" in layout("ldmatrix.m16n16.x1.b8.d").text(view="lanes")


@pytest.mark.parametrize(
    "name",
    ["mma.m16n8k256.b1.a", "wgmma.m64n256k16.f16.d", "wmma.m16n16k16.bf16.d", "tcgen05.b.n256.d", "mma.m8n8k4.f16.d"],
)
@pytest.mark.parametrize("view", ["matrix", "lanes"])
def test_text_fits_120_columns(name: str, view: str) -> None:
    lines = layout(name).text(view=view).splitlines()
    assert max(map(len, lines[2:])) <= 120
    assert len(lines) < 410


def test_copies_and_shifts_are_said() -> None:
    assert "each element in 2 places (+)" in layout("wmma.load.a.m16n16k16.f16.a").text()
    assert "starts at bit 2" in layout("mma.m16n8k32.e2m1.a").text()


@pytest.mark.parametrize("colour", ["lane", "register"])
@pytest.mark.parametrize("name", ["mma.m16n8k16.bf16.a", "tcgen05.e.n64.d", "mma.sp.m16n8k32.s8.metadata"])
def test_a_picture_has_a_labelled_cell_for_each_run_of_elements(name: str, colour: str) -> None:
    one = layout(name)
    root = tree.fromstring(one.svg(colour=colour))
    space = "{http://www.w3.org/2000/svg}"
    cells = root.findall(f"{space}g")
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    covered = 0.0
    for cell in cells:
        box = cell.find(f"{space}rect")
        label = cell.find(f"{space}text")
        assert box is not None
        assert label is not None
        assert label.text
        assert float(box.attrib["x"]) + float(box.attrib["width"]) <= width
        assert float(box.attrib["y"]) + float(box.attrib["height"]) <= height
        assert len(label.text) * 7.3 <= float(box.attrib["width"])  # 12-pixel monospace: the label fits its cell
        covered += float(box.attrib["width"]) * float(box.attrib["height"])
    rows, columns = one.shape
    unit = covered / (rows * columns * 22)
    assert unit * columns + 40 <= width
    fills = {box.attrib["fill"] for cell in cells for box in cell.findall(f"{space}rect")}
    assert len(fills) > (one.size("register") > 1 if colour == "register" and "register" in one.axes else 1)


def test_drawings_that_do_not_exist() -> None:
    with pytest.raises(LayoutError, match="no view 'tree'"):
        layout("movmatrix.m8n8.a").text(view="tree")
    with pytest.raises(LayoutError, match="no colours by 'row'"):
        layout("movmatrix.m8n8.a").svg(colour="row")
