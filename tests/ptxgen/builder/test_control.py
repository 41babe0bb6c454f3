"""Control flow: each program beside the Python that it means."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, pred, s32, s64, u32, u64


def ints(*values):
    return np.array(values, np.int32)


def counters(n=32):
    return np.zeros(n, np.int32)


# ---- variables -------------------------------------------------------------------------------------------------------


@px.kernel
def variables(k: px.Builder, z: px.ptr[s32]):
    a = k.var(s32, 10)
    before = a + 0
    a += 5
    a -= 1
    a *= 3
    a //= 2
    a %= 15
    a <<= 4
    a >>= 1
    a |= 1
    a ^= 3
    a &= 0xFE
    z[0] = before
    z[1] = a
    b = k.var(s32)
    b.set(a)
    a.set(7)
    z[2] = b
    z[3] = a


def test_variables_change_and_values_computed_from_them_do_not(run):
    (z,) = run(variables, counters(4), block=1)
    a = (((10 + 5 - 1) * 3 // 2 % 15 << 4 >> 1) | 1) ^ 3
    assert z.tolist() == [10, a & 0xFE, a & 0xFE, 7]


@px.kernel
def variables_of_every_kind(k: px.Builder, z: px.ptr[f32], w: px.ptr[u64]):
    f, u, p = k.var(f32, 1.5), k.var(u64, 2**40), k.var(pred, 0)
    snapshot = ~p
    f *= 2
    f /= 4
    u += 2**41
    p |= f < 1
    p ^= k.const(pred, 1)
    z[0] = k.select(p, f, -f)
    w[0] = u
    p.set(~p)
    w[1] = p.to(u64)
    w[2] = snapshot.to(u64)
    p.set(True)
    w[3] = p.to(u64)


def test_floats_wide_integers_and_predicates_vary_too(run):
    z, w = run(variables_of_every_kind, np.zeros(1, np.float32), np.zeros(4, np.uint64), block=1)
    assert z[0] == -0.75
    assert w.tolist() == [2**40 + 2**41, 1, 1, 1]


# ---- if --------------------------------------------------------------------------------------------------------------


@px.kernel
def branches(k: px.Builder, n: s32, z: px.ptr[s32]):
    i = k.tid.x.to(s32)
    result = k.var(s32, -1)
    with k.if_(i < n):
        result.set(1)
        with k.if_(i % 2 == 0):
            result += 10
        with k.if_else(i < 4) as (then, otherwise):
            with then:
                result += 100
            with otherwise:
                with k.if_(~(i == 5)):
                    result += 200
    z[i] = result


@pytest.mark.parametrize("n", [0, 1, 7, 32])
def test_if_nested_in_if(run, n):
    def meaning(i):
        if i >= n:
            return -1
        return 1 + (10 if i % 2 == 0 else 0) + (100 if i < 4 else 200 if i != 5 else 0)

    (z,) = run(branches, n, counters())
    assert z.tolist() == [meaning(i) for i in range(32)]


@px.kernel
def guarded(k: px.Builder, z: px.ptr[s32]):
    i = k.tid.x
    with k.pred(i < 3):
        z[i] = 7
    with k.pred(~(i < 30)):
        z[i] = k.lane.to(s32)


def test_guards_need_no_branch(run):
    (z,) = run(guarded, counters())
    assert z.tolist() == [7] * 3 + [0] * 27 + [30, 31]
    assert "bra" not in str(guarded.module(strict=True))


# ---- while -----------------------------------------------------------------------------------------------------------


@px.kernel
def collatz(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    i = k.tid.x
    n, steps = k.var(u32, x[i]), k.var(u32, 0)
    with k.while_(lambda: n != 1):
        with k.if_else(n % 2 == 0) as (even, odd):
            with even:
                n //= 2
            with odd:
                n.set(3 * n + 1)
        steps += 1
    z[i] = steps


def collatz_steps(n):
    steps = 0
    while n != 1:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return steps


def test_lanes_leave_a_while_loop_when_they_are_done(run):
    x = np.arange(1, 65, dtype=np.uint32)
    _, z = run(collatz, x, x * 0, block=64)
    assert z.tolist() == [collatz_steps(n) for n in range(1, 65)]


@px.kernel
def first_divisor(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    i = k.tid.x
    d, n = k.var(u32, 1), x[i]
    with k.while_():
        d += 1
        with k.if_(d * d > n):
            d.set(n)
            k.break_()
        with k.if_(n % d != 0):
            k.continue_()
        k.break_()
    z[i] = d


def test_break_and_continue(run):
    x = np.arange(2, 66, dtype=np.uint32)
    _, z = run(first_divisor, x, x * 0, block=64)
    assert z.tolist() == [next((d for d in range(2, n) if n % d == 0 and d * d <= n), n) for n in range(2, 66)]


# ---- range -----------------------------------------------------------------------------------------------------------


@px.kernel
def records(k: px.Builder, start: s32, stop: s32, z: px.ptr[s32], *, step: int, unroll: int = 1):
    place = k.var(s32, 0)
    for i in k.range(start, stop, step, unroll=unroll):
        z[place] = i
        place += 1
    z[63] = place


RANGES = [(0, 0), (0, 1), (0, 10), (5, 3), (-3, 4), (10, -10), (2**31 - 60, 2**31 - 45)]


@pytest.mark.parametrize("start, stop", RANGES)
@pytest.mark.parametrize("step", [1, 2, 3, -1, -4])
@pytest.mark.parametrize("unroll", [1, 2, 4])
def test_range_is_python_s(run, start, stop, step, unroll):
    (z,) = run(records, start, stop, counters(64), block=1, step=step, unroll=unroll)
    expected = list(range(start, stop, step))
    assert z[: z[63]].tolist() == expected


TOP = {u32: 2**32 - 1, s32: 2**31 - 1, u64: 2**64 - 1, s64: 2**63 - 1}
LOW = {u32: 0, s32: -(2**31), u64: 0, s64: -(2**63)}


def at_the_ends(element, step):
    """(start, stop) where the counter would step over an end of its type."""
    if step > 0:
        end = TOP[element]
        pairs = [
            (end - 15, end),
            (end - 5 * step, end),
            (end - 64, end - 2),
            (end - 1, end),
            (end, end),
            (end, end - 9),
        ]
    else:
        end = LOW[element]
        pairs = [
            (end + 15, end),
            (end - 5 * step, end),
            (end + 64, end + 2),
            (end + 1, end),
            (end, end),
            (end, end + 9),
        ]
    return [pair for pair in pairs if len(range(*pair, step)) < 64]


def recorder(element, start, stop, step, unroll):
    @px.kernel
    def kernel(k: px.Builder, given: element, z: px.ptr[element], count: px.ptr[u32]):
        for i in k.range(given if start is None else start, stop, step, unroll=unroll, type=element):
            z[count[0]] = i
            count[0] = count[0] + 1

    kernel._function.__annotations__.update(given=element, z=px.ptr[element])
    return kernel


COUNTED = [(e, step) for e in (u32, s32, u64, s64) for step in (1, 3, 32, -1, -32) if step > 0 or e in (s32, s64)]


@pytest.mark.parametrize("element, step", COUNTED)
@pytest.mark.parametrize("unroll", [1, 3])
def test_a_range_ends_at_the_end_of_its_type(dev, element, step, unroll):
    z, count = dev.zeros(64, element), dev.zeros(1, u32)
    for start, stop in at_the_ends(element, step):
        expected = list(range(start, stop, step))
        for known in (start, None):
            count.fill(0)
            recorder(element, known, stop, step, unroll)[1, 1](start, z, count)
            assert z.numpy()[: count.numpy()[0]].tolist() == expected, (start, stop, known)


@px.kernel
def strided(k: px.Builder, n: u32, z: px.ptr[u32]):
    for i in k.range(k.tid.x, 1000, 32):
        z[i] = i
    for i in k.range(k.tid.x, n, 32):
        z[i] = i


def test_a_range_far_from_the_end_costs_one_comparison_a_round():
    text = str(strided.module())
    assert text.count("setp.lt.u32") + text.count("setp.ge.u32") == 4
    assert text.count("add.u32") == 2


@px.kernel
def bounds(k: px.Builder, n: u32, z: px.ptr[u64]):
    """Every way to say a range; each sums its counter."""
    wide = n.to(u64)
    loops = [
        k.range(10),
        k.range(n),
        k.range(2, n),
        k.range(2, n, 3),
        k.range(1, 100, n),
        k.range(wide),
        k.range(k.const(s64, -5), 5),
        k.range(-5, 5),
        k.range(3, -3, -2),
        k.range(4, type=u64),
        k.range(0),
    ]
    for row, loop in enumerate(loops):
        total = k.var(u64, 0)
        for i in loop:
            total += i.to(u64)
        z[row] = total


def test_bounds_are_numbers_or_values_of_any_width(run):
    n = 13
    (z,) = run(bounds, n, np.zeros(11, np.uint64), block=1)
    expected = [
        range(10), range(n), range(2, n), range(2, n, 3), range(1, 100, n), range(n), range(-5, 5), range(-5, 5),
        range(3, -3, -2), range(4), range(0),
    ]  # fmt: skip
    assert z.tolist() == [sum(v % 2**64 if isinstance(v, int) else v for v in r) % 2**64 for r in expected]


@px.kernel
def ranges_with_break(k: px.Builder, x: px.ptr[s32], z: px.ptr[s32], *, unroll: int):
    """Sum what precedes the first negative number, leaving out multiples of 3."""
    total = k.var(s32, 0)
    for i in k.range(16, unroll=unroll):
        value = x[i]
        with k.if_(value < 0):
            k.break_()
        with k.if_(value % 3 == 0):
            k.continue_()
        total += value
    z[0] = total


@pytest.mark.parametrize("unroll", [1, 2, 5])
@pytest.mark.parametrize("negative", [0, 1, 6, 7, 15, 16])
def test_break_and_continue_in_a_range(run, unroll, negative):
    x = np.arange(1, 17, dtype=np.int32)
    x[negative:] *= -1
    _, z = run(ranges_with_break, x, counters(1), block=1, unroll=unroll)
    assert z[0] == sum(v for v in range(1, negative + 1) if v % 3)


@px.kernel
def nested(k: px.Builder, z: px.ptr[s32]):
    """Triples i < j < l of which the sum is even; the inner loop breaks, the outer goes on."""
    found = k.var(s32, 0)
    for i in k.range(k.tid.x.to(s32)):
        for j in k.range(i + 1, 8):
            with k.if_(j - i > 4):
                k.break_()
            inner = k.var(s32, j + 1)
            with k.while_(lambda inner=inner: inner < 8):
                with k.if_((i + j + inner) % 2 == 0):
                    found += 1
                inner += 1
    z[k.tid.x] = found


def test_loops_in_loops(run):
    (z,) = run(nested, counters(8), block=8)

    def meaning(t):
        return sum(
            (i + j + m) % 2 == 0 for i in range(t) for j in range(i + 1, 8) if j - i <= 4 for m in range(j + 1, 8)
        )

    assert z.tolist() == [meaning(t) for t in range(8)]


@px.kernel
def moving_bounds(k: px.Builder, z: px.ptr[s32]):
    stop, step = k.var(s32, 6), k.var(s32, 2)
    for i in k.range(0, stop, step):
        stop += 100
        step.set(-1)
        z[i] = 1


def test_bounds_are_those_of_the_beginning(run):
    (z,) = run(moving_bounds, counters(8), block=1)
    assert z.tolist() == [1, 0, 1, 0, 1, 0, 0, 0]


@px.kernel
def with_statement(k: px.Builder, z: px.ptr[s32]):
    with k.range(5) as i:
        z[i] = i.to(s32)


def test_a_range_may_be_a_with_statement(run):
    (z,) = run(with_statement, counters(6), block=1)
    assert z.tolist() == [0, 1, 2, 3, 4, 0]


@px.kernel
def early(k: px.Builder, n: u32, z: px.ptr[s32]):
    with k.if_(k.tid.x >= n):
        k.return_()
    z[k.tid.x] = 1


def test_threads_may_leave_early(run):
    (z,) = run(early, 5, counters())
    assert z.sum() == 5


@px.kernel
def unrolled_by_python(k: px.Builder, z: px.ptr[s32], *, times: int):
    """A Python loop and a Python if run while the kernel is built."""
    value = k.const(s32, 1)
    for i in range(times):
        if i % 2:
            value = value + i
        else:
            value = value * 2
    z[0] = value


@pytest.mark.parametrize("times", [0, 1, 6])
def test_python_s_own_control_flow_builds_straight_code(run, times):
    (z,) = run(unrolled_by_python, counters(1), block=1, times=times)
    value = 1
    for i in range(times):
        value = value + i if i % 2 else value * 2
    assert z[0] == value
    assert "bra" not in str(unrolled_by_python.module(times=times))


def test_an_unrolled_loop_branches_once_a_round(run):
    once, four = (str(records.module(step=1, unroll=u)) for u in (1, 4))
    assert (once.count("st.global.b32") or once.count("st.global.s32")) == 2
    assert four.count("st.global.s32") == 4 + 1 + 1


def test_these_kernels_assemble(assembles):
    assembles([variables, variables_of_every_kind, branches, guarded, collatz, first_divisor, bounds, nested, early])
    assembles([moving_bounds, with_statement, unrolled_by_python.using(times=3), ranges_with_break.using(unroll=3)])
    assembles([records.using(step=s, unroll=u) for s in (1, -4) for u in (1, 4)])
