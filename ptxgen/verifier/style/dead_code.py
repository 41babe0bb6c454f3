"""Code that control comes to and that does nothing: idle loops, branches to where control goes anyway, kernels without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.special_registers import variation
from ptxgen.ir import Special, Symbol
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_dead_code"]

_COMPUTING = opcodes_with("pure", "carry", "branch")
"""Opcodes that do no more than write registers and go on."""
_EFFECTS = frozenset({"writes", "orders", "barrier"})
_ACTING = frozenset({"acts", "protocol"})
"""Traits of what acts on more than registers, whatever its effects say of memory."""


def check_dead_code(body: CheckedBody) -> None:
    """PTX604, a branch to what comes next; PTX609, a kernel without effect; PTX613, an idle loop: when style is asked for."""
    for loop in _idle_loops(body):
        ends = any(s not in loop.blocks for i in loop.blocks for s in body.flow.blocks[i].successors)
        body.report(
            "PTX613",
            "this loop does nothing" + (" that is used behind it" if ends else ", and never ends"),
            max(body.flow.blocks[latch].end for latch in loop.latches) - 1,
            hint="delete it, or use what it computes"
            if ends
            else "a condition that ends it, or nanosleep and a load in it",
        )
    _check_jumps(body)
    _check_effect(body)


def _idle_loops(body: CheckedBody) -> list[Loop]:
    """The outermost loops that only compute what nothing outside of them reads."""
    found: list[Loop] = []
    for loop in reversed(body.loops):
        if not any(outer.blocks >= loop.blocks for outer in found) and _is_idle(body, loop):
            found.append(loop)
    return found[::-1]


def _is_idle(body: CheckedBody, loop: Loop) -> bool:
    flow = body.flow
    positions = [p for index in loop.blocks for p in range(flow.blocks[index].start, flow.blocks[index].end)]
    written: set[int] = set()
    for position in positions:
        instruction, form = body.instructions[position], body.forms[position]
        if form is None or form.form.opcode not in _COMPUTING or ".cc" in instruction.op:
            return False
        if any(type(o) is Special and variation(o.name).changes == "always" for o in instruction.operands):
            return False
        written.update(body.writes[position])
    inside = set(positions)
    chains = body.chains
    return not any(
        inside.intersection(chains.reaching(register, use))
        for register in written
        for use in chains.uses.get(register, ())
        if use not in inside
    )


def _check_jumps(body: CheckedBody) -> None:
    flow = body.flow
    labels: list[str] = []
    """The last ones."""
    for block in flow.blocks:
        labels = block.labels or labels
        if block.start == block.end or block.index not in flow.reachable or len(block.successors) != 1 or block.leaves:
            continue
        end = block.end - 1
        target = block.successors[0]
        between = range(block.index + 1, target) if target > block.index else range(1)
        if body.instructions[end].opcode != "bra" or any(flow.blocks[i].start != flow.blocks[i].end for i in between):
            continue
        label = body.instructions[end].operands[-1]
        named = body.analysis(_branch_targets)
        never = labels[0] if labels and named.isdisjoint(labels) else None  # perhaps the one that was meant
        body.report(
            "PTX604",
            f"a branch to {label.name if isinstance(label, Symbol) else 'a label'}, where control goes anyway",
            end,
            hint=f"bra {never}, if this was to be a loop; else delete it" if never else "delete it",
        )


def _branch_targets(body: Body) -> frozenset[str]:
    """The labels that branches name."""
    branches = (instruction for instruction in body.instructions if instruction.opcode == "bra")
    return frozenset([o.name for branch in branches for o in branch.operands if isinstance(o, Symbol)])


def _check_effect(body: CheckedBody) -> None:
    if not body.function.is_entry or not body.instructions:
        return
    for form in body.forms:
        if form is None or form.form.effects & _EFFECTS or form.form.traits & _ACTING:
            return
    if all(instruction.opcode in opcodes_with("ends") for instruction in body.instructions):
        return  # an empty kernel is meant to be empty
    body.report(
        "PTX609",
        f"{body.function.name} has no effect: it stores nothing",
        len(body.instructions) - 1,
        hint="store the result, or delete the kernel",
    )
