"""The cache of what the CPU device compiled: programs, machine code of their kernels and of the
run-time library, and what the verifier had nothing to say of.

It lies beside the cache of cubins, in the same kind of store. A key depends on the PTX text, the tier, and on all that
`ptxgen.cpu.code.identity` tells: the contents of this package's sources, llvmlite, the processor, Python. Nothing that is
kept depends on the process that made it: addresses come in when code is loaded.
"""

from __future__ import annotations

import sys

from driver_ctypes.caches.code import key_of
from driver_ctypes.caches.process import code_store
from driver_ctypes.errors import CacheError
from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.primitives import Lock
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.cpu.code.identity import (
    RUNNING,
    WITHOUT,
    compiler_identity,
    processor_identity,
    python_identity,
    sources,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.caches.code import CodeStore
    from ptxgen.cpu.code.identity import Sources

__all__ = [
    "FOLDER",
    "CacheStatus",
    "Disk",
    "disk",
    "open_disk",
    "open_verdicts",
    "set_disk",
    "status",
]

FOLDER = "cpu"
"""Its folder in `driver_ctypes.cache_folder()`."""


class Disk:
    """A store of compiled code that counts on everything which `identity` tells. Made by `open_disk`."""

    def __init__(self, kept: CodeStore, identity: str, marks: str, *, without: Mapping[str, str] = WITHOUT) -> None:
        self.kept = kept
        self._identity = identity
        self._marks = marks
        self._without = without  # the sources that it does not count on
        self._imported = 0  # modules, when the sources were last found unchanged

    @staticmethod
    def key_of(text: str) -> str:
        """What all that belongs to a PTX text is kept under."""
        return key_of("ptx", text)

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
            now = sources(without=self._without)
            if now is None or now.marks != self._marks:
                return False
            self._imported = imported
        return True


def open_disk(kept: CodeStore) -> Disk:
    """The cache in a folder. CacheError where it cannot be told what code depends on: without llvmlite, where sources are no
    files or are just being changed, and where the system lets no code be made."""
    import ptxgen.cpu.program  # noqa: F401  (what runs kept code is here before the sources are looked at)

    machine = _machine()
    digest, marks = _sources(kept)
    return Disk(kept, key_of(digest, *machine), marks)


def open_verdicts(kept: CodeStore) -> Disk:
    """The cache in a folder for what depends on the sources alone: what the verifier had nothing to say of. CacheError where
    these are no files or are just being changed. Its key has the files' marks: to read them would take longer than most
    verdicts save."""
    marks = _settled(RUNNING).marks
    return Disk(kept, key_of("verdicts", marks), marks, without=RUNNING)


def _machine() -> tuple[str, str, str]:
    """What compiled code depends on beside what it was made of: the compiler, the processor, Python."""
    compiler = compiler_identity()
    if compiler is None:
        raise CacheError("llvmlite's version cannot be told", hint="pip install llvmlite")
    try:
        processor = processor_identity()
    except OSError as error:
        raise CacheError(str(error), hint="let the process make executable memory") from None
    return compiler, processor, python_identity()


def _settled(without: Mapping[str, str]) -> Sources:
    found = sources(without=without)
    if found is None:
        raise CacheError("the sources of ptxgen are not files in a folder", hint="install it as files")
    if not found.settled:
        raise CacheError("sources of ptxgen were changed after this process began", hint="start another process")
    return found


def _sources(kept: CodeStore) -> tuple[str, str]:
    """The digest of the contents of this package's sources, which the store knows of files that have not changed; their marks."""
    found = _settled(WITHOUT)
    key = key_of("sources", found.marks)
    known = kept.get(key)
    if known is not None:
        return known.image.decode(), found.marks
    try:
        digest = found.digest()
    except OSError as error:
        raise CacheError(str(error), hint="let the process read its sources") from None
    kept.put(key, digest.encode())
    return digest, found.marks


_lock = Lock()
renew_in_child(globals(), "_lock")
_chosen: dict[
    Callable[[CodeStore], Disk], Disk | CacheError | None
] = {}  # the process's, by what opens them, once known


def _opened(how: Callable[[CodeStore], Disk]) -> Disk | CacheError | None:
    with _lock:
        if how not in _chosen:
            kept = code_store(FOLDER)
            try:
                _chosen[how] = how(kept) if kept is not None else None
            except CacheError as problem:
                _chosen[how] = problem
        return _chosen[how]


def disk() -> Disk | None:
    """The process's cache; None where caches are off (``PTXGEN_CACHE=0``) or there is none (see `open_disk`)."""
    found = _opened(open_disk)
    return found if isinstance(found, Disk) else None


class CacheStatus(NamedTuple):
    """The cache as it stands. `folder` is None where it is turned off; `problem` says why it is not used, or only read."""

    folder: str | None
    entries: int
    nbytes: int
    limit: int
    """Bytes."""
    problem: str | None


def status() -> CacheStatus:
    """For those who ask what there is."""
    found, kept = _opened(open_disk), code_store(FOLDER)
    if kept is None:
        return CacheStatus(None, 0, 0, 0, None)
    problem = found if isinstance(found, CacheError) else kept.problem
    return CacheStatus(
        str(kept.folder), *kept.size(), kept.limit, str(problem.args[0]) if problem is not None else None
    )


def set_disk(chosen: Disk | None) -> None:
    """Let everything that is loaded from now on use this cache; with None, none."""
    with _lock:
        _chosen[open_disk] = chosen
