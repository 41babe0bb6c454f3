"""The quick launch of an executable on one stream: a native callable where there are such, else a prepared ctypes call.

The native one is a CPython callable of no arguments, whose machine code calls ``cuGraphLaunch``. Everything else goes to a
Python function: an executable that another thread uses, a closed one, a result that is not 0.

The driver does not synchronise graph objects, so launches and changes of one executable are mutually exclusive: each use
enters a `Gate`, and a fast launch that finds it entered takes the checked path, which waits.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from driver_ctypes.machine_code.texts import lasting_functions
from driver_ctypes.trampoline.code import MethodDef, new_function
from driver_ctypes.trampoline.layout import DATA_POINTER
from driver_ctypes.trampoline.shared import EXTERNALS, NONE, SYMBOLS

if TYPE_CHECKING:
    from driver_ctypes.graphs.executable import GraphExec
    from driver_ctypes.streams.stream import StreamBase


Launch = Callable[[], None]

_OF_CURRENT_CONTEXT = (0, 1, 2)  # NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD mean the current context's
_PATIENCE = 10.0  # seconds for which a launch may keep the others out: an interrupted one does not give the token back


class Cell(ctypes.Structure):
    """The part of a gate that machine code uses. It checks and enters the gate with the GIL held, and leaves it without."""

    _fields_ = (("closed", ctypes.c_uint64), ("busy", ctypes.c_uint64))


class Gate:
    """A lock: held by machine code (`Cell.busy`), or by the thread that has taken the token out of the list."""

    def __init__(self) -> None:
        self.cell: Cell = Cell()
        self.token: list[bool] = [True]

    def _take(self) -> bool:
        try:
            self.token.pop()
        except IndexError:
            return False
        self.cell.closed = 1
        return True

    def try_enter(self) -> bool:
        """Keep everybody else out until `leave`; False where somebody is in."""
        if not self._take():
            return False
        if self.cell.busy:
            self.leave()
            return False
        return True

    def leave(self) -> None:
        """Let the others in again."""
        self.cell.closed = 0
        self.token[:] = [True]

    def enter(self) -> None:
        """Keep everybody else out until `leave`, once nobody is in. The caller holds the executable's lock."""
        if self.try_enter():
            return
        until = time.monotonic() + _PATIENCE
        while not self._take() and time.monotonic() < until:
            time.sleep(0)
        self.cell.closed = 1
        while self.cell.busy and time.monotonic() < until:
            time.sleep(0)


class Turn:
    """`with Turn(lock, gate):` nobody else uses the executable in the body."""

    __slots__ = ("_gate", "_lock")

    def __init__(self, lock: threading.RLock, gate: Gate) -> None:
        self._lock = lock
        self._gate = gate

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            self._gate.enter()
        except BaseException:  # Ctrl-C while waiting
            self._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._gate.leave()
        self._lock.release()


class Replay:
    """A bound launch as its executable and its context see it: to replace its handle, and to send it to the checked path."""

    def __init__(self, executable: GraphExec, stream: StreamBase, number: int) -> None:
        self.stream = stream
        self.function = _NoFunction
        self.number = number
        self.launched: str = executable._name
        self.state: Any = None  # a native launch's memory
        self.quick: bool = True
        self.of_current_context: bool = stream.handle in _OF_CURRENT_CONTEXT
        self._launch = executable.context.driver.untyped("cuGraphLaunch")
        self._stream = ctypes.c_void_p(stream.handle)
        self.prepare(executable)

    def prepare(self, executable: GraphExec) -> None:
        """The executable's handle is another one now."""
        self.launched = executable._name
        self.call: Callable[[], int] = partial(self._launch, ctypes.c_void_p(executable.handle), self._stream)
        if self.state is not None:
            self.state.executable = executable.handle

    def revoke(self) -> None:
        """Send the next launch the checked way."""
        self.quick = False
        if self.state is not None:
            self.state.guard = 1

    def end(self) -> None:
        """The same for a stream that is closed; closing the executable waits for launches at its gate."""
        self.revoke()

    under_way = 0

    def allow(self) -> None:
        """Let launches be quick again."""
        self.quick = True
        if self.state is not None:
            self.state.guard = 0


class _NoFunction:
    """A replay is of no module."""

    module = None


def bind_replay(executable: GraphExec, stream: StreamBase) -> Launch:
    """See `GraphExec.bind`. Where host functions may have raised every launch is checked in full."""
    from driver_ctypes.trampoline.choice import is_native

    replay = make_replay(executable, stream)
    if replay is None or replay.of_current_context:
        return partial(executable.launch, stream)
    if is_native():
        return native_replay(executable, replay)

    return partial(launch_again, executable, replay)


def make_replay(executable: GraphExec, stream: StreamBase) -> Replay | None:
    """Quick launches on a stream; None where each has to be checked in full."""
    from driver_ctypes.launch.plan import plan_numbers

    if executable._called():
        return None
    replay = Replay(executable, stream, next(plan_numbers))
    executable._replays.add(replay)
    executable.context.launches.add(replay)
    executable._last_stream = stream
    return replay


def launch_again(executable: GraphExec, replay: Replay) -> None:
    """A launch, as quick as may be."""
    if not launched_quickly(executable, replay):
        checked_launch(executable, replay)


def checked_launch(executable: GraphExec, replay: Replay) -> None:
    """A launch that checks everything, and opens the way for quick ones."""
    stream = replay.stream
    executable._launch(stream)
    if not stream.closed:
        replay.allow()


def launched_quickly(executable: GraphExec, replay: Replay) -> bool:
    """Launch by one call of the driver; False where nothing was launched, and a checked launch has to be."""
    context, gate = executable.context, executable._gate
    if not replay.quick or context.deferred or context.poisoned is not None or context.closed:
        return False
    if replay.of_current_context and (other := context.enter()):
        context.leave(other)
        return False
    if not gate.try_enter():  # another thread uses the executable, or it is closed
        return False
    try:
        context.launches.last_launch = replay.launched
        return not replay.call()
    finally:
        gate.leave()


_METH_NOARGS = 4  # CPython's methodobject.h


class LaunchState(ctypes.Structure):
    """The state of a bound launch that machine code uses. Instances take attributes: what the callable keeps alive."""

    _fields_ = (
        ("guard", ctypes.c_uint64),  # not 0: take the slow path
        ("slow", ctypes.c_void_p),  # a Python callable
        ("cell", ctypes.c_void_p),  # the gate's
        ("launch", ctypes.c_void_p),  # cuGraphLaunch
        ("executable", ctypes.c_void_p),  # CUgraphExec
        ("stream", ctypes.c_void_p),  # CUstream
        ("last", ctypes.c_void_p),  # where the context notes whose launch was the last
        ("serial", ctypes.c_uint64),  # this one's number there
    )


_TEXT = """
define ptr @replay(ptr %self, ptr %unused) {{
entry:
  %data = getelementptr i8, ptr %self, i64 {DATA_POINTER}
  %state = load ptr, ptr %data
  %guard = load volatile i64, ptr %state
  %cell.at = getelementptr i8, ptr %state, i64 {cell}
  %cell = load ptr, ptr %cell.at
  %closed = load volatile i64, ptr %cell
  %busy.at = getelementptr i8, ptr %cell, i64 {busy}
  %busy = load volatile i64, ptr %busy.at
  %taken = or i64 %closed, %busy
  %no = or i64 %taken, %guard
  %quick = icmp eq i64 %no, 0
  br i1 %quick, label %go, label %slow
go:
  store volatile i64 1, ptr %busy.at
  %launch.at = getelementptr i8, ptr %state, i64 {launch}
  %launch = load ptr, ptr %launch.at
  %executable.at = getelementptr i8, ptr %state, i64 {executable}
  %executable = load ptr, ptr %executable.at
  %stream.at = getelementptr i8, ptr %state, i64 {stream}
  %stream = load ptr, ptr %stream.at
  %last.at = getelementptr i8, ptr %state, i64 {last}
  %last = load ptr, ptr %last.at
  %serial.at = getelementptr i8, ptr %state, i64 {serial}
  %serial = load i64, ptr %serial.at
  store i64 %serial, ptr %last
  %thread = call ptr {PyEval_SaveThread}()
  %code = call i32 %launch(ptr %executable, ptr %stream)
  store atomic i64 0, ptr %busy.at release, align 8
  call void {PyEval_RestoreThread}(ptr %thread)
  %failed = icmp ne i32 %code, 0
  br i1 %failed, label %slow, label %done
done:
  call void {Py_IncRef}(ptr {NONE})
  ret ptr {NONE}
slow:
  %slow.at = getelementptr i8, ptr %state, i64 {slow}
  %callable = load ptr, ptr %slow.at
  %result = call ptr {PyObject_CallObject}(ptr %callable, ptr null)
  ret ptr %result
}}
"""


@cache
def _machine_function() -> int:
    """The address of the one function that serves every executable."""
    offsets = {name: getattr(LaunchState, name).offset for name, _kind in LaunchState._fields_}
    text = _TEXT.format(busy=Cell.busy.offset, DATA_POINTER=DATA_POINTER, NONE=NONE, **offsets, **SYMBOLS)
    return lasting_functions(text + EXTERNALS)["replay"]


def native_replay(executable: GraphExec, replay: Replay) -> Launch:
    """A callable that launches. It keeps the executable; the replay shares its memory, and keeps nothing of it."""
    context, gate = executable.context, executable._gate
    launch = ctypes.cast(context.driver.functions["cuGraphLaunch"], ctypes.c_void_p).value
    slow = partial(checked_launch, executable, replay)
    memory = LaunchState(
        slow=id(slow),
        cell=ctypes.addressof(gate.cell),
        launch=launch,
        executable=executable.handle,
        stream=replay.stream.handle,
        last=ctypes.addressof(context.launches.serial),
        serial=replay.number,
    )
    replay.state = memory
    owner: Any = LaunchState.from_buffer(memory)
    owner.kept = (slow, gate.cell, context.launches.serial)
    owner.method = MethodDef(
        b"launch", _machine_function(), _METH_NOARGS, f"Launch {executable._name} on its stream.".encode()
    )
    callable_: Launch = new_function(ctypes.addressof(owner.method), owner, None)
    return callable_
