"""What a kernel did wrong, in words: which kernel, CTA and thread, which instruction and where it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.record_layout import Window
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.errors import Fault
from ptxgen.isa.forms import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.arena import Arena
    from ptxgen.dataflow.bodies.source_lines import SourceLine

__all__ = ["Dim3", "KernelFault", "Waiting", "lane_list"]

Dim3 = tuple[int, int, int]

KINDS = {
    FaultKind.ILLEGAL_ADDRESS: "illegal address",
    FaultKind.MISALIGNED_ADDRESS: "misaligned address",
    FaultKind.READ_ONLY_ADDRESS: "read-only address",
    FaultKind.TRAP: "trap",
    FaultKind.BREAKPOINT: "breakpoint",
    FaultKind.MEMBER_MASK: "member mask",
    FaultKind.BARRIER_INDEX: "barrier index",
    FaultKind.BARRIER_COUNT: "barrier count",
    FaultKind.BARRIER_OVERFULL: "barrier overfull",
    FaultKind.BRANCH_INDEX: "branch index",
    FaultKind.ASSERT: "assert",
    FaultKind.COPY_SIZE: "copy size",
    FaultKind.CALL_PARAMETER: "illegal address",
    FaultKind.MBARRIER_INVALID: "mbarrier invalid",
    FaultKind.MBARRIER_COUNT: "mbarrier count",
    FaultKind.MBARRIER_OVERFULL: "mbarrier overfull",
    FaultKind.MBARRIER_COMPLETES: "mbarrier completes",
    FaultKind.MBARRIER_TX: "mbarrier tx-count",
    FaultKind.BULK_SIZE: "copy size",
    FaultKind.CLUSTER_RANK: "cluster rank",
    FaultKind.TENSOR_MAP: "tensor map",
    FaultKind.CLUSTER_EXITED: "cluster exited",
    FaultKind.NO_CLUSTER: "no cluster",
    FaultKind.TENSOR_ROW: "tensor coordinates",
    FaultKind.TENSOR_NEGATIVE: "tensor coordinates",
    FaultKind.TENSOR_PIXEL: "tensor coordinates",
    FaultKind.TENSOR_CORNER: "tensor coordinates",
    FaultKind.CLUSTER_PAIR: "cluster rank",
    FaultKind.CLUSTER_ADDRESS: "illegal address",
    FaultKind.TENSOR_MEMORY_SIZE: "tensor memory",
    FaultKind.TENSOR_MEMORY_PERMIT: "tensor memory",
    FaultKind.TENSOR_MEMORY_FREE: "tensor memory",
    FaultKind.TENSOR_MEMORY_LEAK: "tensor memory",
    FaultKind.TENSOR_MEMORY_COLUMNS: "tensor memory",
    FaultKind.TENSOR_MEMORY_LANES: "tensor memory",
    FaultKind.INSTRUCTION_DESCRIPTOR: "instruction descriptor",
    FaultKind.MATRIX_DESCRIPTOR: "matrix descriptor",
    FaultKind.MATRIX_ADDRESS: "matrix descriptor",
    FaultKind.CTA_PAIR: "no cluster",
    FaultKind.STACK_OVERFLOW: "stack overflow",
    FaultKind.FUNCTION_POINTER: "function pointer",
    FaultKind.HEAP_POINTER: "heap pointer",
    FaultKind.TEXTURE_HANDLE: "texture handle",
    FaultKind.SURFACE_POSITION: "illegal address",
    FaultKind.MULTICAST_ADDRESS: "illegal address",
    FaultKind.SCALE_SELECTOR: "scale selector",
}
"""The public name of each kind of fault; "divergent barrier", "deadlock", "timeout" and "no progress" come from the scheduler."""

_SPACES = ("global", "shared", "local", "param", "const")


_CALLERS = 3
"""So many callers of a helper are named for each that waits."""


class Waiting:
    """Lanes of a warp that wait at an instruction, or loop around it, for the report of a deadlock. `note` says for what, where
    that shows."""

    __slots__ = ("cta", "instruction", "lanes", "lines", "note", "rank", "warp")

    def __init__(
        self,
        cta: Dim3,
        warp: int,
        lanes: int,
        instruction: ir.Instruction,
        note: str = "",
        lines: tuple[SourceLine, ...] = (),
        rank: int | None = None,
    ) -> None:
        """rank: of the CTA in its cluster, where that has several."""
        self.rank = rank
        self.note = note
        self.lines = lines
        self.cta = cta
        self.warp = warp
        self.lanes = lanes
        self.instruction = instruction

    def __str__(self) -> str:
        own = ir.resolve(self.instruction.source)
        calls = [place.listed() for place in own[1:] if place.kind == "caller"][:_CALLERS]
        places = [*map(str, own[:1]), *calls, *(str(line.place) for line in self.lines[:1])]
        place = f" at {', '.join(places)}" if places else ""
        note = f"; {self.note}" if self.note else ""
        rank = f", rank {self.rank} of its cluster" if self.rank is not None else ""
        return f"CTA {self.cta}{rank}, warp {self.warp}, lanes {lane_list(self.lanes)}: {_text(self.instruction)}{place}{note}"


def lane_list(lanes: int) -> str:
    """`0-15, 17`"""
    numbers = [i for i in range(32) if lanes >> i & 1]
    parts: list[str] = []
    for n in numbers:
        if parts and int(parts[-1].rpartition("-")[2]) == n - 1:
            parts[-1] = f"{parts[-1].partition('-')[0]}-{n}"
        else:
            parts.append(str(n))
    return ", ".join(parts)


def _text(instruction: ir.Instruction) -> str:
    from ptxgen.text import format_instruction

    return format_instruction(instruction)


class KernelFault(Fault):
    """A kernel was stopped. `kind` says why: one of KINDS' names, "divergent barrier", "deadlock", "timeout" or "no progress".

    `instruction` is what the thread was doing (None for a timeout); `address`, `size` (bytes) and `space` are set for faulty
    memory accesses; `waiting` lists who waits where in a deadlock and in what makes no progress; `lines` are the places in the
    user's own source that `.loc` names, innermost first, with the calls that were inlined around it.
    """

    def __init__(
        self,
        kind: str,
        kernel: str,
        detail: str,
        *,
        cta: Dim3 | None = None,
        thread: Dim3 | None = None,
        instruction: ir.Instruction | None = None,
        address: int | None = None,
        size: int = 0,
        space: str = "",
        waiting: Sequence[Waiting] = (),
        lines: tuple[SourceLine, ...] = (),
        hint: str | None = None,
    ) -> None:
        self.kind = kind
        self.kernel = kernel
        self.cta = cta
        self.thread = thread
        self.instruction = instruction
        self.address = address
        self.size = size
        self.space = space
        self.waiting = tuple(waiting)
        self.lines = lines
        told = [f"{kind}: {detail}", f"  kernel {kernel}"]
        if cta is not None:
            told[1] += f", CTA {cta}" + (f", thread {thread}" if thread is not None else "")
        if instruction is not None:
            told.append(f"  {_text(instruction)}")
            told += [f"  {place.listed()}  {place.excerpt()}".rstrip() for place in ir.resolve(instruction.source)]
            told += [f"  {line}" for line in lines]
        shown = [f"  waiting: {w}" for w in self.waiting[:16]]
        if len(self.waiting) > 16:
            shown.append(f"  ... and {len(self.waiting) - 16} more")
        super().__init__("\n".join(told + shown), hint=hint)


def _spaces(instruction: ir.Instruction) -> list[str]:
    """The state spaces that an instruction names, a copy's destination first."""
    names = [m.partition("::")[0] for m in instruction.modifiers]
    return [n for n in names if n in _SPACES]


def space_of(instruction: ir.Instruction, window: int) -> str:
    """The state space of an instruction's faulty access: its window's, else the one that it names, else "generic"."""
    if window == Window.CLUSTER:
        return "shared::cluster"
    if window:
        return Window(window).name.lower()
    named = _spaces(instruction)
    return next((n for n in named if len(named) == 1 or n == "global"), "generic")


def describe_access(
    kind: FaultKind,
    instruction: ir.Instruction,
    address: int,
    size: int,
    space: str,
    arena: Arena,
    windows: dict[str, int],
    owner: int | None = None,
) -> str:
    """What was wrong with an access, and what lies near its address; `windows` has the bytes of shared, local, param memory.
    `owner` is the rank of the CTA in whose shared memory the address is an offset, where that is to be told."""
    opcode = instruction.opcode
    effects = frozenset().union(*(each.form.effects for each in resolve(instruction.op)))
    verb = "reads" if "writes" not in effects else "updates" if "reads" in effects or opcode == "mbarrier" else "writes"
    if opcode == "cp":
        opcode, verb = "cp.async", "writes" if _spaces(instruction)[:1] == [space] else "reads"
    text = f"{opcode} {verb} {size} bytes at 0x{address:x}"
    if owner is not None:
        text += f" of the shared memory of CTA {owner} of the cluster"
    if kind is FaultKind.MISALIGNED_ADDRESS:
        return f"{text}, which is not a multiple of {size}"
    if kind is FaultKind.READ_ONLY_ADDRESS:
        return f"{text}, in memory that kernels may only read"
    if owner is not None:
        if space == "shared":
            return f"{text}: that of other CTAs is reached as .shared::cluster"
        return f"{text}, which has {windows['shared']} bytes"
    if space in windows:
        return f"{text} of .{space} memory, which has {windows[space]} bytes"
    freed = arena.freed_block(address)
    if freed is not None:
        return f"{text}, {address - freed[0]} bytes into an allocation of {freed[1]} bytes that was freed"
    return f"{text}, outside every allocation; {_neighbour(address, arena)}"


def _neighbour(address: int, arena: Arena) -> str:
    """The allocations on both sides of an address, the nearer first."""
    before, after = arena.neighbours(address)
    told = []
    if before is not None:
        base, nbytes = before
        past = address - base - nbytes
        place = (
            f"is {past} bytes past its end" if past >= 0 else f"reaches {past + nbytes} bytes into it and past its end"
        )
        told.append((past, f"{nbytes} bytes at 0x{base:x}; this {place}"))
    if after is not None:
        base, nbytes = after
        told.append((base - address, f"{nbytes} bytes at 0x{base:x}; this is {base - address} bytes before it"))
    told.sort()
    return "; ".join(f"the {which} has {text}" for which, (_, text) in zip(("nearest", "next"), told)) or (
        "there are no allocations"
    )
