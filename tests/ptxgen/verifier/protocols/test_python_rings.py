"""Rings of mbarriers built in Python: one warp fills with bulk copies, four empty, in the spellings that builders make."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen import b64, f32, u32
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

ARRIVALS = {"lane": 4, "pred": 4, "selected": 4, "elected": 4, "one": 1, "all": 128}
"""Which of the 128 threads that empty a stage arrive, and how many they are."""


@px.kernel(threads=160)
def ring(
    k: px.Builder,
    n: u32,
    x: px.ptr[f32],
    y: px.ptr[f32],
    *,
    arrive: str = "lane",
    count: int = 4,
    filled_by: str = "one thread",
    wrap: str = "select",
    wait: str = "while waiting",
    first: int = 1,
    flip: str = "where it wraps",
    wait_empty: bool = True,
    stages: int = 4,
):
    """Sums tiles of 128 floats. `first` is the parity that the side which fills waits for at first."""
    tiles = k.shared(f32, (stages, 128), align=128)
    full, empty = k.shared(b64, stages), k.shared(b64, stages)
    t, lane = k.tid.x, k.lane
    with k.if_(t == 0):
        for stage in range(stages):
            k.ptx.mbarrier.init.shared__cta.b64(full.at(stage), 32 if filled_by == "a warp" else 1)
            k.ptx.mbarrier.init.shared__cta.b64(empty.at(stage), count)
        k.ptx.fence.mbarrier_init.release.cluster()
    k.barrier()

    def await_(bar: Any, parity: Any) -> None:
        ask = k.ptx["mbarrier.try_wait.parity.shared::cta.b64"]
        if wait == "while not done":
            done = k.var(px.pred, False)
            with k.while_(lambda: ~done):
                ask(done, bar, parity)
            return

        def waiting() -> Any:
            done = k.var(px.pred)
            ask(done, bar, parity)
            return ~done

        with k.while_(waiting):
            pass

    def advance(stage: Any, phase: Any) -> None:
        if flip == "each iteration":
            phase.set(phase ^ 1)
            stage.set(k.select(stage == stages - 1, 0, stage + 1))
        elif wrap == "select":
            last = stage == stages - 1
            stage.set(k.select(last, 0, stage + 1))
            phase.set(k.select(last, phase ^ 1, phase))
        else:
            stage.set(stage + 1)
            with k.if_(stage == stages):
                stage.set(0)
                phase.set(phase ^ 1)

    def fill(tile: Any, stage: Any) -> None:
        k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, full.at(stage), 512)
        copy = k.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"]
        copy(tiles.at(stage, 0), x.at(tile * 128), 512, full.at(stage))

    def fill_all(chosen: Any = None) -> None:
        stage, phase = k.var(u32, 0), k.var(u32, first)
        for tile in k.range(n):
            if wait_empty:
                await_(empty.at(stage), phase)
            if chosen is None:
                fill(tile, stage)
            else:
                with k.if_(chosen):
                    fill(tile, stage)
            advance(stage, phase)

    def give_back(stage: Any) -> None:
        k.ptx.mbarrier.arrive.shared__cta.b64(px.sink, empty.at(stage))

    def arrive_on(stage: Any) -> None:
        if arrive == "all":
            give_back(stage)
        elif arrive == "pred":
            with k.pred(lane == 0):
                give_back(stage)
        elif arrive == "elected":
            elected = k.var(px.pred)
            k.ptx.elect.sync((px.sink, elected), -1)
            with k.if_(elected):
                give_back(stage)
        else:
            chosen = {
                "lane": lambda: lane == 0,
                "one": lambda: t % 128 == 0,
                "selected": lambda: k.select(lane == 0, k.const(u32, 1), 0) != 0,
            }
            with k.if_(chosen[arrive]()):
                give_back(stage)

    with k.if_else(t // 32 == 4) as (fills, empties):
        with fills:
            if filled_by == "one thread":
                with k.if_(lane == 0):
                    fill_all()
            else:
                fill_all(None if filled_by == "a warp" else lane == 0)
        with empties:
            stage, phase, total = k.var(u32, 0), k.var(u32, 0), k.var(f32, 0)
            for _ in k.range(n):
                await_(full.at(stage), phase)
                total += tiles[stage, t]
                arrive_on(stage)
                advance(stage, phase)
            y[t] = total


def said(**how: Any) -> list[tuple[str, str]]:
    """What is found; building warns of the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(finding.code, finding.message) for finding in verify(ring.module(target="sm_90a", **how))]


@pytest.mark.parametrize("wait", ["while waiting", "while not done"])
@pytest.mark.parametrize("wrap", ["select", "if"])
@pytest.mark.parametrize("filled_by", ["one thread", "a warp that waits", "a warp"])
@pytest.mark.parametrize("arrive", ARRIVALS)
def test_as_many_arrive_as_a_stage_counts(arrive: str, filled_by: str, wrap: str, wait: str) -> None:
    how = {"arrive": arrive, "filled_by": filled_by, "wrap": wrap, "wait": wait}
    come = ARRIVALS[arrive]
    assert said(count=come, **how) == []
    (wrong,) = said(count=1 if come == 128 else 128, **how)
    many = "is 1 arrival" if come == 1 else f"are {come} arrivals"
    counted, end = (1, "phases complete too early") if come == 128 else (128, "it never completes")
    assert wrong == ("PTX538", f"shared_2[...] counts {counted} a phase, and there {many}: {end}")


WAYS = pytest.mark.parametrize(
    "how",
    [
        {"wait": wait, "wrap": wrap, "filled_by": by}
        for wait in ("while waiting", "while not done")
        for wrap in ("select", "if")
        for by in ("one thread", "a warp that waits")
    ],
    ids=str,
)


@WAYS
def test_the_side_that_fills_begins_with_parity_1(how: dict[str, str]) -> None:
    ((code, message),) = said(first=0, **how)
    assert code == "PTX539"
    assert message.startswith("every thread waits: this is for the first phase of shared_2[...] (parity 0)")


@WAYS
def test_a_stage_is_filled_again_without_a_wait_for_those_that_read_it(how: dict[str, str]) -> None:
    ((code, message),) = said(wait_empty=False, **how)
    assert code == "PTX548"
    assert message.startswith(
        "iteration 5 of the loop fills shared_0, as iteration 1 did, and has not waited for those that read it"
    )
    assert said(stages=2, **how) == []
    assert "iteration 3 of the loop" in said(stages=2, wait_empty=False, **how)[0][1]


@pytest.mark.parametrize("wait", ["while waiting", "while not done"])
def test_a_parity_that_flips_in_each_turn(wait: str) -> None:
    assert said(wait=wait, flip="each iteration") == [
        ("PTX536", "iteration 5 of the loop waits for parity 1 of shared_2, as iteration 1 did"),
        ("PTX536", "iteration 5 of the loop waits for parity 0 of shared_1, as iteration 1 did"),
    ]


def test_it_assembles(assembler: Callable[..., Any]) -> None:
    assert assembler(str(ring.module(target="sm_90a"))).cubin
