"""The verifier: findings about any module that can be parsed, every one with its code, and nothing raised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.codes.index import INDEX
from ptxgen.errors import PtxSyntaxError
from ptxgen.text import parse
from ptxgen.verifier import verify
from tools.fuzz._target import Target, Wrong
from tools.fuzz._text import mutated, seed_text

if TYPE_CHECKING:
    from random import Random


class Verifier(Target):
    def draw(self, rng: Random) -> str:
        return mutated(rng, seed_text(rng), rng.choice((0, 1, 1, 2, 3)))

    def judge(self, case: str) -> None:
        try:
            module = parse(case)
        except PtxSyntaxError:
            return
        for finding in verify(module, style=True):
            if finding.code not in INDEX or not str(finding):
                raise Wrong(f"a finding without a row: {finding!r}")


def target() -> Verifier:
    return Verifier()
