"""What lowerings call to have a kernel's operations counted: it writes the counting into the warp function.

Operations that the same threads execute one after the other are counted once, by the first of them, their leader: those of a
block and those of each arm of a choice inside it. Lanes run a block one by one, so what concerns a warp (who has gone into an
arm, which addresses an instruction has) is kept until the last lane has run and counted then.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ptxgen.cpu.flat import Op
from ptxgen.cpu.lower.windows import Writer
from ptxgen.cpu.profiler.counters import RECORD_BYTES, offset_of
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.cpu.blocks import Choice, Step
    from ptxgen.cpu.emit import LlvmValue

__all__ = ["Counting"]

_INDEXED = ("index.and", "index.or", "index.lanes")
"""Variables: of the indices with which lanes branch, the bits that all have and those that any has; these lanes."""
_BRANCHES = opcodes_with("branch") | opcodes_with("ends")


class BlockWriter(Writer, Protocol):
    """A writer that knows which lanes run the block in hand: a `context.LoweringContext`."""

    @property
    def mask(self) -> LlvmValue: ...

    @property
    def bit(self) -> LlvmValue: ...

    op: Op

    def guard(self) -> LlvmValue | None: ...


class _Condition(NamedTuple):
    """Lanes for which the guard of an operation holds, in the variable at `lanes`; `around` are those that ask it."""

    op: Op
    lanes: LlvmValue
    around: _Arm
    arms: tuple[_Arm, _Arm] | None


class _Arm:
    """Lanes that take the same way through a block. `lanes` is known once all have run."""

    def __init__(self, leader: int, lanes: LlvmValue | None = None) -> None:
        self.leader = leader
        self.lanes = lanes


class _Access(NamedTuple):
    """An access of the lanes in the variable at `lanes`, whose addresses lie at `addresses`."""

    op: Op
    space: str
    size: int
    addresses: LlvmValue
    lanes: LlvmValue


class Counting:
    """Of one kernel with so many operations. `leaders`: of each, the one whose executions are its own; -1 for one that nothing
    reaches."""

    def __init__(self, operations: int) -> None:
        self.leaders = [-1] * operations
        self._arm = _Arm(-1)
        self._conditions: list[_Condition] = []
        self._accesses: list[_Access] = []

    # -- counters -----------------------------------------------------------------------------------------------------

    def _record(self, k: Writer, op: int) -> LlvmValue:
        first = k.uniform("profile", lambda: k.e.ptr(k.launch.get("profile")))
        return k.e.offset(first, op * RECORD_BYTES)

    def _add(self, k: Writer, op: int, field: str, value: LlvmValue) -> None:
        place = k.e.offset(self._record(k, op), offset_of(field))
        k.e.store(k.e.load("i64", place) + value, place)

    def _ran(self, k: Writer, op: int, lanes: LlvmValue) -> None:
        """A warp has executed an operation with these lanes, if there are any."""
        self._add(k, op, "warps", lanes.ne(0).zext("i64"))
        self._add(k, op, "threads", _population(k, lanes))

    # -- who executes what --------------------------------------------------------------------------------------------

    def begin(self, k: BlockWriter, steps: Sequence[Step], terminator: Op | None) -> None:
        """The lanes of k.mask begin a block."""
        ops = [*map(_head, steps), *([] if terminator is None else [terminator])]
        self._arm = _Arm(self._lead(ops), k.mask)
        if ops:
            self._ran(k, self._arm.leader, k.mask)

    def _lead(self, ops: Sequence[Op]) -> int:
        """The operations are executed together; their leader."""
        for op in ops:
            self.leaders[op.index] = ops[0].index
        return ops[0].index if ops else -1

    def operation(self, k: BlockWriter, op: Op) -> None:
        """The lane in hand executes an operation, which may be guarded."""
        k.op = op
        condition = k.guard()
        if condition is not None:
            self._conditions.append(_Condition(op, self._kept(k, condition), self._arm, None))

    def choice(self, k: BlockWriter, choice: Choice, condition: LlvmValue) -> tuple[_Arm, _Arm]:
        """The lane in hand takes one arm of a choice where the condition holds, else the other; both for `inside`."""
        then, otherwise = (_Arm(self._lead([_head(step) for step in arm])) for arm in (choice.then, choice.otherwise))
        self._conditions.append(_Condition(choice.branch, self._kept(k, condition), self._arm, (then, otherwise)))
        return then, otherwise

    @contextmanager
    def inside(self, arm: _Arm | None) -> Iterator[None]:
        """What its body writes is for the lanes of an arm of `choice`."""
        assert arm is not None
        before, self._arm = self._arm, arm
        yield
        self._arm = before

    def _kept(self, k: BlockWriter, condition: LlvmValue) -> LlvmValue:
        """Notes the lane in hand where a condition holds; the place of the variable that has all these lanes."""
        place = self._variable(k, f"guard{len(self._conditions)}")
        k.e.store(k.e.load("i32", place) | condition.select(k.bit, 0), place)
        return place

    def end(self, k: BlockWriter, terminator: Op | None, taken: LlvmValue) -> None:
        """All lanes have run the block; those `taken` have taken its terminator."""
        e, zero = k.e, k.e.const("i32", 0)
        for op, place, around, arms in self._conditions:
            lanes = e.load("i32", place)
            e.store(zero, place)
            assert around.lanes is not None
            self._parted(k, op, lanes, around.lanes)
            for arm, inside in zip(arms or (), (lanes, around.lanes & ~lanes)):
                arm.lanes = inside
                if arm.leader >= 0:
                    self._ran(k, arm.leader, inside)
        self._conditions = []
        if terminator is not None and terminator.opcode == "brx":
            self._end_indexed(k, terminator)
        elif terminator is not None and terminator.guard is not None and terminator.origin.opcode in _BRANCHES:
            self._parted(k, terminator, taken, k.mask)
        self.flush(k)

    def _parted(self, k: Writer, op: Op, lanes: LlvmValue, around: LlvmValue) -> None:
        self._add(k, op.index, "active", _population(k, lanes))
        if op.origin.opcode in _BRANCHES:
            self._add(k, op.index, "divergent", (lanes.ne(0) & lanes.ne(around)).zext("i64"))

    def indexed(self, k: BlockWriter, index: LlvmValue) -> None:
        """The lane in hand goes to the target of a number."""
        e = k.e
        every, some, lanes = (self._variable(k, name) for name in _INDEXED)
        first = e.load("i32", lanes).eq(0)
        e.store(first.select(index, e.load("i32", every) & index), every)
        e.store(e.load("i32", some) | index, some)
        e.store(e.load("i32", lanes) | k.bit, lanes)

    def _end_indexed(self, k: BlockWriter, op: Op) -> None:
        e = k.e
        places = [self._variable(k, name) for name in _INDEXED]
        every, some, lanes = (e.load("i32", place) for place in places)
        for place in places:
            e.store(e.const("i32", 0), place)
        self._add(k, op.index, "active", _population(k, lanes))
        parted = every.ne(some) | (lanes.ne(0) & lanes.ne(k.mask))
        self._add(k, op.index, "divergent", parted.zext("i64"))

    def released(self, k: Writer, op: Op, lanes: LlvmValue) -> None:
        """Lanes have executed an operation of several lanes. Of a guarded one, the branch around it counts who comes by."""
        if op.guard is not None:
            self._add(k, op.index, "active", _population(k, lanes))
            return
        self.leaders[op.index] = op.index
        self._ran(k, op.index, lanes)

    # -- memory -------------------------------------------------------------------------------------------------------

    def access(self, k: Writer, pointer: LlvmValue, space: str, size: int, lane: LlvmValue) -> None:
        """A lane touches `size` bytes at a pointer; `space` is "" for a generic address."""
        space = space.partition("::")[0]
        if space in ("param", "const"):
            return
        e, number = k.e, len(self._accesses)
        addresses = k.uniform(f"profile.addresses{number}", lambda: e.var("[32 x i64]").pointer)
        lanes = self._variable(k, f"access{number}")
        e.store(e.op("i64", f"ptrtoint ptr {pointer.text} to i64"), e.element("i64", addresses, lane.zext("i64")))
        e.store(e.load("i32", lanes) | (e.const("i32", 1) << lane), lanes)
        self._accesses.append(_Access(k.op, space, size, addresses, lanes))

    def flush(self, k: Writer) -> None:
        """What lanes have accessed since the last time are requests of the warp."""
        e = k.e
        for op, space, size, addresses, place in self._accesses:
            lanes = e.load("i32", place)
            with e.if_(lanes.ne(0)):
                e.store(e.const("i32", 0), place)
                if space == "local":
                    self._add(k, op.index, "local_bytes", _population(k, lanes) * size)
                else:
                    given = (self._record(k, op.index), addresses, lanes, e.const("i32", size))
                    e.invoke(f"profile_{space or 'generic'}", *given, *([] if space else [k.warp.pointer]))
        self._accesses = []

    def run(self, k: Writer, address: LlvmValue, space: str, size: LlvmValue) -> None:
        """The lane in hand has something else move so many bytes, an i32, at an address, an i64, of global or shared memory."""
        kind = "global" if space == "global" else "shared"
        k.e.invoke(f"profile_{kind}_run", self._record(k, k.op.index), address, size)

    def moves(self, k: Writer, space: str, size: LlvmValue) -> None:
        """The same for bytes of which nobody says where they lie."""
        self._add(k, k.op.index, f"{space}_bytes", size.sext("i64"))

    def _variable(self, k: Writer, name: str) -> LlvmValue:
        """The place of an i32 that is 0 when the warp function begins."""

        def zero() -> LlvmValue:
            pointer = k.e.var("i32").pointer
            k.e.store(k.e.const("i32", 0), pointer)
            return pointer

        return k.uniform(f"profile.{name}", zero)


def _head(step: Step) -> Op:
    """The operation that a step begins with."""
    return step if isinstance(step, Op) else step.branch


def _population(k: Writer, lanes: LlvmValue) -> LlvmValue:
    return k.e.intrinsic("llvm.ctpop", lanes).zext("i64")
