"""Random control flow against a Python interpreter: order of blocks, liveness, folded branches, uniform values, guards.

A program is a list of blocks of a few instructions, each ended by a random branch: forward, backward, guarded, indexed, into the
middle of loops. A fuel register makes every program end. Each thread starts from its own number.
"""

from __future__ import annotations

import random

import pytest

from ptxgen.cpu import LaunchOptions
from tests.ptxgen.cpu.machine import run

REGISTERS, BLOCKS, FUEL, THREADS = 6, 9, 40, 64
MASK = 0xFFFFFFFF

OPERATIONS = {
    "add.u32": lambda a, b: a + b,
    "sub.u32": lambda a, b: a - b,
    "mul.lo.u32": lambda a, b: a * b,
    "xor.b32": lambda a, b: a ^ b,
    "and.b32": lambda a, b: a & b,
    "min.u32": min,
    "max.s32": lambda a, b: max(a, b, key=lambda v: v - (v >> 31 << 32)),
    "shr.u32": lambda a, b: a >> min(b, 32),
}
COMPARISONS = {"lt.u32": lambda a, b: a < b, "eq.u32": lambda a, b: a == b, "ge.u32": lambda a, b: a >= b}


class Program:
    """Blocks as lists of (kind, ...) tuples; `text` is their PTX, `interpret` what they do."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.blocks = [self._block(rng) for _ in range(BLOCKS)]

    def _operand(self, rng: random.Random) -> int | str:
        """A register, the thread's number, the same constant for all, or a small number."""
        return rng.choice([f"%r{rng.randrange(1, REGISTERS)}", "%t", "%c", rng.randrange(64), rng.randrange(4)])

    def _block(self, rng: random.Random) -> tuple[list[tuple], tuple]:
        steps: list[tuple] = []
        for _ in range(rng.randrange(5)):
            guard = rng.choice([None, None, ("%p1", False), ("%p2", True)])
            if rng.random() < 0.3:
                steps.append(
                    (
                        guard,
                        "setp",
                        rng.choice(list(COMPARISONS)),
                        f"%p{rng.randrange(1, 4)}",
                        self._operand(rng),
                        self._operand(rng),
                    )
                )
            else:
                steps.append(
                    (
                        guard,
                        "op",
                        rng.choice(list(OPERATIONS)),
                        f"%r{rng.randrange(1, REGISTERS)}",
                        self._operand(rng),
                        self._operand(rng),
                    )
                )
        kind = rng.choice(["fall", "jump", "branch", "branch", "branch", "index", "exit"])
        targets = [rng.randrange(BLOCKS) for _ in range(3)]
        return steps, (kind, targets, rng.choice(["%p1", "%p2", "%p3"]), rng.random() < 0.5)

    def text(self) -> str:
        lines = [f"mov.u32 %c, %ntid.x; xor.b32 %c, %c, 21; mov.u32 %fuel, {FUEL};"]
        lines += [f"mad.lo.u32 %r{i}, %t, {2 * i + 1}, {i};" for i in range(1, REGISTERS)]
        lines += [f"setp.gt.u32 %p{i}, %t, {9 * i};" for i in range(1, 4)]
        for number, (steps, (kind, targets, predicate, negated)) in enumerate(self.blocks):
            lines.append(f"B{number}: sub.u32 %fuel, %fuel, 1; setp.eq.u32 %p4, %fuel, 0; @%p4 bra END;")
            for guard, what, name, target, a, b in steps:
                prefix = "" if guard is None else f"@{'!' if guard[1] else ''}{guard[0]} "
                lines.append(f"{prefix}{'setp.' if what == 'setp' else ''}{name} {target}, {a}, {b};")
            if kind == "jump":
                lines.append(f"bra B{targets[0]};")
            elif kind == "branch":
                lines.append(f"@{'!' if negated else ''}{predicate} bra B{targets[0]};")
            elif kind == "index":
                lines.append(f"T{number}: .branchtargets B{targets[0]}, B{targets[1]}, B{targets[2]}, B{targets[0]};")
                lines.append(f"and.b32 %r9, %r1, 3; brx.idx %r9, T{number};")
            elif kind == "exit":
                lines.append(f"@{predicate} bra END;")
        lines.append("END: mad.lo.u32 %r0, %w, 20, 0; cvt.u64.u32 %d1, %r0; add.u64 %d1, %out, %d1;")
        lines += [f"st.global.u32 [%d1+{4 * (i - 1)}], %r{i};" for i in range(1, REGISTERS)]
        return ".reg .u32 %c, %fuel;\n" + "\n".join(lines)

    def interpret(self, t: int) -> list[int]:
        registers = {f"%r{i}": (t * (2 * i + 1) + i) & MASK for i in range(1, REGISTERS)}
        predicates = {f"%p{i}": t > 9 * i for i in range(1, 4)}
        constants = {"%t": t, "%c": THREADS ^ 21}

        def value(operand: int | str) -> int:
            return operand if isinstance(operand, int) else registers.get(operand, constants.get(operand, 0))

        fuel, block = FUEL, 0
        while block < BLOCKS:
            fuel -= 1
            if fuel == 0:
                break
            steps, (kind, targets, predicate, negated) = self.blocks[block]
            for guard, what, name, target, a, b in steps:
                if guard is not None and predicates[guard[0]] == guard[1]:
                    continue
                if what == "setp":
                    predicates[target] = COMPARISONS[name](value(a), value(b))
                else:
                    registers[target] = OPERATIONS[name](value(a), value(b)) & MASK
            block += 1
            if kind == "jump" or (kind == "branch" and predicates[predicate] != negated):
                block = targets[0]
            elif kind == "index":
                block = [*targets, targets[0]][registers["%r1"] & 3]
            elif kind == "exit" and predicates[predicate]:
                break
        return [registers[f"%r{i}"] for i in range(1, REGISTERS)]


@pytest.mark.parametrize("seed", range(60))
def test_random_control_flow(seed):
    program = Program(seed)
    expected = [v for t in range(THREADS) for v in program.interpret(t)]
    options = LaunchOptions(tier="fast" if seed % 6 == 0 else "base", budget=(1, 3, 16)[seed % 3])
    found = run(program.text(), words=5 * THREADS, block=(THREADS, 1, 1), options=options).u32
    assert found == expected
