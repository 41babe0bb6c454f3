"""tools/transpile_sweep.py in its tiny form: one golden, one file that is refused, one that comes back as something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxgen.text import parse
from tools import transpile_sweep

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden" / "saxpy" / "f32.sm_75.ptx"


def test_a_golden_comes_back(capsys):
    assert transpile_sweep.main([str(GOLDEN)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("same ")
    assert "0 other machine code" in printed


def test_what_is_no_ptx_is_refused(tmp_path, capsys):
    (tmp_path / "x.ptx").write_text(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f() { add.u33; }\n")
    assert transpile_sweep.main([str(tmp_path)]) == 0
    assert "1 not legal PTX" in capsys.readouterr().out


def test_other_instructions_are_seen(monkeypatch):
    other = parse(GOLDEN.read_text().replace("mov.u32", "mov.b32"))
    monkeypatch.setattr(transpile_sweep, "rebuilt", lambda program: other)
    verdict = transpile_sweep.judged(GOLDEN.read_text(), "x.ptx")
    assert verdict.outcome == "other instructions"


@pytest.mark.parametrize("codes, outcome", [([2, 1, 1, 1], "other code"), ([2, 1, 2, 1, 2], "same code")])
def test_an_assembler_that_varies_is_no_difference(codes, outcome):
    made = iter(codes)
    verdict = transpile_sweep._judged_code(lambda *_: {".text.f": bytes([next(made)])}, "", "", {".text.f": b"\1"})
    assert verdict.outcome == outcome
