"""The toolchain that turns a program into PTX: this Python, and the files of this package that take part."""

from __future__ import annotations

import sys
from pathlib import Path

from ptxgen.runtime.keys import digest
from ptxgen.sources import files, settled

__all__ = ["toolchain"]

WITHOUT = {
    **dict.fromkeys(("cpu", "emulated_driver", "assembler"), "they take PTX, and none of theirs goes into it"),
    **dict.fromkeys(("resources", "strategies"), "they read programs, or draw them for tests"),
    **dict.fromkeys(
        ("__main__.py", "cli", "golden", "tuning", "ops"), "above the runtime: no program is built by them"
    ),
}
"""The rooms that take no part in the PTX of a program, and why; every other file of this package does. The driver binding
passes the text on without reading it."""

_known: list[tuple[int, str | None]] = []  # modules that were imported when it was last looked, and what was found


def toolchain() -> str | None:
    """A digest of everything that could change the PTX of a program; None where files were changed after this process began to
    import them: what runs may be either version. Those that are imported later are looked at again."""
    imported = len(sys.modules)
    if not _known or _known[0][0] != imported:
        found = _stamped(Path(__file__).resolve().parents[2])
        _known[:] = [(imported, found)]
    return _known[0][1]


def _stamped(root: Path) -> str | None:
    """Every file by its size and time. None where one is younger than this process, or the package is in no folder."""
    stamps = []
    try:
        for name, _path, mark in files(root, WITHOUT):
            if not settled(mark.st_ctime):
                return None
            stamps.append(f"{name} {mark.st_size} {mark.st_mtime_ns}")
    except OSError:
        return None
    return digest("ptxgen-toolchain.v3", sys.version, *sorted(stamps))
