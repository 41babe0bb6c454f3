"""A launch that pauses between instructions, and can run again from its beginning.

It runs on the thread that asks, CTAs and warps in the order of `rt.scheduler`, so that it is the same whenever it runs. A moment
of it is told by the number of steps before it: see debug_record.py.
"""

from __future__ import annotations

import ctypes
import weakref
from enum import Enum
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.debugger import DEBUG
from ptxgen.cpu.debugger.debug_record import MBARRIERS, DebugRecord, Reason, WatchRecord
from ptxgen.cpu.debugger.memory import DeviceMemory, Place
from ptxgen.cpu.debugger.state import CtaState, WarpState
from ptxgen.cpu.record_layout import Cta, Status
from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.executable import Kernel
    from ptxgen.cpu.fault import KernelFault
    from ptxgen.cpu.flat import Reg
    from ptxgen.cpu.options import LaunchOptions, LaunchRequest

__all__ = ["Execution", "Followed", "Halt", "Outcome"]

_TICK = 4_000_000
"""Instructions, times lanes, between looks at signals and time limits."""
_NEVER = (1 << 64) - 1


class Halt(Enum):
    """How a launch came to halt."""

    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    DONE = "done"
    FAULT = "fault"


class Outcome(NamedTuple):
    """`reason` is of a pause, `fault` of what a kernel did wrong, a deadlock among it."""

    halt: Halt
    reason: Reason = Reason(0)
    fault: KernelFault | None = None


class Followed(NamedTuple):
    """A thread: the record of its warp, the number of its CTA in the grid, its lane."""

    warp: int
    cta: int
    lane: int


class Edit(NamedTuple):
    """Bytes that were changed by hand before a step."""

    step: int
    address: int
    data: bytes


class Execution:
    """Of a kernel, which is compiled for it. `history`: so many bytes of device memory are copied at most, so that the launch can
    run again; where there are more it cannot.

    Raises what `Kernel.launch` raises.
    """

    def __init__(self, kernel: Kernel, request: LaunchRequest, options: LaunchOptions, history: int) -> None:
        self.kernel = kernel.watched_by(frozenset({DEBUG}))
        self.arena: Arena = kernel.arena
        self.request = request
        options = options.replaced(debugger=None, sanitizer=None, profiler=None, tier="base", workers=1)
        shape = self.kernel.request(
            request.grid,
            request.block,
            request.dynamic_shared,
            request.cluster,
            request.cooperative,
            request.room,
            options,
        )
        self.frame, self._code = self.kernel.prepared(shape, request.params)
        self.record = DebugRecord()
        blocks = len(self.kernel.code.places)
        self._breaks, self._step_blocks = (ctypes.c_uint8 * blocks)(), (ctypes.c_uint8 * blocks)()
        self._mbarriers = (ctypes.c_uint64 * MBARRIERS)()
        self.record.breaks = ctypes.addressof(self._breaks)
        self.record.step_blocks = ctypes.addressof(self._step_blocks)
        self.record.mbarriers = ctypes.addressof(self._mbarriers)
        self._watches: list[Place] = []
        self._copies: list[ctypes.Array[ctypes.c_char]] = []
        self._closed = self._interrupted = False
        self._finalizer = weakref.finalize(self, self.frame.close)  # a session that nobody closes
        self._edits: list[Edit] = []
        self.outcome = Outcome(Halt.PAUSED)
        try:
            self.frame.launch.debug = ctypes.addressof(self.record)
            self.frame.launch.paused_turn = self.frame.launch.turn = 0
            table = self.arena.table()
            self._memory = DeviceMemory(table, history)
            self._saved = self.frame.saved()
        except BaseException:
            self.close()
            raise
        most = min(shape.most, self.frame.records)
        self._most = most - most % shape.together
        self._blocks_at: dict[int, list[int]] = {}
        for block, number in enumerate(self.kernel.code.places):
            self._blocks_at.setdefault(number, []).append(block)

    def check_open(self) -> None:
        """Raises DebugError where the launch is over, or the memory of its kernel gone."""
        if self._closed or self.kernel.closed:
            gone = "the kernel's module was unloaded, or its device reset, and the launch is gone"
            raise DebugError("the session is closed" if self._closed else gone, hint="px.debug(...) again")

    # -- running ------------------------------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """Instructions that warps have begun so far."""
        return int(self.record.steps)

    @property
    def ended(self) -> bool:
        """Nothing is left to run."""
        return self.outcome.halt in (Halt.DONE, Halt.FAULT)

    def break_at(self, operations: Collection[int]) -> None:
        """It pauses where a warp comes to one of these operations, by their numbers."""
        self._mark(self._breaks, operations)

    def follow(self, thread: Followed | None, operations: Collection[int] = ()) -> None:
        """It pauses where a thread comes to one of these operations; with None, nowhere."""
        self.record.step_warp, self.record.step_cta, lane = thread or (0, 0, 0)
        self.record.step_lanes = 1 << lane
        self._mark(self._step_blocks, operations)

    def last_step_at(self, thread: Followed, operations: Collection[int], before: int) -> int | None:
        """The last step before one at which a thread came to one of these operations: it runs again, and is there then. Nothing
        else pauses it."""
        self.restart()
        self.break_at(())
        self.watch(())
        self.follow(thread, operations)
        self.record.noting, self.record.noted = 1, _NEVER
        try:
            self.run(before)
        finally:
            self.record.noting = 0
            self.follow(None)
        return None if self.record.noted == _NEVER else int(self.record.noted)

    def _mark(self, marks: ctypes.Array[ctypes.c_uint8], operations: Collection[int]) -> None:
        ctypes.memset(marks, 0, ctypes.sizeof(marks))
        for number in operations:
            for block in self._blocks_at.get(number, ()):
                marks[block] = 1

    def watch(self, places: Sequence[Place]) -> None:
        """It pauses when one of these bytes has changed."""
        self._watches = list(places)
        self.look_anew()

    def look_anew(self) -> None:
        """What is watched is compared with what it is now."""
        places = self._watches
        self._copies = [ctypes.create_string_buffer(ctypes.string_at(*place), place.nbytes) for place in places]
        rows = [WatchRecord(p.address, ctypes.addressof(copy), p.nbytes) for p, copy in zip(places, self._copies)]
        self._watch_records = (WatchRecord * max(len(rows), 1))(*rows)
        self.record.watches = ctypes.addressof(self._watch_records)
        self.record.watch_count = len(rows)

    def changed(self) -> list[tuple[Place, bytes, bytes]]:
        """What is watched and is not as it was: (where, what it was, what it is)"""
        found = []
        for place, copy in zip(self._watches, self._copies):
            now = ctypes.string_at(*place)
            if now != copy.raw:
                found.append((place, copy.raw, now))
        return found

    def run(self, limit: int | None = None, timeout: float | None = None) -> Outcome:
        """Goes on until it pauses or ends: before a step, where `limit` is its number, or after `timeout` seconds."""
        if self.ended:
            return self.outcome
        if limit is not None and limit <= self.steps and self.record.resuming:  # it is there
            return Outcome(Halt.PAUSED, Reason.LIMIT)
        edits = [edit.step for edit in self._edits if edit.step > self.steps]
        while edits and (limit is None or min(edits) < limit):  # it runs again, and something was changed by hand
            outcome = self._run(min(edits), timeout)
            if outcome.reason != Reason.LIMIT or self.ended:
                return outcome
            self._apply(self.steps)
            edits = [step for step in edits if step > self.steps]
        outcome = self._run(_NEVER if limit is None else limit, timeout)
        if limit is not None and self.steps == limit:
            self._apply(limit)
        return outcome

    def _run(self, limit: int, timeout: float | None) -> Outcome:
        self.record.limit = limit
        self.record.reason = 0
        launch = self.frame.launch
        began = perf_counter()
        try:
            while True:
                launch.tick_at = launch.instructions + _TICK
                status = self._code.run(self.frame.address)
                self._flush()
                found = self._judged(status)
                if found is None and self._interrupted:
                    self._interrupted, found = False, Outcome(Halt.INTERRUPTED)
                if found is None and timeout is not None and perf_counter() - began > timeout:
                    found = Outcome(Halt.INTERRUPTED)
                if found is not None:
                    break
        except KeyboardInterrupt:
            found = Outcome(Halt.INTERRUPTED)
        self.outcome = found
        return found

    def interrupt(self) -> None:
        """From another thread: what runs, or is about to run, stops soon."""
        self._interrupted = True
        if not self._closed:
            self.frame.launch.tick_at = 0

    def forget_interrupt(self) -> None:
        """What runs next is not meant by an interrupt that came before."""
        self._interrupted = False

    def _judged(self, status: int) -> Outcome | None:
        """What a status of the grid function means; None where it goes on."""
        from ptxgen.cpu.report import fault_report, stuck_report

        launch = self.frame.launch
        if status == Status.PAUSED:
            return Outcome(Halt.PAUSED, Reason(self.record.reason))
        if status == Status.DONE:
            return Outcome(Halt.DONE)
        if status == Status.GROW and launch.resident < self._most:
            self._most = self.frame.start_more(self._most, self._code)
            return None
        if status == Status.TICK or (status == Status.GROW and launch.idle_rounds == 0):
            return None
        fault = status == Status.FAULT
        found = fault_report(self.kernel, self.frame) if fault else stuck_report(self.kernel, [self.frame])
        return Outcome(Halt.FAULT, fault=found)

    def _flush(self) -> None:
        """What the kernel has printed is written."""
        if self.frame.printer is not None:
            self.frame.printer.flush()

    # -- again --------------------------------------------------------------------------------------------------------

    def restart(self) -> None:
        """The launch is where it began, and so is the memory of the device. Raises DebugError where that was not copied."""
        if not self._memory.complete:
            raise DebugError(
                f"the launch cannot run again: the device has {self._memory.bytes:,} bytes of memory, more than are copied",
                hint="history= of px.debug, in bytes, or --history",
            )
        self._memory.restore(self.arena)
        self.frame.restore(self._saved)
        if self.frame.printer is not None:
            self.frame.printer.begin_again()
        record = self.record
        record.steps = record.resuming = record.last_warp = record.mbarrier_count = 0
        self.outcome = Outcome(Halt.PAUSED)
        self._apply(0)

    def write(self, place: Place, data: bytes) -> None:
        """Changes bytes by hand, now and in every run again that comes by; later changes by hand are forgotten."""
        assert len(data) == place.nbytes
        self._edits = [edit for edit in self._edits if edit.step <= self.steps]
        self._edits.append(Edit(self.steps, place.address, data))
        ctypes.memmove(place.address, data, len(data))
        self.look_anew()
        if self.frame.printer is not None:
            self.frame.printer.diverge()

    def note_written(self, warp: WarpState, reg: Reg, lane: int) -> None:
        """A register was changed by hand: it has a value."""
        place = Place(warp.address + self.kernel.code.written + 4 * reg.id, 4)
        lanes = ctypes.c_uint32.from_address(place.address).value | 1 << lane
        self.write(place, lanes.to_bytes(4, "little"))

    def _apply(self, step: int) -> None:
        for edit in self._edits:
            if edit.step == step:
                ctypes.memmove(edit.address, edit.data, len(edit.data))

    # -- what there is to see -----------------------------------------------------------------------------------------

    @property
    def ctas(self) -> list[CtaState]:
        """CTAs that have begun and not ended, in the order of their records."""
        launch, size = self.frame.launch, ctypes.sizeof(Cta)
        every = [CtaState(self, launch.ctas + number * size) for number in range(launch.resident)]
        return [cta for cta in every if cta.running]

    @property
    def here(self) -> WarpState | None:
        """The warp that is about to execute an instruction; None where none has begun."""
        if self.outcome.halt is Halt.FAULT and self.frame.launch.fault_warp and self.frame.launch.fault_kind:
            return WarpState(self, int(self.frame.launch.fault_warp))
        return WarpState(self, int(self.record.warp)) if self.record.resuming else None

    def next_of(self, warp: WarpState, lane: int) -> int | None:
        """The operation that a lane executes next, waits at, or did something wrong in; None where it has exited."""
        self.check_open()
        record = self.record
        if record.resuming and record.warp == warp.address and record.lanes >> lane & 1:  # without a look at all blocks
            return self.kernel.code.places[int(record.block)]
        found = self._fault_at(warp, lane)
        return warp.at(lane) if found is None else found

    def _fault_at(self, warp: WarpState, lane: int) -> int | None:
        """The operation at which a lane was stopped because it, or another lane there, did something wrong; None where it was
        not."""
        launch = self.frame.launch
        if self.outcome.halt is not Halt.FAULT or not launch.fault_kind or launch.fault_warp != warp.address:
            return None
        is_it = launch.fault_lane == lane or (warp.live >> lane & 1 and warp.at(lane) is None)
        return int(launch.fault_instruction) if is_it else None

    @property
    def lanes_here(self) -> int:
        """Its lanes that are."""
        return int(self.record.lanes) if self.record.resuming else 0

    @property
    def last(self) -> tuple[WarpState, int, int] | None:
        """(warp, lanes, number of the operation) of what was executed last."""
        record = self.record
        if not record.last_warp:
            return None
        return (
            WarpState(self, int(record.last_warp)),
            int(record.last_lanes),
            self.kernel.code.places[record.last_block],
        )

    def close(self) -> None:
        """The launch is over, wherever it is; its memory is given back."""
        self._closed = True
        self._finalizer()
