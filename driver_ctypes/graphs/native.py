"""The native launch of an executable: a CPython callable of no arguments, whose machine code calls ``cuGraphLaunch``.

Everything else goes to a Python function: an executable that another thread uses, a closed one, a result that is not 0.
"""

from __future__ import annotations

import ctypes
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from driver_ctypes.graphs.launching import Cell, Launch, checked_launch
from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.trampoline.callable import MethodDef, new_function
from driver_ctypes.trampoline.engine import compile_functions, fresh_name
from driver_ctypes.trampoline.layout import DATA_POINTER
from driver_ctypes.trampoline.writer import NONE, SYMBOLS

if TYPE_CHECKING:
    from driver_ctypes.graphs.executable import GraphExec
    from driver_ctypes.graphs.launching import Replay

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
define ptr @{name}(ptr %self, ptr %unused) {{
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

_address = 0
_lock = threading.Lock()
renew_in_child(globals(), "_lock")


def _machine_function() -> int:
    """The address of the one function that serves every executable; made on first use (about 5 ms)."""
    global _address
    with _lock:
        if not _address:
            offsets = {name: getattr(LaunchState, name).offset for name, _kind in LaunchState._fields_}
            name = fresh_name()
            text = _TEXT.format(
                name=name, busy=Cell.busy.offset, DATA_POINTER=DATA_POINTER, NONE=NONE, **offsets, **SYMBOLS
            )
            _address = compile_functions(text, name)[name]
        return _address


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
