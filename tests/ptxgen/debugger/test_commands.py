"""`ptxgen debug`: commands, as people type them."""

from __future__ import annotations

import io

import pytest
from click.testing import CliRunner

from ptxgen.cli.app import app
from ptxgen.debugger.commands import Commands
from tests.ptxgen.debugger.conftest import LOOP, line_of

pytestmark = pytest.mark.cpu_only


@pytest.fixture
def typed(loop):
    """What commands tell, one after the other, of one session."""
    session = loop(n=5, block=64)
    out = io.StringIO()
    reader = Commands(session, out, io.StringIO())

    def run(*lines: str) -> str:
        out.seek(0)
        out.truncate()
        for line in lines:
            reader.onecmd(line)
        return out.getvalue()

    run.reader = reader
    return run


def test_stops_and_values(typed):
    assert "breakpoint 1 at twice if v == 3" in typed("break twice if v == 3")
    told = typed("c")
    assert "step 5, CTA (0, 0, 0), thread (3, 0, 0) (warp 0, lane 3)" in told
    assert "in twice  add.u32 r, v, v;" in told
    assert typed("p v * 2") == "v * 2 = 6\n"
    assert typed("p/f32 v") == "v = 4.20389539e-45\n"
    assert typed("up").splitlines()[1].startswith("->  #1  k")
    assert "%r1      b32   lane" in typed("info registers")
    assert "%r1 = 9" in typed("set %r1 = 3 * 3")


def test_listing_marks_where_it_is_and_where_breakpoints_are(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop.ptx").write_text(LOOP)
    line = line_of("bar.sync")
    told = typed(f"b {line}", "c", "b 31", "list")
    assert f"-> {line:5}          bar.sync 0;" in told


def test_short_forms_empty_lines_and_wrong_commands(typed):
    typed("si")
    assert "step 2" in typed("")
    assert "step 1" in typed("rsi")
    assert "no command 'fly'" in typed("fly")
    assert "error: 'x y' is no expression" in typed("p x y")
    assert "'q' is no number" in typed("goto q")
    assert typed.reader.failed
    assert "usage" not in typed("help step")


def test_every_command_has_help_of_one_form(typed):
    told = typed("help")
    for name in typed.reader.get_names():
        if name.startswith("do_"):
            usage, colon, what = getattr(Commands, name).__doc__.partition(": ")
            assert colon
            assert what.endswith(".")
            assert usage in told


def test_names_are_completed(typed):
    typed("si 2")
    assert "reverse-step" in typed.reader.completenames("reverse-s")
    assert "twice" in typed.reader.completedefault("tw")
    assert "%r1" in typed.reader.completedefault("%r")


def test_who_is_where(typed):
    typed(f"b {line_of('bar.sync')}", "c", "c")
    told = typed("info warps")
    assert "all    wait" in told
    assert "barrier 0: 32 of all threads have arrived" in typed("info barriers")
    assert "n    5" in typed("info arguments")
    assert "shared  tile  0x0  256 bytes" in typed("info variables")
    assert "0x0: 20 20 18 14" in typed("x shared.u32[0:16]")
    assert "thread (40, 0, 0) (warp 1, lane 8)" in typed("thread 40")
    assert "lane 2" in typed("warp 1", "lane 2")
    assert "is not running" in typed("cta 7")
    assert "; 2 hits" in typed("info breakpoints")


def test_points_are_changed(typed):
    typed("b twice", "watch %r3")
    assert "if v == 4" in typed("condition 1 v == 4")
    assert "disabled" in typed("disable 2", "info breakpoints")
    assert "no breakpoint or watchpoint 9" in typed("delete 9")
    assert typed("d 1", "enable 2", "info breakpoints").startswith("watchpoint 2 on %r3")
    typed("display %r3")
    assert "  %r3 = 2" in typed("c")
    assert typed("undisplay", "display") == ""


def test_from_the_command_line(tmp_path):
    (tmp_path / "loop.ptx").write_text(LOOP)
    arguments = ["debug", str(tmp_path / "loop.ptx"), "zeros:u32:32", "3", "--block", "32", "--break", "twice"]
    result = CliRunner().invoke(app, [*arguments, "-c", "c", "-c", "bt", "--batch"])
    assert result.exit_code == 0, result.output
    assert "(ptxgen) c\nbreakpoint 1 at twice" in result.output
    assert "#1  k" in result.output
    result = CliRunner().invoke(app, arguments, input="c\nrc\nprint %r1\nq\n")
    assert "before the launch's first instruction" in result.output
    assert "%r1 = -" in result.output
    assert CliRunner().invoke(app, [*arguments, "-c", "fly", "--batch"]).exit_code == 1


def test_in_a_notebook(loop):
    session = loop()
    session.stepi(4)
    html = session._repr_html_()
    assert "<th" in html
    assert "%r6" in html
    assert "lane 31" in html
    session.resume()
    assert "the launch has ended" in session._repr_html_()
    assert "the launch has ended" in session.stop._repr_html_()
