"""The folders of caches: the environment variables that choose them, and how they are opened, level by level, so that no
other user can have written to them.

A user who can write to a cache of machine code decides which code runs. So every folder on the path must belong to this user or
to root and be writable by nobody else, as ssh requires for its keys. A sticky folder such as ``/tmp`` may be on the path, because
others cannot replace this user's files there. Everything is opened by descriptor without following links. A link on the path is
resolved here, and must belong to this user or to root too. Access control lists are not checked.

Imports only `errors`.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from driver_ctypes.errors import CacheUnwritableError
from driver_ctypes.primitives import contextmanager
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


_CLOSE = getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | _CLOSE
_FOLDER = getattr(os, "O_DIRECTORY", 0) | os.O_RDONLY | _NO_LINK
_LEVEL = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY) | _NO_LINK
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_LINK  # a pipe without a writer is opened at once, and refused
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40  # as Linux


class UnsafeFolder(Exception):
    """A level of the path that others own or may write to; the text names it."""


@contextmanager
def open_folder(path: str, *, create: bool = False) -> Iterator[int]:
    """The descriptor of a private folder, for as long as the block lasts; with *create*, missing levels are created (0700).

    Raises UnsafeFolder, and OSError as the system does.
    """
    whole = os.path.join(os.getcwd(), path)  # its links are followed here, so that ".." is nobody else's to interpret
    names = [part for part in whole.split("/") if part not in ("", ".")]
    at, way, links = os.open("/", _LEVEL if names else _FOLDER), "/", 0
    try:
        _check(os.fstat(at), way, last=not names)
        while names:
            name = names.pop(0)
            flags = _LEVEL if names else _FOLDER
            try:
                below = _open_level(at, name, flags, create=create)
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                    raise
                target, links = _link(at, name, os.path.join(way, name), error), links + 1
                if links > _MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.path.join(way, name)) from None
                names[:0] = [part for part in target.split("/") if part]
                if target.startswith("/"):
                    at, above = os.open("/", _LEVEL if names else _FOLDER), at
                    way = "/"
                    os.close(above)
                continue
            at, above = below, at  # first: a signal's handler may raise as soon as the level above is closed
            way = os.path.normpath(os.path.join(way, name))
            os.close(above)
            _check(os.fstat(at), way, last=not names)
        yield at
    finally:
        os.close(at)


@contextmanager
def open_subfolder(folder: int, name: str, *, create: bool = False) -> Iterator[int]:
    """The same for a folder in an open one; FileNotFoundError where the name is something else's that need not be a folder."""
    try:
        at = _open_level(folder, name, _FOLDER, create=create)
    except OSError as error:
        if create or error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise
        raise FileNotFoundError(errno.ENOENT, "no folder", name) from None
    try:
        _check(os.fstat(at), name, last=True)
        yield at
    finally:
        os.close(at)


@contextmanager
def open_file(folder: int, name: str) -> Iterator[tuple[int, int] | None]:
    """(descriptor, bytes) of a regular file in an open folder that only this user, or root, may have written; None for anything
    else that has the name: a link, a pipe, a folder, a file of somebody else's. Raises FileNotFoundError and other OSErrors."""
    try:
        at = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR):
            raise
        yield None
        return
    try:
        found = os.fstat(at)
        mine = found.st_uid in (0, os.getuid()) and not found.st_mode & _OTHERS_WRITE
        yield (at, found.st_size) if stat.S_ISREG(found.st_mode) and mine else None
    finally:
        os.close(at)


def _open_level(at: int, name: str, flags: int, *, create: bool) -> int:
    try:
        return os.open(name, flags, dir_fd=at)
    except FileNotFoundError:
        if not create:
            raise
    try:
        os.mkdir(name, 0o700, dir_fd=at)
    except FileExistsError:
        pass  # another process was quicker
    return os.open(name, flags, dir_fd=at)


def _link(at: int, name: str, way: str, error: OSError) -> str:
    """The target of a link; raises *error* for anything else."""
    found = os.stat(name, dir_fd=at, follow_symlinks=False)
    if not stat.S_ISLNK(found.st_mode):
        raise error
    if found.st_uid not in (0, os.getuid()):
        raise UnsafeFolder(f"{way} is a link of another user's")
    return os.readlink(name, dir_fd=at)


def _check(found: os.stat_result, way: str, *, last: bool) -> None:
    if found.st_uid not in (0, os.getuid()):
        raise UnsafeFolder(f"{way} belongs to another user")
    if found.st_mode & _OTHERS_WRITE and (last or not found.st_mode & stat.S_ISVTX):
        raise UnsafeFolder(f"{way} may be written by others")


FOLDER_VARIABLE = "PTXGEN_CACHE_DIR"


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of this package's caches: ``PTXGEN_CACHE_DIR``, else ``ptxgen`` in the user's cache folder.

    Raises CacheUnwritableError where the user, or the one named as ``~name``, has no home.
    """
    from pathlib import Path  # takes longer to import than a start can spare

    return Path(cache_path(environ))


def cache_path(environ: Mapping[str, str] = os.environ) -> str:
    """The same as text."""
    chosen = environ.get(FOLDER_VARIABLE)
    if chosen:
        whole = os.path.expanduser(chosen)
        if whole.startswith("~"):
            raise CacheUnwritableError(
                f"{FOLDER_VARIABLE} is {chosen!r}: there is no such home directory", hint="write the whole path"
            )
        return os.path.join(os.getcwd(), whole)
    if sys.platform == "win32" and environ.get("LOCALAPPDATA"):
        return os.path.join(environ["LOCALAPPDATA"], "ptxgen", "cache")
    shared = environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(shared):  # the XDG specification ignores relative ones
        return os.path.join(shared, "ptxgen")
    home = os.path.expanduser("~")
    if home.startswith("~"):
        raise CacheUnwritableError("this user has no home folder", hint=f"set {FOLDER_VARIABLE}")
    return os.path.join(home, ".cache", "ptxgen")
