"""Programs of accesses to one array, made at random: who touches what is counted here, thread by thread, and compared.

What the verifier says must be so, whatever the guards, the loops and the places; and it must find most of what there is.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from ptxgen.text import parse
from ptxgen.verifier import verify

THREADS = 128
ACCESSES = {
    "store": "st.shared.u32 [{}], %r50;",
    "zero": "st.shared.u32 [{}], 0;",
    "load": "ld.shared.u32 %r9, [{}];",
    "count": "red.shared.add.u32 [{}], 1;",
}
GUARDS = (None, None, None, ("lt", 32), ("ge", 64), ("eq", 0), ("lt", 64))


class Part(NamedTuple):
    """Text, the kind of access, and the (thread, word) that it touches."""

    text: str
    kind: str
    touched: list[tuple[int, int]]


def runs(guard: tuple[str, int] | None, thread: int) -> bool:
    if guard is None:
        return True
    relation, bound = guard
    return {"lt": thread < bound, "ge": thread >= bound, "eq": thread == bound}[relation]


def part(choose: random.Random, label: int) -> Part:
    """One access at `factor * tid + first`, or a loop over such places, perhaps for some threads alone."""
    kind, guard = choose.choice(list(ACCESSES)), choose.choice(GUARDS)
    factor, first = choose.choice([(1, 0), (1, 1), (1, 64), (2, 0), (0, 0), (0, 32), (-1, 127), (-1, 255)])
    loop, step, end = (
        choose.choice(["", "top", "bottom"]),
        choose.choice([1, 64, 128, 256]),
        choose.choice([100, 256, 512]),
    )
    shift = choose.choice([0, 0, 0, 1, 128])
    text = f"mul.lo.s32 %r20, %r1, {factor}; add.s32 %r20, %r20, {first};\n"
    if guard is not None:
        text += f"setp.{guard[0]}.s32 %p5, %r1, {guard[1]};\n@!%p5 bra X{label};\n"
    body = f"shl.b32 %r22, %r20, 2; add.u32 %r21, %r3, %r22; {ACCESSES[kind].format(f'%r21+{4 * shift}')}\n"
    onward = f"add.s32 %r20, %r20, {step};\n"
    if loop == "top":
        text += f"L{label}: setp.ge.s32 %p6, %r20, {end};\n@%p6 bra X{label};\n{body}{onward}bra L{label};\n"
    elif loop == "bottom":
        text += f"L{label}: {body}{onward}setp.lt.s32 %p6, %r20, {end};\n@%p6 bra L{label};\n"
    else:
        text += body
    touched = []
    for thread in range(THREADS):
        if runs(guard, thread):
            place = factor * thread + first
            places = range(place, end, step) if loop else [place]
            touched += [(thread, each + shift) for each in places or ([place] if loop == "bottom" else [])]
    return Part(f"{text}X{label}:\n", kind, touched)


def meet(one: Part, other: Part) -> bool:
    """Do two threads touch one word, and do not both only read, or both only count?"""
    if one.kind == other.kind and one.kind in ("load", "count"):
        return False
    owners: dict[int, set[int]] = {}
    for thread, word in one.touched:
        owners.setdefault(word, set()).add(thread)
    return any(owners.get(word, {thread}) != {thread} for thread, word in other.touched)


def test_what_is_said_is_so() -> None:
    choose = random.Random(1)
    racy = found = 0
    for _ in range(100):
        parts = [part(choose, label) for label in range(choose.choice([2, 2, 3]))]
        synced = [choose.random() < 0.4 for _ in parts]
        text = (
            ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n.reqntid 128\n{\n"
            ".reg .pred %p<9>; .reg .b32 %r<60>; .reg .b64 %rd<4>; .shared .align 16 .b8 s[8192];\n"
            "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r3, s; mov.u32 %r9, 0; ld.global.u32 %r50, [%rd1];\n"
        )
        text += "".join(each.text + "bar.sync 0;\n" * sync for each, sync in zip(parts, synced))
        said = [f.message for f in verify(parse(text + "st.global.u32 [%rd1], %r9;\nret;\n}\n")) if f.code == "PTX507"]
        races = any(
            meet(parts[one], parts[other])
            for one in range(len(parts))
            for other in range(one + 1, len(parts))
            if not any(synced[one:other])
        )
        assert races or not said, (said, text)
        racy, found = racy + races, found + bool(said)
    assert racy > 20
    assert found > racy * 0.6
