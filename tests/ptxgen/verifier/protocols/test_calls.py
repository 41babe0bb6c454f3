"""Protocols across calls: a device function does a step of what its caller does, by .reg and by .param arguments."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen.dataflow.calls.inlining import inlined
from ptxgen.text import parse
from ptxgen.verifier import verify

HEAD = (
    ".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar;\n"
)
WAIT = """
.func wait(.reg .b32 where, .reg .b32 parity)
{
	.reg .pred %p;
AGAIN:
	mbarrier.try_wait.parity.shared::cta.b64 %p, [where], parity; // drop: PTX303
	@!%p bra AGAIN; // drop: PTX531
	ret;
}
"""
WAIT_BY_PARAM = """
.func wait(.param .b32 wait_param_0, .param .b32 wait_param_1)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [wait_param_0];
	ld.param.u32 %r2, [wait_param_1];
AGAIN:
	mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2; // drop: PTX303
	@!%p1 bra AGAIN; // drop: PTX531
	ret;
}
"""
SETUP = """
.func setup(.reg .b32 where)
{
	mbarrier.init.shared::cta.b64 [where], 1; // drop: PTX530
	fence.mbarrier_init.release.cluster; // drop: PTX533
	ret;
}
.func publish()
{
	fence.proxy.async.shared::cta; // drop: PTX560
	bar.sync 0; // drop: PTX548
	ret;
}
.func store(.reg .b64 to)
{
	cp.async.bulk.global.shared::cta.bulk_group [to], [tile], 1024;
	cp.async.bulk.commit_group; // drop: PTX521
	cp.async.bulk.wait_group.read 0; // drop: PTX522
	ret;
}
.func (.reg .b32 next) flip(.reg .b32 parity)
{
	xor.b32 next, parity, 1; // drop: PTX303
	ret;
}
"""
KERNEL = """
.visible .entry twice(.param .u64 x, .param .u64 y, .param .u32 tiles)
.reqntid 256, 1, 1
{
	.reg .pred %p<4>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<4>;
	.reg .f32 %f<4>;
	ld.param.u64 %rd1, [x];
	ld.param.u64 %rd2, [y];
	ld.param.u32 %r1, [tiles];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, tile;
	shl.b32 %r4, %r2, 2;
	add.u32 %r5, %r3, %r4;
	mov.u32 %r8, bar;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 call setup, (%r8);
	bar.sync 0; // drop: PTX532
	mov.u32 %r6, 0;
	mov.u32 %r7, 0;
NEXT:
	@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024; // drop: PTX525
	@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 1024, [bar];
	CALL_WAIT
	call (%r7), flip, (%r7);
	ld.shared.f32 %f1, [%r5];
	add.f32 %f2, %f1, %f1;
	st.shared.f32 [%r5], %f2;
	call publish;
	@%p1 call store, (%rd2);
	add.u64 %rd1, %rd1, 1024;
	add.u64 %rd2, %rd2, 1024;
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p3, %r6, %r1;
	@%p3 bra NEXT;
	ret;
}
"""
BY_REGISTER = HEAD + WAIT + SETUP + KERNEL.replace("CALL_WAIT", "call wait, (%r8, %r7); // drop: PTX524")
BY_PARAM = (
    HEAD
    + WAIT_BY_PARAM
    + SETUP
    + KERNEL.replace(
        "CALL_WAIT",
        "{ .param .b32 param0; .param .b32 param1;\nst.param.b32 [param0], %r8;\nst.param.b32 [param1], %r7;\n"
        "call wait, (param0, param1); // drop: PTX524\n}",
    )
)
PROGRAMS = {"register": BY_REGISTER, "param": BY_PARAM}


def drops() -> list[tuple[str, int, str]]:
    found = []
    for name, text in PROGRAMS.items():
        for number, line in enumerate(text.splitlines()):
            if "// drop: " in line:
                code = line.split("// drop: ")[1]
                found.append((name, number, "" if code.startswith("silent") else code))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_protocol_in_several_functions_is_right(name: str, assembler) -> None:  # type: ignore[no-untyped-def]
    assert verify(parse(PROGRAMS[name])) == []
    assert assembler(PROGRAMS[name]).cubin


@pytest.mark.parametrize("name, line, code", drops())
def test_a_step_that_is_missing(name: str, line: int, code: str) -> None:
    lines = PROGRAMS[name].splitlines()
    lines[line] = ""
    codes = [finding.code for finding in verify(parse("\n".join(lines)))]
    assert (code in codes) if code else codes == []


def test_a_finding_names_the_line_in_the_function_and_the_kernel() -> None:
    text = BY_REGISTER.replace("	fence.proxy.async.shared::cta; // drop: PTX560\n", "")
    (finding,) = verify(parse(text, name="calls.ptx"))
    assert finding.code == "PTX560"
    assert finding.message.endswith("(called by twice)")
    assert finding.locations[0].text == "	cp.async.bulk.global.shared::cta.bulk_group [to], [tile], 1024;"


def test_a_parity_that_a_function_does_not_flip() -> None:
    text = BY_REGISTER.replace("	xor.b32 next, parity, 1;", "	mov.b32 next, parity;")
    assert [finding.code for finding in verify(parse(text))] == ["PTX536"]


def test_one_finding_for_all_kernels_that_call() -> None:
    text = BY_REGISTER.replace("	fence.proxy.async.shared::cta; // drop: PTX560\n", "")
    other = KERNEL.replace("CALL_WAIT", "call wait, (%r8, %r7);").replace("twice", "again")
    assert [finding.code for finding in verify(parse(text + other))] == ["PTX560"]


def test_it_can_be_taken_back_in_the_function() -> None:
    text = BY_REGISTER.replace("	fence.proxy.async.shared::cta; // drop: PTX560\n", "")
    text = text.replace("[tile], 1024;", "[tile], 1024; // ptxgen: ignore[PTX560]", 1)
    assert verify(parse(text)) == []


CALLER = (
    ".visible .entry k()\n{{\n.reg .pred %p<2>; .reg .b32 %r<3>;\nmov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7;\n"
    "{0}\nmembar.cta;\nret;\n}}\n"
)
MEET = ".func meet() { bar.sync 0; ret; }\n"


@pytest.mark.parametrize(
    "functions, body, codes",
    [
        (MEET, "call meet;", []),
        (MEET, "@%p1 bra END;\ncall meet;\nEND:", ["PTX501"]),
        (MEET, "@%p1 call meet;", ["PTX501"]),
        (MEET + ".func both() { call meet; call meet; ret; }\n", "@%p1 call both;", ["PTX501"]),
        # each side of the call judges itself: the condition is the same for all
        (MEET, "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 call meet;", []),
        # early returns of the function end the function
        (
            ".func some(.reg .pred q) { ret; }\n".replace(".reg .pred q", ".reg .b32 q") + MEET,
            "call some, (%r1); call meet;",
            [],
        ),
        (
            ".func some(.reg .b32 q) { .reg .pred %p; setp.lt.u32 %p, q, 3; @%p ret; fence.acq_rel.cta; ret; }\n"
            + MEET,
            "call some, (%r1); call meet;",
            [],
        ),
        # what cannot be seen as one body stays unjudged
        (".func loop() { bar.sync 0; call loop; ret; }\n", "@%p1 call loop;", []),
        (".extern .func far();\n" + MEET, "call far;\n@%p1 call meet;", []),
    ],
)
def test_barriers_in_functions(functions: str, body: str, codes: list[str]) -> None:
    text = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + CALLER.format(body)
    assert [finding.code for finding in verify(parse(text)) if finding.code.startswith("PTX5")] == codes


def test_functions_of_one_name_for_variables_are_not_taken_for_one() -> None:
    text = BY_REGISTER.replace(".reg .pred %p;\nAGAIN:", ".reg .pred %p; .shared .b64 bar;\nAGAIN:")
    module = parse(text)
    assert inlined(module, module.function("twice")) is None


def test_a_function_in_python() -> None:
    @px.func
    def meet(k: px.Builder, n: px.u32) -> px.u32:
        k.ptx.bar.sync(0)
        return n + 1

    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[px.u32]) -> None:
        with k.if_(k.tid.x < 7):
            x[0] = meet(x[0])
        x[1] = 1

    with pytest.warns(px.PtxWarning, match="PTX501"):
        module = kernel.module(target="sm_90")
    (finding,) = (f for f in verify(module) if f.code == "PTX501")
    assert "k.ptx.bar.sync(0)" in str(finding)
    assert finding.message.endswith("(called by kernel)")
