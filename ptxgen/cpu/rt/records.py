"""Reading and writing the records of record_layout from generated code."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING, Any

from ptxgen.cpu import record_layout
from ptxgen.cpu.sanitizer.state_layout import SanitizerRecord

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.value import Number

__all__ = ["MemoryRecord", "call_hook", "cta_of", "launch_of", "nth_cta"]


@cache
def _fields(structure: type[ctypes.Structure]) -> dict[str, tuple[str, int]]:
    """Field -> (LLVM type of it, or of its elements; byte offset)."""
    found: dict[str, tuple[str, int]] = {}
    for row in structure._fields_:
        kind: Any = row[1]
        size = ctypes.sizeof(kind._type_ if issubclass(kind, ctypes.Array) else kind)
        found[row[0]] = ("i64" if size == 8 else "i32", int(getattr(structure, row[0]).offset))
    return found


class MemoryRecord:
    """A record in memory: `record.get("alive")`, `record.set("alive", v)`, `record.at("tid_x", lane)`."""

    __slots__ = ("_field", "emitter", "pointer")

    def __init__(self, emitter: Emitter, structure: type[ctypes.Structure], pointer: LlvmValue) -> None:
        self.emitter = emitter
        self.pointer = pointer
        self._field = _fields(structure)

    def address(self) -> LlvmValue:
        return self.emitter.op("i64", f"ptrtoint ptr {self.pointer.text} to i64")

    def pointer_to(self, name: str) -> LlvmValue:
        return self.emitter.offset(self.pointer, self._field[name][1])

    def at(self, name: str, index: Number) -> LlvmValue:
        """The pointer to an element of an array field."""
        kind, offset = self._field[name]
        base = self.emitter.offset(self.pointer, offset)
        index = self.emitter.const("i64", index) if isinstance(index, int) else index.zext("i64")
        return self.emitter.element(kind, base, index)

    def get(self, name: str, index: Number | None = None) -> LlvmValue:
        return self.emitter.load(self._field[name][0], self.pointer_to(name) if index is None else self.at(name, index))

    def set(self, name: str, value: Number, index: Number | None = None) -> None:
        kind = self._field[name][0]
        v = self.emitter.const(kind, value) if isinstance(value, int) else value
        self.emitter.store(v, self.pointer_to(name) if index is None else self.at(name, index))

    def add(self, name: str, value: Number) -> LlvmValue:
        pointer = self.pointer_to(name)
        new = self.emitter.load(self._field[name][0], pointer) + value
        self.emitter.store(new, pointer)
        return new

    def follow(self, name: str, structure: type[ctypes.Structure]) -> MemoryRecord:
        """The record that an address field leads to."""
        return MemoryRecord(self.emitter, structure, self.emitter.ptr(self.get(name)))


def cta_of(warp: MemoryRecord) -> MemoryRecord:
    return warp.follow("cta", record_layout.Cta)


def nth_cta(e: Emitter, first: LlvmValue, number: LlvmValue) -> MemoryRecord:
    """The record of a CTA by its number, an i32, counted from the record that `first` leads to."""
    size = ctypes.sizeof(record_layout.Cta)
    return MemoryRecord(e, record_layout.Cta, e.offset(first, number.zext("i64") * size))


def launch_of(record: MemoryRecord) -> MemoryRecord:
    return record.follow("launch", record_layout.LaunchRecord)


def call_hook(launch: MemoryRecord, name: str, *arguments: LlvmValue) -> None:
    """Calls a function of the sanitizer, by its field of SanitizerRecord, in a launch that has one."""
    e = launch.emitter
    address = launch.get("sanitizer")
    with e.if_(address.ne(0)):
        function = MemoryRecord(e, SanitizerRecord, e.ptr(address)).get(name)
        with e.if_(function.ne(0)):
            given = ", ".join(f"{a.type} {a.text}" for a in arguments)
            e.line(f"call void {e.ptr(function).text}({given})")
