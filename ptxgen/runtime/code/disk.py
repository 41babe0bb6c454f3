"""PTX and tuned workgroups on disk, so that the next process need not make them again; and where such files lie.

A file is the text itself, `<root>/<first two digits>/<key>.ptx` or `.json`, written beside its place and renamed into it.
What cannot be read as text is an error, and never made anew in silence: a disk that loses bytes is to be
heard of. Past the limit, what was not used for the longest time goes.
"""

from __future__ import annotations

import itertools
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from ptxgen.runtime.errors import BackendError, InvalidProgramError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DiskCache", "dump", "ptx_disk_cache_dir", "ptx_source_cache_dir", "tuned_cache_dir"]

MOST_FILE = 1 << 30
"""Bytes of one text."""

MOST_BYTES = 256 << 20
"""Bytes of all texts together."""

_KEEP = 0.75  # of the limit, after files had to go
_numbers = itertools.count()


def ptx_source_cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`PTXGEN_PTX_SOURCE_CACHE_DIR`, else `ptx-source` in the caches' folder."""
    return _folder(environ, "PTXGEN_PTX_SOURCE_CACHE_DIR", "ptx-source")


def ptx_disk_cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`PTXGEN_PTX_CACHE_DIR`, else `ptx-cache` in the caches' folder: for what the driver's compiler made of PTX."""
    return _folder(environ, "PTXGEN_PTX_CACHE_DIR", "ptx-cache")


def tuned_cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`PTXGEN_TUNED_CACHE_DIR`, else `tuned` in the caches' folder: for the workgroups that measuring chose."""
    return _folder(environ, "PTXGEN_TUNED_CACHE_DIR", "tuned")


def _folder(environ: Mapping[str, str], variable: str, name: str) -> Path:
    """The variable's folder; that of PTXGEN_CACHE_DIR; XDG_CACHE_HOME/ptxgen; HOME/.cache/ptxgen. InvalidProgramError where
    the variable is empty, or none is there."""
    chosen = environ.get(variable)
    if chosen is not None:
        if not chosen:
            raise InvalidProgramError(
                f"{variable} is empty",
                fix="set it to a writable persistent folder, or unset it so that others are found",
            )
        return Path(chosen)
    for known, below in (("PTXGEN_CACHE_DIR", ()), ("XDG_CACHE_HOME", ("ptxgen",)), ("HOME", (".cache", "ptxgen"))):
        if environ.get(known):
            return Path(environ[known], *below, name)
    raise InvalidProgramError(
        f"the PTX cache on disk has no {variable}, PTXGEN_CACHE_DIR, XDG_CACHE_HOME or HOME",
        fix="name a writable persistent folder; a temporary one would hide that every start compiles anew",
    )


class DiskCache:
    """Texts in a folder, for any number of processes. *what* they are goes into errors, with the *variable* that names their
    folder; each ends with a closing brace, so that one that was cut off is noticed."""

    def __init__(
        self,
        root: Path,
        most_bytes: int = MOST_BYTES,
        *,
        suffix: str = ".ptx",
        what: str = "PTX",
        variable: str = "PTXGEN_PTX_SOURCE_CACHE_DIR",
    ) -> None:
        self.root, self.most_bytes = root, most_bytes
        self._suffix, self._what, self._variable = suffix, what, variable
        self.hits = self.misses = self.stored = self.evicted = 0

    def path(self, key: str) -> Path:
        """Where the text of *key* lies."""
        return self.root / key[:2] / f"{key}{self._suffix}"

    def get(self, key: str) -> str | None:
        """The text, or None. BackendError where the file cannot be read, or is no text."""
        path = self.path(key)
        self._check_folder()
        try:
            if path.stat().st_size > MOST_FILE:
                raise BackendError(
                    f"the cached {self._what} {path} is larger than {MOST_FILE} bytes", fix="remove the file"
                )
            text = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            self.misses += 1
            return None
        except UnicodeDecodeError as error:
            raise BackendError(
                f"the cached {self._what} {path} is damaged: {error}",
                fix="remove the file, and see why the disk lost it",
            ) from error
        except OSError as error:
            raise BackendError(
                f"the cached {self._what} {path} cannot be read: {error}", fix="make it readable"
            ) from error
        if not text.rstrip().endswith("}"):
            raise BackendError(
                f"the cached {self._what} {path} is cut off", fix="remove the file, and see why the disk lost it"
            )
        self.hits += 1
        try:
            os.utime(path)
        except OSError:
            pass  # another process removed it just now, or the folder is read-only: it was read
        return text

    def put(self, key: str, text: str) -> None:
        """Keep *text*. BackendError where the folder cannot be written."""
        data = text.encode()
        if len(data) > min(MOST_FILE, self.most_bytes):
            return
        path = self.path(key)
        temporary = path.with_name(f"ptx.{os.getpid()}.{next(_numbers)}.tmp")
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check_folder()
            path.parent.mkdir(mode=0o700, exist_ok=True)
            temporary.write_bytes(data)
            os.replace(temporary, path)
        except OSError as error:
            if temporary.exists():
                temporary.unlink()
            raise BackendError(
                f"the {self._what} cache {self.root} cannot be written: {error}",
                fix=f"choose another folder with {self._variable}, or turn it off with PTXGEN_CACHE=0",
            ) from error
        self.stored += 1
        self._make_room()

    def _check_folder(self) -> None:
        """BackendError where others could write: whoever does decides what runs on the device."""
        if not hasattr(os, "getuid"):
            return
        try:
            found = self.root.stat()
        except OSError:
            return  # nothing is there to be read
        if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise BackendError(
                f"the {self._what} cache {self.root} may be written by others: code in it could be anybody's",
                fix=f"chmod 700 it, or choose another folder with {self._variable}",
            )

    def _make_room(self) -> None:
        entries = []
        for path in self.root.glob(f"??/*{self._suffix}"):
            try:
                found = path.stat()
            except FileNotFoundError:
                continue  # another process was quicker
            entries.append((found.st_mtime_ns, found.st_size, path))
        total = sum(size for _, size, _ in entries)
        if total <= self.most_bytes:
            return
        for _, size, path in sorted(entries):
            if total <= self.most_bytes * _KEEP:
                return
            path.unlink(missing_ok=True)
            total -= size
            self.evicted += 1


def dump(text: str, key: str, *, failed: bool, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Keep PTX for a look at it: all of it in `PTXGEN_PTX_DUMP_ALL_DIR`, what failed in `PTXGEN_PTX_DUMP_DIR`."""
    folder = environ.get("PTXGEN_PTX_DUMP_ALL_DIR") or (environ.get("PTXGEN_PTX_DUMP_DIR") if failed else None)
    if not folder:
        return None
    path = Path(folder, f"{key}{'.failed' if failed else ''}.ptx")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
