"""The verifier takes the orders of modifiers that an assembler takes, and no others."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING

from ptxgen.isa.forms import opcodes
from tools.certify.known import explain
from tools.certify.ours import our_verdicts
from tools.certify.probe import seeds

if TYPE_CHECKING:
    from tools.certify.verdicts import Place, Tool


def test_orders_of_modifiers_as_an_assembler_takes_them(tool: Tool) -> None:
    random = Random(12)
    lines: dict[Place, list[str]] = defaultdict(list)
    for seed in seeds(tool, tuple(random.sample(opcodes(), 40))):
        words = random.sample(seed.words[1:], len(seed.words) - 1)
        lines[seed.place].append(f"{'.'.join([seed.words[0], *words])} {', '.join(seed.operands)};")
    answers = tool.many(lines)
    taken = 0
    for place, each in lines.items():
        for line, theirs, ours in zip(each, answers[place], our_verdicts(each, place)):
            assert (theirs is None) == (ours is None) or explain(line, theirs, ours), (line, theirs, ours)
            taken += ours is None
    assert taken > 50
