"""Differences between the table and an assembler that are known, each with its reason.

An entry is (what the instruction looks like, what the assembler says, why the table stays as it is). The certifier fails on any
difference that no entry explains, and the report lists every entry with the number of instructions that it covers.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.certify.verdicts import CRASH

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
    Known(
        r"(tex|tld4)\.",
        r"",
        "nvJitLink reads the operands of texture instructions more freely than manual 9.7.10: registers of any type with the "
        "same width, offsets of another length, vectors of one for scalars; and elsewhere more strictly, by geometry",
    ),
    Known(
        r"(wgmma|mma|wmma|tcgen05)\.",
        r"^$",
        "nvJitLink lets `.aligned` away and `.sync` doubled, predicates and other registers of the same width in fragments, "
        "and constants where the manual asks for a register",
    ),
    Known(r"(suld|sust|sured|suq)\.", r"", "nvJitLink judges surface operands by width alone, manual 9.7.11 by type"),
    Known(
        r"(ld|st|ldu)\.[\w.:]*v[248]\.",
        r"Incompatible elements",
        "the elements of a vector may be wider than the type, but all alike",
    ),
    Known(
        r"\w+(\.[\w:]+)*\.([\w:]+)(\.[\w:]+)*\.\2\b",
        r"^$",
        "nvJitLink takes some modifiers twice; the manual has each once",
    ),
    Known(
        r".*\{%\w+\}", r"^$", "nvJitLink takes a vector of one for a scalar (manual 6.4.2 has vectors of two and more)"
    ),
    Known(
        r"atom[\w.:]*\.(and|or|xor|exch)[\w.:]* ",
        r"^$",
        "nvJitLink takes a third operand, which is read by no operation but cas",
    ),
    Known(r".*", re.escape(CRASH), "the assembler itself crashed or hung; the manual forbids the instruction"),
)


def explain(text: str, answer: str | None) -> Known | None:
    """The entry that explains this verdict about this instruction; None when it is news."""
    for known in KNOWN:
        if re.match(known.instruction, text) and re.search(known.answer, answer or ""):
            return known
    return None
