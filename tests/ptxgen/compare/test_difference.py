"""What is a difference in meaning, and what is none: one line a case."""

from __future__ import annotations

import json

import pytest

import ptxgen as px
from ptxgen import u32
from ptxgen.compare import Difference, difference
from ptxgen.text import parse
from tests.ptx import kernel

pytestmark = pytest.mark.cpu_only

PARAMETERS = ".param .b64 x, .param .b64 y, .param .b32 n"
REGISTERS = (
    ".reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .f32 %f<8>; "
    ".shared .align 4 .b8 one[64]; .shared .align 4 .b8 two[64];"
)
HEAD = """
ld.param.b64 %rd1, [x]; ld.param.b64 %rd2, [y]; ld.param.b32 %r1, [n];
mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1;
"""


def compared(old: str, new: str, registers: str = REGISTERS, new_registers: str | None = None) -> Difference:
    """The difference between two bodies behind HEAD."""
    modules = [
        parse(kernel(HEAD + body, PARAMETERS, registers=named), name=name)
        for name, body, named in (("old.ptx", old, registers), ("new.ptx", new, new_registers or registers))
    ]
    return difference(*modules)


SAME = {
    "registers renumbered": (
        "add.u32 %r3, %r1, %r2; st.shared.u32 [one], %r3;",
        "add.u32 %r9, %r1, %r2; st.shared.u32 [one], %r9;",
    ),
    "a register used again": (
        "add.u32 %r3, %r1, %r2; st.shared.u32 [one], %r3; sub.u32 %r3, %r1, %r2; st.shared.u32 [one+4], %r3;",
        "add.u32 %r3, %r1, %r2; st.shared.u32 [one], %r3; sub.u32 %r4, %r1, %r2; st.shared.u32 [one+4], %r4;",
    ),
    "labels renamed": ("@%p1 bra A; st.shared.u32 [one], 1; A:", "@%p1 bra B; st.shared.u32 [one], 1; B:"),
    "a label that nobody names": ("st.shared.u32 [one], 1;", "HERE: st.shared.u32 [one], 1;"),
    "a branch to the next line": ("st.shared.u32 [one], 1;", "bra NEXT; NEXT: st.shared.u32 [one], 1;"),
    "a detour": (
        "@%p1 bra A; st.shared.u32 [one], 1; A: st.shared.u32 [one], 2;",
        "@%p1 bra D; st.shared.u32 [one], 1; bra A; D: bra A; A: st.shared.u32 [one], 2;",
    ),
    "blocks in another order": (
        "@%p1 bra A; st.shared.u32 [one], 1; bra B; A: st.shared.u32 [one], 2; B:",
        "@!%p1 bra A; st.shared.u32 [one], 2; bra B; A: st.shared.u32 [one], 1; B:",
    ),
    "independent instructions": (
        "add.u32 %r3, %r1, 1; add.u32 %r4, %r2, 2; st.shared.u32 [one], %r3; st.shared.u32 [one+4], %r4;",
        "add.u32 %r4, %r2, 2; add.u32 %r3, %r1, 1; st.shared.u32 [one+4], %r4; st.shared.u32 [one], %r3;",
    ),
    "what only computes, past a barrier": (
        "add.u32 %r3, %r1, 1; bar.sync 0; st.shared.u32 [one], %r3;",
        "bar.sync 0; add.u32 %r3, %r1, 1; st.shared.u32 [one], %r3;",
    ),
    "a constant in a register": (
        "add.u32 %r3, %r1, 5; st.shared.u32 [one], %r3;",
        "mov.u32 %r7, 5; add.u32 %r3, %r1, %r7; st.shared.u32 [one], %r3;",
    ),
    "a copy": ("st.shared.u32 [one], %r1;", "mov.b32 %r7, %r1; st.shared.u32 [one], %r7;"),
    "an address in a register": ("st.shared.u32 [one+8], %r1;", "mov.u32 %r7, one; st.shared.u32 [%r7+8], %r1;"),
    "hexadecimal": ("st.shared.u32 [one], 16;", "st.shared.u32 [one], 0x10;"),
    "1.0": (
        "add.f32 %f1, %f2, 1.0; st.shared.f32 [one], %f1;",
        "add.f32 %f1, %f2, 0f3F800000; st.shared.f32 [one], %f1;",
    ),
    "-1": (
        "add.u32 %r3, %r1, -1; st.shared.u32 [one], %r3;",
        "add.u32 %r3, %r1, 4294967295; st.shared.u32 [one], %r3;",
    ),
    "sources of a sum": (
        "add.u32 %r3, %r1, %r2; st.shared.u32 [one], %r3;",
        "add.u32 %r3, %r2, %r1; st.shared.u32 [one], %r3;",
    ),
    "variables that look alike": (
        "st.shared.u32 [one], 0; st.shared.u32 [two], 0; add.u32 %r3, %r1, 1; st.shared.u32 [two+4], %r3;",
        "st.shared.u32 [two], 0; st.shared.u32 [one], 0; add.u32 %r3, %r1, 1; st.shared.u32 [two+4], %r3;",
    ),
    "a scope": ("st.shared.u32 [one], %r1;", "{ .reg .b32 %r5; mov.b32 %r5, %r1; { st.shared.u32 [one], %r5; } }"),
    "a loop's registers": (
        "mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra L; st.shared.u32 [one], %r3;",
        "mov.u32 %r8, 0; L: mov.u32 %r5, %r8; add.u32 %r8, %r5, 1; setp.lt.u32 %p3, %r8, %r1; @%p3 bra L; "
        "st.shared.u32 [one], %r8;",
    ),
}  # fmt: skip


@pytest.mark.parametrize("old, new", SAME.values(), ids=SAME)
def test_no_difference(old: str, new: str) -> None:
    assert str(compared(old, new)) == str(compared(new, old)) == "no difference in meaning"


DIFFERENT = {
    "operand": ("add.u32 %r3, %r1, %r2; st.shared.u32 [one], %r3;", "add.u32 %r3, %r1, %r1; st.shared.u32 [one], %r3;"),
    "sources of a difference": (
        "sub.u32 %r3, %r1, %r2; st.shared.u32 [one], %r3;",
        "sub.u32 %r3, %r2, %r1; st.shared.u32 [one], %r3;",
    ),
    "modifier": (
        "fma.rn.f32 %f1, %f2, %f3, %f4; st.shared.f32 [one], %f1;",
        "fma.rz.f32 %f1, %f2, %f3, %f4; st.shared.f32 [one], %f1;",
    ),
    "constant": ("st.shared.u32 [one], 1;", "st.shared.u32 [one], 2;"),
    "offset": ("st.shared.u32 [one], %r1;", "st.shared.u32 [one+4], %r1;"),
    "removed": ("st.shared.u32 [one], %r1; bar.sync 0;", "st.shared.u32 [one], %r1;"),
    "doubled": ("st.shared.u32 [one], %r1; bar.sync 0;", "st.shared.u32 [one], %r1; bar.sync 0; bar.sync 0;"),
    "guard": ("@%p1 st.shared.u32 [one], %r1;", "@!%p1 st.shared.u32 [one], %r1;"),
    "no guard": ("@%p1 st.shared.u32 [one], %r1;", "st.shared.u32 [one], %r1;"),
    "guard of a branch": ("@%p1 bra A; st.shared.u32 [one], 1; A:", "@!%p1 bra A; st.shared.u32 [one], 1; A:"),
    "target of a branch": (
        "@%p1 bra A; st.shared.u32 [one], 1; A: st.shared.u32 [one], 2; B:",
        "@%p1 bra B; st.shared.u32 [one], 1; A: st.shared.u32 [one], 2; B:",
    ),
    "type": ("shr.u32 %r3, %r1, 1; st.shared.u32 [one], %r3;", "shr.s32 %r3, %r1, 1; st.shared.u32 [one], %r3;"),
    "space": ("ld.global.u32 %r3, [%rd1]; st.shared.u32 [one], %r3;", "ld.u32 %r3, [%rd1]; st.shared.u32 [one], %r3;"),
    "memory order": ("st.relaxed.gpu.global.u32 [%rd1], %r1;", "st.release.gpu.global.u32 [%rd1], %r1;"),
    "scope of order": ("st.release.cta.global.u32 [%rd1], %r1;", "st.release.gpu.global.u32 [%rd1], %r1;"),
    "volatile": ("st.global.u32 [%rd1], %r1;", "st.volatile.global.u32 [%rd1], %r1;"),
    "stores to one place": (
        "st.global.u32 [%rd1], 1; st.global.u32 [%rd2], 2;",
        "st.global.u32 [%rd2], 2; st.global.u32 [%rd1], 1;",
    ),
    "a store and a load": (
        "st.global.u32 [%rd1], 1; ld.global.u32 %r3, [%rd2]; st.shared.u32 [one], %r3;",
        "ld.global.u32 %r3, [%rd2]; st.global.u32 [%rd1], 1; st.shared.u32 [one], %r3;",
    ),
    "a store and a barrier": ("st.shared.u32 [one], %r1; bar.sync 0;", "bar.sync 0; st.shared.u32 [one], %r1;"),
    "volatile loads": (
        "ld.volatile.global.u32 %r3, [%rd1]; ld.volatile.global.u32 %r4, [%rd1+4]; st.shared.v2.u32 [one], {%r3, %r4};",
        "ld.volatile.global.u32 %r4, [%rd1+4]; ld.volatile.global.u32 %r3, [%rd1]; st.shared.v2.u32 [one], {%r3, %r4};",
    ),
    "carries": (
        "add.cc.u32 %r3, %r1, %r2; addc.u32 %r4, %r1, 0; st.shared.v2.u32 [one], {%r3, %r4};",
        "addc.u32 %r4, %r1, 0; add.cc.u32 %r3, %r1, %r2; st.shared.v2.u32 [one], {%r3, %r4};",
    ),
    "a read before the only write": (
        "add.u32 %r3, %r1, 1; st.shared.u32 [one], %r3;",
        "st.shared.u32 [one], %r3; add.u32 %r3, %r1, 1;",
    ),
    "a read before the write of a loop": (
        "L: add.u32 %r3, %r1, 1; st.shared.u32 [one], %r3; @%p1 bra L;",
        "L: st.shared.u32 [one], %r3; add.u32 %r3, %r1, 1; @%p1 bra L;",
    ),
    "a loop's first value": (
        "mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra L; st.shared.u32 [one], %r3;",
        "mov.u32 %r3, 1; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra L; st.shared.u32 [one], %r3;",
    ),
    "another variable": (
        "st.shared.u32 [one], 1; st.shared.u32 [two], 2;",
        "st.shared.u32 [one], 1; st.shared.u32 [one], 2;",
    ),
    "a clock": (
        "mov.u32 %r3, %clock; add.u32 %r4, %r1, 1; mov.u32 %r5, %clock; st.shared.v4.u32 [one], {%r3, %r4, %r5, %r5};",
        "mov.u32 %r3, %clock; mov.u32 %r5, %clock; add.u32 %r4, %r1, 1; st.shared.v4.u32 [one], {%r3, %r4, %r5, %r5};",
    ),
    "which result": (
        "setp.lt.u32 %p2|%p3, %r1, %r2; @%p2 st.shared.u32 [one], 1;",
        "setp.lt.u32 %p3|%p2, %r1, %r2; @%p2 st.shared.u32 [one], 1;",
    ),
    "what nobody reads": ("add.u32 %r3, %r1, 1;", ""),
    "a constant that nobody reads": ("mov.u32 %r3, 1;", "mov.u32 %r3, 2;"),
    "what control does not reach": ("ret; add.u32 %r3, %r1, 1;", "ret; add.u32 %r3, %r1, 2;"),
}  # fmt: skip


@pytest.mark.parametrize("old, new", DIFFERENT.values(), ids=DIFFERENT)
def test_a_difference(old: str, new: str) -> None:
    found, back = compared(old, new), compared(new, old)
    assert not found.same
    assert not back.same
    assert len(found.changes) <= 2, str(found)


def test_declarations_may_move() -> None:
    split = (
        ".shared .align 4 .b8 two[64]; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .b32 %r3, %r2, %r1; "
        ".shared .align 4 .b8 one[64]; .reg .pred %p1;"
    )
    body = "add.u32 %r3, %r1, %r2; st.shared.u32 [one], %r3;"
    assert compared(body, body, new_registers=split).same


@pytest.mark.parametrize(
    "new",
    [
        ".shared .align 4 .b8 one[128]; .shared .align 4 .b8 two[64];",
        ".shared .align 16 .b8 one[64]; .shared .align 4 .b8 two[64];",
        ".shared .align 4 .b8 one[64];",
    ],
    ids=["size", "alignment", "unused"],
)
def test_memory_is_not_free(new: str) -> None:
    registers = ".reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<8>;"
    old = f"{registers} .shared .align 4 .b8 one[64]; .shared .align 4 .b8 two[64];"
    assert not compared("st.shared.u32 [one], %r1;", "st.shared.u32 [one], %r1;", old, registers + new).same


def test_a_change_is_said_where_it_is() -> None:
    body = "add.u32 %r3, %r1, {0}; mul.lo.u32 %r4, %r3, %r3; st.shared.u32 [one], %r4;\nst.shared.u32 [two], %r3;"
    (change,) = compared(body.format(1), body.format(2)).changes
    assert (change.kind, change.function, change.old, change.new) == (
        "changed", "k", "add.u32 %r3, %r1, 1;", "add.u32 %r3, %r1, 2;",
    )  # fmt: skip
    assert change.detail == "1 -> 2"
    assert [str(place) for place in change.new_places] == ["new.ptx:12:1"]


def test_the_line_of_the_source_is_said() -> None:
    texts = (kernel(f".loc 1 7 3\nbar.sync {barrier};", before='.file 1 "saxpy.cu"') for barrier in (0, 1))
    (change,) = difference(*[parse(text, name="file.ptx") for text in texts]).changes
    assert [str(place) for place in change.old_places] == ["file.ptx:10:1", "saxpy.cu:7:3"]


def test_a_python_line_is_said() -> None:
    def made(step: int) -> px.Module:
        @px.kernel
        def count(k: px.Builder, x: px.ptr[u32]) -> None:
            x[k.tid.x] = x[k.tid.x] + step

        return count.module()

    (change,) = difference(made(1), made(2)).changes
    assert change.new_places[0].kind == "python"
    assert change.new_places[0].excerpt() == "x[k.tid.x] = x[k.tid.x] + step"


def test_an_instruction_between_two() -> None:
    old = "add.u32 %r3, %r1, 1; st.shared.u32 [one], %r3;"
    new = "add.u32 %r3, %r1, 1; xor.b32 %r4, %r3, %r2; st.shared.u32 [one], %r4;"
    assert [change.kind for change in compared(old, new).changes] == ["added"]
    assert [change.kind for change in compared(new, old).changes] == ["removed"]


def test_what_moved_says_past_what() -> None:
    found = compared("st.shared.u32 [one], %r1; bar.sync 0;", "bar.sync 0; st.shared.u32 [one], %r1;")
    assert [(change.kind, change.detail[:4]) for change in found.changes] == [("moved", "past")]


def test_words_and_data() -> None:
    found = compared("st.shared.u32 [one], 1;", "st.shared.u32 [one], 2; bar.sync 0;")
    assert found.counts == {"changed": 1, "added": 1, "removed": 0, "moved": 0}
    assert str(found).splitlines()[:2] == ["1 changed, 1 added", "@@ k @@"]
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["same"], [change["kind"] for change in data["changes"]]) == (False, ["changed", "added"])


MODULE = """.version 8.0
.target sm_90a
.address_size 64
.global .u32 total;
.func (.reg .b32 %out) half(.reg .b32 %in) {{ shr.u32 %out, %in, {shift}; ret; }}
.visible .entry {name}({parameters}) .maxntid {threads}
{{ .reg .b32 %a; mov.u32 %a, %tid.x; call (%a), half, (%a); st.global.u32 [total], %a; ret; }}
"""
MADE = {"shift": 1, "name": "k", "parameters": ".param .u32 n", "threads": 128}


@pytest.mark.parametrize(
    "changed, old",
    [
        ({"name": "other"}, ".entry k"),
        ({"parameters": ".param .u64 n"}, "parameters (.param .align 4 .u32)"),
        ({"threads": 256}, ".maxntid 128"),
        ({"shift": 2}, "shr.u32 %out, %in, 1;"),
    ],
    ids=["name", "parameters", "directive", "function"],
)  # fmt: skip
def test_what_stands_around_instructions(changed: dict[str, object], old: str) -> None:
    (change,) = difference(parse(MODULE.format(**MADE)), parse(MODULE.format(**{**MADE, **changed}))).changes
    assert change.old == old


def test_names_that_only_the_module_sees() -> None:
    text = MODULE.format(**MADE)
    assert difference(parse(text), parse(text.replace("half", "halved").replace("total", "sum"))).same


def test_heads_and_variables() -> None:
    text = MODULE.format(**MADE)
    new = text.replace("sm_90a", "sm_100a").replace(".global .u32 total;", ".global .u32 total = 1;")
    found = difference(parse(text), parse(new))
    assert [(change.old, change.new) for change in found.changes] == [
        (".target sm_90a", ".target sm_100a"),
        (".global .u32 total;", ".global .u32 total = 1;"),
    ]


def test_a_function_of_its_own() -> None:
    text = MODULE.format(**MADE)
    more = text + ".visible .entry another() { ret; }\n"
    assert [(c.kind, c.function) for c in difference(parse(text), parse(more)).changes] == [("added", "another")]
    assert [(c.kind, c.function) for c in difference(parse(more), parse(text)).changes] == [("removed", "another")]


def test_registers_that_wgmma_uses_are_not_free() -> None:
    """A copy of an accumulator before the wait reads another value than one behind it."""
    registers = ".reg .f32 %f<5>; .reg .b64 %rd<3>; .reg .b32 %r<2>; .shared .align 4 .b8 one[64];"
    wgmma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 0, 1, 1, 0, 0;"
    copy, wait = "neg.f32 %f4, %f0;", "wgmma.wait_group.sync.aligned 0;"
    behind, before = (
        f"{wgmma} {first} {second} st.shared.f32 [one], %f4;" for first, second in ((wait, copy), (copy, wait))
    )
    modules = [parse(kernel(body, registers=registers)) for body in (behind, before)]
    assert [change.kind for change in difference(*modules).changes] == ["moved"]
