"""What a warp has under way: asynchronous copies, wgmma."""

from __future__ import annotations

import ctypes

from ptxgen.cpu.record_layout.records import U32, U64


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
