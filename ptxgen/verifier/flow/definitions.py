"""Registers along the paths of the control-flow graph: read before any path has written them (a warning)."""

from __future__ import annotations

from functools import reduce
from operator import and_, or_

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.alive import LiveBlocks
from ptxgen.dataflow.graph.solver import solve
from ptxgen.ir import Register, Variable

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_definitions"]

Guard = tuple[int, bool]

_MOST_NAMES = 8
"""Findings that name more registers than this name the first and the last."""


class Exposed(NamedTuple):
    """An instruction that reads registers which its own block has not written before it: their numbers as bits."""

    position: int
    block: int
    registers: int


def check_definitions(body: CheckedBody) -> None:
    """Warn of registers that some path from the entry reaches unwritten. A guarded write counts as a write.

    Not under the opposite of its guard, though; and a path that takes a branch one way and another on the same predicate the
    other way is none.
    """
    alive = body.analysis(LiveBlocks)
    needed = reduce(or_, alive.needed)
    if not needed:
        return
    at_entry = _defined_at_entry(body, needed)
    several = len(body.flow.blocks) > 1
    defined: list[int | None] = [at_entry]
    if several:
        defined = solve(body.flow, lambda index, known: known | alive.written[index], and_, at_entry)
    if not any(known is not None and need & ~known for need, known in zip(alive.needed, defined)):
        return
    from ptxgen.dataflow.paths.feasible_paths import FeasiblePaths

    exposed = _exposed(body)
    seen, paths = 0, FeasiblePaths(body)
    for position, block, mask in exposed:
        known = defined[block]
        missing = 0 if known is None else mask & ~known & ~seen
        if missing:
            registers = [r for r in dict.fromkeys(body.reads[position]) if missing >> r & 1]
            registers = [r for r in registers if not several or paths.lead_unwritten(r, position)]
            if position in body.accumulators:
                registers = _accumulated(body, position, registers)
            elif body.instructions[position].op.startswith("shfl.sync.idx"):
                registers = _own(body, position, registers)
            if registers:
                seen |= missing
                _report(body, position, registers)


def _own(body: CheckedBody, position: int, registers: list[int]) -> list[int]:
    """Without the value that a shuffle hands on: the lane that it is taken from alone may have written it.

    So one lane's atomic for many gives its result to all of them.
    """
    source = body.instructions[position].operands[1]
    handed = body.number(source, position) if isinstance(source, Register) else None
    return [register for register in registers if register != handed or register not in body.chains.definitions]


def _accumulated(body: CheckedBody, position: int, registers: list[int]) -> list[int]:
    """Which of the registers that are not surely written does an accumulating instruction read, as its scale-d has it?

    Accumulators written in the same places are judged once.
    """
    from ptxgen.verifier.flow.accumulators import is_read_unwritten

    own, definitions = frozenset(body.writes[position]), body.chains.definitions
    judged: dict[tuple[int, ...], bool] = {}
    found = []
    for register in registers:
        where = tuple(definitions.get(register, ()))
        if register not in own:
            found.append(register)
            continue
        if where not in judged:
            judged[where] = is_read_unwritten(body, register, position)
        if judged[where]:
            found.append(register)
    return found


def _report(body: CheckedBody, position: int, registers: list[int]) -> None:
    names = [body.registers[register].name for register in registers]
    shown = ", ".join(names) if len(names) <= _MOST_NAMES else f"{names[0]}, ..., {names[-1]} ({len(names)} registers)"
    several = len(names) > 1
    if body.accumulators.get(position) is not None and not set(registers).isdisjoint(body.writes[position]):
        body.report(
            "PTX303",
            f"{shown} {'are' if several else 'is'} added to before {'they are' if several else 'it is'} written",
            position,
            expected="accumulators with a value, or scale-d false in the first wgmma.mma_async of a chain",
            hint="scale-d 0, or a predicate that is false there",
        )
        return
    written = any(register in body.chains.definitions for register in registers)
    one, many = ("may be read before it is written", "may be read before they are written")
    if not written:
        one, many = "is read but never written", "are read but never written"
    body.report(
        "PTX303",
        f"{shown} {many if several else one}",
        position,
        hint=f"give {'them values' if several else 'it a value'} on every path to here",
    )


def _exposed(body: CheckedBody) -> list[Exposed]:
    """The reads whose register has no write before it in its own block, or only one under the opposite guard.

    What the entry block writes is written everywhere.
    """
    at_entry = frozenset[int]()
    reads, writes, instructions = body.reads, body.writes, body.instructions
    found = []
    for block in body.flow.blocks:
        index = block.index
        written = set[int]()
        partly: dict[int, Guard] = {}
        for position in range(block.start, block.end):
            if not (written.issuperset(reads[position]) or at_entry.issuperset(reads[position])):
                mask = 0
                for register in reads[position]:
                    if register not in written and register not in at_entry:
                        mask |= 1 << register
                for register in body.partly.get(position, ()):  # the other components have no value yet
                    mask &= ~(1 << register)
                if mask:
                    found.append(Exposed(position, index, mask))
            if instructions[position].pred is not None:
                wrong = _note_guarded(body, position, written, partly)
                if wrong:
                    found.append(Exposed(position, index, wrong))
                continue
            written.update(writes[position])
            if partly:
                for register in writes[position]:
                    _settle(partly, register)
        if not index:
            at_entry = frozenset(written)
    return found


def _note_guarded(body: CheckedBody, position: int, written: set[int], partly: dict[int, Guard]) -> int:
    """A guarded write is partial; this finds the reads that see only what the opposite guard wrote."""
    guard = body.guard(position)
    if guard is None:
        return 0
    opposite, wrong = (guard[0], not guard[1]), 0
    for register in body.reads[position] if partly else ():
        if partly.get(register) == opposite:
            wrong |= 1 << register
    for register in body.writes[position]:
        if register not in written:
            written.add(register)
            partly[register] = guard
        elif partly:
            _settle(partly, register)
    return wrong


def _settle(partly: dict[int, Guard], register: int) -> None:
    """A register is written again, or a predicate that writes stood under."""
    partly.pop(register, None)
    for other in [r for r, guard in partly.items() if guard[0] == register]:
        del partly[other]


def _defined_at_entry(body: CheckedBody, needed: int) -> int:
    """The needed registers that are there from the start, as bits: parameters and results in .reg."""
    at_entry = 0
    function = body.function
    names = {v.name for v in (*function.parameters, *function.results) if v.space == "reg"}
    outer = body.scopes[0].parent if names else None
    while needed and names:
        number = needed.bit_length() - 1
        needed ^= 1 << number
        name = body.registers[number].name
        if name in names and outer is not None and isinstance(outer.names.get(name), Variable):
            at_entry |= 1 << number
    return at_entry
