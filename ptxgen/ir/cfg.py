"""The control-flow graph of a function: its basic blocks in text order and the edges between them."""

from __future__ import annotations

from functools import cache

from ptxgen.ir.operands import Operand, Symbol
from ptxgen.ir.program import Block, BranchTargets, Function, Instruction, Label, Statement

__all__ = ["BasicBlock", "basic_blocks", "flatten"]

_ENDS = frozenset({"bra", "brx", "ret", "exit", "trap"})


@cache
def _leaves(op: str) -> bool:
    """Does an instruction of this name end its block?"""
    return op.partition(".")[0] in _ENDS


class BasicBlock:
    """Instructions that run one after the other. `successors` are indices of blocks, the fall-through one first."""

    __slots__ = ("index", "instructions", "labels", "successors")

    def __init__(self, index: int) -> None:
        self.index = index
        self.labels: list[str] = []
        self.instructions: list[Instruction] = []
        self.successors: list[int] = []

    def __repr__(self) -> str:
        return f"<block {self.index} {self.labels} {len(self.instructions)} instructions -> {self.successors}>"


def flatten(block: Block) -> list[Statement]:
    """The statements of a body in text order, nested scopes opened."""
    if not any(isinstance(statement, Block) for statement in block.statements):
        return block.statements
    found: list[Statement] = []
    for statement in block:
        if isinstance(statement, Block):
            found += flatten(statement)
        else:
            found.append(statement)
    return found


def basic_blocks(function: Function) -> list[BasicBlock]:
    """The blocks of a function with a body; a branch to an unknown label has no edge."""
    blocks = [BasicBlock(0)]
    at: dict[str, int] = {}
    tables: dict[str, tuple[str, ...]] = {}
    ended = False
    for statement in flatten(function.body or Block()):
        if isinstance(statement, Label):
            if blocks[-1].instructions:
                blocks.append(BasicBlock(len(blocks)))
            blocks[-1].labels.append(statement.name)
            at[statement.name] = len(blocks) - 1
            ended = False
        elif isinstance(statement, BranchTargets):
            tables[statement.name] = statement.labels
        elif isinstance(statement, Instruction):
            if ended:
                blocks.append(BasicBlock(len(blocks)))
            blocks[-1].instructions.append(statement)
            ended = _leaves(statement.op)
    for block in blocks:
        last = block.instructions[-1] if block.instructions else None
        falls = last is None or not _leaves(last.op) or last.pred is not None
        if falls and block.index + 1 < len(blocks):
            block.successors.append(block.index + 1)
        if last is not None:
            names = _targets(last, tables)
            block.successors += [at[name] for name in names if name in at and at[name] not in block.successors]
    return blocks


def _targets(instruction: Instruction, tables: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    operand: Operand | None = instruction.operands[-1] if instruction.operands else None
    if instruction.opcode not in ("bra", "brx") or not isinstance(operand, Symbol):
        return ()
    return (operand.name,) if instruction.opcode == "bra" else tables.get(operand.name, ())
