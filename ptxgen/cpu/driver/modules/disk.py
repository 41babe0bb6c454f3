"""The cache of what the CPU device compiled: programs, machine code of their kernels and of the
run-time library, and what the verifier had nothing to say of.

It lies beside the cache of cubins, in the same kind of store. A key depends on the PTX text, the tier, and on all that
`ptxgen.cpu.code.identity` tells: the contents of this package's sources, llvmlite, the processor, Python. Nothing that is
kept depends on the process that made it: addresses come in when code is loaded.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from driver_ctypes.caches.entries import key_of
from driver_ctypes.caches.process import code_store
from driver_ctypes.lifetime import renew_in_child
from ptxgen.check.findings.clean import keep_verdicts
from ptxgen.cpu.code.identity import compiler_identity, processor_identity, python_identity, sources
from ptxgen.cpu.code.store import set_store

if TYPE_CHECKING:
    from driver_ctypes.caches.code import CodeStore

__all__ = ["FOLDER", "Disk", "disk", "set_disk"]

FOLDER = "cpu"
"""Its folder in `driver_ctypes.cache_folder()`."""


class Disk:
    """A store of compiled code that counts on everything which `identity` tells. Made by `open_disk`."""

    def __init__(self, kept: CodeStore, identity: str, marks: str) -> None:
        self.kept = kept
        self._identity = identity
        self._marks = marks
        self._imported = 0  # modules, when the sources were last found unchanged

    def get(self, *parts: str | bytes | int) -> bytes | None:
        """The data under a key, or None."""
        found = self.kept.get(key_of(self._identity, *parts))
        return found.image if found is not None else None

    def put(self, data: bytes, *parts: str | bytes | int) -> None:
        """Keeps data. Not where sources have changed since the process began: what it made may come from either version."""
        if self._is_current():
            self.kept.put(key_of(self._identity, *parts), data)

    def _is_current(self) -> bool:
        """Are the modules that this process runs those that the identity was told of? Those imported later were looked for on
        disk later."""
        imported = len(sys.modules)
        if imported != self._imported:
            now = sources()
            if now is None or now.marks != self._marks:
                return False
            self._imported = imported
        return True


def open_disk(kept: CodeStore) -> Disk | None:
    """The cache in a folder; None where it cannot be told what code depends on: sources that are not files or are just being
    changed, no llvmlite, a system without memory for code."""
    found, compiler = sources(), compiler_identity()
    if found is None or not found.settled or compiler is None:
        return None
    try:
        processor = processor_identity()
        key = key_of("sources", found.marks)
        known = kept.get(key)
        if known is None:
            digest = found.digest()
            kept.put(key, digest.encode())
        else:
            digest = known.image.decode()
    except OSError:
        return None
    return Disk(kept, key_of(digest, compiler, processor, python_identity()), found.marks)


_lock = threading.Lock()
renew_in_child(globals(), "_lock")
_chosen: list[Disk | None] = []  # the process's, once it is known


def disk() -> Disk | None:
    """The process's cache; None where caches are off (``PTXGEN_CACHE=0``) or there is none (see `open_disk`)."""
    with _lock:
        if not _chosen:
            kept = code_store(FOLDER)
            _chosen.append(open_disk(kept) if kept is not None else None)
        return _chosen[0]


def _was_clean(digest: str) -> bool:
    found = disk()
    return found is not None and found.get("clean", digest) is not None


def _is_clean(digest: str) -> None:
    found = disk()
    if found is not None:
        found.put(b"", "clean", digest)


set_store(disk)
keep_verdicts(_was_clean, _is_clean)


def set_disk(chosen: Disk | None) -> None:
    """Let everything that is loaded from now on use this cache; with None, none."""
    with _lock:
        _chosen[:] = [chosen]
