"""How the lanes of a warp lie in memory: sectors of global memory that an access moves, conflicts of shared memory's banks.

Global memory comes in sectors of 32 bytes (CUDA programming guide, "Device Memory Accesses"); an access of a warp costs as many
as its lanes touch. Shared memory has 32 banks of 4 bytes: lanes that want different words of one bank wait for each other.
Accesses of 8 and 16 bytes a lane are made by half and quarter warps. All lanes are taken to take part, and what is not known of
an address, but is the same in the warp, to be as well aligned as it can be.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.threads.thread_values import ThreadValues
from ptxgen.ir import Address
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.spaces import WINDOW

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.threads.thread_integers import ThreadIntegers

__all__ = ["BANKS", "SECTOR", "Pattern", "patterns"]

SECTOR = 32
"""Bytes that global memory moves at least."""
BANKS = 32
_WORD = 4


class Pattern(NamedTuple):
    """An access to global or shared memory as a warp makes it.

    `size`: bytes a lane. `stride`: bytes from lane to lane, None where that differs. For global memory, `sectors`: those that it
    touches; `brought`: those that no access of the same base before it in its block has touched; `fewest`: those that would hold
    what it and its neighbours there use of them. For shared memory, `ways`: how often the banks work, and `fewest` possible.
    They are None where the addresses are not known relative to each other.
    """

    position: int
    space: str
    kind: str
    size: int
    stride: int | None = None
    sectors: int | None = None
    brought: int | None = None
    ways: int | None = None
    fewest: int | None = None


_KINDS = {opcode: kind for kind in ("load", "store", "atomic") for opcode in opcodes_with(kind)} | {"cp": "copy"}


@cache
def _accesses_of(op: str) -> tuple[tuple[int, str], ...]:
    """(index of the address operand, space) for what an instruction accesses in global and shared memory lane by lane."""
    opcode, *words = op.split(".")
    if opcode in _KINDS and opcode != "cp" and "async" not in words and "bulk" not in words:
        space = next((WINDOW.get(word, word) for word in words if WINDOW.get(word, word) in ("global", "shared")), "")
        return ((1 if _KINDS[opcode] == "load" or opcode == "atom" else 0, space),) if space else ()
    if words[:1] == ["async"] and not {"ca", "cg"}.isdisjoint(words):
        return ((1, "global"), (0, "shared"))
    return ()


def patterns(body: Body) -> list[Pattern]:
    """The accesses of a body to global and shared memory, in text order. Bulk copies and matrix loads are not among them."""
    threads = ThreadValues(body)
    found: list[Pattern] = []
    neighbours: dict[object, list[tuple[int, ThreadIntegers]]] = {}
    for position in body.memory:
        instruction = body.instructions[position]
        for index, space in _accesses_of(instruction.op) if body.forms[position] is not None else ():
            operand, size = instruction.operands[index], _size(body, position)
            if not isinstance(operand, Address) or not size:
                continue
            pattern, address = Pattern(position, space, _KINDS[instruction.opcode], size), threads.of(operand, position)
            if address is not None:
                steps = {b - a for a, b in pairwise(address.parts)}
                pattern = pattern._replace(stride=steps.pop() if len(steps) == 1 else None)
                if space == "shared":
                    ways, fewest = _bank_conflicts(address.parts, size)
                    pattern = pattern._replace(ways=ways, fewest=fewest)
                else:
                    block = body.flow.block_at(position).index
                    neighbours.setdefault((block, pattern.kind, address.base), []).append((len(found), address))
            found.append(pattern)
    for group in neighbours.values():
        _count_sectors(found, group)
    return found


def _count_sectors(found: list[Pattern], group: list[tuple[int, ThreadIntegers]]) -> None:
    """Fills in the sectors of accesses with one base: (index of the pattern, address)."""
    known = min(group[0][1].step, SECTOR)  # the base is a multiple of this; of what lies below, take the best
    start = 0
    if known < SECTOR:
        start = min(part for _, address in group for part in address.parts) // known * known
    granule = min(SECTOR, *(found[index].size for index, _ in group))
    touched = []
    used: dict[int, set[int]] = {}
    for index, address in group:
        size = found[index].size
        places = {(part - start + byte) // granule for part in address.parts for byte in range(0, size, granule)}
        sectors = {place * granule // SECTOR for place in places}
        sectors |= {(part - start + size - 1) // SECTOR for part in address.parts}
        touched.append(sectors)
        for place in places:
            used.setdefault(place * granule // SECTOR, set()).add(place)
    before: set[int] = set()
    for (index, _), sectors in zip(group, touched):
        bytes_ = sum(len(used.get(sector, ())) for sector in sectors) * granule
        found[index] = found[index]._replace(
            sectors=len(sectors), brought=len(sectors - before), fewest=max(1, -(-bytes_ // SECTOR))
        )
        before |= sectors


def _size(body: Body, position: int) -> int:
    """Bytes a lane; 0 where the text does not say."""
    instruction, form = body.instructions[position], body.forms[position]
    if instruction.opcode == "cp":
        return body.constant(instruction.operands[2], position) or 0
    if form is None or form.type is None:
        return 0
    return form.type.bytes * max(1, *(operand.lanes for operand in form.operands))


def _bank_conflicts(parts: tuple[int, ...], size: int) -> tuple[int, int]:
    """(wavefronts of the access, fewest wavefronts possible for so many words)."""
    together = max(1, len(parts) * _WORD // max(size, _WORD))  # lanes that are served at once
    wavefronts = fewest = 0
    for first in range(0, len(parts), together):
        words = {(part + byte) // _WORD for part in parts[first : first + together] for byte in range(0, size, _WORD)}
        banks: dict[int, int] = {}
        for word in words:
            banks[word % BANKS] = banks.get(word % BANKS, 0) + 1
        wavefronts += max(banks.values())
        fewest += -(-len(words) // BANKS)
    return wavefronts, fewest
