"""Neighbouring loads and stores as one of two or four lanes, where the address is known to be aligned for it.

Within a block. Loads move up to the first of them, stores down to the last, past nothing that could tell: no access that may
alias, nothing that orders memory, no write of a register that they name.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

from ptxgen.dataflow.values.alignment import Alignments
from ptxgen.ir import Address, Instruction, Register, Vector
from ptxgen.isa.types import TYPES
from ptxgen.passes.editing import Edit, is_legal, is_plain_load, is_plain_store

__all__ = ["fuse_vectors"]

_FENCES = frozenset({"orders", "barrier", "control", "converged"})


class ElementAccess(NamedTuple):
    """A scalar load or store: where, of what address, at which offset from it."""

    position: int
    base: int
    offset: int
    value: Register
    value_number: int


def fuse_vectors(edit: Edit) -> None:
    """Joins loads and stores of neighbouring words into .v2 and .v4, where alignment is proven."""
    alignments = Alignments(edit.body)
    for block in edit.body.flow.blocks:
        for position in range(block.start, block.end):
            if edit.is_changed(position):
                continue
            first = _access(edit, position)
            if first is not None:
                _fuse(edit, alignments, first, block.end)


def _access(edit: Edit, position: int) -> ElementAccess | None:
    """A plain, unguarded access of one element through a register."""
    instruction = edit.body.instructions[position]
    op = instruction.op
    loads = is_plain_load(op)
    if (
        instruction.pred is not None
        or not (loads or is_plain_store(op))
        or ".v" in op
        or len(instruction.operands) != 2
    ):
        return None
    if not op.split(".")[1].startswith(("global", "shared", "local")):
        return None
    value, address = instruction.operands if loads else instruction.operands[::-1]
    if not isinstance(value, Register) or not isinstance(address, Address):
        return None
    base, number = edit.number(address.base, position), edit.number(value, position)
    if base is None or number is None:
        return None
    return ElementAccess(position, base, address.offset, value, number)


def _fuse(edit: Edit, alignments: Alignments, first: ElementAccess, end: int) -> None:
    body = edit.body
    op = body.instructions[first.position].op
    bytes_ = TYPES[op.rpartition(".")[2]].bytes
    group = _group(edit, first, end)
    for lanes in (4, 2):
        if lanes * bytes_ > 16:
            continue
        by_offset = {access.offset: access for access in group}
        for low in sorted(by_offset):
            chosen = [by_offset[low + lane * bytes_] for lane in range(lanes) if low + lane * bytes_ in by_offset]
            if len(chosen) < lanes or first not in chosen:
                continue
            if _join(edit, alignments, op, chosen, bytes_ * lanes):
                return


def _group(edit: Edit, first: ElementAccess, end: int) -> list[ElementAccess]:
    """The accesses behind the first that may be made together with it, itself included."""
    body = edit.body
    op, loads = body.instructions[first.position].op, body.instructions[first.position].op.startswith("ld")
    group, offsets = [first], {first.offset}
    read: set[int] = set()
    written = set(body.writes[first.position])
    if loads and first.base in written:
        return group
    for position in range(first.position + 1, end):
        form = body.forms[position]
        if form is None or edit.is_changed(position):
            break
        access = _access(edit, position) if body.instructions[position].op == op else None
        if access is not None and access.base == first.base and access.offset not in offsets:
            free = not loads or access.value_number not in read | written | {first.base}
            if free:
                group.append(access)
                offsets.add(access.offset)
                written |= set(body.writes[position])
                continue
        effects = form.form.effects
        if effects & _FENCES or "writes" in effects or ("reads" in effects and not loads) or form.form.opcode == "call":
            break
        read |= set(body.reads[position])
        written |= set(body.writes[position])
        named = {first.base} if loads else {first.base, *(each.value_number for each in group)}
        if written & named:
            break
    return group


def _join(edit: Edit, alignments: Alignments, op: str, chosen: Sequence[ElementAccess], size: int) -> bool:
    body = edit.body
    place = (min if op.startswith("ld") else max)(access.position for access in chosen)
    low = chosen[0]
    base = edit.names(low.base, place)
    values = [edit.names(access.value_number, place) for access in chosen]
    if base is None or any(value is None for value in values):
        return False
    address = Address(base, low.offset)
    known = alignments.of(address, low.position)
    if known.modulus % size or known.residue % size:
        if len(chosen) == 2:
            edit.remark(
                low.position,
                f"not joined with the next {size // 2} bytes: the address is known to be a multiple of "
                f"{gcd(known.modulus, known.residue)}, not of {size} (.ptr .align {size} of the parameter says more)",
            )
        return False
    vector = Vector(tuple(value for value in values if value is not None))
    head, _, name = op.rpartition(".")
    loads = op.startswith("ld")
    new = Instruction(f"{head}.v{len(chosen)}.{name}", (vector, address) if loads else (address, vector))
    if not is_legal(new):
        return False
    for access in chosen:
        edit.delete(access.position)
    new.source = body.instructions[place].source
    edit.replace(place, new)
    return True
