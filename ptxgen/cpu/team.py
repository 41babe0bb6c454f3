"""A launch on several workers, each a thread of the host: CTAs of one grid run beside one another.

Every worker has a frame of its own, so that nothing but device memory and the count of CTAs taken is shared. The thread that
launches runs no CTA meanwhile: it waits, for the workers, for signals, for the limits of time. A launch begins on that thread
alone, and has workers when it turns out to be long: one that is short costs nothing more.

A cluster stays on one worker, and so does whatever waits for threads of its own CTA or cluster. CTAs that wait for others in
memory spin, each on its worker. When nothing seems to move, the workers stop, and one thread runs the part of each in turn until
something does: what it sees then is proof, which the watchdog needs.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING

from ptxgen.cpu.record_layout import Status
from ptxgen.cpu.report import circling_report, fault_report, stuck_report
from ptxgen.cpu.request import FIRST_TICK
from ptxgen.cpu.watchdog import Watchdog
from ptxgen.cpu.workers import crew

if TYPE_CHECKING:
    from ptxgen.cpu.frame import Frame
    from ptxgen.cpu.running import Running

__all__ = ["share_out"]

_NEVER = (1 << 64) - 1
_IMPROVING = 0.004
"""Seconds between looks at a launch in unoptimised code."""
_MOVES = 3
"""Times in a row that something must have moved before the workers of a suspicious launch run beside one another again."""


class _Worker:
    """One frame and what its thread does. `busy` is set by whoever sends it, and cleared by the thread, with `status` set."""

    __slots__ = ("busy", "error", "frame", "live", "most", "status")

    def __init__(self, frame: Frame, most: int) -> None:
        self.frame = frame
        self.most = most
        self.busy = False
        self.live = True
        self.status = int(Status.TICK)
        self.error: BaseException | None = None


def share_out(running: Running) -> bool:
    """Runs the rest of a launch, which stands still, on several workers, if there are some and enough is left. Has it? Raises
    KernelFault."""
    most, limit = _parts(running), running.options.workers
    if most < 2:
        running.shares = False
        return False
    hired = crew.hire(min(most, limit), limit)
    try:
        if hired < 2:
            return False
        _Team(running).run(hired)
        return True
    finally:
        crew.dismiss(hired)


class _Team:
    """The workers of one launch: that which has begun it, and others that join."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._frames: list[Frame] = []
        self._workers: list[_Worker] = []
        self._bell: SimpleQueue[None] = SimpleQueue()
        options = running.options
        self._watchdog = Watchdog(self._frames, options.watchdog, running.began, running.kernel.code.uses_copies)

    def run(self, number: int) -> None:
        """Runs the launch to its end on so many workers, or as many as there is memory for. Raises KernelFault."""
        running = self._running
        try:
            try:
                self._gather(number)
                while any(worker.live for worker in self._workers):
                    if self._beside():
                        self._in_turn()
            finally:
                self._stop()
            self._tell_faults()
            if any(worker.status != Status.DONE for worker in self._workers):
                raise stuck_report(running.kernel, self._frames)
        except BaseException:
            for frame in self._frames[1:]:
                frame.close()
            raise
        running.workers = len(self._frames)
        running.executed = sum(frame.executed for frame in self._frames[1:])
        for frame in self._frames[1:]:
            frame.give_back(running.frame)
            running.kernel.keep(frame)

    def _gather(self, number: int) -> None:
        """Makes the workers, each of which goes to work at once. CTAs of a cooperative launch are dealt out first."""
        running = self._running
        first, together = running.frame, running.request.together
        quotas = _quotas(running, number)
        self._add(first, quotas[0], sends=not running.request.cooperative)
        with suppress(MemoryError):  # on a device that is given little
            for quota in quotas[1:]:
                frame = running.another_frame()
                frame.join(first, number)
                self._add(frame, quota, sends=not running.request.cooperative)
        if running.request.cooperative:
            _deal(self._frames, together)
            for worker in self._workers:
                worker.most = worker.frame.launch.resident  # the records behind them are the next worker's
        elif len(self._frames) < number:
            self._workers[0].most += sum(quotas[len(self._frames) :])

    def _add(self, frame: Frame, most: int, *, sends: bool) -> None:
        self._frames.append(frame)
        self._workers.append(_Worker(frame, most))
        self._watchdog.prepare(frame)
        frame.launch.tick_at = _NEVER
        if sends:
            self._send()

    # -- beside one another -------------------------------------------------------------------------------------------

    def _beside(self) -> bool:
        """The workers run until all have ended, or there is reason to doubt that anything moves."""
        self._send()
        while any(worker.busy for worker in self._workers):
            self._wait()
            self._tell_faults()
            self._running.check_time(self._frames)
            self._running.improve(self._frames)
            if self._watchdog.due <= 0 and not self._watchdog.finishes_ctas():
                self._stop()
                if self._suspicious():
                    return True
                self._send()
        return False

    def _suspicious(self) -> bool:
        """Has a launch that stands still been where it is before?"""
        told = self._watchdog.judge(self._may_grow())
        if told == "grow":
            self._grow()
        return told == ""

    def _send(self) -> None:
        """Every worker that has not ended goes to work."""
        for worker in self._workers:
            if worker.live and not worker.busy:
                job, do = partial(self._work, worker), crew.do
                worker.busy = True  # and no signal is handled before the next line, which calls no Python
                do(job)

    def _work(self, worker: _Worker) -> None:
        """What a worker's thread does."""
        try:
            worker.status = self._step(worker)
        except BaseException as error:  # raised where the launch is waited for
            worker.error = error
        worker.live = worker.error is None and worker.status == Status.TICK
        worker.busy = False
        self._bell.put(None)

    def _step(self, worker: _Worker) -> int:
        """Runs a worker until it has ended, or is to stop; what it ended with."""
        frame, launch = worker.frame, worker.frame.launch
        while True:
            code = self._running.code
            status = code.run(frame.address)
            if status != Status.GROW:
                return status
            if launch.resident < worker.most:
                worker.most = frame.start_more(worker.most, code)
            elif launch.idle_rounds:  # nothing can run, and no more CTAs may be in flight
                return int(Status.DEADLOCK)

    def _wait(self) -> None:
        """For a worker that ends, or until it is time to look at something."""
        running = self._running
        due = [self._watchdog.due]
        if running.may_improve:
            due.append(_IMPROVING)
        if running.options.time_limit is not None:
            due.append(running.began + running.options.time_limit - perf_counter())
        try:
            self._bell.get(timeout=max(min(due), 0.001))
        except Empty:
            return

    def _stop(self) -> None:
        """No worker is at work when it returns, or raises what signals have raised meanwhile."""
        raised: BaseException | None = None
        stopped = False
        while not stopped:
            try:
                while any(worker.busy for worker in self._workers):
                    for frame in self._frames:
                        frame.launch.tick_at = 0  # again and again: generated code may set it, too
                    with suppress(Empty):
                        self._bell.get(timeout=0.001)
                stopped = True
            except BaseException as error:
                raised = error
        for frame in self._frames:
            frame.launch.tick_at = _NEVER
        if raised is not None:
            raise raised

    # -- one after the other ------------------------------------------------------------------------------------------

    def _in_turn(self) -> None:
        """This thread gives every worker a round, again and again, until something has moved for a while."""
        running, moves = self._running, 0
        while moves < _MOVES and any(worker.live for worker in self._workers):
            for worker in self._workers:
                if worker.live:
                    worker.frame.launch.look = 1  # it comes back at the end of its round
                    worker.status = self._step(worker)
                    worker.live = worker.status == Status.TICK
            self._tell_faults()
            running.check_time(self._frames)
            running.improve(self._frames)
            if self._watchdog.due > 0:
                continue
            told = self._watchdog.judge(self._may_grow())
            if told == "stuck":
                raise circling_report(running.kernel, self._frames, running.code.warp, running.options.watchdog or 0.0)
            if told == "grow":
                self._grow()
            moves = moves + 1 if told == "moved" else 0
        for frame in self._frames:
            frame.launch.look = 0

    def _may_grow(self) -> bool:
        return any(worker.live and worker.frame.launch.resident < worker.most for worker in self._workers)

    def _grow(self) -> None:
        for worker in self._workers:
            if worker.live and worker.frame.launch.resident < worker.most:
                worker.most = worker.frame.start_more(worker.most, self._running.code)

    def _tell_faults(self) -> None:
        """Raises what a worker has ended with, if that is a fault: of several the one in the first CTA."""
        if not any(worker.error or worker.status == Status.FAULT for worker in self._workers):
            return
        self._stop()
        for worker in self._workers:
            if worker.error is not None:
                raise worker.error
        kernel = self._running.kernel
        faulted = [worker.frame for worker in self._workers if worker.status == Status.FAULT]
        raise fault_report(kernel, min(faulted, key=lambda frame: frame.faulty_cta))


def _parts(running: Running) -> int:
    """Among how many workers what is left of a launch can be shared out; fewer than 2: it is not worth it."""
    frame, request = running.frame, running.request
    done = int(frame.launch.done_ctas)
    if request.cooperative:  # all have records
        return (request.ctas - done) // request.together
    left = frame.free_ctas
    if done and frame.executed * left < FIRST_TICK * done:
        return 1
    return 1 + min(left, running.most - int(frame.launch.resident)) // request.together


def _quotas(running: Running, workers: int) -> list[int]:
    """CTAs that each worker may have in flight, as many in all as the launch may have; those in flight stay where they are."""
    together, others = running.request.together, workers - 1
    clusters = running.most // together
    first = max(running.frame.launch.resident // together, clusters // workers)
    rest = clusters - first
    return [first * together, *((rest * (i + 1) // others - rest * i // others) * together for i in range(others))]


def _deal(frames: list[Frame], together: int) -> None:
    """Deals out the CTAs of a cooperative launch, all of which are in flight in the first frame."""
    first = frames[0].launch
    clusters, launched = first.resident // together, first.resident
    bounds = [clusters * number // len(frames) * together for number in range(len(frames) + 1)]
    assert bounds[-1] == launched
    first.turn = 0  # what a tick has cut begins anew
    for frame, begin, end in zip(frames[1:], bounds[1:], bounds[2:]):
        frame.take_over(frames[0], begin, end - begin)
    first.resident = bounds[1]
