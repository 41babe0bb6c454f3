"""Control flow: divergence, loops, irreducible graphs, calls, predication, exits (manual 9.7.12)."""

from __future__ import annotations

import pytest

from ptxgen.cpu import KernelFault
from ptxgen.cpu.cfg import build_blocks
from ptxgen.cpu.normalize.statements import flatten
from ptxgen.errors import UnsupportedError
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import BASE, FAST, HEADER, entry, load, run

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])


@TIERS
def test_if_else_joins(options):
    result = run(
        """
	setp.lt.u32 %p1, %t, 10;
	@%p1 bra SMALL;
	mul.lo.u32 %r1, %t, 3;
	bra JOIN;
SMALL:
	add.u32 %r1, %t, 1000;
JOIN:
	activemask.b32 %r2;
	popc.b32 %r2, %r2;
	mad.lo.u32 %r1, %r2, 10000, %r1;
	st.global.u32 [%o], %r1;""",
        options=options,
    )
    assert result.u32 == [320000 + (t + 1000 if t < 10 else 3 * t) for t in range(32)]


@TIERS
def test_every_lane_leaves_the_loop_in_its_own_round(options):
    result = run(
        """
	mov.u32 %r1, 0; mov.u32 %r2, %t;
LOOP:
	setp.eq.u32 %p1, %r2, 1; @%p1 bra DONE;
	setp.eq.u32 %p1, %r2, 0; @%p1 bra DONE;
	and.b32 %r3, %r2, 1; setp.ne.u32 %p2, %r3, 0;
	@%p2 mad.lo.u32 %r2, %r2, 3, 1;
	@!%p2 shr.u32 %r2, %r2, 1;
	add.u32 %r1, %r1, 1;
	bra LOOP;
DONE:
	st.global.u32 [%o], %r1;""",
        words=128,
        block=(128, 1, 1),
        options=options,
    )

    def steps(n):
        count = 0
        while n > 1:
            n, count = 3 * n + 1 if n % 2 else n // 2, count + 1
        return count

    assert result.u32 == [steps(t) for t in range(128)]


WHILE = """
	mov.u32 %r1, %t; mov.u32 %r2, 0;
L:	setp.ge.u32 %p1, %r2, %t; @%p1 bra D;
	add.u32 %r1, %r1, %r2; add.u32 %r2, %r2, 1; bra L;
D:	st.global.u32 [%o], %r1;"""


@pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])
def test_a_loop_with_its_test_at_the_head(options):
    assert run(WHILE, options=options).u32 == [lane + lane * (lane - 1) // 2 for lane in range(32)]


def test_lanes_go_round_such_a_loop_in_one_block():
    module = parse(HEADER + entry("test", WHILE), "test.ptx")
    blocks, _ = build_blocks(flatten(module, module.entries[0], {}))
    assert any(block in block.successors for block in blocks)


@TIERS
def test_an_irreducible_graph(options):
    """Odd lanes enter the cycle in its middle."""
    result = run(
        """
	mov.u32 %r1, 0; mov.u32 %r2, 0;
	and.b32 %r3, %t, 1; setp.ne.u32 %p1, %r3, 0;
	@%p1 bra B;
A:	add.u32 %r1, %r1, 1;
B:	add.u32 %r1, %r1, 100;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, %t;
	@%p2 bra A;
	st.global.u32 [%o], %r1;""",
        options=options,
    )
    assert result.u32 == [100 * max(t, 1) + max(t, 1) - (t & 1) for t in range(32)]


@TIERS
def test_nested_loops_with_breaks(options):
    result = run(
        """
	mov.u32 %r1, 0; mov.u32 %r2, 0;
OUTER:
	mov.u32 %r3, 0;
INNER:
	add.u32 %r1, %r1, 1;
	add.u32 %r3, %r3, 1;
	setp.gt.u32 %p1, %r3, %r2; @%p1 bra NEXT;
	setp.lt.u32 %p1, %r3, 5; @%p1 bra INNER;
NEXT:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %t; @%p1 bra OUTER;
	st.global.u32 [%o], %r1;""",
        options=options,
    )
    assert result.u32 == [sum(min(i + 1, 5) for i in range(max(t, 1))) for t in range(32)]


@TIERS
def test_guarded_instructions_leave_registers_alone(options):
    result = run(
        """
	setp.ge.u32 %p1, %t, 16;
	mov.u32 %r1, 7;
	@%p1 mov.u32 %r1, 8;
	@!%p1 ld.global.u32 %r1, [%in];
	@%p1 setp.eq.u32 %p2, %t, 20;
	@!%p1 setp.eq.u32 %p2, %t, 3;
	@%p2 add.u32 %r1, %r1, 100;
	st.global.u32 [%o], %r1;""",
        data=(55).to_bytes(4, "little"),
        options=options,
    )
    assert result.u32 == [(8 if t >= 16 else 55) + 100 * (t in (3, 20)) for t in range(32)]


@TIERS
def test_guarded_exits_and_returns(options):
    result = run(
        """
	st.global.u32 [%o], 1;
	setp.lt.u32 %p1, %t, 4;
	@%p1 exit;
	st.global.u32 [%o], 2;
	setp.gt.u32 %p1, %t, 27;
	@%p1 ret;
	st.global.u32 [%o], 3;""",
        options=options,
    )
    assert result.u32 == [1] * 4 + [3] * 24 + [2] * 4


@TIERS
def test_indexed_branch(options):
    result = run(
        """
	and.b32 %r1, %t, 3;
	mov.u32 %r2, 0;
	setp.gt.u32 %p0, %t, 99;
	@%p0 bra NEVER;
	TABLE: .branchtargets ZERO, ONE, TWO, ZERO;
	brx.idx %r1, TABLE;
ZERO:	add.u32 %r2, %r2, 1;
ONE:	add.u32 %r2, %r2, 10;
TWO:	add.u32 %r2, %r2, 100;
NEVER:	st.global.u32 [%o], %r2;""",
        options=options,
    )
    assert result.u32 == [{0: 111, 1: 110, 2: 100, 3: 111}[t & 3] for t in range(32)]


def test_indexed_branch_beyond_its_table():
    with pytest.raises(KernelFault, match="beyond the branch's list of targets") as caught:
        run("\tT: .branchtargets A;\n\tbrx.idx %t, T;\nA:")
    assert (caught.value.kind, caught.value.thread) == ("branch index", (1, 0, 0))


# -- functions --------------------------------------------------------------------------------------------------------

DOUBLE = """
.func (.param .b32 result) double(.param .b32 x)
{
	.reg .b32 %x; .reg .pred %p;
	ld.param.b32 %x, [x];
	setp.gt.u32 %p, %x, 20;
	@%p ret;
	add.u32 %x, %x, %x;
	st.param.b32 [result], %x;
	ret;
}
.func (.reg .u32 r) quadruple(.reg .u32 x)
{
	.param .b32 a; .param .b32 b;
	st.param.b32 [a], x;
	call (b), double, (a);
	call (b), double, (b);
	ld.param.b32 r, [b];
}
"""


@TIERS
def test_calls_are_inlined(options):
    result = run(
        "\tcall (%r1), quadruple, (%t);\n\tst.global.u32 [%o], %r1;",
        before=DOUBLE,
        words=10,
        block=(10, 1, 1),
        options=options,
    )
    assert result.u32 == [4 * t for t in range(10)]


@TIERS
def test_a_guarded_call(options):
    body = (
        "\tmov.u32 %r1, 9;\n\tsetp.lt.u32 %p1, %t, 2;\n\t@%p1 call (%r1), quadruple, (%t);\n\tst.global.u32 [%o], %r1;"
    )
    assert run(body, before=DOUBLE, words=4, block=(4, 1, 1), options=options).u32 == [0, 4, 9, 9]


@TIERS
def test_structures_pass_through_param_memory(options):
    """A 16-byte argument written by halves and read by words: no register holds it, so it lies in memory."""
    callee = """
.func (.param .b32 r) sum(.param .align 8 .b8 s[16])
{
	.reg .b32 %a<5>;
	ld.param.v2.b32 {%a0, %a1}, [s];
	ld.param.v2.b32 {%a2, %a3}, [s+8];
	add.u32 %a0, %a0, %a1; add.u32 %a2, %a2, %a3; add.u32 %a0, %a0, %a2;
	st.param.b32 [r], %a0;
}
"""
    body = """
	{
		.param .align 8 .b8 s[16]; .param .b32 r;
		cvt.u64.u32 %d1, %t;
		mov.b64 %d2, 0x0000000300000002;
		st.param.b64 [s], %d1;
		st.param.b64 [s+8], %d2;
		call (r), sum, (s);
		ld.param.b32 %r1, [r];
	}
	st.global.u32 [%o], %r1;"""
    assert run(body, before=callee, options=options).u32 == [t + 5 for t in range(32)]


@pytest.mark.parametrize(
    "source,what",
    [
        (".extern .func g();\n.entry k() { call g; }", "'g', which this module only declares"),
        (".entry k() { .reg .b64 %a; call %a, (), T; T: .calltargets nothing; }", "none of which is in this module"),
        (".entry k() { .reg .b64 %a; call %a, (); }", "without a .callprototype or .calltargets"),
    ],
)
def test_what_does_not_run_is_refused_when_the_module_is_compiled(source, what):
    with pytest.raises(UnsupportedError, match=what) as caught:
        load(source)
    assert "test.ptx:" in str(caught.value)


def test_registers_of_inner_scopes_hide_outer_ones():
    body = """
	mov.u32 %r1, 1;
	{
		.reg .b64 %r1;
		mov.u64 %r1, 0x0000000500000005;
		st.global.u64 [%out+128], %r1;
		bra IN;
	IN:
	}
	{
		.reg .pred %q;
		setp.eq.u32 %q, %t, 99;
		@%q bra IN;
	IN:	add.u32 %r1, %r1, 1;
	}
	st.global.u32 [%o], %r1;"""
    assert run(body, words=34).u32 == [2] * 32 + [5, 5]


def test_vector_registers_and_their_components():
    body = """
	.reg .v4 .b32 %v;
	mov.u32 %v.x, %t; mov.u32 %v.y, 10; mov.u32 %v.z, 200; mov.u32 %v.w, 3000;
	add.u32 %r1, %v.x, %v.y; add.u32 %r2, %v.b, %v.a;
	add.u32 %r1, %r1, %r2;
	st.global.u32 [%o], %r1;"""
    assert run(body).u32 == [3210 + t for t in range(32)]


def test_a_kernel_that_does_nothing():
    program = load(".entry k() { }\n.entry l() { ret; }")
    assert [kernel.launch((2, 1, 1), (64, 1, 1), b"").instructions for kernel in program.kernels.values()] == [128, 128]
    program.close()


def test_a_long_chain_of_choices():
    """Deeper than choices nest inside a block."""
    links = "\n".join(
        f"\tsetp.ne.u32 %p1, %t, {i}; @%p1 bra N{i}; mov.u32 %r1, {i * i + 7}; bra END;\nN{i}:" for i in range(90)
    )
    assert run(f"{links}\n\tmov.u32 %r1, 1;\nEND:\tst.global.u32 [%o], %r1;", words=96, block=(96, 1, 1)).u32 == [
        t * t + 7 if t < 90 else 1 for t in range(96)
    ]


def test_long_loops_give_other_warps_their_turn():
    """Warp 0 spins until warp 3, which runs later, sets the flag."""
    body = """
	.shared .u32 flag;
	mov.u32 %r1, 0;
	setp.ge.u32 %p1, %t, 96; @%p1 bra SET;
WAIT:	ld.volatile.shared.u32 %r2, [flag]; setp.ne.u32 %p2, %r2, 77; @%p2 bra WAIT;
	bra END;
SET:	mov.u32 %r3, 77; st.volatile.shared.u32 [flag], %r3;
END:	ld.shared.u32 %r1, [flag]; st.global.u32 [%o], %r1;"""
    assert run(body, words=128, block=(128, 1, 1)).u32 == [77] * 128


def test_a_lock_among_the_lanes_of_a_warp():
    """Independent thread scheduling: the lane that holds the lock must run while the others of its warp spin."""
    body = """
TRY:	atom.global.cas.b32 %r1, [%out], 0, 1;
	setp.ne.u32 %p1, %r1, 0; @%p1 bra TRY;
	ld.volatile.global.u32 %r2, [%out+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%out+4], %r2;
	atom.global.exch.b32 %r1, [%out], 0;"""
    assert run(body, words=2, block=(64, 1, 1)).u32 == [0, 64]


def test_ctas_that_wait_for_later_ones_become_resident_together():
    body = """
	mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 5; @%p1 bra SET;
WAIT:	ld.acquire.gpu.global.u32 %r2, [%out]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;
	atom.global.add.u32 %r2, [%out+4], 1;
	bra END;
SET:	st.release.gpu.global.u32 [%out], %r1;
END:"""
    assert run(body, words=2, grid=(6, 1, 1)).u32 == [5, 160]


SHIFTED = """
	mov.b32 %f1, 0xffff0000; mov.f32 %f2, 0f40000000; setp.gt.u32 %p1, %t, 15;
	{instruction};
	mov.b32 %r1, %f1;
	st.global.u32 [%o], %r1;"""


@TIERS
@pytest.mark.parametrize(
    "instruction, bits",
    [
        ("@%p1 add.rn.f32 %f1, %f2, %f2", 0x40800000),
        ("@%p1 fma.rn.f32 %f1, %f2, %f2, %f1", 0x7FFFFFFF),
        ("@%p1 max.f32 %f1, %f2, %f2", 0x40000000),
        ("@%p1 sqrt.rn.f32 %f1, %f1", 0x7FFFFFFF),
        ("add.rn.f32 %f2, %f2, %f2; selp.f32 %f1, %f2, %f1, %p1", 0x40800000),
        ("add.rn.f32 %f2, %f1, %f1; selp.f32 %f1, %f2, %f1, %p1", 0x7FFFFFFF),
    ],
)
def test_what_a_guard_leaves_alone_keeps_its_bits(options, instruction, bits):
    """A NaN that no arithmetic made is not the canonical one."""
    result = run(SHIFTED.format(instruction=instruction), options=options)
    assert result.u32 == [0xFFFF0000] * 16 + [bits] * 16


@TIERS
def test_predicates_are_arguments_and_results(options):
    """A function with several results turns the ABI off, and with it the rule that parameters have 32 bits."""
    result = run(
        """
	setp.lt.u32 %p1, %t, 20;
	setp.gt.u32 %p2, %t, 10;
	call (%r1, %p3), both, (%p1, %p2);
	@%p3 add.u32 %r1, %r1, 100;
	st.global.u32 [%o], %r1;""",
        before="""
.func (.reg .u32 number, .reg .pred holds) both(.reg .pred p, .reg .pred q)
{
	and.pred holds, p, q;
	selp.u32 number, 1, 2, p;
	ret;
}
""",
        options=options,
    )
    assert result.u32 == [(1 if t < 20 else 2) + 100 * (10 < t < 20) for t in range(32)]


@TIERS
def test_a_register_and_a_number_are_added_where_they_are_read(options):
    """ptxas adds them in the register's own size."""
    result = run(
        """
	mul.wide.u32 %d1, %t+-1, 3;
	cvt.u16.u32 %h1, %t;
	setp.eq.u16 %p1, %h1+65535, 4;
	selp.u32 %r1, %t+1000, %t+0, %p1;
	add.u32 %t, %t, 1;
	mad.lo.u32 %r1, %t+-1, 2, %r1;
	cvt.u32.u64 %r2, %d1+0x100000001;
	st.global.u32 [%o], %r1+5;
	@%p1 st.global.u32 [%o], %r2;""",
        options=options,
    )
    assert result.u32 == [13 if t == 5 else 3 * t + 5 for t in range(32)]
