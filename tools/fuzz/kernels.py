"""Kernels of any instructions that the verifier takes: each runs, is refused by name, or ends with a fault that says why."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ptxgen.cpu import Arena, KernelFault, LaunchOptions, compile_module
from ptxgen.errors import PtxError, PtxSyntaxError
from ptxgen.isa.examples import PREFIXES
from ptxgen.text import parse
from ptxgen.verifier import verify
from tools.fuzz._target import Target
from tools.fuzz._text import body, kernel, mutated

if TYPE_CHECKING:
    from random import Random

OPTIONS = LaunchOptions(tier="base", time_limit=1.0)
MEMORY = 4096
BLOCKS = ((1, 1, 1), (32, 1, 1), (40, 1, 1), (8, 4, 2))
_START = (
    ".shared .align 128 .b8 s[1024];\n"
    "ld.param.b64 %rd1, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; setp.lt.u32 %p1, %r1, 16; setp.eq.u32 %p2, %r1, 3;\n"
)


def _values(prefix: str, kind: str, rng: Random) -> str:
    """Instructions that give the first registers of a type a value: an address, or a number that tells."""
    if kind in ("pred", "b8", "b128"):
        return ""
    bits = int(kind[1:])
    if bits == 64 and kind[0] != "f":
        return (
            f"mov.b64 {prefix}1, %rd1; mov.b64 {prefix}2, %rd1; mov.b64 {prefix}3, {rng.choice((0, 1, 8, 1 << 40))};\n"
        )
    if bits == 32 and kind[0] != "f":
        numbers = (0, 1, 4, 16, 31, 32, 0x80000000, 0xFFFFFFFF)
        return "".join(f"mov.b32 {prefix}{i}, {rng.choice(('%r1', '%r2', *numbers))};" for i in range(3, 7)) + "\n"
    if bits == 16:
        return f"mov.b16 {prefix}1, {rng.choice((0, 1, 0x3C00, 0x7FFF))}; mov.b16 {prefix}2, 2;\n"
    one = "0f3F800000" if bits == 32 else "0d3FF0000000000000"
    return f"mov.f{bits} {prefix}1, {one}; mov.f{bits} {prefix}2, {one};\n"


class Kernels(Target):
    seconds = 20.0

    def __init__(self) -> None:
        self.arena = Arena()
        self.memory = self.arena.allocate(MEMORY)

    def draw(self, rng: Random) -> str:
        start = _START + "".join(_values(prefix, kind, rng) for kind, prefix in PREFIXES.items())
        text = kernel(rng, body(rng, rng.randrange(1, 6), forward=rng.random() < 0.9), start)
        return f"// {rng.randrange(len(BLOCKS))}\n" + mutated(rng, text, rng.choice((0, 0, 0, 1)))

    def judge(self, case: str) -> None:
        try:
            module = parse(case)
        except PtxSyntaxError:
            return
        if any(finding.is_error for finding in verify(module)):
            return
        try:
            program = compile_module(module, self.arena)
        except PtxError:
            return
        try:
            found = program.kernels.get("k")
            if found is None or found.parameter_bytes != 8:
                return
            block = BLOCKS[int(case[3:4])] if case[3:4].isdigit() else BLOCKS[0]
            try:
                found.launch((1, 1, 1), block, struct.pack("<Q", self.memory), options=OPTIONS)
            except (KernelFault, PtxError) as error:
                str(error)
        finally:
            program.close()


def target() -> Kernels:
    return Kernels()
