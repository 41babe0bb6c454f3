"""Exact control: one call, one instruction; what is not legal says what is."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import b32, f16x2, f32, f64, pred, s32, sink, u32, u64


def body(kernel, **how):
    """The instructions of a kernel, without loads of its parameters and `ret`."""
    lines = str(kernel.module(strict=True, **how)).partition("{")[2].splitlines()
    code = [line.strip() for line in lines if line.startswith("\t") and not line.strip().startswith(".")]
    return [line for line in code if not line.startswith(("ld.param", "cvta", "ret"))]


def built(write, *, target="sm_90a"):
    """What a function writes into a kernel with a few values at hand."""

    @px.kernel
    def kernel(k: px.Builder, n: u32, a: f32, x: px.ptr[f32]):
        write(k, n, a, x)

    return body(kernel, target=target)


# ---- what may be written ---------------------------------------------------------------------------------------------


def arithmetic(k, n, a, x):
    d = k.var(f32)
    k.ptx.add.rn.ftz.f32(d, a, 1.5)
    k.ptx.fma.rn.f32(d, a, d, 0)


def test_modifiers_in_the_manual_s_order():
    assert built(arithmetic) == ["add.rn.ftz.f32 %f2, %f1, 0f3FC00000;", "fma.rn.f32 %f2, %f1, %f2, 0f00000000;"]


def names(k, n, a, x):
    d, m = k.var(b32), k.var(u32)
    k.ptx.and_.b32(d, n, 7)
    k.ptx.not_.b32(d, d)
    k.ptx["ld.global.v4.f32"](tuple(k.var(f32) for _ in range(4)), x.at(4))
    tile = k.shared(u32, 4)
    k.ptx.ld.shared__cta.u32(m, tile.at(1))
    k.ptx["st.shared::cta"].u32(tile, m)
    k.ptx.ld.global_.u32(m, [x, 8])


def test_python_s_keywords_colons_and_quoted_names():
    assert built(names) == [
        "and.b32 %r2, %r1, 7;",
        "not.b32 %r2, %r2;",
        "ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd2+16];",
        "ld.shared::cta.u32 %r3, [shared_0+4];",
        "st.shared::cta.u32 [shared_0], %r3;",
        "ld.global.u32 %r3, [%rd2+8];",
    ]


def destinations(k, n, a, x):
    p, q, d = k.var(pred), k.var(pred), k.var(u32)
    k.ptx.setp.lt.and_.u32((p, q), n, 5, ~(a < 0))
    k.ptx.shfl.sync.up.b32((d, p), n, 1, 0, 0xFFFFFFFF)
    k.ptx.setp.eq.u32((sink, p), n, 1)
    k.ptx.mov.b64((d, k.var(u32)), k.const(u64, 5))


def test_pairs_sinks_and_vectors():
    assert built(destinations) == [
        "setp.lt.f32 %p3, %f1, 0f00000000;",
        "setp.lt.and.u32 %p1|%p2, %r1, 5, !%p3;",
        "shfl.sync.up.b32 %r2|%p1, %r1, 1, 0, 4294967295;",
        "setp.eq.u32 _|%p1, %r1, 1;",
        "mov.b64 {%r2, %r3}, 5;",
    ]


def guards(k, n, a, x):
    d = k.var(u32, 0)
    k.ptx.add.u32(d, d, n, pred=n < 3)
    with k.pred(~(n < 3)):
        k.ptx.sub.u32(d, d, 1)


def test_guards():
    assert built(guards)[2:] == [
        "@%p1 add.u32 %r2, %r2, %r1;",
        "setp.lt.u32 %p2, %r1, 3;",
        "@!%p2 sub.u32 %r2, %r2, 1;",
    ]


def tensor_cores(k, n, a, x):
    d = [k.var(f32, 0.0) for _ in range(4)]
    left, right = [k.var(b32, 0) for _ in range(4)], [k.var(b32, 0) for _ in range(2)]
    k.ptx.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(tuple(d), tuple(left), tuple(right), tuple(d))


def test_tensor_core_instructions():
    (line,) = [line for line in built(tensor_cores) if line.startswith("mma")]
    assert line == (
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, %f5}, {%r2, %r3, %r4, %r5}, "
        "{%r6, %r7}, {%f2, %f3, %f4, %f5};"
    )


@px.kernel
def exact_program(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    """z = bits 4 to 11 of x, reversed in its bytes, with a carry chain."""
    i = k.tid.x
    field, low, high = k.var(u32), k.var(u32), k.var(u32)
    k.ptx.bfe.u32(field, x[i], 4, 8)
    k.ptx.prmt.b32(field, field, 0, 0x0123)
    k.ptx.add.cc.u32(low, x[i], x[i])
    k.ptx.addc.u32(high, 0, 0)
    z[i] = field
    z[i + 32] = low
    z[i + 64] = high


def test_exact_instructions_run(run):
    x = np.random.default_rng(0).integers(0, 2**32, 32, dtype=np.uint32)
    _, z = run(exact_program, x, np.zeros(96, np.uint32))
    assert z[:32].tolist() == ((x >> 4 & 0xFF) << 24).tolist()
    assert z[32:64].tolist() == (x * np.uint32(2)).tolist()
    assert z[64:].tolist() == (x >> 31).tolist()


def test_completion_offers_the_modifiers_that_may_follow():
    seen = {}

    @px.kernel
    def looks(k: px.Builder):
        seen["opcodes"] = dir(k.ptx)
        seen["shfl"] = dir(k.ptx.shfl.sync)
        seen["repr"] = repr(k.ptx.ld.global_.u32)

    looks.module()
    assert {"add", "and_", "mma", "not_"} <= set(seen["opcodes"])
    assert {"up", "down", "bfly", "idx"} <= set(seen["shfl"])
    assert seen["repr"] == "<instruction ld.global.u32>"


# ---- what may not ----------------------------------------------------------------------------------------------------


def refused(write, *, target="sm_90a"):
    with pytest.raises(px.BuildError) as caught:
        built(write, target=target)
    (finding,) = caught.value.diagnostics
    assert finding.locations[0].file == __file__, "the error is at the caller's line"
    return finding


@pytest.mark.parametrize(
    "write, code, message, remedy",
    [
        (lambda k, n, a, x: k.ptx.addd.u32(n, n, n), "PTX200", "unknown instruction 'addd'", "add"),
        (lambda k, n, a, x: k.ptx.add.f32.rn(n, n, n), "PTX201", "add.f32.rn is not a form of add", "add.rn.f32"),
        (lambda k, n, a, x: k.ptx.add.rn.u32(n, n, n), "PTX201", "add.rn.u32 is not a form of add", "add.u32"),
        (
            lambda k, n, a, x: k.ptx.ld.shared.v3.f32(n, x),
            "PTX201",
            "ld.shared.v3.f32 is not a form of ld",
            "ld.shared.v2.f32",
        ),
        (
            lambda k, n, a, x: k.ptx.ld.v4.global_.f32(n, x),
            "PTX201",
            "ld.v4.global.f32 is not a form",
            "ld.global.v4.f32",
        ),
    ],
)
def test_a_chain_that_is_no_form_names_the_nearest(write, code, message, remedy):
    finding = refused(write)
    assert (finding.code, message in finding.message) == (code, True)
    assert remedy in finding.hint


@pytest.mark.parametrize(
    "write, code, message, expected",
    [
        (lambda k, n, a, x: k.ptx.add.u32(k.var(u32), n), "PTX202", "2 operands", "3"),
        (lambda k, n, a, x: k.ptx.add.u32(k.var(u32), n, n, n), "PTX202", "4 operands", "3"),
        (lambda k, n, a, x: k.ptx.add.u32(k.var(u32), n, a), "PTX203", "operand 3 is %f1 (.f32)", ".u32"),
        (lambda k, n, a, x: k.ptx.add.u64(k.var(u64), n, 1), "PTX203", "operand 2 is %r1 (.b32)", ".u64"),
        (lambda k, n, a, x: k.ptx.add.u32(k.var(pred), n, 1), "PTX203", "(.pred)", ".u32"),
        (lambda k, n, a, x: k.ptx.selp.b32(k.var(u32), n, 1, n), "PTX203", "operand 4 is %r1", ".pred"),
        (lambda k, n, a, x: k.ptx.ld.global_.f32(k.var(f32), a), "PTX203", "%f1", ""),
        (lambda k, n, a, x: k.ptx.add.f32(k.var(f32), a, n), "PTX203", ".u32> is passed to add.f32", "x.to(f32)"),
        (lambda k, n, a, x: k.ptx.mov.f32(k.var(u32), a), "PTX203", ".u32> is passed to mov.f32", "x.bits(b32)"),
    ],
)
def test_wrong_operands_are_named_with_what_was_expected(write, code, message, expected):
    finding = refused(write)
    assert finding.code == code
    assert message in finding.message
    assert expected in f"{finding.expected} {finding.hint}"


def test_an_immediate_outside_its_range_is_a_warning():
    """The assembler takes it; the manual does not."""

    @px.kernel
    def kernel(k: px.Builder, n: u32):
        k.ptx.lop3.b32(k.var(u32), n, n, n, 0x1FF)

    with pytest.warns(px.PtxWarning, match=r"PTX205: operand 5 of lop3.b32 is the constant 511(.|\n)*from 0 to 255"):
        kernel.module()
    with pytest.raises(px.VerifyError, match="PTX205"):
        kernel.module(strict=True)


def test_an_instruction_that_the_target_lacks():
    finding = refused(lambda k, n, a, x: k.ptx.wgmma.fence.sync.aligned(), target="sm_90")
    assert finding.code == "PTX412"
    assert "wgmma.fence.sync.aligned needs target sm_90a, this module is for sm_90" in finding.message
    assert "sm_90a" in finding.hint


def test_a_value_is_not_a_destination():
    finding = refused(lambda k, n, a, x: k.ptx.add.u32(n, n, 1))
    assert finding.code == "PTX326"
    assert "assigned only once" in finding.message
    assert "d = k.var(u32)" in finding.hint


def test_nor_is_it_inside_a_vector():
    finding = refused(lambda k, n, a, x: k.ptx["ld.global.v2.f32"]((a, k.var(f32)), x))
    assert finding.code == "PTX326"


def test_a_pointer_with_an_offset_is_no_register():
    finding = refused(lambda k, n, a, x: k.ptx.add.u64(k.var(u64), x.at(1), 1))
    assert finding.code == "PTX204"


@pytest.mark.parametrize(
    "name", ["ldmatrix.sync.aligned.m8n8.x1.shared.b16", "ld.shared.b32", "ld.volatile.shared.b32"]
)
def test_every_pointer_keeps_its_offset(name):
    """Also from the second call on, which follows the plan that the first one left."""

    @px.kernel
    def kernel(k: px.Builder) -> None:
        start = k.shared(u32, 64).pointer.at(k.tid.x)
        for offset in (4, 8, 12):
            words = k.var(b32)
            k.ptx[name]((words,) if "matrix" in name else words, start.at(offset))

    loads = [line for line in str(kernel.module(target="sm_90a")).splitlines() if name in line]
    assert [line.rpartition("+")[2] for line in loads] == ["16];", "32];", "48];"]


def test_a_guard_within_a_guard():
    def write(k, n, a, x):
        d = k.var(u32, 0)
        with k.pred(n < 1):
            k.ptx.add.u32(d, d, 1, pred=n < 2)

    assert refused(write).code == "PTX328"


def test_these_kernels_assemble(assembles):
    @px.kernel
    def all_of_them(k: px.Builder, n: u32, a: f32, x: px.ptr[f32]):
        for write in (arithmetic, names, destinations, guards):
            write(k, n, a, x)

    @px.kernel
    def with_tensor_cores(k: px.Builder, n: u32, a: f32, x: px.ptr[f32]):
        tensor_cores(k, n, a, x)

    assembles([all_of_them, exact_program])
    assembles([with_tensor_cores], targets=["sm_80", "sm_90a", "sm_100a", "sm_120"])


def test_packed_types_are_values_too(run):
    @px.kernel
    def packed(k: px.Builder, x: px.ptr[f16x2], z: px.ptr[f16x2], d: f64, i: s32):
        z[0] = x[0] + x[1]
        z[1] = k.fma(x[0], x[1], x[0])
        z[2] = k.max(x[0], x[1])

    x = np.array([1.5, -2, 0.25, 3], np.float16)
    _, z = run(packed, x.view(np.uint32), np.zeros(3, np.uint32), 0.0, 0, block=1, target="sm_80")
    a, b = x[:2], x[2:]
    assert z.view(np.float16).tolist() == [*(a + b), *(a * b + a), *np.maximum(a, b)]
