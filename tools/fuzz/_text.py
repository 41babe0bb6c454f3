"""PTX to fuzz with: small modules of the table's own examples under random control flow, examples of the codes, and mutations."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ptxgen.codes.lookup import all_codes
from ptxgen.isa.examples import covering_names, declarations, examples
from ptxgen.isa.forms import forms_of, opcodes, resolve

if TYPE_CHECKING:
    from random import Random

__all__ = ["body", "compiled", "kernel", "module", "mutated", "seed_text"]

REGISTERS = (
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n"
    "mov.b32 %r1, 1; mov.b32 %r2, 2; mov.b64 %rd1, 0; mov.f32 %f1, 0f00000000; setp.eq.u32 %p1, %r1, 1;\n"
)
TARGETS = (
    "9.0\n.target sm_90a",
    "9.0\n.target sm_100a",
    "8.0\n.target sm_80",
    "7.0\n.target sm_70",
    "9.4\n.target sm_120a",
)
_TOKEN = re.compile(r'[A-Za-z_%$.][\w$.]*|\d[\w.]*|\s+|"[^"\n]*"|.', re.DOTALL)
_NUMBERS = (
    "0", "1", "-1", "2", "31", "32", "64", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "0x7FFFFFFFFFFFFFFF", "0b101",
    "0777", "08",
    "0f00000000", "0f7FC00000", "0d7FF8000000000001", "1e400", "1.5", "0x", "1U", "99999999999999999999999999",
)  # fmt: skip
_WORDS = (
    *"{ } ( ) [ ] < > ; , : = + - * / % ! | @ @! ~ & ^ ? \" // /* */ # \\ \0 \xa0 é $ _ . ..".split(" "),
    *".reg .b8 .b16 .b32 .b64 .b128 .u8 .u32 .s64 .f16 .f16x2 .bf16 .f32 .f64 .pred .param .shared .global .local".split(),
    *".const .entry .func .visible .extern .weak .common .align .ptr .version .target .address_size .loc .file .pragma".split(),
    *".section .maxntid .reqntid .minnctapersm .maxnreg .branchtargets .calltargets .callprototype .alias .noreturn".split(),
    *".v2 .v4 .v8 .sync .aligned .volatile .relaxed .acquire .cluster .cta .gpu .sys .x .y .z .w WARP_SZ texref".split(),
    *"%tid.x %ntid.y %laneid %clock64 %envreg3 %dynamic_smem_size %p0 %r999999 %rd1 %f2 DONE k q bra ret call mov.u32".split(),
    *".shared::cluster .param::func .L::evict_first .level::prefetch .tex .surfref .unified .managed .explicitcluster".split(),
)  # fmt: skip


@cache
def code_examples() -> tuple[str, ...]:
    """The examples of the diagnostic codes, as whole modules."""
    found = []
    for row in all_codes().values():
        if row.module:
            found.append(row.module)
        elif row.ptx:
            version, target = row.header.split()
            found.append(
                f".version {version}\n.target {target}\n.address_size 64\n{row.before}\n"
                f".visible .entry k(.param .b64 q)\n{row.head}\n{{\n{REGISTERS}\n{row.ptx}\nret;\n}}\n"
            )
    return tuple(found)


@cache
def _lines(opcode: str) -> tuple[str, ...]:
    """Example instructions of an opcode, as the table has them."""
    found: list[str] = []
    for form in forms_of(opcode):
        for name in covering_names(form)[:40]:
            resolved = next((one for one in resolve(name) if one.form is form), None)
            found += examples(name, resolved) if resolved else ()
    return tuple(found)


@cache
def _opcodes() -> tuple[str, ...]:
    return tuple(opcodes())


def body(rng: Random, count: int, forward: bool = False) -> list[str]:
    """Instructions of the table's examples, under guards, labels and branches; all `forward`, or any way."""
    lines = []
    for _ in range(count):
        guard = rng.choice(("", "", "", "@%p1 ", "@!%p2 "))
        lines.append(guard + rng.choice(_lines(rng.choice(_opcodes())) or ("ret;",)))
    for label in range(rng.randrange(3)):
        to = rng.randrange(len(lines) + 1)
        lines.insert(to, f"L{label}:")
        at = rng.randrange(to + 1) if forward else rng.randrange(len(lines) + 1)
        lines.insert(at, f"{rng.choice(('@%p1 ', '@!%p1 ', '@%p2 ', ''))}bra{rng.choice(('', '.uni'))} L{label};")
    return lines


def kernel(rng: Random, lines: list[str], start: str = "") -> str:
    """A module of one kernel `k` with these lines; the registers of the table's examples are declared."""
    place = rng.choice(TARGETS)
    major, minor = place[:3].split(".")
    text = "\n".join(lines)
    before = ".func callee { ret; }\n" if "callee" in text else ""
    targets = "TARGETS: .branchtargets DONE;\n" if "TARGETS" in text else ""
    return (
        f".version {place}\n.address_size 64\n{before}.visible .entry k(.param .b64 q)\n{{\n"
        f"{declarations((int(major), int(minor)))}\n{targets}{start}{text}\nDONE:\nret;\n}}\n"
    )


def module(rng: Random) -> str:
    """A small module, right in most places."""
    return kernel(rng, body(rng, rng.randrange(1, 7)))


def seed_text(rng: Random) -> str:
    """A module of the table's examples, or the example of a code."""
    return module(rng) if rng.random() < 0.4 else rng.choice(code_examples())


_COMPILED = (
    r"""
\tadd.s32 \t%r{a}, %r{b}, {n};
\t@%p{a} bra \t$L__BB0_{b};
\n$L__BB0_{a}:
\tld.global.v2.f32 \t{{%f{a}, %f{b}}}, [%rd{a}+{n}];
\tst.shared.u32 \t[%r{a}+-4], %r{b};
\tsetp.ne.s32 \t%p{a}|%p{b}, %r{a}, 0, !%p{b};
\t.loc\t1 {n} 3
\t.loc\t1 {n} 9, function_name $L__info_string0, inlined_at 1 38 5
\t// begin inline asm
\tmov.f32 %f{a}, 0f3F800000; // one
\tmov.u32 \t%r{a}, %tid.x;
\t{{ // callseq {n}, 0\n\t.reg .b32 %r<3>;\n\tmov.b32 %r1, 0x1F;
\t}} // callseq {n}
{{\n.reg .pred p;\nWAIT:\n@!p bra WAIT;\n}}
\tbar.sync \t0;
\tcall.uni (%r{a}),\n\tf,\n\t(%r{b}\n\t);
\tret;
\t.pragma "nounroll";
T{a}: .branchtargets $L__BB0_{a}, $L__BB0_{b};
T{a}:\n .branchtargets $L__BB0_{b};
\tmov.u32 %r{a},%r{b};
\t.reg .f32 %r{a};
\tmov.u32 \t%r{a}, buffer[{n}];
}}\n.func f{n}(.reg .b32 a)\n{{\n\t.reg .b64 %rd<9>;
""".replace(r"\t", "\t")
    .strip("\n")
    .split("\n")
)
"""Lines as compilers write them; `\\n` inside one stands for a line's end."""


def compiled(rng: Random) -> str:
    """A module that looks as compilers write them."""
    lines = [
        rng.choice(_COMPILED).format(a=rng.randrange(9), b=rng.randrange(9), n=rng.randrange(99)) for _ in range(40)
    ]
    declared = "\n".join(
        f"\t.reg .{type} \t%{prefix}<{rng.randrange(4, 12)}>;"
        for prefix, type in (("p", "pred"), ("r", "b32"), ("rd", "b64"), ("f", "f32"))
    )
    text = "\n".join(lines).replace(r"\n", "\n")
    return (
        f".version 8.0\n.target sm_90a\n.address_size 64\n\n.shared .align 4 .b32 buffer[64];\n"
        f".visible .entry k(\n\t.param .u64 q\n)\n{{\n{declared}\n\n{text}\n\tret;\n\n}}\n"
    )


def mutated(rng: Random, text: str, count: int) -> str:
    """The text after so many random changes of tokens, lines and characters."""
    tokens = _TOKEN.findall(text)
    for _ in range(count):
        if not tokens:
            break
        _CHANGES[rng.randrange(len(_CHANGES))](rng, tokens)
    return "".join(tokens)


def _delete(rng: Random, tokens: list[str]) -> None:
    at = rng.randrange(len(tokens))
    del tokens[at : at + rng.choice((1, 1, 1, 2, 5))]


def _double(rng: Random, tokens: list[str]) -> None:
    at = rng.randrange(len(tokens))
    tokens[at:at] = tokens[at : at + rng.choice((1, 2, 3, 8))] * rng.choice((1, 1, 1, 2, 40))


def _swap(rng: Random, tokens: list[str]) -> None:
    a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]


def _copy(rng: Random, tokens: list[str]) -> None:
    tokens[rng.randrange(len(tokens))] = rng.choice(tokens)


def _word(rng: Random, tokens: list[str]) -> None:
    tokens[rng.randrange(len(tokens))] = rng.choice(_WORDS)


def _insert(rng: Random, tokens: list[str]) -> None:
    tokens.insert(rng.randrange(len(tokens) + 1), rng.choice(_WORDS))


def _number(rng: Random, tokens: list[str]) -> None:
    places = [at for at, token in enumerate(tokens) if token[0].isdigit()]
    if places:
        tokens[rng.choice(places)] = rng.choice(_NUMBERS)


def _modifier(rng: Random, tokens: list[str]) -> None:
    """One part of a dotted name goes, or comes from another one."""
    places = [at for at, token in enumerate(tokens) if "." in token[1:]]
    if places:
        at = rng.choice(places)
        parts = tokens[at].split(".")
        other = tokens[rng.choice(places)].split(".")
        where = rng.randrange(len(parts))
        parts[where : where + rng.randrange(2)] = rng.choice(([], [rng.choice(other)]))
        tokens[at] = ".".join(parts)


def _line(rng: Random, tokens: list[str]) -> None:
    """An example of another opcode, or a line of a code's example."""
    ends = [at for at, token in enumerate(tokens) if token in (";", "{", "}")] or [0]
    other = rng.choice(_lines(rng.choice(_opcodes())) or ("ret;",))
    if rng.random() < 0.3:
        other = rng.choice(rng.choice(code_examples()).splitlines())
    tokens.insert(rng.choice(ends) + 1, f"\n{other}\n")


def _character(rng: Random, tokens: list[str]) -> None:
    at = rng.randrange(len(tokens))
    token = tokens[at]
    where = rng.randrange(len(token) + 1)
    new = chr(rng.choice((rng.randrange(128), rng.randrange(0x300))))
    tokens[at] = token[:where] + new + token[where + rng.randrange(2) :]


def _cut(rng: Random, tokens: list[str]) -> None:
    if rng.random() < 0.2:
        del tokens[rng.randrange(len(tokens)) :]


_CHANGES = (
    _delete, _delete, _double, _swap, _copy, _copy, _word, _word, _insert, _number, _number, _modifier, _modifier, _line,
    _character, _cut,
)  # fmt: skip
