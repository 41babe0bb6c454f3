"""Operations among the lanes of a warp (manual 9.7.9.6 and 9.7.13.8 to .13: shfl, vote, match, redux, elect, activemask).

Each waits, in a block of its own, until all lanes of its member mask that have not exited are there. The forms without a
mask, for targets before sm_70, take those that are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatOperand, Op
from ptxgen.cpu.lower.floating import extreme
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.numbers import absolute
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.sync import SyncBlock

B32, PRED = TYPES["b32"], TYPES["pred"]


def pair(operand: FlatOperand) -> tuple[FlatOperand, FlatOperand | None]:
    """`d|p` as (d, p); p is None when there is none."""
    return (operand[0], operand[1]) if isinstance(operand, tuple) else (operand, None)


def gather(
    s: SyncBlock, operand: FlatOperand, type: ScalarType, group: LlvmValue, targets: tuple[FlatOperand | None, ...]
) -> LlvmValue:
    """The pointer to every lane's value of an operand: its own array, or a copy when it is overwritten or is not a register."""
    array = s.array(operand)
    if array is not None and operand not in targets:
        return array
    kind = f"i{type.bits}"
    copy = s.e.var(f"[32 x {kind}]").pointer
    with s.lanes(group):
        s.e.store(s.k.read(operand, type), s.e.element(kind, copy, s.k.lane64))
    return copy


def members_of(op: Op, place: int) -> FlatOperand | None:
    """The member mask, behind so many operands; None where there is none."""
    return op.operands[place] if len(op.operands) > place else None


@lowers("shfl.mode.b32", mode="up down bfly idx", sync=True)
@lowers("shfl.sync.mode.b32", mode="up down bfly idx", sync=True)
def shfl(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    e, k = s.e, s.k
    d, p = pair(op.operands[0])
    a, b, c = op.operands[1:4]
    with s.groups(members_of(op, 4)) as group:
        values = gather(s, a, B32, group, (d, p))
        with s.lanes(group):
            offset, clamp = k.read(b, B32) & 31, k.read(c, B32)
            segment = (clamp >> 8) & 31
            first = k.lane & segment
            last = first | (clamp & 31 & ~segment)
            source = {
                "up": lambda: k.lane - offset,
                "down": lambda: k.lane + offset,
                "bfly": lambda: k.lane ^ offset,
                "idx": lambda: first | (offset & ~segment),
            }[form.mode]()
            valid = source.sge(last) if form.mode == "up" else source.sle(last)
            chosen = valid.select(source, k.lane)
            s.write(d, e.load("i32", e.element("i32", values, chosen.zext("i64"))), B32)
            if p is not None:
                s.write(p, valid, PRED)


def ballot(s: SyncBlock, operand: FlatOperand, group: LlvmValue) -> LlvmValue:
    """The lanes of the group whose predicate is set."""
    with s.lanes(group, 1) as sums:
        sums[0] = sums[0] | s.k.read(operand, PRED).select(s.k.bit, 0)
    return sums[0]


@lowers("vote.mode.pred", mode="all any uni", sync=True)
@lowers("vote.sync.mode.pred", mode="all any uni", sync=True)
def vote(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    d, a = op.operands[:2]
    with s.groups(members_of(op, 2)) as group:
        found = ballot(s, a, group)
        answer = {
            "all": lambda: found.eq(group),
            "any": lambda: found.ne(0),
            "uni": lambda: found.eq(group) | found.eq(0),
        }[form.mode]()
        with s.lanes(group):
            s.write(d, answer, PRED)


@lowers("vote.ballot.b32", sync=True)
@lowers("vote.sync.ballot.b32", sync=True)
def vote_ballot(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    d, a = op.operands[:2]
    with s.groups(members_of(op, 2)) as group:
        found = ballot(s, a, group)
        with s.lanes(group):
            s.write(d, found, B32)


@lowers("match.mode.sync.type", mode="any all", type="b32 b64", sync=True)
def match(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    e, k = s.e, s.k
    d, p = pair(op.operands[0])
    a, members = op.operands[1:3]
    kind = f"i{form.type.bits}"
    with s.groups(members) as group:
        values = gather(s, a, form.type, group, (d, p))
        with s.lanes(group):
            own = e.load(kind, e.element(kind, values, k.lane64))
            same = e.var("i32", 0)
            with e.count(0, e.const("i32", 32)) as other:
                equal = e.load(kind, e.element(kind, values, other.zext("i64"))).eq(own)
                same.set(same.get() | (equal.zext("i32") << other))
            found = same.get() & group
            if form.mode == "any":
                s.write(d, found, B32)
            else:
                everyone = found.eq(group)
                s.write(d, everyone.select(group, 0), B32)
                if p is not None:
                    s.write(p, everyone, PRED)


def reduce(s: SyncBlock, op: Op, type: ScalarType, combine: Callable[[LlvmValue, LlvmValue], LlvmValue]) -> None:
    """Combines the group's values in lane order, and gives every lane the result."""
    e, k = s.e, s.k
    d, a, members = op.operands
    with s.groups(members) as group:
        first = e.var("i1", 1)
        total = e.var("float" if type.is_float else "i32")
        total.set(e.undef(total.type))
        with s.lanes(group):
            value = k.read(a, type)
            result = first.get().select(value, combine(total.get(), value))
            total.set(result.clean())
            first.set(0)
        result = total.get()
        with s.lanes(group):
            s.write(d, result, type)


@lowers("redux.sync.do.type", do="add min max", type="u32 s32", sync=True)
@lowers("redux.sync.do.type", do="and or xor", type="b32", sync=True)
def redux(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    sign = "s" if form.type.is_signed else "u"

    def combine(x: LlvmValue, y: LlvmValue) -> LlvmValue:
        if form.do in ("min", "max"):
            return s.e.intrinsic(f"llvm.{sign}{form.do}", x, y)
        return {"add": x.__add__, "and": x.__and__, "or": x.__or__, "xor": x.__xor__}[form.do](y)

    reduce(s, op, form.type, combine)


@lowers("redux.sync.do{.abs}{.NaN}.f32", do="min max", sync=True)
def redux_float(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    def combine(x: LlvmValue, y: LlvmValue) -> LlvmValue:
        if form.abs:
            x, y = absolute(x), absolute(y)
        return extreme(form.do, bool(form.NaN), x, y)

    reduce(s, op, form.type, combine)


@lowers("elect.sync", sync=True)
def elect(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """The lowest lane of the group leads."""
    d, p = pair(op.operands[0])
    with s.groups(op.operands[1]) as group:
        leader = s.e.intrinsic("llvm.cttz", group, True)
        with s.lanes(group):
            s.write(d, leader, B32)
            if p is not None:
                s.write(p, s.k.lane.eq(leader), PRED)


@lowers("bar.warp.sync", sync=True, destinations=0)
def bar_warp(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    with s.groups(op.operands[0]) as group:
        s.k.probe.warp_sync(s.k, group)


@lowers("activemask.b32", sync=True)
def activemask(s: SyncBlock, form: FormModifiers, op: Op) -> None:
    """The lanes that are here now: convergence is what min-PC order makes of it."""
    with s.lanes(s.arrived):
        s.write(op.operands[0], s.arrived, B32)
    s.release(s.arrived)
