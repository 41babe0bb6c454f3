"""Wait loops in every spelling: what is decided by the result of try_wait is followed by value, not by register."""

from __future__ import annotations

from typing import Any

import pytest

import ptxgen as px
from ptxgen import f32, u32, u64
from ptxgen.text import parse
from ptxgen.verifier import verify

pytestmark = pytest.mark.filterwarnings("ignore::ptxgen.errors.PtxWarning")

SPELLINGS = {  # {} is the branch back's label; the branch is taken while the phase is pending
    "the result": "@!%p2 bra WAIT;",
    "another register": "not.pred %p3, %p2;\n@%p3 bra WAIT;",
    "the same register": "not.pred %p2, %p2;\n@%p2 bra WAIT;",
    "inverted twice": "not.pred %p3, %p2;\nnot.pred %p4, %p3;\n@!%p4 bra WAIT;",
    "out of the loop": "not.pred %p3, %p2;\n@!%p3 bra DONE;\nbra WAIT;\nDONE:",
    "copied": "mov.pred %p3, %p2;\n@!%p3 bra WAIT;",
    "xor": "xor.pred %p3, %p2, 1;\n@%p3 bra WAIT;",
    "selp and setp": "selp.u32 %r5, 1, 0, %p2;\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra WAIT;",
    "selp of the opposite": "selp.b32 %r5, 0, 1, %p2;\nsetp.ne.s32 %p3, %r5, 0;\n@%p3 bra WAIT;",
    "a number inverted": "selp.b32 %r5, 1, 0, %p2;\nxor.b32 %r5, %r5, 1;\nsetp.eq.u32 %p3, %r5, 1;\n@%p3 bra WAIT;",
    "both results of setp": "selp.b32 %r5, 1, 0, %p2;\nsetp.ne.u32 %p3|%p4, %r5, 0;\n@%p4 bra WAIT;",
    "in the block behind": "bra ASK;\nASK:\nnot.pred %p3, %p2;\n@%p3 bra WAIT;",
}


def text(asks: str, flip: str = "xor.b32 %r3, %r3, 1;", first: int = 0) -> str:
    return f"""
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n)
.reqntid 128
{{
.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .f32 %f<3>;
.shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 bar;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;
@%p1 mbarrier.init.shared::cta.b64 [bar], 1;
@%p1 fence.mbarrier_init.release.cluster;
bar.sync 0;
mov.u32 %r3, {first}; mov.u32 %r4, 0; mov.f32 %f1, 0f00000000;
TURN:
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 1024, [bar];
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], %r3;
{asks}
{flip}
ld.shared.f32 %f2, [tile]; add.f32 %f1, %f1, %f2;
bar.sync 0;
add.u32 %r4, %r4, 1; setp.lt.u32 %p5, %r4, %r1;
@%p5 bra TURN;
st.global.f32 [%rd2], %f1;
ret;
}}
"""


def said(*how: Any, **more: Any) -> list[str]:
    return [finding.code for finding in verify(parse(text(*how, **more)))]


def opposite(asks: str) -> str:
    """The same spelling with the branch the wrong way round."""
    head, at, branch = asks.rpartition("\n@") if "\n@" in asks else ("", "@", asks[1:])
    if "bra DONE" in asks:
        head, at, branch = asks.partition("\n@")
    return head + at + (branch[1:] if branch.startswith("!") else "!" + branch)


@pytest.mark.parametrize("asks", SPELLINGS.values(), ids=SPELLINGS.keys())
class TestSpellings:
    def test_a_right_wait_is_silent(self, asks: str) -> None:
        assert said(asks) == []

    def test_a_parity_that_never_flips(self, asks: str) -> None:
        assert said(asks, flip="") == ["PTX536"]

    def test_a_first_wait_that_is_over_at_once(self, asks: str) -> None:
        assert said(asks, first=1) == ["PTX531"]

    def test_a_loop_the_wrong_way_round(self, asks: str) -> None:
        assert said(opposite(asks)) == ["PTX531"]


@pytest.mark.parametrize(
    "asks",
    [
        "and.pred %p3, %p2, %p1;\n@!%p3 bra WAIT;",  # thread 0 alone ever gets out, which is not judged
        "mov.pred %p2, %p1;\n@!%p2 bra WAIT;",
    ],
)
def test_a_branch_on_more_than_the_result_is_not_judged(asks: str) -> None:
    assert "PTX536" not in said(asks, flip="")


def wait(k: px.Builder, bar: Any, parity: Any, spelling: str = "function") -> None:
    if spelling == "function":

        def pending() -> Any:
            done = k.var(px.pred)
            k.ptx.mbarrier.try_wait.parity.shared__cta.b64(done, bar, parity)
            return ~done

        with k.while_(pending):
            pass
    elif spelling == "variable":
        done = k.var(px.pred, False)
        with k.while_(lambda: ~done):
            k.ptx.mbarrier.try_wait.parity.shared__cta.b64(done, bar, parity)
    else:
        with k.while_():
            done = k.var(px.pred)
            k.ptx.mbarrier.try_wait.parity.shared__cta.b64(done, bar, parity)
            with k.if_(done):
                k.break_()


BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"


@px.kernel(threads=128)
def one_stage(
    k: px.Builder,
    count: u32,
    x: px.ptr[f32],
    y: px.ptr[f32],
    *,
    flip: bool = True,
    spelling: str = "function",
    count_of_arrivals: int = 1,
    first: int = 0,
):
    tile, bar = k.shared(f32, 256, align=128), k.shared(u64, 1)
    t = k.tid.x
    with k.if_(t == 0):
        k.ptx.mbarrier.init.shared__cta.b64(bar, count_of_arrivals)
        k.ptx.fence.mbarrier_init.release.cluster()
    k.barrier()
    phase, total = k.var(u32, first), k.var(f32, 0)
    for i in k.range(count):
        with k.if_(t == 0):
            k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, bar, 1024)
            k.ptx[BULK](tile, x.at(i * 256), 1024, bar)
        wait(k, bar, phase, spelling)
        if flip:
            phase.set(phase ^ 1)
        total += tile[t]
        k.barrier()
    y[t] = total


@pytest.mark.parametrize("spelling", ["function", "variable", "break"])
@pytest.mark.parametrize("flip", [True, False])
def test_a_wait_in_python(flip: bool, spelling: str) -> None:
    found = verify(one_stage.module(target="sm_90a", flip=flip, spelling=spelling))
    assert [finding.code for finding in found] == ([] if flip else ["PTX536"])


@pytest.mark.parametrize("wrong,code", [({"count_of_arrivals": 2}, "PTX538"), ({"first": 1}, "PTX531")])
def test_what_one_thread_does_behind_a_branch_is_counted(wrong: dict[str, int], code: str) -> None:
    assert [finding.code for finding in verify(one_stage.module(target="sm_90a", **wrong))] == [code]


@px.kernel(threads=160)
def ring(k: px.Builder, count: u32, x: px.ptr[f32], y: px.ptr[f32], *, wrong: str = ""):
    """A warp that fills four stages, four warps that empty them."""
    tiles, full, empty = k.shared(f32, (4, 1024), align=128), k.shared(u64, 4), k.shared(u64, 4)
    t = k.tid.x
    with k.if_(t == 0):
        for n in range(4):
            k.ptx.mbarrier.init.shared__cta.b64(full.at(n), 1)
            k.ptx.mbarrier.init.shared__cta.b64(empty.at(n), 4 if wrong == "count" else 128)
        k.ptx.fence.mbarrier_init.release.cluster()
    k.barrier()

    def iteration(stage: Any, phase: Any, flips: bool) -> None:
        stage += 1
        with k.if_(stage == 4):
            stage.set(0)
            if flips:
                phase.set(phase ^ 1)

    with k.if_else(t >= 128) as (fills, empties):
        with fills, k.if_(t == 128):
            stage, phase = k.var(u32, 0), k.var(u32, 0 if wrong == "first parity" else 1)
            for i in k.range(count):
                wait(k, empty.at(stage), phase)
                k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, full.at(stage), 4096)
                k.ptx[BULK](tiles.at(stage, 0), x.at(i * 1024), 4096, full.at(stage))
                iteration(stage, phase, wrong != "producer's phase")
        with empties:
            stage, phase, total = k.var(u32, 0), k.var(u32, 0), k.var(f32, 0)
            for _ in k.range(count):
                wait(k, full.at(stage), phase)
                for part in range(8):
                    total += tiles[stage, t + 128 * part]
                k.ptx.mbarrier.arrive.shared__cta.b64(px.sink, empty.at(stage))
                iteration(stage, phase, wrong != "consumer's phase")
            y[t] = total


@pytest.mark.parametrize(
    "wrong,codes",
    [
        ("", []),
        ("count", ["PTX538"]),
        ("first parity", ["PTX539"]),
        ("producer's phase", ["PTX536"]),
        ("consumer's phase", ["PTX536"]),
    ],
)
def test_a_ring_in_python(wrong: str, codes: list[str]) -> None:
    assert [finding.code for finding in verify(ring.module(target="sm_90a", wrong=wrong))] == codes


@px.kernel(threads=128)
def refilled(k: px.Builder, count: u32, x: px.ptr[f32], y: px.ptr[f32]):
    """Each iteration waits for the copy of the iteration before, of which the first has none, and starts the next."""
    tile, bar = k.shared(f32, 256, align=128), k.shared(u64, 1)
    t = k.tid.x
    with k.if_(t == 0):
        k.ptx.mbarrier.init.shared__cta.b64(bar, 1)
        k.ptx.fence.mbarrier_init.release.cluster()
    k.barrier()
    phase = k.var(u32, 1)
    for i in k.range(count):
        wait(k, bar, phase)
        k.barrier()
        with k.if_(t == 0):
            k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, bar, 1024)
            k.ptx[BULK](tile, x.at(i * 256), 1024, bar)
        phase.set(phase ^ 1)
    wait(k, bar, phase)
    y[t] = tile[t]


def test_a_first_wait_before_any_copy_may_be_over_at_once() -> None:
    assert verify(refilled.module(target="sm_90a")) == []


TWICE = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u32 n)
{
.reg .pred %p<9>;
.reg .b32 %r<9>;
.shared .align 8 .b64 full[3];
ld.param.u32 %r1, [n];
mov.u32 %r2, full;
mbarrier.init.shared::cta.b64 [full], 1;
mbarrier.init.shared::cta.b64 [full+8], 1;
mbarrier.init.shared::cta.b64 [full+16], 1;
bar.sync 0;
mbarrier.arrive.shared::cta.b64 _, [full];
mbarrier.arrive.shared::cta.b64 _, [full+8];
mov.b32 %r4, 0;
mov.pred %p1, -1;
TURN:
mov.pred %p2, %p1;
shl.b32 %r5, %r4, 3;
add.u32 %r6, %r2, %r5;
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0;
@!%p3 bra WAIT;
mov.b32 %r4, 1;
AGAIN
@%p2 bra TURN;
ret;
}
"""


@pytest.mark.parametrize("again, codes", [("mov.pred %p1, 0;", []), ("setp.ne.u32 %p1, %r1, 0;", ["PTX536"])])
def test_a_loop_of_two_iterations_has_an_object_for_each(again: str, codes: list[str]) -> None:
    assert [finding.code for finding in verify(parse(TWICE.replace("AGAIN", again)))] == codes
