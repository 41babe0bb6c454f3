"""What the lanes of a warp touch in one block: their addresses are kept while they run, and told of all at once behind it.

That is as good as telling of each access when it is made, in blocks where the threads learn nothing of each other meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.blocks import operations
from ptxgen.cpu.flat import Op
from ptxgen.cpu.sanitizer.rows import WORD, progressions
from ptxgen.cpu.sanitizer.state_layout import WRITE
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.blocks import Step
    from ptxgen.cpu.emit import LlvmValue, Var
    from ptxgen.cpu.lower.checks import CheckGroup
    from ptxgen.cpu.lower.windows import Writer

__all__ = ["Batch", "Kept"]

MOST = 128
"""Accesses of a block; those of a longer one are told of one by one, for the stack's sake."""
_WRITES = opcodes_with("store")
_MOVES = opcodes_with("load") | _WRITES
_ORDERS = frozenset({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "async", "bulk"})
_ACTS = opcodes_with("reads", "writes", "orders", "protocol", "fence", "atomic", "warp", "acts", "barrier")


class _Places(NamedTuple):
    """Addresses, one of each lane, of accesses that lie as far apart in every lane; the lanes that have made them, where these
    are not all of the block."""

    addresses: LlvmValue
    first: int
    lanes: Var | None
    group: CheckGroup | None


class _Told(NamedTuple):
    """An access that is told of behind the block."""

    places: _Places
    delta: int
    access: int
    instruction: int
    unchanged: LlvmValue
    values: LlvmValue


class Kept(NamedTuple):
    """Of a store of so many bytes: for each word the lanes that write what is there already, and what each lane writes."""

    unchanged: LlvmValue
    values: LlvmValue
    size: int

    def note(self, k: Writer, address: LlvmValue, values: Sequence[LlvmValue]) -> None:
        """The lane in hand is about to write these values at an address of the machine."""
        e, at = k.e, 0
        place, pointer = e.offset(self.values, k.lane.zext("i64") * self.size), e.ptr(address)
        same = []
        for value in values:
            kind = f"i{value.bits}"
            same.append(e.load(kind, e.offset(pointer, at)).eq(value.bitcast(kind)))
            e.store(value, e.offset(place, at))
            at += value.bits // 8
        self._note(k, [holds.select(_bit(k), 0) for holds in _of_words(same, values)])

    def note_lanes(
        self, k: Writer, near: LlvmValue, old: Sequence[LlvmValue], new: Sequence[LlvmValue], beside: LlvmValue,
        values: Sequence[LlvmValue],
    ) -> None:  # fmt: skip
        """Some of the lanes in hand are about to write values: what is there and what they write, in words that lie side by
        side, and all that they write, one behind the other."""
        e = k.e
        e.store_vector(beside, e.offset(self.values, k.first.zext("i64") * self.size))
        bits = values[0].bits
        same = [
            ((was ^ word.bitcast(f"i{word.bits}")) >> shift).trunc(f"i{bits}").eq(0)
            for was, word in zip(old, new)
            for shift in range(0, word.bits, bits)
        ]
        self._note(k, [e.lanes_set(near & holds).zext("i32") << k.first for holds in _of_words(same, values)])

    def _note(self, k: Writer, lanes: Sequence[LlvmValue]) -> None:
        for word, those in enumerate(lanes):
            place = k.e.offset(self.unchanged, 4 * word)
            k.e.store(k.e.load("i32", place) | those, place)


def _of_words(same: Sequence[LlvmValue], values: Sequence[LlvmValue]) -> list[LlvmValue]:
    """Of each word that values take, an i1: is that there already? Given that of each value."""
    found: list[LlvmValue] = []
    at = 0
    for holds, value in zip(same, values):
        if at % 4:  # of a word that several values share
            found[-1] = found[-1] & holds
        else:
            found += [holds] * max(value.bits // 32, 1)
        at += value.bits // 8
    return found


class Batch:
    """Of one block. `tools` are told behind it; `at` is where in the text its lanes begin to run."""

    def __init__(self, steps: Sequence[Step], tools: frozenset[str], at: int) -> None:
        self._tools, self._spaces = tools, _later(steps)
        self._stores = sum(op.opcode in _WRITES for op in operations(steps))
        self._at = at
        self._always = {id(step) for step in steps if isinstance(step, Op)}
        self._places: list[_Places] = []
        self._told: list[_Told] = []
        self._zeros: list[str] = []

    def takes(self, space: str) -> frozenset[str]:
        """The tools that tell behind the block of an access to that space."""
        return self._tools if space in self._spaces else frozenset()

    def takes_lanes(self, space: str, *, write: bool) -> bool:
        """May several lanes touch that space at once? Of two stores, what was there before depends on the order of the lanes."""
        return space in self._spaces and not (write and self._stores > 1)

    def access(self, k: Writer, address: LlvmValue, size: int, *, write: bool, values: Sequence[LlvmValue]) -> None:
        """The lane in hand touches `size` bytes at an address of the machine, an i64. `values`: what it is about
        to write there, where racecheck is told."""
        places, delta = self._place(k, address)
        kept = self._values(k, size) if values else Kept(k.e.undef("ptr"), k.e.undef("ptr"), size)
        if values:
            kept.note(k, address, values)
        self._told.append(_Told(places, delta, size | (WRITE if write else 0), k.op.index, *kept[:2]))

    def stores(self, k: Writer, addresses: LlvmValue, size: int) -> Kept:
        """`access`, of the lanes in hand, that write: where it is kept what they do."""
        places, delta = self._place(k, addresses)
        kept = self._values(k, size)
        self._told.append(_Told(places, delta, size | WRITE, k.op.index, *kept[:2]))
        return kept

    def _values(self, k: Writer, size: int) -> Kept:
        number = len(self._told)
        stored = k.uniform(f"sanitizer.stored{number}.{size}", lambda: k.e.var(f"[{32 * size} x i8]", align=64).pointer)
        same = k.uniform(f"sanitizer.unchanged{number}", lambda: k.e.var("<8 x i32>").pointer)
        self._zeros.append(f"store <8 x i32> zeroinitializer, ptr {same.text}")
        return Kept(same, stored, size)

    def _place(self, k: Writer, address: LlvmValue) -> tuple[_Places, int]:
        """Where its addresses are kept, and how far behind these it is."""
        e, op = k.e, k.op
        group = k.groups.get(id(op))
        offset = 0 if group is None else next(a.place.offset for a in group.accesses if a.op is op)
        if group is not None:  # which is planned anew for each arm that an operation stands in
            for found in self._places:
                if found.group is group:
                    return found, offset - found.first
        lanes = None
        if id(op) not in self._always or op.guard is not None:
            lanes = self._zero(k)
            lanes.set(lanes.get() | (k.active_bits() << k.first if k.lanes else _bit(k)))
        number = len(self._places)
        kept = k.uniform(f"sanitizer.addresses{number}", lambda: e.var("[40 x i64]", align=64).pointer)
        if k.lanes:
            e.store_vector(address.spread(k.lanes), e.element("i64", kept, k.first))
        else:
            e.store(address, e.element("i64", kept, k.lane.zext("i64")))
        self._places.append(_Places(kept, offset, lanes, group))
        return self._places[-1], 0

    def _zero(self, k: Writer) -> Var:
        """A set of lanes, empty before they run."""
        variable = k.e.var("i32")
        self._zeros.append(f"store i32 0, ptr {variable.text}")
        return variable

    def tell(self, k: Writer, lanes: LlvmValue, state: LlvmValue) -> None:
        """The lanes have run."""
        e = k.e
        rows = self._rows() if "racecheck" in self._tools else {}
        for number, told in enumerate(self._told):
            mask = lanes if told.places.lanes is None else told.places.lanes.get()
            access, instruction = e.const("i32", told.access), e.const("i32", told.instruction)
            where = (state, told.places.addresses, e.const("i64", told.delta))
            if "initcheck" in self._tools:
                e.invoke("init_warp", *where, mask, access, instruction)
            if number in rows:
                row = rows[number]
                if row is not None:
                    e.invoke("race_row", *where, mask, access, instruction, *(e.const("i32", each) for each in row))
            elif "racecheck" in self._tools:
                e.invoke("race_warp", *where, mask, access, instruction, told.unchanged, told.values)
        e.lines[self._at : self._at] = [f"  {zero}" for zero in self._zeros]

    def _rows(self) -> dict[int, tuple[int, int] | None]:
        """Of what is told of, by its number: how many reads begin there that are told of together, and how far apart their
        instructions are; None where an earlier one has told. Nothing where the block writes too: what it reads may be its own."""
        found: dict[int, tuple[int, int] | None] = {}
        reads: dict[str, list[int]] = {}
        for number, told in enumerate(self._told if not self._stores else ()):
            if told.access == WORD:
                reads.setdefault(told.places.addresses.text, []).append(number)
        for numbers in reads.values():
            places = [(self._told[number].delta, self._told[number].instruction) for number in numbers]
            for row in progressions(places):
                first, second = (numbers[at] for at in row[:2])
                found.update((numbers[at], None) for at in row)
                found[first] = len(row), self._told[second].instruction - self._told[first].instruction
        return found


def _element(op: Op) -> int:
    """Bytes of a load or store."""
    type = TYPES.get(op.op.rpartition(".")[2])
    value = op.operands[1] if op.opcode in _WRITES else op.operands[0]
    return (type.bytes if type is not None else 0) * (len(value) if isinstance(value, tuple) else 1)


def _bit(k: Writer) -> LlvmValue:
    return k.e.const("i32", 1) << k.lane


def _later(steps: Sequence[Step]) -> frozenset[str]:
    """The spaces of whose accesses may be told when a block has run: no lane of it tells or learns what others have done, and
    whatever it does there is told then, in order."""
    found, seen = frozenset({"global", "shared"}), 0
    for op in operations(steps):
        words = {"shared" if word == "shared::cta" else word for word in op.op.split(".")}
        named: frozenset[str] = frozenset(words & {"global", "shared", "local", "param", "const"})
        if op.opcode in _MOVES and not words & _ORDERS:
            seen += 1
            if op.opcode in _WRITES and _element(op) < 4:
                named = named or found
                found -= named  # of a word whose parts several threads write, the last one alone is kept
            found -= {"shared"} if "shared::cluster" in words else frozenset() if named else found
        elif op.opcode == "red" and not words & {"release", "acq_rel", "async"}:
            found -= named or found
        elif op.opcode in _ACTS:
            return frozenset()
    return found if seen <= MOST else frozenset()
