"""What can be pinned: objects as compilers give them, kernels with their parameters, and what is said of the rest."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import ptxgen as px
from ptxgen.golden import NotPtxError, check, golden_text
from ptxgen.golden.files import variant_name
from ptxgen.golden.programs import emitted, ptx_of
from ptxgen.golden.store import _pin
from ptxgen.text import parse

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "//\n// a compiler's name\n//\n\n.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"


def ahead_of_time(program: object) -> object:
    return SimpleNamespace(inspect_asm=lambda: program)


@pytest.mark.parametrize(
    "program",
    [
        TEXT,
        TEXT + "\0",  # a C string's end, as NVRTC gives it
        TEXT.encode() + b"\0",
        bytearray(TEXT.encode()),
        SimpleNamespace(asm={"ttir": "", "ptx": TEXT, "cubin": b"\x7fELF"}),
        SimpleNamespace(__ptx__=TEXT),
        ahead_of_time(TEXT),
        ahead_of_time({("float32",): TEXT}),
        (TEXT, "float32"),
        SimpleNamespace(code_type="ptx", code=TEXT.encode()),
    ],
    ids="text c_string bytes bytearray triton cute numba numba_signatures compile_ptx object_code".split(),
)
def test_the_text_is_kept_as_it_came(program: object) -> None:
    assert ptx_of(program) == TEXT


def test_a_file_and_a_module(tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert ptx_of(tmp_path / "k.ptx") == TEXT.replace("\n", "\r\n")
    assert ptx_of(parse(TEXT)) == str(parse(TEXT))


@pytest.mark.parametrize(
    "program, complaint",
    [
        (SimpleNamespace(asm={"ttir": "", "amdgcn": ""}), "has no ptx, but ttir, amdgcn"),
        (SimpleNamespace(__ptx__=None), "compile it with CUTE_DSL_KEEP_PTX=1"),
        (ahead_of_time({}), r"compiled for 0 signatures \(none: call it"),
        (ahead_of_time({"f4": TEXT, "f8": TEXT}), r"compiled for 2 signatures \(f4, f8\)"),
        (SimpleNamespace(code_type="cubin", code=b""), "is cubin, not PTX"),
        (b"\x7fELF\2\1", "machine code"),
        (b"// \xff\n", "not UTF-8 text"),
        (3, r"int has no PTX that is known of; what has:\n  PTX text"),
        (None, "NoneType has no PTX"),
        ("kernels/add.ptx", "'kernels/add.ptx' where .version and .target are expected"),
        ("", "'' where .version and .target are expected"),
    ],
)
def test_what_has_no_ptx_is_said_with_the_golden_that_wanted_it(program: object, complaint: str) -> None:
    with pytest.raises(NotPtxError, match=rf"(?s)^k/one: .*{complaint}"):
        emitted("k", "one", program)


@px.kernel
def fill(k: px.Builder, n: px.u32, x: px.ptr[px.u32], *, value: int = 1):
    i = k.global_id.x
    with k.if_(i < n):
        x[i] = k.const(px.u32, value)


def compile_(target: str = "sm_75", value: int = 1) -> str:
    return TEXT.replace("sm_80", target).replace("ret", f"// {value}\n ret")


@pytest.mark.parametrize("program", [fill, compile_, partial(compile_, value=7)], ids="kernel function partial".split())
def test_a_program_is_made_for_each_target_with_the_parameters(program: object) -> None:
    found = emitted("k", {"value": 7}, program, ("sm_80", "sm_90"))
    assert [each[:3] for each in found] == [("k", "value=7", "sm_80"), ("k", "value=7", "sm_90")]
    assert all("7" in each.ptx.partition("64\n")[2] for each in found)
    assert len(emitted("k", "one", program)) == 1


def test_targets_that_are_not_met() -> None:
    with pytest.raises(NotPtxError, match="k/one is compiled for sm_80, not for sm_80, sm_90"):
        emitted("k", "one", TEXT, ("sm_80", "sm_90"))
    with pytest.raises(NotPtxError, match="asked for sm_90 and made PTX for sm_80"):
        emitted("k", "one", lambda target: TEXT, "sm_90")
    with pytest.raises(NotPtxError, match="k/one: no targets"):
        emitted("k", "one", fill, ())


def test_equal_parameters_have_one_name() -> None:
    assert variant_name({"unroll": 4, "type": px.f32}) == variant_name({"type": px.f32, "unroll": 4})
    assert variant_name({"type": px.f32, "unroll": 4}) == "type=f32,unroll=4"
    assert variant_name({"tile": (128, 64), "fast": True, "alpha": -0.5}) == "alpha=-0.5,fast=True,tile=128x64"
    assert variant_name({}) == "default"
    for value in ("a/b", "", "a b", object()):
        with pytest.raises(ValueError, match="give the variant a name"):
            variant_name({"value": value})


def test_comments_above_the_header_are_part_of_the_golden(tmp_path: Path) -> None:
    for target in ("sm_80", "sm_90"):
        _pin("k", "one", target, TEXT.replace("sm_80", target), tmp_path)
    (path,) = (tmp_path / "k").iterdir()
    assert path.read_text() == "// golden: sm_80 7.0, sm_90 7.0\n" + TEXT
    assert golden_text("k", "one", "sm_90", folder=tmp_path) == TEXT.replace("sm_80", "sm_90")
    check("k", "one", TEXT, folder=tmp_path)
    _pin("k", "one", "sm_90", None, tmp_path)
    assert path.read_text() == TEXT
    check("k", "one", TEXT, folder=tmp_path)


def test_a_golden_of_several_targets_is_not_taken_for_a_program(tmp_path: Path) -> None:
    with pytest.raises(px.PtxError, match="it has a line '// golden:'"):
        _pin("k", "one", "sm_80", "// golden: sm_80 7.0, sm_90 7.0\n" + TEXT, tmp_path)
