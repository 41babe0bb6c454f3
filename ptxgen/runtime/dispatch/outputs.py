"""Cached outputs, for callers who ask for them: a dispatch of inputs that were dispatched before needs no launch."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ptxgen.runtime.memory.buffers import as_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["OutputCache"]


class OutputCache:
    """At most 32 entries and 8 MiB, the oldest goes first. An entry is found by a digest and compared byte by byte."""

    MOST, MOST_BYTES = 32, 8 << 20

    def __init__(self) -> None:
        self._entries: OrderedDict[bytes, tuple[list[bytes], list[bytes]]] = OrderedDict()
        self._bytes = 0

    def key(self, inputs: Sequence[Any]) -> tuple[bytes, list[bytes]]:
        """(digest, copies) of the inputs."""
        copies = [bytes(as_bytes(data)) for data in inputs]
        state = blake2b(digest_size=32)
        for data in copies:
            state.update(len(data).to_bytes(8, "little"))
            state.update(data)
        return state.digest(), copies

    def get(self, key: tuple[bytes, list[bytes]]) -> list[bytes] | None:
        """What came of equal inputs, or None."""
        found = self._entries.get(key[0])
        return list(found[1]) if found is not None and found[0] == key[1] else None

    def put(self, key: tuple[bytes, list[bytes]], outputs: list[bytes]) -> None:
        """Keep it, if it is not too large."""
        size = _size(key[1]) + _size(outputs)
        if size > self.MOST_BYTES or key[0] in self._entries:
            return
        self._entries[key[0]] = key[1], list(outputs)
        self._bytes += size
        while len(self._entries) > self.MOST or self._bytes > self.MOST_BYTES:
            _, (inputs, old) = self._entries.popitem(last=False)
            self._bytes -= _size(inputs) + _size(old)

    def __len__(self) -> int:
        return len(self._entries)


def _size(parts: Iterable[bytes]) -> int:
    return sum(map(len, parts))
