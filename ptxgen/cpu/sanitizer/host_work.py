"""racecheck for copies and fills, which the host has a stream or a graph do: to kernels they are launches like any other.

Each has an epoch of its own, and its accesses stand in the shadow as those of agent 0, which no warp is.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Protocol

from ptxgen.cpu import record_layout
from ptxgen.cpu.sanitizer.history import PastLaunch, pairs
from ptxgen.cpu.sanitizer.shapes import LaunchShape
from ptxgen.cpu.sanitizer.state_layout import (
    ACCESSES,
    AGENTS,
    EPOCH,
    HEADS,
    ROOM,
    WRITE,
    Column,
    FindingRecord,
    SanitizerRecord,
    WarpState,
)
from ptxgen.cpu.sanitizer.telling import findings_of_host_work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.sanitizer.findings import Finding
    from ptxgen.cpu.sanitizer.history import LaunchOrder

__all__ = ["watch_host_work"]

_NOBODY = LaunchShape((1, 1, 1), (1, 1, 1), 1)


class Span(Protocol):
    """Bytes of device memory that are read, or written."""

    @property
    def address(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def writes(self) -> bool: ...


class _Worker:
    """What the functions of the sanitizer ask of a launch and of a warp, for one that has none."""

    def __init__(self, arena: Arena, unordered: Sequence[PastLaunch]) -> None:
        first = arena.history.next
        self.findings = (FindingRecord * ROOM)()
        self._pairs = (ctypes.c_uint32 * max(2 * len(unordered), 1))(*pairs(unordered))
        self._column = Column(first_epoch=first)
        self._cta, self._launch = record_layout.Cta(), record_layout.LaunchRecord(cluster_ctas=1)
        self._warp = record_layout.Warp(cta=_at(self._cta), launch=_at(self._launch))
        self._cta.cluster, self._cta.launch = _at(self._cta), _at(self._launch)
        self.record = record = SanitizerRecord(
            stretch=1, layers=1, columns=_at(self._column), first_epoch=first, last_epoch=first, findings=_at(self.findings),
            settled=1 if unordered else first << EPOCH, unordered=_at(self._pairs), unordered_count=len(unordered),
            arena=arena.base, arena_bytes=arena.size, windows=arena.windows[0],
        )  # fmt: skip
        record.race_bias = arena.shadow_bias(ACCESSES)
        record.head_bias = arena.shadow_bias(HEADS)
        # behind the state is what it knows: all that it has done itself
        self._room = ctypes.create_string_buffer(ctypes.sizeof(WarpState) + 64)
        self.state = state = WarpState.from_buffer(self._room)
        state.record, state.warp, state.launch = _at(record), _at(self._warp), _at(self._launch)
        state.race_bias, state.head_bias = record.race_bias, record.head_bias
        state.now, state.together, state.floor = first << EPOCH, first + 1 << EPOCH, record.settled
        state.tag, state.first_epoch = AGENTS, first
        state.synced[:] = [first + 1] * len(state.synced)
        ctypes.memset(_at(state) + ctypes.sizeof(WarpState), 0xFF, 64)


def watch_host_work(arena: Arena, spans: Sequence[Span], order: LaunchOrder) -> Iterator[Finding]:
    """Notes what work of the host has done with an arena's memory, which comes after those launches that `order` says; and what
    that is at odds with."""
    from ptxgen.cpu.rt.libraries import sanitizer

    history = arena.history
    touch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32)(
        sanitizer().addresses["race_span"]
    )
    with history.lock:
        worker = _Worker(arena, history.begin(order))
        for span in spans:
            touch(_at(worker.state), span.address, span.nbytes, WRITE if span.writes else 0)
        record = worker.record
        done = PastLaunch(record.first_epoch, record.last_epoch, None, _NOBODY, b"", order)
        history.end(done)
        yield from findings_of_host_work(arena, done, list(worker.findings[: record.found]))


def _at(thing: ctypes.Structure | ctypes.Array[ctypes.c_uint32] | ctypes.Array[FindingRecord]) -> int:
    return ctypes.addressof(thing)
