"""PTX that an agent gives: as text, or as a file below the working folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from driver_ctypes.errors import ArgumentError
from ptxgen.text import parse
from ptxgen.text.files import read_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.ir import Module

__all__ = ["MOST_BYTES", "ProgramError", "checked_arguments", "module_of", "text_of"]

MOST_BYTES = 4 << 20
"""Of one program."""


class ProgramError(ArgumentError):
    """A program that an agent may not give."""


def text_of(ptx: str | None, path: str | None) -> tuple[str, str]:
    """(text, name) of a program. Raises ProgramError."""
    if (ptx is None) == (path is None):
        raise ProgramError("give either ptx, the text, or path, a file", hint='{"ptx": ".version 8.0 ..."}')
    if ptx is None:
        assert path is not None
        file = _below_the_folder(path)
        if file.suffix != ".ptx" or not file.is_file():
            raise ProgramError(f"{path} is no .ptx file")
        if file.stat().st_size > MOST_BYTES:
            raise ProgramError(f"{path} has {file.stat().st_size} bytes, and {MOST_BYTES} is the most")
        return read_source(str(file)), path
    if len(ptx.encode()) > MOST_BYTES:
        raise ProgramError(f"the text has {len(ptx.encode())} bytes, and {MOST_BYTES} is the most")
    return ptx, "PTX"


def module_of(ptx: str | None, path: str | None) -> Module:
    """The module of a program. Raises ProgramError, PtxSyntaxError."""
    text, name = text_of(ptx, path)
    return parse(text, name=name)


def checked_arguments(texts: Sequence[str]) -> list[str]:
    """The arguments of a launch. Raises ProgramError for an array in a file outside the working folder."""
    for text in texts:
        statement = text.partition("=")[2] or text
        place = statement.partition(".npy")[0]
        if place != statement:
            _below_the_folder(f"{place}.npy")
    return list(texts)


def _below_the_folder(path: str) -> Path:
    """The path, links followed. Raises ProgramError where it leads out of the working folder."""
    root = Path.cwd().resolve()
    try:
        found = (root / path).resolve()
    except (OSError, ValueError, RuntimeError) as wrong:  # a null byte, a loop of links
        raise ProgramError(f"{path!r} is no path: {wrong}") from None
    if not found.is_relative_to(root):
        raise ProgramError(f"{path} is outside the working folder", hint="a path below it, or the text itself as ptx")
    return found
