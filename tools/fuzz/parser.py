"""The parser: any text is a module, or a PtxSyntaxError with places and messages of bounded length.

Without the common statements, which are read without tokens, the module, the places and the findings are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.errors import PtxSyntaxError
from ptxgen.text import parse
from ptxgen.text.parser import read
from tools.fuzz._parsed import differs
from tools.fuzz._target import Target, Wrong
from tools.fuzz._text import compiled, mutated, seed_text

if TYPE_CHECKING:
    from random import Random

LONGEST = 40_000
"""Characters that all messages of a small text may have together."""


class Parser(Target):
    def draw(self, rng: Random) -> str:
        if rng.random() < 0.01:  # text of no language
            return "".join(chr(rng.randrange(0x500)) for _ in range(rng.randrange(200)))
        text = compiled(rng) if rng.random() < 0.4 else seed_text(rng)
        return mutated(rng, text, rng.choice((1, 2, 3, 4, 8)))

    def judge(self, case: str) -> None:
        try:
            parse(case)
        except PtxSyntaxError as error:
            text = str(error)
            if not error.diagnostics or not all(d.locations and d.message for d in error.diagnostics):
                raise Wrong(f"a syntax error without a place: {text}") from error
            if len(text) > LONGEST:
                raise Wrong(f"a message of {len(text)} characters") from error
        wrong = differs(read(case), read(case, common=False))
        if wrong:
            raise Wrong(f"read with common statements and without: {wrong}")


def target() -> Parser:
    return Parser()
