"""Kernels for what the verifier and the assembler must judge alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.errors import AssembleError
from ptxgen.text import parse
from ptxgen.verifier import verify
from tests import ptx

if TYPE_CHECKING:
    from collections.abc import Callable


REGISTERS = ".reg .pred %p<3>; .reg .b16 %h<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n"


SETUP = "mov.b32 %r1, 1; mov.b64 %rd1, 0; mov.f32 %f1, 0f00000000; mov.b16 %h1, 0; setp.eq.f32 %p1, %f1, %f1;\n"


def program(body: str, before: str = "", version: str = "8.3") -> str:
    return ptx.kernel(body, ".param .u64 a", registers=REGISTERS + SETUP, before=before, version=version)


def found(text: str) -> list[str]:
    return [f"{finding.severity} {finding.code}" for finding in verify(parse(text))]


def legal(text: str, assembler: Callable[..., Any]) -> None:
    assert found(text) == []
    assert assembler(text).cubin


def illegal(code: str, text: str, assembler: Callable[..., Any]) -> None:
    assert found(text) == [f"error {code}"]
    with pytest.raises(AssembleError):
        assembler(text)
