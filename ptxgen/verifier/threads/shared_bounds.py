"""Shared memory at an index made of the thread's number that goes past the variable, where .reqntid says which threads there are.

.maxntid is only an upper bound, and a kernel without either says nothing: its launch may have few enough threads. An index that
has anything unknown in it is not judged; constant addresses are (`addresses/alignment.py`).
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.launch_bounds import product
from ptxgen.dataflow.threads.active_threads import ActiveThreads
from ptxgen.dataflow.threads.thread_rules import rule_of
from ptxgen.dataflow.threads.thread_values import ThreadValues, first_threads
from ptxgen.dataflow.values.alignment import access_size
from ptxgen.ir import Address, Register, Variable
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_shared_bounds"]

_ACCESSES = opcodes_with("load", "store", "atomic")


def check_shared_bounds(body: CheckedBody) -> None:
    """PTX426, once a variable: a thread that surely comes to an access of shared memory reaches past the variable."""
    if not body.function.is_entry:
        return
    count = product(body.function, "reqntid")
    if not count:
        return
    indices = _Indices(body)
    indexed = [p for p in body.memory if _is_plain(body.instructions[p].op) and indices.decide(p)]
    if not indexed:
        return
    first, every = body.analysis(first_threads), ThreadValues(body, count, unfollowed=False)
    active, reported = ActiveThreads(body, every), set[str]()
    for position in indexed:
        address = next((o for o in body.instructions[position].operands if type(o) is Address), None)
        form = body.forms[position]
        if address is None or form is None:
            continue
        integers = first.of(address, position)
        variable = _only_variable(body, position, integers.base) if integers is not None else None
        if integers is None or variable is None or variable.name in reported:
            continue
        last = variable.size - access_size(form)
        if _stay(integers.parts, count, last):
            continue
        found = every.of(address, position)
        if found is None or found.base != integers.base or (min(found.parts) >= 0 and max(found.parts) <= last):
            continue
        running = active.at(position)
        outside = [t for t, part in enumerate(found.parts) if running and running[t] and not 0 <= part <= last]
        if outside:
            reported.add(variable.name)
            _report(body, position, variable, outside[0], found.parts[outside[0]])


def _stay(parts: tuple[int, ...], count: int, last: int) -> bool:
    """Do the offsets of the first threads stay in 0 to `last`, and the others', where they go on in equal steps?"""
    if min(parts) < 0 or max(parts) > last:
        return False
    if len(parts) >= count:
        return True
    step = parts[1] - parts[0]
    if not 0 <= parts[0] + step * (count - 1) <= last:
        return False
    return all(b - a == step for a, b in pairwise(parts))


def _report(body: CheckedBody, position: int, variable: Variable, thread: int, offset: int) -> None:
    place = f"{variable.name}{offset:+}" if offset else variable.name
    body.report(
        "PTX426",
        f"{body.instructions[position].op}: thread {thread} reaches {place}, and {variable.name} has {variable.size} bytes",
        position,
        expected="an index that stays in the variable for every thread that .reqntid states",
        hint="a condition on the thread's number, or a larger variable",
    )


class _Indices:
    """Which registers are made of nothing but indices, constants and symbols, each by one instruction: seen at a glance."""

    def __init__(self, body: CheckedBody) -> None:
        self.body = body
        self._known: dict[int, bool] = {}

    def decide(self, position: int) -> bool:
        """Is the address of the access there such a register?"""
        base = next((o.base for o in self.body.instructions[position].operands if type(o) is Address), None)
        number = self.body.number(base, position) if type(base) is Register else None
        return number is not None and self._is_known(number)

    def _is_known(self, number: int) -> bool:
        known, body, work = self._known, self.body, [number]
        while work:
            current = work[-1]
            where = body.chains.definitions.get(current, ())
            if current in known or len(where) != 1:
                known.setdefault(current, False)
                work.pop()
                continue
            instruction = body.instructions[where[0]]
            if instruction.pred is not None or rule_of(instruction.op) is None:
                known[current] = False
                work.pop()
                continue
            inputs = body.reads[where[0]]
            missing = [n for n in inputs if n not in known]
            if missing and all(n not in work for n in missing):
                work += missing
                continue
            known[current] = all(known.get(n, False) for n in inputs)
            work.pop()
        return known[number]


@cache
def _is_plain(op: str) -> bool:
    """Does it access shared memory of the own CTA, thread by thread?"""
    opcode, *words = op.split(".")
    own = any(word in ("shared", "shared::cta") for word in words)
    return own and opcode in _ACCESSES and "async" not in words and "bulk" not in words


def _only_variable(
    body: CheckedBody, position: int, base: frozenset[tuple[tuple[object, ...], int]]
) -> Variable | None:
    """The variable that an address is a known number of bytes into; None for any other."""
    if len(base) != 1:
        return None
    ((leaf, factor),) = base
    if leaf[0] != "symbol" or factor != 1:
        return None
    found = body.scopes[position].find(str(leaf[1]))
    known = (
        isinstance(found, Variable) and found.space.startswith("shared") and found.linkage != "extern" and found.size
    )
    return found if known else None  # type: ignore[return-value]
