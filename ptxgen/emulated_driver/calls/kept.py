"""Answers that machine code keeps, thread by thread, and gives again without Python: a query then takes tens of nanoseconds.

An answer is that of one function for its arguments. It is good in the epoch in which it was asked for (`state.epoch`), so that
nothing has to be taken back where it changes. To have another query kept, give it a row, and see that whatever changes its answer
ends the epoch. Where the system lets no code be made, every call reaches Python.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi.constants import SCALARS
from driver_ctypes.abi.functions import FUNCTIONS
from driver_ctypes.errors import Error
from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.machine_code.loading import LoadedObject
from driver_ctypes.machine_code.texts import load_text
from driver_ctypes.primitives import Lock
from driver_ctypes.typing import NamedTuple
from ptxgen.emulated_driver.calls.stubs import FORKED, WORDS, create_key
from ptxgen.emulated_driver.state import epoch

__all__ = ["KEPT", "in_front_of"]


class _Answer(NamedTuple):
    """Which argument points to the place of an answer of so many bytes; None where success is all of it."""

    out: int | None
    size: int = 0


KEPT = {
    "cuDriverGetVersion": _Answer(0, 4),
    "cuGetErrorName": _Answer(1, 8),
    "cuGetErrorString": _Answer(1, 8),
    "cuDeviceGet": _Answer(0, 4),
    "cuDeviceGetCount": _Answer(0, 4),
    "cuDeviceGetAttribute": _Answer(0, 4),
    "cuDeviceTotalMem_v2": _Answer(0, 8),
    "cuCtxGetCurrent": _Answer(0, 8),
    "cuCtxSetCurrent": _Answer(None),
    "cuCtxGetDevice": _Answer(0, 4),
    "cuCtxGetDevice_v2": _Answer(0, 4),
    "cuCtxGetId": _Answer(1, 8),
    "cuCtxGetApiVersion": _Answer(1, 4),
}
"""Queries without effects, and the one setter that sets what is set already."""

_ENTRIES = 64
"""A thread keeps so many, each at the place that its function and arguments give: a later one takes it over."""

_HEAD = f"""
%kept = type {{ i64, i64, i64, i64, i64 }}  ; epoch, function, two arguments, answer
@epoch = external global i64
@forked = external global i64
@key = external global i64
@plain = external global [{len(KEPT)} x ptr]
declare i32 @Py_IsInitialized()
declare ptr @pthread_getspecific(i64)
declare i32 @pthread_setspecific(i64, ptr)
declare ptr @calloc(i64, i64)
declare void @free(ptr)

define void @thread_ends(ptr %mine) {{
  call void @free(ptr %mine)
  ret void
}}

; Where the thread keeps the answer; null where it keeps none yet.
define internal ptr @place(i64 %function, i64 %one, i64 %two) alwaysinline {{
  %key = load i64, ptr @key
  %mine = call ptr @pthread_getspecific(i64 %key)
  %none = icmp eq ptr %mine, null
  %a = mul i64 %function, 13
  %b = mul i64 %two, 7
  %ab = add i64 %a, %b
  %sum = add i64 %ab, %one
  %index = and i64 %sum, {_ENTRIES - 1}
  %at = getelementptr %kept, ptr %mine, i64 %index
  %found = select i1 %none, ptr null, ptr %at
  ret ptr %found
}}

; Is an answer kept there, of this epoch, for these arguments?
define internal i1 @is_kept(ptr %at, i64 %now, i64 %function, i64 %one, i64 %two) {{
  %nothing = icmp eq i64 %now, 0
  %nowhere = icmp eq ptr %at, null
  %no = or i1 %nothing, %nowhere
  br i1 %no, label %absent, label %look
look:
  %f.at = getelementptr %kept, ptr %at, i64 0, i32 1
  %one.at = getelementptr %kept, ptr %at, i64 0, i32 2
  %two.at = getelementptr %kept, ptr %at, i64 0, i32 3
  %e = load i64, ptr %at
  %f = load i64, ptr %f.at
  %k1 = load i64, ptr %one.at
  %k2 = load i64, ptr %two.at
  %de = xor i64 %e, %now
  %df = xor i64 %f, %function
  %d1 = xor i64 %k1, %one
  %d2 = xor i64 %k2, %two
  %d01 = or i64 %de, %df
  %d23 = or i64 %d1, %d2
  %d = or i64 %d01, %d23
  %same = icmp eq i64 %d, 0
  br i1 %same, label %ask, label %absent
ask:  ; a child of fork, and what calls after the interpreter, is answered by the stub
  %child = load volatile i64, ptr @forked
  %whole = icmp eq i64 %child, 0
  %running = call i32 @Py_IsInitialized()
  %alive = icmp ne i32 %running, 0
  %yes = and i1 %whole, %alive
  ret i1 %yes
absent:
  ret i1 false
}}

define internal void @keep(i64 %then, i64 %function, i64 %one, i64 %two, i64 %answer) {{
  %before = call ptr @place(i64 %function, i64 %one, i64 %two)
  %first = icmp eq ptr %before, null
  br i1 %first, label %make, label %fill
make:
  %made = call ptr @calloc(i64 {_ENTRIES}, i64 40)
  %key = load i64, ptr @key
  %set = call i32 @pthread_setspecific(i64 %key, ptr %made)
  %after = call ptr @place(i64 %function, i64 %one, i64 %two)
  %full = icmp eq ptr %after, null
  br i1 %full, label %done, label %fill
fill:
  %at = phi ptr [ %before, %0 ], [ %after, %make ]
  %f.at = getelementptr %kept, ptr %at, i64 0, i32 1
  %one.at = getelementptr %kept, ptr %at, i64 0, i32 2
  %two.at = getelementptr %kept, ptr %at, i64 0, i32 3
  %answer.at = getelementptr %kept, ptr %at, i64 0, i32 4
  store i64 %then, ptr %at
  store i64 %function, ptr %f.at
  store i64 %one, ptr %one.at
  store i64 %two, ptr %two.at
  store i64 %answer, ptr %answer.at
  br label %done
done:
  ret void
}}
"""


def _text() -> str:
    return "\n".join([_HEAD, *(_function(number, symbol) for number, symbol in enumerate(KEPT))])


def _function(number: int, symbol: str) -> str:
    out, size = KEPT[symbol]
    words = ", ".join(f"i64 %a{n}" for n in range(WORDS))
    lines, keys = [], []
    for n, (_name, token) in enumerate(FUNCTIONS[symbol].args):
        if n == out:
            continue
        half = token in SCALARS and ctypes.sizeof(SCALARS[token]) == 4
        if half:  # the upper half of its register is anything
            lines.append(f"  %k{n} = and i64 %a{n}, {0xFFFF_FFFF}")
        keys.append(f"i64 %k{n}" if half else f"i64 %a{n}")
    arguments = ", ".join([f"i64 {number + 1}", *(keys + ["i64 0", "i64 0"])[:2]])
    place = f"%a{out}" if out is not None else "1"
    kind = f"i{8 * size}"
    give, read = "", "  %answer = add i64 0, 0"
    if out is not None:
        give = f"""
  %kept.at = getelementptr %kept, ptr %at, i64 0, i32 4
  %kept = load {kind}, ptr %kept.at
  %into = inttoptr i64 {place} to ptr
  store {kind} %kept, ptr %into, align 1"""
        read = f"""  %from = inttoptr i64 {place} to ptr
  %answer{"" if size == 8 else ".short"} = load {kind}, ptr %from, align 1"""
        read += "" if size == 8 else "\n  %answer = zext i32 %answer.short to i64"
    return f"""
define i32 @kept_{number}({words}) {{
{chr(10).join(lines)}
  %now = load volatile i64, ptr @epoch
  %at = call ptr @place({arguments})
  %same = call i1 @is_kept(ptr %at, i64 %now, {arguments})
  %somewhere = icmp ne i64 {place}, 0
  %quick = and i1 %same, %somewhere
  br i1 %quick, label %give, label %ask
give:{give}
  ret i32 0
ask:
  %target.at = getelementptr [{len(KEPT)} x ptr], ptr @plain, i64 0, i64 {number}
  %target = load ptr, ptr %target.at
  %code = call i32 %target({", ".join(f"i64 %a{n}" for n in range(WORDS))})
  %right = icmp eq i32 %code, 0
  br i1 %right, label %keep, label %done
keep:
{read}
  call void @keep(i64 %now, {arguments}, i64 %answer)
  br label %done
done:
  ret i32 %code
}}"""


class _Kept:
    """The machine code, with what it reads. It is never freed: C code may call it after everything of Python is gone."""

    def __init__(self) -> None:
        self.plain = (ctypes.c_void_p * len(KEPT))()
        key = ctypes.c_uint64()
        read = {"epoch": epoch.word, "forked": FORKED, "key": key, "plain": self.plain}
        self.library: LoadedObject = load_text(_text(), {name: ctypes.addressof(each) for name, each in read.items()})
        create_key(key, self.library.addresses["thread_ends"])
        for kept in (self.library, *read.values()):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


_made: _Kept | None = None
_refused = False
_lock = Lock()
renew_in_child(globals(), "_lock", Lock)


def in_front_of(symbol: str, stub: int) -> int:
    """The address of what answers for a function with a row here, and else asks its stub; that of the stub, of another."""
    global _made, _refused
    if symbol not in KEPT or _refused:
        return stub
    with _lock:
        if _made is None:
            try:
                _made = _Kept()
            except Error:
                _refused = True
                return stub
        number = list(KEPT).index(symbol)
        _made.plain[number] = stub
        return _made.library.addresses[f"kept_{number}"]
