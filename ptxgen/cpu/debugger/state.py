"""CTAs and warps of a paused launch, read from its records when they are asked for."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.mbarrier import MbarrierState, read_state
from ptxgen.cpu.stopped import triple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.debugger.debug_record import DebugRecord
    from ptxgen.cpu.executable import Kernel
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.flat import Reg
    from ptxgen.cpu.frame import Frame

__all__ = ["BarrierState", "CtaState", "MbarrierAt", "UnderWay", "WarpState"]

_HEADER = ctypes.sizeof(record_layout.Warp)
_FULL = 0xFFFFFFFF


class Paused(Protocol):
    """Whose state it is: an `execution.Execution`."""

    @property
    def frame(self) -> Frame: ...

    @property
    def kernel(self) -> Kernel: ...

    @property
    def record(self) -> DebugRecord: ...

    def check_open(self) -> None: ...


class BarrierState(NamedTuple):
    """A named barrier of a CTA that threads have arrived at. `expected` is 0 where every thread is."""

    number: int
    arrived: int
    expected: int


class MbarrierAt(NamedTuple):
    """An mbarrier in a CTA's shared memory; `state` is None once it is not valid any more."""

    offset: int
    state: MbarrierState | None


class UnderWay(NamedTuple):
    """What a warp has started and not waited for: cp.async of all lanes, bulk and tensor copies, wgmma."""

    copies: int
    bulk: int
    products: int


class CtaState:
    """A CTA that has begun and not ended."""

    __slots__ = ("_paused", "address")

    def __init__(self, paused: Paused, address: int) -> None:
        self._paused = paused
        self.address = address

    @property
    def _record(self) -> record_layout.Cta:
        self._paused.check_open()
        return record_layout.Cta.from_address(self.address)

    @property
    def ctaid(self) -> Dim3:
        return triple(self._record.ctaid)

    @property
    def index(self) -> int:
        """Its number in the grid."""
        return int(self._record.index)

    @property
    def rank(self) -> int:
        """Its rank in its cluster."""
        return int(self._record.rank)

    @property
    def running(self) -> bool:
        return bool(self._record.running)

    @property
    def shared(self) -> int:
        """The address of its shared memory."""
        return int(self._record.shared)

    @property
    def warps(self) -> list[WarpState]:
        launch = self._paused.frame.launch
        return [WarpState(self._paused, self._record.warps + n * launch.warp_stride) for n in range(launch.warps)]

    @property
    def barriers(self) -> list[BarrierState]:
        """Named barriers that some threads wait at."""
        return [
            BarrierState(number, each.arrived, each.expected)
            for number, each in enumerate(self._record.barriers)
            if each.arrived
        ]

    @property
    def mbarriers(self) -> list[MbarrierAt]:
        """Those that were initialised in its shared memory, by address."""
        record, size = self._paused.record, self._paused.frame.launch.shared_bytes
        known = (ctypes.c_uint64 * record.mbarrier_count).from_address(record.mbarriers)
        offsets = sorted(address - self.shared for address in known if 0 <= address - self.shared < size)
        words = [ctypes.c_uint64.from_address(self.shared + offset).value for offset in offsets]
        return [MbarrierAt(offset, read_state(word)) for offset, word in zip(offsets, words)]


class WarpState:
    """A warp of such a CTA."""

    __slots__ = ("_paused", "address")

    def __init__(self, paused: Paused, address: int) -> None:
        self._paused = paused
        self.address = address

    @property
    def _record(self) -> record_layout.Warp:
        self._paused.check_open()
        return record_layout.Warp.from_address(self.address)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WarpState) and other.address == self.address

    def __hash__(self) -> int:
        return hash(self.address)

    @property
    def cta(self) -> CtaState:
        return CtaState(self._paused, self._record.cta)

    @property
    def index(self) -> int:
        """Its number in the CTA."""
        return int(self._record.index)

    @property
    def live(self) -> int:
        """Lanes that have not exited."""
        return int(self._record.live) if self.cta.running else 0

    @property
    def lanes(self) -> int:
        """Lanes that have a thread."""
        return int(self._record.initial)

    def tid(self, lane: int) -> Dim3:
        warp = self._record
        return (warp.tid_x[lane], warp.tid_y[lane], warp.tid_z[lane])

    def local(self, lane: int) -> int:
        """The address of a lane's local memory."""
        return int(self._record.local + lane * self._paused.frame.launch.local_stride)

    # -- where its lanes are ------------------------------------------------------------------------------------------

    def _masks(self) -> Iterator[tuple[int, int, bool]]:
        """(number of an operation, lanes at it, whether they have executed it and wait there)"""
        code = self._paused.kernel.code
        count = len(code.places)
        self._paused.check_open()
        masks = (ctypes.c_uint32 * (2 * count)).from_address(self.address + _HEADER)[:]
        for slot, lanes in enumerate(masks):
            if lanes:
                yield code.places[slot % count], lanes, slot >= count

    def positions(self) -> dict[int, int]:
        """Number of an operation -> the lanes that execute it next, or wait at it."""
        found: dict[int, int] = {}
        for number, lanes, _ in self._masks() if self.live else ():
            found[number] = found.get(number, 0) | lanes & self.live
        return dict(sorted(found.items()))

    def at(self, lane: int) -> int | None:
        """The operation that a lane executes next, or waits at; None where it has exited."""
        return next((number for number, lanes in self.positions().items() if lanes >> lane & 1), None)

    @property
    def waiting(self) -> int:
        """Lanes that wait for others, at barriers, in operations of a warp, for an mbarrier."""
        lanes = 0
        for _, each, waits in self._masks():
            lanes |= each if waits else 0
        return lanes & self.live

    def awaited(self, lane: int) -> int | None:
        """The offset in shared memory of the mbarrier that a lane waits for."""
        number = self.at(lane)
        if number is None or not self.waiting >> lane & 1 or not self._paused.kernel.code.uses_copies:
            return None
        if self._paused.kernel.operations[number].opcode != "mbarrier":
            return None
        return int(self._copies().awaited[lane])

    # -- what it has --------------------------------------------------------------------------------------------------

    def register_place(self, reg: Reg, lane: int) -> tuple[int, int]:
        """(address, bytes) of a register of a lane."""
        code = self._paused.kernel.code
        nbytes = (code.registers[reg.id + 1] - code.registers[reg.id]) // 32
        return self.address + code.registers[reg.id] + nbytes * lane, nbytes

    def written(self, reg: Reg) -> int:
        """Lanes that have written a register."""
        place = self.address + self._paused.kernel.code.written + 4 * reg.id
        return ctypes.c_uint32.from_address(place).value & self.lanes

    def bits(self, reg: Reg, lane: int) -> int | None:
        """A lane's register as the bits that it holds; None where the lane has not written it."""
        if not self.written(reg) >> lane & 1:
            return None
        address, nbytes = self.register_place(reg, lane)
        return int.from_bytes(ctypes.string_at(address, nbytes), "little")

    def _copies(self) -> record_layout.Copies:
        self._paused.check_open()
        return record_layout.Copies.from_address(self.address + self._paused.kernel.code.copies_offset)

    @property
    def under_way(self) -> UnderWay:
        code = self._paused.kernel.code
        if not code.uses_copies:
            return UnderWay(0, 0, 0)
        copies = self._copies()
        own = sum(lane.next - lane.first & _FULL for lane in copies.lanes)
        products = 0
        if code.written > code.copies_offset + ctypes.sizeof(record_layout.Copies):
            behind = self.address + code.copies_offset + ctypes.sizeof(record_layout.Copies)
            queue = record_layout.WgmmaQueue.from_address(behind)
            products = queue.next - queue.first & _FULL
        return UnderWay(own, copies.next - copies.first & _FULL, products)
