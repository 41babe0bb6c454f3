"""The table as plain data: what `ptxgen isa --json` prints."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

from ptxgen.isa.describe import HEADINGS, instruction_name, operand_notation, operands, section_title
from ptxgen.isa.directives import directives
from ptxgen.isa.examples import every_name
from ptxgen.isa.forms import chapters, forms_of, opcodes
from ptxgen.isa.specials import SPECIALS
from ptxgen.isa.targets import LATEST, TARGETS, VERSIONS
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.isa.directives import DirectiveForm
    from ptxgen.isa.notation import Availability, Form
    from ptxgen.isa.specials import SpecialRegister
    from ptxgen.isa.targets import Target

__all__ = ["count_names", "directive_data", "dump", "form_data", "legal_forms", "special_data", "target_data"]


@cache
def count_names(opcode: str) -> int:
    """How many distinct dotted names the opcode's forms spell. Selectors of video operands are not part of a name."""
    forms = forms_of(opcode)
    if len(forms) == 1 and not forms[0].rules and not any(s.optional for s in forms[0].segments):
        return prod(len(segment.choices) for segment in forms[0].segments)
    found: set[str] = set()
    for form in forms:
        found.update(every_name(form))
    return len(found)


def legal_forms() -> int:
    """How many distinct dotted names the table spells."""
    return sum(map(count_names, opcodes()))


def dump() -> dict[str, Any]:
    """Everything as plain data, for `ptxgen isa --json`."""
    return {
        "versions": [_version(v) for v in VERSIONS],
        "latest": _version(LATEST),
        "legal_forms": legal_forms(),
        "chapters": [{"section": number, "title": title} for number, title in HEADINGS.items()],
        "opcodes": [
            {"name": opcode, "names": count_names(opcode), "forms": [form_data(form) for form in forms_of(opcode)]}
            for opcode in opcodes()
        ],
        "special_registers": [special_data(row) for row in SPECIALS.values()],
        "directives": [directive_data(row) for row in directives()],
        "targets": [target_data(target) for target in TARGETS.values()],
        "types": [
            {"name": t.name, "bits": t.bits, "lanes": t.lanes, "fundamental": t.fundamental} for t in TYPES.values()
        ],
        "files": {name: list(held) for name, held in chapters().items()},
    }


def _version(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _places(choices: Iterable[Availability]) -> list[dict[str, str]]:
    return [{"version": _version(c.version), "target": f"sm_{c.sm}{c.suffix}"} for c in choices]


def form_data(form: Form) -> dict[str, Any]:
    """A form as plain data."""
    return {
        "syntax": form.syntax,
        "instruction": instruction_name(form),
        "notation": operand_notation(form),
        "section": form.section,
        "title": section_title(form),
        "modifiers": [
            {"name": s.name, "optional": s.optional, "choices": {word: _places(c) for word, c in s.choices.items()}}
            for s in form.segments
        ],
        "operands": [operand._asdict() for operand in operands(form)],
        "since": _places(form.since),
        "until": None if form.until is None else _places([form.until])[0],
        "never": [[sorted(first), sorted(second)] for first, second in form.rules],
        "effects": sorted(form.effects),
    }


def special_data(row: SpecialRegister) -> dict[str, Any]:
    """A special register as plain data."""
    return {
        "name": row.name,
        "type": row.type.name,
        "since": _version(row.since),
        "target": f"sm_{row.target}",
        "section": row.section,
        "purpose": row.purpose,
        "directive": row.directive,
    }


def directive_data(row: DirectiveForm) -> dict[str, Any]:
    """A directive as plain data."""
    return {
        "name": row.name,
        "syntax": row.syntax,
        "group": row.group,
        "section": row.section,
        "places": list(row.places),
        "purpose": row.purpose,
        "since": _places([row.since])[0],
        "until": None if row.until is None else _version(row.until),
        "arguments": list(row.arguments),
        "allowed": list(row.allowed) if row.arguments[1] else None,
        "needs": list(row.needs),
        "excludes": list(row.excludes),
        "in_manual": row.listed,
    }


def target_data(target: Target) -> dict[str, Any]:
    """A target as plain data; sizes in bytes."""
    return {
        "name": target.name,
        "since": _version(target.since),
        "family": f"sm_{target.family}x",
        "shared_static": target.shared_static,
        "shared_optin": target.shared_optin,
        "shared_total": target.shared_total,
        "threads_block": target.max_threads,
        "threads_total": target.threads_total,
        "blocks_total": target.ctas_total,
        "registers_thread": target.max_registers,
        "registers_total": target.registers_total,
        "cluster": target.max_cluster,
    }
