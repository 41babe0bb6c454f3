"""Where generated code and Python find things: the launch record, CTA records, warp records (byte offsets).

All of it lies in memory between calls of generated code, so a launch can stop at any block boundary and go on later, with
other code if need be. The parts below are the same for every kernel; masks and registers of a kernel follow its warp header.
Records of the debugger and of the sanitizer are made of the same words.
"""

from __future__ import annotations

import ctypes
import struct
from enum import IntEnum

__all__ = [
    "CLAIMS", "LAUNCH_HEAD", "NOWHERE", "RANK_SHIFT", "TENSOR_COLUMNS", "TENSOR_MEMORY_BYTES", "U32", "U64", "Barrier",
    "BulkCopy", "BulkKind", "Copies", "CopyRecord", "Cta", "LaneCopies", "LaunchRecord", "Status", "Warp", "WarpStatus",
    "WgmmaCall", "WgmmaQueue", "Window",
]  # fmt: skip

RANK_SHIFT = 24
"""An address of .shared::cluster has the rank of a CTA from this bit on, and below it the offset in that CTA's shared memory."""
NOWHERE = 1 << 62
"""Set in a generic address that mapa makes for a rank that the cluster does not have; the rest is that of .shared::cluster."""

TENSOR_COLUMNS = 512
"""Of tensor memory, of 32 bits each."""
TENSOR_MEMORY_BYTES = 128 * TENSOR_COLUMNS * 4
"""Of a CTA: 128 lanes, one after the other. They lie behind its shared memory."""

CLAIMS = 64
"""Bytes of a launch's count of CTAs that its workers have taken: 64 bits, and a cache line for them, which all workers write."""

U32 = ctypes.c_uint32
U64 = ctypes.c_uint64


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


class LaunchRecord(ctypes.Structure):
    """One launch as one worker runs it: all of it, or what it takes of a grid that several work on. The slots of the kernel's
    memory instructions follow it."""

    _fields_ = [
        # what every launch sets anew; `LAUNCH_HEAD` packs it
        ("grid", U32 * 3),
        ("cluster", U32 * 3),
        ("budget", U32),  # loop rounds of a warp before others run
        ("resident", U32),  # CTA records in use
        ("clustered", U32),  # launched with a cluster, be it of one CTA
        ("cluster_ctas", U32),  # CTAs of a cluster; those of one have records side by side, in the order of their ranks
        ("next_cta", U64),  # of those that the worker has taken, up to `end_cta`; counted cluster by cluster
        ("end_cta", U64),
        ("grid_ctas", U64),  # of the whole grid
        ("claims", U64),  # address of the count of those that workers have taken, see `CLAIMS`
        ("claim_shift", U32),  # a worker takes this part of the clusters that are left: one in two to the power of it
        ("claim_most", U32),  # but no more clusters than these
        ("done_ctas", U64),
        ("instructions", U64),  # executed, times lanes: also the clock, and the measure of progress
        ("tick_at", U64),  # instructions at which Python wants to be asked
        ("clock_reads", U64),
        ("idle_rounds", U64),  # rounds in which warps only looped, each the heavier the more CTAs are resident
        ("warp_function", U64),
        ("table", U64),  # allocation table: address, entries
        ("table_count", U64),
        ("grid_id", U64),
        ("fault_kind", U32),
        ("fault_instruction", U32),
        # the rest of the first fault
        ("fault_lane", U32),
        ("fault_size", U32),
        ("fault_address", U64),
        ("fault_warp", U64),
        (
            "early_copies",
            U64,
        ),  # what is asynchronous is done: 0 when it is waited for, 1 when it is started, 2 either, as drawn
        ("draws", U64),  # state of the generator that decides that
        ("fault_window", U32),  # the address is an offset in a window of this Window's; 0: it is a generic one
        # waits for mbarriers, see rt/scheduler.py
        ("expired", U32),  # in this round such a wait takes no for an answer
        ("parked", U32),  # lanes wait for an mbarrier
        ("expiries", U32),  # rounds with `expired` set since an mbarrier has changed
        ("rounds", U64),
        ("changes", U64),  # of mbarriers
        ("seen_changes", U64),  # when the launch last came to a halt
        # a round that a tick has cut, and what it has seen so far
        (
            "turn",
            U64,
        ),  # whose turn comes next: number of the warp, and above 32 bits of the CTA's record; 0: none is cut
        ("round_instructions", U64),  # executed when it began
        ("quiet", U32),  # no warp has finished or reached a barrier in it
        ("pad2", U32),
        ("look", U64),  # Python wants to be asked between two rounds, at a number of them without the bits of the mask
        ("look_mask", U64),
        # what depends on the shape of the block
        ("block", U32 * 3),
        ("threads", U32),  # of a CTA
        ("warps", U32),  # of a CTA
        ("shared_bytes", U32),  # static and dynamic
        ("dynamic_bytes", U32),
        ("first", U32),  # for `geometry`: the first CTA record to set up, with the memory below
        ("warp_base", U64),
        ("shared_base", U64),
        ("local_base", U64),
        # what depends on the kernel alone
        ("ctas", U64),  # first CTA record
        ("warp_stride", U64),
        ("shared_stride", U64),  # of shared memory and tensor memory
        ("local_stride", U64),  # from one thread's local memory to the next
        ("local_bytes", U64),
        ("param", U64),  # address of the parameters
        ("param_bytes", U64),
        ("fills_shared", U64),  # every CTA begins with ones (1) or zeros (2) in its shared memory, see rt/scheduler.py
        ("multiprocessors", U64),  # of the device: %nsmid
        ("warp_slots", U32),  # of a multiprocessor: %nwarpid
        ("injects_waits", U32),  # wgmma is waited for where a register that it has is touched
        ("idle_limit", U64),  # rounds in which warps only looped, before more CTAs are started
        ("workers", U64),  # that run CTAs of the grid beside one another
        ("printer", U64),  # the function behind vprintf, see printing.py
        ("printer_address", U64),  # what it could not read
        ("sanitizer", U64),  # its record, see sanitizer/state_layout.py; 0: no tool is on
        (
            "workspace",
            U64,
        ),  # of a cooperative launch, where its CTAs wait for one another: %envreg1 and %envreg2; 0: none
        ("malloc", U64),  # functions behind malloc and free, see heap.py; for kernels that call them
        ("free", U64),
        ("multicast", U64),  # the table of multicast ranges, see multicast.py; for kernels that use them
        ("textures", U64),  # the table of handles, see textures.py; for kernels that use some
        ("profile", U64),  # counters of its operations, see profiler/counters.py; for kernels that count
        ("debug", U64),  # its record, see debugger/debug_record.py; for kernels that pause
        ("paused_turn", U64),  # instructions executed when the turn that is paused began, and 1; 0: none is
    ]


LAUNCH_HEAD = struct.Struct("<10I4Q2I9Q2I")
"""The fields of LaunchRecord from `grid` to `fault_instruction`."""


class Barrier(ctypes.Structure):
    """One of the 16 named barriers of a CTA (manual 9.7.13.1)."""

    _fields_ = [
        ("arrived", U32),  # threads
        ("expected", U32),  # 0: every thread that has not exited
        ("set_predicates", U32),  # of bar.red: how many arrived with their predicate set
        ("reduction", U32),  # of bar.red: 0 none, 1 popc, 2 and, 3 or
    ]


class Cta(ctypes.Structure):
    _fields_ = [
        ("running", U32),
        ("alive", U32),  # threads that have not exited
        ("ctaid", U32 * 3),
        ("under_way", U32),  # bulk copies and arrivals that complete on mbarriers
        ("index", U64),  # linear
        ("shared", U64),  # address of its shared memory
        ("warps", U64),  # first warp record
        ("launch", U64),
        ("cluster", U64),  # record of the CTA of rank 0
        ("rank", U32),
        ("missing", U32),  # of rank 0: threads of the cluster that have neither exited nor arrived at its barrier
        ("barriers", Barrier * 16),
        # of tensor memory, in units of 32 columns
        ("tensor_sizes", U32 * 16),  # of the allocation that begins there; 0: none does
        ("tensor_used", U32),  # a bit for each unit that is allocated
        ("tensor_closed", U32),  # the CTA has given up its permit to allocate
    ]


class Warp(ctypes.Structure):
    """`live` lanes have not exited. The kernel's block masks follow, the entry block's first."""

    _fields_ = [
        ("live", U32),
        ("initial", U32),
        ("released", U32),  # lanes whose barrier is complete and who have not gone on yet
        ("arrived", U32),  # lanes that are counted in a barrier
        ("in_cluster", U32),  # lanes that have arrived at the cluster's barrier, and not all others have
        ("index", U32),  # %warpid
        ("budget", U32),
        ("pad", U32),
        ("barrier_lanes", U32 * 16),  # lanes waiting at each barrier
        ("barrier_result", U32 * 32),  # what bar.red gives each lane
        ("tid_x", U32 * 32),
        ("tid_y", U32 * 32),
        ("tid_z", U32 * 32),
        ("cta", U64),
        ("launch", U64),
        ("local", U64),  # address of lane 0's local memory
        ("sanitizer", U64),  # its state, where a tool is on
    ]


class CopyRecord(ctypes.Structure):
    """A cp.async under way."""

    _fields_ = [
        ("to", U64),
        ("source", U64),
        ("bytes", U32),
        ("taken", U32),  # bytes of the source; zeros follow
        ("group", U32),  # groups that the thread had committed before
        ("instruction", U32),  # where asynccheck asks for it
    ]


class LaneCopies(ctypes.Structure):
    """The cp.async of one thread, oldest first: entries `first` to `next` - 1 of a ring."""

    SIZE = 64
    _fields_ = [
        ("first", U32),
        ("next", U32),
        ("groups", U32),  # committed
        ("bulk_groups", U32),  # the same for bulk copies
        ("copies", CopyRecord * SIZE),
    ]


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


class BulkCopy(ctypes.Structure):
    """A bulk copy under way, or an arrival that waits for copies. Addresses are those of this machine."""

    _fields_ = [
        ("mbarrier", U64),  # where it completes; 0: in a bulk group of its thread
        ("to", U64),  # of a tensor store: 0
        ("source", U64),  # of a tensor load: 0
        ("function", U64),  # of a reduction, or an instruction of the tensor cores: what does it
        ("map", U32 * 16),  # of a tensor copy: the words of the map that it reads, as they were at its issue
        ("numbers", U32 * 8),  # of a tensor copy: five coordinates, three offsets of im2col; of a store: its values
        ("bytes", U32),
        ("kind", U32),
        ("lane", U32),
        ("group", U32),  # bulk groups that the thread had committed before
        ("instruction", U32),
        ("rank", U32),  # of the CTA in whose shared memory it completes
    ]


class Copies(ctypes.Structure):
    """What a warp has under way and waits for; behind the registers, in kernels with asynchronous copies or mbarriers."""

    SIZE = 128
    _fields_ = [
        ("first", U32),
        ("next", U32),  # of the ring of bulk copies
        ("denied", U32),  # lanes that were told that the phase they wait for is not complete
        ("pad", U32),
        ("awaited", U32 * 32),  # the mbarrier that a lane waits for, in shared memory
        ("bulk", BulkCopy * SIZE),
        ("lanes", LaneCopies * 32),
    ]


class WgmmaCall(ctypes.Structure):
    """A warp's part of a wgmma.mma_async under way: a call of its function in rt/matrix/functions.py."""

    SCALARS = 8
    PARAMETERS = 7
    _fields_ = [
        ("function", U64),
        ("table", U64),  # of its registers
        ("owner", U64),  # a bit for the instruction, one of 64
        ("window", U64),  # where the CTA's own memory begins in .shared::cluster
        ("scalars", U64 * SCALARS),  # registers that are the same in every lane, as they were at its issue
        ("parameters", U64 * PARAMETERS),  # as rt/matrix/wgmma.py has them
        ("instruction", U32),
        ("pad", U32),
    ]


class WgmmaQueue(ctypes.Structure):
    """What a warp has of wgmma under way, oldest first: entries `first` to `next` - 1 of a ring; behind the registers, and behind
    Copies."""

    SIZE = 64
    _fields_ = [
        ("first", U32),
        ("next", U32),  # so many has the warp issued
        ("groups", U32),  # committed
        ("asked", U32),  # how many of those issued the warp has waited for
        ("ends", U32 * SIZE),  # of the last groups: `next` when they were committed
        ("calls", WgmmaCall * SIZE),
    ]
