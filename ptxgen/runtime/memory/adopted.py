"""Memory of arrays that resident buffers use: it is the array's, and held as long as the buffer is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.session.handle import Handle
from ptxgen.runtime.errors import InvalidProgramError

if TYPE_CHECKING:
    from driver_ctypes.lifetime import Life
    from ptxgen.host import Array

__all__ = ["Adopted"]


class Adopted:
    """Takes the place of a buffer. `close` releases the array; where the array was closed meanwhile, its memory is freed
    then and not before, so that nothing queued loses it."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.nbytes = array.nbytes
        self._pinned = array.buffer if isinstance(array.buffer, Handle) else None
        if self._pinned is not None:
            self._pinned.graph_retain()

    @property
    def pointer(self) -> int:
        """The array's address. InvalidProgramError once the array was closed."""
        if self.array._life.context is None:
            raise InvalidProgramError(
                f"the array of a resident buffer is closed: {self.array!r}",
                fix="keep it open until the buffer is freed",
            )
        return self.array.pointer

    @property
    def _life(self) -> Life:
        return self.array._life

    def close(self) -> None:
        """Let the array go."""
        pinned, self._pinned = self._pinned, None
        if pinned is not None:
            pinned.graph_release()

    def __del__(self) -> None:
        if self._pinned is not None:  # any thread, any moment: only noted, and done by the next call
            self._pinned.context.defer_call(self._pinned.graph_release)
