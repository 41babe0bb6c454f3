"""The executor against an oracle: drawn programs compute, bit for bit, what an interpreter in Python says.

A case is the bytes, as hexadecimal text, that hypothesis draws a program from (`ptxgen.strategies.programs`).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings

from ptxgen.cpu import Arena, LaunchOptions, compile_module
from ptxgen.strategies import DrawnProgram, programs
from tools.fuzz._target import Target, Wrong

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

BYTES = 3000
"""What a program is drawn from: more is left unused."""
OPTIONS = {tier: LaunchOptions(tier=tier) for tier in ("base", "fast")}


class Executor(Target):
    seconds = 60.0

    def __init__(self) -> None:
        self.arena = Arena()
        self.options = OPTIONS["base"]
        strategy = programs(depth=2, statements=6, max_block=64, max_grid=2)
        check = settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))(
            given(program=strategy)(self.compare)
        )
        self.one: Callable[[bytes], bytes | None] = check.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def draw(self, rng: Random) -> str:
        return f"{rng.choice(('base', 'base', 'base', 'fast'))}\n{rng.randbytes(BYTES).hex()}\n"

    def judge(self, case: str) -> None:
        tier, _, drawn = case.strip().partition("\n")
        if tier in OPTIONS:
            self.options = OPTIONS[tier]
            self.one(bytes.fromhex(drawn))

    def compare(self, program: DrawnProgram) -> None:
        module = program.module()
        loaded = compile_module(module, self.arena)
        starts = (program.inputs, b"\xa5" * program.output_bytes, program.totals)
        places = [self.arena.allocate(len(data)) for data in starts]
        try:
            for place, data in zip(places, starts):
                self.arena.view(place, len(data))[:] = data
            loaded.kernels["program"].launch(
                (program.grid, 1, 1), (program.block, 1, 1), struct.pack("<3Q", *places), options=self.options
            )
            found = tuple(bytes(self.arena.view(p, len(d))) for p, d in zip(places[1:], starts[1:]))
        finally:
            for place in places:
                self.arena.free(place)
            loaded.close()
        if found != program.expected():
            raise Wrong(f"another result than the interpreter's\n{module}")


def target() -> Executor:
    return Executor()
