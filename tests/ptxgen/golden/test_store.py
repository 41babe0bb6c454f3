"""Pin, compare, bless."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from ptxgen.assembler import AssemblerMissing
from ptxgen.errors import VerifyError
from ptxgen.golden import GoldenMismatch, bless, check, golden_path
from ptxgen.text import parse

if TYPE_CHECKING:
    from pathlib import Path

    from ptxgen.ir import Module


def kernel(body: str, *, target: str = "sm_80") -> Module:
    return parse(f".version 7.0\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n{body}\n}}\n")


GOOD = ".reg .b32 %r<3>;\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nret;"
OTHER = GOOD.replace("add.u32 %r2, %r1, 1", "add.u32 %r2, %r1, 2")


def test_a_golden_is_one_file_a_kernel_variant_and_target() -> None:
    assert golden_path("saxpy", "f32-x4", "sm_90a", folder="pins").as_posix() == "pins/saxpy/f32-x4.sm_90a.ptx"


@pytest.mark.parametrize("name", ["../saxpy", "a/b", "", ".hidden", "a b"])
def test_a_name_that_leaves_the_folder_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be part"):
        golden_path(name, "f32", "sm_80")


def test_blessed_then_equal(tmp_path: Path, assembler: object) -> None:
    written = bless("k", "one", kernel(GOOD), folder=tmp_path)
    assert written == tmp_path / "k" / "one.sm_80.ptx"
    assert written.read_text() == str(kernel(GOOD))
    check("k", "one", kernel(GOOD), folder=tmp_path)


def test_blessing_what_is_pinned_already_writes_nothing(tmp_path: Path, assembler: object) -> None:
    bless("k", "one", kernel(GOOD), folder=tmp_path)
    assert bless("k", "one", kernel(GOOD), folder=tmp_path) is None


def test_a_mismatch_shows_the_lines_that_differ(tmp_path: Path) -> None:
    pin(tmp_path, str(kernel(GOOD)))
    with pytest.raises(GoldenMismatch) as caught:
        check("k", "one", kernel(OTHER), folder=tmp_path)
    changed = [line for line in caught.value.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-\tadd.u32 %r2, %r1, 1;", "+\tadd.u32 %r2, %r1, 2;"]
    assert "--bless" in str(caught.value)


def test_line_ends_count(tmp_path: Path) -> None:
    pin(tmp_path, str(kernel(GOOD)).replace("\n", "\r\n"))
    with pytest.raises(GoldenMismatch, match="only line ends"):
        check("k", "one", kernel(GOOD), folder=tmp_path)


def test_what_was_never_pinned_is_a_mismatch(tmp_path: Path) -> None:
    with pytest.raises(GoldenMismatch, match=r"one\.sm_80\.ptx does not exist"):
        check("k", "one", kernel(GOOD), folder=tmp_path)


def test_a_warning_of_the_verifier_is_enough_to_refuse(tmp_path: Path) -> None:
    undefined = ".reg .b32 %r<3>;\nadd.u32 %r2, %r1, 1;\nret;"
    with pytest.raises(VerifyError, match="%r1"):
        bless("k", "one", kernel(undefined), folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_no_golden_without_an_assembler_for_its_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_here(text: str, target: str, *, name: str) -> None:
        raise AssemblerMissing(f"no assembler here knows {target}")

    monkeypatch.setattr(import_module("ptxgen.assembler"), "assemble", none_here)
    with pytest.raises(AssemblerMissing, match="sm_80"):
        bless("k", "one", kernel(GOOD), folder=tmp_path)
    assert not list(tmp_path.iterdir())


def pin(folder: Path, text: str) -> None:
    path = golden_path("k", "one", "sm_80", folder=folder)
    path.parent.mkdir()
    path.write_bytes(text.encode())
