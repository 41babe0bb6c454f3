"""The memory of a sanitized launch, and what is found in it afterwards."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ptxgen import ir
from ptxgen.cpu.record_layout import Window
from ptxgen.cpu.sanitizer.findings import Access, Finding, text_of
from ptxgen.cpu.sanitizer.state_layout import (
    ROOM,
    FindingKind,
    FindingRecord,
    SanitizerRecord,
    block_bytes,
    clock_words,
)
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.flat import SharedVariable
    from ptxgen.cpu.record_layout import LaunchRecord
    from ptxgen.dataflow.bodies.source_lines import SourceLine

__all__ = ["SanitizedLaunch", "findings_of"]

_MAP_NORESERVE = 0x4000


class SanitizedFrame(Protocol):
    """What a launch has of its frame: a `frame.Frame`."""

    launch: LaunchRecord
    records: int
    params: int
    param_bytes: int


class SanitizedLaunch:
    """What a frame has beside its own memory; belongs to one frame. `functions` are the addresses of runtime.SANITIZER."""

    def __init__(self, arena: Arena, tools: frozenset[str], functions: Mapping[str, int]) -> None:
        self._arena = arena
        self._findings = (FindingRecord * ROOM)()
        self.record = record = SanitizerRecord()
        record.start = functions["sanitizer_start"]
        record.findings = ctypes.addressof(self._findings)
        if "racecheck" in tools:
            record.barrier_complete = functions["race_barrier_complete"]
            record.cluster_complete = functions["race_cluster_complete"]
            record.race_bias = _bias(arena, *arena.windows, 8)
        if "synccheck" in tools:
            record.all_complete = functions["sync_complete"]
        self._initialised = "initcheck" in tools
        self._blocks: mmap.mmap | None = None
        self._shape = (0, 0)

    def prepare(self, frame: SanitizedFrame) -> None:
        """For a launch with the shape that the frame has now."""
        launch, record = frame.launch, self.record
        words = clock_words(launch.warps * launch.cluster_ctas)
        shape = (frame.records, block_bytes(words, launch.warps, launch.cluster_ctas))
        if shape != self._shape:
            self._release()
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
            self._blocks = mmap.mmap(-1, max(shape[0] * shape[1], 1), flags)
            record.blocks = ctypes.addressof(ctypes.c_char.from_buffer(self._blocks))
            self._shape = shape
        record.block_bytes, record.agents = shape[1], words
        record.found = 0
        if self._initialised:
            arena = self._arena
            record.init_bias = arena.written & (1 << 64) - 1 if arena.written is not None else arena.track_writes()
            record.arena, record.arena_bytes = arena.base, arena.size
            arena.note_written(frame.params, frame.param_bytes)
        launch.sanitizer = ctypes.addressof(record)

    def found(self) -> list[FindingRecord]:
        """Of the launch that has ended."""
        return list(self._findings[: self.record.found])

    def _release(self) -> None:
        blocks, self._blocks = self._blocks, None
        if blocks is not None:
            self.record.blocks = 0
            blocks.close()

    def close(self) -> None:
        """Gives the memory back."""
        self._release()


def _bias(arena: Arena, start: int, nbytes: int, scale: int) -> int:
    """What leads from `scale` times an address in the range to its shadow, in 64 bits."""
    return (arena.shadow(start, nbytes, scale) - scale * start) & (1 << 64) - 1


class SanitizedKernel(Protocol):
    """What findings ask of their kernel: an `executable.Kernel`."""

    name: str
    arena: Arena
    parameters: tuple[tuple[str, int, int], ...]

    def instruction(self, number: int) -> ir.Instruction: ...

    def source_lines(self, number: int) -> tuple[SourceLine, ...]: ...

    @property
    def shared_variables(self) -> Sequence[SharedVariable]: ...


class _Text(NamedTuple):
    """How a kind of finding is told."""

    tool: str
    kind: str
    earlier: str
    what: str
    hint: str


_ORDER = "a barrier between the two (bar.sync, __syncthreads; bar.warp.sync within a warp; or an mbarrier), or atomics for both"
_CLUSTER_ORDER = (
    "a barrier.cluster between the two, or an mbarrier with .release.cluster at the arrival and .acquire.cluster at the wait: "
    "without a scope these are for the threads of one CTA (.cta), and order nothing for another one"
)
_RACE = "and nothing orders the two accesses"
TEXTS = {
    FindingKind.WRITE_AFTER_WRITE: _Text(
        "racecheck", "write after write", "wrote", f"another thread wrote there, {_RACE}", _ORDER
    ),
    FindingKind.READ_AFTER_WRITE: _Text(
        "racecheck", "read after write", "wrote", f"another thread wrote there, {_RACE}", _ORDER
    ),
    FindingKind.WRITE_AFTER_READ: _Text(
        "racecheck", "write after read", "read", f"another thread read there, {_RACE}", _ORDER
    ),
}
TEXTS[FindingKind.UNINITIALISED] = _Text(
    "initcheck", "uninitialised read", "", "nobody has written there",
    "write it first: a fill or a copy from the host, a store by some thread before the barrier",
)  # fmt: skip
_INDEX = "an index or a count that is too large, or a buffer that is too small"
TEXTS[FindingKind.OUTSIDE_VARIABLE] = _Text("memcheck", "outside its variable", "", "", _INDEX)
TEXTS[FindingKind.OUTSIDE_ALLOCATION] = _Text("memcheck", "outside its allocation", "", "", _INDEX)
TEXTS[FindingKind.BARRIER_AFTER_EXIT] = _Text(
    "synccheck", "barrier after an exit", "", "barrier {number} is for all threads of the CTA, and {count} of them have exited",
    "let every thread reach the barrier, and leave out the work of those that have none",
)  # fmt: skip
TEXTS[FindingKind.BARRIER_COUNTS] = _Text(
    "synccheck", "barrier counts", "", "threads at barrier {number} state another count than those who wait there: {count}",
    "one count for each use of a barrier; another barrier, of 0 to 15, for another group",
)  # fmt: skip
TEXTS[FindingKind.MBARRIER_AGAIN] = _Text(
    "synccheck", "mbarrier initialised again", "", "it is a valid mbarrier, and nothing has invalidated it",
    "initialise it once, by one thread; mbarrier.inval comes before its memory is used again",
)  # fmt: skip
_BARRIERS = frozenset({FindingKind.BARRIER_AFTER_EXIT, FindingKind.BARRIER_COUNTS})
_READS = frozenset({FindingKind.READ_AFTER_WRITE, FindingKind.UNINITIALISED})
_WRITES = frozenset({FindingKind.WRITE_AFTER_WRITE, FindingKind.WRITE_AFTER_READ})


def findings_of(kernel: SanitizedKernel, launch: LaunchRecord, found: Sequence[FindingRecord]) -> Iterator[Finding]:
    """The findings of a launch that has ended, as values."""
    for record in found:
        kind = FindingKind(record.kind)
        text = TEXTS[kind]
        access = _access(kernel, launch, record, record.instruction, record.who)
        earlier = _access(kernel, launch, record, record.other_instruction, record.other_who)._replace(
            verb=text.earlier
        )
        space, variable = "", ""
        if kind in _BARRIERS:
            access = access._replace(verb="is at")
            what = text.what.format(number=record.address, count=record.size or "all")
        else:
            space = _space(record)
            verb = "writes" if kind in _WRITES else "reads" if kind in _READS else access.verb
            access = access._replace(verb=verb)
            variable, place = _variable(kernel, record) if space.startswith("shared") else ("", "")
            what = f"{verb} {record.size} bytes at 0x{record.address:x} of .{space} memory{place}; "
            what += _where(kernel, launch, record, kind) or text.what
        hint = _CLUSTER_ORDER if text.hint is _ORDER and access.cta != earlier.cta else text.hint
        yield Finding(
            text.tool, text.kind, kernel.name, what, access, earlier if text.earlier else None, space,
            0 if kind in _BARRIERS else record.address, 0 if kind in _BARRIERS else record.size, variable, hint,
        )  # fmt: skip


def _where(kernel: SanitizedKernel, launch: LaunchRecord, record: FindingRecord, kind: FindingKind) -> str:
    """Where an access should have been, if it lies elsewhere."""
    if kind is FindingKind.OUTSIDE_VARIABLE:
        source = kernel.shared_variables[record.other_instruction]
        return f"its address is made from {source.name}, which has {source.size} bytes at 0x{source.offset:x}"
    return _outside(kernel, launch, record) if kind is FindingKind.OUTSIDE_ALLOCATION else ""


def _verb(instruction: ir.Instruction) -> str:
    if instruction.opcode in opcodes_with("atomic"):
        return "updates"
    return "writes" if instruction.opcode in opcodes_with("writes") else "reads"


def _outside(kernel: SanitizedKernel, launch: LaunchRecord, record: FindingRecord) -> str:
    """What lies where an access should have been, and where it is."""
    name, offset, _size = kernel.parameters[record.other_instruction]
    value = int.from_bytes(kernel.arena.raw(launch.param + offset, 8), "little")
    own, there = kernel.arena.block_of(value), kernel.arena.block_of(record.address)
    told = f"its address is made from parameter {name}"
    if own is not None:
        told += f", which leads into {own[1]} bytes at 0x{own[0]:x}"
    return told + (f"; {there[1]} other ones begin at 0x{there[0]:x}" if there is not None and there != own else "")


def _space(record: FindingRecord) -> str:
    if record.window == Window.SHARED:
        return "shared" if record.owner == record.rank else "shared::cluster"
    return "local" if record.window == Window.LOCAL else "global"


def _variable(kernel: SanitizedKernel, record: FindingRecord) -> tuple[str, str]:
    """(name, where in it) of the shared variable at an offset; the last that begins before it, where none reaches so far."""
    before = [v for v in kernel.shared_variables if v.offset <= record.address]
    if not before:
        return "", ""
    found = max(before, key=lambda v: v.offset)
    return found.name, f" ({found.name} + {record.address - found.offset})"


def _access(kernel: SanitizedKernel, launch: LaunchRecord, record: FindingRecord, number: int, who: int) -> Access:
    """`who` is an agent, of which a cluster has as many as warps, and a lane."""
    instruction = kernel.instruction(number)
    rank, warp = divmod(who >> 5, launch.warps)
    thread = warp * 32 + (who & 31)
    places = tuple(ir.resolve(instruction.source))
    cta = _cta_of_rank(launch, record, rank)
    lines = kernel.source_lines(number)
    return Access(_verb(instruction), cta, _coordinates(thread, launch.block), text_of(instruction), places, lines)


def _coordinates(number: int, extents: Sequence[int]) -> Dim3:
    return number % extents[0], number // extents[0] % extents[1], number // extents[0] // extents[1]


def _cta_of_rank(launch: LaunchRecord, record: FindingRecord, rank: int) -> Dim3:
    """The coordinates of a CTA of the cluster that the finding's own CTA is of."""
    extents = launch.cluster
    inner = _coordinates(rank, extents)
    x, y, z = (record.ctaid[axis] // extents[axis] * extents[axis] + inner[axis] for axis in range(3))
    return x, y, z
