"""Proofs of equality: what is proved to be equal, no input tells apart.

A case is two programs over integers, an instruction a line, with `----` between them: the second is the first with an instruction
or three written otherwise, by a rule that holds always, or by one that holds only now and then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.compare.equivalence import by_running, not_proved
from ptxgen.text import parse
from tools.fuzz._target import Target, Wrong

if TYPE_CHECKING:
    from random import Random

    from ptxgen.ir import Module

_BEFORE = """.version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u32 n, .param .u32 m, .param .u64 y)
{
.reg .pred %p<60>; .reg .b32 %r<60>; .reg .b64 %d<60>;
ld.param.u32 %r0, [n]; ld.param.u32 %r1, [m]; ld.param.u64 %d0, [y]; mov.u32 %r2, %tid.x;
mul.wide.u32 %d1, %r2, 8; add.u64 %d0, %d0, %d1; mad.lo.u32 %r1, %r1, %r2, %r0; cvt.u64.u32 %d1, %r1;
mul.lo.u64 %d1, %d1, 0x9E3779B97F4A7C15; mov.b32 %r3, 0; mov.b64 %d3, 0; setp.lt.u32 %p0, %r1, 77;
"""
_AFTER = "cvt.u64.u32 %d2, %r3; xor.b64 %d3, %d3, %d2;\nst.global.u64 [%d0], %d3;\nret;\n}\n"
_SUMS = {"r": "mad.lo.u32 %r3, %r3, 31, {};", "d": "mad.lo.u64 %d3, %d3, 31, {};", "p": "@{} add.u32 %r3, %r3, 7;"}
"""What all that is written comes to."""
_CONSTANTS = (0, 1, 2, 3, 4, 5, 8, 15, 16, 31, 32, 63, 255, -1, -2, -8, 2147483647, -2147483648)
_SHIFTS = (0, 1, 3, 5, 31, 32, 40)

_TEMPLATES = (
    "{add}.{t}32 {R}, {r}, {rc};", "{add}.{t}32 {R}, {r}, {r};", "mad.lo.{t}32 {R}, {r}, {rc}, {r};",
    "{and}.b32 {R}, {r}, {rc};", "shl.b32 {R}, {r}, {by};", "shr.{t}32 {R}, {r}, {by};", "{div}.{t}32 {R}, {r}, {c};",
    "not.b32 {R}, {r};", "neg.s32 {R}, {r};", "selp.b32 {R}, {r}, {rc}, {p};", "setp.{lt}.{t}32 {P}, {r}, {rc};",
    "mov.b32 {R}, {r}; @{not}{p} {add}.{t}32 {R}, {r}, {rc};", "cvt.{t}64.{s}32 {D}, {r};", "cvt.{t}32.{s}64 {R}, {d};",
    "mul.wide.{t}32 {D}, {r}, {rc};", "{add}.{t}64 {D}, {d}, {d};", "and.pred {P}, {p}, {p};", "not.pred {P}, {p};",
)  # fmt: skip
"""R, P, D: a register that is written; r, p, d: one that is read; c: a constant."""

_WORDS = {
    "add": ("add", "sub", "mul.lo", "min", "max"), "and": ("and", "or", "xor"), "div": ("div", "rem"), "t": "us", "s": "us",
    "lt": ("lt", "le", "gt", "ge", "eq", "ne"), "not": ("", "!"),
}  # fmt: skip

_REWRITES: tuple[tuple[str, str], ...] = (
    (r"((?:add|mul\.lo|min|max|and|or|xor)\.\w+ %\w+), (%\w+), (%\w+);", r"\1, \3, \2;"),
    (r"(sub\.\w+ %\w+), (%\w+), (%\w+);", r"\1, \3, \2;"),
    (r"shl\.b32 (%\w+), (%\w+), 3;", r"mul.lo.u32 \1, \2, 8;"),
    (r"not\.b32 (%\w+), (%\w+);", r"sub.u32 \1, -1, \2;"),
    (r"neg\.s32 (%\w+), (%\w+);", r"mul.lo.u32 \1, \2, -1;"),
    (r"div\.u32 (%\w+), (%\w+), 16;", r"shr.u32 \1, \2, 4;"),
    (r"div\.s32 (%\w+), (%\w+), 16;", r"shr.s32 \1, \2, 4;"),
    (r"rem\.[us]32 (%\w+), (%\w+), 32;", r"and.b32 \1, \2, 31;"),
    (r"setp\.lt\.(\w+) (%\w+), (%\w+), (%\w+);", r"setp.gt.\1 \2, \4, \3;"),
    (r"setp\.lt\.(\w+) (%\w+), (%\w+), 5;", r"setp.le.\1 \2, \3, 4;"),
    (r"setp\.le\.(\w+) (%\w+), (%\w+), (\S+);", r"setp.lt.\1 \2, \3, \4;"),
    (r"\.u32", ".s32"), (r"\.s32", ".u32"), (r"\.u64", ".s64"), (r"\.s64", ".u64"), (r", 31;", ", 32;"), (r"@!", "@"),
)  # fmt: skip
"""Other ways to write an instruction; many of them mean something else."""


class Equality(Target):
    seconds = 60.0

    def draw(self, rng: Random) -> str:
        old = _program(rng)
        new = list(old)
        for _ in range(rng.choice((1, 1, 2, 3))):
            at = rng.randrange(len(new))
            for pattern, replacement in rng.sample(_REWRITES, len(_REWRITES)):
                if re.search(pattern, new[at]):
                    new[at] = re.sub(pattern, replacement, new[at], count=1)
                    break
        return "\n".join([*old, "----", *new, ""])

    def judge(self, case: str) -> None:
        modules = [_module(text.split("\n")) for text in case.split("----")]
        if len(modules) != 2 or not_proved(*modules):
            return
        old, new = modules
        found = by_running(old, new, old.entries[0], new.entries[0], 2, 0, 5.0)
        if found.verdict == "different":
            raise Wrong(f"proved to be equal: {found}")


def _program(rng: Random) -> list[str]:
    known = {"r": ["%r0", "%r1", "%r2"], "d": ["%d1"], "p": ["%p0"]}
    lines = []
    for number in range(10, 10 + rng.randrange(3, 12)):
        values: dict[str, object] = {name: rng.choice(words) for name, words in _WORDS.items()}
        values |= {"c": rng.choice(_CONSTANTS[1:]), "by": rng.choice(_SHIFTS)}
        template = rng.choice(_TEMPLATES)
        drawn = re.sub(r"\{([rdp])\}", lambda match: rng.choice(known[match[1]]), template)
        drawn = drawn.replace("{rc}", rng.choice([rng.choice(known["r"]), str(rng.choice(_CONSTANTS))]))
        lines.append(drawn.format(**values, R=f"%r{number}", D=f"%d{number}", P=f"%p{number}"))
        for kind in "rdp":
            if f"{{{kind.upper()}}}" in template:
                known[kind].append(f"%{kind}{number}")
    return lines


def _module(lines: list[str]) -> Module:
    """The program of these instructions, which gives a sum of all that they write."""
    body = "\n".join(lines)
    written = dict.fromkeys(re.findall(r"(?:^|(?<=\n))[a-z][\w.]* (%[rdp]\d\d)(?=,)", body))
    sums = "\n".join(_SUMS[name[1]].format(name) for name in written)
    return parse(f"{_BEFORE}{body}\n{sums}\n{_AFTER}")


def target() -> Equality:
    return Equality()
