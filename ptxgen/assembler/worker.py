"""The process that holds nvJitLink: it reads programs from its standard input and answers with cubins or logs.

It runs as a plain script (`python -I -S worker.py LIBRARY`), so that it starts in a few milliseconds and a crash of the
assembler takes nothing else with it. About one broken program in 700 crashes or hangs nvJitLink itself. The frames
spoken here are the whole protocol; `pool.py` has the other end.
"""

from __future__ import annotations

import _thread
import ctypes
import os
import select
import signal
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Answer = Callable[[list[bytes]], Sequence[bytes]]

NVJITLINK_INPUT_PTX = 2  # nvJitLink.h, nvJitLinkInputType
SUCCESS = 0


# ---- frames: <u32 length of the rest> <u32 count> <u32 size of each part>... <parts> ---------------------------------


def encode(parts: Sequence[bytes]) -> bytes:
    """One message as a frame."""
    count = len(parts)
    body = struct.pack(f"<I{count}I", count, *map(len, parts)) + b"".join(parts)
    return struct.pack("<I", len(body)) + body


def decode(body: bytes) -> list[bytes]:
    """A frame's body (all but its first length) as the message's parts."""
    (count,) = struct.unpack_from("<I", body)
    at = 4 + 4 * count
    parts = []
    for size in struct.unpack_from(f"<{count}I", body, 4):
        parts.append(body[at : at + size])
        at += size
    return parts


def read_exactly(source: int, size: int) -> bytes:
    """`size` bytes from a file descriptor; EOFError when the other side is gone."""
    pieces = []
    while size:
        piece = os.read(source, min(size, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def write_all(sink: int, data: bytes) -> None:
    """All of `data` to a blocking file descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


# ---- nvJitLink -------------------------------------------------------------------------------------------------------


class NvJitLink:
    """One loaded libnvJitLink. Messages: `about` -> version and targets; `assemble` -> verdict, cubin, both logs."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)

    def __call__(self, request: list[bytes]) -> Sequence[bytes]:
        if request[0] == b"about":
            return [b"ok", self.version(), b" ".join(self.targets())]
        _, name, ptx, *options = request
        return self.assemble(ptx, name, options)

    def version(self) -> bytes:
        """b"13.5"; nvJitLinkVersion came with 12.3."""
        if not hasattr(self.library, "nvJitLinkVersion"):
            return b"12"
        major, minor = ctypes.c_uint(), ctypes.c_uint()
        self.library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor))
        return b"%d.%d" % (major.value, minor.value)

    def targets(self) -> list[bytes]:
        """The targets for which a link can be opened, in order: nvJitLink has no list to ask for, and trying costs
        20 us each. It takes sm_75a as well, which no PTX may name: the suffix a began with sm_90, f with sm_100.
        """
        found = []
        for number in range(30, 200):
            for suffix, first in ((b"", 0), (b"a", 90), (b"f", 100)):
                target = b"sm_%d%s" % (number, suffix)
                if number >= first and self.opens(b"-arch=" + target):
                    found.append(target)
        return found

    def opens(self, option: bytes) -> bool:
        """Whether a link with this one option can be opened."""
        handle, status = self.create([option])
        self.destroy(handle)
        return status == SUCCESS

    def create(self, options: list[bytes]) -> tuple[ctypes.c_void_p, int]:
        """An open link, and nvJitLink's status; a refused option still gives a handle, which has the log."""
        handle = ctypes.c_void_p()
        array = (ctypes.c_char_p * len(options))(*options)
        return handle, self.library.nvJitLinkCreate(ctypes.byref(handle), ctypes.c_uint32(len(options)), array)

    def destroy(self, handle: ctypes.c_void_p) -> None:
        """Close a link, if there is one."""
        if handle.value is not None:
            self.library.nvJitLinkDestroy(ctypes.byref(handle))

    def assemble(self, ptx: bytes, name: bytes, options: list[bytes]) -> Sequence[bytes]:
        """b"ok" or b"refused", the cubin, the error log, the information log."""
        handle, status = self.create(options)
        if handle.value is None:
            return [b"refused", b"", b"error   : nvJitLinkCreate failed with status %d" % status, b""]
        try:
            if status == SUCCESS:
                data = ptx + b"\0"  # the size counts the terminator
                status = self.library.nvJitLinkAddData(
                    handle, ctypes.c_int(NVJITLINK_INPUT_PTX), data, ctypes.c_size_t(len(data)), name
                )
            if status == SUCCESS:
                status = self.library.nvJitLinkComplete(handle)
            cubin = self.text(handle, "LinkedCubin") if status == SUCCESS else b""
            errors = self.text(handle, "ErrorLog").rstrip(b"\0")
            if status != SUCCESS and not errors:
                errors = b"error   : nvJitLink failed with status %d and wrote no log" % status
            verdict = b"ok" if status == SUCCESS else b"refused"
            return [verdict, cubin, errors, self.text(handle, "InfoLog").rstrip(b"\0")]
        finally:
            self.destroy(handle)

    def text(self, handle: ctypes.c_void_p, what: str) -> bytes:
        """The bytes behind a pair of nvJitLinkGet...Size and nvJitLinkGet... functions."""
        size = ctypes.c_size_t()
        if getattr(self.library, f"nvJitLinkGet{what}Size")(handle, ctypes.byref(size)) != SUCCESS or not size.value:
            return b""
        buffer = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvJitLinkGet{what}")(handle, buffer)
        return buffer.raw


# ---- the loop --------------------------------------------------------------------------------------------------------


def end_with(parent: int, lifeline: int) -> None:
    """Leave as soon as the other end of `lifeline` is closed or `parent` is gone, even in the middle of a hang.

    A child that the parent forked may hold the pipe open, hence the look at the parent. PR_SET_PDEATHSIG would not do:
    it fires when the *thread* that started this process ends.
    """
    watch = select.poll()
    watch.register(lifeline, 0)  # POLLHUP is told without being asked for
    while os.getppid() == parent and not watch.poll(1000):
        pass
    os._exit(0)


def serve(answer: Answer) -> None:
    """Say that all is loaded, then answer requests until the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    source, sink = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(quiet, 1)  # nothing that a library prints gets between the frames
    _thread.start_new_thread(end_with, (os.getppid(), source))
    write_all(sink, encode([b"ready"]))
    while True:
        try:
            (size,) = struct.unpack("<I", read_exactly(source, 4))
            request = decode(read_exactly(source, size))
        except EOFError:
            return
        write_all(sink, encode(answer(request)))


def main() -> None:
    """Serve with the library that the command line names; what prevents it goes to standard error."""
    try:
        link = NvJitLink(sys.argv[1])
    except OSError as error:
        sys.exit(str(error))
    serve(link)


if __name__ == "__main__":
    main()
