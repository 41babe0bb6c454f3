"""The watchdog: a launch that can only go round in circles is ended, however long the limit of one that works.

Every now and then, between two rounds of the scheduler, it takes a digest of what decides how the launch goes on: the CTA
and warp records, with masks and live registers. When no digest has been new for the limit, it takes one of all memory too,
and another when the same records return. Equal, they prove that the launch has come back to where it was: what one thread
runs is deterministic, so that only somebody outside (the host, another stream) could ever end it, and nobody did for so long.
(Where several workers run a launch, one thread then runs the part of each in turn: see team.py.) A launch that computes,
stores, finishes CTAs or reads a clock never looks like that.
"""

from __future__ import annotations

import ctypes
from hashlib import blake2b
from time import perf_counter
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.address_ranges import resident_pages
from ptxgen.cpu.arena import READ_ONLY
from ptxgen.cpu.rt.scheduler import LOOK_AGAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.frame import Frame

__all__ = ["Watchdog"]

PAUSE = 0.25
"""Seconds between two looks, at least."""
SHARE = 100
"""Looking takes one in so many parts of the time."""
MOST_STATES = 4096
"""Digests that are kept; a launch with more states than that is at work."""

_CTA = ctypes.sizeof(record_layout.Cta)


class Watchdog:
    """Watches one launch. `look` is called at each tick of a launch on one worker, `judge` where its workers stand still."""

    def __init__(self, frames: Sequence[Frame], limit: float | None, began: float, uses_copies: bool) -> None:
        """frames: one a worker; those that come later are to be prepared. limit: seconds without progress after which `judge`
        says so; None: never. began: of the launch."""
        self._frames = frames
        self._limit = limit
        self._states: set[bytes] = set()
        self._done = 0
        self._pause = PAUSE if limit is None else min(PAUSE, limit / 8)
        self._next = began + self._pause
        self._still_since = began
        self._held: tuple[bytes, bytes] | None = None  # digests of records and memory of one moment
        self._look_mask = LOOK_AGAIN - 1 if uses_copies else 0  # what waits for mbarriers depends on it
        for frame in frames:
            self.prepare(frame)

    def prepare(self, frame: Frame) -> None:
        """Of a worker that takes part."""
        frame.launch.look = 0
        frame.launch.look_mask = self._look_mask

    @property
    def due(self) -> float:
        """Seconds until it is time to look again."""
        return self._next - perf_counter()

    def look(self, may_grow: bool) -> str:
        """What `judge` says, when it is time and the scheduler is between two rounds; else ""."""
        if self.due > 0:
            return ""
        launch = self._frames[0].launch
        if launch.turn or not launch.look:
            launch.look = 1  # the scheduler comes back at the end of its round
            return ""
        launch.look = 0
        return self.judge(may_grow)

    def judge(self, may_grow: bool) -> str:
        """ "moved" for a launch that has come to where it was not before; "" for one that may go round in circles; "grow" when
        more CTAs must be started for it to go on; "stuck" when nothing helps."""
        now = perf_counter()
        found = self._judge(now, may_grow)
        taken = perf_counter() - now
        self._next = now + (10 * taken if found in ("grow", "stuck") else max(self._pause, SHARE * taken))
        return found

    def finishes_ctas(self) -> bool:
        """Have CTAs ended since it was last asked, or has judged? Then the launch goes on, and it need not stop for that."""
        done = sum(frame.launch.done_ctas for frame in self._frames)
        if done == self._done:
            return False
        self._done = done
        now = perf_counter()
        self._start_over(now)
        self._next = now + self._pause
        return True

    def _judge(self, now: float, may_grow: bool) -> str:
        if self.finishes_ctas():
            return "moved"
        state = self._records()
        if state not in self._states:
            self._start_over(now, keep=len(self._states) < MOST_STATES)
            self._states.add(state)
            return "moved"
        if may_grow:
            self._start_over(now)
            return "grow"
        if self._limit is None or now - self._still_since < self._limit:
            return ""
        if self._held is None:
            self._held = state, self._memory()
        elif self._held[0] == state:
            if self._held[1] == self._memory():
                return "stuck"
            self._start_over(now)
        return ""

    def _start_over(self, now: float, keep: bool = False) -> None:
        """Something has changed."""
        self._still_since = now
        self._held = None
        if not keep:
            self._states.clear()

    def _records(self) -> bytes:
        """What the scheduler and the warps know."""
        found = blake2b(digest_size=16)
        for frame in self._frames:
            launch, raw = frame.launch, frame.raw
            found.update(b"%d %d %d" % (launch.next_cta, launch.changes, launch.clock_reads))
            found.update(raw(launch.ctas, launch.resident * _CTA))
            for cta in frame.ctas():
                if cta.running:
                    found.update(raw(cta.warps, launch.warps * launch.warp_stride))
        return found.digest()

    def _memory(self) -> bytes:
        """All memory that kernels may write, of which pages that nobody has touched are left out."""
        found = blake2b(digest_size=16)
        first = self._frames[0]
        raw = first.raw
        pairs = first.table.pairs if first.table is not None else ()
        for base, word in zip(pairs[::2], pairs[1::2]):
            if not word & READ_ONLY:
                for start, nbytes in resident_pages(base, word):
                    found.update(b"%d %d" % (start, nbytes))
                    found.update(raw(start, nbytes))
        for frame in self._frames:
            for start, nbytes in frame.chunks:
                found.update(raw(start, nbytes))
        return found.digest()
