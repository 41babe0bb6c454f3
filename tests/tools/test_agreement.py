"""The families of tools/agreement: what they ask is legal, and the CPU device's answers are those of numpy."""

from __future__ import annotations

import numpy as np

import ptxgen as px
from ptxgen.isa.targets import find_target
from tools.agreement.operations import WORDS, _operands, kernel, operations, run_operations
from tools.agreement.run import compare, distance
from tools.agreement.textures import CASES, run_case


def test_operations_are_legal_and_run() -> None:
    found = operations(find_target("sm_90a"), "sad")
    assert {each.name for each in found} >= {"sad.u32", "sad.s64"}
    assert px.verify(px.parse(kernel(found))) == []
    results = run_operations(px.device("cpu").context, found, 256)
    a, b, c = (_operands(256, 1)[:, i].astype(np.uint32).astype(np.int64) for i in range(3))
    assert (results["sad.u32"] == ((np.abs(a - b) + c) & 0xFFFFFFFF).astype(np.uint64)).all()
    assert max(len(each.reads) for each in found) <= WORDS


def test_a_texture_case_runs() -> None:
    case = next(case for case in CASES if case.name == "2d point unnormalized border")
    words = run_case(px.device("cpu").context, case, 64)
    x, y = case.draw(np.random.default_rng(1), 64)
    outside = (x < 0) | (x >= 50) | (y < 0) | (y >= 37)
    assert outside.any()
    assert (words[outside] == 0).all()
    assert (words[~outside, 0] != 0).all()


def test_differences_are_told(capsys) -> None:
    one = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32).view(np.uint32)
    other = np.array([[1.0, 2.0], [3.0, 4.5]], np.float32).view(np.uint32)
    assert distance(one, other) == (1, 0.5)
    assert compare({"case": one}, {"case": other}) == 1
    assert "1 differ  by 0.5 at most" in capsys.readouterr().out
