"""Rewrites that change nothing are no difference, and mutations are one; `tools/dev.py fuzz differences` tries thousands."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from ptxgen.compare import difference
from ptxgen.ir import Module
from ptxgen.text import parse
from tools.fuzz._mutations import KINDS, mutated
from tools.fuzz._rewrites import REWRITES, rewritten

pytestmark = pytest.mark.cpu_only

GOLDEN = Path(__file__).resolve().parents[3] / "golden"
PROGRAMS = ("saxpy/f32.sm_75.ptx", "transpose/b32.scalar.sm_75.ptx")


@cache
def program(name: str) -> Module:
    return parse((GOLDEN / name).read_text(), name=name)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.__name__.lstrip("_"))
def test_a_rewrite_is_no_difference(rewrite: object, name: str) -> None:
    new = rewritten(program(name), Random(name), [rewrite])  # type: ignore[list-item]
    assert str(difference(program(name), new)) == "no difference in meaning"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("order", "doubled")])
def test_a_mutation_is_a_difference(kind: str) -> None:
    found = mutated(program(PROGRAMS[0]), kind, Random(kind))
    assert found is not None
    new, what = found
    assert not difference(program(PROGRAMS[0]), new).same, what
