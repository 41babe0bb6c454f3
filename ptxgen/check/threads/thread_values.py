"""What each thread of a warp, or of a CTA, computes: integers, known but for a part that is the same in all of them.

A value is a sum: *leaves* (what is one value for all the threads looked at: a parameter, %ctaid.x, what was loaded through one
address) times constants, and a number for each thread. `%ctaid.x * %ntid.x + %tid.x` in a warp is a leaf, a multiple of 32, plus
0, 1, ..., 31. So the addresses of a warp are known relative to each other, whatever the launch: which of them share a sector, a
bank, a word of another thread. Arithmetic is that of integers without overflow, as addresses are meant; what cannot be followed
is None. Answered on demand, for the slice of the body that an operand depends on.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.check.addresses.alignment import Alignments
from ptxgen.check.threads.uniformity import WARP_SIZE, Level
from ptxgen.ir import Address, Immediate, Not, Operand, Register, Special, Symbol
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen.check.program.body import Body
    from ptxgen.check.threads.uniformity import Read, Value

    _Found = dict[Value, "Spread | _Open | None"]

__all__ = ["Leaf", "Spread", "Threads"]

Leaf = tuple[object, ...]
"""What is the same for all threads: ("special", name), ("param", name), ("symbol", name), ("value", register, where) or
("at", position), what the instruction there makes of leaves."""

_LARGEST = 1 << 20
_MOST_LEAVES = 8
"""A sum of more is one leaf of its own."""


class Spread(NamedTuple):
    """A value in each thread: the sum of `base` (leaf, factor), a multiple of the power of two `step`, and `parts[t]`."""

    base: frozenset[tuple[Leaf, int]]
    parts: tuple[int, ...]
    step: int

    @property
    def exact(self) -> bool:
        """Is it known to the last bit?"""
        return not self.base

    @property
    def uniform(self) -> bool:
        """Is it the same in every thread?"""
        return self.parts.count(self.parts[0]) == len(self.parts)

    @property
    def constant(self) -> int | None:
        """The number that it is in every thread, where that is known."""
        return self.parts[0] if self.exact and self.uniform else None


class _Open:
    """A value that a loop has not yet given: it stands for any."""


_OPEN = _Open()


class Threads:
    """The values of a body in the first `count` threads of a CTA, or, for 32 or fewer, in any one warp.

    Without `unfollowed`, only what is computed from indices, parameters and constants is known, and nothing of what was loaded:
    that is found much sooner.
    """

    def __init__(self, body: Body, count: int = WARP_SIZE, *, unfollowed: bool = True) -> None:
        self.body = body
        self.unfollowed = unfollowed
        self.extents = _extents(body)
        size = _product(self.extents) if self.extents else count
        self.count = min(count, size)
        self.level = Level.WARP if count <= WARP_SIZE else Level.CTA
        self.alignments = Alignments(body)
        self._known: dict[Value, Spread | None] = {}
        self._steps: dict[Leaf, int] = {}

    # --- what is asked ------------------------------------------------------------------------------------------------

    def of(self, operand: Operand, position: int) -> Spread | None:
        """An operand of the instruction at that position, or the address that one stands for."""
        if isinstance(operand, Address):
            base = None if operand.coordinates else self.of(operand.base, position)
            return None if base is None else self._sum(base, self._number(operand.offset))
        if isinstance(operand, Register):
            number = self.body.number(operand, position)
            if number is None or operand.lanes > 1:
                return None
            read = self.body.uniformity.read(number, position)
            if read.value is None:
                return None
            if read.value not in self._known:
                self._solve(read.value)
            spread = self._known[read.value]
            return None if self._differs(read, spread) else spread
        return self._plain(operand, position)

    def holds(self, position: int) -> tuple[bool, ...] | None:
        """Whether the guard of the instruction there holds, for each thread; None where that is not known."""
        guard = self.body.instructions[position].pred
        if guard is None:
            return (True,) * self.count
        inverted = isinstance(guard, Not)
        found = self.of(guard.operand if isinstance(guard, Not) else guard, position)
        return tuple(bool(part) != inverted for part in found.parts) if found is not None and found.exact else None

    def step(self, leaf: Leaf) -> int:
        """The power of two that a leaf is a multiple of."""
        return self._steps.get(leaf, 1)

    # --- leaves -------------------------------------------------------------------------------------------------------

    def _number(self, value: int) -> Spread:
        return Spread(frozenset(), (value,) * self.count, _LARGEST)

    def _exact(self, parts: tuple[int, ...]) -> Spread:
        return Spread(frozenset(), parts, _LARGEST)

    def _leaf(self, leaf: Leaf, step: int = 1, parts: tuple[int, ...] | None = None) -> Spread:
        step = self._steps.setdefault(leaf, min(step, _LARGEST))
        return Spread(frozenset(((leaf, 1),)), parts or (0,) * self.count, step)

    def _plain(self, operand: Operand, position: int) -> Spread | None:
        """An operand that is no register."""
        if isinstance(operand, Immediate):
            return self._number(operand.value) if operand.kind == "int" else None
        if isinstance(operand, Special):
            return self._special(operand.name)
        if isinstance(operand, Symbol):
            known = self.alignments.of(operand, position)
            if known.variable is None:
                return None
            base = self._leaf(("symbol", operand.name), known.variable.alignment)
            return self._sum(base, self._number(operand.offset))
        return None

    def _special(self, name: str) -> Spread | None:
        lanes = range(self.count)
        if name == "%laneid":
            return self._exact(tuple(t % WARP_SIZE for t in lanes))
        if name.startswith("%lanemask_"):
            return self._exact(tuple(_MASKS[name[10:]](t % WARP_SIZE) for t in lanes))
        if name.startswith("%tid."):
            return self._thread_index("xyz".index(name[-1]))
        if name.startswith("%ntid.") and self.body.function.directive("reqntid") is not None:
            return self._number(self.extents["xyz".index(name[-1])])
        if name == "%warpid" and self.level > Level.CTA:
            return self._leaf(("special", name))
        if name.startswith(_UNIFORM):
            return self._leaf(("special", name), WARP_SIZE if name == "%ntid.x" else 1)
        return None

    def _thread_index(self, axis: int) -> Spread | None:
        """%tid of one axis. Without a stated size a warp lies along x, as everywhere in the verifier."""
        lanes, warp = range(self.count), self.level > Level.CTA
        if not self.extents:
            if axis:
                return self._leaf(("special", f"%tid.{'xyz'[axis]}")) if warp else None
            return self._leaf(("special", "%tid.x"), WARP_SIZE, tuple(lanes)) if warp else self._exact(tuple(lanes))
        x, y, _ = self.extents
        extent, below = self.extents[axis], (1, x, x * y)[axis]
        parts = tuple(t // below % extent for t in lanes)
        if extent == 1 or not warp or _product(self.extents) <= WARP_SIZE or WARP_SIZE % (extent * below) == 0:
            return self._exact(parts)
        leaf: Leaf = ("special", f"%tid.{'xyz'[axis]}")
        if below % WARP_SIZE == 0:  # one value a warp
            return self._leaf(leaf)
        whole = extent * below % WARP_SIZE == 0 or _product(self.extents) == extent * below
        if WARP_SIZE % below or not whole:  # warps begin anywhere in a row
            return None
        return self._leaf(leaf, WARP_SIZE // below, tuple(t // below for t in lanes))

    # --- the fixpoint -------------------------------------------------------------------------------------------------

    def _solve(self, wanted: Value) -> None:
        """All that `wanted` depends on; loops start from what enters them."""
        needs: dict[Value, list[Value]] = {}
        users: dict[Value, list[Value]] = {}
        work = [wanted]
        while work:
            value = work.pop()
            if value in needs or value in self._known:
                continue
            needs[value] = [*self._inputs(value[1]), *self.body.uniformity.merged(value)]
            for need in needs[value]:
                users.setdefault(need, []).append(value)
            work += needs[value]
        found: _Found = dict.fromkeys(needs, _OPEN)
        work = list(needs)[::-1]
        waiting = set(work)
        while work:
            value = work.pop()
            waiting.discard(value)
            new = self._value(value, found)
            if new != found[value]:
                found[value] = new
                for user in users.get(value, ()):
                    if user in found and user not in waiting:
                        waiting.add(user)
                        work.append(user)
        for value, spread in found.items():
            self._known[value] = None if isinstance(spread, _Open) else spread

    def _inputs(self, position: int) -> list[Value]:
        """The values that the instruction there makes its result of, where it is one that is followed."""
        if position < 0 or _rule(self.body.instructions[position].op) is None:
            return []
        read = self.body.uniformity.read
        reads = self.body.reads[position]
        values = [read(number, position).value for number in reads[self.body.instructions[position].pred is not None :]]
        return [value for value in values if value is not None]

    def _differs(self, read: Read, value: Spread | _Open | None) -> bool:
        """Have threads a value from different rounds of the loop that it is made in?"""
        if not read.leaving or not isinstance(value, Spread) or value.exact:
            return False
        return any(self.body.uniformity.level(branch) > self.level for branch in read.leaving)

    def _value(self, value: Value, found: _Found) -> Spread | _Open | None:
        where, merged = value[1], self.body.uniformity.merged(value)
        made = [found[other] if other in found else self._known[other] for other in merged]
        if where >= 0:
            made.append(self._made(where, value, found))
        known = [spread for spread in made if not isinstance(spread, _Open)]
        if not known:
            return _OPEN if made else None
        if merged:
            return self._joined(value, [spread for spread in known if spread is not None], None in known)
        return known[0] if self.body.instructions[where].pred is None else self._alone(value)

    def _parted(self, value: Value) -> bool:
        """Do threads choose differently among the values that meet in it?"""
        uniformity = self.body.uniformity
        return any(uniformity.level(chooser) > self.level for chooser in uniformity.choosers(value))

    def _joined(self, value: Value, made: list[Spread], unknown: bool) -> Spread | None:
        """A register that several instructions write: one sum where they agree but for what is the same in all threads."""
        if not unknown and made[0].exact and all(spread == made[0] for spread in made[1:]):
            return made[0]
        if self._parted(value):
            return None
        if not unknown and all(spread == made[0] for spread in made[1:]):
            return made[0]
        shapes = {tuple(part - spread.parts[0] for part in spread.parts) for spread in made}
        if unknown or len(shapes) > 1:
            return self._alone(value)
        leaf: Leaf = ("value", value[0], value[1])
        step = min((_power(spread.parts[0], spread.step) for spread in made), default=1)
        self._steps[leaf] = step = min(step, self._steps.get(leaf, _LARGEST))
        return Spread(frozenset(((leaf, 1),)), shapes.pop(), step)

    def _alone(self, value: Value) -> Spread | None:
        """What is not followed: a leaf, if it is the same for all."""
        if not self.unfollowed or self.body.uniformity.level(value) > self.level:
            return None
        known = self.alignments.of_register(value[0])
        return self._leaf(("value", value[0], value[1]), _power(known.residue, known.modulus))

    def _made(self, position: int, value: Value, found: _Found) -> Spread | _Open | None:
        """What the instruction there puts into the register."""
        instruction = self.body.instructions[position]
        rule = _rule(instruction.op)
        operands = instruction.operands
        if instruction.op.startswith("ld.param"):
            return self._parameter(position, value)
        if rule is None or not operands or type(operands[0]) is not Register:
            return self._one(position, value)
        inputs: list[Spread] = []
        for operand in operands[1:]:
            spread: Spread | _Open | None
            if isinstance(operand, Register):
                number = self.body.number(operand, position)
                if number is None:
                    return None
                read = self.body.uniformity.read(number, position)
                if read.value is None:
                    return self._one(position, value)
                spread = found[read.value] if read.value in found else self._known[read.value]
                if self._differs(read, spread):
                    return self._one(position, value)
            else:
                spread = self._plain(operand, position)
            if isinstance(spread, _Open):
                return _OPEN
            if spread is None:
                return self._one(position, value)
            inputs.append(spread)
        made = rule(_Step(self, position, instruction.op, inputs))
        if made is None:
            return self._one(position, value)
        if len(made.base) > _MOST_LEAVES:
            return self._leaf(("at", position), made.step, made.parts)
        return made

    def _one(self, position: int, value: Value) -> Spread | None:
        """The result of an instruction that is not followed: a leaf where all threads get the same."""
        return self._alone(value)

    def _parameter(self, position: int, value: Value) -> Spread | None:
        address = self.body.instructions[position].operands[1]
        if (
            not isinstance(address, Address)
            or not isinstance(address.base, Symbol)
            or value[0] not in self.body.writes[position]
        ):
            return self._one(position, value)
        part = self.body.writes[position].index(value[0])
        known = self.alignments.of_register(value[0])
        step = _power(known.residue, known.modulus)
        return self._leaf(("param", f"{address.base.name}+{address.offset}.{part}"), step)

    # --- sums and products --------------------------------------------------------------------------------------------

    def _sum(self, one: Spread, other: Spread, sign: int = 1) -> Spread:
        parts = tuple(a + sign * b for a, b in zip(one.parts, other.parts))
        if not other.base:
            return Spread(one.base, parts, one.step)
        factors = dict(one.base)
        for leaf, factor in other.base:
            factors[leaf] = factors.get(leaf, 0) + sign * factor
        return self._of_factors(factors, parts)

    def _times(self, one: Spread, factor: int) -> Spread:
        parts = tuple(part * factor for part in one.parts)
        return self._of_factors({leaf: f * factor for leaf, f in one.base}, parts)

    def _of_factors(self, factors: Mapping[Leaf, int], parts: tuple[int, ...]) -> Spread:
        base = frozenset((leaf, factor) for leaf, factor in factors.items() if factor)
        step = min((_power(factor, _LARGEST) * self.step(leaf) for leaf, factor in base), default=_LARGEST)
        return Spread(base, parts, min(step, _LARGEST))


# --- what instructions compute ----------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """An instruction to follow: who asks, where it stands, its name, what its sources are."""

    threads: Threads
    position: int
    op: str
    inputs: list[Spread]

    def leaf(self, step: int = 1) -> Spread:
        """The result as a leaf of its own."""
        return self.threads._leaf(("at", self.position), step)

    def with_base(self, of: Spread, step: int, parts: tuple[int, ...]) -> Spread:
        """A result whose base is computed from that of an input."""
        return self.threads._leaf(("at", self.position), step, parts) if of.base else self.threads._exact(parts)


def _copy(step: _Step) -> Spread | None:
    """mov, and conversions that keep the number; a narrower one only of what is known."""
    (source,) = step.inputs
    words = step.op.split(".")
    if words[0] == "cvt" and TYPES[words[-2]].bits < TYPES[words[-1]].bits:
        return step.threads._exact(tuple(_as(p, words[-2]) for p in source.parts)) if source.exact else None
    return source


def _add(step: _Step) -> Spread | None:
    return step.threads._sum(step.inputs[0], step.inputs[1])


def _subtract(step: _Step) -> Spread | None:
    return step.threads._sum(step.inputs[0], step.inputs[1], -1)


def _negate(step: _Step) -> Spread | None:
    return step.threads._times(step.inputs[0], -1)


def _multiply(step: _Step) -> Spread | None:
    one, other = step.inputs[:2]
    if one.constant is None and other.constant is None:
        if one.uniform and other.uniform:
            return step.leaf(_power(one.parts[0], one.step) * _power(other.parts[0], other.step))
        if one.exact and other.exact:
            return step.threads._exact(tuple(a * b for a, b in zip(one.parts, other.parts)))
        return None
    return (
        step.threads._times(one, other.parts[0])
        if other.constant is not None
        else step.threads._times(other, one.parts[0])
    )


def _multiply_add(step: _Step) -> Spread | None:
    product = _multiply(step)
    return None if product is None else step.threads._sum(product, step.inputs[2])


def _shift_left(step: _Step) -> Spread | None:
    amount = step.inputs[1].constant
    return step.threads._times(step.inputs[0], 1 << amount) if amount is not None and 0 <= amount < 64 else None


def _shift_right(step: _Step) -> Spread | None:
    source, amount = step.inputs[0], step.inputs[1].constant
    if amount is None or not 0 <= amount < 64:
        return None
    if source.exact:
        return step.threads._exact(tuple(_as(p, step.op.rpartition(".")[2]) >> amount for p in source.parts))
    if source.step >> amount == 0 or min(source.parts) < 0:
        return None
    return step.with_base(source, source.step >> amount, tuple(part >> amount for part in source.parts))


def _low_bits(step: _Step, source: Spread, mask: int) -> Spread | None:
    """source & mask, for the masks of the low bits and those that clear them."""
    if source.exact:
        return step.threads._exact(tuple(part & mask for part in source.parts))
    if 0 <= mask < source.step and mask & (mask + 1) == 0:
        return step.threads._exact(tuple(part & mask for part in source.parts))
    cleared = ~mask & (_LARGEST - 1)
    if mask < 0 and cleared < source.step and cleared & (cleared + 1) == 0:
        return Spread(source.base, tuple(part & mask for part in source.parts), source.step)
    return None


def _and(step: _Step) -> Spread | None:
    one, other = step.inputs
    type_ = step.op.rpartition(".")[2]
    if one.constant is not None:
        one, other = other, one
    if other.constant is not None and type_ != "pred":
        return _low_bits(step, one, _as(other.constant, f"s{TYPES[type_].bits}"))
    return _bitwise(step)


def _bitwise(step: _Step) -> Spread | None:
    """or, xor and and; beside a base only of bits below it."""
    one, other = step.inputs
    function = _BITS[step.op.partition(".")[0]]
    if one.exact and other.exact:
        return step.threads._exact(tuple(function(a, b) for a, b in zip(one.parts, other.parts)))
    if other.base:
        one, other = other, one
    inside = all(0 <= part < one.step for part in (*one.parts, *other.parts))
    if other.base or not inside or function is operator.and_:
        return None
    return Spread(one.base, tuple(function(a, b) for a, b in zip(one.parts, other.parts)), one.step)


def _remainder(step: _Step) -> Spread | None:
    source, divisor = step.inputs[0], step.inputs[1].constant
    if not divisor or divisor < 0 or min(source.parts) < 0:
        return None
    if source.exact:
        return step.threads._exact(tuple(part % divisor for part in source.parts))
    return _low_bits(step, source, divisor - 1) if divisor & (divisor - 1) == 0 else None


def _quotient(step: _Step) -> Spread | None:
    source, divisor = step.inputs[0], step.inputs[1].constant
    if not divisor or divisor < 0 or min(source.parts) < 0:
        return None
    if source.exact:
        return step.threads._exact(tuple(part // divisor for part in source.parts))
    if divisor & (divisor - 1) or divisor > source.step:
        return None
    return step.with_base(source, source.step // divisor, tuple(part // divisor for part in source.parts))


def _field(step: _Step) -> Spread | None:
    """bfe: `length` bits from `start` on."""
    source, start, length = step.inputs[0], step.inputs[1].constant, step.inputs[2].constant
    if start is None or length is None or ".s" in step.op or not 0 <= start < 64 or not 0 <= length < 64:
        return None
    type_ = step.op.rpartition(".")[2]
    if source.exact:
        return step.threads._exact(tuple(_as(p, type_) >> start & (1 << length) - 1 for p in source.parts))
    if min(source.parts) < 0 or 1 << start + length > source.step:
        return None
    return step.threads._exact(tuple(part >> start & (1 << length) - 1 for part in source.parts))


def _extreme(step: _Step) -> Spread | None:
    one, other = step.inputs
    if not one.exact or not other.exact:
        return None
    words = step.op.split(".")
    choose = min if words[0] == "min" else max
    return step.threads._exact(
        tuple(choose(_as(a, words[-1]), _as(b, words[-1])) for a, b in zip(one.parts, other.parts))
    )


def _select(step: _Step) -> Spread | None:
    yes, no, which = step.inputs
    if not which.exact:
        return yes if yes == no else None
    if all(which.parts):
        return yes
    if not any(which.parts):
        return no
    if yes.base != no.base:
        return None
    return Spread(yes.base, tuple(a if w else b for a, b, w in zip(yes.parts, no.parts, which.parts)), yes.step)


def _compare(step: _Step) -> Spread | None:
    """setp of two values whose common base cancels, as it does where nothing overflows."""
    words = step.op.split(".")
    relation = _RELATIONS.get(words[1])
    if relation is None or len(step.inputs) != 2:
        return None
    one, other = step.inputs
    if one.base != other.base:
        return step.leaf() if one.uniform and other.uniform else None
    sides = zip(one.parts, other.parts)
    if one.exact:
        sides = zip([_as(p, words[-1]) for p in one.parts], [_as(p, words[-1]) for p in other.parts])
    return step.threads._exact(tuple(int(relation(a, b)) for a, b in sides))


def _invert(step: _Step) -> Spread | None:
    (source,) = step.inputs
    if not source.exact:
        return None
    predicate = step.op.endswith(".pred")
    return step.threads._exact(tuple(int(not part) if predicate else ~part for part in source.parts))


def _shuffled(step: _Step) -> Spread | None:
    """One lane's value in all lanes of its warp: how the number of a warp is made the same for the compiler's eyes, too."""
    source = step.inputs[0]
    lane, clamp = (step.inputs[index].constant for index in (1, 2))
    if ".idx." not in step.op or lane is None or not 0 <= lane < WARP_SIZE or clamp != WARP_SIZE - 1:
        return None
    last = len(source.parts) - 1
    parts = tuple(source.parts[min(t - t % WARP_SIZE + lane, last)] for t in range(len(source.parts)))
    return Spread(source.base, parts, source.step)


_BITS: dict[str, Callable[[int, int], int]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip
_MASKS: dict[str, Callable[[int], int]] = {
    "eq": lambda lane: 1 << lane,
    "lt": lambda lane: (1 << lane) - 1,
    "le": lambda lane: (2 << lane) - 1,
    "gt": lambda lane: -(2 << lane) & 0xFFFFFFFF,
    "ge": lambda lane: -(1 << lane) & 0xFFFFFFFF,
}
_UNIFORM = (
    "%ctaid.",
    "%nctaid.",
    "%ntid.",
    "%nwarpid",
    "%clusterid.",
    "%nclusterid.",
    "%cluster_",
    "%gridid",
    "%smid",
    "%nsmid",
)
_RULES: dict[str, Callable[[_Step], Spread | None]] = {
    "mov": _copy, "cvt": _copy, "cvta": _copy, "add": _add, "sub": _subtract, "neg": _negate, "mul": _multiply,
    "mad": _multiply_add, "shl": _shift_left, "shr": _shift_right, "and": _and, "or": _bitwise, "xor": _bitwise,
    "rem": _remainder, "div": _quotient, "bfe": _field, "min": _extreme, "max": _extreme, "selp": _select, "setp": _compare,
    "not": _invert, "shfl": _shuffled,
}  # fmt: skip


@cache
def _rule(op: str) -> Callable[[_Step], Spread | None] | None:
    """How an instruction of that name is followed; None for what is not: other opcodes, floats, halves of products, carries."""
    words = op.split(".")
    types = [TYPES[word] for word in words if word in TYPES]
    rule = _RULES.get(words[0])
    if rule is None or (not types and words[0] != "cvta"):
        return None
    if any(t.kind not in "usbp" or t.lanes > 1 for t in types) or {"hi", "cc", "sat"} & set(words):
        return None
    return rule


def _as(value: int, type_: str) -> int:
    """The number that a register of the type holds."""
    if type_ == "pred":
        return int(bool(value))
    bits = TYPES[type_].bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value


def _power(value: int, modulus: int) -> int:
    """The power of two that `value`, known modulo `modulus`, is certainly a multiple of."""
    return min(value & -value, modulus) if value else modulus


def _extents(body: Body) -> tuple[int, ...]:
    """The CTA's extents as .reqntid states them, or as a .maxntid of one dimension allows; () where nothing says them."""
    for name in ("reqntid", "maxntid"):
        directive = body.function.directive(name)
        if directive is not None:
            stated = [extent for extent in directive.arguments if isinstance(extent, int)]
            x, y, z = (*stated, 1, 1, 1)[:3]
            return (x, y, z) if name == "reqntid" or y == z == 1 else ()
    return ()


def _product(extents: tuple[int, ...]) -> int:
    size = 1
    for extent in extents:
        size *= extent
    return size
