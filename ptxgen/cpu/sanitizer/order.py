"""What orders accesses, for racecheck: barriers, atomic words, mbarriers, fences (manual 8.5 to 8.10).

A relaxed operation on a word in global memory passes on what a fence has made visible to others before it, by its own thread or
by one that a barrier has waited for: to other CTAs what one of the GPU's or the system's scope has, to the threads of its CTA
and cluster what any has; in shared memory what the thread has seen. Whether a fence follows a relaxed read is not asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord, launch_of, nth_cta
from ptxgen.cpu.sanitizer.clocks import (
    Clock,
    GridClock,
    acquire,
    acquire_from_grid,
    epoch_of,
    keep_in_layer,
    next_epoch,
    raise_floor,
    record_of,
    release,
    release_fenced,
    release_to_grid,
    state_of,
    sync_lanes,
    warp_state,
)
from ptxgen.cpu.sanitizer.state_layout import (
    BARRIERS,
    CLUSTER_BARRIER,
    CLUSTER_HASHED,
    FENCED,
    HASHED,
    KNOWN,
    NEAR,
    OWN_HASHED,
    PROXIED,
)

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["ACQUIRES", "COMPLETES", "FENCES", "GRID", "NEAR_FENCES", "NEAR_IN_CLUSTER", "ORDERED", "PROXIES", "RELEASES",
           "SCOPE_OF_CLUSTER", "write_race_arrive", "write_race_barrier_complete", "write_race_cluster_complete",
           "write_race_fence", "write_race_order", "write_race_warp_sync"]  # fmt: skip

RELEASES, ACQUIRES, SCOPE_OF_CLUSTER, GRID, COMPLETES, ORDERED, NEAR_IN_CLUSTER = 1, 2, 4, 8, 16, 32, 64
"""What `race_order` is told. SCOPE_OF_CLUSTER, GRID: among threads of the cluster, of the whole grid, else of the CTA alone.
COMPLETES: a copy does it, for all who wait. ORDERED: it has a release order of its own. NEAR_IN_CLUSTER: some of the kernel's
fences are of the cluster's scope."""
FENCES, PROXIES, NEAR_FENCES = 1, 2, 4
"""What `race_fence` is told: a fence among CTAs, one among proxies, one among the threads of a CTA or a cluster."""


def write_race_order(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_order(state, address, lane, how)`: a thread acquires, then releases, the clocks of a word at an address of the
    machine; `how` says which of the two, and for whom.

    A word has a clock for each CTA, one for each cluster, and one for the grid. What is released goes into those of its scope and
    of all narrower ones; what is acquired comes from the same.
    """
    pointer, address, lane, how = arguments
    state = state_of(e, pointer)
    record, launch = record_of(state), launch_of(state)
    number = (address >> 2).trunc("i32") & (HASHED - 1)
    strict = address.ult(record.get("windows")) & (how & ORDERED).eq(0)
    plain = (how & (ACQUIRES | ORDERED)).eq(0)
    e.break_if(plain & strict & record.get("layers").eq(1), "out")  # nothing is made visible
    relaxed = plain & ~strict
    with e.if_(relaxed):
        word = state.at("told", (number >> 5).zext("i64"))
        bits, own_bit = e.load("i32", word), e.const("i32", 1) << (number & 31)
        e.break_if((bits & own_bit).ne(0), "out")
        e.store(bits | own_bit, word)
    several, wide = launch.get("cluster_ctas").ne(1), (how & (SCOPE_OF_CLUSTER | GRID)).ne(0)
    own = Clock(record, state.get("block"), number + OWN_HASHED)
    clusters = Clock(record, state.get("cluster_block"), number + CLUSTER_HASHED)
    grids = GridClock(record, address)
    with e.if_((how & ACQUIRES).ne(0)):
        acquire(state, own)
        with e.if_(several & wide):
            acquire(state, clusters)
        with e.if_((how & GRID).ne(0)):
            acquire_from_grid(state, grids)
        state.set("synced", epoch_of(state), lane)
    with e.if_((how & RELEASES).ne(0)):
        with e.if_(~strict):
            release(state, own)
            with e.if_(several & wide):
                release(state, clusters)
            with e.if_(several & (how & COMPLETES).ne(0)):
                _tell_each_cta(state, number)
        with e.if_(strict & record.get("layers").ugt(FENCED)):
            release_fenced(state, own, e.const("i1", 1))
            with e.if_(several & wide):
                release_fenced(state, clusters, (how & NEAR_IN_CLUSTER).ne(0))
        with e.if_((how & GRID).ne(0)):
            fenced = record.get("layers").ugt(FENCED)
            with e.if_(~strict | fenced):
                layer = strict.select(e.const("i64", FENCED), KNOWN)
                release_to_grid(state, grids, layer)
        with e.if_(~strict & ~relaxed):
            next_epoch(state)
    e.jump("out")
    e.label("out")
    e.line("ret void")


def _tell_each_cta(state: MemoryRecord, number: LlvmValue) -> None:
    """Releases to the own threads of every CTA of the cluster."""
    e, record = state.emitter, record_of(state)
    length = record.get("block_bytes")
    with e.count(0, launch_of(state).get("cluster_ctas")) as rank:
        block = state.get("cluster_block") + rank.zext("i64") * length
        release(state, Clock(record, block, number + OWN_HASHED))


def write_race_fence(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_fence(state, what)`: a thread has executed a fence."""
    pointer, what = arguments
    state = state_of(e, pointer)
    for flag, layer in ((FENCES, FENCED), (PROXIES, PROXIED)):
        with e.if_((what & flag).ne(0)):
            keep_in_layer(state, layer)
    with e.if_((what & (FENCES | NEAR_FENCES)).ne(0) & record_of(state).get("layers").ugt(NEAR)):
        keep_in_layer(state, NEAR)
    next_epoch(state)
    e.line("ret void")


def write_race_warp_sync(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_warp_sync(state, lanes)`: the lanes have waited for each other."""
    pointer, lanes = arguments
    state = state_of(e, pointer)
    sync_lanes(state, lanes, next_epoch(state))
    e.line("ret void")


def write_race_arrive(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_arrive(state, barrier, waiting)`: lanes arrive at a barrier of the CTA, or at that of the cluster (16);
    `waiting` are those that will go on when it is complete."""
    pointer, barrier, waiting = arguments
    state = state_of(e, pointer)
    home = barrier.eq(CLUSTER_BARRIER).select(state.get("cluster_block"), state.get("block"))
    with e.if_(barrier.ule(BARRIERS)):
        release(state, Clock(record_of(state), home, barrier))
        sync_lanes(state, waiting, next_epoch(state))
    e.line("ret void")


def write_race_barrier_complete(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_barrier_complete(cta, barrier)`: the warps that wait at a barrier of the CTA know of all who arrived."""
    pointer, barrier = arguments
    cta = MemoryRecord(e, record_layout.Cta, pointer)
    launch = launch_of(cta)
    first, stride = cta.get("warps"), launch.get("warp_stride")
    state = warp_state(e, first)
    clock = Clock(record_of(state), state.get("block"), barrier)
    with e.count(0, launch.get("warps")) as i:
        place = first + i.zext("i64") * stride
        with e.if_(MemoryRecord(e, record_layout.Warp, e.ptr(place)).get("barrier_lanes", barrier).ne(0)):
            theirs = warp_state(e, place)
            acquire(theirs, clock)
            raise_floor(theirs, launch)
    clock.forget()
    e.line("ret void")


def write_race_cluster_complete(e: Emitter, *arguments: LlvmValue) -> None:
    """`void race_cluster_complete(cta)`: the phase of the cluster's barrier is complete; `cta` is that of rank 0."""
    pointer = arguments[0]
    first = MemoryRecord(e, record_layout.Cta, pointer)
    launch = launch_of(first)
    stride = launch.get("warp_stride")
    state = warp_state(e, first.get("warps"))
    clock = Clock(record_of(state), state.get("block"), CLUSTER_BARRIER)
    with e.count(0, launch.get("cluster_ctas")) as rank:
        warps = nth_cta(e, pointer, rank).get("warps")
        with e.count(0, launch.get("warps")) as i:
            theirs = warp_state(e, warps + i.zext("i64") * stride)
            acquire(theirs, clock)
            sync_lanes(theirs, e.const("i32", -1), epoch_of(theirs))
    clock.forget()
    e.line("ret void")
