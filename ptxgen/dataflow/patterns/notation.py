"""How a pattern of instructions is written, and reading it.

    ld.global.*.f32                              a name: words as they are, `*` for any number of modifiers, also none
    mma   st|red.global.*   cvt.*.f8*            an opcode alone is each of its forms; alternatives; part of a word
    @!$p bra *                                   with a guard; `@*` for any; without one, guarded or not
    mul.f32 $a, $b, #                            with operands (`operands.py`); without, whatever they are
    mul.f32 $a,$b,$c; add.f32 $d,$a,$e           several: where a name was written before, its value must get there

A name stands for one register, constant or symbol in the whole pattern. An instruction of which no name stands before is the
next one below that fits.
"""

from __future__ import annotations

import re
from functools import lru_cache

from driver_ctypes.typing import NamedTuple
from ptxgen.dataflow.patterns.operands import (
    ListPattern,
    OperandPattern,
    PatternError,
    list_pattern,
    operand_pattern,
    split,
)

__all__ = ["Step", "read_pattern"]

_STEP = re.compile(r"(?:@\s*(?P<guard>!?\s*[^\s.]+)\s+)?(?P<name>\S+)\s*(?P<operands>.*)", re.DOTALL)
_WORD = re.compile(r"[\w:*?]+")
_ANY = r"(?:\.[^.]+)*"


class Step(NamedTuple):
    """One instruction of a pattern; `operands` None: any. `names` are those that it mentions."""

    name: re.Pattern[str]
    guard: OperandPattern | None
    operands: ListPattern | None
    names: frozenset[str]


@lru_cache(64)
def read_pattern(text: str) -> tuple[Step, ...]:
    """The instructions of a pattern. PatternError where it is none."""
    try:
        steps = tuple(_step(part) for part in split(text, ";") if part)
    except PatternError as wrong:
        raise PatternError(f"pattern {text!r}: {wrong}", hint=wrong.hint) from None
    except RecursionError:
        raise PatternError(f"pattern {text[:40]!r}... is nested too deeply") from None
    if not steps:
        raise PatternError(f"pattern {text!r} has no instruction", hint="'*' finds each one")
    return steps


def _step(text: str) -> Step:
    found = _STEP.fullmatch(text)
    if found is None:
        raise PatternError(f"{text!r} is no instruction")
    guard, operands = found["guard"], found["operands"]
    names = frozenset(re.findall(r"\$[a-z][a-z0-9_]*", f"{guard} {operands}")) | {
        f"${name}" for name in re.findall(r"#([a-z][a-z0-9_]*)", operands)
    }
    return Step(
        re.compile(_name(found["name"])),
        operand_pattern(guard.replace(" ", "")) if guard else None,
        list_pattern(operands) if operands else None,
        names,
    )


def _name(text: str) -> str:
    first, *modifiers = text.split(".")
    parts = [rf"[^.]+{_ANY}" if first == "*" else _word(first)]
    parts += [_ANY if word == "*" else rf"\.{_word(word)}" for word in modifiers]
    return "".join(parts) if modifiers else parts[0] + _ANY


def _word(text: str) -> str:
    choices = text.split("|")
    for choice in choices:
        if not _WORD.fullmatch(choice):
            raise PatternError(f"{choice!r} is no opcode or modifier")
    wild = [re.escape(choice).replace(r"\*", "[^.]*").replace(r"\?", "[^.]") for choice in choices]
    return f"(?:{'|'.join(wild)})"
