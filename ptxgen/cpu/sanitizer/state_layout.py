"""Where the functions of the sanitizer find things: a record for each launch, clocks for each CTA, a state for each warp.

Order among warps is told by vector clocks (Lamport, Mattern): a warp counts its releases, its epochs, and knows of each warp of
each CTA how far it has seen it. A CTA has a stretch of words in every clock, a column: how far back it is known, then one word
for each of its warps, how far on. `agent` is the number of a warp's word. There are COLUMNS, or as many as CTAs are resident;
they are used again, the one whose CTA has ended longest ago first: a CTA begins with an epoch that none before it had, and "how
far back", kept as its complement so that the later of two clocks is the larger in every word, tells its accesses from those of
the CTAs before it. Epochs go on from launch to launch.

A clock has one layer, or LAYERS: what is known; what of it a fence of the GPU or the system has made visible to other CTAs; what
of it a proxy fence has made visible to copies and tensor cores; in a fourth one, what of it any fence has made visible to the
threads near by. It is used as far as its tag says, which is 0 for one that is
empty, and then as far as columns were in use when it was last written.

Of a CTA, one after the other: a BlockHead; the tags of its clocks; who came last to each barrier; the addresses of MBARRIERS
mbarriers; the clocks: one for each of its 16 barriers, one for the barrier of the cluster, HASHED of what is released through a
word or an mbarrier to the threads of the CTA, and HASHED to those of its cluster; then the warps' states, each followed by what
the warp knows, a clock. What belongs to a cluster is that of its CTA of rank 0. What is released to the whole grid is in
GRID_CLOCKS of the launch.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum

from ptxgen.cpu.record_layout import U32, U64

__all__ = [
    "ACCESSES",
    "AGENT",
    "AGENTS",
    "ASYNC",
    "ASYNC_ACCESS",
    "BARRIERS",
    "CLOCKS",
    "CLUSTER_BARRIER",
    "CLUSTER_HASHED",
    "COLUMNS",
    "EPOCH",
    "EPOCHS",
    "FENCED",
    "GRID_CLOCKS",
    "HASHED",
    "HEADS",
    "INSTRUCTION",
    "INSTRUCTIONS",
    "KNOWN",
    "LANE",
    "LARGEST_SIZE",
    "LAYERS",
    "MASK",
    "MBARRIERS",
    "NEAR",
    "OWN_HASHED",
    "PROXIED",
    "ROOM",
    "SCOPE",
    "SCOPES",
    "UPDATE",
    "WHO",
    "WRITE",
    "BlockHead",
    "Column",
    "CtaStart",
    "FindingKind",
    "FindingRecord",
    "Layout",
    "SanitizerRecord",
    "WarpState",
    "arrivals_at",
    "clocks_at",
    "tags_at",
]  # fmt: skip

BARRIERS = 16
CLUSTER_BARRIER = BARRIERS
HASHED = 256
"""Clocks of mbarriers and atomic words. Two that share one order more than they should: a race is missed, none is made up."""
OWN_HASHED = BARRIERS + 1
CLUSTER_HASHED = OWN_HASHED + HASHED
CLOCKS = CLUSTER_HASHED + HASHED
GRID_CLOCKS = 1024
COLUMNS = 16
ACCESSES = 8
"""Bytes of shadow for each byte of memory in which the accesses of words are kept."""
HEADS = 0.25
"""The same, for those of granules."""
MBARRIERS = 64
"""Of a CTA, whose addresses are kept from mbarrier.init to mbarrier.inval."""
ROOM = 256
"""Findings of a launch that there is room for."""
KNOWN, FENCED, PROXIED, NEAR = range(4)
LAYERS = 3
"""Of kernels that have wide fences or proxies. With fences of the CTA's or the cluster's scope there is NEAR too, else FENCED
serves for it."""

WRITE, UPDATE, ASYNC_ACCESS = 1 << 30, 1 << 29, 1 << 28
"""Flags in the word of an access beside its bytes: it writes; what it writes depends on what was there; a copy does it, or the
tensor cores do. Two bits from SCOPE on: 0 for a weak access; SCOPES for one that is atomic, volatile, or has an order."""
SCOPE = 26
SCOPES = {"cta": 1, "cluster": 2, "gpu": 3, "sys": 3}
LARGEST_SIZE = (1 << SCOPE) - 1

ASYNC, MASK, INSTRUCTION, WHO, EPOCH = 2, 3, 7, 23, 42
"""Of an access in 64 bits, from the lowest on: scope, asynchronous, which bytes of its word, instruction, lane and agent,
epoch."""
LANE, AGENT = WHO, WHO + 5
AGENTS = (1 << EPOCH - AGENT) - 1
EPOCHS = (1 << 64 - EPOCH) - 1
"""The last one; whatever was done in it counts as ordered."""
INSTRUCTIONS = (1 << WHO - INSTRUCTION) - 1


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
    NO_PROXY_FENCE = 10
    USED_IN_FLIGHT = 11
    OVERWRITTEN_IN_FLIGHT = 12
    REGISTER_IN_FLIGHT = 13
    NOT_COMMITTED = 14
    NOT_WAITED = 15
    OUTSIDE_TENSOR = 16
    OTHER_SWIZZLE = 17
    OTHER_ROWS = 18


class SanitizerRecord(ctypes.Structure):
    """Of a launch. Functions are 0 where no tool needs them; so are the biases, which lead from an address to its shadow."""

    _fields_ = [
        ("start", U64),  # void (launch, cta): a CTA begins
        ("barrier_complete", U64),  # void (cta, index)
        ("all_complete", U64),  # void (cta, index): of a barrier for all threads
        ("cluster_complete", U64),  # void (first CTA of the cluster)
        ("blocks", U64),  # of the first CTA record; those of the others follow
        ("block_bytes", U64),
        ("words", U64),  # of a layer of a clock
        ("stretch", U64),  # words of a column: a CTA's warps, and one
        ("columns", U64),  # array of Column
        ("turn", U64),  # the column after the one that a CTA was given last
        ("layers", U64),
        ("race_bias", U64),  # 8 * address + this: the accesses of a word
        ("head_bias", U64),  # (address >> 2 & -32) + this: those of a granule
        ("init_bias", U64),  # address + this: was the byte written?
        ("async_bias", U64),  # address + this: what is under way in a word
        ("box_bias", U64),  # address + this: which row of a box that a tensor copy has brought a word is of
        ("bounds", U64),  # memcheck is on
        ("copies_offset", U64),  # from a warp's record to what it has under way
        ("arena", U64),  # the range of addresses that has such shadows
        ("arena_bytes", U64),
        ("windows", U64),  # from here on they are the executor's own
        ("grid_clocks", U64),  # GRID_CLOCKS tags, then the clocks
        ("first_epoch", U64),  # of the launch
        ("last_epoch", U64),  # that it has come to
        ("settled", U64),  # what is kept of an access that is below this is ordered before the launch
        ("unordered", U64),  # pairs of epochs, from and to, of earlier launches that are not
        ("unordered_count", U64),
        ("log", U64),  # array of CtaStart
        ("logged", U64),
        ("findings", U64),  # array of FindingRecord
        ("found", U64),
    ]


class CtaStart(ctypes.Structure):
    """A CTA has begun: whose accesses those of that column from that epoch on are."""

    _fields_ = [("column", U32), ("epoch", U32), ("index", U64)]


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
        ("other_cta", U64),  # its number in the grid, and one; 0 where nobody knows
        ("other_epoch", U64),
    ]


class BlockHead(ctypes.Structure):
    """Of what a CTA has."""

    _fields_ = [("column", U32), ("pad", U32)]


class Column(ctypes.Structure):
    """Whose a column is: a CTA's, by the address of its record, from an epoch on."""

    _fields_ = [("cta", U64), ("first_epoch", U32), ("pad", U32)]


class WarpState(ctypes.Structure):
    """Of a warp. What it knows of the others, a clock, follows."""

    _fields_ = [
        ("record", U64),
        ("warp", U64),
        ("launch", U64),
        ("block", U64),  # clocks of its CTA
        ("cluster_block", U64),  # those of the CTA of rank 0
        ("race_bias", U64),
        ("head_bias", U64),
        ("init_bias", U64),
        ("async_bias", U64),
        ("box_bias", U64),
        ("agent", U32),
        ("tag", U32),  # of what it knows
        ("column", U32),  # its CTA's
        ("bounds", U32),  # are boxes held against their tensors?
        ("now", U64),  # epoch and agent, as an access has them
        ("together", U64),  # what is below this all lanes of the warp have waited for
        ("floor", U64),  # what is below this in the CTA's shared memory all lanes know of
        ("first_word", U32),  # of its CTA's column
        ("first_epoch", U32),  # of its CTA
        (
            "told",
            U32 * 8,
        ),  # a bit for each clock of the CTA to which a relaxed operation has released all that is known
        ("synced", U32 * 32),  # of each lane: the warp's epoch when the lane last waited for others
    ]


class Layout:
    """Sizes and places, in bytes, of the memory of a launch with so many CTA records of so many warps."""

    def __init__(self, records: int, warps: int, layers: int) -> None:
        self.stretch = warps + 1
        self.layers = layers
        columns = max(records, COLUMNS)
        self.columns = columns * ctypes.sizeof(Column)
        self.words = -(-columns * self.stretch // 8) * 8
        self.clock = 4 * self.words * layers
        self.states = clocks_at() + CLOCKS * self.clock
        self.block = -(-(self.states + warps * (ctypes.sizeof(WarpState) + self.clock)) // 64) * 64
        self.blocks = records * self.block
        self.grid = 4 * GRID_CLOCKS * (1 + self.words)


def tags_at() -> int:
    """Of the tags in a block; they are that long."""
    return ctypes.sizeof(BlockHead)


def arrivals_at() -> int:
    """Of who came last to each barrier, 64 bits each; then come the mbarriers' addresses."""
    return -(-(tags_at() + 4 * CLOCKS) // 32) * 32


def clocks_at() -> int:
    return arrivals_at() + 8 * (BARRIERS + MBARRIERS)
