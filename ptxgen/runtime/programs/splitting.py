"""A kernel that waits for the whole grid, cut at its barriers into kernels that the host launches one after the other.

A cooperative grid must be resident at once; in parts any grid size is possible, because the end of a launch is a barrier too,
and what was written before it is seen after it. What a thread holds in registers is lost between launches: values that follow
from parameters and indices are recomputed, the others are stored in memory (`ptxgen.runtime.programs.spilling`).

That is sound under conditions, and each is checked (SplitError says which is not met): every thread reaches every barrier
once, so that none is in a loop, a branch, a device function or after an exit; and nothing but registers and global
memory crosses one: no shared or local memory that is used on both sides, and no address of it; no module variables, of which
the parts would have their own; no copies, groups or barriers under way. Waiting for another CTA otherwise than by the barrier
cannot be seen, and needs the cooperative grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.builder.auto_target import build_kernels
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.graph.solver import liveness
from ptxgen.ir import (
    Address,
    Function,
    Instruction,
    Label,
    Module,
    Register,
    Special,
    Symbol,
    Variable,
    resolve,
)
from ptxgen.passes.editing import Edit
from ptxgen.runtime.programs.barrier import marked_barriers
from ptxgen.runtime.programs.spilling import Cut, KernelSegment, part_of, slots_of
from ptxgen.verifier import assert_valid, minimum_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.runtime.programs.program import Program

__all__ = ["Parts", "SplitError", "split"]


class SplitError(Exception):
    """Why a program cannot be cut at its barriers."""


class Parts(NamedTuple):
    """PTX with one kernel for each part, by name and in order, and the bytes that each thread hands on in memory. Each kernel
    takes one pointer more than the program's: that of so many bytes for each thread of the grid."""

    ptx: str
    names: tuple[str, ...]
    bytes_per_thread: int


_STAYS = (
    "%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%lanemask", "%nwarpid", "%dynamic_smem_size", "%total_smem_size",
)  # fmt: skip
"""Special registers that read the same in every part."""

_LONGEST = 32
"""Instructions that are run again for one value; a longer computation goes through memory."""


def split(program: Program, target: str, whole: str | None = None) -> Parts:
    """The program in parts. SplitError where it cannot be cut, or has no barrier; or where it would no longer be built to the
    *whole* PTX, if that is passed."""
    if whole is not None and program.ptx(target) != whole:
        raise SplitError("what its body builds has changed since it was compiled: compile it again")
    with marked_barriers() as marks:
        into = build_kernels((program.kernel,), target)
    module = into.draft(program.name)
    module.version = minimum_version(module)
    if not marks:
        raise SplitError("it has no grid barrier")
    entry = module.entries[0]
    _check_module(module, entry, marks)
    body = body_of(module, entry.name)
    _check_body(body, marks)
    cuts = _cuts(module, body, marks)
    segments = _segments(body, cuts)
    _check_memory(module, body, segments)
    slots = slots_of(cuts)
    parts = [part_of(body, segment, slots, f"{entry.name}_part_{segment.number}") for segment in segments]
    items = [part if item is entry else item for item in module for part in (parts if item is entry else (item,))]
    made = Module(module.version, module.target, [*items], name=program.name)
    made.version = minimum_version(made)
    assert_valid(made)
    return Parts(str(made), tuple([part.name for part in parts]), slots.bytes_per_thread)


def _at(instruction: Instruction) -> str:
    place = next(iter(resolve(instruction.source)), None)
    return f"{instruction.op} at {place}" if place is not None else instruction.op


# --- what may not be there --------------------------------------------------------------------------------------------


def _check_module(module: Module, entry: Function, marks: list[str]) -> None:
    for variable in module.variables:
        if variable.space == "global":
            raise SplitError(f"it has the module variable {variable.name}, of which the parts would have another")
    shared = {variable.name for variable in module.variables if variable.space.startswith("shared")}
    for function in module.functions:
        if function is entry:
            continue
        if any(isinstance(each, Label) and each.name in marks for each in function.body or ()):
            raise SplitError(f"a barrier is in the device function {function.name}")
        if any(isinstance(each, Variable) and each.space.startswith("shared") for each in function.body or ()):
            raise SplitError(f"device function {function.name} has shared memory")
        for instruction in function.instructions():
            if shared & set(_symbols(instruction)):
                raise SplitError(f"device function {function.name} uses shared memory: {_at(instruction)}")


def _check_body(body: Body, marks: list[str]) -> None:
    assert body.function.body is not None
    top = [each.name for each in body.function.body if isinstance(each, Label) and each.name in marks]
    if top != marks:
        raise SplitError("a barrier is in a nested block of the text")
    flow = body.flow
    where = {name: block.index for block in flow.blocks for name in block.labels}
    for number, name in enumerate(marks, 1):
        block = where[name]
        if _comes_back(body, block):
            raise SplitError(f"barrier {number} is in a loop")
        if block not in flow.reachable or not flow.post_dominates(block, 0):
            raise SplitError(f"barrier {number} is in a branch, or a thread may exit before it")
    for position, instruction in enumerate(body.instructions):
        form = body.forms[position]
        if form is None:
            raise SplitError(f"it has an instruction that is not known: {_at(instruction)}")
        if "protocol" in form.form.traits:
            raise SplitError(f"it leaves work under way: {_at(instruction)}")
        if "carry" in form.form.traits and not _carry_is_near(body, position):
            raise SplitError(f"a carry crosses a barrier: {_at(instruction)}")
    for register in body.registers:
        if register.lanes > 1 or register.type.bits == 128:
            raise SplitError(f"it has the register {register.name} of .{register.type.name}")


def _comes_back(body: Body, block: int) -> bool:
    seen, work = set(), list(body.flow.blocks[block].successors)
    while work:
        index = work.pop()
        if index == block:
            return True
        if index not in seen:
            seen.add(index)
            work += body.flow.blocks[index].successors
    return False


def _carry_is_near(body: Body, position: int) -> bool:
    start = body.flow.block_at(position).start
    return any(".cc" in body.instructions[each].op for each in range(start, position))


# --- where it is cut --------------------------------------------------------------------------------------------------


def _cuts(module: Module, body: Body, marks: list[str]) -> list[Cut]:
    """The barriers in order, with what crosses each: registers to compute anew, with the instructions for it, and to spill."""
    flow, edit = body.flow, Edit(body)
    behind = liveness(flow, body.reads, body.writes)
    where = {name: block.index for block in flow.blocks for name in block.labels}
    tainted = _addresses(module, body)
    found = []
    for number, name in enumerate(marks, 1):
        block = where[name]
        again: dict[int, None] = {}  # positions, each behind those that it needs
        spilled: list[int] = []
        alive = behind[block]
        for position in range(flow.blocks[block].end - 1, flow.blocks[block].start - 1, -1):
            if body.instructions[position].pred is None:
                for register in body.writes[position]:
                    alive &= ~(1 << register)
            for register in body.reads[position]:
                alive |= 1 << register
        for register in range(len(body.registers)):
            if not alive >> register & 1:
                continue
            needed = _computation(edit, register, ())
            if needed is not None and len(needed) <= _LONGEST:
                again |= dict.fromkeys(needed)
            elif register in tainted:
                written = _at(body.instructions[body.chains.definitions[register][0]])
                raise SplitError(f"an address of shared or local memory crosses barrier {number}: {written}")
            else:
                spilled.append(register)
        found.append(Cut(name, block, tuple(again), tuple(spilled), body))
    return found


def _computation(edit: Edit, register: int, above: tuple[int, ...]) -> list[int] | None:
    """The positions that compute a register from parameters and indices alone, in a valid order; None where it takes
    more than that."""
    body = edit.body
    where = body.chains.definitions.get(register, ())
    if len(where) != 1 or where[0] in above or len(above) > _LONGEST:
        return None
    position = where[0]
    instruction = body.instructions[position]
    if instruction.pred is not None or body.writes[position] != [register] or not edit.computes(position):
        return None
    if any(isinstance(each, Special) and not each.name.startswith(_STAYS) for each in instruction.operands):
        return None
    found: dict[int, None] = {}
    for read in body.reads[position]:
        needed = _computation(edit, read, (*above, position))
        if needed is None or len(found) + len(needed) > _LONGEST:
            return None
        found |= dict.fromkeys(needed)
    return [*found, position]


# --- shared and local memory ------------------------------------------------------------------------------------------


def _segments(body: Body, cuts: list[Cut]) -> list[KernelSegment]:
    """The parts in order: each begins at the entry or a cut, and ends at the next cut or where the kernel does."""
    flow = body.flow
    found = []
    for number, (first, last) in enumerate(zip([None, *cuts], [*cuts, None])):
        start = 0 if first is None else first.block
        blocks, work = {start}, [start]
        while work:
            for successor in flow.blocks[work.pop()].successors:
                if successor not in blocks and (last is None or successor != last.block):
                    blocks.add(successor)
                    work.append(successor)
        positions = [p for index in sorted(blocks) for p in range(flow.blocks[index].start, flow.blocks[index].end)]
        if first is not None:
            positions.remove(flow.blocks[start].start)  # the mark itself
        found.append(KernelSegment(number, first, last, frozenset(blocks), tuple(positions)))
    return found


def _kept(module: Module, body: Body) -> dict[str, Variable]:
    """Variables that each CTA, or thread, has for itself, and for one launch."""
    own = {v.name: v for v in (*module.variables, *body.variables)}
    return {name: v for name, v in own.items() if v.space.startswith("shared") or v.space == "local"}


def _check_memory(module: Module, body: Body, segments: list[KernelSegment]) -> None:
    kept, users = _kept(module, body), dict[str, int]()
    for segment in segments:
        again = segment.first.again if segment.first is not None else ()
        for position in (*again, *segment.positions):
            for name in _symbols(body.instructions[position]):
                if name in kept and users.setdefault(name, segment.number) != segment.number:
                    raise SplitError(
                        f"{kept[name].space} memory {name} is used on both sides of barrier {segment.number}: "
                        f"{_at(body.instructions[position])}"
                    )
    tainted = _addresses(module, body)
    for position, instruction in enumerate(body.instructions):
        form = body.forms[position]
        assert form is not None  # _check_body has seen to that
        addresses = [each for each in instruction.operands if isinstance(each, Address)]
        values = [each for each in instruction.operands if not isinstance(each, Address)]
        if {"shared", "shared::cta", "shared::cluster", "local"} & set(instruction.modifiers):
            for address in addresses:
                if not _from_a_name(body, position, address, tainted):
                    raise SplitError(f"shared or local memory is reached by no name: {_at(instruction)}")
        if "writes" not in form.form.effects and instruction.opcode != "call":
            continue
        names = {each.name for value in values for each in _registers(value)}
        if any(body.registers[number].name in names for number in body.reads[position] if number in tainted):
            raise SplitError(f"an address of shared or local memory is stored: {_at(instruction)}")


def _from_a_name(body: Body, position: int, address: Address, tainted: frozenset[int]) -> bool:
    if isinstance(address.base, Symbol):
        return True
    number = body.number(address.base, position) if isinstance(address.base, Register) else None
    return number in tainted


def _addresses(module: Module, body: Body) -> frozenset[int]:
    """Registers that may hold an address of shared, local or parameter memory: what is computed from the name of such a
    variable. Loaded values are none, for no such address is stored; and neither are predicates."""
    named = {*_kept(module, body), *(variable.name for variable in body.function.parameters)}
    found: set[int] = set()
    grown = True
    while grown:
        grown = False
        for position, instruction in enumerate(body.instructions):
            form = body.forms[position]
            if form is None or form.form.effects & {"reads"} or _is_parameter(instruction):
                continue
            from_name = any(isinstance(each, Symbol) and each.name in named for each in instruction.operands)
            if from_name or any(number in found for number in body.reads[position]):
                new = [n for n in body.writes[position] if n not in found and body.registers[n].type.kind != "p"]
                found.update(new)
                grown = grown or bool(new)
    return frozenset(found)


def _is_parameter(instruction: Instruction) -> bool:
    return instruction.op.startswith("ld.param")


def _symbols(instruction: Instruction) -> Iterator[str]:
    work: list[object] = [*instruction.operands]
    while work:
        each = work.pop()
        if isinstance(each, Symbol):
            yield each.name
        elif isinstance(each, Address):
            work.append(each.base)
        else:
            work += getattr(each, "elements", ())


def _registers(operand: object) -> Iterator[Register]:
    if isinstance(operand, Register):
        yield operand
    for each in getattr(operand, "elements", ()):
        yield from _registers(each)
