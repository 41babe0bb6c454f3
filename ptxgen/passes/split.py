"""Loop splitting: a counted loop that asks in every round whether its counter is below a bound becomes two that need not ask.

    for (i = a; i < n; i += c)            for (; i < min(n, m); i += c) A;
        if (i < m) A; else B;     ->      for (; i < n; i += c) B;

Taken are loops as builders and compilers write them: one entry, behind a test of the counter against the end; the same test at
the bottom; a counter that only grows, by a constant, and cannot wrap; a comparison of it with what the loop does not write, and
a branch that it decides. The question itself stays, as a constant in each copy: `constants` and `dead` do the rest, so that
`["split", *passes.DEFAULT]` is the order.

Code is copied, so it never happens by default, nor to long loops, nor to what all threads of a warp must run together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.graph.loops import natural_loops
from ptxgen.ir import Immediate, Instruction, Label, Not, Operand, Register, Symbol
from ptxgen.isa.types import TYPES, ScalarType
from ptxgen.passes.arithmetic import read
from ptxgen.passes.regions import cuts

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.passes.editing import Edit

__all__ = ["split_loops"]

_LONGEST = 256
_COUNTED = frozenset({"u32", "s32", "u64", "s64"})
_TOGETHER = frozenset({"barrier", "converged"})


def split_loops(edit: Edit) -> None:
    """Splits counted loops where a comparison of the counter changes its answer; never by default."""
    taken: set[int] = set()
    names = _Names(edit)
    for loop in natural_loops(edit.body.flow):  # the inner ones first; not those around one that is split
        if taken.isdisjoint(loop.blocks):
            counted = _counted(edit, loop)
            question = None if counted is None else _question(edit, counted)
            if counted is not None and question is not None:
                _split(edit, counted, question, names)
                taken |= loop.blocks


class _Counted(NamedTuple):
    """A loop over blocks `first` to `last`: at `test` it compares `counter` with `stop`, at `step` it counts."""

    first: int
    last: int
    entry: int
    test: int
    step: int
    type: ScalarType
    counter: int
    stop: Operand


class _Question(NamedTuple):
    """`setp` at a position that says `answer` while the counter is below `bound`, and the opposite from there on."""

    position: int
    bound: Operand
    answer: bool


def _counted(edit: Edit, loop: Loop) -> _Counted | None:
    body, flow = edit.body, edit.body.flow
    first, last = loop.head, max(loop.blocks)
    inside = range(first, last + 1)  # with what leaves the loop from in between
    if loop.latches != (last,) or min(loop.blocks) != first or not first:
        return None
    if any(before not in inside for index in inside[1:] for before in flow.blocks[index].predecessors):
        return None
    begin, end = flow.blocks[first].start, flow.blocks[last].end
    if end - begin > _LONGEST or not _may_copy(edit, begin, end):
        return None
    if set(flow.blocks[first].predecessors) != {first - 1, last}:
        return None
    test = _comparison(edit, end - 1, flow.blocks[last].start)
    if test is None or not _continues(edit, end - 1, inverted=False) or flow.blocks[last].successors[:1] != [last + 1]:
        return None
    _, kind, number, stop = test
    where = [p for p in body.chains.definitions.get(number, ()) if begin <= p < end]
    if (
        kind != "lt"
        or len(where) != 1
        or not flow.blocks[last].start <= where[0] < test[0]
        or _written(edit, stop, begin, end)
    ):
        return None
    type_ = TYPES[body.instructions[test[0]].op.rpartition(".")[2]]
    step = _step(edit, where[0], number)
    if step is None or not _stays_below(step, stop, type_):
        return None
    entry = flow.blocks[first].start - 1
    counted = _Counted(first, last, entry, test[0], where[0], type_, number, stop)
    return counted if _is_tested(edit, counted) else None


def _may_copy(edit: Edit, begin: int, end: int) -> bool:
    """Nothing that must be once in the program: scopes, remarks, branch tables, what whole warps run together."""
    body = edit.body
    if any(position in cuts(body.function) for position in range(begin, end + 1)):
        return False
    scope = body.scopes[begin - 1]
    for position in range(begin, end):
        form = body.forms[position]
        if form is None or form.form.effects & _TOGETHER or form.form.opcode == "brx" or form.form.opcode == "call":
            return False
        if body.scopes[position] is not scope:
            return False
    return True


def _comparison(edit: Edit, branch: int, start: int) -> tuple[int, str, int, Operand] | None:
    """The setp.cmp.type in the same block that decides a guarded branch: (where, cmp, the register compared, with what)."""
    body = edit.body
    guard = body.guard(branch)
    if guard is None or body.instructions[branch].opcode != "bra":
        return None
    where = next((p for p in range(branch - 1, start - 1, -1) if guard[0] in body.writes[p]), None)
    found = None if where is None else _compares(edit, where)
    if where is None or found is None:
        return None
    named = set(body.reads[where])
    if any(named.intersection(body.writes[p]) for p in range(where, branch)):
        return None
    return where, *found


def _compares(edit: Edit, position: int) -> tuple[str, int, Operand] | None:
    """An unguarded setp.cmp.type p, register, other: (cmp, register, other)."""
    instruction = edit.body.instructions[position]
    words = instruction.op.split(".")
    if instruction.opcode != "setp" or len(words) != 3 or words[2] not in _COUNTED or instruction.pred is not None:
        return None
    if len(instruction.operands) != 3 or edit.destination(position) is None:
        return None
    number = edit.number(instruction.operands[1], position)
    return None if number is None else (words[1], number, instruction.operands[2])


def _continues(edit: Edit, branch: int, *, inverted: bool) -> bool:
    """Is the branch taken where the guard's register is true, or with `inverted`, false?"""
    return isinstance(edit.body.instructions[branch].pred, Not) == inverted


def _written(edit: Edit, operand: Operand, begin: int, end: int) -> bool:
    """Is an operand other than a constant, or a register that is not written between two positions?"""
    if isinstance(operand, Immediate):
        return operand.kind != "int"
    number = edit.number(operand, begin)
    return number is None or any(begin <= p < end for p in edit.body.chains.definitions.get(number, ()))


def _step(edit: Edit, position: int, counter: int) -> int | None:
    """What `add.type counter, counter, constant` adds, if it is that and grows."""
    instruction = edit.body.instructions[position]
    if instruction.opcode != "add" or instruction.pred is not None or edit.destination(position) != counter:
        return None
    a, b = instruction.operands[1:]
    if edit.number(a, position) != counter or not isinstance(b, Immediate) or b.value <= 0:
        return None
    return b.value


def _stays_below(step: int, stop: Operand, type_: ScalarType) -> bool:
    """From below `stop`, does one step never wrap?"""
    largest = (1 << (type_.bits - type_.is_signed)) - 1
    return step == 1 or (isinstance(stop, Immediate) and read(stop.value, type_) + step - 1 <= largest)


def _is_tested(edit: Edit, loop: _Counted) -> bool:
    """Does control come in only where the counter is below the end: by a branch around the loop on the same comparison?"""
    body, flow = edit.body, edit.body.flow
    before = flow.blocks[loop.first - 1]
    if before.successors[:1] != [loop.first] or not _continues(edit, loop.entry, inverted=True):
        return False
    test = _comparison(edit, loop.entry, before.start)
    if test is None or test[1] != "lt" or body.instructions[test[0]].op != body.instructions[loop.test].op:
        return False
    same_end = test[3] == loop.stop if isinstance(loop.stop, Immediate) else (
        edit.number(test[3], loop.entry) == edit.number(loop.stop, loop.test)
    )  # fmt: skip
    return same_end and (test[2] == loop.counter or _is_copy(edit, loop, test[2], test[0], before.start))


def _is_copy(edit: Edit, loop: _Counted, source: int, test: int, start: int) -> bool:
    """Is the counter a copy of that register when the loop is entered?"""
    body = edit.body
    for position in range(loop.entry - 1, start - 1, -1):
        if source in body.writes[position]:
            return False
        if loop.counter in body.writes[position]:
            moved = body.instructions[position]
            return (
                moved.opcode == "mov"
                and moved.pred is None
                and edit.destination(position) == loop.counter
                and edit.number(moved.operands[1], position) == source
            )
    return False


def _question(edit: Edit, loop: _Counted) -> _Question | None:
    """The first comparison of the counter with what the loop does not write that decides a branch in the loop."""
    body, flow = edit.body, edit.body.flow
    begin, end = flow.blocks[loop.first].start, flow.blocks[loop.last].end
    for position in range(begin, loop.step):
        found = _compares(edit, position)
        if (
            found is None
            or found[1] != loop.counter
            or not body.instructions[position].op.endswith(f".{loop.type.name}")
        ):
            continue
        bound, answer = _normal(found[0], found[2], loop.type)
        if bound is None or _written(edit, bound, begin, end) or not _decides(edit, position, begin, end - 1):
            continue
        if isinstance(bound, Immediate) or edit.number(bound, loop.entry) == edit.number(bound, position):
            return _Question(position, bound, answer)
    return None


def _decides(edit: Edit, position: int, begin: int, end: int) -> bool:
    """Does the result of a comparison decide a branch between two positions?"""
    body = edit.body
    uses = body.chains.uses.get(body.writes[position][0], ())
    return any(body.instructions[use].opcode == "bra" for use in uses if begin <= use < end)


def _normal(compare: str, bound: Operand, type_: ScalarType) -> tuple[Operand | None, bool]:
    """(bound, answer) such that the comparison gives the answer exactly while the counter is below the bound."""
    if compare in ("lt", "ge"):
        return bound, compare == "lt"
    largest = (1 << (type_.bits - type_.is_signed)) - 1
    if compare in ("le", "gt") and isinstance(bound, Immediate) and read(bound.value, type_) < largest:
        return Immediate(bound.value + 1), compare == "le"
    return None, False


def _split(edit: Edit, loop: _Counted, question: _Question, names: _Names) -> None:
    body, flow = edit.body, edit.body.flow
    counter = body.instructions[loop.test].operands[1]
    test = body.instructions[loop.test]
    head = flow.blocks[loop.first].labels[0]
    asked = body.instructions[question.position].operands[0]
    again, behind = names.fresh(head), names.fresh("split")
    end, below = edit.fresh(loop.type), edit.fresh(TYPES["pred"])
    copies = {name: names.fresh(name) for i in range(loop.first, loop.last + 1) for name in flow.blocks[i].labels}
    copies[head] = again

    made: list[Instruction | Label] = [
        Instruction(f"min.{loop.type.name}", (end, *_in_order(loop.stop, question.bound))),
        Instruction(test.op, (below, counter, question.bound)),
        Instruction("bra", (Symbol(head),), Not(below)),
    ]
    for index in range(loop.first, loop.last + 1):
        block = flow.blocks[index]
        made += [Label(copies[name]) for name in block.labels]
        for position in range(block.start, block.end):
            made.append(_copy(body.instructions[position], copies, end if position == loop.test else None))
            if position == question.position:
                made[-1] = _answered(body.instructions[position], asked, question.answer)
    made.append(Instruction(test.op, test.operands, None, test.source))
    made.append(Instruction("bra", (Symbol(behind),), Not(test.operands[0])))

    edit.replace(loop.entry, body.instructions[loop.entry], *made)
    edit.replace(question.position, _answered(body.instructions[question.position], asked, not question.answer))
    last = flow.blocks[loop.last].end - 1
    edit.replace(last, body.instructions[last], Label(behind))


def _in_order(a: Operand, b: Operand) -> tuple[Operand, Operand]:
    """A register first: an instruction of two constants is none."""
    return (b, a) if isinstance(a, Immediate) else (a, b)


def _copy(old: Instruction, labels: dict[str, str], end: Register | None) -> Instruction:
    operands = old.operands
    if old.opcode == "bra" and isinstance(operands[0], Symbol):
        operands = (Symbol(labels.get(operands[0].name, operands[0].name)),)
    if end is not None:
        operands = (*operands[:2], end)
    return Instruction(old.op, operands, old.pred, old.source)


def _answered(old: Instruction, to: Operand, answer: bool) -> Instruction:
    return Instruction("mov.pred", (to, Immediate(int(answer))), None, old.source)


class _Names:
    """Labels that the function does not have yet."""

    def __init__(self, edit: Edit) -> None:
        self.taken = {name for block in edit.body.flow.blocks for name in block.labels}

    def fresh(self, like: str) -> str:
        """A new label that tells where it comes from."""
        number = 1
        stem = like if like.startswith("$") else f"$L_{like}"
        while f"{stem}_s{number}" in self.taken:
            number += 1
        self.taken.add(f"{stem}_s{number}")
        return f"{stem}_s{number}"
