"""How each kind of finding is told, and what to change. A row is a kind."""

from __future__ import annotations

from typing import NamedTuple

from ptxgen.cpu.sanitizer.state_layout import FindingKind

__all__ = ["CLUSTER_ORDER", "FLAG_ORDER", "GRID_ORDER", "ORDER", "STREAM_ORDER", "TEXTS", "Text"]


class Text(NamedTuple):
    """How a kind of finding is told."""

    tool: str
    kind: str
    earlier: str
    what: str
    hint: str


ORDER = "a barrier between the two (bar.sync, __syncthreads; bar.warp.sync within a warp; or an mbarrier), or atomics for both"
FLAG_ORDER = (
    f"{ORDER}; where a flag orders them, st.release.cta and ld.acquire.cta, or fence.acq_rel.cta (__threadfence_block) before a "
    "relaxed atomic and after it"
)
CLUSTER_ORDER = (
    "a barrier.cluster between the two, or an mbarrier with .release.cluster at the arrival and .acquire.cluster at the wait: "
    "without a scope these are for the threads of one CTA (.cta), and order nothing for another one"
)
GRID_ORDER = (
    "CTAs are ordered by st.release.gpu or red.release.gpu after the write and ld.acquire.gpu before the other access, or by "
    "fence.acq_rel.gpu (__threadfence) before a relaxed atomic and after it; or by two launches, or a grid-wide barrier"
)
STREAM_ORDER = (
    "do both in one stream, or let the second stream wait for an event that is recorded behind the first; in a graph, an edge from "
    "the one node to the other"
)
RACE = "and nothing orders the two accesses"
TEXTS = {
    FindingKind.WRITE_AFTER_WRITE: Text(
        "racecheck", "write after write", "wrote", f"another thread wrote there, {RACE}", ORDER
    ),
    FindingKind.READ_AFTER_WRITE: Text(
        "racecheck", "read after write", "wrote", f"another thread wrote there, {RACE}", ORDER
    ),
    FindingKind.WRITE_AFTER_READ: Text(
        "racecheck", "write after read", "read", f"another thread read there, {RACE}", ORDER
    ),
    FindingKind.NO_PROXY_FENCE: Text(
        "racecheck",
        "no proxy fence",
        "wrote",
        "a thread wrote there, and no fence makes that visible to the async proxy",
        "fence.proxy.async by those who write, before the barrier behind which the copy or the wgmma starts",
    ),
}
TEXTS[FindingKind.UNINITIALISED] = Text(
    "initcheck", "uninitialised read", "", "nobody has written there",
    "write it first: a fill or a copy from the host, a store by some thread before the barrier",
)  # fmt: skip
INDEX = "an index or a count that is too large, or a buffer that is too small"
TEXTS[FindingKind.OUTSIDE_VARIABLE] = Text("memcheck", "outside its variable", "", "", INDEX)
TEXTS[FindingKind.OUTSIDE_ALLOCATION] = Text("memcheck", "outside its allocation", "", "", INDEX)
TEXTS[FindingKind.BARRIER_AFTER_EXIT] = Text(
    "synccheck", "barrier after an exit", "", "barrier {number} is for all threads of the CTA, and {count} of them have exited",
    "let every thread reach the barrier, and leave out the work of those that have none",
)  # fmt: skip
TEXTS[FindingKind.BARRIER_COUNTS] = Text(
    "synccheck", "barrier counts", "", "threads at barrier {number} state another count than those who wait there: {count}",
    "one count for each use of a barrier; another barrier, of 0 to 15, for another group",
)  # fmt: skip
TEXTS[FindingKind.MBARRIER_AGAIN] = Text(
    "synccheck", "mbarrier initialised again", "", "it is a valid mbarrier, and nothing has invalidated it",
    "initialise it once, by one thread; mbarrier.inval comes before its memory is used again",
)  # fmt: skip
TEXTS[FindingKind.USED_IN_FLIGHT] = Text(
    "asynccheck", "used in flight", "started", "a copy to there is under way, and nobody has waited for it",
    "wait first: cp.async.wait_group and a barrier, or the phase of the mbarrier on which the copy completes, by its parity",
)  # fmt: skip
TEXTS[FindingKind.OVERWRITTEN_IN_FLIGHT] = Text(
    "asynccheck", "overwritten in flight", "started", "what reads there or writes there is under way, and nobody has waited for it",
    "release a stage behind the wait for what uses it: wgmma.wait_group, or cp.async.bulk.wait_group.read",
)  # fmt: skip
TEXTS[FindingKind.REGISTER_IN_FLIGHT] = Text(
    "asynccheck", "register in flight", "started", "uses registers of a wgmma that is under way",
    "wgmma.wait_group before its accumulators are used, or the registers of A are written",
)  # fmt: skip
TEXTS[FindingKind.NOT_COMMITTED] = Text(
    "asynccheck", "not committed", "started", "what uses it is under way, and is in no committed group, so that no wait_group waits for it",
    "cp.async.commit_group, cp.async.bulk.commit_group or wgmma.commit_group behind the last of the group",
)  # fmt: skip
TEXTS[FindingKind.NOT_WAITED] = Text(
    "asynccheck", "not waited for", "started", "a thread exits, and what it has started still reads the CTA's shared memory",
    "cp.async.bulk.commit_group, and cp.async.bulk.wait_group 0 before the thread exits",
)  # fmt: skip
TEXTS[FindingKind.OUTSIDE_TENSOR] = Text(
    "memcheck", "box outside its tensor", "", "the box begins far from the tensor: its coordinates are not meant for that map, or are in another order",
    "the coordinates, innermost dimension first, in elements; and the extents of the tensor map",
)  # fmt: skip
TEXTS[FindingKind.OTHER_SWIZZLE] = Text(
    "asynccheck", "other swizzle", "", "the tensor copy that brought it has a swizzle of {theirs}, and the matrix descriptor one of {own}",
    "one swizzle for the tensor map and for bits 62 and 63 of the descriptor",
)  # fmt: skip
TEXTS[FindingKind.OTHER_ROWS] = Text(
    "asynccheck", "other rows", "", "line {line} of the matrix leads to row {row} of the box, counted from the same one",
    "the descriptor's stride between eight lines, bits 32 to 45 in units of 16 bytes, is eight times what a row of the box takes; "
    "and its swizzle and the box's innermost extent are of the same width",
)  # fmt: skip
