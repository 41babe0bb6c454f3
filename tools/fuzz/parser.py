"""The parser: any text is a module, or a PtxSyntaxError with places and messages of bounded length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.errors import PtxSyntaxError
from ptxgen.text import parse
from tools.fuzz._target import Target, Wrong
from tools.fuzz._text import mutated, seed_text

if TYPE_CHECKING:
    from random import Random

LONGEST = 40_000
"""Characters that all messages of a small text may have together."""


class Parser(Target):
    def draw(self, rng: Random) -> str:
        if rng.random() < 0.01:  # text of no language
            return "".join(chr(rng.randrange(0x500)) for _ in range(rng.randrange(200)))
        return mutated(rng, seed_text(rng), rng.choice((1, 2, 3, 4, 8)))

    def judge(self, case: str) -> None:
        try:
            parse(case)
        except PtxSyntaxError as error:
            text = str(error)
            if not error.diagnostics or not all(d.locations and d.message for d in error.diagnostics):
                raise Wrong(f"a syntax error without a place: {text}") from error
            if len(text) > LONGEST:
                raise Wrong(f"a message of {len(text)} characters") from error


def target() -> Parser:
    return Parser()
