"""Programs in files: PTX text and templates as bytes that somebody's editor or compiler wrote."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ptxgen.errors import PtxSyntaxError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TEMPLATES", "read_source", "refuse_binary", "source_text"]

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "kernels", "templates")
"""The folder of the library's templates; the last place where the name of one is looked up."""

_BINARIES = {
    b"\x7fELF": "machine code (a cubin, or an object file)",
    b"\x50\xed\x55\xba": "a fat binary",
    b"!<arch>": "a library of object files",
}


def read_source(path: str | Path) -> str:
    """The text of a file. Raises PtxSyntaxError for what is not text, OSError for what cannot be read."""
    with open(path, "rb") as file:
        return source_text(file.read(), str(path))


def source_text(data: bytes, name: str) -> str:
    """The text that bytes are. PTX is ASCII (manual 4.1), but comments and names of files may have anything: what is not UTF-8
    is taken byte by byte (Latin-1), as assemblers do. Zeros at the end are those of a C string, with which Warp writes PTX.
    PtxSyntaxError for what is not text."""
    data = data.rstrip(b"\0")
    refuse_binary(data, name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def refuse_binary(data: bytes, name: str) -> None:
    """PtxSyntaxError where the bytes of a program are no text, but what an assembler or a linker made."""
    kind = next((kind for magic, kind in _BINARIES.items() if data.startswith(magic)), None)
    if kind is None and b"\0" in data:
        kind = f"no text: byte {data.index(0)} is zero"
    if kind is not None:
        raise PtxSyntaxError(
            f"{name} is {kind}", hint="give PTX text; cuobjdump --dump-ptx gets it out of a binary that has it"
        )
