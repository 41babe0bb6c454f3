"""A cache of compiled code on disk: machine code and the compiler's log, under a key made of everything that they depend on.

An entry is one file, written under a temporary name and renamed, so that no reader in any process sees half of one.
It has a checksum over its content and its key; an entry that does not match is deleted and compiled again, with a warning.
The folder is private (0700, files 0600), because a user who can write there decides which code runs; `folder` checks every
level of its path at each use. A file with an entry's name that belongs to another user is ignored. Above the limit the least
recently used entries are deleted.

A cache never makes a load fail. If the disk is full or the folder cannot be written, existing entries are read and nothing
is added; if it cannot be read or trusted either, the cache is off. Both are reported once, by a warning.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import time
from itertools import count

from driver_ctypes.caches.folder import FOLDER_VARIABLE, UnsafeFolder, open_file, open_folder, open_subfolder
from driver_ctypes.errors import (
    CacheCorruptError,
    CacheError,
    CacheFullError,
    CacheUnsafeError,
    CacheUnwritableError,
    CacheWarning,
)
from driver_ctypes.hashing import blake2b
from driver_ctypes.lifetime import in_child
from driver_ctypes.primitives import Lock, WeakSet, contextmanager, get_ident
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


_MAGIC = b"ptxgenC1"
_HEAD = struct.Struct("<8s32sQQ")  # magic, checksum, bytes of the log, bytes of the image
_DIGEST_BYTES = 32


class Entry(NamedTuple):
    """Code from the cache, with the compiler's info log of the time it was compiled."""

    image: bytes
    log: str


def key_of(*parts: bytes | str | int) -> str:
    """The key of what the parts describe: each is counted with its length, so that no two lists of parts are one."""
    digest = blake2b(digest_size=_DIGEST_BYTES, person=b"ptxgen cubin")
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def pack(key: str, image: bytes, log: str) -> bytes:
    text = log.encode()
    return _HEAD.pack(_MAGIC, _checksum(key, text, image), len(text), len(image)) + text + image


def read(key: str, file: int, size: int) -> Entry | None:
    """The entry in an open file of *size* bytes, or None if its content, length or name is not what was written.

    Its header is read first: if the file is not an entry, nothing else is read, however large it is.
    """
    head = _read(file, _HEAD.size)
    if len(head) < _HEAD.size:
        return None
    magic, checksum, log_bytes, image_bytes = _HEAD.unpack(head)
    if magic != _MAGIC or _HEAD.size + log_bytes + image_bytes != size:
        return None
    text, image = _read(file, log_bytes), _read(file, image_bytes)
    return Entry(image, text.decode(errors="replace")) if _checksum(key, text, image) == checksum else None


def _read(file: int, count: int) -> bytes:
    """The next bytes of a file; fewer where it ends."""
    parts = []
    while count and (part := os.read(file, count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _checksum(key: str, text: bytes, image: bytes) -> bytes:
    return bytes.fromhex(key_of(key, text, image))


def write(name: str, data: bytes, folder: int) -> None:
    """A new file in an open folder that only this user may read. It is not synced: what a power cut leaves of it fails its
    checksum."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    with open(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(data)


def remove(name: str, folder: int) -> bool:
    """Remove a file of an open folder; whether it is gone."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _warn(text: str) -> None:
    """Of the caller's caller."""
    import warnings

    warnings.warn(text, CacheWarning, stacklevel=3)


LIMIT_VARIABLE = "PTXGEN_CACHE_BYTES"

DEFAULT_LIMIT = 1 << 30
"""Bytes: as much as the driver's own cache holds by default."""

_ABANDONED = 3600.0  # seconds after which a temporary file is abandoned
_KEEP = 0.75  # of the limit, after entries had to go
_COUNT_AGAIN = 64  # own writes after which other processes' are looked at
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_caches: WeakSet[CodeStore] = WeakSet()


def _after_fork_in_child() -> None:
    """Threads that do not exist in the child may have held the locks."""
    for cache in list(_caches):
        cache._lock = Lock()


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


class _Found(NamedTuple):
    """An entry's file, when it was looked at."""

    folder: int
    """The descriptor of its folder."""
    name: str
    size: int
    used: float
    """When it was last used, in seconds of the epoch."""


class CodeStore:
    """Compiled code in a folder, for any number of threads and processes."""

    suffix = ".code"
    """How the names of entries end."""
    variable = FOLDER_VARIABLE
    """The environment variable that chooses another folder."""
    redone = "it is compiled again"
    """What follows where an entry was damaged."""

    def __init__(self, folder: Path | str, *, limit: int | None = None, strict: bool = False) -> None:
        """*folder*: where the files lie; *limit*: bytes of all files together (default: ``PTXGEN_CACHE_BYTES``, else 1 GiB).

        With *strict*, exceptions take the place of warnings: CacheUnwritableError, CacheFullError, CacheUnsafeError,
        CacheCorruptError.
        """
        self._root = os.fspath(folder)
        self.limit: int = limit if limit is not None else _limit()
        self.strict = strict
        self.problem: CacheError | None = None
        """Why it is off, or is only read, once it is."""
        self._lock = Lock()
        self._counts = dict.fromkeys(CacheStatistics._fields, 0)
        self._bytes: int | None = None  # of all files, when it was last looked; plus what was written since
        self._writes = 0
        self._numbers = count()
        self._off = False
        self._full = False  # nothing more is written
        _caches.add(self)

    def __repr__(self) -> str:
        state = f", {'off' if self._off else 'only read'}: {self.problem.args[0]}" if self.problem else ""
        return f"<{type(self).__name__} {self._root!r}{state}>"

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        from pathlib import Path  # takes longer to import than a start can spare

        return Path(self._root)

    @property
    def statistics(self) -> CacheStatistics:
        """Hits, misses and bytes of this object, since it was made."""
        with self._lock:
            return CacheStatistics(**self._counts)

    def size(self) -> tuple[int, int]:
        """(entries, bytes) in the folder now, of every process."""
        with self._entries() as entries:
            return len(entries), sum(entry.size for entry in entries)

    def get(self, key: str) -> Entry | None:
        """The entry of *key*, or None. A damaged one is dropped and reported."""
        if self._off:
            return None
        try:
            with self._place(key) as (folder, name), open_file(folder, name) as opened:
                if opened is None or opened[1] > self.limit:
                    self._count(misses=1)
                    return None
                file, size = opened
                found = read(key, file, size)
                if found is None:
                    self._drop_damaged(folder, key)
                    return None
                self._count(hits=1, bytes_read=size)
                try:
                    os.utime(file)  # last use, for eviction
                except OSError:
                    pass  # another process evicted it just now, or the folder is read-only: it was read, which counts
                return found
        except UnsafeFolder as unsafe:
            self._distrust(unsafe)
        except FileNotFoundError:
            self._count(misses=1)
        except OSError as error:
            self._refused(error, reading=True)
        return None

    def put(self, key: str, image: bytes, log: str = "") -> None:
        """Keep *image* under *key*. If it cannot be written, it is not kept; see `problem`."""
        data = pack(key, image, log)
        if self._full or self._off or len(data) > self.limit:
            return
        temporary = f".{os.getpid()}.{get_ident()}.{next(self._numbers)}.tmp"
        try:
            with self._place(key, create=True) as (folder, name):
                try:
                    write(temporary, data, folder)
                    os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                except OSError as error:
                    remove(temporary, folder)
                    if isinstance(error, IsADirectoryError):
                        return  # somebody's folder has the entry's name
                    raise
        except UnsafeFolder as unsafe:
            self._distrust(unsafe)
            return
        except OSError as error:
            self._refused(error, reading=False)
            return
        self._count(stored=1, bytes_written=len(data))
        self._make_room(len(data))

    def reject(self, key: str) -> None:
        """Delete the entry of *key*, which is intact but refused by the driver."""
        if self._off:
            return
        try:
            with self._place(key) as (folder, _name):
                self._drop_damaged(folder, key, "is refused by the driver")
        except UnsafeFolder as unsafe:
            self._distrust(unsafe)
        except OSError:
            pass  # it is gone

    def clear(self) -> None:
        """Remove every entry, and temporary files of writers that died."""
        with self._entries(abandoned=0.0) as entries:
            for entry in entries:
                remove(entry.name, entry.folder)
        with self._lock:
            self._bytes = None

    # --- the folder ---------------------------------------------------------------------------------------------------

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / (key[2:] + self.suffix)

    @contextmanager
    def _place(self, key: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
        """(descriptor of an entry's folder, its name there)."""
        with open_folder(self._root, create=create) as folder:
            with open_subfolder(folder, key[:2], create=create) as below:
                yield below, key[2:] + self.suffix

    @contextmanager
    def _entries(self, abandoned: float = _ABANDONED) -> Iterator[list[_Found]]:
        """The entries, as long as the block lasts. Files that a dead writer left are removed on the way."""
        from contextlib import ExitStack

        with ExitStack() as opened:
            found: list[_Found] = []
            try:
                folder = opened.enter_context(open_folder(self._root))
                names = sorted(name for name in os.listdir(folder) if len(name) == 2)
            except (UnsafeFolder, OSError):
                names = []
            for name in names:
                try:
                    below = opened.enter_context(open_subfolder(folder, name))
                    found += self._files(below, abandoned)
                except (UnsafeFolder, OSError):
                    continue  # it is not this cache's
            yield found

    def _files(self, folder: int, abandoned: float) -> Iterator[_Found]:
        for name in os.listdir(folder):
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if not stat.S_ISREG(found.st_mode):
                    continue
                if name.endswith(self.suffix):
                    yield _Found(folder, name, found.st_size, found.st_mtime)
                elif name.endswith(".tmp") and time.time() - found.st_mtime >= abandoned:
                    os.unlink(name, dir_fd=folder)
            except OSError:
                continue  # another process was quicker

    def _make_room(self, written: int) -> None:
        """Remove the least recently used entries, if the limit is exceeded."""
        with self._lock:
            self._writes += 1
            if self._bytes is not None and self._writes % _COUNT_AGAIN:
                self._bytes += written
                if self._bytes <= self.limit:
                    return
            with self._entries() as entries:
                total = sum(entry.size for entry in entries)
                evicted = 0
                if total > self.limit:
                    for entry in sorted(entries, key=lambda entry: entry.used):
                        if total <= self.limit * _KEEP:
                            break
                        if remove(entry.name, entry.folder):
                            total -= entry.size
                            evicted += 1
            self._bytes = total
            self._counts["evicted"] += evicted

    # --- what goes wrong ----------------------------------------------------------------------------------------------

    def _distrust(self, unsafe: UnsafeFolder) -> None:
        """Code in the folder cannot be trusted: it is neither read nor kept."""
        problem = CacheUnsafeError(
            f"the cache folder {self._root} is not safe: {unsafe}, so code in it could be anybody's",
            hint=f"remove it and take the right to write from others, or choose another folder with {self.variable}",
        )
        self._give_up(problem, reading=True)

    def _drop_damaged(self, folder: int, key: str, what: str = "was damaged") -> None:
        path = self._path(key)
        self._count(misses=1, repaired=1)
        removed = remove(path.name, folder)
        text = f"the cache entry {path} {what}"
        if self.strict:
            hint = "it was removed: try again" if removed else "remove it; the folder cannot be written"
            raise CacheCorruptError(text, hint=hint)
        _warn(f"{text}; {self.redone}")

    def _refused(self, error: OSError, *, reading: bool) -> None:
        self._count(failures=1)
        kind: type[CacheError]
        if error.errno in _FULL:
            kind, hint = CacheFullError, f"free some space, or choose another folder with {self.variable}"
        else:
            kind, hint = CacheUnwritableError, f"choose a folder that can be written with {self.variable}"
        use = "used" if reading else "written"
        self._give_up(kind(f"the cache folder {self._root} cannot be {use}: {error}", hint=hint), reading=reading)

    def _give_up(self, problem: CacheError, *, reading: bool) -> None:
        """From now on this cache is only read or, if *reading* fails, off; it warns once."""
        with self._lock:
            first, self.problem = self.problem is None, problem if reading else self.problem or problem
            self._full = True
            if reading:
                self._off = True
        if self.strict:
            raise problem
        if first:
            follows = "Code is compiled at every start" if reading else "What is there is used; new code is not kept"
            _warn(f"{problem}\n  {follows}.")

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
