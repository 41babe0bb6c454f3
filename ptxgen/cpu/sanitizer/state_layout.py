"""Where the functions of the sanitizer find things: a record for each launch, clocks for each CTA, a state for each warp.

Order among warps is told by vector clocks (Lamport, Mattern): a warp counts its releases, and knows of each warp of its cluster
how far it has seen it. `agent` is the number of a warp in its cluster. A clock is one word for each agent.

Of a CTA, one after the other: a clock for each of its 16 barriers, one for the barrier of the cluster, HASHED clocks for
mbarriers and atomic words, by their addresses; the addresses of MBARRIERS mbarriers; who came last to each barrier;
then the warps' states, each followed by what the warp knows, a clock. What
belongs to a cluster is that of its CTA of rank 0. In a cluster of several CTAs each has HASHED clocks more at the end of
its block: of what is released to threads of that CTA alone (`own_clocks_bytes`).
"""

from __future__ import annotations

import ctypes
from enum import IntEnum

__all__ = [
    "BARRIERS", "CLUSTER_BARRIER", "EPOCH", "EPOCHS", "FIRST_HASHED", "HASHED", "INSTRUCTION", "INSTRUCTIONS", "LARGEST_SIZE",
    "MASK", "MBARRIERS", "NARROW", "ROOM", "STRONG", "UPDATE", "WHO", "WRITE", "FindingKind", "FindingRecord", "SanitizerRecord",
    "WarpState", "block_bytes", "clock_words", "own_clocks_bytes", "state_bytes",
]  # fmt: skip

U32 = ctypes.c_uint32
U64 = ctypes.c_uint64

BARRIERS = 16
CLUSTER_BARRIER = BARRIERS
FIRST_HASHED = BARRIERS + 1
HASHED = 256
"""Clocks of mbarriers and atomic words. Two that share one order more than they should: a race is missed, none is made up."""
MBARRIERS = 64
"""Of a CTA, whose addresses are kept from mbarrier.init to mbarrier.inval."""
ROOM = 256
"""Findings of a launch that there is room for."""

WRITE, STRONG, UPDATE, NARROW = 1 << 30, 1 << 29, 1 << 28, 1 << 27
"""Flags in the word of an access beside its bytes: it writes; it is atomic, volatile, or has an order and a scope; what it writes
depends on what was there; its scope is that of its CTA."""
LARGEST_SIZE = NARROW - 1

MASK, WHO, INSTRUCTION, EPOCH = 2, 6, 20, 40
"""Of an access in 64 bits, from the lowest on: strong, narrow, which bytes of its word, agent and lane, instruction, epoch."""
EPOCHS = (1 << 24) - 1
INSTRUCTIONS = (1 << 20) - 1


class FindingKind(IntEnum):
    """What was found; the number that generated code stores."""

    WRITE_AFTER_WRITE = 1
    READ_AFTER_WRITE = 2
    WRITE_AFTER_READ = 3
    UNINITIALISED = 4
    OUTSIDE_VARIABLE = 5
    OUTSIDE_ALLOCATION = 6
    BARRIER_AFTER_EXIT = 7
    BARRIER_COUNTS = 8
    MBARRIER_AGAIN = 9


class SanitizerRecord(ctypes.Structure):
    """Of a launch. Functions are 0 where no tool needs them; so are the biases, which lead from an address to its shadow."""

    _fields_ = [
        ("start", U64),  # void (launch, cta): a CTA begins
        ("barrier_complete", U64),  # void (cta, index)
        ("all_complete", U64),  # void (cta, index): of a barrier for all threads
        ("cluster_complete", U64),  # void (first CTA of the cluster)
        ("blocks", U64),  # of the first CTA record; those of the others follow
        ("block_bytes", U64),
        ("agents", U64),  # words of a clock
        ("race_bias", U64),  # 8 * address + this: the accesses of a word of shared memory
        ("init_bias", U64),  # address + this: was the byte written?
        ("arena", U64),  # the range of addresses that has such bytes
        ("arena_bytes", U64),
        ("findings", U64),  # array of FindingRecord
        ("found", U64),
    ]


class FindingRecord(ctypes.Structure):
    """A finding and how often it was made."""

    _fields_ = [
        ("kind", U32),
        ("instruction", U32),
        ("other_instruction", U32),  # of the earlier access of two; else the number of the variable or parameter
        ("who", U32),  # agent and, in the lowest five bits, lane
        ("other_who", U32),
        ("size", U32),
        ("ctaid", U32 * 3),
        ("rank", U32),
        ("owner", U32),  # rank of the CTA in whose shared memory the address lies
        ("window", U32),  # 0, or a record_layout.Window: shared or local memory
        ("address", U64),  # an offset where it lies in a window
        ("times", U64),
    ]


class WarpState(ctypes.Structure):
    """Of a warp. What it knows of the others, a clock, follows."""

    _fields_ = [
        ("record", U64),
        ("warp", U64),
        ("block", U64),  # clocks of its CTA
        ("cluster_block", U64),  # those of the CTA of rank 0
        ("race_bias", U64),
        ("init_bias", U64),
        ("agent", U32),
        ("agents", U32),
        ("synced", U32 * 32),  # of each lane: the warp's epoch when the lane last waited for others
        ("pad", U32 * 2),
    ]


def clock_words(agents: int) -> int:
    """Words of a clock: whole vectors of eight."""
    return -(-agents // 8) * 8


def state_bytes(words: int) -> int:
    """Of a warp's state with the clock behind it."""
    return ctypes.sizeof(WarpState) + 4 * words


def own_clocks_bytes(words: int) -> int:
    """Of the clocks of a CTA of a cluster that tell of what was released to its own threads alone; whole lines of 64."""
    return 4 * words * HASHED


def block_bytes(words: int, warps: int, cluster_ctas: int) -> int:
    """Of what a CTA has, in whole lines of 64."""
    own = own_clocks_bytes(words) if cluster_ctas > 1 else 0
    shared = 4 * words * (FIRST_HASHED + HASHED) + 8 * (MBARRIERS + BARRIERS) + warps * state_bytes(words)
    return -(-shared // 64) * 64 + own
