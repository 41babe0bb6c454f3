"""Drawn programs: statements as plain values, and the program that they make.

A program is well defined whatever its statements are: variables start from the input, loops end after few rounds, indices are
cut to their array, barriers and warp-wide operations stand where all threads of a CTA come together, what threads exchange
is separated by barriers, and memory that many threads write is only ever updated by one commutative operation.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple, Union

from ptxgen.strategies.operations import REDUCTIONS

if TYPE_CHECKING:
    from ptxgen.ir import Module

__all__ = [
    "POOL",
    "SCRATCH",
    "SLOTS",
    "VARIABLES",
    "Argument",
    "Assign",
    "Ballot",
    "CallStatement",
    "DrawnProgram",
    "Exchange",
    "Fold",
    "If",
    "Load",
    "LoopStatement",
    "ReduceStatement",
    "Shuffle",
    "Statement",
    "StoreStatement",
    "Switch",
    "ThreadVariable",
    "UniformIf",
]

POOL = {"pred": 3, "b16": 3, "b32": 5, "b64": 3, "f32": 3, "f64": 3}
"""Variables of each kind that a thread has."""

SLOTS, SCRATCH = 8, 4
"""Words that each reduction has in memory; words of local memory that a thread has."""


class ThreadVariable(NamedTuple):
    """A variable by kind and number."""

    kind: str
    number: int


VARIABLES = tuple(ThreadVariable(kind, index) for kind, count in POOL.items() for index in range(count))
"""Every variable of a thread, in the order in which it is written to the output."""

Argument = ThreadVariable | int


class Assign(NamedTuple):
    """One instruction of operations.py; a number stands for a constant. `guard`: (predicate, negated)."""

    op: str
    dest: ThreadVariable
    args: tuple[Argument, ...]
    guard: tuple[ThreadVariable, bool] | None = None


class Load(NamedTuple):
    """dests = memory[at, cut to the array]; memory is "input", "table" (constant memory) or "scratch" (the thread's own)."""

    memory: str
    dests: tuple[ThreadVariable, ...]
    at: ThreadVariable


class StoreStatement(NamedTuple):
    """scratch[at, cut to the array] = value"""

    at: ThreadVariable
    value: ThreadVariable


class ReduceStatement(NamedTuple):
    """A word of the output that all threads update: totals[op][at, cut to SLOTS] = op(itself, value)."""

    op: str
    at: ThreadVariable
    value: ThreadVariable
    returns: bool


class CallStatement(NamedTuple):
    """dest = function(a, b)"""

    function: int
    dest: ThreadVariable
    a: ThreadVariable
    b: ThreadVariable


class Exchange(NamedTuple):
    """Every thread of the CTA offers a value, and takes the one of thread `at` modulo the CTA's size."""

    dest: ThreadVariable
    value: ThreadVariable
    at: ThreadVariable


class Fold(NamedTuple):
    """dest = the values of all threads of the CTA under a commutative operation, by atomics in shared memory."""

    op: str
    dest: ThreadVariable
    value: ThreadVariable


class Shuffle(NamedTuple):
    """shfl.sync of whole warps: mode up, down, bfly or idx."""

    mode: str
    dest: ThreadVariable
    value: ThreadVariable
    lane: int


class Ballot(NamedTuple):
    """vote.sync.ballot of whole warps."""

    dest: ThreadVariable
    pred: ThreadVariable


class If(NamedTuple):
    cond: ThreadVariable
    negated: bool
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


class UniformIf(NamedTuple):
    """A branch that all threads of a CTA take alike: on a bit of the CTA's number."""

    bit: int
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


class LoopStatement(NamedTuple):
    """`trips` rounds, or as many as the variable's two lowest bits say; left at the end of a round where `until` is true."""

    trips: Argument
    body: tuple[Statement, ...]
    until: ThreadVariable | None = None


class Switch(NamedTuple):
    """brx.idx on the two lowest bits."""

    selector: ThreadVariable
    arms: tuple[tuple[Statement, ...], ...]


Statement = Union[
    Assign,
    Load,
    StoreStatement,
    ReduceStatement,
    CallStatement,
    Exchange,
    Fold,
    Shuffle,
    Ballot,
    "If",
    "UniformIf",
    "LoopStatement",
    "Switch",
]


class DrawnProgram(NamedTuple):
    """A drawn program: its statements, the functions it may call, and the data that it reads.

    `module()` is the PTX; its kernel `program(input, output, totals)` takes three pointers: `inputs` as bytes to read,
    `output_bytes` to write, and `totals` as bytes to start from. `expected()` is what must be in the last two afterwards.
    """

    body: tuple[Statement, ...]
    functions: tuple[tuple[Statement, ...], ...]
    data: tuple[int, ...]
    table: tuple[int, ...]
    grid: int
    block: int

    @property
    def inputs(self) -> bytes:
        """The words of the input."""
        return struct.pack(f"<{len(self.data)}I", *self.data)

    @property
    def totals(self) -> bytes:
        """Where the reductions start."""
        return b"".join(struct.pack("<I", start) * SLOTS for start, _ in REDUCTIONS.values())

    @property
    def output_bytes(self) -> int:
        """Every thread writes each of its variables as 8 bytes."""
        return self.grid * self.block * 8 * sum(POOL.values())

    def expected(self) -> tuple[bytes, bytes]:
        """(output, totals) after the launch, by an interpreter that shares nothing with the CPU device."""
        from ptxgen.strategies.reference import interpret

        return interpret(self)

    def module(self, target: str = "sm_80") -> Module:
        """The program in PTX, of the lowest version that is enough; any target from sm_70 on."""
        from ptxgen.strategies.writing import write_module

        return write_module(self, target)

    def __str__(self) -> str:
        from ptxgen.text.printer import print_module

        return print_module(self.module())
