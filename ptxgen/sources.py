"""The source files of this package: what caches depend on, and whether they are what runs.

Whoever keeps what this package made stamps all of it but the rooms that it names, each with its reason: a new room counts until
somebody says why it does not. `ptxgen.cpu.code.identity` does so for machine code, `ptxgen.runtime.code.toolchain` for PTX;
tests/test_sources.py holds both against the imports. Imported with the package, to know when that was; imports nothing of it.
"""

from __future__ import annotations

import os
from time import time

TYPE_CHECKING = False  # type checkers know the name without its import from `typing`, which takes 5 ms
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["files", "imported_at", "settled"]

imported_at = time()
"""Seconds since the epoch at which this process began to import the package."""

_DOUBT = 0.1
"""Seconds by which the clock of files may be behind the system's."""


def files(root: str | os.PathLike[str], without: Collection[str] = ()) -> Iterator[tuple[str, str, os.stat_result]]:
    """(name below *root*, path, what the file system says) of every file but for byte code that Python keeps, and for the
    entries of *root* named in *without*. OSError where *root* is not a folder."""
    waiting = [("", os.fspath(root))]
    while waiting:
        above, folder = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name = f"{above}{entry.name}"
                if name in without or entry.name == "__pycache__":
                    continue
                if entry.is_dir():
                    waiting.append((f"{name}/", entry.path))
                else:
                    yield name, entry.path, entry.stat()


def settled(changed: float) -> bool:
    """Whether a file whose status changed at that time is the one that this process imports: else it may run either version."""
    return changed < imported_at - _DOUBT
