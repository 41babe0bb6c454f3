"""LLVM IR, written line by line, and where CPython's own functions are.

`ptxgen.cpu.emit` writes LLVM IR too, and neither can be the other: this package is used without ptxgen, and the CPU
device's compiler without a driver. What they write differs: there, typed values of whole kernels; here, a few loads of fixed
offsets, compares and calls into CPython, which need no values with operators.
"""

from __future__ import annotations

import ctypes
import sys

from driver_ctypes.trampoline.layout import State

# An int (CPython's longintrepr.h): behind the object header its number of digits, with the sign in the lowest three bits
# since 3.12 (one of them marks small ints since 3.14), and then the digits, lowest first.
_INT_TAG, _INT_DIGITS, _DIGIT_BITS = 16, 24, 30
_INT_FLAG = 4 if sys.version_info >= (3, 12) else 0
_ONE_DIGIT, _TWO_DIGITS = (8, 16) if sys.version_info >= (3, 12) else (1, 2)


def constant(address: int) -> str:
    return f"inttoptr (i64 {address} to ptr)"


def python_functions() -> dict[str, str]:
    """CPython's functions by address. All are of the stable ABI but PyFloat_Pack2, which 3.10 calls by another name."""
    pack = "PyFloat_Pack2" if sys.version_info >= (3, 11) else "_PyFloat_Pack2"
    names = (
        "PyLong_AsLongLong PyLong_AsUnsignedLongLong PyLong_FromLongLong PyFloat_AsDouble PyBytes_Size PyBytes_AsString "
        "PyErr_Occurred PyErr_Clear PyEval_SaveThread PyEval_RestoreThread Py_IncRef Py_DecRef PyTuple_New "
        "PyTuple_SetItem PyObject_CallObject PyGILState_Ensure PyGILState_Release PyCapsule_IsValid "
        "PyCapsule_GetPointer Py_IsInitialized"
    )
    found = {name: getattr(ctypes.pythonapi, name) for name in names.split()}
    found["PyFloat_Pack2"] = getattr(ctypes.pythonapi, pack)
    return {name: constant(ctypes.cast(f, ctypes.c_void_p).value or 0) for name, f in found.items()}


SYMBOLS = python_functions()
INT, FLOAT, BYTES, NONE = (constant(id(thing)) for thing in (int, float, bytes, None))

DECLARATIONS = """
declare double @llvm.fabs.f64(double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{!"branch_weights", i32 2000, i32 1}
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
