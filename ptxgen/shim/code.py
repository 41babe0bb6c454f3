"""The machine code of libcuda.so.1 as LLVM text: entries, what they do on first use, and how Python is found or started.

An entry is one jump through its slot. A slot leads first to code that asks Python for the function's address and stores it
there; the address is that of a stub of the emulated driver (`emulated_driver.calls.stubs`), which keeps a pending exception
and the thread's Python state, and answers after the interpreter's end. Every function takes integers and pointers:
registers and stack words are handed on without knowing which there are.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.stubs import answer_at_the_end

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CUDA_ANSWERS", "IMPORTS", "WORDS", "Answers", "library_text"]


class Answers(NamedTuple):
    """What a function answers that cannot be run."""

    unloaded: int
    """There is no Python, or none that has ptxgen."""
    ended: int
    """The interpreter has ended."""
    forked: int
    """The process is a child that C code has forked from one with an interpreter."""
    absent: int
    """The function is not offered."""
    done: int
    """The interpreter has ended, and the function would only wait or free."""


_FORKED = int(enums.CUresult.ERROR_NOT_INITIALIZED)
"""What a stub answers in such a child; else, where it is not 0, the interpreter has ended."""

CUDA_ANSWERS = Answers(
    int(enums.CUresult.ERROR_SHARED_OBJECT_INIT_FAILED),
    int(enums.CUresult.ERROR_DEINITIALIZED),
    _FORKED,
    int(enums.CUresult.ERROR_NOT_SUPPORTED),
    int(enums.CUresult.SUCCESS),
)

WORDS = 20
"""64-bit words of arguments, as the stubs hand them on."""

IMPORTS = (
    "dlsym", "dlopen", "getenv", "setenv", "unsetenv", "pthread_mutex_lock", "pthread_mutex_unlock", "snprintf", "strlen",
    "write", "sigaction",
)  # fmt: skip
"""What the library takes from the C library."""

_NOW_GLOBAL = 0x102
_ROOM = 8192

_HEAD = f"""
@resolver = internal global ptr null
@failed = internal global i32 0
@mutex = internal global [64 x i8] zeroinitializer, align 16

define internal ptr @imported(ptr %name) noinline {{
  %f = load volatile ptr, ptr @import.dlsym
  %found = call ptr %f(ptr null, ptr %name)
  ret ptr %found
}}

define internal void @complain(ptr %text) noinline {{
  %f = load volatile ptr, ptr @import.strlen
  %size = call i64 %f(ptr %text)
  %w = load volatile ptr, ptr @import.write
  %done = call i64 %w(i32 2, ptr %text, i64 %size)
  ret void
}}

; Run the text that fills @resolver. The GIL is held.
define internal void @run_script() noinline {{
  %text = alloca [{_ROOM} x i8]
  %print = load volatile ptr, ptr @import.snprintf
  %place = ptrtoint ptr @resolver to i64
  %made = call i32 (ptr, i64, ptr, ...) %print(ptr %text, i64 {_ROOM}, ptr @script, i64 %place)
  %run = call ptr @imported(ptr @name.run)
  %done = call i32 %run(ptr %text, ptr null)
  ret void
}}

; In a process that has an interpreter: the GIL is let go before the lock is waited for.
define internal void @join(ptr %check) noinline {{
  %error = alloca [3 x ptr]
  %has = call i32 %check()
  %without = icmp eq i32 %has, 0
  br i1 %without, label %lock, label %leave
leave:
  %save = call ptr @imported(ptr @name.save)
  %kept = call ptr %save()
  br label %lock
lock:
  %state = phi ptr [ null, %0 ], [ %kept, %leave ]
  %l = load volatile ptr, ptr @import.pthread_mutex_lock
  %locked = call i32 %l(ptr @mutex)
  %known = load volatile ptr, ptr @resolver
  %first = icmp eq ptr %known, null
  br i1 %first, label %run, label %unlock
run:
  %ensure = call ptr @imported(ptr @name.ensure)
  %held = call i32 %ensure()
  %fetch = call ptr @imported(ptr @name.fetch)
  %value = getelementptr ptr, ptr %error, i64 1
  %trace = getelementptr ptr, ptr %error, i64 2
  call void %fetch(ptr %error, ptr %value, ptr %trace)
  call void @run_script()
  %restore = call ptr @imported(ptr @name.restore)
  %e0 = load ptr, ptr %error
  %e1 = load ptr, ptr %value
  %e2 = load ptr, ptr %trace
  call void %restore(ptr %e0, ptr %e1, ptr %e2)
  %release = call ptr @imported(ptr @name.release)
  call void %release(i32 %held)
  br label %unlock
unlock:
  %u = load volatile ptr, ptr @import.pthread_mutex_unlock
  %unlocked = call i32 %u(ptr @mutex)
  br i1 %without, label %done, label %back
back:
  %again = call ptr @imported(ptr @name.again)
  call void %again(ptr %state)
  br label %done
done:
  ret void
}}

; In a process that has none: start one, and let its GIL go. Python 3.10 takes SIGINT when `signal` is imported: it is given back.
define internal void @begin() noinline {{
  %interrupt = alloca [256 x i8], align 16
  %l = load volatile ptr, ptr @import.pthread_mutex_lock
  %locked = call i32 %l(ptr @mutex)
  %known = load volatile ptr, ptr @resolver
  %tried = load volatile i32, ptr @failed
  %somebody = icmp ne ptr %known, null
  %no = icmp ne i32 %tried, 0
  %over = or i1 %somebody, %no
  br i1 %over, label %unlock, label %open
open:
  %there = call ptr @imported(ptr @name.initialize)
  %has = icmp ne ptr %there, null
  br i1 %has, label %start, label %load
load:
  %d = load volatile ptr, ptr @import.dlopen
  %library = call ptr %d(ptr @interpreter, i32 {_NOW_GLOBAL})
  %missing = icmp eq ptr %library, null
  br i1 %missing, label %refuse, label %start
refuse:
  store volatile i32 1, ptr @failed
  call void @complain(ptr @text.missing)
  br label %unlock
start:
  %sigaction = load volatile ptr, ptr @import.sigaction
  %seen = call i32 %sigaction(i32 {signal.SIGINT:d}, ptr null, ptr %interrupt)
  %initialize = call ptr @imported(ptr @name.initialize)
  %get = load volatile ptr, ptr @import.getenv
  %stated = call ptr %get(ptr @name.home)
  %ours = icmp eq ptr %stated, null
  br i1 %ours, label %state_home, label %go
state_home:  ; for this interpreter alone: what the process starts may be another one
  %s = load volatile ptr, ptr @import.setenv
  %put = call i32 %s(ptr @name.home, ptr @home, i32 1)
  call void %initialize(i32 0)
  %x = load volatile ptr, ptr @import.unsetenv
  %removed = call i32 %x(ptr @name.home)
  br label %run
go:
  call void %initialize(i32 0)
  br label %run
run:
  call void @run_script()
  %given = call i32 %sigaction(i32 {signal.SIGINT:d}, ptr %interrupt, ptr null)
  %save = call ptr @imported(ptr @name.save)
  %state = call ptr %save()
  br label %unlock
unlock:
  %u = load volatile ptr, ptr @import.pthread_mutex_unlock
  %unlocked = call i32 %u(ptr @mutex)
  ret void
}}

; The address of function %number: its stub, or what answers in its place.
define internal ptr @bind(i32 %number) noinline {{
  %into = alloca ptr
  %known = load volatile ptr, ptr @resolver
  %set = icmp ne ptr %known, null
  br i1 %set, label %ask, label %find
find:  ; another thread may be loading Python: where one of its functions is found, those asked for after it are too
  %alive = call ptr @imported(ptr @name.alive)
  %none = icmp eq ptr %alive, null
  br i1 %none, label %new, label %look
look:
  %running = call i32 %alive()
  %not = icmp eq i32 %running, 0
  br i1 %not, label %new, label %old
new:
  call void @begin()
  br label %found
old:
  %check = call ptr @imported(ptr @name.check)
  call void @join(ptr %check)
  br label %found
found:
  %made = load volatile ptr, ptr @resolver
  %nothing = icmp eq ptr %made, null
  br i1 %nothing, label %no, label %ask
no:
  ret ptr @answer.unloaded
ask:
  %resolve = load volatile ptr, ptr @resolver
  %n = zext i32 %number to i64
  store ptr null, ptr %into
  %code = call i32 %resolve(i64 %n, ptr %into, {", ".join(["i64 0"] * (WORDS - 2))})
  %ended = icmp ne i32 %code, 0
  br i1 %ended, label %deinitialized, label %answered
deinitialized:
  %child = icmp eq i32 %code, {_FORKED}
  %ends.at = getelementptr i8, ptr @only.ends, i32 %number
  %ends = load i8, ptr %ends.at
  %only = icmp ne i8 %ends, 0
  %late = select i1 %only, ptr @answer.done, ptr @answer.ended
  %why = select i1 %child, ptr @answer.forked, ptr %late
  ret ptr %why
answered:
  %address = load ptr, ptr %into
  %absent = icmp eq ptr %address, null
  %used = select i1 %absent, ptr @answer.absent, ptr %address
  %slot = getelementptr ptr, ptr @slots, i32 %number
  store volatile ptr %used, ptr %slot
  ret ptr %used
}}
"""

_NAMES = {
    "alive": "Py_IsInitialized", "check": "PyGILState_Check", "initialize": "Py_InitializeEx", "run": "PyRun_SimpleStringFlags",
    "save": "PyEval_SaveThread", "again": "PyEval_RestoreThread", "ensure": "PyGILState_Ensure", "release": "PyGILState_Release",
    "fetch": "PyErr_Fetch", "restore": "PyErr_Restore", "home": "PYTHONHOME",
}  # fmt: skip


def library_text(
    functions: Sequence[str], variables: Mapping[str, int], texts: Mapping[str, Sequence[str]], answers: Answers,
    script: str, interpreter: str, home: str, missing: str,
) -> str:  # fmt: skip
    """The module. `variables` are exported too, of so many zero bytes; `texts` are functions of a number that answer the text
    of it, of a list. `script` is Python with one %ld, the address of the
    pointer that it sets to a function (number, place for an address) -> code; `interpreter` is the path of a shared libpython,
    whose library stands under `home`, and `missing` what is said where it cannot be loaded."""
    words = ", ".join(f"i64 %a{n}" for n in range(WORDS))
    count = len(functions)
    first = ", ".join(f"ptr @first_{n}" for n in range(count))
    ends = ", ".join(f"i8 {int(answer_at_the_end(name) == answers.done)}" for name in functions)
    strings = {f"name.{key}": name for key, name in _NAMES.items()}
    strings |= {"script": script, "interpreter": interpreter, "home": home, "text.missing": missing}
    lines = [
        *(f"declare void @{name}()" for name in IMPORTS),
        *(f"@import.{name} = internal constant ptr @{name}" for name in IMPORTS),
        *(f"@{name} = internal constant {_constant(text)}" for name, text in strings.items()),
        *(f"@{name} = global [{size} x i8] zeroinitializer, align 8" for name, size in variables.items()),
        f"@slots = internal global [{count} x ptr] [{first}]",
        f"@only.ends = internal constant [{count} x i8] [{ends}]",
        _HEAD,
        *(
            f"define internal i32 @answer.{name}({words}) {{\n  ret i32 {code}\n}}"
            for name, code in answers._asdict().items()
        ),
        *(_text_function(name, table) for name, table in texts.items()),
    ]
    for number, name in enumerate(functions):
        lines.append(f"""
define internal i32 @first_{number}({words}) {{
  %target = call ptr @bind(i32 {number})
  %code = musttail call i32 %target({words})
  ret i32 %code
}}
define i32 @{name}({words}) {{
  %place = getelementptr [{count} x ptr], ptr @slots, i64 0, i64 {number}
  %target = load volatile ptr, ptr %place
  %code = musttail call i32 %target({words})
  ret i32 %code
}}""")
    return "\n".join(lines).replace(") {\n", ") nounwind {\n").replace(") noinline {\n", ") noinline nounwind {\n")


def _text_function(name: str, table: Sequence[str]) -> str:
    constants = [f"@{name}.{n} = internal constant {_constant(text)}" for n, text in enumerate((*table, "unknown"))]
    places = ", ".join(f"ptr @{name}.{n}" for n in range(len(table) + 1))
    return f"""{chr(10).join(constants)}
@{name}.table = internal constant [{len(table) + 1} x ptr] [{places}]
define ptr @{name}(i32 %n) {{
  %known = icmp ult i32 %n, {len(table)}
  %index = select i1 %known, i32 %n, i32 {len(table)}
  %at = zext i32 %index to i64
  %place = getelementptr ptr, ptr @{name}.table, i64 %at
  %text = load ptr, ptr %place
  ret ptr %text
}}"""


def _constant(text: str) -> str:
    data = text.encode() + b"\0"
    plain = [chr(each) if 32 <= each < 127 and each not in b'"\\' else f"\\{each:02X}" for each in data]
    return f'[{len(data)} x i8] c"{"".join(plain)}"'
