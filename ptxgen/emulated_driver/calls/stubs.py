"""Machine code in front of each callback: what has to be done before Python is entered, and after it was left.

ctypes makes the callbacks, and enters the interpreter at once. A driver function may be called where that is wrong:

- An exception is pending in the calling thread (an extension frees memory while one propagates): it is kept, and is pending
  again when the call returns.
- The thread was not made by Python: ctypes would make a Python thread state for each call, and what belongs to the thread, its
  current context above all, would be gone after it. The state that the first call makes is kept until the thread ends.
- The interpreter has ended, and a destructor of a C++ library or a thread that lives on still calls: what waits or frees has
  nothing left to do, and is a success, since such a destructor may take an error for a reason to abort; the rest is
  DEINITIALIZED.
- C code has forked: the child has the interpreter as another thread may have left it, so it gets NOT_INITIALIZED, as of NVIDIA's
  driver. A child that Python made has been told by Python's own fork, and goes on.

One module of machine code has stubs for `_SLOTS` callbacks. Every driver function takes integers, pointers and small structures
by value, so that a stub hands on registers and stack words without knowing which there are: `WORDS` of them.
"""

from __future__ import annotations

import ctypes
import os

from driver_ctypes.errors import Error
from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.machine_code.texts import load_text
from driver_ctypes.primitives import Lock
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driver_ctypes.machine_code.loading import LoadedObject

__all__ = ["FORKED", "WORDS", "answer_at_the_end", "create_key", "stub_for"]

_NOT_INITIALIZED, _DEINITIALIZED = 3, 4  # CUresult
_ENDS = (
    "Destroy", "Free", "FreeAsync", "FreeHost", "Release", "Unload", "Unregister", "UnregisterResource", "Unmap",
    "CloseMemHandle", "Synchronize", "PushCurrent", "PopCurrent", "SetCurrent", "Detach",
)  # fmt: skip
"""How names of functions end that wait, free, or say for which context that is."""
_VERSIONS = ("_ptsz", "_ptds", "_v2")
_SLOTS = 32
WORDS = 20
"""64-bit words of arguments: the six registers of System V, or the eight of AArch64, and those on the stack. The function with
the most takes 15; words that a caller did not pass are read from its own stack, and handed to nobody."""

FORKED = ctypes.c_uint64(0)
"""Read by machine code: not 0 in a child that C code has forked."""

_HEAD = f"""
@targets = external global [{_SLOTS} x ptr]
@ended = external global [{_SLOTS} x i32]
@thread_key = external global i64
@forked = external global i64
declare i32 @Py_IsInitialized()
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare ptr @PyGILState_GetThisThreadState()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @PyThreadState_Clear(ptr)
declare void @PyThreadState_DeleteCurrent()
declare ptr @PyErr_Occurred()
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare i32 @pthread_setspecific(i64, ptr)

define void @in_child() {{
  store volatile i64 1, ptr @forked
  ret void
}}

; Take the GIL, and keep a pending exception. What PyGILState_Release is given; -1 where there is no interpreter, -2 in a child.
define i32 @enter(ptr %error) {{
  store ptr null, ptr %error
  %child = load volatile i64, ptr @forked
  %whole = icmp eq i64 %child, 0
  br i1 %whole, label %begin, label %cut
cut:
  ret i32 -2
begin:
  %alive = call i32 @Py_IsInitialized()
  %ended = icmp eq i32 %alive, 0
  br i1 %ended, label %no, label %yes
no:
  ret i32 -1
yes:
  %state = call ptr @PyGILState_GetThisThreadState()
  %foreign = icmp eq ptr %state, null
  br i1 %foreign, label %keep, label %take
keep:  ; this Ensure is without a Release: @thread_ends deletes the state
  %first = call i32 @PyGILState_Ensure()
  %made = call ptr @PyGILState_GetThisThreadState()
  %key = load i64, ptr @thread_key
  %set = call i32 @pthread_setspecific(i64 %key, ptr %made)
  %saved = call ptr @PyEval_SaveThread()
  br label %take
take:
  %held = call i32 @PyGILState_Ensure()
  %pending = call ptr @PyErr_Occurred()
  %none = icmp eq ptr %pending, null
  br i1 %none, label %go, label %fetch
fetch:
  %value = getelementptr ptr, ptr %error, i64 1
  %trace = getelementptr ptr, ptr %error, i64 2
  call void @PyErr_Fetch(ptr %error, ptr %value, ptr %trace)
  br label %go
go:
  ret i32 %held
}}

define void @leave(ptr %error, i32 %held) {{
  %type = load ptr, ptr %error
  %none = icmp eq ptr %type, null
  br i1 %none, label %go, label %restore
restore:
  %value.at = getelementptr ptr, ptr %error, i64 1
  %trace.at = getelementptr ptr, ptr %error, i64 2
  %value = load ptr, ptr %value.at
  %trace = load ptr, ptr %trace.at
  call void @PyErr_Restore(ptr %type, ptr %value, ptr %trace)
  br label %go
go:
  call void @PyGILState_Release(i32 %held)
  ret void
}}

; The destructor of the thread's value under the key: PyGILState itself has forgotten the thread by now.
define void @thread_ends(ptr %state) {{
  %alive = call i32 @Py_IsInitialized()
  %ended = icmp eq i32 %alive, 0
  br i1 %ended, label %done, label %delete
delete:
  call void @PyEval_RestoreThread(ptr %state)
  call void @PyThreadState_Clear(ptr %state)
  call void @PyThreadState_DeleteCurrent()
  br label %done
done:
  ret void
}}
"""


def _text() -> str:
    words = ", ".join(f"i64 %a{n}" for n in range(WORDS))
    stubs = [
        f"""
define i32 @stub_{n}({words}) {{
  %error = alloca [3 x ptr]
  %held = call i32 @enter(ptr %error)
  %ended = icmp slt i32 %held, 0
  br i1 %ended, label %no, label %yes
no:
  %child = icmp eq i32 %held, -2
  %ended.at = getelementptr [{_SLOTS} x i32], ptr @ended, i64 0, i64 {n}
  %late = load i32, ptr %ended.at
  %answer = select i1 %child, i32 {_NOT_INITIALIZED}, i32 %late
  ret i32 %answer
yes:
  %place = getelementptr [{_SLOTS} x ptr], ptr @targets, i64 0, i64 {n}
  %target = load ptr, ptr %place
  %code = call i32 %target({words})
  call void @leave(ptr %error, i32 %held)
  ret i32 %code
}}"""
        for n in range(_SLOTS)
    ]
    return "\n".join([_HEAD, *stubs])


class _Stubs:
    """Stubs for `_SLOTS` callbacks. They are never freed: C code may call them after everything of Python is gone."""

    def __init__(self, thread_key: ctypes.c_uint64) -> None:
        self.targets = (ctypes.c_void_p * _SLOTS)()
        self.ended = (ctypes.c_int32 * _SLOTS)()
        self.used = 0
        shared: dict[str, Any] = {
            "targets": self.targets,
            "ended": self.ended,
            "thread_key": thread_key,
            "forked": FORKED,
        }
        self.library = load_text(_text(), {name: ctypes.addressof(each) for name, each in shared.items()})
        for kept in (self.library, *shared.values()):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))

    def add(self, target: int, ended: int) -> int:
        number, self.used = self.used, self.used + 1
        self.targets[number], self.ended[number] = target, ended
        return self.library.addresses[f"stub_{number}"]


class _Maker:
    """Makes stubs as they are asked for."""

    def __init__(self) -> None:
        self._stubs: _Stubs | None = None
        self._key = ctypes.c_uint64(0)
        self._refused = False

    def add(self, target: int, ended: int) -> int:
        """The stub's address; the callback's own where this system lets no code be made, so that memory can be used there."""
        if self._refused:
            return target
        if self._stubs is None or self._stubs.used == _SLOTS:
            try:
                self._stubs = self._more()
            except Error:
                self._refused = True
                return target
        return self._stubs.add(target, ended)

    def _more(self) -> _Stubs:
        made = _Stubs(self._key)
        if self._stubs is None:
            create_key(self._key, made.library.addresses["thread_ends"])
            _watch_forks(made.library)
        return made


def create_key(key: ctypes.c_uint64, ends: int) -> None:
    """A key of the threads of this process, whose values the function at `ends` deletes. Raises UnsupportedError."""
    create: Any = ctypes.CDLL(None).pthread_key_create
    create.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    if create(ctypes.addressof(key), ends):
        from ptxgen.errors import UnsupportedError

        raise UnsupportedError("this process has no key of threads left", hint="it has created 1,024 of them")


def _watch_forks(library: LoadedObject) -> None:
    """Have a child know that it is one, unless Python's own fork, which comes after this, has set its threads right."""
    try:
        register: Any = ctypes.CDLL(None)[
            "__register_atfork"
        ]  # of glibc, whose pthread_atfork is not in its shared library
    except (AttributeError, OSError, TypeError):
        return
    register(None, None, ctypes.c_void_p(library.addresses["in_child"]), None)
    os.register_at_fork(after_in_child=lambda: setattr(FORKED, "value", 0))


_maker = _Maker()
_lock = Lock()
renew_in_child(globals(), "_lock", Lock)


def answer_at_the_end(symbol: str) -> int:
    """What a function of the driver answers when the interpreter has ended."""
    for version in _VERSIONS:
        symbol = symbol.removesuffix(version)
    return 0 if symbol.startswith("cu") and symbol.endswith(_ENDS) else _DEINITIALIZED


def stub_for(callback: Any, ended: int = _DEINITIALIZED) -> int:
    """The address of a stub in front of a ctypes callback, which the caller keeps alive. `ended` is what it answers when the
    interpreter has ended."""
    target = ctypes.cast(callback, ctypes.c_void_p).value or 0
    with _lock:
        return _maker.add(target, ended)
