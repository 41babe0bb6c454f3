"""What the threads of a launch print: calls of vprintf, whose texts go to Python's sys.stdout."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from ptxgen.cpu import record_layout
from ptxgen.cpu.printf import ArgumentReader, format_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.arena import Arena

__all__ = ["BAD_ADDRESS", "Printer"]

BAD_ADDRESS = -2
"""What the function behind vprintf answers where the thread may not read its format, an argument or a text."""

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64)
_SECONDS, _CHARACTERS = 0.1, 1 << 16
"""Texts are kept so long, and so many, before they are written."""
_CHUNK = 256


class _Unreadable(Exception):
    """Memory that the thread may not read."""

    def __init__(self, address: int) -> None:
        super().__init__()
        self.address = address


class _ThreadMemory:
    """What one thread reads through generic addresses (manual 6.4.1.1)."""

    def __init__(self, arena: Arena, launch: record_layout.LaunchRecord, warp: int, lane: int) -> None:
        record = record_layout.Warp.from_address(warp)
        cta = record_layout.Cta.from_address(record.cta)
        self._arena = arena
        self._windows = (
            (record.local + lane * launch.local_stride, launch.local_bytes),
            (cta.shared, launch.shared_bytes),
            (launch.param, launch.param_bytes),
        )

    def read(self, address: int, nbytes: int) -> bytes:
        if self._room(address) < nbytes:
            raise _Unreadable(address)
        return ctypes.string_at(address, nbytes)

    def string(self, address: int) -> str:
        """A text that ends with a NUL."""
        found, room, at = b"", self._room(address), address
        while room > 0:
            chunk = ctypes.string_at(at, min(room, _CHUNK))
            found += chunk
            if b"\0" in chunk:
                return found.partition(b"\0")[0].decode(errors="replace")
            room, at = room - len(chunk), at + len(chunk)
        raise _Unreadable(at)

    def _room(self, address: int) -> int:
        """Bytes that can be read from there on."""
        for base, nbytes in self._windows:
            if base <= address < base + nbytes:
                return int(base + nbytes - address)
        block = self._arena.block_of(address)
        return block[0] + block[1] - address if block is not None else 0


class Printer:
    """Collects the texts of a launch, and writes them to the sys.stdout of that moment: soon after they came, at the latest
    when the launch ends. The text of one call stays in one piece."""

    def __init__(self, arena: Arena, launch: record_layout.LaunchRecord) -> None:
        self._arena = arena
        self._launch = launch
        self._texts: list[str] = []
        self._count = self._told = 0
        self._length = 0
        self._written = 0.0
        self._interrupt: BaseException | None = None
        self._function: Callable[..., int] | None = _FUNCTION(self._print)
        launch.printer = ctypes.cast(self._function, ctypes.c_void_p).value

    def _print(self, warp: int, lane: int, form: int, arguments: int) -> int:
        """`int printer(warp, lane, format, arguments)`: what generated code calls for each thread."""
        try:
            memory = _ThreadMemory(self._arena, self._launch, warp, lane)
            reader = ArgumentReader(lambda offset, nbytes: memory.read(arguments + offset, nbytes))
            text = format_text(memory.string(form), reader, memory.string)
            self._count += 1
            if self._count > self._told:
                self._told = self._count
                self._texts.append(text)
                self._length += len(text)
            if self._length > _CHARACTERS or monotonic() - self._written > _SECONDS:
                self._write()
            return reader.count
        except _Unreadable as refused:
            self._launch.printer_address = refused.address
            return BAD_ADDRESS
        except BaseException as interrupt:  # generated code does not pass on exceptions, such as KeyboardInterrupt
            self._interrupt = interrupt
            self._launch.tick_at = 0  # it stops at the next occasion
            return -1

    def _write(self) -> None:
        texts, self._texts, self._length = self._texts, [], 0
        self._written = monotonic()
        if texts and sys.stdout is not None:
            with suppress(OSError, ValueError):  # a closed file, a broken pipe: C's printf says nothing either
                _write_to(sys.stdout, "".join(texts))

    def begin_again(self) -> None:
        """The launch runs again from its beginning: what it has printed it does not print once more."""
        self._count = 0

    def diverge(self) -> None:
        """From here on the launch does other things than it did before."""
        self._told = self._count

    def flush(self) -> None:
        """Writes what is there. Raises what was raised while a thread printed."""
        interrupt, self._interrupt = self._interrupt, None
        self._write()
        if interrupt is not None:
            raise interrupt

    def close(self) -> None:
        """Writes what is there; no thread prints any more."""
        self._launch.printer = 0
        self._function = None
        self._write()


def _write_to(file: TextIO, text: str) -> None:
    try:
        file.write(text)
    except UnicodeEncodeError:
        file.write(text.encode("ascii", "backslashreplace").decode())
