"""What registers hold, as far as the text of a function says: value numbers, constants, addresses in shared memory, conditions.

Protocols are about objects (this mbarrier, that buffer) and about conditions (the thread that issued is the one that waits),
while PTX has registers. ValueNumbers are numbered: equal numbers are equal values. A register with one unguarded definition by an
instruction without side effects is that instruction over the numbers of its operands; any other is a value of its own, which
lasts until the register is written again.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.special_registers import variation
from ptxgen.ir import Address, Immediate, Not, Operand, Register, Special, Symbol, Variable, Vector
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body

__all__ = ["NOWHERE", "Fact", "SymbolicAddress", "ValueNumbers"]

Fact = tuple[int, bool]
"""A condition's number, and whether it holds."""

Key = tuple[object, ...]
"""What a number stands for: ("reg", register), ("imm", value, kind), ("special", name), ("sym", name, offset),
("param", op, place), ("not", (number,)), or (opcode, whole name and result, numbers of the inputs)."""

_PURE = opcodes_with("pure", "repeatable")
"""Opcodes whose result depends on their operands alone (elect.sync elects the same lane each time, manual 9.7.13.14)."""
_COPIES = opcodes_with("copy")
_SAME = _COPIES | {"shfl"}
"""Opcodes that hand an address on."""
_DEPTH = 40
_DESCRIBING = frozenset({"shr", "bfe", "and", "or"})
_DESCRIBED = 14
"""Bits of a matrix descriptor that hold the address."""
_INVERSE = {"ne": "eq", "ge": "lt", "gt": "le", "hs": "lo", "hi": "ls"}


class SymbolicAddress(NamedTuple):
    """An address: one of the variables `symbols` plus `offset` bytes plus the values numbered `terms`.

    There are no symbols where the text does not show on what the address is based. `remote`: mapa put it into a CTA of the
    cluster.
    """

    symbols: frozenset[str]
    offset: int
    terms: frozenset[int]
    remote: bool = False

    @property
    def symbol(self) -> str | None:
        """The variable it lies in, when that is certain."""
        return next(iter(self.symbols)) if len(self.symbols) == 1 else None

    @property
    def exact(self) -> bool:
        """Is it a constant number of bytes into a variable?"""
        return len(self.symbols) == 1 and not self.terms

    def at(self, offset: int) -> SymbolicAddress:
        """The address so many bytes on."""
        return SymbolicAddress(self.symbols, self.offset + offset, self.terms, self.remote)

    def __add__(self, other: object) -> SymbolicAddress:
        assert isinstance(other, SymbolicAddress)
        if not (other.symbols or other.terms or other.remote):
            return self.at(other.offset)
        return SymbolicAddress(
            self.symbols | other.symbols,
            self.offset + other.offset,
            self.terms | other.terms,
            self.remote or other.remote,
        )


NOWHERE = SymbolicAddress(frozenset(), 0, frozenset())


class ValueNumbers:
    """The values of one body. Operands are given with the position of the instruction that has them."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.definitions: dict[int, list[int]] = body.chains.definitions
        self.keys: list[Key] = []
        self.thread: list[bool] = []
        """By number: may threads of a CTA have different values?"""
        self._numbers: dict[Key, int] = {}
        self._registers: dict[tuple[int, int], int] = {}
        self._places: dict[tuple[int, int], SymbolicAddress] = {}
        self._searched: dict[tuple[int, int], SymbolicAddress] = {}
        """What the search for a place found for the registers on its way: NOWHERE as long as it is on its way."""
        self._cut = False
        """Has the search met a register again whose place depends on where a circle was entered, or gone deep enough?"""
        self._facts: dict[tuple[int, bool], tuple[Fact, ...]] = {}

    # -- numbers ---------------------------------------------------------------------------------------------------

    def number(self, operand: Operand, position: int, depth: int = 0) -> int:
        """The value number of an operand."""
        kind = type(operand)
        if kind is Register:
            register = self.body.number(operand, position)  # type: ignore[arg-type]
            if register is None:
                return self._intern(("reg", operand), True)
            return self._number_register(register, self._written(register, position), depth)
        if isinstance(operand, Immediate):
            return self._intern(("imm", operand.value, operand.kind))
        if isinstance(operand, Special):
            return self._intern(("special", operand.name), variation(operand.name).same_in != "cta")
        if isinstance(operand, Symbol):
            return self._intern(("sym", operand.name, operand.offset))
        if isinstance(operand, Not):
            inner = self.number(operand.operand, position, depth)
            return self._intern(("not", "", (inner,)), self.thread[inner])
        if isinstance(operand, Vector):
            parts = tuple(self.number(part, position, depth) for part in operand.elements)
            return self._intern(("vector", "", parts), any(self.thread[part] for part in parts))
        return self._intern(("opaque", position), True)

    def register(self, operand: Register, position: int) -> int | None:
        """The number of the register itself, under which `opaque` values are known."""
        return self.body.number(operand, position)

    def _intern(self, key: Key, thread: bool = False) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
            self.thread.append(thread)
        return number

    def _written(self, register: int, position: int) -> int:
        """The position of the one write whose value the instruction at `position` reads; -1 when there may be several."""
        where = self.definitions.get(register, ())
        written: int | None = where[0] if where else -1
        if len(where) > 1:
            written = self.body.merges.before(register, position)
        return written if written is not None and written >= 0 and self.body.instructions[written].pred is None else -1

    def _number_register(self, register: int, written: int, depth: int) -> int:
        known = self._registers.get((register, written))
        if known is not None:
            return known
        number = own = self._intern(("reg", register), True)
        if depth > _DEPTH:
            return own
        key = None if written < 0 else self._key(written, register, depth)
        if key is not None:
            inputs = key[2] if len(key) == 3 and isinstance(key[2], tuple) else ()
            thread = any(self.thread[n] for n in inputs) or key[0] == "elect"
            thread |= key[0] == "special" and variation(str(key[1])).same_in != "cta"
            number = self._intern(key, thread)
        self._registers[register, written] = number
        return number

    def _key(self, position: int, register: int, depth: int) -> Key | None:
        instruction = self.body.instructions[position]
        op, operands = instruction.op, instruction.operands
        opcode = op.partition(".")[0]
        if op.startswith("ld.param"):
            address = operands[1]
            if isinstance(address, Address) and isinstance(address.base, Symbol):
                part = self.body.writes[position].index(register)
                return ("param", op, f"{address.base.name}+{address.offset}.{part}")
            return None
        if opcode not in _PURE or len(operands) < 2:
            return None
        if opcode in _COPIES and len(operands) == 2:
            source = operands[1]
            if isinstance(source, Special) and variation(source.name).changes == "always":
                return None
            if isinstance(source, (Register, Special, Immediate, Symbol)) and type(operands[0]) is Register:
                key = self.keys[self.number(source, position, depth + 1)]
                if opcode == "mov" or key[0] not in (
                    "imm",
                    "reg",
                ):  # a conversion of addresses and counters changes nothing here
                    return key
        part = self.body.writes[position].index(register)
        return (opcode, f"{op}/{part}", tuple(self.number(operand, position, depth + 1) for operand in operands[1:]))

    def inputs(self, number: int) -> tuple[int, ...]:
        """The numbers that a value is computed from; () for leaves."""
        key = self.keys[number]
        return key[2] if len(key) == 3 and isinstance(key[2], tuple) else ()

    def constant(self, operand: Operand, position: int) -> int | None:
        """The integer that an operand is, when the text says it."""
        if isinstance(operand, Immediate):
            return operand.value if operand.kind == "int" else None
        if not isinstance(operand, Register):
            return None
        key = self.keys[self.number(operand, position)]
        return key[1] if key[0] == "imm" and key[2] == "int" else None  # type: ignore[return-value]

    def depends(self, number: int, registers: set[int]) -> bool:
        """Is a value one of these registers, or computed from one?"""
        key = self.keys[number]
        return (key[0] == "reg" and key[1] in registers) or any(self.depends(n, registers) for n in self.inputs(number))

    # -- addresses -------------------------------------------------------------------------------------------------

    def place(self, operand: Operand, position: int) -> SymbolicAddress:
        """Where in shared memory an address operand, a pointer in a register, or a matrix descriptor made from one points."""
        if isinstance(operand, Address):
            base = self.place(operand.base, position)
            return base.at(operand.offset) if operand.offset else base
        self._searched.clear()
        return self._place(operand, position, 0)

    def _place(self, operand: Operand, position: int, depth: int) -> SymbolicAddress:
        if isinstance(operand, Register):
            register = self.body.number(operand, position)
            if register is None:
                return NOWHERE
            key = (register, self._written(register, position))
            known = self._places.get(key)
            if known is not None:
                return known
            if key in self._searched:
                self._cut = True
                return self._searched[key]
            self._searched[key] = NOWHERE
            cut, self._cut = self._cut, False
            known = self._searched[key] = self._place_of_register(*key, depth + 1)
            if not depth or not self._cut:  # what a circle was cut for depends on where it was entered
                self._places[key] = known
            self._cut |= cut
            return known
        if isinstance(operand, Symbol):
            found = self.body.scopes[position].find(operand.name)
            if isinstance(found, Variable) and found.space.startswith("shared"):
                return SymbolicAddress(frozenset((operand.name,)), operand.offset, frozenset())
        elif isinstance(operand, Immediate):
            return SymbolicAddress(frozenset(), operand.value if operand.kind == "int" else 0, frozenset())
        elif isinstance(operand, Vector):
            first, *others = [self._place(element, position, depth) for element in operand.elements]
            if first.symbols and not any(place.symbols for place in others):
                return first  # the lower half of a descriptor
            return self._mixed(operand.elements, position, depth, self._intern(("opaque", position), True))
        return SymbolicAddress(frozenset(), 0, frozenset((self.number(operand, position),)))

    def _place_of_register(self, register: int, written: int, depth: int) -> SymbolicAddress:
        if written >= 0 and depth <= _DEPTH:
            return self._place_at(written, register, depth)
        where = self.definitions.get(register, ())
        own = self._intern(("reg", register), True)
        if not where or depth > _DEPTH:
            self._cut |= bool(where)
            return SymbolicAddress(frozenset(), 0, frozenset((own,)))
        found = [self._place_at(position, register, depth) for position in where]
        based = [place for place in found if place.symbols] or found
        symbols = frozenset[str]().union(*(place.symbols for place in found))
        terms = frozenset((own,)).union(*(place.terms for place in found))
        return SymbolicAddress(
            symbols, min(place.offset for place in based), terms, any(place.remote for place in based)
        )

    def _place_at(self, position: int, register: int, depth: int) -> SymbolicAddress:
        """The address that the instruction there puts into the register."""
        instruction = self.body.instructions[position]
        opcode, operands = instruction.opcode, instruction.operands
        if opcode not in _PURE or len(operands) < 2:
            return SymbolicAddress(frozenset(), 0, frozenset((self._own(position, register),)))
        if opcode in _SAME and type(operands[0]) is Register:
            return self._place(operands[1], position, depth)
        if opcode == "mapa":
            return self._place(operands[1], position, depth)._replace(remote=True)
        if opcode == "add" and len(operands) == 3:
            if (self.constant(operands[2], position) or 0) >> 32 and self._describes(position):
                return self._place(operands[1], position, depth)
            return self._place(operands[1], position, depth) + self._place(operands[2], position, depth)
        if opcode == "mad" and len(operands) == 4:
            return self._product(position, depth) + self._place(operands[3], position, depth)
        if opcode == "sub" and len(operands) == 3:
            left, right = (self._place(operand, position, depth) for operand in operands[1:])
            if not right.symbols and not right.terms:
                return left._replace(offset=left.offset - right.offset)
        if opcode in _DESCRIBING and self._describes(position):
            return self._place(operands[1], position, depth)
        if opcode in ("mul", "shl"):
            constant = self._constant_product(position)
            if constant is not None:
                return SymbolicAddress(frozenset(), constant, frozenset())
        return self._mixed(operands[1:], position, depth, self._own(position, register))

    def _own(self, position: int, register: int) -> int:
        """The number of what the instruction there puts into the register."""
        return self._number_register(register, position if self.body.instructions[position].pred is None else -1, 0)

    def _describes(self, position: int) -> bool:
        """Does the instruction keep the address, as a step on the way to a matrix descriptor (manual 9.7.15.5.1)?

        A descriptor has bits 4 to 17 of the address as its lowest ones, and constants from bit 16 on.
        """
        instruction = self.body.instructions[position]
        constants = [self.constant(operand, position) for operand in instruction.operands[2:]]
        if None in constants or not constants:
            return False
        first, last = constants[0] or 0, constants[-1] or 0
        if instruction.opcode in ("or", "add"):
            return first & 0xFFFF == 0
        if instruction.opcode == "and":
            return first & 0x3FF0 == 0x3FF0
        return first == 4 and (instruction.opcode == "shr" or last >= _DESCRIBED)

    def _product(self, position: int, depth: int) -> SymbolicAddress:
        """A product as an address has it: times a constant, every part of a sum is multiplied by itself."""
        first, second = self.body.instructions[position].operands[1:3]
        left, right = self.constant(first, position), self.constant(second, position)
        if left is not None:
            first, left, second, right = second, right, first, left
        if right is None:
            product = self._times(self.number(first, position), self.number(second, position))
            return SymbolicAddress(frozenset(), 0, frozenset((product,)))
        if left is not None:
            return SymbolicAddress(frozenset(), left * right, frozenset())
        index, factor = self._place(first, position, depth), self.number(second, position)
        return SymbolicAddress(
            index.symbols, index.offset * right, frozenset(self._times(term, factor) for term in index.terms)
        )

    def _times(self, left: int, right: int) -> int:
        return self._intern(("mul", "", (left, right)), self.thread[left] or self.thread[right])

    def _constant_product(self, position: int) -> int | None:
        instruction = self.body.instructions[position]
        left, right = (self.constant(operand, position) for operand in instruction.operands[1:3])
        if left is None or right is None:
            return None
        return left << min(right, 64) if instruction.opcode == "shl" else left * right

    def _mixed(self, operands: tuple[Operand, ...], position: int, depth: int, own: int) -> SymbolicAddress:
        """The result of bit operations on an address (a swizzle, a matrix descriptor): somewhere in the same variable."""
        places = [self._place(operand, position, depth) for operand in operands]
        based = [place for place in places if place.symbols]
        terms = frozenset((own,)).union(*(place.terms for place in (based or places)))
        if len(based) == 1:
            return based[0]._replace(terms=terms)
        symbols = frozenset[str]().union(*(place.symbols for place in based))
        return SymbolicAddress(symbols, 0, terms, any(place.remote for place in based))

    def leaves(self, terms: frozenset[int]) -> frozenset[Key]:
        """What the terms of an address are computed from in the end: specials, parameters, registers."""
        found: set[Key] = set()
        seen: set[int] = set()
        work = list(terms)
        while work:
            number = work.pop()
            if number in seen:
                continue
            seen.add(number)
            inputs = self.inputs(number)
            work += inputs
            if not inputs:
                found.add(self.keys[number])
        return frozenset(found)

    def shared_terms(self, place: SymbolicAddress) -> frozenset[int]:
        """The terms of an address that are the same for all threads and at all times: where they differ, two addresses may lie in
        two regions of a variable."""
        return frozenset(term for term in place.terms if not self.thread[term] and self.keys[term][0] != "reg")

    # -- conditions ------------------------------------------------------------------------------------------------

    def facts(self, guard: Operand, position: int, holds: bool = True) -> tuple[Fact, ...]:
        """What is known where a guard holds, or does not; the first fact is about the guard itself."""
        if isinstance(guard, Not):
            return self.facts(guard.operand, position, not holds)
        if not isinstance(guard, Register):
            return ()
        number = self.number(guard, position)
        known = self._facts.get((number, holds))
        if known is None:
            known = self._facts[number, holds] = tuple(dict.fromkeys(self._implied(number, holds, 0)))
        return known

    def _implied(self, number: int, holds: bool, depth: int) -> list[Fact]:
        kind, inputs = self.keys[number][0], self.inputs(number)
        if depth > 8 or not inputs:
            return [(number, holds)]
        words = str(self.keys[number][1]).partition("/")[0].split(".")
        if kind == "not":
            return self._implied(inputs[0], not holds, depth + 1)
        if kind in ("and", "or") and words[-1] == "pred":
            sure = holds if kind == "and" else not holds
            both = [fact for n in inputs for fact in self._implied(n, holds, depth + 1)] if sure else []
            return [(number, holds), *both]
        if kind == "setp":
            return self._compared(number, words, inputs, holds, depth)
        return [(number, holds)]

    def _compared(self, number: int, words: list[str], inputs: tuple[int, ...], holds: bool, depth: int) -> list[Fact]:
        """A comparison in one spelling for it and its opposite; with `.and` and `.or` of a predicate what that implies."""
        second = str(self.keys[number][1]).endswith("/1")  # the q of p|q
        if len(inputs) == 3:
            if second or (words[2], holds) not in (("and", True), ("or", False)):
                return [(number, holds)]
            return [(number, holds), *self._implied(inputs[2], holds, depth + 1)]
        relation, kind = words[1], words[-1]
        holds ^= second
        left, right = inputs
        thread = self.thread[left] or self.thread[right]
        if kind[0] not in "usb":
            return [(self._intern(("compare", f"{relation}.{kind}", inputs), thread), holds)]
        truth = self._boolean(left, right, relation)
        if truth is not None:
            return self._implied(truth[0], holds == truth[1], depth + 1)
        if relation in _INVERSE:
            relation, holds = _INVERSE[relation], not holds
        if relation == "eq" and left > right:
            left, right = right, left
        sign = "" if relation == "eq" else kind[0]
        return [(self._intern(("compare", f"{relation}.{sign}", (left, right)), thread), holds)]

    def _boolean(self, left: int, right: int, relation: str) -> tuple[int, bool] | None:
        """(condition, True or False) for `selp(1, 0, condition) != 0` and the like, as compilers store a bool."""
        inputs = self.inputs(left)
        if self.keys[left][0] != "selp" or self.keys[right][:2] != ("imm", 0) or relation not in ("eq", "ne"):
            return None
        yes, no = self.keys[inputs[0]], self.keys[inputs[1]]
        if yes[0] != "imm" or yes[1] == 0 or no[:2] != ("imm", 0):
            return None
        return inputs[2], relation == "ne"
