"""What the builder says in PTX's own words: `px.declare`, `k.directive`, `k.block`, named registers, labels, results by type."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import f32, pred, u32, u64
from ptxgen.ir import Address, Not

pytestmark = pytest.mark.filterwarnings("ignore::ptxgen.errors.PtxWarning")  # of bodies that do nothing sensible


def lines(*items, **how):
    """The text of a module, each line without its blanks."""
    return [line.strip() for line in str(px.module(*items, target="sm_90a", version="8.0", **how)).splitlines() if line]


def body(function, head=".visible .entry f(.param .u64 p)"):
    """The statements of a body."""
    found = lines(px.declare(head)(function))
    return found[found.index("{") + 1 : -1]


def test_declarations_and_functions_stand_in_the_order_that_module_names():
    table = px.declare(".const .align 4 .u32 table[2] = {1, 2};")
    outside = px.declare(".extern .func outside()")

    @px.declare(".weak .func (.reg .u32 result) double(.reg .u32 x)")
    def double(k, result, x):
        k.ptx.add.u32(result, x, x)
        k.return_()

    @px.kernel
    def kernel(k: px.Builder):
        k.ptx.call("outside")

    found = lines(outside, double, table, kernel)
    places = [found.index(line) for line in found if line.startswith((".extern", ".weak", ".const", ".visible"))]
    assert [found[at].split()[0] for at in places] == [".extern", ".weak", ".const", ".visible"]
    assert "add.u32 result, x, x;" in found


def test_a_body_ends_as_it_was_written():
    assert body(lambda k: k.trap()) == ["trap;"]
    assert body(lambda k: None) == []


def test_text_that_is_no_ptx_is_an_error_at_its_line():
    with pytest.raises(px.BuildError, match=r"PTX1\d\d[^\0]*test_declarations.py"):
        lines(px.declare(".global .u33 x;"))


def test_only_a_head_takes_a_body():
    declared = px.declare(".global .u32 x;")(lambda k: None)
    with pytest.raises(px.BuildError, match="is given a body"):
        lines(declared)


def test_a_declared_function_returns_nothing_to_python():
    with pytest.raises(px.BuildError, match="returns 3"):
        lines(px.declare(".func f()")(lambda k: 3))


def test_target_options():
    kernel = px.declare(".visible .entry f()")(lambda k: k.return_())
    found = lines(kernel, target_options=("texmode_independent",))
    assert ".target sm_90a, texmode_independent" in found


# ---- results by type -------------------------------------------------------------------------------------------------


def test_a_type_where_a_result_stands_makes_a_value():
    @px.kernel
    def kernel(k: px.Builder, p: u64):
        x, y = k.ptx.ld.global_.v2.f32((f32, f32), [p, 8])
        z = k.ptx.add.f32(f32, x, y)
        less, not_less = k.ptx.setp.lt.f32((pred, pred), x, y)
        assert not z.mutable
        k.ptx.st.global_.f32([p], z, pred=less)
        k.ptx.st.global_.f32([p], y, pred=not_less)

    found = lines(kernel)
    assert "ld.global.v2.f32 {%f1, %f2}, [%rd1+8];" in found
    assert "add.f32 %f3, %f1, %f2;" in found
    assert "setp.lt.f32 %p1|%p2, %f1, %f2;" in found


def test_a_pointer_type_makes_no_result():
    with pytest.raises(px.BuildError, match="PTX220"):
        body(lambda k: k.ptx.mov.u64(px.ptr[f32], 0))


# ---- statements ------------------------------------------------------------------------------------------------------


def test_directives_and_blocks():
    def function(k):
        k.directive('.pragma "nounroll";')
        with k.block():
            k.directive(".param .b32 a;")
            k.ptx.st.param.b32(["a"], 1)

    assert body(function) == ['.pragma "nounroll";', "{", ".param .b32 a;", "st.param.b32 [a], 1;", "}"]


@pytest.mark.parametrize("text", ["mov.u32 a, b;", "", ".pragma", "{ }"])
def test_what_is_no_directive_is_an_error(text):
    with pytest.raises(px.BuildError, match=r"PTX1\d\d"):
        body(lambda k: k.directive(text))


def test_registers_keep_names_that_are_given():
    def function(k):
        r = k.registers(u32, "%r", 3)
        sp = k.named_register(u64, "%SP")
        k.ptx.add.u32(r[2], r[1], 1)
        k.ptx.st.local.u32(Address(sp, zero=True), r[2])

    expected = [".reg .u32 %r<3>;", ".reg .u64 %SP;", "add.u32 %r2, %r1, 1;", "st.local.u32 [%SP+0], %r2;"]
    assert body(function) == expected


def test_not_of_a_variable_takes_no_instruction():
    def function(k):
        p = k.var(pred)
        with k.if_(Not(p)):
            k.trap()
        with k.if_(Not(Not(p))):
            k.ptx.ret(pred=Not(p))

    expected = ["@%p1 bra $L_endif_1;", "trap;", "$L_endif_1:", "@!%p1 bra $L_endif_2;", "@!%p1 ret;", "$L_endif_2:"]
    assert body(function) == [".reg .pred %p<2>;", *expected]


# ---- loops and labels ------------------------------------------------------------------------------------------------


def test_do_while_tests_at_its_end():
    def function(k):
        i = k.var(u32, 0)
        with k.do_while():
            i += 1
            k.continue_(i < 10)

    assert body(function)[2:] == [
        "mov.b32 %r1, 0;", "$L_repeat_1:", "add.u32 %r1, %r1, 1;", "setp.lt.u32 %p1, %r1, 10;", "@%p1 bra $L_repeat_1;",
    ]  # fmt: skip


def test_break_and_continue_take_a_condition():
    def function(k):
        p, q = k.var(pred), k.var(pred)
        with k.while_():
            k.break_(p)
            k.continue_(Not(q))

    assert body(function)[1:] == [
        "$L_while_1:", "@%p1 bra $L_endwhile_2;", "@!%p2 bra $L_while_1;", "bra $L_while_1;", "$L_endwhile_2:",
    ]  # fmt: skip


def test_labels_of_the_caller():
    def function(k):
        p = k.var(pred)
        with k.if_(p, end="E"), k.if_(p, end="E"):
            k.trap()
        k.place("E")
        k.place("L")
        with k.while_(again="L", end="M"):
            k.break_()
        k.place("M")
        with k.if_else(p, end="N") as (then, otherwise):
            with then:
                k.trap()
            with otherwise:
                k.trap()
        k.place("N")

    assert body(function)[1:] == [
        "@!%p1 bra E;", "@!%p1 bra E;", "trap;", "E:", "L:", "bra M;", "bra L;", "M:",
        "@!%p1 bra $L_else_1;", "trap;", "bra N;", "$L_else_1:", "trap;", "N:",
    ]  # fmt: skip
