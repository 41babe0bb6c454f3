"""Advice (6xx): what is legal, and could be meant, but rarely is; found when style is asked for, and never without."""

from __future__ import annotations

import pytest

from ptxgen.check import verify
from ptxgen.text import parse

REGISTERS = (
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .shared .align 16 .b8 s[4096];\n"
    "ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.f32 %f1, 0f3F800000;\n"
)


def program(body: str, head: str = "") -> str:
    return (
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        f".visible .entry k(.param .u64 x, .param .u32 n)\n{head}\n{{\n{REGISTERS}{body}\nst.global.u32 [%rd1], %r2;\nret;\n}}\n"
    )


def messages(code: str, body: str, head: str = "") -> list[str]:
    """The findings with that code; without style there must be none."""
    module = parse(program(body, head))
    assert [finding for finding in verify(module) if finding.code == code] == []
    return [finding.message for finding in verify(module, style=True) if finding.code == code]


def count(code: str, body: str, head: str = "") -> int:
    return len(messages(code, body, head))


# PTX603: threads that leave before a barrier


def test_threads_that_leave_before_a_barrier() -> None:
    (message,) = messages("PTX603", "setp.ge.u32 %p1, %r2, %r1; @%p1 ret; bar.sync 0;")
    assert message.startswith("some threads leave the kernel before this bar.sync")
    assert message.endswith("depends on %tid.x")


@pytest.mark.parametrize(
    "body, head",
    [
        ("setp.ge.u32 %p1, %r3, %r1; @%p1 ret; bar.sync 0;", ""),  # the whole CTA
        ("bar.sync 0; setp.ge.u32 %p1, %r2, %r1; @%p1 ret;", ""),
        ("setp.ge.u32 %p1, %r2, %r1; @%p1 ret; bar.sync 1, 64;", ""),  # its threads are counted
        ("setp.ge.u32 %p1, %r2, %r1; @%p1 ret; bar.sync 0;", ".reqntid 32"),
        (
            "shr.u32 %r4, %r2, 8; add.u32 %r4, %r4, %r3; setp.ge.u32 %p1, %r4, %r1; @%p1 ret; bar.sync 0;",
            ".maxntid 256",
        ),
    ],
)
def test_threads_that_leave_in_order(body: str, head: str) -> None:
    assert count("PTX603", body, head) == 0


# PTX604: branches to what comes next


def test_a_branch_to_what_comes_next() -> None:
    body = "LOOP: add.u32 %r4, %r1, 1; bra LOOP_END; LOOP_END:"
    (finding,) = [f for f in verify(parse(program(body)), style=True) if f.code == "PTX604"]
    assert finding.message == "a branch to LOOP_END, where control goes anyway"
    assert finding.hint == "bra LOOP, if this was to be a loop; else delete it"
    assert count("PTX604", "setp.eq.u32 %p1, %r1, 0; @%p1 bra X; X:") == 1
    assert count("PTX604", "setp.eq.u32 %p1, %r1, 0; @%p1 bra X; mov.u32 %r2, 1; X:") == 0


# PTX605: sums that each round begins anew

LOOP = "mov.u32 %r9, 0; L: {} add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1; @%p1 bra L; {}"


@pytest.mark.parametrize(
    "zero, step, behind",
    [
        ("mov.f32 %f2, 0f00000000;", "add.f32 %f3, %f2, %f1;", "st.global.f32 [%rd1], %f3;"),
        ("mov.f32 %f2, 0f00000000;", "fma.rn.f32 %f3, %f1, %f1, %f2;", "st.global.f32 [%rd1], %f3;"),
        ("mov.f32 %f2, 0f3F800000;", "mul.f32 %f3, %f1, %f2;", "st.global.f32 [%rd1], %f3;"),
        ("mov.u32 %r5, 0;", "mad.lo.u32 %r6, %r9, %r9, %r5;", "st.global.u32 [%rd1], %r6;"),
        ("mov.b32 %r5, 0;", "or.b32 %r6, %r5, %r9;", "st.global.u32 [%rd1], %r6;"),
    ],
)
def test_a_sum_that_each_round_begins_anew(zero: str, step: str, behind: str) -> None:
    (message,) = messages("PTX605", zero + LOOP.format(step, behind))
    assert message.endswith(
        "begins %f3 anew: behind the loop it has what the last round brought".replace("%f3", message.split()[3])
    )


@pytest.mark.parametrize(
    "zero, step, behind",
    [
        ("mov.f32 %f2, 0f00000000;", "add.f32 %f2, %f2, %f1;", "st.global.f32 [%rd1], %f2;"),  # as it should be
        ("mov.f32 %f2, 0f00000000;", "add.f32 %f3, %f2, %f1; mov.f32 %f2, %f3;", "st.global.f32 [%rd1], %f2;"),
        ("mov.f32 %f2, 0f40000000;", "add.f32 %f3, %f2, %f1;", "st.global.f32 [%rd1], %f3;"),  # an offset
        ("mov.f32 %f2, 0f00000000;", "add.f32 %f3, %f2, %f1; st.global.f32 [%rd1], %f3;", ""),  # used in each round
        ("mov.u32 %r5, 0;", "mul.lo.u32 %r6, %r9, %r5;", "st.global.u32 [%rd1], %r6;"),
    ],
)
def test_a_sum_that_goes_on(zero: str, step: str, behind: str) -> None:
    assert count("PTX605", zero + LOOP.format(step, behind)) == 0


# PTX606: no bound on the thread's index

INDEX = "mad.lo.u32 %r4, %r3, 128, %r2; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd2, %rd1;"


def test_an_index_that_nothing_bounds() -> None:
    (message,) = messages("PTX606", f"{INDEX} ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2], %r5;")
    assert message == "the address of ld.global.u32 is made of %ctaid and %tid, and nothing bounds the thread's number"


@pytest.mark.parametrize(
    "body",
    [
        f"{INDEX} setp.ge.u32 %p1, %r4, %r1; @%p1 ret; st.global.u32 [%rd2], %r2;",
        f"{INDEX} setp.lt.u32 %p1, %r4, %r1; @%p1 st.global.u32 [%rd2], %r2;",
        f"{INDEX} setp.ge.u32 %p1, %r3, %r1; @%p1 ret; st.global.u32 [%rd2], %r2;",  # of whole CTAs
        "mad.lo.u32 %r4, %r3, 128, %r2; min.u32 %r4, %r4, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd2, %rd1; "
        "st.global.u32 [%rd2], %r2;",
        "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r2;",  # of the CTA alone
    ],
)
def test_an_index_that_something_bounds(body: str) -> None:
    assert count("PTX606", body) == 0


# PTX607: predicates


def test_predicates_alive_at_once() -> None:
    def body(n: int) -> str:
        made = "".join(f"setp.gt.u32 %p{i}, %r1, {i};" for i in range(n))
        return made + "".join(f"@%p{i} st.global.u32 [%rd1+{4 * i}], %r1;" for i in range(n))

    assert count("PTX607", body(7)) == 0
    assert messages("PTX607", body(8)) == ["8 predicates are alive at st.global.u32, a thread has 7"]


# PTX608 to PTX610: not finished


@pytest.mark.parametrize(
    "comment, word",
    [("TODO: the tail", "TODO"), ("Placeholder only", "Placeholder"), ("not yet implemented", "not yet implemented")],
)
def test_remarks_that_say_so(comment: str, word: str) -> None:
    assert messages("PTX608", f"// {comment}\nadd.u32 %r2, %r2, 1;") == [f"this comment says {word!r}"]
    assert count("PTX608", "// the todos of others, and a stubborn index\nadd.u32 %r2, %r2, 1;") == 0


def test_the_place_of_a_remark_is_that_of_what_follows() -> None:
    text = program("\n// TODO\nadd.u32 %r2, %r2, 1;")
    (finding,) = [f for f in verify(parse(text, name="k.ptx"), style=True) if f.code == "PTX608"]
    assert [place.excerpt() for place in finding.locations] == ["add.u32 %r2, %r2, 1;"]


HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"


@pytest.mark.parametrize(
    "text, expected",
    [
        (".entry k(.param .u64 a) { .reg .b64 %d<2>; ld.param.u64 %d1, [a]; ret; }", ["PTX601", "PTX609"]),
        (".entry k() { ret; }", []),
        (".entry k() { trap; }", []),
        (".func f() { ret; }", ["PTX610"]),
        (".visible .func f() { ret; }", []),
        (".visible .global .b32 g;", []),
        (".global .b32 g;", ["PTX610"]),
        ("", []),
    ],
)
def test_modules_without_effect_or_entrance(text: str, expected: list[str]) -> None:
    assert [finding.code for finding in verify(parse(HEADER + text), style=True)] == expected


# PTX611, PTX612: how a warp's lanes lie in memory

GLOBAL = "mul.wide.u32 %rd2, %r2, {}; add.s64 %rd2, %rd2, %rd1; ld.global.{} [%rd2];"
SHARED = "mov.u32 %r5, s; mad.lo.u32 %r6, %r2, {}, %r5; ld.shared.{} [%r6];"


@pytest.mark.parametrize(
    "stride, load, expected",
    [
        (4, "u32 %r7,", None),
        (8, "u32 %r7,", None),  # half of each sector
        (12, "u32 %r7,", "12 sectors of 32 bytes for what 4 would hold, 12 bytes from lane to lane"),
        (128, "u32 %r7,", "32 sectors of 32 bytes for what 4 would hold, 128 bytes from lane to lane"),
        (16, "v4.u32 {%r7, %r8, %r9, %r10},", None),
        (256, "v4.u32 {%r7, %r8, %r9, %r10},", None),  # half of each sector, too
        (0, "u32 %r7,", None),
        (1, "u8 %r7,", None),
    ],
)
def test_spread_over_sectors(stride: int, load: str, expected: str | None) -> None:
    found = messages("PTX611", GLOBAL.format(stride, load))
    assert [message.partition("moves ")[2] for message in found] == ([expected] if expected else [])


def test_neighbours_in_the_same_sectors_count_together() -> None:
    row = "".join(f"ld.global.u32 %r{7 + i}, [%rd2+{4 * i}]; " for i in range(4))
    assert count("PTX611", "mul.wide.u32 %rd2, %r2, 16; add.s64 %rd2, %rd2, %rd1; " + row) == 0
    assert count("PTX611", "mul.wide.u32 %rd2, %r2, 32; add.s64 %rd2, %rd2, %rd1; " + row) == 0  # half of each sector
    assert count("PTX611", "mul.wide.u32 %rd2, %r2, 32; add.s64 %rd2, %rd2, %rd1; " + row[: len(row) // 4]) == 1
    assert (
        count(
            "PTX611", "mul.wide.u32 %rd2, %r2, 16; add.s64 %rd2, %rd2, %rd1; " + row.replace("ld.", "bar.sync 0; ld.")
        )
        == 0
    )


@pytest.mark.parametrize(
    "stride, load, expected",
    [
        (4, "u32 %r7,", None),
        (132, "u32 %r7,", None),  # padded rows
        (8, "u32 %r7,", "2 rounds of the banks, 1 would do, 8 bytes from lane to lane"),
        (128, "u32 %r7,", "32 rounds of the banks, 1 would do, 128 bytes from lane to lane"),
        (0, "u32 %r7,", None),  # one word for all
        (16, "v4.u32 {%r7, %r8, %r9, %r10},", None),  # 8 lanes at a time
        (32, "v4.u32 {%r7, %r8, %r9, %r10},", "8 rounds of the banks, 4 would do, 32 bytes from lane to lane"),
    ],
)
def test_bank_conflicts(stride: int, load: str, expected: str | None) -> None:
    found = messages("PTX612", SHARED.format(stride, load))
    assert [message.partition("takes ")[2] for message in found] == ([expected] if expected else [])


# PTX613: idle loops

IDLE = "this loop does nothing that is used behind it"


@pytest.mark.parametrize(
    "body, expected",
    [
        ("mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L;", [IDLE]),
        ("L: bra L;", ["this loop does nothing, and never ends"]),
        ("mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L; st.global.u32 [%rd1], %r4;", []),
        ("L: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;", []),
        ("mov.u64 %rd3, 0; L: mov.u64 %rd4, %clock64; setp.lt.u64 %p1, %rd4, 999; @%p1 bra L;", []),
        ("mov.u32 %r4, 0; L: nanosleep.u32 20; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L;", []),
    ],
)  # fmt: skip
def test_idle_loops(body: str, expected: list[str]) -> None:
    assert messages("PTX613", body) == expected


# PTX615: copies


@pytest.mark.parametrize(
    "body, expected",
    [
        ("mov.u32 %r4, %r1; st.global.u32 [%rd1], %r4;", ["%r4 is %r1, and stays it"]),
        ("mov.u32 %r4, %r1; add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4;", []),  # a beginning
        ("mov.u32 %r5, 1; mov.u32 %r4, %r5; mov.u32 %r5, 2; st.global.v2.u32 [%rd1], {%r4, %r5};", []),  # the old value
        ("setp.eq.u32 %p1, %r1, 0; @%p1 mov.u32 %r4, %r1; @%p1 st.global.u32 [%rd1], %r4;", []),
        ("mov.b32 %r4, %f1; st.global.u32 [%rd1], %r4;", []),  # as bits
        ("mov.u32 %r4, %ctaid.y; st.global.u32 [%rd1], %r4;", []),
    ],
)
def test_copies(body: str, expected: list[str]) -> None:
    assert messages("PTX615", body) == expected
