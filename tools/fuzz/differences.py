"""The semantic difference: rewrites that change nothing are no difference, and every mutation is one.

A case is a line `rewrite SEED` or `KIND SEED` above the module that is changed. Modules are goldens, and what
`tools/dev.py corpus` has left in .corpus/ptx: PTX that nvcc and Triton wrote.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from ptxgen.compare import difference
from ptxgen.text import parse
from tools.fuzz._mutations import KINDS, mutated
from tools.fuzz._rewrites import rewritten
from tools.fuzz._target import Target, Wrong

if TYPE_CHECKING:
    from ptxgen.ir import Module

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 120_000
"""Bytes of a module: a larger one takes seconds to rewrite."""


class Differences(Target):
    seconds = 120.0

    def __init__(self) -> None:
        files = [*sorted(ROOT.glob("golden/*/*.ptx")), *sorted(ROOT.glob(".corpus/ptx/**/*.ptx"))]
        self.files = [path for path in files if path.stat().st_size <= LARGEST]

    def draw(self, rng: Random) -> str:
        how = "rewrite" if rng.random() < 0.5 else rng.choice(KINDS)
        return f"{how} {rng.randrange(1 << 30)}\n{rng.choice(self.files).read_text()}"

    def judge(self, case: str) -> None:
        first, _, text = case.partition("\n")
        how, _, seed = first.partition(" ")
        module, rng = parse(text), Random(seed)
        if how == "rewrite":
            _no_difference(module, rewritten(module, rng))
            return
        found = mutated(module, how, rng)
        if found is not None and difference(module, found[0]).same:
            raise Wrong(f"not seen: {found[1]}")


def _no_difference(old: Module, new: Module) -> None:
    for found in (difference(old, new), difference(new, old)):
        if not found.same:
            raise Wrong(f"a rewrite that changes nothing is a difference:\n{found}\n---- the module rewritten:\n{new}")


def target() -> Differences:
    return Differences()
