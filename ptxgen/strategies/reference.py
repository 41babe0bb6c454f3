"""What a drawn program computes: an interpreter over its statements, CTA by CTA, statement by statement for all threads.

Statements that need all threads of a CTA (`Exchange`, `Fold`, `Shuffle`, `Ballot`) stand only where all are there, so that
running each statement for every active thread before the next is a legal order; nothing else depends on the order.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ptxgen.strategies import program as p
from ptxgen.strategies.operations import BITS, OPERATIONS, REDUCTIONS, canonical

if TYPE_CHECKING:
    from ptxgen.strategies.program import DrawnProgram, Statement, ThreadVariable

__all__ = ["interpret"]

_MASK = 0xFFFFFFFF


class _Thread:
    """A thread's variables, as bit patterns, and its local memory."""

    __slots__ = ("cta", "number", "scratch", "values")

    def __init__(self, cta: int, number: int) -> None:
        self.cta = cta
        self.number = number
        self.values: dict[ThreadVariable, int] = {}
        self.scratch: list[int] = []

    def set(self, var: ThreadVariable, value: int) -> None:
        self.values[var] = canonical(var.kind, value & ((1 << BITS[var.kind]) - 1))


def interpret(program: DrawnProgram) -> tuple[bytes, bytes]:
    """(output, totals) of a launch."""
    machine = _Machine(program)
    threads = [machine.cta(number) for number in range(program.grid)]
    values = [thread.values[var] for cta in threads for thread in cta for var in p.VARIABLES]
    output = struct.pack(f"<{len(values)}Q", *values)
    return output, b"".join(struct.pack("<I", word) for row in machine.totals.values() for word in row)


class _Machine:
    def __init__(self, program: DrawnProgram) -> None:
        self.program = program
        self.totals = {op: [start] * p.SLOTS for op, (start, _) in REDUCTIONS.items()}

    def cta(self, number: int) -> list[_Thread]:
        block, data = self.program.block, self.program.data
        threads = [_Thread(number, lane) for lane in range(block)]
        for thread in threads:
            place = number * block + thread.number
            words = [data[(place * (2 * i + 1) + i) % len(data)] for i in range(p.POOL["b32"])]
            thread.scratch = words[: p.SCRATCH]
            _start(thread, words)
        self.run(self.program.body, threads)
        return threads

    def run(self, statements: tuple[Statement, ...], active: list[_Thread]) -> None:
        for statement in statements:
            if not active:
                return
            getattr(self, f"run_{type(statement).__name__.removesuffix('Statement').lower()}")(statement, active)

    def run_assign(self, s: p.Assign, active: list[_Thread]) -> None:
        operation = OPERATIONS[s.op]
        for thread in active:
            if s.guard is not None and bool(thread.values[s.guard[0]]) == s.guard[1]:
                continue
            args = [given if isinstance(given, int) else thread.values[given] for given in s.args]
            args = [arg & 0xFF if kind == "byte" else arg for arg, kind in zip(args, operation.operands)]
            if operation.divides:
                bits = BITS[operation.operands[-1]]
                args[-1] = (args[-1] & ((1 << (bits - 1)) - 1) if ".s" in s.op else args[-1]) | 1
            thread.set(s.dest, operation.apply(*args))

    def run_load(self, s: p.Load, active: list[_Thread]) -> None:
        for thread in active:
            words = {"input": self.program.data, "table": self.program.table}.get(s.memory, tuple(thread.scratch))
            count = len(s.dests)
            first = thread.values[s.at] % (len(words) // count) * count
            loaded = words[first : first + count]
            for dest, word in zip(s.dests, loaded):
                thread.set(dest, word)

    def run_store(self, s: p.StoreStatement, active: list[_Thread]) -> None:
        for thread in active:
            thread.scratch[thread.values[s.at] % p.SCRATCH] = thread.values[s.value]

    def run_reduce(self, s: p.ReduceStatement, active: list[_Thread]) -> None:
        row, apply = self.totals[s.op], REDUCTIONS[s.op][1]
        for thread in active:
            slot = thread.values[s.at] % p.SLOTS
            row[slot] = apply(row[slot], thread.values[s.value])

    def run_call(self, s: p.CallStatement, active: list[_Thread]) -> None:
        callees = []
        for thread in active:
            callee = _Thread(thread.cta, thread.number)
            a, b = thread.values[s.a], thread.values[s.b]
            _start(callee, [(b * i + a) & _MASK for i in range(p.POOL["b32"])])
            callees.append(callee)
        self.run(self.program.functions[s.function], callees)
        for thread, callee in zip(active, callees):
            thread.set(s.dest, callee.values[p.ThreadVariable("b32", 0)])

    def run_exchange(self, s: p.Exchange, active: list[_Thread]) -> None:
        offers = [thread.values[s.value] for thread in active]
        for thread in active:
            thread.set(s.dest, offers[thread.values[s.at] % len(offers)])

    def run_fold(self, s: p.Fold, active: list[_Thread]) -> None:
        found, apply = REDUCTIONS[s.op]
        for thread in active:
            found = apply(found, thread.values[s.value])
        for thread in active:
            thread.set(s.dest, found)

    def run_shuffle(self, s: p.Shuffle, active: list[_Thread]) -> None:
        given = [thread.values[s.value] for thread in active]
        for i, thread in enumerate(active):
            warp, lane = i // 32 * 32, i % 32
            source = {"up": lane - s.lane, "down": lane + s.lane, "bfly": lane ^ s.lane, "idx": s.lane}[s.mode]
            thread.set(s.dest, given[warp + (source if 0 <= source < 32 else lane)])

    def run_ballot(self, s: p.Ballot, active: list[_Thread]) -> None:
        votes = [thread.values[s.pred] for thread in active]
        for i, thread in enumerate(active):
            warp = i // 32 * 32
            thread.set(s.dest, sum(vote << lane for lane, vote in enumerate(votes[warp : warp + 32])))

    def run_if(self, s: p.If, active: list[_Thread]) -> None:
        taken = [thread for thread in active if bool(thread.values[s.cond]) != s.negated]
        others = [thread for thread in active if bool(thread.values[s.cond]) == s.negated]
        self.run(s.then, taken)
        self.run(s.otherwise, others)

    def run_uniformif(self, s: p.UniformIf, active: list[_Thread]) -> None:
        self.run(s.then if active[0].cta >> s.bit & 1 else s.otherwise, active)

    def run_loop(self, s: p.LoopStatement, active: list[_Thread]) -> None:
        trips = s.trips
        left = {thread: trips if isinstance(trips, int) else thread.values[trips] & 3 for thread in active}
        while running := [thread for thread in active if left[thread]]:
            for thread in running:
                left[thread] -= 1
            self.run(s.body, running)
            for thread in running:
                if s.until is not None and thread.values[s.until]:
                    left[thread] = 0

    def run_switch(self, s: p.Switch, active: list[_Thread]) -> None:
        chosen = {thread: thread.values[s.selector] & 3 for thread in active}
        for number, arm in enumerate(s.arms):
            self.run(arm, [thread for thread in active if chosen[thread] == number])


def _start(thread: _Thread, words: list[int]) -> None:
    """The variables' first values, as `program.py` computes them from the words."""
    for number, word in enumerate(words):
        thread.set(p.ThreadVariable("b32", number), word)
    for number in range(p.POOL["pred"]):
        thread.set(p.ThreadVariable("pred", number), int(words[number] < words[number + 1]))
    for number in range(p.POOL["b16"]):
        thread.set(p.ThreadVariable("b16", number), words[number])
    for number in range(p.POOL["b64"]):
        thread.set(p.ThreadVariable("b64", number), words[number] * 0x10001 ^ number)
    for number in range(p.POOL["f32"]):
        thread.set(p.ThreadVariable("f32", number), words[number])
    for number in range(p.POOL["f64"]):
        thread.set(
            p.ThreadVariable("f64", number),
            OPERATIONS["cvt.f64.f32"].apply(thread.values[p.ThreadVariable("f32", number)]),
        )
