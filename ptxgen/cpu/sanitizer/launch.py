"""The memory of a sanitized launch."""

from __future__ import annotations

import ctypes
import mmap
from math import prod

from driver_ctypes.typing import TYPE_CHECKING, Protocol
from ptxgen.cpu.sanitizer.history import NumberedKernel, PastLaunch, pairs
from ptxgen.cpu.sanitizer.shapes import shape_of
from ptxgen.cpu.sanitizer.state_layout import (
    ACCESSES,
    AGENTS,
    EPOCH,
    GRID_CLOCKS,
    HEADS,
    ROOM,
    CtaStart,
    FindingRecord,
    Layout,
    SanitizerRecord,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.flat import SharedVariable
    from ptxgen.cpu.record_layout import LaunchRecord
    from ptxgen.cpu.relocatable import KernelCode
    from ptxgen.cpu.sanitizer.history import LaunchOrder

__all__ = ["SanitizedKernel", "SanitizedLaunch", "most_records"]

_MAP_NORESERVE = 0x4000
LONGEST_LOG = 1 << 16
"""CTAs of a launch of which it is kept where they ran, when it has ended."""


def most_records(warps: int) -> int:
    """CTAs of so many warps that can be watched at once."""
    return AGENTS // (warps + 1)


class SanitizedFrame(Protocol):
    """What a launch has of its frame: a `frame.Frame`."""

    launch: LaunchRecord
    records: int
    params: int
    param_bytes: int


class SanitizedLaunch:
    """What a frame has beside its own memory; belongs to one frame. `functions` are the addresses of runtime.SANITIZER."""

    def __init__(self, kernel: SanitizedKernel, tools: frozenset[str], functions: Mapping[str, int]) -> None:
        self._kernel, self._arena = kernel, kernel.arena
        self._layers = kernel.code.layers
        self._findings = (FindingRecord * ROOM)()
        self._order: LaunchOrder | None = None
        self.record = record = SanitizerRecord()
        record.start = functions["sanitizer_start"]
        record.findings = ctypes.addressof(self._findings)
        record.copies_offset = kernel.code.copies_offset
        self.races = "racecheck" in tools
        if self.races:
            record.barrier_complete = functions["race_barrier_complete"]
            record.cluster_complete = functions["race_cluster_complete"]
        if "synccheck" in tools:
            record.all_complete = functions["sync_complete"]
        self._initialised = "initcheck" in tools
        self._asynchronous, self._bounds = "asynccheck" in tools, "memcheck" in tools
        self._memory: mmap.mmap | None = None
        self._log: mmap.mmap | None = None
        self._pairs: ctypes.Array[ctypes.c_uint32] | None = None
        self._shape = (0, 0, 0)

    def prepare(self, frame: SanitizedFrame, order: LaunchOrder | None) -> None:
        """For a launch with the shape that the frame has now, which comes after those that `order` says; None: after all. The
        history's lock is held from here until `end`."""
        launch, record, arena = frame.launch, self.record, self._arena
        history = arena.history
        unordered = history.begin(order) if self.races else []
        layout = Layout(frame.records, launch.warps, self._layers)
        shape = (frame.records, launch.warps, history.age)
        if shape != self._shape:
            self._release()
            self._memory = _reserve(layout.blocks + layout.grid + layout.columns)
            record.blocks = _address(self._memory)
            record.grid_clocks = record.blocks + layout.blocks
            record.columns = record.grid_clocks + layout.grid
            self._shape = shape
        elif self.races:
            ctypes.memset(record.grid_clocks, 0, 4 * GRID_CLOCKS)
        record.block_bytes, record.words = layout.block, layout.words
        record.stretch, record.layers = layout.stretch, self._layers
        record.arena, record.arena_bytes, record.windows = arena.base, arena.size, arena.windows[0]
        record.first_epoch = record.last_epoch = history.next
        record.found = record.logged = record.turn = 0
        ctypes.memset(record.columns, 0, layout.columns)
        if self.races:
            self._watch_races(order, unordered)
        if self.races or self._asynchronous:
            self._keep_log(prod(launch.grid))
        record.bounds, record.reserved = int(self._bounds), self._kernel.code.reserved_shared
        if self._asynchronous:
            start, nbytes = arena.windows
            both = arena.shadow(start, nbytes, 2)
            record.async_bias, record.box_bias = ((both + at - start) & (1 << 64) - 1 for at in (0, nbytes))
        if self._initialised:
            record.init_bias = arena.written & (1 << 64) - 1 if arena.written is not None else arena.track_writes()
            arena.note_written(frame.params, frame.param_bytes)
        launch.sanitizer = ctypes.addressof(record)

    def _watch_races(self, order: LaunchOrder | None, unordered: list[PastLaunch]) -> None:
        record, arena = self.record, self._arena
        self._order = order
        record.race_bias, record.head_bias = arena.shadow_bias(ACCESSES), arena.shadow_bias(HEADS)
        numbers = pairs(unordered)
        self._pairs = (ctypes.c_uint32 * max(len(numbers), 1))(*numbers)
        record.unordered, record.unordered_count = ctypes.addressof(self._pairs), len(unordered)
        record.settled = 1 if unordered else record.first_epoch << EPOCH

    def _keep_log(self, ctas: int) -> None:
        """Makes room for the starts of so many CTAs."""
        nbytes = ctypes.sizeof(CtaStart) * ctas
        if self._log is None or len(self._log) < nbytes:
            self._log = _reserve(nbytes)
        self.record.log = _address(self._log)

    def end(self, launch: LaunchRecord) -> None:
        """The launch has ended: what it did counts for those that follow."""
        if not self.races:
            return
        record = self.record
        log = b""
        if self._order is not None and record.logged <= LONGEST_LOG:
            log = bytes(self._arena.raw(record.log, ctypes.sizeof(CtaStart) * record.logged))
        past = PastLaunch(record.first_epoch, record.last_epoch, self._kernel, shape_of(launch), log, self._order)
        self._arena.history.end(past)

    def found(self) -> list[FindingRecord]:
        """Of the launch that has ended."""
        return list(self._findings[: self.record.found])

    def _release(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            self.record.blocks = 0
            memory.close()

    def close(self) -> None:
        """Gives the memory back."""
        self._release()
        log, self._log = self._log, None
        if log is not None:
            self.record.log = 0
            log.close()


def _reserve(nbytes: int) -> mmap.mmap:
    return mmap.mmap(-1, max(nbytes, 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE)


def _address(memory: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


class SanitizedKernel(NumberedKernel, Protocol):
    """What findings ask of their kernel: an `executable.Kernel`."""

    arena: Arena

    @property
    def code(self) -> KernelCode: ...

    parameters: tuple[tuple[str, int, int], ...]
    symbols: Mapping[str, int]

    @property
    def shared_variables(self) -> Sequence[SharedVariable]: ...
