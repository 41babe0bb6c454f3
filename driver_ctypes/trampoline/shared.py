"""LLVM IR, written line by line, where CPython's own functions are, and the functions of machine code that are made once: the two
that every machine function calls, one for arrays, one for everything that Python must see; and what gives tensors back.

`ptxgen.cpu.emit` writes LLVM IR too, and neither can be the other: this package is used without ptxgen, and the CPU
device's compiler without a driver. What they write differs: there, typed values of whole kernels; here, a few loads of fixed
offsets, compares and calls into CPython, which need no values with operators.

A tensor's deleter, which DLPack calls when a receiver is done with a tensor of ours, takes the GIL first, and does nothing
once the interpreter has ended. A capsule's destructor runs wherever the last reference falls, also while an exception is
on its way, where Python code could not run.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache

from driver_ctypes.lifetime import Life
from driver_ctypes.machine_code.texts import lasting_functions
from driver_ctypes.trampoline.layout import TYPE_POINTER, Cache, Frame, State, slot_offset

# An int (CPython's longintrepr.h): behind the object header its number of digits, with the sign in the lowest three bits
# since 3.12 (one of them marks small ints since 3.14), and then the digits, lowest first.
_INT_TAG, _INT_DIGITS, _DIGIT_BITS = 16, 24, 30
_INT_FLAG = 4 if sys.version_info >= (3, 12) else 0
_ONE_DIGIT, _TWO_DIGITS = (8, 16) if sys.version_info >= (3, 12) else (1, 2)


def constant(address: int) -> str:
    return f"inttoptr (i64 {address} to ptr)"


SYMBOLS = {
    name: f"@{name}"
    for name in (
        "PyLong_AsLongLong PyLong_AsUnsignedLongLong PyLong_FromLongLong PyFloat_AsDouble PyBytes_Size PyBytes_AsString "
        "PyErr_Occurred PyErr_Clear PyEval_SaveThread PyEval_RestoreThread Py_IncRef Py_DecRef PyTuple_New "
        "PyTuple_SetItem PyObject_CallObject PyGILState_Ensure PyGILState_Release PyCapsule_IsValid "
        "PyCapsule_GetPointer Py_IsInitialized"
    ).split()
}
"""CPython's functions as a text names them. All are of the stable ABI but PyFloat_Pack2, which 3.10 calls by another name."""
SYMBOLS["PyFloat_Pack2"] = "@PyFloat_Pack2" if sys.version_info >= (3, 11) else "@_PyFloat_Pack2"

INT, FLOAT, BYTES, NONE = "@PyLong_Type", "@PyFloat_Type", "@PyBytes_Type", "@_Py_NoneStruct"
_LIFE = "@Life"

ARRAY, SLOW = "@array", "@slow"
"""The functions that every launch calls, as a text names them."""

EXTERNALS = "\n".join(f"{name} = external global i8" for name in (*SYMBOLS.values(), INT, FLOAT, BYTES, NONE))

DECLARATIONS = f"""
{EXTERNALS}
declare double @llvm.fabs.f64(double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{{!"branch_weights", i32 2000, i32 1}}
"""


class Writer:
    """Writes one function, with values and blocks numbered as they come. Its block ``slow`` is where it gives up, and its
    block ``clear`` where it does so with an exception of CPython's pending.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.numbers: int = 0

    def new(self, stem: str = "v") -> str:
        self.numbers += 1
        return f"{stem}{self.numbers}"

    def let(self, expression: str) -> str:
        """A new value."""
        name = f"%{self.new()}"
        self.lines.append(f"  {name} = {expression}")
        return name

    def block(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def go(self, label: str) -> None:
        self.lines.append(f"  br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.lines.append(f"  br i1 {condition}, label %{yes}, label %{no}")

    def load(self, type: str, base: str, offset: int | str = 0) -> str:
        place = self.let(f"getelementptr i8, ptr {base}, i64 {offset}")
        return self.let(f"load {type}, ptr {place}")

    def store(self, type: str, value: str, base: str, offset: int = 0) -> None:
        place = self.let(f"getelementptr i8, ptr {base}, i64 {offset}") if offset else base
        self.lines.append(f"  store {type} {value}, ptr {place}")

    def call(self, type: str, symbol: str, *args: str) -> str:
        return self.let(f"call {type} {SYMBOLS[symbol]}({', '.join(args)})")

    def need(self, condition: str, otherwise: str = "slow") -> None:
        """Go on where *condition* (an i1 value) holds; that is the likely case."""
        label = self.new("b")
        self.lines.append(f"  br i1 {condition}, label %{label}, label %{otherwise}, !prof !0")
        self.block(label)

    def need_same(self, type: str, a: str, b: str, otherwise: str = "slow") -> None:
        self.need(self.let(f"icmp eq {type} {a}, {b}"), otherwise)

    def state(self, field: str, type: str) -> str:
        return self.load(type, "%state", getattr(State, field).offset)

    def last_label(self) -> str:
        return next(line[:-1] for line in reversed(self.lines) if line.endswith(":"))

    def number(self, integer: str, parse: str) -> str:
        """An int's value. Positive ones of one or two digits, as counts and addresses are, are read where they lie; for
        the others CPython is called.
        """
        two, one, other, call, known = (self.new(stem) for stem in ("two", "one", "other", "call", "known"))
        tag = self.load("i64", integer, _INT_TAG)
        if _INT_FLAG:
            tag = self.let(f"and i64 {tag}, {~_INT_FLAG}")
        low = self.let(f"zext i32 {self.load('i32', integer, _INT_DIGITS)} to i64")
        self.branch(self.let(f"icmp eq i64 {tag}, {_TWO_DIGITS}"), two, other)
        self.block(two)
        high = self.let(f"zext i32 {self.load('i32', integer, _INT_DIGITS + 4)} to i64")
        shifted = self.let(f"shl i64 {high}, {_DIGIT_BITS}")
        both = self.let(f"or i64 {shifted}, {low}")
        self.go(known)
        self.block(other)
        self.branch(self.let(f"icmp eq i64 {tag}, {_ONE_DIGIT}"), one, call)
        self.block(one)
        self.go(known)
        self.block(call)
        parsed = self.call("i64", parse, f"ptr {integer}")
        self.no_error(self.let(f"icmp ne i64 {parsed}, -1"))
        last_of_call = self.last_label()
        self.go(known)
        self.block(known)
        return self.let(f"phi i64 [ {both}, %{two} ], [ {low}, %{one} ], [ {parsed}, %{last_of_call} ]")

    def no_error(self, surely: str) -> None:
        """Go on where *surely* holds, or where -1 was meant; else clear the error, which the slow path will say."""
        perhaps, fine = self.new("perhaps"), self.new("fine")
        self.lines.append(f"  br i1 {surely}, label %{fine}, label %{perhaps}, !prof !0")
        self.block(perhaps)
        error = self.call("ptr", "PyErr_Occurred")
        self.branch(self.let(f"icmp eq ptr {error}, null"), fine, "clear")
        self.block(fine)


# DLTensor (dlpack.h): data, device, ndim, dtype, shape, strides, byte_offset
_DL_BYTES, _DL_DEVICE, _DL_DTYPE, _DL_OFFSET = 48, 8, 20, 40

_LIFE_CONTEXT = slot_offset(Life(None), "context")


@cache
def shared_functions() -> Mapping[str, int]:
    """The addresses of ``array`` and ``slow``."""
    slow = _SLOW_PATH.format(**SYMBOLS, slow_offset=State.slow.offset)
    text = "\n".join([*_Array().text(), slow, f"{_LIFE} = external global i8", DECLARATIONS])
    return lasting_functions(text, {_LIFE[1:]: id(Life)})


class _Array(Writer):
    """``int array(state, cache, argument, frame, out)``: the address of an array, and what its launch needs of it.

    Memory of ours is taken where its `Life` is this context's; a tensor, where its framework's C functions return the
    address. 0 means that *out* is set.
    """

    def text(self) -> list[str]:
        self.lines = [
            "define i32 @array(ptr %state, ptr %cache, ptr %argument, ptr %frame, ptr %out) {",
            "entry:",
            f"  %tensor = alloca [{_DL_BYTES} x i8], align 16",
        ]
        type_ = self.load("ptr", "%argument", TYPE_POINTER)
        self.need_same("ptr", self.field("type", "ptr"), type_)
        exchange = self.field("exchange", "ptr")
        self.branch(self.let(f"icmp eq ptr {exchange}, null"), "ours", "theirs")
        self.block("ours")
        self.store("i64", self._own_memory(), "%out")
        self.lines += ["  ret i32 0", "theirs:"]
        self.store("i64", self._tensor(exchange), "%out")
        self.lines += [
            "  ret i32 0",
            "clear:",
            f"  call void {SYMBOLS['PyErr_Clear']}()",
            "  br label %slow",
            "slow:",
            "  ret i32 1",
            "}",
        ]
        return self.lines

    def field(self, name: str, type: str = "i64") -> str:
        return self.load(type, "%cache", getattr(Cache, name).offset)

    def frame(self, name: str, type: str = "i64") -> str:
        return self.load(type, "%frame", getattr(Frame, name).offset)

    def note(self, name: str, type: str, value: str) -> None:
        self.store(type, value, "%frame", getattr(Frame, name).offset)

    def _own_memory(self) -> str:
        """The address of an array that is open, here, and of the right elements."""
        life = self.load("ptr", "%argument", self.field("life"))
        self.need(self.let(f"icmp ne ptr {life}, null"))
        self.need_same("ptr", self.load("ptr", life, TYPE_POINTER), _LIFE)
        self.need_same("ptr", self.load("ptr", life, _LIFE_CONTEXT), self.state("context", "ptr"))
        element, fits = self.new("element"), self.new("fits")
        offset = self.field("element")
        self.branch(self.let(f"icmp eq i64 {offset}, 0"), fits, element)
        self.block(element)
        self.need_same("ptr", self.load("ptr", "%argument", offset), self.field("wanted", "ptr"))
        self.go(fits)
        self.block(fits)
        address = self.load("ptr", "%argument", self.field("address"))
        self.need(self.let(f"icmp ne ptr {address}, null"))
        self.need_same("ptr", self.load("ptr", address, TYPE_POINTER), INT)
        self.note("own", "i64", "1")
        return self.number(address, "PyLong_AsUnsignedLongLong")

    def _tensor(self, exchange: str) -> str:
        """A tensor's address through DLPack's C exchange table; and its framework's current stream, asked once."""
        code = self.let(f"call i32 {exchange}(ptr %argument, ptr %tensor)")
        self.need_same("i32", code, "0", "clear")
        self.need_same("i64", self.load("i64", "%tensor", _DL_DEVICE), self.state("dl_device", "i64"))
        dtype, wanted, mask = (
            self.load("i32", "%tensor", _DL_DTYPE),
            self.field("dtype", "i32"),
            self.field("dtype_mask", "i32"),
        )
        differs = self.let(f"xor i32 {dtype}, {wanted}")
        self.need_same("i32", self.let(f"and i32 {differs}, {mask}"), "0")
        data, offset = self.load("i64", "%tensor"), self.load("i64", "%tensor", _DL_OFFSET)
        address = self.let(f"add i64 {data}, {offset}")
        ask, known = self.new("ask"), self.new("known")
        source, before = self.field("work_stream", "ptr"), self.frame("source", "ptr")
        self.branch(self.let(f"icmp eq ptr {before}, {source}"), known, ask)
        self.block(ask)
        self.need_same("ptr", before, "null")  # two frameworks in one launch: Python orders their streams
        self.note("source", "ptr", source)
        device = self.state("dl_device", "i64")
        upper = self.let(f"lshr i64 {device}, 32")
        ordinal = self.let(f"trunc i64 {upper} to i32")
        kind = self.let(f"trunc i64 {device} to i32")
        place = self.let(f"getelementptr i8, ptr %frame, i64 {Frame.stream.offset}")
        code = self.let(f"call i32 {source}(i32 {kind}, i32 {ordinal}, ptr {place})")
        self.need_same("i32", code, "0", "clear")
        stream = self.frame("stream")
        legacy = self.let(f"icmp eq i64 {stream}, 1")
        self.note("stream", "i64", self.let(f"select i1 {legacy}, i64 0, i64 {stream}"))
        self.go(known)
        self.block(known)
        return address


# slow(code, *args), called with a tuple of its own.
_SLOW_PATH = """
define ptr @slow(ptr %state, ptr %args, i64 %nargs, i64 %code) {{
entry:
  %size = add i64 %nargs, 1
  %tuple = call ptr {PyTuple_New}(i64 %size)
  %none = icmp eq ptr %tuple, null
  br i1 %none, label %out, label %number
out:
  ret ptr null
number:
  %first = call ptr {PyLong_FromLongLong}(i64 %code)
  %nothing = icmp eq ptr %first, null
  br i1 %nothing, label %drop, label %fill
drop:
  call void {Py_DecRef}(ptr %tuple)
  ret ptr null
fill:
  %set = call i32 {PyTuple_SetItem}(ptr %tuple, i64 0, ptr %first)
  br label %loop
loop:
  %i = phi i64 [ 0, %fill ], [ %next, %item ]
  %more = icmp slt i64 %i, %nargs
  br i1 %more, label %item, label %call
item:
  %place = getelementptr ptr, ptr %args, i64 %i
  %argument = load ptr, ptr %place
  call void {Py_IncRef}(ptr %argument)
  %next = add i64 %i, 1
  %put = call i32 {PyTuple_SetItem}(ptr %tuple, i64 %next, ptr %argument)
  br label %loop
call:
  %field = getelementptr i8, ptr %state, i64 {slow_offset}
  %function = load ptr, ptr %field
  %answer = call ptr {PyObject_CallObject}(ptr %function, ptr %tuple)
  call void {Py_DecRef}(ptr %tuple)
  ret ptr %answer
}}
"""


_TEXT = """
@capsule = private constant [{size} x i8] c"{capsule}\\00"

define internal void @let_go(ptr %managed) {{
  %field = getelementptr i8, ptr %managed, i64 {manager}
  %owner = load ptr, ptr %field
  call void {Py_DecRef}(ptr %owner)
  ret void
}}

define void @delete(ptr %managed) {{
  %running = call i32 {Py_IsInitialized}()
  %ended = icmp eq i32 %running, 0
  br i1 %ended, label %out, label %go
go:
  %gil = call i32 {PyGILState_Ensure}()
  call void @let_go(ptr %managed)
  call void {PyGILState_Release}(i32 %gil)
  br label %out
out:
  ret void
}}

define void @destroy(ptr %capsule) {{
  %unused = call i32 {PyCapsule_IsValid}(ptr %capsule, ptr @capsule)
  %mine = icmp ne i32 %unused, 0
  br i1 %mine, label %go, label %out
go:
  %managed = call ptr {PyCapsule_GetPointer}(ptr %capsule, ptr @capsule)
  call void @let_go(ptr %managed)
  br label %out
out:
  ret void
}}
"""


def release_functions(manager: int, capsule: bytes) -> tuple[int, int]:
    """Addresses of (the deleter of a managed tensor whose owner is noted at offset *manager*, the destructor of its
    capsule, which is called *capsule* as long as nobody has taken the tensor).
    """
    text = _TEXT.format(manager=manager, capsule=capsule.decode(), size=len(capsule) + 1, **SYMBOLS) + EXTERNALS
    made = lasting_functions(text)
    return made["delete"], made["destroy"]
