"""`ptxgen transpile`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Command = Callable[..., Result]

TEXT = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry twice(.param .u32 n, .param .u64 x)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [x];
    add.u32 %r2, %r1, %r1;
    st.global.u32 [%rd1], %r2;
    ret;
}
"""


def test_a_program_on_the_screen_and_in_a_file(ptxgen: Command, tmp_path: Path) -> None:
    (tmp_path / "twice.ptx").write_text(TEXT)
    shown = ptxgen("transpile", str(tmp_path / "twice.ptx"))
    assert shown.exit_code == 0
    assert "def twice(k: px.Builder, n: u32, x: u64) -> None:" in shown.stdout
    assert "    r2 = n + n\n" in shown.stdout
    written = ptxgen("transpile", str(tmp_path / "twice.ptx"), "-o", str(tmp_path / "twice.py"), "--check")
    assert written.exit_code == 0
    assert "the same instructions, 5" in written.stderr
    assert (tmp_path / "twice.py").read_text() == shown.stdout
    built = ptxgen("check", f"{tmp_path / 'twice.py'}:module")
    assert built.exit_code == 0


def test_an_error_names_the_line(ptxgen: Command, tmp_path: Path) -> None:
    (tmp_path / "wrong.ptx").write_text(TEXT.replace("%r2, %r1, %r1", "%r2, %r1"))
    found = ptxgen("transpile", str(tmp_path / "wrong.ptx"))
    assert found.exit_code == 1
    assert "wrong.ptx:10" in found.stderr
