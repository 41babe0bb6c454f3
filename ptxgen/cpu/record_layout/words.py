"""Numbers with names: what generated code answers, windows, kinds of entries."""

from __future__ import annotations

from enum import IntEnum


class WarpStatus(IntEnum):
    """What a warp function answers."""

    DONE = 0
    """Every lane has exited."""
    BLOCKED = 1
    """Every live lane waits."""
    YIELD = 2
    """Its budget of loop rounds is used up; lanes can run."""
    FAULT = 3
    PAUSED = 4
    """Of a kernel under a debugger: it is to pause before the next instruction."""


class Status(IntEnum):
    """What the grid function answers to Python."""

    DONE = 0
    TICK = 1
    """`tick_at` is reached, or a round has ended and `look` is set: a moment for signals, limits and better code."""
    FAULT = 3
    GROW = 4
    """Resident CTAs wait for something that a CTA not yet started may bring."""
    DEADLOCK = 5
    PAUSED = 6


class Window(IntEnum):
    """The windows of a thread whose addresses start at 0."""

    SHARED = 1
    LOCAL = 2
    PARAM = 3
    CLUSTER = 4
    """Shared memory of the cluster: the rank of its CTA lies in the bits from RANK_SHIFT on."""


class BulkKind(IntEnum):
    """What an entry of the bulk ring does when its time has come."""

    DONE = 0
    COPY = 1
    ARRIVAL = 2
    """cp.async.mbarrier.arrive: `to` is the count of the thread's copies that come before it."""
    TENSOR_LOAD = 3
    TENSOR_STORE = 4
    REDUCE = 5
    TENSOR_REDUCE = 6
    STORE = 7
    TENSOR_CORE = 8
    """tcgen05.mma, .cp or .shift: `function` does it, `map` and `numbers` are its parameters."""
    COMMIT = 9
    """tcgen05.commit: an arrival behind all of the thread's TENSOR_CORE."""
    MASKED_COPY = 10
    """A copy of those bytes of each 16 whose bit is set in the first of `numbers`."""
