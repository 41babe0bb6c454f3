"""The blocks of a graph: control flow in which labels, plain branches and the order of the text are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.compare.graph import CodeBlock
from ptxgen.ir import BranchTargets, Label, Not, Symbol
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body

__all__ = ["code_blocks", "is_plain_branch", "successors_of"]

_BRANCHES = opcodes_with("branch") - {"brx"}


def is_plain_branch(body: Body, position: int) -> bool:
    """Is it a branch that is always taken, which only says where the text goes on?"""
    instruction = body.instructions[position]
    if instruction.opcode not in _BRANCHES or instruction.pred is not None or not instruction.operands:
        return False
    target = instruction.operands[-1]
    return isinstance(target, Symbol) and isinstance(body.scopes[position].find(target.name), Label)


def successors_of(body: Body, block: int) -> list[int]:
    """The blocks behind a block of the control flow, as its last instruction chooses among them: where the guard of a branch is
    true, then where it is false; those of a table in its order."""
    flow = body.flow
    here = flow.blocks[block]
    last = body.instructions[here.end - 1] if here.end > here.start else None
    if last is None:
        return list(here.successors)
    if last.opcode == "brx":
        return _table(body, here.end - 1, here.successors, last.pred is not None)
    if last.opcode not in _BRANCHES or last.pred is None:
        return list(here.successors)
    through, target = here.successors[0], here.successors[-1]
    return [through, target] if isinstance(last.pred, Not) else [target, through]


def _table(body: Body, position: int, successors: list[int], guarded: bool) -> list[int]:
    """The targets of brx.idx as its table lists them, and where control goes when the guard is false."""
    operand = body.instructions[position].operands[-1]
    table = body.scopes[position].find(operand.name) if isinstance(operand, Symbol) else None
    if not isinstance(table, BranchTargets):
        return list(successors)
    blocks = body.flow.blocks
    named = [next((index for index in successors if name in blocks[index].labels), -1) for name in table.labels]
    return [*(index for index in named if index >= 0), *(successors[:1] if guarded else ())]


def code_blocks(body: Body) -> tuple[list[CodeBlock], list[int], list[int]]:
    """The blocks; the roots; by block of the control flow, the one that it is in."""
    flow = body.flow
    behind = [successors_of(body, block.index) for block in flow.blocks]
    reachable = flow.reachable
    before = [
        [index for index in block.predecessors if index in reachable or block.index not in reachable]
        for block in flow.blocks
    ]
    passed = _without_detours(body, behind, before)
    found: list[CodeBlock] = []
    of = [-1] * len(flow.blocks)
    roots = []
    for root in (0, *(block.index for block in flow.blocks if block.index not in reachable)):
        if of[root] >= 0 or root in passed:
            continue
        roots.append(len(found))
        work = [root]
        while work:
            first = work.pop()
            if of[first] >= 0:
                continue
            code = CodeBlock(len(found), first)
            found.append(code)
            of[first] = code.index
            while len(set(behind[code.chain[-1]])) == 1:
                onward = behind[code.chain[-1]][0]
                if onward == 0 or of[onward] >= 0 or before[onward] != [code.chain[-1]]:
                    break
                code.chain.append(onward)
                of[onward] = code.index
            work += reversed(behind[code.chain[-1]])
    for detour, index in passed.items():
        of[detour] = of[index]
    for code in found:
        code.successors = [of[index] for index in behind[code.chain[-1]]]
        code.predecessors = list(dict.fromkeys(of[index] for index in before[code.chain[0]]))
    return found, roots, of


def _without_detours(body: Body, behind: list[list[int]], before: list[list[int]]) -> dict[int, int]:
    """Takes blocks of nothing but a plain branch, to which one block leads, out of both directions of the graph.

    Returns, by such a block, the one that leads to it. Not where both ways of a branch would then lead to one block.
    """
    passed: dict[int, int] = {}
    for block in body.flow.blocks:
        index = block.index
        if index == 0 or len(before[index]) != 1 or len(behind[index]) != 1:
            continue
        if any(not is_plain_branch(body, position) for position in range(block.start, block.end)):
            continue
        source, target = before[index][0], behind[index][0]
        if target == index or source == index or source in before[target] or len(behind[source]) == 1:
            continue
        behind[source] = [target if each == index else each for each in behind[source]]
        before[target] = [source if each == index else each for each in before[target]]
        passed[index] = source
    return passed
