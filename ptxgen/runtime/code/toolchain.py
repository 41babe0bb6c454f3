"""What turns a program into PTX: this Python, and the files of this package that have a part in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ptxgen.import_time import imported_at
from ptxgen.runtime.keys import digest

__all__ = ["toolchain"]

_ROOMS = ("errors.py", "isa", "ir", "text", "verifier", "builder", "kernels", "runtime")
_DOUBT = 0.1
"""Seconds by which the clock of files may be behind the system's."""

_known: list[tuple[int, str | None]] = []  # modules that were imported when it was last looked, and what was found


def toolchain() -> str | None:
    """A digest of all that could make other PTX of one program; None where files were changed after this process began to
    import them: what runs may be either version. Those that are imported later are looked at again."""
    imported = len(sys.modules)
    if not _known or _known[0][0] != imported:
        found = _stamped(Path(__file__).resolve().parents[2])
        _known[:] = [(imported, found)]
    return _known[0][1]


def _stamped(root: Path) -> str | None:
    """Every file by its size and time. None where one is younger than this process, or the package is in no folder."""
    stamps, waiting = [], [root / room for room in _ROOMS]
    try:
        while waiting:
            path = waiting.pop()
            if path.suffix in (".py", ".j2"):
                found = path.stat()
                if found.st_ctime >= imported_at - _DOUBT:
                    return None
                stamps.append(f"{path.relative_to(root)} {found.st_size} {found.st_mtime_ns}")
            elif not path.suffix and path.name != "__pycache__":
                waiting += [Path(entry.path) for entry in os.scandir(path)]
    except OSError:
        return None
    return digest("ptxgen-toolchain.v2", sys.version, *sorted(stamps))
