"""Programs in files: PTX text and templates as bytes that somebody's editor or compiler wrote."""

from __future__ import annotations

from pathlib import Path

from ptxgen.errors import PtxSyntaxError

__all__ = ["read_source", "source_text"]

_BINARIES = {
    b"\x7fELF": "machine code (a cubin, or an object file)",
    b"\x50\xed\x55\xba": "a fat binary",
    b"!<arch>": "a library of object files",
}


def read_source(path: str | Path) -> str:
    """The text of a file. PTX is ASCII (manual 4.1), but comments and names of files may have anything: what is not UTF-8 is
    taken byte by byte (Latin-1), as assemblers do.

    Raises PtxSyntaxError for what is not text, OSError for what cannot be read.
    """
    return source_text(Path(path).read_bytes(), str(path))


def source_text(data: bytes, path: str) -> str:
    """The text that these bytes are, as `read_source` takes them; `path` is for messages."""
    kind = next((kind for magic, kind in _BINARIES.items() if data.startswith(magic)), None)
    if kind is None and b"\0" in data:
        kind = f"no text: byte {data.index(0)} is zero"
    if kind is not None:
        raise PtxSyntaxError(
            f"{path} is {kind}", hint="give PTX text; cuobjdump --dump-ptx gets it out of a binary that has it"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")
