"""The printer: the text of a parsed module parses to the same module, and prints as the same text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.errors import PtxSyntaxError
from ptxgen.text import parse, print_module
from tools.fuzz._target import Target, Wrong
from tools.fuzz._text import mutated, seed_text

if TYPE_CHECKING:
    from random import Random


class Printer(Target):
    def draw(self, rng: Random) -> str:
        return mutated(rng, seed_text(rng), rng.choice((0, 1, 1, 2)))

    def judge(self, case: str) -> None:
        try:
            module = parse(case)
        except PtxSyntaxError:
            return
        text = print_module(module)
        again = parse(text)
        if again != module:
            raise Wrong(f"the module printed and parsed is another one:\n{text}")
        if print_module(again) != text:
            raise Wrong(f"printed twice, it differs:\n{text}\n---- and\n{print_module(again)}")


def target() -> Printer:
    return Printer()
