"""The machine function of a signature, as LLVM IR.

It is a CPython function of the METH_FASTCALL kind: ``PyObject *launch(PyObject *self, PyObject *const *args, Py_ssize_t
nargs)``. It takes what it can take without running Python code (exact ints and floats, bytes, device memory of this
package, tensors through their framework's C functions), lays the arguments out on its own stack, lets the GIL go, and
calls the driver. Every other argument, and every wrong one, is passed to the Python function ``slow``, which takes it
or raises; so there is one place that says what is wrong.

`native_callable` makes it a Python callable, with its own state.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

from driver_ctypes.abi.structs import CUlaunchConfig
from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.machine_code.texts import lasting_functions
from driver_ctypes.trampoline.layout import CACHES, DATA_POINTER, TYPE_POINTER, Cache, Frame, State, state_type
from driver_ctypes.trampoline.shared import (
    ARRAY,
    BYTES,
    DECLARATIONS,
    FLOAT,
    INT,
    NONE,
    SLOW,
    SYMBOLS,
    Writer,
    shared_functions,
)

Shape = tuple[str, int]
"""A parameter as the machine function sees it: (kind, bytes)."""

_CONFIG_BYTES = ctypes.sizeof(CUlaunchConfig)
_LARGEST_CURRENT = 2  # streams 0, 1 and 2 (default, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD) are the current context's
_INFINITY = "0x7FF0000000000000"


def machine_function(shapes: Sequence[Shape]) -> str:
    """LLVM IR of the function `launch` for parameters of these shapes."""
    called = [f"{name} = external global i8" for name in (ARRAY, SLOW)]
    return "\n".join([*_Launch(shapes).text(), *called, DECLARATIONS])


class _Launch(Writer):
    """Writes the function of one signature."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        super().__init__()
        self.shapes = shapes

    def text(self) -> list[str]:
        self.lines = ["define ptr @launch(ptr %self, ptr %args, i64 %nargs) {", "entry:"]
        self.lines += [
            f"  %place.{i} = alloca [{max(size, 8)} x i8], align 16" for i, (_, size) in enumerate(self.shapes)
        ]
        self.lines += [
            f"  %pointers = alloca [{max(len(self.shapes), 1)} x ptr], align 8",
            f"  %moved = alloca [{_CONFIG_BYTES} x i8], align 16",
            f"  %frame = alloca [{ctypes.sizeof(Frame)} x i8], align 8",
            "  %current = alloca ptr",
            "  %code = alloca i64",  # why the slow path is taken: the driver's result, or 0
            f"  %data = getelementptr i8, ptr %self, i64 {DATA_POINTER}",
            "  %state = load ptr, ptr %data",
            "  store i64 0, ptr %code",
        ]
        self.store("ptr", "null", "%frame", Frame.source.offset)
        self.store("i64", "0", "%frame", Frame.own.offset)
        self.need_same("i64", "%nargs", str(len(self.shapes)))
        self.need_same("i64", self.let(f"or i64 {self.state('guard', 'i64')}, {self.state('ended', 'i64')}"), "0")
        for index, shape in enumerate(self.shapes):
            self._parameter(index, shape)
        self._choose_stream()
        self._launch()
        return self.lines

    def _parameter(self, index: int, shape: Shape) -> None:
        kind, size = shape
        argument = self.load("ptr", "%args", 8 * index)
        place = f"%place.{index}"
        self.store("ptr", place, "%pointers", 8 * index)
        type_ = self.load("ptr", argument, TYPE_POINTER)
        if kind == "pointer" or shape == ("opaque", 8):
            self._pointer(index, argument, type_, checked=kind == "pointer")
        elif kind in ("f16", "bf16", "f32", "f64"):
            self._float(kind, argument, type_, place)
        elif kind == "bytes" or size not in (1, 2, 4):
            if kind in ("u64", "s64"):
                self._integer(kind, 8, argument, type_, place)
            else:
                self._bytes(size, argument, type_, place)
        else:
            self._integer(kind, size, argument, type_, place)

    def _integer(self, kind: str, size: int, argument: str, type_: str, place: str) -> None:
        self.need_same("ptr", type_, INT)
        if kind == "u64":
            self.store("i64", self.number(argument, "PyLong_AsUnsignedLongLong"), place)
            return
        value = self.number(argument, "PyLong_AsLongLong")
        bits = 8 * size
        if bits < 64:
            low = 0 if kind[0] == "u" else -(1 << bits - 1)
            high = (1 << bits - 1) - 1 if kind[0] == "s" else (1 << bits) - 1
            above = self.let(f"sub i64 {value}, {low}")
            self.need(self.let(f"icmp ule i64 {above}, {high - low}"))
            value = self.let(f"trunc i64 {value} to i{bits}")
        self.store(f"i{bits}", value, place)

    def _float(self, kind: str, argument: str, type_: str, place: str) -> None:
        """A float, or an int as the float nearest to it."""
        is_float, is_int = self.let(f"icmp eq ptr {type_}, {FLOAT}"), self.let(f"icmp eq ptr {type_}, {INT}")
        self.need(self.let(f"or i1 {is_float}, {is_int}"))
        value = self.call("double", "PyFloat_AsDouble", f"ptr {argument}")
        self.no_error(self.let(f"fcmp une double {value}, -1.0"))
        if kind == "f64":
            self.store("double", value, place)
        elif kind == "f16":
            code = self.call("i32", "PyFloat_Pack2", f"double {value}", f"ptr {place}", "i32 1")
            self.need_same("i32", code, "0", "clear")
        elif kind == "f32":
            self.store("float", self._narrow(value)[0], place)
        else:
            self.store("i16", self._bf16(value), place)

    def _narrow(self, value: str) -> tuple[str, str]:
        """A double as (float, that float as double); one too large for a float is refused."""
        small = self.let(f"fptrunc double {value} to float")
        back = self.let(f"fpext float {small} to double")
        infinite = [self.let(f"fcmp oeq double {self._magnitude(x)}, {_INFINITY}") for x in (value, back)]
        self.need_same("i1", *infinite)
        return small, back

    def _magnitude(self, value: str) -> str:
        return self.let(f"call double @llvm.fabs.f64(double {value})")

    def _bf16(self, value: str) -> str:
        """The bits of the nearest bf16, ties to even. Rounded first to a float whose last bit is *sticky* (set where
        something was cut off), so that the second rounding sees all of the first.
        """
        small, back = self._narrow(value)
        self.need(self.let(f"fcmp oeq double {value}, {value}"))  # a NaN is Python's work
        bits = self.let(f"bitcast float {small} to i32")
        inexact = self.let(f"fcmp une double {value}, {back}")
        outward = self.let(f"fcmp ogt double {self._magnitude(back)}, {self._magnitude(value)}")
        step = self.let(f"zext i1 {outward} to i32")
        toward_zero = self.let(f"sub i32 {bits}, {step}")
        cut_off = self.let(f"zext i1 {inexact} to i32")
        sticky = self.let(f"or i32 {toward_zero}, {cut_off}")
        upper = self.let(f"lshr i32 {sticky}, 16")
        odd = self.let(f"and i32 {upper}, 1")
        half = self.let(f"add i32 {sticky}, 32767")
        rounded = self.let(f"add i32 {half}, {odd}")
        rounded = self.let(f"lshr i32 {rounded}, 16")
        finite = self.let(f"icmp ult i32 {self.let(f'and i32 {rounded}, 32767')}, {0x7F80}")
        was_infinite = self.let(f"fcmp oeq double {self._magnitude(value)}, {_INFINITY}")
        self.need(self.let(f"or i1 {finite}, {was_infinite}"))
        return self.let(f"trunc i32 {rounded} to i16")

    def _bytes(self, size: int, argument: str, type_: str, place: str) -> None:
        self.need_same("ptr", type_, BYTES)
        self.need_same("i64", self.call("i64", "PyBytes_Size", f"ptr {argument}"), str(size))
        source = self.call("ptr", "PyBytes_AsString", f"ptr {argument}")
        self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {source}, i64 {size}, i1 false)")

    def _pointer(self, index: int, argument: str, type_: str, checked: bool) -> None:
        """An int, or what ``array`` makes an address of."""
        place = f"%place.{index}"
        number, array, done = (f"{stem}.{index}" for stem in ("number", "array", "done"))
        cache = self.let(f"getelementptr i8, ptr %state, i64 {CACHES + index * ctypes.sizeof(Cache)}")
        self.branch(self.let(f"icmp eq ptr {type_}, {INT}"), number, array)
        self.block(array)
        call = f"call i32 {ARRAY}(ptr %state, ptr {cache}, ptr {argument}, ptr %frame, ptr {place})"
        self.need_same("i32", self.let(call), "0")
        address = self.let(f"load i64, ptr {place}")
        last_of_array = self.last_label()
        self.go(done)
        self.block(number)
        value = self.number(argument, "PyLong_AsUnsignedLongLong")
        self.store("i64", value, place)
        last_of_number = self.last_label()
        self.go(done)
        self.block(done)
        if checked:
            found = self.let(f"phi i64 [ {address}, %{last_of_array} ], [ {value}, %{last_of_number} ]")
            misaligned = self.load("i64", cache, Cache.misaligned.offset)
            self.need_same("i64", self.let(f"and i64 {found}, {misaligned}"), "0")

    def _choose_stream(self) -> None:
        """The launcher's stream, or the framework's where the launcher follows one. Two streams are Python's work: for
        the order between them events are needed.
        """
        self.lines.append(f"  %config.own = getelementptr i8, ptr %state, i64 {State.config.offset}")
        home = self.state("stream", "i64")
        source = self.load("ptr", "%frame", Frame.source.offset)
        plain = self.let(f"icmp eq ptr {source}, null")
        self.branch(plain, "stay", "brought")
        self.block("brought")
        foreign = self.load("i64", "%frame", Frame.stream.offset)
        self.branch(self.let(f"icmp eq i64 {foreign}, {home}"), "stay", "away")
        self.block("away")
        self.need_same("i64", self.state("follows", "i64"), "1")
        self.need_same("i64", self.load("i64", "%frame", Frame.own.offset), "0")
        self.lines.append(
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %moved, ptr %config.own, i64 {_CONFIG_BYTES}, i1 false)"
        )
        self.store("i64", foreign, "%moved", CUlaunchConfig.hStream.offset)
        last_away = self.last_label()
        self.go("leave")
        self.block("stay")
        self.go("leave")
        self.block("leave")
        self.lines.append(f"  %config = phi ptr [ %config.own, %stay ], [ %moved, %{last_away} ]")
        self.lines.append(f"  %stream = phi i64 [ {home}, %stay ], [ {foreign}, %{last_away} ]")

    def _launch(self) -> None:
        """Note whose launch this is and that it is under way, let the GIL go, and call the driver, with the context current
        where the stream is the current context's.
        """
        self.store("i64", self.state("serial", "i64"), self.state("last", "ptr"))
        self._under_way(1)
        driver, function = self.state("launch", "ptr"), self.state("function", "ptr")
        asks, context = self.state("ask_context", "ptr"), self.state("context_handle", "ptr")
        thread = self.call("ptr", "PyEval_SaveThread")
        current = self.let(f"icmp ule i64 %stream, {_LARGEST_CURRENT}")
        self.branch(current, "ask.context", "send")
        self.block("ask.context")
        code = self.let(f"call i32 {asks}(ptr %current)")
        self.need_same("i32", code, "0", "elsewhere")
        self.need_same("ptr", self.let("load ptr, ptr %current"), context, "elsewhere")
        self.go("send")
        self.block("send")
        result = self.let(f"call i32 {driver}(ptr %config, ptr {function}, ptr %pointers, ptr null)")
        self.lines.append(f"  call void {SYMBOLS['PyEval_RestoreThread']}(ptr {thread})")
        self._under_way(-1)
        self.need_same("i32", result, "0", "failed")
        self.lines += [
            f"  call void {SYMBOLS['Py_IncRef']}(ptr {NONE})",
            f"  ret ptr {NONE}",
            "failed:",
            f"  %failure = zext i32 {result} to i64",
            "  store i64 %failure, ptr %code",
            "  br label %slow",
            "elsewhere:",
            f"  call void {SYMBOLS['PyEval_RestoreThread']}(ptr {thread})",
        ]
        self._under_way(-1)
        self.lines += [
            "  br label %slow",
            "clear:",
            f"  call void {SYMBOLS['PyErr_Clear']}()",
            "  br label %slow",
            "slow:",
        ]
        self.lines += [
            "  %code.slow = load i64, ptr %code",
            f"  %answer = call ptr {SLOW}(ptr %state, ptr %args, i64 %nargs, i64 %code.slow)",
            "  ret ptr %answer",
            "}",
        ]

    def _under_way(self, step: int) -> None:
        """One launch more or less; the GIL is held."""
        count = self.let(f"add i64 {self.state('under_way', 'i64')}, {step}")
        self.store("i64", count, "%state", State.under_way.offset)


_METH_FASTCALL = 0x80  # CPython's methodobject.h


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef, part of its stable ABI."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


new_function: Callable[..., Any] = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
)(("PyCFunction_NewEx", ctypes.pythonapi))

_functions: dict[tuple[Shape, ...], int] = {}
_lock = threading.Lock()
renew_in_child(globals(), "_lock")


def function_address(shapes: Sequence[Shape]) -> int:
    """The machine function for parameters of these shapes; made once (about 5 ms where no process has made it before)."""
    key = tuple(shapes)
    with _lock:
        address = _functions.get(key)
        if address is None:
            made = lasting_functions(machine_function(key), shared_functions())
            address = _functions[key] = made["launch"]
    return address


def new_state(shapes: Sequence[Shape]) -> Any:
    """A launcher's memory, guarded: every call is slow until somebody clears ``guard``."""
    return state_type(len(shapes))(guard=1)


def native_callable(
    state: Any, shapes: Sequence[Shape], name: str, doc: str, slow: Callable[..., Any]
) -> Callable[..., None]:
    """The callable over *state*. It keeps *state* and *slow* alive; nothing keeps it but its users."""
    address = function_address(shapes)
    owner = type(state).from_buffer(
        state
    )  # the same memory under another object, so that *state* is not an owner of *slow*
    owner.method = MethodDef(name.encode(), address, _METH_FASTCALL, doc.encode())
    owner.slow_path = slow
    owner.slow = id(slow)
    function: Callable[..., None] = new_function(ctypes.addressof(owner.method), owner, None)
    return function
