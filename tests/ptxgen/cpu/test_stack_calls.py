"""Calls through the stack: recursion, function pointers, alloca, the heap; and what goes wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

import ptxgen as px
from ptxgen.cpu import KernelFault
from ptxgen.cpu.normalize import calls
from ptxgen.cpu.normalize.functions import CODE
from ptxgen.cpu.program import compile_relocatable
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import BASE, FAST, HEADER, entry, run

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])

FIBONACCI = """
.func (.param .b32 r) fib(.param .b32 n)
{
	.reg .b32 %n, %a, %b; .reg .pred %p;
	ld.param.u32 %n, [n];
	setp.lt.u32 %p, %n, 2;
	@%p bra SMALL;
	sub.u32 %a, %n, 1;
	{ .param .b32 x; .param .b32 y; st.param.b32 [x], %a; call.uni (y), fib, (x); ld.param.b32 %b, [y]; }
	sub.u32 %a, %n, 2;
	{ .param .b32 x; .param .b32 y; st.param.b32 [x], %a; call.uni (y), fib, (x); ld.param.b32 %a, [y]; }
	add.u32 %n, %a, %b;
SMALL:
	st.param.b32 [r], %n;
	ret;
}
"""
CALL_FIB = """
	{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), fib, (x); ld.param.b32 %r2, [y]; }
	st.global.u32 [%o], %r2;"""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@TIERS
def test_a_function_calls_itself_in_each_lane_as_deep_as_it_needs(options):
    body = "and.b32 %r1, %t, 15;" + CALL_FIB
    assert run(body, before=FIBONACCI, options=options).u32 == [fib(t & 15) for t in range(32)]


def test_a_guarded_recursive_call():
    body = """
	setp.gt.u32 %p1, %t, 3;
	mov.u32 %r2, 77;
	{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t; @%p1 call (y), fib, (x); @%p1 ld.param.b32 %r2, [y]; }
	st.global.u32 [%o], %r2;"""
    expected = [77] * 4 + [fib(t) for t in range(4, 12)]
    assert run(body, before=FIBONACCI, block=(12, 1, 1), words=12).u32 == expected


def test_an_endless_recursion_is_a_fault_that_says_so():
    before = ".func f(.param .b32 x) { .param .b32 y; st.param.b32 [y], 1; call f, (y); ret; }"
    with pytest.raises(KernelFault, match=r"stack overflow: .* CU_LIMIT_STACK_SIZE"):
        run("{ .param .b32 y; st.param.b32 [y], 1; call f, (y); }", before=before)


POINTERS = """
.func (.param .b32 r) plus(.param .b32 a, .param .b32 b)
{ .reg .b32 %x, %y; ld.param.b32 %x, [a]; ld.param.b32 %y, [b]; add.u32 %x, %x, %y; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) times(.param .b32 a, .param .b32 b)
{ .reg .b32 %x, %y; ld.param.b32 %x, [a]; ld.param.b32 %y, [b]; mul.lo.u32 %x, %x, %y; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) shared(.param .b32 a, .param .b32 b)
{
	.reg .b32 %x, %y, %m, %i; .shared .b32 s[32];
	ld.param.b32 %x, [a]; mov.u32 %i, %tid.x; mov.u32 %m, s; mad.lo.u32 %i, %i, 4, %m;
	st.shared.b32 [%i], %x; bar.warp.sync 0xff; xor.b32 %i, %i, 4; ld.shared.b32 %y, [%i];
	st.param.b32 [r], %y; ret;
}
.func (.param .b64 r) other(.param .b64 a) { ret; }
.global .u64 table[4] = {plus, times, shared, other};
"""
CALL = """
	{
		.param .b32 a; .param .b32 b; .param .b32 c;
		st.param.b32 [a], %t; st.param.b32 [b], 10;
		P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
		call (c), %d2, (a, b), P;
		ld.param.b32 %r2, [c];
	}
	st.global.u32 [%o], %r2;"""
CHOOSE = """
	mov.u64 %d1, table;
	mad.wide.u32 %d1, %r1, 8, %d1;
	ld.global.u64 %d2, [%d1];"""


@TIERS
def test_lanes_call_different_functions_through_a_table(options):
    body = "shr.u32 %r1, %t, 3; min.u32 %r1, %r1, 1;" + CHOOSE + CALL
    expected = [t + 10 for t in range(8)] + [t * 10 for t in range(8, 32)]
    assert run(body, before=POINTERS, options=options).u32 == expected


def test_functions_that_wait_for_other_lanes():
    body = "shr.u32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; selp.u32 %r1, 2, 0, %p1;" + CHOOSE + CALL
    assert run(body, before=POINTERS).u32 == [t ^ 1 for t in range(8)] + [t + 10 for t in range(8, 32)]


def test_a_list_of_targets_instead_of_a_prototype():
    body = "mov.u64 %d2, times;" + CALL.replace(
        "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);", "P: .calltargets plus, times;"
    )
    assert run(body, before=POINTERS).u32 == [t * 10 for t in range(32)]


@pytest.mark.parametrize("pointer", ["0", "table", "other"])
def test_a_pointer_to_nothing_that_fits_is_a_fault(pointer):
    with pytest.raises(KernelFault, match="function pointer: 0x"):
        run(f"mov.u64 %d2, {pointer};" + CALL, before=POINTERS)


def test_the_address_of_a_function_is_the_same_in_a_table_and_in_a_register():
    body = """
	mov.u64 %d1, table; ld.global.u64 %d2, [%d1+8]; mov.u64 %d3, times;
	st.global.u64 [%out], %d2; st.global.u64 [%out+8], %d3;"""
    first, second = run(body, before=POINTERS).u64[:2]
    assert first == second > CODE


ALLOCA = """
	stacksave.u64 %d4;
	shl.b32 %r1, %t, 2;
	cvt.u64.u32 %d1, %r1; add.u64 %d1, %d1, 4;
	alloca.u64 %d2, %d1;
	alloca.u64 %d5, 32, 64;
	cvta.local.u64 %d3, %d2;
	cvt.u64.u32 %d1, %r1;
	add.u64 %d1, %d1, %d3;
	st.u32 [%d1], %t;
	st.local.u32 [%d5], 1;
	ld.local.u32 %r2, [%d2];
	ld.u32 %r3, [%d1];
	stackrestore.u64 %d4;
	alloca.u64 %d6, 16;
	sub.u64 %d6, %d6, %d2;
	cvt.u32.u64 %r4, %d6;
	add.u32 %r3, %r3, %r4;
	st.global.u32 [%o], %r3;"""


@TIERS
def test_memory_of_a_size_known_at_run_time(options):
    """Each lane has its own; behind stackrestore the same memory is given again."""
    assert run(ALLOCA, options=options).u32 == list(range(32))


def test_memory_of_the_stack_has_an_end():
    with pytest.raises(KernelFault, match="stack overflow"):
        run("mov.u64 %d1, 1000000; alloca.u64 %d2, %d1;")


HEAP = """
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
"""


def allocate(size, target):
    return f"""{{ .param .b64 n; .param .b64 r; st.param.b64 [n], {size}; call.uni (r), malloc, (n);
	ld.param.b64 {target}, [r]; }}
"""


def release(pointer):
    return f"{{ .param .b64 p; st.param.b64 [p], {pointer}; call.uni free, (p); }}\n"


def test_memory_of_the_heap_is_apart_for_each_thread():
    body = allocate(24, "%d1") + "st.u32 [%d1+20], %t; bar.sync 0; ld.u32 %r1, [%d1+20]; st.global.u32 [%o], %r1;"
    body += release("%d1") + release(0)
    assert run(body, before=HEAP, block=(64, 1, 1), words=64).u32 == list(range(64))


def test_too_much_of_the_heap_is_null():
    body = allocate(1 << 40, "%d1") + "st.global.u64 [%out], %d1;"
    assert run(body, before=HEAP).u64[0] == 0


@pytest.mark.parametrize("wrong", ["free twice", "free of something else"])
def test_a_wrong_free_is_a_fault(wrong):
    body = allocate(16, "%d1") + release("%d1") if wrong == "free twice" else "mov.u64 %d1, %out;"
    with pytest.raises(KernelFault, match="heap pointer: free of 0x"):
        run(body + release("%d1"), before=HEAP, block=(1, 1, 1))


# -- vectors in registers as parameters and results ------------------------------------------------------------------------

SUMS = """
.func (.reg .v2 .u32 r) sums(.reg .v2 .u32 v, .reg .u32 n)
{{
	.reg .u32 a;
	.reg .pred p;
	add.u32 a, v.x, v.y;
	mov.u32 r.x, v.x;
	mov.u32 r.y, a;
	setp.eq.u32 p, n, 0;
	@p ret;
	sub.u32 a, n, 1;
	{again}
	ret;
}}
"""
CALL_SUMS = """
	{ .reg .v2 .u32 v; .reg .u32 n; mov.u32 v.x, 3; mov.u32 v.y, 4; mov.u32 n, 3; call (v), sums, (v, n);
	mov.u32 %r1, v.y; }
	st.global.u32 [%o], %r1;"""


@TIERS
@pytest.mark.parametrize("again, found", [("", 7), ("call (r), sums, (r, a);", 16)], ids=["a copy", "the stack"])
def test_vectors_in_registers_as_parameters(options, again, found):
    assert run(CALL_SUMS, before=SUMS.format(again=again), options=options).unpack("I") == [found] * 32


LONG = """
.func (.reg .u32 r) twice(.reg .u32 n) { add.u32 r, n, n; ret; }
.func (.reg .u32 r) long(.reg .u32 n) { call (r), twice, (n); ONES ret; }
.func (.reg .u32 r) other(.reg .u32 n) { call (r), long, (n); add.u32 r, r, 7; ret; }
""".replace("ONES", 200 * "add.u32 r, r, 1;")


@TIERS
def test_what_would_be_copied_too_often_goes_through_the_stack(options, monkeypatch):
    monkeypatch.setattr(calls, "_MOST_COPIED", 500)
    body = "".join(f"call (%r{i}), {f}, (%t);" for i, f in enumerate(("long", "other", "long"), 1))
    sums = "add.u32 %r1, %r1, %r2; shl.b32 %r3, %r3, 16; add.u32 %r1, %r1, %r3; st.global.u32 [%o], %r1;"
    expected = [(4 * t + 407) + ((2 * t + 200) << 16) for t in range(32)]
    assert run(body + sums, before=LONG, options=options).u32 == expected
    kernel = compile_relocatable(parse(HEADER + LONG + entry("test", body))).kernels[0]
    assert kernel.code.uses_stack
    assert kernel.code.text.count("add i32") < 400, "long stands once"


# -- what nvcc makes of C++ (data/virtual_functions.cu) --------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled():
    """The kernels, on the CPU device."""
    path = Path(__file__).parent / "data" / "virtual_functions.ptx"
    return px.device("cpu").load(px.parse(path.read_text(), name=path.name))


def test_virtual_functions_of_objects_on_the_heap(compiled):
    out = px.device("cpu").zeros(64, px.f32)
    compiled["areas"].launch(1, 64, (out,))
    assert out.numpy().tolist() == [(2.0 if i % 2 else 6.0) * i * i for i in range(64)]


def test_a_recursion_within_a_recursion(compiled):
    def ackermann(m, n):
        return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))

    out = px.device("cpu").zeros(64, px.s32)
    compiled["ackermanns"].launch(1, 64, (out,))
    assert out.numpy().tolist() == [ackermann(i % 3, i % 4) for i in range(64)]
