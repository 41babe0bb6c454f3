"""Special registers against the assembler: each at its version and target with every type, just below, and as a destination."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.isa.specials import SPECIALS
from ptxgen.isa.types import TYPES
from tools.certify.modules import Case, ask

if TYPE_CHECKING:
    from ptxgen.isa.specials import SpecialRegister
    from ptxgen.isa.targets import Target
    from tools.certify.modules import Outcome
    from tools.certify.verdicts import Tool

__all__ = ["certify_specials"]

_REGISTERS = {
    "pred": "%p",
    "u16": "%h",
    "b16": "%h",
    "b32": "%r",
    "u32": "%r",
    "s32": "%r",
    "u64": "%d",
    "b64": "%d",
    "f32": "%f",
}
_DECLARED = ".reg .pred %p; .reg .b16 %h; .reg .b32 %r; .reg .b64 %d; .reg .f32 %f; .reg .f64 %g;"


class _Where(NamedTuple):
    version: tuple[int, int]
    target: Target


def certify_specials(tool: Tool, only: tuple[str, ...] = (), *, everywhere: bool = True) -> Outcome:
    """Ask about every special register, or about those named; `everywhere`: on every target, not on the newest alone."""
    cases: list[Case] = []
    for name in only or SPECIALS:
        cases += _cases(tool, SPECIALS[name], everywhere)
    return ask(tool, cases)


def _cases(tool: Tool, row: SpecialRegister, everywhere: bool) -> list[Case]:
    newest = tool.versions[-1]
    first = next(t for t in tool.targets if t.sm >= row.target)
    place = _Where(max(row.since, first.since), first)
    found = []
    for type_, register in _REGISTERS.items():
        legal = row.reads_as(TYPES[type_])
        found.append(_case(row, f"mov.{type_} {register}, {row.name};", place, legal))
    type_ = row.type.name
    mov = f"mov.{type_} {_REGISTERS[type_]}, {row.name};"
    found.append(_case(row, f"mov.{type_} {row.name}, {_REGISTERS[type_]};", place, False))
    if type_ != "pred":
        found.append(_case(row, f"add.{type_.replace('b', 'u')} {_REGISTERS[type_]}, {row.name}, 1;", place, False))
        found.append(_case(row, f"cvt.u64.{type_.replace('b', 'u')} %d, {row.name};", place, True))
        found.append(_case(row, f"cvt.rn.f32.{type_.replace('b', 'u')} %f, {row.name};", place, False))
    if row.directive:
        found.append(Case(_module(mov, ""), newest, first, False, row.name))
    earlier = [v for v in tool.versions if v < row.since and v >= first.since]
    found += [_case(row, mov, _Where(earlier[-1], first), False)] if earlier else []
    older = [t for t in tool.targets if t.sm < row.target]
    found += [_case(row, mov, _Where(newest, older[-1]), False)] if older else []
    there = [target for target in tool.targets if target.sm >= row.target]
    found += [_case(row, mov, _Where(newest, target), True) for target in (there if everywhere else there[-1:])]
    return found


def _case(row: SpecialRegister, line: str, place: _Where, legal: bool) -> Case:
    text = _module(line, f".{row.directive} 64" if row.directive and place.version >= row.since else "")
    return Case(text, place.version, place.target, legal, line)


def _module(line: str, head: str) -> str:
    return f".visible .entry k() {head} {{ {_DECLARED} {line} ret; }}\n"
