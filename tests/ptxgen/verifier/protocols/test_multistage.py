"""cp.async rings of several stages built in Python: prologues under conditions and in loops, stages in every spelling."""

from __future__ import annotations

from typing import Any

import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.verifier import verify

pytestmark = pytest.mark.filterwarnings("ignore::ptxgen.errors.PtxWarning")


@px.kernel(threads=128)
def ring(
    k: px.Builder,
    count: u32,
    source: px.ptr[f32],
    out: px.ptr[f32],
    *,
    stages: int = 3,
    guard: str = "if",
    prologue: str = "unrolled",
    stage: str = "select",
    pending: int | None = None,
    barrier: bool = True,
    read_first: bool = True,
):
    """Sums tiles that come `stages` - 1 iterations ahead. `pending`: what the wait leaves, if not what is right."""
    tiles = k.shared(f32, (stages, 512), align=16)
    t = k.tid.x

    def copy(slot: Any, tile: Any) -> None:
        k.copy_async(tiles.at(slot, t * 4), source.at(tile * 512 + t * 4), 16)

    def fill(slot: Any, tile: Any) -> None:
        if guard == "if":
            with k.if_(tile < count):
                copy(slot, tile)
        elif guard == "pred":
            with k.pred(tile < count):
                copy(slot, tile)
        elif guard == "if_else":
            with k.if_else(tile < count) as (then, otherwise):
                with then:
                    copy(slot, tile)
                with otherwise:
                    tiles[slot, t * 4] = 0.0
        else:
            copy(slot, tile)
        k.copy_commit()

    if prologue == "unrolled":
        for ahead in range(stages - 1):
            fill(ahead, k.const(u32, ahead))
    else:
        for ahead in k.range(stages - 1 if prologue == "counted" else k.min(count, stages - 1)):
            fill(ahead, ahead)
    total, reads, writes = k.var(f32, 0), k.var(u32, 0), k.var(u32, stages - 1)
    for i in k.range(count):
        k.copy_wait(stages - 2 if pending is None else pending)
        if barrier:
            k.barrier()
        slot = reads if stage == "select" else i % stages
        if read_first:
            total += tiles[slot, 511 - t]
        fill(writes if stage == "select" else (i + (stages - 1)) % stages, i + (stages - 1))
        if not read_first:
            total += tiles[slot, 511 - t]
        if stage == "select":
            for slot in (reads, writes):
                slot.set(k.select(slot == stages - 1, 0, slot + 1))
    out[t] = total


def said(**how: Any) -> list[str]:
    return [finding.code for finding in verify(ring.module(target="sm_90a", **how))]


@pytest.mark.parametrize("stage", ["select", "modulo"])
@pytest.mark.parametrize("prologue", ["unrolled", "counted", "bounded"])
@pytest.mark.parametrize("guard", ["if", "pred", "if_else", "none"])
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_a_right_ring_is_silent(stages: int, guard: str, prologue: str, stage: str) -> None:
    assert said(stages=stages, guard=guard, prologue=prologue, stage=stage) == []


@pytest.mark.parametrize("guard", ["if", "pred", "if_else", "none"])
@pytest.mark.parametrize("stages", [2, 3])
def test_a_wait_that_leaves_one_group_too_many(stages: int, guard: str) -> None:
    assert said(stages=stages, guard=guard, pending=stages - 1) == ["PTX513"]


@pytest.mark.parametrize("guard", ["if", "pred", "none"])
@pytest.mark.parametrize("stages", [2, 3])
def test_the_next_copy_may_be_issued_before_the_read(stages: int, guard: str) -> None:
    assert said(stages=stages, guard=guard, read_first=False) == []
    assert said(stages=stages, guard=guard, read_first=False, pending=stages - 1) == ["PTX513"]


@pytest.mark.parametrize("read_first", [True, False])
@pytest.mark.parametrize("prologue", ["unrolled", "counted", "bounded"])
@pytest.mark.parametrize("guard", ["if", "pred", "if_else", "none"])
def test_no_barrier_between_the_wait_and_the_read(guard: str, prologue: str, read_first: bool) -> None:
    assert said(guard=guard, prologue=prologue, barrier=False, read_first=read_first) == ["PTX514"]


@px.kernel(threads=128)
def two_stages(k: px.Builder, count: u32, source: px.ptr[f32], out: px.ptr[f32], *, pending: int = 1, read: int = 0):
    """Two groups, the first under a condition; `read` is the stage that is read behind a wait that leaves `pending`."""
    tiles = k.shared(f32, (2, 512), align=16)
    t = k.tid.x
    with k.if_(count > 0):
        k.copy_async(tiles.at(0, t * 4), source.at(t * 4), 16)
    k.copy_commit()
    k.copy_async(tiles.at(1, t * 4), source.at(t * 4), 16)
    k.copy_commit()
    k.copy_wait(pending)
    k.barrier()
    out[t] = tiles[read, 511 - t]


@pytest.mark.parametrize(
    "pending,read,codes",
    [(1, 0, []), (0, 0, []), (0, 1, []), (1, 1, ["PTX513"]), (2, 0, ["PTX510", "PTX513"])],
)
def test_a_first_group_under_a_condition(pending: int, read: int, codes: list[str]) -> None:
    assert [f.code for f in verify(two_stages.module(target="sm_90a", pending=pending, read=read))] == codes
