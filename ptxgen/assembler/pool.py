"""Worker processes that may crash: started on demand, asked one thing at a time, ended with this process.

`concurrent.futures.ProcessPoolExecutor` gives up all its work when one worker dies, and imports the caller's main
module into each; here a crash or a hang costs one program, and a worker starts in milliseconds.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import struct
import subprocess
import tempfile
import threading
import time
from typing import TYPE_CHECKING

from ptxgen.assembler.worker import decode, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["WorkerDied", "WorkerHung", "WorkerPool", "cpu_count", "pool", "shutdown"]

START_LIMIT = 60.0  # seconds for a worker to start: 40 ms on an idle machine


class WorkerDied(Exception):
    """The process ended instead of answering. `cause` says how; `stderr` is the end of what it wrote."""

    def __init__(self, cause: str, stderr: str) -> None:
        self.cause = cause
        self.stderr = stderr
        super().__init__(cause + (f"\n{stderr}" if stderr else ""))


class WorkerHung(Exception):
    """No answer within the time limit; the process has been killed."""


class Worker:
    """One process and its two pipes."""

    def __init__(self, command: Sequence[str]) -> None:
        self.stderr = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process; never fills up, as a pipe would
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr, bufsize=0
            )
        except OSError as error:
            self.stderr.close()
            raise WorkerDied(f"cannot start {command[0]}: {error.strerror}", "") from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.sink = self.process.stdin
        self.source = self.process.stdout
        self.ready = False  # it says so once, when it has loaded what it needs
        self.answers = 0
        os.set_blocking(self.sink.fileno(), False)
        os.set_blocking(self.source.fileno(), False)

    def ask(self, parts: Sequence[bytes], limit: float) -> list[bytes]:
        """One request, one answer. Raises WorkerDied or WorkerHung; the worker is then of no further use."""
        try:
            if not self.ready:
                self._receive(time.monotonic() + START_LIMIT)
                self.ready = True
            deadline = time.monotonic() + limit
            self._write(encode(parts), deadline)
            answer = self._receive(deadline)
        except (BrokenPipeError, EOFError):
            raise self._death() from None
        self.answers += 1
        return answer

    def _receive(self, deadline: float) -> list[bytes]:
        (size,) = struct.unpack("<I", self._read(4, deadline))
        return decode(self._read(size, deadline))

    def _write(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        fd = self.sink.fileno()
        while view:
            try:
                view = view[os.write(fd, view) :]
            except BlockingIOError:
                self._wait(fd, select.POLLOUT, deadline)

    def _read(self, size: int, deadline: float) -> bytes:
        pieces = []
        fd = self.source.fileno()
        while size:
            try:
                piece = os.read(fd, min(size, 1 << 20))
            except BlockingIOError:
                self._wait(fd, select.POLLIN, deadline)
                continue
            if not piece:
                raise EOFError
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _wait(self, fd: int, event: int, deadline: float) -> None:
        watch = select.poll()
        watch.register(fd, event)
        if not watch.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise WorkerHung

    def _death(self) -> WorkerDied:
        """How the process ended: it has closed its pipes, so it is gone or about to be."""
        try:
            status = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return WorkerDied("closed its pipes and went on", "")
        self.stderr.seek(max(0, os.fstat(self.stderr.fileno()).st_size - 2000))
        said = self.stderr.read().decode(errors="replace").strip()
        return WorkerDied(signal_name(-status) if status < 0 else f"exit status {status}", said)

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None

    def close(self) -> None:
        """End the process, whatever it is doing, and reap it."""
        self.process.kill()
        self.process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Close this process's side alone."""
        self.sink.close()
        self.source.close()
        self.stderr.close()


def signal_name(number: int) -> str:
    """ "SIGSEGV" for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class WorkerPool:
    """At most `size` workers of one command, shared by all threads."""

    def __init__(self, command: Sequence[str], size: int) -> None:
        self.command: tuple[str, ...] = tuple(command)
        self.size = size
        self.workers: list[Worker] = []
        self.idle: list[Worker] = []
        self.changed = threading.Condition()
        self.closed = False

    def ask(self, parts: Sequence[bytes], limit: float) -> list[bytes]:
        """Ask an idle worker, or a new one. `limit` is in seconds; a new worker's start does not count.

        A worker that dies may have been damaged by an earlier request, so a fresh one is asked once more before the
        request gets the blame. Raises WorkerDied or WorkerHung.
        """
        while True:
            worker = self._take()
            proven = worker.answers > 0
            try:
                answer = worker.ask(parts, limit)
            except WorkerDied:
                self._drop(worker)
                if self.closed or not proven:
                    raise
            except BaseException:
                self._drop(worker)
                raise
            else:
                self._give(worker)
                return answer

    def _take(self) -> Worker:
        with self.changed:
            while not self.closed:
                while self.idle:
                    worker = self.idle.pop()
                    if worker.alive():
                        return worker
                    self._forget(worker)
                if len(self.workers) < self.size:
                    worker = Worker(self.command)
                    self.workers.append(worker)
                    return worker
                self.changed.wait()
        raise WorkerDied("was shut down", "")

    def _give(self, worker: Worker) -> None:
        with self.changed:
            if self.closed:
                self._forget(worker)
            else:
                self.idle.append(worker)
            self.changed.notify()

    def _drop(self, worker: Worker) -> None:
        with self.changed:
            self._forget(worker)
            self.changed.notify()

    def _forget(self, worker: Worker) -> None:
        worker.close()
        self.workers.remove(worker)

    def close(self) -> None:
        """End every worker. A request that another thread is waiting for ends with WorkerDied."""
        with self.changed:
            self.closed = True
            for worker in self.idle:
                self._forget(worker)
            self.idle.clear()
            for worker in self.workers:
                worker.process.kill()  # the thread that asked it reaps it
            self.changed.notify_all()


_pools: dict[tuple[str, ...], WorkerPool] = {}
_pools_lock = threading.Lock()


def cpu_count() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pool(command: Sequence[str]) -> WorkerPool:
    """The pool of this command in this process, with as many workers as there are processors."""
    key = tuple(command)
    with _pools_lock:
        found = _pools.get(key)
        if found is None:
            found = _pools[key] = WorkerPool(key, cpu_count())
        return found


def shutdown() -> None:
    """End all worker processes. The next use starts new ones; the end of the interpreter does this by itself."""
    with _pools_lock:
        pools = list(_pools.values())
        _pools.clear()
    for each in pools:
        each.close()


def _after_fork() -> None:
    """In a forked child: the workers are the parent's. Close their pipes, and start with none. The lock is a new one, since a
    thread that held it does not exist here; `driver_ctypes.lifetime.renew_in_child` does that alone, and is above this room."""
    global _pools_lock
    _pools_lock = threading.Lock()
    for each in _pools.values():
        for worker in each.workers:
            worker.process.returncode = 0  # not ours to reap, and no ResourceWarning
            worker.let_go()
    _pools.clear()


atexit.register(shutdown)
os.register_at_fork(after_in_child=_after_fork)
