"""Every form at its stated minimum, and one PTX version and one target below it.

A row says of each target from which PTX version on a form exists there, or that it does not. Both are asked: accepted at that
version, refused at the version before (where the target itself existed then), refused at every version on the targets
that lack it. Names that only multiply modifiers out are asked at their lowest place alone, and so is a share of all others where
an answer within seconds is wanted.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.isa.examples import covering_names, every_name, examples
from ptxgen.isa.forms import forms_of, opcodes, resolve
from tools.certify.verdicts import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.notation import Form
    from ptxgen.isa.targets import Target
    from tools.certify.verdicts import Tool

__all__ = ["Question", "needed_version", "questions"]


class Question(NamedTuple):
    """An instruction at a place, and what the table says the assembler will say."""

    text: str
    place: Place
    legal: bool
    form: Form


def needed_version(resolved: Resolved, target: Target) -> tuple[int, int] | None:
    """The first PTX version with which the form exists on the target; None when it never does."""
    versions = [target.since]
    for choices in resolved.since:
        there = [c.version for c in choices if target.provides(c.sm, c.suffix)]
        if not there:
            return None
        versions.append(min(there))
    return max(versions)


def resolved_as(name: str, form: Form) -> Resolved | None:
    """The name as that very row reads it."""
    return next((found for found in resolve(name) if found.form is form), None)


def names_of(form: Form, keep: float, random: Random) -> Iterator[tuple[str, bool]]:
    """(name, asked everywhere?) of a form: those that cover its modifiers, then a share `keep` of all others."""
    covering = covering_names(form)
    yield from ((name, True) for name in covering)
    if keep <= 0:
        return
    known = set(covering)
    for name in every_name(form):
        if name not in known and (keep >= 1 or random.random() < keep):
            yield name, False


def questions(
    tool: Tool, keep: float = 1.0, seed: int = 0, only: tuple[str, ...] = (), elsewhere: float = 1.0
) -> Iterator[Question]:
    """What to ask: of each form the covering names, and a share `keep` of all others at their lowest place.

    The covering names are asked at their lowest place and, the share `elsewhere` of them, on each other target.
    """
    random = Random(seed)
    for opcode in only or opcodes():
        for form in forms_of(opcode):
            for name, everywhere in names_of(form, keep, random):
                resolved = resolved_as(name, form)
                if resolved is None:
                    raise ValueError(f"{form.syntax} does not read its own name {name}")
                for text in examples(name, resolved):
                    chosen = tool.targets if everywhere else []
                    if elsewhere < 1:
                        chosen = [target for target in chosen if random.random() < elsewhere]
                    yield from _places(tool, form, resolved, name, text, chosen)


def _places(
    tool: Tool, form: Form, resolved: Resolved, name: str, text: str, chosen: Sequence[Target]
) -> Iterator[Question]:
    """The questions about one text on its lowest target and the chosen ones."""
    inside = "param::func" in name
    first = tool.versions[0]
    found = [(needed_version(resolved, target), target) for target in tool.targets]
    some = [(version, target) for version, target in found if version is not None]
    if not some:
        return
    lowest = min(some, key=lambda pair: pair[0])
    for version, target in found:
        if target is not lowest[1] and target not in chosen:
            continue
        if version is None:
            yield Question(text, Place(tool.versions[-1], target.name, inside), False, form)
            continue
        yield from _edges(tool, form, target, max(version, first), text, inside, tight=version >= first)


def _edges(
    tool: Tool, form: Form, target: Target, version: tuple[int, int], text: str, inside: bool, tight: bool
) -> Iterator[Question]:
    """The first version that has it and the one before; the last version that has it and the one after."""
    last = form.until
    ends = last is not None and target.provides(last.sm, last.suffix)
    if ends and last is not None:
        later = next(v for v in tool.versions if v > last.version and v >= target.since)
        yield Question(text, Place(later, target.name, inside), False, form)
        if version > last.version:
            return
    yield Question(text, Place(version, target.name, inside), True, form)
    earlier = [v for v in tool.versions if v < version]
    if tight and earlier and earlier[-1] >= target.since:
        yield Question(text, Place(earlier[-1], target.name, inside), False, form)
