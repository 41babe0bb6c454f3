"""Running the command in this process, and programs to run it on."""

from __future__ import annotations

import sys
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

SAXPY = """\
import ptxgen as px
from ptxgen import f32, u32

@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32], *, unroll: int = 1, type=f32):
    for j in range(unroll):
        i = k.global_id.x * unroll + j
        with k.if_(i < n):
            y[i] = k.fma(a, x[i], y[i])

def unrolled(target: str, by: int = 2) -> px.Module:
    return saxpy.module(target=target, unroll=by)

def answer() -> int:
    return 42
"""

SCALE = """\
{# ptxgen:
   parameter target: str = sm_80
   parameter type: type(f32, f64) = f32
   parameter factor: int(1..9) = 2
#}
.version 8.0
.target {{ target }}
.address_size 64
.visible .entry scale(.param .u32 n, .param .u64 .ptr .global .align {{ type.bytes }} x)
{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    .reg .{{ type }} %f<3>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra done;
    mad.wide.u32 %rd3, %r2, {{ type.bytes }}, %rd2;
    ld.global.{{ type }} %f1, [%rd3];
    mul.{{ type }} %f2, %f1, {{ "0f40000000" if type == "f32" else "0d4000000000000000" }};
    st.global.{{ type }} [%rd3], %f2;
done:
    ret;
}
"""

BROKEN = """\
.version 7.0
.target sm_80
.address_size 64
.visible .entry broken()
{
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    add.u32 %r2, %r1, %r9;
    addd.u32 %r2, %r1, 1;
    ret;
}
"""

UNWISE = """\
.version 7.0
.target sm_80
.address_size 64
.visible .entry unwise()
{
    .reg .b32 %r<3>;
    add.u32 %r1, %r2, 1;
    ret;
}
"""


# click 8.1 has stdout and stderr in one unless it is told; later versions keep them apart, and do not take the word.
_SEPARATE: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with saxpy.py, scale.ptx.j2, broken.ptx (an error) and unwise.ptx (a warning)."""
    for name, text in (
        ("saxpy.py", SAXPY),
        ("scale.ptx.j2", SCALE),
        ("broken.ptx", BROKEN),
        ("unwise.ptx", UNWISE),
    ):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ptxgen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """`ptxgen("emit", "saxpy.py")`: the command's exit_code, stdout and stderr."""
    from ptxgen.cli.app import app

    monkeypatch.setattr(sys, "path", [*sys.path])  # commands put the program's folder there

    def run(*arguments: object) -> Result:
        result = CliRunner(**_SEPARATE).invoke(app, [str(argument) for argument in arguments], prog_name="ptxgen")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run
