"""Single numbers of device memory, read soon: how many elements a kernel has found. A copy into page-locked memory of the
context's own, and one wait.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.lifetime import ACCOUNTS
from driver_ctypes.primitives import partial
from driver_ctypes.streams.stream import running_captures
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

_COPY = "cuMemcpyDtoHAsync_v2"
_PAGE, _WORD = 4096, 8
"""Bytes of the page-locked memory, and of a number."""


class Words:
    """The page-locked memory of a context: `free` has the addresses of words that no thread reads into."""

    __slots__ = ("context", "free")

    def __init__(self, context: Session) -> None:
        page = ctypes.c_void_p()
        context.call("cuMemHostAlloc", ctypes.byref(page), _PAGE, 0)
        begin = page.value or 0
        context.own.append(("cuMemFreeHost", begin))
        self.context = context
        self.free = list(range(begin, begin + _PAGE, _WORD))

    def read(self, pointer: int, nbytes: int, stream: Any) -> int:
        """See `MemoryCalls.read_number`."""
        context = self.context
        if running_captures or not self.free:  # the driver says what is wrong; or hundreds of threads read at once
            whole = bytearray(nbytes)
            context.copy_to_host(whole, pointer, nbytes, stream=stream)  # type: ignore[attr-defined]
            stream.synchronize()
            return int.from_bytes(whole, "little")
        word = self.free.pop()
        try:
            number = ctypes.c_uint64.from_address(word)
            number.value = 0
            to, size, queue = ctypes.c_void_p(word), ctypes.c_size_t(nbytes), ctypes.c_void_p(stream.handle)
            code = context.run(partial(context.driver.untyped(_COPY), to, ctypes.c_uint64(pointer), size, queue))
            if code:
                raise context.error(_COPY, code, (word, pointer, nbytes, stream.handle))
            for account in tuple(ACCOUNTS) if ACCOUNTS else ():
                account.note_copy(context, "DtoH", nbytes)
            stream.synchronize()
            return number.value
        except BaseException:
            word = 0  # a copy may be on its way to it still
            raise
        finally:
            if word:
                self.free.append(word)
