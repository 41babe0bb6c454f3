"""Instructions that are mostly wrong: one change to a legal one.

A modifier dropped, added, repeated, moved or misspelt; an operand dropped, repeated, exchanged, of another type, width, direction
or kind; a version or a target where the form does not exist.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ptxgen.isa.examples import PREFIXES, covering_names, examples
from ptxgen.isa.forms import forms_of, opcodes
from tools.certify.positives import Question, needed_version, resolved_as
from tools.certify.verdicts import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from ptxgen.isa.notation import Form
    from tools.certify.verdicts import Tool

__all__ = ["MUTATIONS", "mutants"]

_REGISTER = re.compile(r"%[a-z]+(?:\d+_)?\d+(?![\w])")
_NUMBERS = (0, 1, 2, 3, 7, 8, 15, 16, 31, 64, 127, 128, 255, 256, 65536, -1)


def _modifiers(op: str) -> list[str]:
    return op.split(".")


def drop_modifier(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    words = _modifiers(op)
    if len(words) > 1:
        del words[random.randrange(1, len(words))]
    return ".".join(words), operands


def add_modifier(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    words = _modifiers(op)
    relative = random.choice(forms_of(form.opcode))
    choices = [choice for segment in relative.segments for choice in segment.choices]
    if choices:
        words.insert(random.randrange(1, len(words) + 1), random.choice(choices))
    return ".".join(words), operands


def replace_modifier(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    words = _modifiers(op)
    relative = random.choice(forms_of(form.opcode))
    choices = [choice for segment in relative.segments for choice in segment.choices]
    if choices and len(words) > 1:
        words[random.randrange(1, len(words))] = random.choice(choices)
    return ".".join(words), operands


def swap_modifiers(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    words = _modifiers(op)
    if len(words) > 2:
        i, j = random.sample(range(1, len(words)), 2)
        words[i], words[j] = words[j], words[i]
    return ".".join(words), operands


def misspell_modifier(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    words = _modifiers(op)
    i = random.randrange(len(words))
    at = random.choice([k for k, sign in enumerate(words[i]) if sign != ":"])  # a colon would make a label
    words[i] = words[i][:at] + random.choice("abcdefmnrstuxz0123468") + words[i][at + 1 :]
    return ".".join(words), operands


def drop_operand(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    if operands:
        i = random.randrange(len(operands))
        operands = operands[:i] + operands[i + 1 :]
    return op, operands


def repeat_operand(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    if operands:
        operands = [*operands, random.choice(operands)]
    return op, operands


def exchange_operands(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    if len(operands) > 1:
        i, j = random.sample(range(len(operands)), 2)
        operands = list(operands)
        operands[i], operands[j] = operands[j], operands[i]
    return op, operands


def retype_register(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    text = ", ".join(operands)
    found = list(_REGISTER.finditer(text))
    if not found:
        return op, operands
    chosen = random.choice(found)
    name = random.choice([p for p in PREFIXES if p != "b128"])
    return op, [text[: chosen.start()] + f"{PREFIXES[name]}{random.randrange(1, 9)}" + text[chosen.end() :]]


def other_kind(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    if not operands:
        return op, operands
    i = random.randrange(len(operands))
    others = ("_", "[%rd1]", "{%r1, %r2}", "{%r1}", "%tid.x", "0f3F800000", "%r1|%p1", "[%rd1, {%r1, %r2}]", "%f1")
    operands = list(operands)
    operands[i] = random.choice((*others, str(random.choice(_NUMBERS))))
    return op, operands


def other_number(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    numbers = [i for i, operand in enumerate(operands) if re.fullmatch(r"-?\d+", operand)]
    if numbers:
        operands = list(operands)
        operands[random.choice(numbers)] = str(random.choice(_NUMBERS))
    return op, operands


def other_vector(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    vectors = [i for i, operand in enumerate(operands) if operand.startswith("{") and "|" not in operand]
    if not vectors:
        return op, operands
    i = random.choice(vectors)
    parts = operands[i][1:-1].split(", ")
    parts = parts[:-1] if random.random() < 0.5 and len(parts) > 1 else [*parts, parts[0]]
    operands = list(operands)
    operands[i] = "{" + ", ".join(parts) + "}"
    return op, operands


def elsewhere(op: str, operands: list[str], random: Random, form: Form) -> tuple[str, list[str]]:
    """The instruction stays as it is: its place changes (`mutants`)."""
    return op, operands


MUTATIONS: dict[str, Callable[[str, list[str], Random, Form], tuple[str, list[str]]]] = {
    function.__name__: function
    for function in (
        drop_modifier, add_modifier, replace_modifier, swap_modifiers, misspell_modifier, drop_operand, repeat_operand,
        exchange_operands, retype_register, other_kind, other_number, other_vector, elsewhere,
    )
}  # fmt: skip
"""Name -> the change."""


def split_operands(text: str) -> list[str]:
    """The operands of an instruction's text, at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, sign in enumerate(text):
        depth += (sign in "[{(") - (sign in "]})")
        if sign == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def mutants(tool: Tool, count: int, random: Random) -> Iterator[tuple[str, Question]]:
    """(name of the mutation, instruction at its place), `count` of them over all forms; `legal` is not set."""
    pool = _originals(tool)
    for _ in range(count):
        form, text, places = random.choice(pool)
        name = random.choice(list(MUTATIONS))
        op, _, rest = text[:-1].partition(" ")
        op, operands = MUTATIONS[name](op, split_operands(rest), random, form)
        target = random.choice(tool.targets) if name == "elsewhere" else None
        if target is not None:
            version = random.choice([v for v in tool.versions if v >= target.since])
            place = Place(version, target.name)
        else:
            place = random.choice(places)
        yield name, Question(f"{op} {', '.join(operands)};" if operands else f"{op};", place, False, form)


@cache
def _originals(tool: Tool) -> list[tuple[Form, str, list[Place]]]:
    """Legal instructions, each with places where it is legal."""
    pool = []
    for form in (form for opcode in opcodes() for form in forms_of(opcode)):
        for name in covering_names(form):
            resolved = resolved_as(name, form)
            if resolved is None or "param::func" in name or form.until is not None:
                continue
            found = [(needed_version(resolved, target), target) for target in tool.targets]
            places = [Place(max(v, tool.versions[0]), t.name) for v, t in found if v is not None]
            if places:
                keep = [places[0], places[-1]]
                pool += [(form, text, keep) for text in examples(name, resolved)]
    return pool
