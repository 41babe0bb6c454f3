"""Loop splitting: loops that are split compute the same for every bound, and the question is gone from both."""

from __future__ import annotations

import re
from typing import TypeVar

import pytest

import ptxgen as px
from ptxgen import passes, s32, s64, u32, u64
from ptxgen.builder.values import Value

np = pytest.importorskip("numpy")

E = TypeVar("E", bound=Value)


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


@px.kernel
def asks(k: px.Builder, begin: E, n: E, m: E, z: px.ptr[E], *, element: type[E], how: str, step: int = 1):
    """Rounds below the bound add, the others multiply; a round that breaks leaves early."""
    total, rounds = k.var(element, 1), k.var(element, 0)
    for i in k.range(begin, n, step):
        below = i < m if how == "lt" else ~(i >= m) if how == "ge" else i <= 3 if how == "le" else ~(i > 3)
        with k.if_else(below) as (first, then):
            with first:
                total += i
            with then:
                total *= 3
                with k.if_(rounds > 12):
                    k.break_()
        rounds += 1
    z[0], z[1] = total, rounds


def ran(dev, module, element, begin, n, m):
    z = dev.zeros(2, element)
    dev.load(module)["asks"].launch(1, 1, (begin, n, m, z))
    return z.numpy().tolist()


def labels(module) -> int:
    return len(re.findall(r"^\$L_loop\w*:", str(module), re.MULTILINE))


@pytest.mark.parametrize("element", [u32, s32, u64, s64])
@pytest.mark.parametrize("how", ["lt", "ge", "le", "gt"])
def test_the_same_for_every_bound(dev, element, how):
    before = asks.module(target=dev.target, element=element, how=how)
    split = passes.run(before, ["split"])
    assert labels(split) == labels(before) + 1
    after = passes.run(split)
    assert labels(after) == 2
    low = -2 if element.isa.is_signed else 0
    for begin in (low, 2):
        for n in (0, 3, 4, 7):
            for m in (low, 1, 3, 9) if how in ("lt", "ge") else (0,):
                assert ran(dev, after, element, begin, n, m) == ran(dev, before, element, begin, n, m), (begin, n, m)
    assert ran(dev, after, element, 0, 40, 2) == ran(dev, before, element, 0, 40, 2)  # breaks


def test_the_question_is_gone(dev):
    before = asks.module(target="sm_80", element=u32, how="lt")
    after = str(passes.run(passes.run(before, ["split"])))
    first, second = re.findall(r"\$L_loop_2\w*:\n(.*?)bra \$L_loop_2", after, re.DOTALL)
    assert not re.search("mul|shl", first)
    assert first.count("setp") == 1  # the end of the loop
    assert second.count("setp") == 2  # that, and the break


def test_constants_on_both_sides_and_a_step(dev):
    @px.kernel
    def asks(k: px.Builder, begin: u32, n: u32, m: u32, z: px.ptr[u32]):
        total = k.var(u32, 1)
        for i in k.range(begin, 40, 3):
            with k.if_(i < m):
                total += i
        z[0], z[1] = total, n

    before = asks.module(target=dev.target)
    after = passes.run(before, ["split", *passes.DEFAULT])
    assert labels(after) == 2
    for begin in (0, 1, 38, 40, 100):
        for m in (0, 2, 20, 50):
            assert ran(dev, after, u32, begin, 5, m) == ran(dev, before, u32, begin, 5, m)


LEFT_ALONE = {
    "a step that may wrap": lambda k, n, m, z: _loop(k, n, m, z, step=2),
    "a barrier": lambda k, n, m, z: _loop(k, n, m, z, barrier=True),
    "a bound that changes": lambda k, n, m, z: _loop(k, n, k.var(u32, m), z, grows=True),
    "a shuffle": lambda k, n, m, z: _loop(k, n, m, z, shuffle=True),
}


def _loop(k, n, m, z, *, step=1, barrier=False, grows=False, shuffle=False):
    total = k.var(u32, 0)
    for i in k.range(0, n, step):
        with k.if_(i < m):
            total += i
        if barrier:
            k.barrier()
        if shuffle:
            total += k.shfl_xor(total, 1)
        if grows:
            m += 1
    z[k.tid.x] = total


@pytest.mark.parametrize("why", LEFT_ALONE)
def test_loops_that_are_left_alone(why):
    @px.kernel
    def kernel(k: px.Builder, n: u32, m: u32, z: px.ptr[u32]):
        LEFT_ALONE[why](k, n, m, z)

    module = kernel.module(target="sm_80")
    assert passes.run(module, ["split"]) is module


@pytest.mark.parametrize(
    "text",
    [
        # entered without a test: the first round may be beyond the end
        "mov.u32 %r1, %tid.x; L: setp.lt.u32 %p1, %r1, 9; @%p1 bra M; add.u32 %r2, %r2, 1; M: add.u32 %r1, %r1, 1; "
        "setp.lt.u32 %p2, %r1, 20; @%p2 bra L;",
        # the test is of another end
        "setp.lt.u32 %p2, %r1, 21; @!%p2 bra E; L: setp.lt.u32 %p1, %r1, 9; @%p1 bra M; add.u32 %r2, %r2, 1; "
        "M: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 20; @%p2 bra L; E:",
        # compared with another sign
        "setp.lt.u32 %p2, %r1, 20; @!%p2 bra E; L: setp.lt.s32 %p1, %r1, 9; @%p1 bra M; add.u32 %r2, %r2, 1; "
        "M: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 20; @%p2 bra L; E:",
        # counts down
        "setp.lt.u32 %p2, %r1, 20; @!%p2 bra E; L: setp.lt.u32 %p1, %r1, 9; @%p1 bra M; add.u32 %r2, %r2, 1; "
        "M: add.u32 %r1, %r1, -1; setp.lt.u32 %p2, %r1, 20; @%p2 bra L; E:",
    ],
)
def test_what_is_not_proven_is_left_alone(text):
    module = px.parse(f""".version 8.0
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u64 x) {{
        .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %d;
        ld.param.u64 %d, [x]; mov.u32 %r1, 0; mov.u32 %r2, 0; {text} st.global.u32 [%d], %r2; ret; }}""")
    assert passes.run(module, ["split"]) is module
