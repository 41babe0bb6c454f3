"""What the walk over a body notes for the checks of the whole."""

from __future__ import annotations

import warnings

from ptxgen.dataflow.bodies.alive import LiveBlocks
from ptxgen.dataflow.bodies.body import Body
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.text import parse


def walked(text: str, before: str = "") -> Body:
    module = parse(
        f".version 8.0\n.target sm_90a\n.address_size 64\n{before}\n.entry k(.param .u64 a)\n"
        f"{{\n.reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<3>;\n{text}\n}}\n"
    )
    body = body_of(module, "k")
    assert body.instructions == body.flow.instructions
    return body


def names(body: Body, numbers: list[int]) -> list[str]:
    return [body.registers[number].name for number in numbers]


def effects(text: str, before: str = "") -> list[tuple[list[str], list[str]]]:
    """(reads, writes) of each instruction, by name."""
    body = walked(text, before)
    return [(names(body, r), names(body, w)) for r, w in zip(body.reads, body.writes)]


def test_destinations_are_written_and_the_rest_is_read() -> None:
    assert effects("add.u32 %r1, %r2, %r3;") == [(["%r2", "%r3"], ["%r1"])]
    assert effects("st.global.v2.u32 [%rd1+8], {%r1, %r2};") == [(["%rd1", "%r1", "%r2"], [])]
    assert effects("ld.global.v2.u32 {%r1, %r2}, [%rd1];") == [(["%rd1"], ["%r1", "%r2"])]
    assert effects("setp.lt.and.u32 %p1|%p2, %r1, 3, !%p1;") == [(["%r1", "%p1"], ["%p1", "%p2"])]
    assert effects("atom.global.add.u32 _, [%rd1], %r1;") == [(["%rd1", "%r1"], [])]


def test_a_guard_is_read_first() -> None:
    assert effects("@!%p1 mov.u32 %r1, %r2;") == [(["%p1", "%r2"], ["%r1"])]
    body = walked("@!%p1 ret; mov.u32 %r1, 1;")
    assert body.guard(0) == (0, False)
    assert body.guard(1) is None


def test_where_registers_are_alive() -> None:
    body = walked(
        "mov.u32 %r0, 1; add.u32 %r1, %r0, %r1; @%p1 mov.u32 %r2, 1; mov.u32 %r2, %r2; mov.u32 %r3, 3; setp.eq.u32 %p1, %r1, 0;"
        "@%p1 bra L; mov.u32 %r4, %r3; L: ret;"
    )
    alive = body.analysis(LiveBlocks)
    blocks = {
        names(body, [number])[0]: [b.index for b in body.flow.blocks if alive.at(b.index) >> number & 1]
        for number in range(len(body.registers))
    }
    assert blocks == {"%r0": [], "%r1": [0], "%p1": [0], "%r2": [0], "%r3": [1], "%r4": []}
    assert [body.registers[number].name for number in body.branching] == ["%p1"]


def test_calls() -> None:
    f = ".func (.reg .b32 o) f(.reg .b32 i) { mov.b32 o, i; ret; }"
    assert effects("call (%r1), f, (%r2);", f) == [(["%r2"], ["%r1"])]


def test_what_an_illegal_instruction_names_counts_as_written() -> None:
    assert effects("frob.u32 %r1, %r2;") == [([], ["%r1", "%r2"])]


def test_equal_names_in_different_scopes_are_different_registers() -> None:
    body = walked(
        "mov.b32 %r1, 1; { .reg .b32 %r1; mov.b32 %r1, 2; } { .reg .b32 %r1; mov.b32 %r1, 3; } mov.b32 %r1, 4;"
    )
    assert body.writes == [[0], [1], [2], [0]]


def test_what_does_more_than_compute_is_found_by_its_opcode() -> None:
    body = walked(
        "bar.sync 0; mov.u32 %r1, 1; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; bar.sync 0; ld.global.u32 %r1, [%rd1];"
    )
    assert body.at == {"bar": [0, 3], "shfl": [2]}
    assert body.memory == [4]


def test_constants_are_seen_through_a_register_that_is_set_once() -> None:
    body = walked("mov.b32 %r1, 7; mov.b32 %r2, 1; mov.b32 %r2, 2; bar.sync %r1, %r2;")
    first, second = body.instructions[3].operands
    assert body.constant(first, 3) == 7
    assert body.constant(second, 3) is None


def test_a_finding_about_a_kernel_in_python_names_its_line_and_that_of_the_ptx() -> None:
    import ptxgen as px
    from ptxgen.verifier import verify

    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[px.f32]):
        x[0] = k.var(px.f32) + 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = kernel.module()
    (finding,) = verify(module)
    python, ptx = finding.locations
    assert (python.kind, python.file, python.excerpt()) == ("python", __file__, "x[0] = k.var(px.f32) + 1.0")
    assert str(module).split("\n")[ptx.line - 1].strip() == ptx.excerpt()
    assert ptx.excerpt().startswith("add")
