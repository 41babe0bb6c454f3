"""The words that an assembler's lexer knows, found by asking: modifiers, and names of instructions.

Candidates are every modifier of the table, every readable string of the assembler's library, the manual's words of versions
newer than the table, and compounds `head::tail` of all of them. One question a word: the lexer says "Unknown modifier" and
"Not a name of any known instruction" of what it does not know, whatever else is wrong with the line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.isa.forms import all_forms, opcodes
from ptxgen.isa.spelling import begin, following
from tools.certify.verdicts import Place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.certify.verdicts import Tool

__all__ = ["Lexicon", "lexed_names", "lexed_words", "lexicon", "table_words"]

MANUAL = """
    layout::v0 layout::v1 phase_type::primary phase_type::conditional op_restrict::fetching
    counted::bytes mbarrier::complete_tx::16B mbarrier::report::fabric mbarrier::report::disabled
    mbarrier::report::validity::per_element::ff mbarrier::report::validity::per_16bytes::8
    mbarrier::report::validity::per_16bytes::80 mbarrier::report::validity::per_16bytes::8000
    mbarrier::report::validity::per_16bytes::80000000 override::global_address override::global_dim
    override::global_dim_stride scaled::n1::ue8m0 decompress::lut::b
    collector::b::fill collector::b::use collector::b::lastuse collector::b::discard multicast::cluster::16b
    multicast::cluster::32b im2col_no_offs::w sync_restrict::read sync_restrict::reads
    sync_restrict::shared::read::mma::a proxy::readonly exclusive sp::1:2 sp::2:4 sp::4:8 sp::1:4 sp::1:8
    sp::1:16 sp::2:8 sp::2:16 sp::4:16 ue5m3x2 s2f6x2 pzo ignore_oob L1::32B valid_addr kind::ti16 fabric multimem
""".split()
"""Words of the manuals of PTX 9.1 to 9.4 that stand in no library as a readable string, or need not."""

_STRING = re.compile(rb"(?<=\0)\.?[A-Za-z0-9_][A-Za-z0-9_:.]{0,60}(?=\0)")
_WORD = re.compile(r"(?:[a-zA-Z]\w*|\d{1,3}(?:x\d{1,3})?[a-z]{1,3}(?:x\d)?(?:_[a-z]+)?)(?:::\w+)*")
_NAME = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*(?:::\w+)*)*")
_LONGEST = 40
_SAID = re.compile(r"(?:instruction|specified for) '([a-z][\w.:]*)'")
_CARRIER = "add"
_NONSENSE = ", ".join(["{%p1, %p2}"] * 8)


class Lexicon(NamedTuple):
    """`words`: the modifiers that the assembler knows, sorted; `foreign`: those of them that the table has not.

    `names`: names of instructions that the table cannot spell; `asked` counts the candidates.
    """

    words: tuple[str, ...]
    foreign: tuple[str, ...]
    names: tuple[str, ...]
    asked: int


def table_words() -> set[str]:
    """Every word between two dots of the table."""
    choices = (choice for form in all_forms() for segment in form.segments for choice in segment.choices)
    return {word for choice in choices for word in choice.split(".")}


def lexicon(tool: Tool, place: Place) -> Lexicon:
    """What the lexer knows at a place. Some seconds."""
    own = table_words()
    read = {found.decode() for found in _STRING.findall(Path(tool.path).read_bytes())}
    plain = {text.lstrip(".") for text in read if len(text) <= _LONGEST}
    asked = own | {word for word in plain if _WORD.fullmatch(word)} | set(MANUAL)
    known = lexed_words(tool, place, asked)
    asked_names = {text for text in read if _NAME.fullmatch(text)} | set(opcodes())
    tails = sorted({part for word in known | set(MANUAL) for part in word.split("::")})
    heads = known | {word.split("::")[0] for word in known | set(MANUAL)}
    while heads := {head for head in heads if not head[0].isdigit()}:  # a number and colons are not a token
        compounds = {f"{head}::{tail}" for head in heads for tail in tails} - asked
        asked |= compounds
        heads = lexed_words(tool, place, compounds)
        known |= heads
    names = lexed_names(tool, place, asked_names, sorted(known | own))
    words = tuple(sorted(known))
    foreign = tuple(word for word in words if word not in own)
    return Lexicon(words, foreign, tuple(sorted(n for n in names if not _spelt(n))), len(asked | asked_names))


def lexed_words(tool: Tool, place: Place, candidates: Iterable[str]) -> set[str]:
    """Those of the candidates that the lexer knows as modifiers."""
    words = sorted(candidates)
    answers = tool.many({place: [f"{_CARRIER}.{word} %r1, %r2;" for word in words]})[place]
    return {
        word for word, said in zip(words, answers) if not (said and re.search("Unknown modifier|syntax error", said))
    }


def lexed_names(tool: Tool, place: Place, candidates: Iterable[str], words: list[str]) -> set[str]:
    """Names that the assembler says back: of the candidates, and of each known name with a word behind it."""
    found: set[str] = set()
    asked: set[str] = set()
    fresh = set(candidates)
    while fresh:
        asked |= fresh
        answers = tool.many({place: [f"{name} {_NONSENSE};" for name in sorted(fresh)]})[place]
        said = {name for answer in answers for name in _SAID.findall(answer or "")} - found
        found |= said
        fresh = {f"{name}.{word}" for name in said for word in words} - asked
    return found


def _spelt(name: str) -> bool:
    """Do the words begin a name of the table?"""
    opcode, *words = name.split(".")
    state = begin(opcode)
    for word in words:
        after = following(state)
        state = after.get(word) or next((after[longer] for longer in after if longer.startswith(f"{word}::")), ())
    return bool(state)
