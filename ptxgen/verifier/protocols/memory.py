"""What instructions do to shared memory: generic accesses, asynchronous copies, matrices read through descriptors.

The generic proxy is that of ld, st, atom, ldmatrix, stmatrix and non-bulk cp.async; bulk copies, wgmma and tcgen05 read and write
through the async proxy (manual 8.2.1, 9.7.9.25.2, 9.7.15.2, 9.7.16.6).
"""

from __future__ import annotations

from functools import cache

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import Operand, Register
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.values.value_numbers import SymbolicAddress, ValueNumbers
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["ProxyAccess", "accesses", "overlap", "same_buffer"]

_ROWS = opcodes_with("rows")
_LOADS = opcodes_with("load")
_ACCESSES = opcodes_with("load", "store", "atomic")


class ProxyAccess(NamedTuple):
    """`kind`: "load", "store", "cp.async" (what it writes), "bulk read", "bulk write", "matrix" (an operand of wgmma, tcgen05).

    `size` in bytes, where it is a constant.
    """

    position: int
    kind: str
    place: SymbolicAddress
    size: int | None = None


@cache
def _roles(op: str) -> tuple[tuple[int, str], ...]:
    """(operand index, kind of access) for an instruction that may touch shared memory; () for others."""
    words = op.split(".")
    opcode = words[0]
    spaces = {"global", "local", "param", "const", "shared"} | {
        "shared::cta",
        "shared::cluster",
        "param::entry",
        "param::func",
    }
    space = next((word for word in words if word in spaces), "")
    if opcode in _ACCESSES and "async" not in words:
        kind = "load" if opcode in _LOADS else "store"
        address = 1 if opcode in _LOADS or opcode == "atom" else 0
        return ((address, kind),) if space.startswith("shared") or not space else ()
    if opcode in _ROWS:
        return ((1, "load"),) if opcode == "ldmatrix" else ((0, "store"),)
    if opcode == "wmma" and words[1] in ("load", "store"):
        return () if space == "global" else ((1, "load"),) if words[1] == "load" else ((0, "store"),)
    if op.startswith("tensormap.replace") and space.startswith("shared"):
        return ((0, "store"),)
    if op.startswith("cp.async.") and not {"ca", "cg"}.isdisjoint(words):
        return ((0, "cp.async"),)
    if opcode == "cp" and "bulk" in words and "prefetch" not in words and len(words) > 4:
        shared = [word.startswith("shared") for word in words if word == "global" or word.startswith("shared")]
        into, out_of = shared[:2] if len(shared) >= 2 else (False, False)
        return ((0, "bulk write"),) * into + ((1, "bulk read"),) * out_of
    if opcode == "st" and "bulk" in words:
        return ((0, "store"),)
    if op.startswith("wgmma.mma_async"):
        return ((1, "matrix"), (2, "matrix"))
    if op.startswith("tcgen05.mma"):
        return ((1, "matrix"), (2, "matrix"))
    return ((1, "matrix"),) if op.startswith("tcgen05.cp") else ()


def accesses(body: CheckedBody, values: ValueNumbers) -> list[ProxyAccess]:
    """Every access to shared memory whose place the text shows, in text order."""
    found = []
    positions = sorted({*body.memory, *body.at.get("wgmma", ())})
    for position in positions:
        instruction = body.instructions[position]
        for index, kind in _roles(instruction.op):
            if index >= len(instruction.operands):
                continue
            operand = instruction.operands[index]
            if kind == "matrix" and not isinstance(operand, Register):
                continue  # registers of A, or A in tensor memory
            place = values.place(operand, position)
            if place.symbols:
                found.append(
                    ProxyAccess(position, kind, place, _size(values, instruction.op, instruction.operands, position))
                )
    return found


def _size(values: ValueNumbers, op: str, operands: tuple[Operand, ...], position: int) -> int | None:
    """Bytes, where a copy says them."""
    if not op.startswith("cp.") or ".tensor" in op or len(operands) < 3:
        return None
    return values.constant(operands[2], position)


def overlap(values: ValueNumbers, one: SymbolicAddress, size: int | None, other: SymbolicAddress) -> bool | None:
    """May an access at `other` touch the `size` bytes at `one`? None when the text does not say.

    Terms are taken as what they are in addresses: indices, which are not negative. Where two addresses differ in a term that
    is the same for all threads (a size that came as a parameter), they may be of two regions.
    """
    if len(one.symbols) != 1 or len(other.symbols) != 1:
        return False if one.symbols and other.symbols and not one.symbols & other.symbols else None
    if one.symbols != other.symbols:
        return False
    if one.offset != other.offset:
        if other.offset > one.offset and size is not None and not one.terms:
            return other.offset < one.offset + size
        return False if one.exact and other.exact else None
    return True if values.shared_terms(one) == values.shared_terms(other) else None


def same_buffer(values: ValueNumbers, one: SymbolicAddress, other: SymbolicAddress) -> bool:
    """Do two addresses name one buffer that never moves, so that no other stage of it can be meant?"""
    if one.offset != other.offset or len(one.symbols) != 1 or one.symbols != other.symbols:
        return False
    if any(key[0] == "reg" for key in values.leaves(one.terms | other.terms)):
        return False
    return values.shared_terms(one) == values.shared_terms(other)
