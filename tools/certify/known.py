"""Differences between the table and an assembler that are known, each with its reason.

An entry is (what the instruction looks like, what the assembler says, why the table stays as it is). The certifier fails on any
difference that no entry explains, and the report lists every entry with the number of instructions that it covers.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["KNOWN", "Known", "explain"]


class Known(NamedTuple):
    """`instruction` and `answer` are regular expressions; `answer` is matched with "" for an accepted instruction."""

    instruction: str
    answer: str
    reason: str


KNOWN: tuple[Known, ...] = (
    Known(
        r"st\.async\.(weak\.)?(v[24]\.)?[busf]\d+ ",
        r"requires modifier '\.completion_mechanism'",
        "manual 9.7.9.12 lets all of st.async's modifiers be left out; nvJitLink refuses the first such instruction of a "
        "module and accepts every later one",
    ),
    Known(
        r"tex\.(level|grad)\.\w+\.",
        r"Arguments mismatch for instruction '(st|mov|tex\.level)'",
        "nvJitLink refuses the first tex.level and tex.grad of a module with some operands, and accepts every later one: the "
        "instruction is a sequence of others there",
    ),
)


def explain(text: str, answer: str | None) -> Known | None:
    """The entry that explains this verdict about this instruction; None when it is news."""
    for known in KNOWN:
        if re.match(known.instruction, text) and re.search(known.answer, answer or ""):
            return known
    return None
