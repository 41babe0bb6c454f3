"""From the records of a stopped launch to the KernelFault that tells what happened. `frames` are those of its workers."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.fault import KINDS, KernelFault, Waiting, describe_access, space_of
from ptxgen.cpu.record_layout import RANK_SHIFT, Window
from ptxgen.cpu.rt.mbarrier import LARGEST_COUNT, read_state
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.tensor import MapFault
from ptxgen.cpu.spinning import spinning_lanes
from ptxgen.cpu.stopped import cluster_members, triple
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen import ir
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.frame import Frame
    from ptxgen.cpu.stopped import StoppedKernel

__all__ = ["circling_report", "fault_report", "stuck_report", "timeout_report", "waiting_lanes"]


_ACCESSES = (FaultKind.ILLEGAL_ADDRESS, FaultKind.MISALIGNED_ADDRESS, FaultKind.READ_ONLY_ADDRESS)


def fault_report(kernel: StoppedKernel, frame: Frame) -> KernelFault:
    """The fault that generated code has noted."""
    launch = frame.launch
    kind = FaultKind(launch.fault_kind)
    warp = record_layout.Warp.from_address(launch.fault_warp)
    cta = record_layout.Cta.from_address(warp.cta)
    lane = launch.fault_lane
    instruction = kernel.instruction(launch.fault_instruction)
    lines = kernel.source_lines(launch.fault_instruction)
    where: tuple[Dim3, Dim3] = (triple(cta.ctaid), (warp.tid_x[lane], warp.tid_y[lane], warp.tid_z[lane]))
    number, axis = launch.fault_address, launch.fault_size
    ctas = launch.cluster_ctas
    if kind in _ACCESSES:
        windows = {"shared": launch.shared_bytes, "local": launch.local_bytes, "param": launch.param_bytes}
        size = launch.fault_size
        space = space_of(instruction, launch.fault_window)
        offset, owner = _owner(kernel, cta, number, launch.fault_window)
        detail = describe_access(kind, instruction, offset, size, space, kernel.arena, windows, owner)
        number = offset if owner is None else number
        return KernelFault(
            KINDS[kind], kernel.name, detail, cta=where[0], thread=where[1], instruction=instruction,
            address=number, size=size, space=space, lines=lines,
        )  # fmt: skip
    detail = {
        FaultKind.TRAP: "the kernel executed trap",
        FaultKind.BREAKPOINT: "the kernel executed brkpt, and no debugger is attached",
        FaultKind.MEMBER_MASK: f"the thread is not in its own member mask 0x{number:08x}",
        FaultKind.BARRIER_INDEX: f"barrier {number}: barriers are numbered 0 to 15",
        FaultKind.BARRIER_COUNT: f"a barrier for {number} threads: the count is a multiple of 32",
        FaultKind.BARRIER_OVERFULL: f"{number} threads arrived, more than the barrier's count",
        FaultKind.BRANCH_INDEX: f"index {number} is beyond the branch's list of targets",
        FaultKind.MBARRIER_INVALID: _no_mbarrier(launch, cta, number, instruction),
        FaultKind.MBARRIER_COUNT: f"{number} arrivals: an mbarrier takes 1 to {LARGEST_COUNT}",
        FaultKind.MBARRIER_OVERFULL: f"more arrivals than the {number} that are pending in the mbarrier's phase",
        FaultKind.MBARRIER_COMPLETES: "the arrival completes the phase of the mbarrier, which .noComplete rules out",
        FaultKind.MBARRIER_TX: f"a tx-count of {_signed(number)}: an mbarrier counts to {LARGEST_COUNT} bytes, up or down",
        FaultKind.BULK_SIZE: f"a copy of {number} bytes: bulk copies are of multiples of 16"
        if axis == 16
        else f"a store of {number} bytes: bulk stores are of multiples of 8",
        FaultKind.CLUSTER_RANK: f"the shared memory of CTA {number} of the cluster, which has {ctas} CTA{'s' * (ctas > 1)}",
        FaultKind.CLUSTER_EXITED: f"the shared memory of CTA {number} of the cluster, whose threads have exited: a "
        "barrier.cluster behind the last access makes them wait",
        FaultKind.CLUSTER_PAIR: f"a copy into CTA {number & 0xFFFFFFFF} of the cluster that completes on an mbarrier of CTA "
        f"{number >> 32}: both lie in the same CTA's shared memory",
        FaultKind.CLUSTER_ADDRESS: f"0x{number:x} is in the shared memory of no CTA of the cluster",
        FaultKind.TENSOR_MAP: _WRONG_MAPS.get(number, ""),
        FaultKind.NO_CLUSTER: "the instruction writes shared memory of the cluster, and the kernel was launched without one: "
        "launch it with cluster=(1, 1, 1), or declare .reqnctapercluster 1",
        FaultKind.TENSOR_ROW: f"the box begins {_signed(number)} bytes from the beginning of the tensor's rows: that must be "
        "a multiple of 16",
        FaultKind.TENSOR_NEGATIVE: f"coordinate {axis} is {_signed(number)}: what stores and reduces boxes begins at "
        "coordinates from 0 on",
        FaultKind.TENSOR_PIXEL: f"coordinate {axis} is {_signed(number)}, outside the box that the corners of the tensor map "
        "leave of its dimension",
        FaultKind.TENSOR_CORNER: f"the corners of the tensor map leave pixels outside the tensor in dimension {axis}: what "
        "stores and reduces columns takes lower corners from 0 on and upper ones up to 0",
        **_tensor_memory(number, axis, launch.shared_bytes, instruction),
        FaultKind.COPY_SIZE: f"{number} bytes of the source, more than the copy has",
        FaultKind.CALL_PARAMETER: f"{instruction.op} goes beyond the {number} bytes of the call's parameter",
        FaultKind.STACK_OVERFLOW: f"the calls and variables of the thread need more than the {launch.local_bytes} bytes of its "
        "stack: a recursion without an end, or set CU_LIMIT_STACK_SIZE higher",
        FaultKind.FUNCTION_POINTER: f"0x{number:x} is not the address of a function of this module that takes and gives what "
        "the call says",
        FaultKind.HEAP_POINTER: f"free of 0x{number:x}, which is not what malloc gave, or was freed before",
        FaultKind.TEXTURE_HANDLE: f"0x{number:x} is not a handle of what {instruction.opcode} takes, or was destroyed",
        FaultKind.SURFACE_POSITION: f"{instruction.opcode} reaches beyond the surface in dimension {axis}, at {_signed(number)}",
        FaultKind.MULTICAST_ADDRESS: f"{axis} bytes at 0x{number:x} do not lie in memory that a multicast object is mapped to",
        FaultKind.SCALE_SELECTOR: f"a selector of scale factors is {number}: bytes go from 0 to 3, in steps of how many factors "
        "are used, threads to 1 for A and to 3 for B",
        FaultKind.ASSERT: f"the kernel asserts {_text_at(kernel.arena, number)}",
    }[kind]
    return KernelFault(
        KINDS[kind], kernel.name, detail, cta=where[0], thread=where[1], instruction=instruction, lines=lines
    )


_OWN_ONLY = frozenset({"mbarrier.init", "mbarrier.inval", "mbarrier.test_wait", "mbarrier.try_wait"})
"""What takes the mbarriers of the CTA itself alone."""
_WRONG_MAPS = {
    MapFault.MODE: "the tensor map is of another mode than the copy: maps are for tiles, im2col, im2col::w or im2col::w::128",
    MapFault.RANK: "the tensor map is of another rank than the copy, or not one that the driver made",
    MapFault.INTERLEAVE: "the tensor map interleaves, which it may by 16 or 32 bytes, of rank 3 to 5, for tiles and im2col",
    MapFault.SIZE: "the box of the tensor map is larger than shared memory: it is not one that the driver made",
    MapFault.OPERATION: "the reduction is none for the type of the tensor map",
    MapFault.ADDRESS: "the address in the tensor map is not a multiple of 16: it is not one that the driver made",
    MapFault.TYPE: "the tensor map is of a type that the CPU device does not know, or not one that the driver made",
}


def _tensor_memory(number: int, columns: int, shared_bytes: int, instruction: ir.Instruction) -> dict[FaultKind, str]:
    """What tcgen05 did wrong; `number` is an address in tensor memory, a count of columns, or a descriptor."""
    place = f"lane {number >> 16 & 0xFFFF}, column {number & 0xFFFF}"
    left = ", ".join(f"{32 * unit} to {32 * unit + 31}" for unit in range(16) if number >> unit & 1)
    return {
        FaultKind.TENSOR_MEMORY_SIZE: f"{number} columns: tensor memory is allocated in powers of two from 32 to 512",
        FaultKind.TENSOR_MEMORY_PERMIT: "the CTA allocates after tcgen05.relinquish_alloc_permit",
        FaultKind.TENSOR_MEMORY_FREE: f"no allocation of {columns} columns begins at 0x{number:08x}: tcgen05.dealloc takes an "
        "address that tcgen05.alloc has written, with the same number of columns, once",
        FaultKind.TENSOR_MEMORY_LEAK: f"the CTA exits, and columns {left} of its tensor memory are still allocated: "
        "tcgen05.dealloc is to come first",
        FaultKind.TENSOR_MEMORY_COLUMNS: f"from column {number & 0xFFFF} on tensor memory is not allocated as far as the "
        "instruction reaches",
        FaultKind.TENSOR_MEMORY_LANES: f"{place}: a warp loads and stores the 32 lanes from 32 * (%warpid % 4) on, and what "
        "tcgen05.mma and .cp take begins at lane 0, "
        "where every other 16 lanes are used (M = 64, sparse pairs of M = 128) at 0 or 16 as D does",
        FaultKind.INSTRUCTION_DESCRIPTOR: _instruction_descriptor(number, instruction),
        FaultKind.MATRIX_DESCRIPTOR: f"0x{number & (1 << 64) - 1:016x} is not a matrix descriptor that the CPU device runs: bits "
        "46 to 48 are 0b001, bits 61 to 63 are 0, 1, 2, 4 or 6, the leading dimension is an offset",
        FaultKind.MATRIX_ADDRESS: f"the matrix descriptor leads to 0x{number:x} of shared memory, which has {shared_bytes} bytes",
        FaultKind.CTA_PAIR: ".cta_group::2 takes a cluster with an even number of CTAs",
    }


def _instruction_descriptor(number: int, instruction: ir.Instruction) -> str:
    """Why an instruction descriptor is refused."""
    from ptxgen.isa.layouts import InstructionDescriptor, LayoutError

    kind = next((m.partition("::")[2] for m in instruction.modifiers if m.startswith("kind::")), "")
    group = 2 if "cta_group::2" in instruction.modifiers else 1
    sparse, ws = ("sp" in instruction.modifiers), ("ws" in instruction.modifiers)
    reason = "the CPU device does not run it"
    try:
        found = InstructionDescriptor.decode(number & 0xFFFFFFFF, kind)
        found.check_shape(group, ws=ws)
    except LayoutError as error:
        reason = str(error).partition("\n")[0]
    else:
        if found.sparse != sparse:
            reason = f"sparse={found.sparse}, which tcgen05.mma{'' if sparse else '.sp'} takes"
        elif "ashift" in instruction.modifiers and found.m < 128 * group:
            reason = f".ashift takes M = {128 * group}"
        elif ws:
            most = min(found.max_shift, 16 if found.m == 32 else 32)
            reason = f"its zero-column mask moves B by more than {most} columns, or sets bits that are to be 0"
    return f"0x{number & 0xFFFFFFFF:08x}: {reason}"


def _owner(kernel: StoppedKernel, cta: record_layout.Cta, address: int, window: int) -> tuple[int, int | None]:
    """(offset, rank of the CTA) of a faulty address in shared memory that may be another CTA's; (address, None) of any other."""
    rank, offset = address >> RANK_SHIFT, address & (1 << RANK_SHIFT) - 1
    if window == Window.CLUSTER:
        return offset, rank
    if window == Window.SHARED and kernel.code.ranked:
        return (offset, None) if rank == cta.rank else (offset, rank)
    return address, None


def _no_mbarrier(
    launch: record_layout.LaunchRecord, cta: record_layout.Cta, address: int, instruction: ir.Instruction
) -> str:
    for member in cluster_members(launch, cta):
        offset = address - member.shared
        if 0 <= offset < launch.shared_bytes:
            what = ".".join(instruction.op.split(".")[:2])
            if member.rank == cta.rank:
                there, why = "", "none was initialised there, or it was invalidated"
            elif what in _OWN_ONLY:
                owner = f"CTA {member.rank} of the cluster"
                return f"0x{offset:x} of shared memory of {owner}, and {what} takes those of the CTA's own"
            else:
                there = f" of CTA {member.rank} of the cluster"
                why = "none was initialised there before a barrier.cluster, or it was invalidated"
            return f"there is no mbarrier at 0x{offset:x} of shared memory{there}: {why}"
    return f"an mbarrier lies in the CTA's shared memory, and 0x{address:x} does not"


def _signed(number: int) -> int:
    return number - (number >> 63 << 64)


def _text_at(arena: Arena, address: int) -> str:
    """The C string at a device address, quoted."""
    block = arena.block_of(address)
    if block is None:
        return "something without a text"
    tail = bytes(arena.view(address, min(block[0] + block[1] - address, 1024)))
    return repr(tail.partition(b"\0")[0].decode(errors="replace"))


def stuck_report(kernel: StoppedKernel, frames: Sequence[Frame]) -> KernelFault:
    """No warp can go on: who waits where, and what kind of mistake that is."""
    waiting = list(waiting_lanes(kernel, frames))
    at_mbarriers = [w for w in waiting if w.instruction.opcode == "mbarrier"]
    at_barriers = [
        w for w in waiting if w.instruction.opcode in opcodes_with("barrier") and "warp" not in w.instruction.op
    ]
    cta = waiting[0].cta if waiting else None
    hint = "every thread that a barrier or a member mask names must reach it"
    if at_mbarriers:
        kind, detail = "deadlock", "threads wait for a phase of an mbarrier that nothing will complete"
        if len(at_mbarriers) < len(waiting):
            detail += ", others at barriers or for lanes"
        hint = "as many arrivals as mbarrier.init counts, and as many bytes as expect_tx announces"
    elif waiting and len(at_barriers) == len(waiting) and _disagree(at_barriers):
        kind, detail = "divergent barrier", "the threads of a CTA wait at different barriers, and none can go on"
    elif at_barriers and len(at_barriers) == len(waiting):
        kind, detail = "deadlock", "threads wait at a barrier that too few threads will reach"
        if any("cluster" in w.instruction.op for w in at_barriers):
            detail = "threads wait at the barrier of a cluster, and others of its CTAs do not arrive"
            hint = "every thread of every CTA of a cluster that has not exited must arrive at barrier.cluster"
    elif any(w.instruction.op.startswith("wgmma.wait_group") and w.lanes == 0xFFFFFFFF for w in waiting):
        kind, detail = "deadlock", "warps wait for products that other warps of their warpgroup do not issue"
        hint = "all four warps of a warpgroup execute the same wgmma.mma_async"
    else:
        kind, detail = "deadlock", "threads wait for lanes that will not come"
    return KernelFault(
        kind, kernel.name, detail, cta=cta, waiting=waiting,
        instruction=waiting[0].instruction if waiting else None, lines=waiting[0].lines if waiting else (),
        hint=hint,
    )  # fmt: skip


def timeout_report(kernel: StoppedKernel, frames: Sequence[Frame], seconds: float) -> KernelFault:
    """The launch took longer than its time limit."""
    done = sum(frame.launch.done_ctas for frame in frames)
    detail = (
        f"the launch was stopped after {seconds:g} s; {done} of {frames[0].launch.grid_ctas} CTAs were done, "
        f"{sum(frame.executed for frame in frames)} instructions executed"
    )
    return KernelFault("timeout", kernel.name, detail, waiting=list(waiting_lanes(kernel, frames)))


def circling_report(kernel: StoppedKernel, frames: Sequence[Frame], warp_function: int, seconds: float) -> KernelFault:
    """The watchdog has seen that the launch makes no progress."""
    resident, waits = sum(frame.launch.resident for frame in frames), list(waiting_lanes(kernel, frames))
    detail = f"threads loop, and nothing has changed for {seconds:g} s"
    left = frames[0].free_ctas + sum(frame.waiting_ctas for frame in frames)
    if left:
        detail += f"; {left} CTAs have not started: {resident} are resident, as many as may be"
    found = [*spinning_lanes(kernel, frames, warp_function), *waits]
    first = found[0] if found else None
    return KernelFault(
        "no progress", kernel.name, detail, cta=first.cta if first else None,
        instruction=first.instruction if first else None, waiting=found,
        hint="what a loop waits for must come from a thread that is resident and can run; LaunchOptions(watchdog=), "
        "PTXGEN_CPU_WATCHDOG for the emulated driver, is how many seconds a kernel may go on like this",
    )  # fmt: skip


def _disagree(waiting: list[Waiting]) -> bool:
    first = waiting[0]
    return any(w.cta == first.cta and w.instruction is not first.instruction for w in waiting)


def waiting_lanes(kernel: StoppedKernel, frames: Sequence[Frame]) -> Iterator[Waiting]:
    """Who waits at barriers, for other lanes and for mbarriers, CTA by CTA."""
    found = [(cta.index, cta, frame.launch) for frame in frames for cta in frame.ctas() if cta.running]
    if len(frames) > 1:
        found.sort(key=lambda each: each[0])
    for _, cta, launch in found:
        yield from _waiting_in(kernel, launch, cta)


def _waiting_in(kernel: StoppedKernel, launch: record_layout.LaunchRecord, cta: record_layout.Cta) -> Iterator[Waiting]:
    header = ctypes.sizeof(record_layout.Warp)
    rank = cta.rank if launch.cluster_ctas > 1 else None
    for w in range(launch.warps):
        address = cta.warps + w * launch.warp_stride
        for slot, number in kernel.code.waits:
            lanes = ctypes.c_uint32.from_address(address + header + 4 * slot).value
            if not lanes:
                continue
            instruction, lines = kernel.instruction(number), kernel.source_lines(number)
            if instruction.opcode != "mbarrier":
                yield Waiting(triple(cta.ctaid), w, lanes, instruction, lines=lines, rank=rank)
                continue
            copies = record_layout.Copies.from_address(address + kernel.code.copies_offset)
            for awaited, some in _by_mbarrier(copies, lanes):
                yield Waiting(triple(cta.ctaid), w, some, instruction, _mbarrier_note(cta, awaited), lines, rank)


def _by_mbarrier(copies: record_layout.Copies, lanes: int) -> list[tuple[int, int]]:
    """(mbarrier's offset in shared memory, the lanes that wait for it)"""
    found: dict[int, int] = {}
    for lane in range(32):
        if lanes >> lane & 1:
            found[copies.awaited[lane]] = found.get(copies.awaited[lane], 0) | 1 << lane
    return list(found.items())


def _mbarrier_note(cta: record_layout.Cta, offset: int) -> str:
    state = read_state(ctypes.c_uint64.from_address(cta.shared + offset).value)
    name = f"the mbarrier at 0x{offset:x} of shared memory"
    if state is None:
        return f"{name} is not valid any more"
    return (
        f"{name} has {state.pending} arrivals pending, tx-count {state.tx}, in a phase of parity {state.parity}; "
        f"the next expects {state.expected}"
    )
