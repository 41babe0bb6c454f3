"""An instruction is its row and its lowering: written there, it works at once, and nothing else names it."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ptxgen.isa import forms, table
from ptxgen.isa.notation import EFFECTS, TRAITS, parse_chapter
from tools import index_isa

ROOT = Path(__file__).resolve().parents[3]


def test_the_indices_are_what_rows_and_lowerings_say() -> None:
    for file, text in ((index_isa.ROWS, index_isa.rows()), (index_isa.LOWERINGS, index_isa.lowerings())):
        assert file.read_text() == text, "out of date: python tools/index_isa.py"


def test_opcodes_by_their_words() -> None:
    assert forms.opcodes_with("warp") == {"shfl", "vote", "match", "redux", "elect"}
    assert forms.opcodes_with("load", "store", "atomic") == {"ld", "ldu", "st", "atom", "red"}
    assert forms.opcodes_with("barrier") == {"bar", "barrier"}
    assert "protocol" in forms.traits("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32")
    assert forms.traits("red.shared.add.u32") == {"atomic"}
    with pytest.raises(ValueError, match="neither an effect nor a trait: warps"):
        forms.opcodes_with("warps")


@pytest.mark.parametrize("word", [*EFFECTS, *TRAITS])
def test_each_word_is_said_of_a_row_and_by_the_forms(word: str) -> None:
    said = {form.opcode for form in forms.all_forms() if word in form.effects | form.traits}
    assert said
    assert said == forms.opcodes_with(word)


def test_words_of_a_section_and_of_a_file_are_those_of_their_rows() -> None:
    first, second, third = parse_chapter(
        "section 9.7.1 ; warp\none.b32 d, a\nevery pure\nsection 9.7.2 ; commutes\ntwo.b32 d, a\n"
        "section 9.7.3\nthree.b32 d, a ; load"
    )
    assert (first.traits, second.traits, third.traits) == ({"warp"}, {"pure", "commutes"}, {"pure", "load"})
    assert (first.section, second.section) == ("9.7.1", "9.7.2")


INVENTED_ROW = '''
ROWS = """
section 9.7.1.99
swapadd{.sat}.type   d, a, b   ; type = u32 s32 ; since 7.0 sm_80 ; pure
"""
'''
INVENTED_LOWERING = """
from ptxgen.cpu.lower.registry import lowers


@lowers("swapadd.type", type="u32 s32")
def swapadd(k, form, a, b):
    return (a << 16 | a >> 16) + b
"""


def run(tmp_path: Path, program: str) -> None:
    """Run a program that has `folder`, where files of the test stand."""
    text = f"folder = {str(tmp_path)!r}\n{textwrap.dedent(program)}"
    file = tmp_path / "program.py"
    file.write_text(text)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, cwd=ROOT, check=False,
                          env={"PYTHONPATH": str(ROOT), "PTXGEN_CACHE_DIR": str(tmp_path / "cache"), "PATH": ""})  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_an_invented_instruction_needs_its_row_and_its_lowering_alone(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "invented.py").write_text(INVENTED_ROW)
    (tmp_path / "lowerings").mkdir()
    (tmp_path / "lowerings" / "invented_lowering.py").write_text(INVENTED_LOWERING)
    run(
        tmp_path,
        """
        import ptxgen.isa.table, ptxgen.cpu.lower
        ptxgen.isa.table.__path__.append(folder + "/rows")
        ptxgen.cpu.lower.__path__.append(folder + "/lowerings")

        import numpy as np
        import ptxgen as px
        from ptxgen import u32
        from ptxgen.isa.forms import opcodes_with

        @px.kernel
        def turned(k: px.Builder, x: px.ptr[u32], y: px.ptr[u32]):
            i = k.global_id.x
            result = k.var(u32)
            k.ptx.swapadd.u32(result, x[i], 7)
            y[i] = result

        module = turned.module(target="sm_80")
        text = str(module)
        assert "swapadd.u32" in text
        assert str(px.parse(text)) == text
        assert px.verify(module) == []
        assert "swapadd" in opcodes_with("pure")
        wrong = px.parse(text.replace("swapadd.u32", "swapadd.f32"))
        assert [finding.code for finding in px.verify(wrong)] == ["PTX201"], px.verify(wrong)
        early = px.parse(text.replace("sm_80", "sm_75"))
        assert any("sm_80" in str(finding) for finding in px.verify(early)), px.verify(early)
        assert "manual 9.7.1.99" in str(px.explain("swapadd.u32"))

        dev = px.device("cpu")
        numbers = np.arange(32, dtype=np.uint32) * 0x10001 + 5
        x, y = dev.array(numbers), dev.zeros(32, u32)
        turned[1, 32](x, y)
        assert (y.numpy() == (numbers << 16 | numbers >> 16) + 7).all()
        """,
    )


def test_a_row_added_to_a_chapter_works_before_the_index_is_written_again(tmp_path: Path) -> None:
    rows = (Path(table.__path__[0]) / "stack.py").read_text()
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "stack.py").write_text(
        rows.replace("section 9.7.17.2", "stackpeek.type  d ; load\nsection 9.7.17.2")
    )
    run(
        tmp_path,
        """
        import ptxgen.isa.table
        ptxgen.isa.table.__path__[:] = [folder + "/rows"]
        from ptxgen.isa.forms import chapters, opcodes_with, resolve
        assert resolve("stackpeek.u32")
        assert opcodes_with("load") == {"stackpeek"}
        assert chapters()["stack"] == ("stacksave", "stackpeek", "stackrestore", "alloca")
        """,
    )


def test_no_form_needs_a_later_version_than_its_opcode() -> None:
    for opcode in forms.opcodes():
        newest = forms.newest_version(opcode)
        assert newest is not None
        places = [place for form in forms.forms_of(opcode) for place in form.since]
        assert all(place.version <= newest for place in places), opcode
    assert forms.newest_version("nonsense") is None
