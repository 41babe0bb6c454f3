"""Nothing is silent: what would quietly mean something else raises, at the user's line, with the remedy."""

from __future__ import annotations

import linecache

import pytest

import ptxgen as px
from ptxgen import bf16, f32, f64, pred, s8, s32, s64, u8, u32, u64


def traps():
    """(what is written, code, what is said, the remedy). The line that the error names ends in `# here`."""

    def python_if(k, n, a, x):
        if n > 3:  # here
            x[0] = a

    def python_while(k, n, a, x):
        while n != 0:  # here
            n -= 1

    def python_and(k, n, a, x):
        with k.if_((n > 3) and (n < 7)):  # here
            x[0] = a

    def python_not(k, n, a, x):
        with k.if_(not n > 3):  # here
            x[0] = a

    def chained_comparison(k, n, a, x):
        with k.if_(3 < n < 7):  # here
            x[0] = a

    def python_min(k, n, a, x):
        x[0] = min(a, x[1])  # here

    def python_range(k, n, a, x):
        for i in range(n):  # here
            x[i] = a

    def python_list(k, n, a, x):
        x[0] = [1.0, 2.0][n]  # here

    def python_float(k, n, a, x):
        x[0] = float(a)  # here

    def iterates(k, n, a, x):
        for i in n:  # here
            x[i] = a

    for trap in (python_if, python_while, python_and, python_not, chained_comparison):
        yield trap, "PTX320", "known only on the device", "k.if_(condition)"
    yield python_min, "PTX320", "known only on the device", "k.min(a, b)"
    for trap in (python_range, python_list):
        yield trap, "PTX320", "is not a Python integer", "k.range(n)"
    yield python_float, "PTX320", "is not a Python float", None
    yield iterates, "PTX320", "cannot be iterated", "k.range(n)"

    # values that leave the body they were computed in

    def leaves_if(k, n, a, x):
        with k.if_(n > 3):
            b = a * 2.0
        x[0] = b  # here

    def leaves_range(k, n, a, x):
        acc = a
        for i in k.range(n):
            acc = acc + x[i]
        x[0] = acc  # here

    def leaves_while(k, n, a, x):
        m = k.var(u32, n)
        with k.while_(lambda: m != 0):
            m -= 1
            b = m + 1
        x[b] = a  # here

    def leaves_then(k, n, a, x):
        with k.if_else(n > 3) as (then, otherwise):
            with then:
                b = a + 1.0
            with otherwise:
                x[0] = b  # here

    def counter_leaves(k, n, a, x):
        for i in k.range(n):
            x[i] = a
        x[i] = a  # here

    def leaves_guard(k, n, a, x):
        with k.pred(n > 3):
            b = x[0]
        x[1] = b  # here

    for trap in (leaves_if, leaves_range, leaves_while, leaves_then, counter_leaves, leaves_guard):
        yield trap, "PTX321", "cannot be used outside it", "k.var"

    # what is computed and not used

    def thrown_away(k, n, a, x):
        _ = n == 3  # here
        x[0] = a

    def thrown_away_vote(k, n, a, x):
        k.all(n == 3)  # here

    def thrown_away_barrier(k, n, a, x):
        k.barrier_any(n == 3)  # here

    def empty_guard(k, n, a, x):
        with k.pred(n == 3):  # here
            pass

    for trap in (thrown_away, thrown_away_vote, thrown_away_barrier):
        yield trap, "PTX322", "the result of a comparison is thrown away", "k.if_, k.select, a vote or a guard"
    yield empty_guard, "PTX323", "a guard over no instruction", None

    # Python's control flow in a body that is built once

    def python_break(k, n, a, x):
        for i in k.range(n):
            x[i] = a
            break  # here
        x[0] = a

    def python_return(k, n, a, x):
        for i in k.range(n):
            x[i] = a
            return  # here

    yield python_break, "PTX324", "Python's break or return", "k.break_()"
    yield python_return, "PTX324", "Python's break or return", "k.break_()"

    # control flow in the wrong place

    def break_outside(k, n, a, x):
        with k.if_(n > 3):
            k.break_()  # here

    def continue_outside(k, n, a, x):
        k.continue_()  # here

    def branch_in_guard(k, n, a, x):
        with k.pred(n > 3):
            with k.if_(n > 4):  # here
                x[0] = a

    def guard_in_guard(k, n, a, x):
        with k.pred(n > 3):
            with k.pred(n > 4):  # here
                x[0] = a

    def only_then(k, n, a, x):
        with k.if_else(n > 3) as (then, _otherwise):  # here
            with then:
                x[0] = a

    def otherwise_first(k, n, a, x):
        with k.if_else(n > 3) as (_then, otherwise):
            with otherwise:  # here
                x[0] = a

    def condition_once(k, n, a, x):
        with k.while_(n > 3):  # here
            x[0] = a

    def unrolled_with(k, n, a, x):
        with k.range(4, unroll=2) as i:  # here
            x[i] = a

    yield break_outside, "PTX325", "break_ outside a loop", None
    yield continue_outside, "PTX325", "continue_ outside a loop", None
    yield branch_in_guard, "PTX328", "control flow inside k.pred", "k.if_(condition)"
    yield guard_in_guard, "PTX328", "k.pred inside k.pred", "k.pred(a & b)"
    yield only_then, "PTX327", "if_else without its `otherwise` body", "k.if_(condition)"
    yield otherwise_first, "PTX327", "`otherwise` comes after `then`", None
    yield condition_once, "PTX327", "computed only once", "lambda"
    yield unrolled_with, "PTX327", "builds its body several times", "for i in k.range"

    # types that do not go together

    def mixed_integers(k, n, a, x):
        x[n + k.const(s32, 1)] = a  # here

    def mixed_widths(k, n, a, x):
        x[n + k.const(u64, 1)] = a  # here

    def mixed_floats(k, n, a, x):
        x[0] = a * k.const(f64, 1.0)  # here

    def integer_and_float(k, n, a, x):
        x[0] = a * n  # here

    def float_to_integer(k, n, a, x):
        x[n + 1.5] = a  # here

    def stores_other_type(k, n, a, x):
        x[0] = n  # here

    def compares_types(k, n, a, x):
        with k.if_(n < a):  # here
            x[0] = a

    def compares_text(k, n, a, x):
        with k.if_(n == "3"):  # here
            x[0] = a

    def integer_division(k, n, a, x):
        x[n / 2] = a  # here

    def condition_is_integer(k, n, a, x):
        with k.if_(n):  # here
            x[0] = a

    def select_of_numbers(k, n, a, x):
        x[0] = k.select(n > 3, 1, 2)  # here

    def shift_by_wide(k, n, a, x):
        x[n << k.const(u64, 1)] = a  # here

    def float_index(k, n, a, x):
        x[a] = a  # here

    def float_range(k, n, a, x):
        for i in k.range(a):  # here
            x[i] = a

    def vector_of_wrong_length(k, n, a, x):
        x.vectors(4)[0] = (a, a, a)  # here

    def integer_root(k, n, a, x):
        x[0] = k.sqrt(n).to(f32)  # here

    for trap in (mixed_integers, mixed_widths, mixed_floats, integer_and_float, compares_types):
        yield trap, "PTX220", " of .", ".to("
    yield float_to_integer, "PTX220", "add of .u32 and the float 1.5", "x.to(f32)"
    yield stores_other_type, "PTX220", ".u32 stored to .f32 elements", "value.to(f32)"
    yield compares_text, "PTX220", "eq of .u32 and str", None
    yield integer_division, "PTX220", "/ of integers", "// truncates"
    yield condition_is_integer, "PTX206", "a condition is a predicate, not a .u32 value", "x != 0"
    yield select_of_numbers, "PTX220", "has no type", "k.const(u32, 1)"
    yield shift_by_wide, "PTX220", "a shift amount is a 32-bit integer", "amount.to(u32)"
    yield float_index, "PTX220", "an index is a 32- or 64-bit integer, not .f32", "index.to(u32)"
    yield float_range, "PTX220", "the bounds of a range are integers", "n.to(u32)"
    yield vector_of_wrong_length, "PTX202", "3 values for a vector of 4", None
    yield integer_root, "PTX220", "sqrt of a .u32 value", "x.to(f32)"

    # numbers that do not fit

    def too_large(k, n, a, x):
        x[n + 2**32] = a  # here

    def negative_unsigned(k, n, a, x):
        x[n + -1] = a  # here

    def byte(k, n, a, x):
        x[k.const(u8, 256).to(u32)] = a  # here

    def signed_byte(k, n, a, x):
        x[k.const(s8, 128).to(s32)] = a  # here

    def fraction(k, n, a, x):
        x[k.const(u32, 0.5)] = a  # here

    def negative_shift(k, n, a, x):
        x[n << -1] = a  # here

    def step_zero(k, n, a, x):
        for i in k.range(0, 4, 0):  # here
            x[i] = a

    def down_unsigned(k, n, a, x):
        for i in k.range(n, 0, -1):  # here
            x[i] = a

    def shape_unknown(k, n, a, x):
        k.shared(f32, n)[0] = a  # here

    def shape_zero(k, n, a, x):
        k.shared(f32, 0)[0] = a  # here

    def index_outside(k, n, a, x):
        k.shared(f32, (2, 3))[1, 3] = a  # here

    def wrong_rank(k, n, a, x):
        k.shared(f32, (2, 3))[1] = a  # here

    def unroll_zero(k, n, a, x):
        for i in k.range(4, unroll=0):  # here
            x[i] = a

    def wide_vector(k, n, a, x):
        x.vectors(32)[0] = a  # here

    for trap in (too_large, negative_unsigned, byte, signed_byte):
        yield trap, "PTX221", "does not fit in ", None
    yield fraction, "PTX221", "0.5 is no .u32 constant", "a floating type"
    yield negative_shift, "PTX221", "a shift by -1", None
    yield step_zero, "PTX221", "a range with step 0 never ends", None
    yield down_unsigned, "PTX220", "a range of .u32 cannot count down", "type=s32"
    yield shape_unknown, "PTX221", "the shape of an array is known while building", "k.dynamic_shared"
    yield shape_zero, "PTX221", "a shape of 0", None
    yield index_outside, "PTX221", "index 3 outside 0..2", None
    yield wrong_rank, "PTX202", "1 indices into 2 dimensions", None
    yield unroll_zero, "PTX221", "unroll=0", None
    yield wide_vector, "PTX221", "no vector of 32 x .f32", None

    # writing what is not a variable

    def sets_value(k, n, a, x):
        n.set(3)  # here

    def no_bits(k, n, a, x):
        x[0] = n.to(u64).bits(f32)  # here

    def wrong_variable(k, n, a, x):
        k.var(f32, n)  # here

    def predicates_in_memory(k, n, a, x):
        k.shared(pred, 4)  # here

    def halves_of_constants(k, n, a, x):
        k.constant("c", bf16, [1.0])  # here

    yield sets_value, "PTX326", "only a variable can be set", "k.var"
    yield no_bits, "PTX220", "the bits of .u64 as .f32", None
    yield wrong_variable, "PTX220", "set of .f32 and .u32", ".to(f32)"
    yield predicates_in_memory, "PTX220", "predicates are not stored in memory", "p.to(u8)"
    yield halves_of_constants, "PTX220", "initial values of .bf16", "b16 bit patterns"


@pytest.mark.parametrize("write, code, message, remedy", [pytest.param(*trap, id=trap[0].__name__) for trap in traps()])
def test_a_trap_says_what_where_and_what_to_do(write, code, message, remedy):
    @px.kernel
    def kernel(k: px.Builder, n: u32, a: f32, x: px.ptr[f32]):
        write(k, n, a, x)

    with pytest.raises(px.BuildError) as caught:
        kernel.module()
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.is_error) == (code, True)
    assert message in finding.message
    assert remedy is None or remedy in f"{finding.hint} {finding.expected}"
    place = finding.locations[0]
    assert linecache.getline(place.file, place.line).rstrip().endswith("# here"), place


def test_a_value_of_another_kernel():
    stolen = []

    @px.kernel
    def lends(k: px.Builder, n: u32):
        stolen.append(n)

    @px.kernel
    def takes(k: px.Builder, z: px.ptr[u32]):
        z[0] = stolen[0]

    lends.module()
    with pytest.raises(px.BuildError, match="PTX321"):
        takes.module()


def test_an_unsigned_loop_that_counts_down_with_a_type():
    @px.kernel
    def counts(k: px.Builder, z: px.ptr[s64]):
        for i in k.range(3, -1, -1, type=s64):
            z[i] = i

    assert "setp.gt.s64" in str(counts.module(strict=True))


def test_after_a_trap_the_next_kernel_is_built_as_ever():
    @px.kernel
    def bad(k: px.Builder, n: u32, x: px.ptr[f32]):
        with k.if_(n > 3):
            if n:
                x[0] = 1.0

    @px.kernel
    def good(k: px.Builder, n: u32, x: px.ptr[f32]):
        with k.if_(n > 3):
            x[0] = 1.0

    before = str(good.module())
    with pytest.raises(px.BuildError):
        bad.module()
    assert str(good.module()) == before


def test_an_exception_of_the_user_s_own_comes_through():
    @px.kernel
    def fails(k: px.Builder, n: u32, x: px.ptr[f32]):
        with k.if_(n > 3):
            for i in k.range(n):
                x[i] = 1.0
                raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        fails.module()


@pytest.mark.parametrize("name", ["target", "shared", "device"])
def test_a_compile_time_parameter_may_not_hide_a_keyword_of_the_launch(name):
    scope = {"px": px}
    exec(f"def clash(k, n: px.u32, *, {name}: int = 1): pass", scope)
    with pytest.raises(px.BuildError, match=f"cannot be called '{name}'"):
        px.kernel(scope["clash"])
