"""The two functions that every machine function calls: one for arrays, one for everything that Python must see.

They are made once, when the first launcher is.
"""

from __future__ import annotations

from functools import cache

from driver_ctypes.lifetime import Life
from driver_ctypes.trampoline.engine import compile_functions
from driver_ctypes.trampoline.layout import TYPE_POINTER, Cache, Frame, State, slot_offset
from driver_ctypes.trampoline.writer import DECLARATIONS, INT, SYMBOLS, Writer, constant

# DLTensor (dlpack.h): data, device, ndim, dtype, shape, strides, byte_offset
_DL_BYTES, _DL_DEVICE, _DL_DTYPE, _DL_OFFSET = 48, 8, 20, 40

_LIFE_CONTEXT = slot_offset(Life(None), "context")


@cache
def shared_functions() -> tuple[int, int]:
    """Addresses of (``array``, ``slow``)."""
    ir = "\n".join([*_Array().text(), _SLOW_PATH.format(**SYMBOLS, slow_offset=State.slow.offset), DECLARATIONS])
    found = compile_functions(ir, "array", "slow")
    return found["array"], found["slow"]


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
        self.need_same("ptr", self.load("ptr", life, TYPE_POINTER), constant(id(Life)))
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
