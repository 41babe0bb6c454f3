"""The launch record, CTA records, warp records; addresses of clusters, tensor memory."""

from __future__ import annotations

import ctypes
import struct

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
