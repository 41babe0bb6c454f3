"""Programs in files: whatever bytes an editor left in comments, and what is not text at all."""

from __future__ import annotations

from pathlib import Path

import pytest

import ptxgen as px
from ptxgen.text.files import read_source

PTX = ".version 8.0\n// café\n.target sm_80\n.address_size 64\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_text_of_every_editor(tmp_path: Path, encoding: str, newline: str) -> None:
    path = tmp_path / "k.ptx"
    path.write_bytes(PTX.replace("\n", newline).encode(encoding))
    assert read_source(path) == PTX
    assert px.parse(read_source(path)).target == "sm_80"


@pytest.mark.parametrize(
    "data, what",
    [
        (b"\x7fELF\2\1\1\0", "cubin"),
        (b"\x50\xed\x55\xba\1\0", "fat binary"),
        (b"!<arch>\n", "library"),
        (b".version 8.0\n\0.target", "byte 13 is zero"),
    ],
)
def test_what_is_no_text(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "k.ptx"
    path.write_bytes(data)
    with pytest.raises(px.PtxSyntaxError, match=what):
        read_source(path)
    with pytest.raises(px.PtxSyntaxError, match=what):
        px.render(path)
