"""Who does what to which mbarrier: initialisations, arrivals, expected bytes, waits, completions by copies (manual 9.7.13.15)."""

from __future__ import annotations

from functools import cache

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import Address, Pair
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.values.value_numbers import SymbolicAddress, ValueNumbers
    from ptxgen.ir import Instruction, Operand
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = [
    "ARRIVALS",
    "EXPECTS",
    "BarrierUse",
    "Object",
    "address_operand",
    "barrier_address",
    "barrier_uses",
    "same_object",
    "wait_operands",
]

_STORES = opcodes_with("store", "atomic")
_PROTOCOL = opcodes_with("protocol")

ARRIVALS = frozenset({"arrive", "arrive expect", "commit", "cp.async arrive"})
EXPECTS = frozenset({"expect", "arrive expect"})


class Object(NamedTuple):
    """An mbarrier, or an array of them: the one at `start` bytes (`exact`), or those indexed from there."""

    symbol: str
    start: int
    exact: bool

    def __str__(self) -> str:
        return self.symbol + (f"+{self.start}" if self.start else "") + ("" if self.exact else "[...]")


class BarrierUse(NamedTuple):
    """`kind`: "init", "inval", "expect", "arrive", "arrive expect", "wait", "complete" (a copy's bytes), "commit" (tcgen05),
    "cp.async arrive". `object` is None where the text does not show which."""

    position: int
    kind: str
    place: SymbolicAddress
    object: Object | None = None


@cache
def _use(op: str) -> tuple[int, str] | None:
    """(index of the operand that is the mbarrier's address, kind of use); -1 for the last address."""
    words = op.split(".")
    if words[0] == "mbarrier":
        action = words[1]
        if action in ("init", "inval"):
            return 0, action
        if action in ("expect_tx", "complete_tx"):
            return 0, "expect" if action == "expect_tx" else "complete"
        if action in ("arrive", "arrive_drop"):
            return 1, "arrive expect" if words[2] == "expect_tx" else "arrive"
        return (1, "wait") if action in ("test_wait", "try_wait") else None
    if op.startswith("cp.async.mbarrier.arrive"):
        return 0, "cp.async arrive"
    if op.startswith("tcgen05.commit"):
        return 0, "commit"
    if "mbarrier::complete_tx::bytes" in words or (
        words[0] in _STORES and words[1] == "async" and "global" not in words
    ):
        if words[0] == "cp":
            return (2 if "tensor" in words else 5 if "ignore_oob" in words else 3), "complete"
        return (1 if words[0] == "clusterlaunchcontrol" else 3 if words[0] == "fabric" else 2), "complete"
    return None


def address_operand(op: str) -> int:
    """The index of the operand that is the mbarrier's address, of an instruction that uses one."""
    use = _use(op)
    assert use is not None
    return use[0]


def wait_operands(instruction: Instruction) -> tuple[Operand, ...]:
    """Of a wait: what says that the phase is over, the mbarrier's address, the phase; not what it reports (PTX 9.3)."""
    done, *rest = instruction.operands
    first = done.first if isinstance(done, Pair) else done
    return first, *(rest if rest and isinstance(rest[0], Address) else rest[1:])


def barrier_address(body: CheckedBody, use: BarrierUse) -> Operand:
    """The operand that is the mbarrier's address."""
    instruction = body.instructions[use.position]
    operands = wait_operands(instruction) if use.kind == "wait" else instruction.operands
    return operands[address_operand(instruction.op)]


def barrier_uses(body: CheckedBody, values: ValueNumbers) -> list[BarrierUse]:
    """Every use of an mbarrier, in text order."""
    found = []
    steps = (positions for name, positions in body.at.items() if name.partition(".")[0] in _PROTOCOL)
    for position in sorted(position for positions in steps for position in positions):
        instruction = body.instructions[position]
        use = _use(instruction.op)
        if use is None:
            continue
        operands = wait_operands(instruction) if use[1] == "wait" else instruction.operands
        if use[0] < len(operands):
            found.append(BarrierUse(position, use[1], values.place(operands[use[0]], position)))
    starts = _starts(found)
    return [use._replace(object=_object(use.place, starts)) for use in found]


def _starts(uses: list[BarrierUse]) -> dict[str, list[int]]:
    """By variable, where the arrays of mbarriers begin that are used with an index.

    `bars + 8*stage` and `bars + 32 + 8*stage` are two arrays; offsets of less than two objects are neighbours in one.
    """
    found: dict[str, list[int]] = {}
    for use in sorted(uses, key=lambda use: use.place.offset):
        symbol = use.place.symbol
        if symbol is None or not use.place.terms:
            continue
        known = found.setdefault(symbol, [])
        if not known or use.place.offset - known[-1] >= 16:
            known.append(use.place.offset)
    return found


def _object(place: SymbolicAddress, starts: dict[str, list[int]]) -> Object | None:
    symbol = place.symbol
    if symbol is None:
        return None
    below = [start for start in starts.get(symbol, ()) if start <= place.offset]
    return Object(symbol, below[-1], False) if below else Object(symbol, place.offset, not place.terms)


def same_object(one: BarrierUse, other: BarrierUse) -> bool:
    """May two uses be of one mbarrier? True as well where the text does not show it."""
    if one.object is None or other.object is None:
        return True
    if one.object != other.object:
        return False
    return not (one.place.exact and other.place.exact) or one.place.offset == other.place.offset
