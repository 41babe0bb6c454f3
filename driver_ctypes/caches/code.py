"""A cache of compiled code on disk: machine code, and what the compiler said of it, under a key made of all that it depends on.

An entry is one file, written beside its place and renamed into it, so that no reader in any process sees half of one.
Everything in it is checksummed together with its key; what does not match is dropped and compiled again, with a warning.
The folder is private (0700, files 0600), because whoever can write there decides what runs. Entries that were
not used for the longest time go when the limit is passed.

A cache never makes a load fail. Where the disk is full or the folder cannot be written, what is there is read and nothing
is added; where it cannot be read or trusted either, the cache is off. Both are said once, in a warning.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
import warnings
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

from driver_ctypes.caches.entries import Entry, pack, remove, unpack, write
from driver_ctypes.caches.folder import FOLDER_VARIABLE
from driver_ctypes.errors import (
    CacheCorruptError,
    CacheError,
    CacheFullError,
    CacheUnsafeError,
    CacheUnwritableError,
    CacheWarning,
)
from driver_ctypes.lifetime import in_child

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["CacheStatistics", "CodeStore"]

LIMIT_VARIABLE = "PTXGEN_CACHE_BYTES"

DEFAULT_LIMIT = 1 << 30
"""Bytes: as much as the driver's own cache holds by default."""

_ABANDONED = 3600.0  # seconds after which a file that nobody renamed is nobody's
_KEEP = 0.75  # of the limit, after entries had to go
_COUNT_AGAIN = 64  # own writes after which other processes' are looked at
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_caches: WeakSet[CodeStore] = WeakSet()


def _after_fork_in_child() -> None:
    """Threads that are gone may have held the locks."""
    for cache in list(_caches):
        cache._lock = threading.Lock()


in_child(_after_fork_in_child)


class CacheStatistics(NamedTuple):
    """What one cache object did in this process. Bytes are those of the files."""

    hits: int
    misses: int
    stored: int
    evicted: int
    repaired: int
    """Entries that were damaged, dropped, and compiled again."""
    failures: int
    """Reads and writes that the system refused."""
    bytes_read: int
    bytes_written: int


class CodeStore:
    """Compiled code in a folder, for any number of threads and processes."""

    suffix = ".code"
    """How the names of entries end."""
    variable = FOLDER_VARIABLE
    """What chooses another folder."""

    def __init__(self, folder: Path | str, *, limit: int | None = None, strict: bool = False) -> None:
        """*folder*: where the files lie; *limit*: bytes of all files together (default: ``PTXGEN_CACHE_BYTES``, else 1 GiB).

        With *strict*, what would be a warning is raised: CacheUnwritableError, CacheFullError, CacheUnsafeError,
        CacheCorruptError.
        """
        self.folder = Path(folder)
        self.limit = limit if limit is not None else _limit()
        self.strict = strict
        self.problem: CacheError | None = None
        """Why it is off, or is only read, once it is."""
        self._lock = threading.Lock()
        self._counts = dict.fromkeys(CacheStatistics._fields, 0)
        self._bytes: int | None = None  # of all files, when it was last looked; plus what was written since
        self._writes = 0
        self._numbers = count()
        self._ready = False
        self._off = False
        self._full = False  # nothing is written any more
        _caches.add(self)

    def __repr__(self) -> str:
        state = f", {'off' if self._off else 'only read'}: {self.problem.args[0]}" if self.problem else ""
        return f"<{type(self).__name__} {str(self.folder)!r}{state}>"

    @property
    def statistics(self) -> CacheStatistics:
        """Hits, misses and bytes of this object, since it was made."""
        with self._lock:
            return CacheStatistics(**self._counts)

    def size(self) -> tuple[int, int]:
        """(entries, bytes) in the folder now, whoever wrote them."""
        files = [size for _path, size, _used in self._entries()]
        return len(files), sum(files)

    def get(self, key: str) -> Entry | None:
        """The entry of *key*, or None. A damaged one is dropped and reported."""
        if not self._usable():
            return None
        path = self._path(key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            self._count(misses=1)
            return None
        except OSError as error:
            self._refused(error, reading=True)
            return None
        found = unpack(key, data)
        if found is None:
            self._drop_damaged(path)
            return None
        self._count(hits=1, bytes_read=len(data))
        try:
            os.utime(path)  # last use, for eviction
        except OSError:
            pass  # another process evicted it just now, or the folder is read-only: it was read, which is all that counts
        return found

    def put(self, key: str, image: bytes, log: str = "") -> None:
        """Keep *image* under *key*. What cannot be kept is not kept; see `problem`."""
        data = pack(key, image, log)
        if self._full or len(data) > self.limit or not self._usable():
            return
        path = self._path(key)
        temporary = path.with_name(f".{os.getpid()}.{threading.get_ident()}.{next(self._numbers)}.tmp")
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write(temporary, data)
            os.replace(temporary, path)
        except OSError as error:
            remove(temporary)
            self._refused(error, reading=False)
            return
        self._count(stored=1, bytes_written=len(data))
        self._make_room(len(data))

    def reject(self, key: str) -> None:
        """Drop the entry of *key*, which is whole and yet not what the driver takes."""
        if self._usable():
            self._drop_damaged(self._path(key), "is refused by the driver")

    def clear(self) -> None:
        """Remove every entry, and what writers that died have left."""
        for path, _size, _used in self._entries(abandoned=0.0):
            remove(path)
        with self._lock:
            self._bytes = None

    # --- the folder ---------------------------------------------------------------------------------------------------

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / (key[2:] + self.suffix)

    def _usable(self) -> bool:
        if self._ready or self._off:
            return self._ready
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.folder.stat()
        except OSError as error:
            self._refused(error, reading=True)
            return False
        foreign = hasattr(os, "getuid") and found.st_uid not in (0, os.getuid())  # root may do everything anyhow
        if hasattr(os, "getuid") and (foreign or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            owner = "belongs to another user" if foreign else "may be written by others"
            problem = CacheUnsafeError(
                f"the cache folder {self.folder} {owner}: code in it could be anybody's",
                hint=f"chmod 700 it, or choose another folder with {self.variable}",
            )
            self._give_up(problem, reading=True)
            return False
        self._ready = True
        return True

    def _entries(self, abandoned: float = _ABANDONED) -> Iterator[tuple[Path, int, float]]:
        """(path, bytes, time of last use) of each entry. Files that a dead writer left are removed on the way."""
        for path in self.folder.glob("??/*"):
            try:
                found = path.stat()
                if path.suffix == self.suffix:
                    yield path, found.st_size, found.st_mtime
                elif path.suffix == ".tmp" and time.time() - found.st_mtime >= abandoned:
                    path.unlink()
            except OSError:
                continue  # another process was quicker, or it is none of ours

    def _make_room(self, written: int) -> None:
        """Remove what was not used for the longest time, if the limit is passed."""
        with self._lock:
            self._writes += 1
            if self._bytes is not None and self._writes % _COUNT_AGAIN:
                self._bytes += written
                if self._bytes <= self.limit:
                    return
            entries = sorted(self._entries(), key=lambda entry: entry[2])
            total = sum(size for _path, size, _used in entries)
            evicted = 0
            if total > self.limit:
                for path, size, _used in entries:
                    if total <= self.limit * _KEEP:
                        break
                    if remove(path):
                        total -= size
                        evicted += 1
            self._bytes = total
            self._counts["evicted"] += evicted

    # --- what goes wrong ----------------------------------------------------------------------------------------------

    def _drop_damaged(self, path: Path, what: str = "was damaged") -> None:
        self._count(misses=1, repaired=1)
        removed = remove(path)
        text = f"the cache entry {path} {what}"
        if self.strict:
            hint = "it was removed: try again" if removed else "remove it; the folder cannot be written"
            raise CacheCorruptError(text, hint=hint)
        warnings.warn(f"{text}; it is compiled again", CacheWarning, stacklevel=2)

    def _refused(self, error: OSError, *, reading: bool) -> None:
        self._count(failures=1)
        kind: type[CacheError]
        if error.errno in _FULL:
            kind, hint = CacheFullError, f"free some space, or choose another folder with {self.variable}"
        else:
            kind, hint = CacheUnwritableError, f"choose a folder that can be written with {self.variable}"
        use = "used" if reading else "written"
        self._give_up(kind(f"the cache folder {self.folder} cannot be {use}: {error}", hint=hint), reading=reading)

    def _give_up(self, problem: CacheError, *, reading: bool) -> None:
        """From now on this cache is only read, or where *reading* is what fails, does nothing; it says so once."""
        with self._lock:
            first, self.problem = self.problem is None, problem if reading else self.problem or problem
            self._full = True
            if reading:
                self._ready, self._off = False, True
        if self.strict:
            raise problem
        if first:
            follows = "Code is compiled at every start" if reading else "What is there is used; new code is not kept"
            warnings.warn(f"{problem}\n  {follows}.", CacheWarning, stacklevel=2)

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, number in more.items():
                self._counts[name] += number


def _limit(environ: Mapping[str, str] = os.environ) -> int:
    text = environ.get(LIMIT_VARIABLE)
    if not text:
        return DEFAULT_LIMIT
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    digits = text[:-1] if unit > 1 else text
    if not digits.isdecimal():
        raise CacheError(f"{LIMIT_VARIABLE} is {text!r}, not a number of bytes", hint="write 512M, or 2G")
    return int(digits) * unit
