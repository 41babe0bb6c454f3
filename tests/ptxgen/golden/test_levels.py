"""How closely a program must be what is pinned: to the byte, in its meaning, in what it takes of the machine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from driver_ctypes.errors import ArgumentRangeError
from ptxgen.assembler import AssemblerMissing
from ptxgen.errors import PtxSyntaxError
from ptxgen.golden import GoldenDamaged, GoldenMismatch, bless, check
from ptxgen.resources import Limit
from tests.ptxgen.golden.test_store import GOOD, OTHER, kernel, pin

if TYPE_CHECKING:
    from pathlib import Path

PINNED = str(kernel(GOOD))
RENAMED = PINNED.replace("%r1", "%r5").replace("%r<3>", "%r<6>").replace("{\n", "{\n\t// by hand\n", 1)


def sums(count: int) -> str:
    """A kernel that holds so many numbers at once."""
    numbers = range(1, count + 1)
    loads = "".join(f"ld.volatile.global.u32 %r{n}, [%rd1+{4 * n}];\n" for n in numbers)
    stores = "".join(f"st.volatile.global.u32 [%rd1+{4 * n}], %r{n};\n" for n in reversed(numbers))
    return str(kernel(f".reg .b32 %r<{count + 1}>;\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 4096;\n{loads}{stores}ret;"))


def test_exact_is_to_the_byte(tmp_path: Path) -> None:
    pin(tmp_path, PINNED)
    check("k", "one", PINNED, folder=tmp_path)
    with pytest.raises(GoldenMismatch, match=r"\+\t// by hand"):
        check("k", "one", RENAMED, folder=tmp_path)


def test_semantic_lets_names_and_comments_change(tmp_path: Path, assembler: object) -> None:
    path = pin(tmp_path, PINNED)
    check("k", "one", RENAMED, folder=tmp_path, level="semantic")
    assert bless("k", "one", RENAMED, folder=tmp_path, level="semantic") is None, "nothing to review"
    with pytest.raises(GoldenMismatch) as caught:
        check("k", "one", str(kernel(OTHER)), folder=tmp_path, level="semantic")
    assert [line.split()[0] for line in caught.value.diff.splitlines() if "add.u32" in line] == ["-", "+"]
    assert bless("k", "one", kernel(OTHER), folder=tmp_path, level="semantic") == path


def test_resources_has_limits_on_what_an_assembler_says(tmp_path: Path, assembler: object) -> None:
    pin(tmp_path, sums(8))
    check("k", "one", sums(8).replace("4096", "8192"), folder=tmp_path, level="resources")
    with pytest.raises(GoldenMismatch, match=r"k: \d+ -> \d+ registers a thread, .* \(10 % worse is too much\)"):
        check("k", "one", sums(64), folder=tmp_path, level="resources")
    check("k", "one", sums(64), folder=tmp_path, level="resources", limits={"registers": Limit(2000, None)})
    with pytest.raises(GoldenMismatch, match=r"18 -> 130 instructions of PTX"):
        check("k", "one", sums(64), folder=tmp_path, level="resources", limits={"instructions": Limit(5, None)})


def test_fewer_resources_pass_and_are_blessed(tmp_path: Path, assembler: object) -> None:
    path = pin(tmp_path, sums(64))
    check("k", "one", sums(8), folder=tmp_path, level="resources")
    assert bless("k", "one", sums(8), folder=tmp_path, level="resources") == path
    assert path.read_text() == sums(8)


def test_another_kernel_is_no_improvement(tmp_path: Path, assembler: object) -> None:
    two = sums(8) + sums(8).partition("64\n")[2].replace("k(", "j(")
    pin(tmp_path, two)
    with pytest.raises(GoldenMismatch, match="only in what is pinned: j"):
        check("k", "one", sums(8), folder=tmp_path, level="resources")


def test_resources_are_not_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_here(*arguments: object, **options: object) -> None:
        raise AssemblerMissing("no assembler here")

    monkeypatch.setattr(import_module("ptxgen.resources.report"), "assemble", none_here)
    pin(tmp_path, sums(8))
    with pytest.raises(AssemblerMissing, match="registers and spills are not known: no assembler here"):
        check("k", "one", sums(9), folder=tmp_path, level="resources")


def test_text_that_does_not_parse(tmp_path: Path) -> None:
    broken = PINNED.replace("ret;", "ret")
    pin(tmp_path, PINNED)
    with pytest.raises(PtxSyntaxError, match="emitted:"):
        check("k", "one", broken, folder=tmp_path, level="semantic")
    path = pin(tmp_path, broken)
    with pytest.raises(GoldenDamaged, match="it does not parse") as caught:
        check("k", "one", PINNED, folder=tmp_path, level="semantic")
    assert str(path) in str(caught.value)


def test_levels_and_limits_that_are_not_there(tmp_path: Path) -> None:
    pin(tmp_path, PINNED)
    with pytest.raises(ArgumentRangeError, match="no level 'text'"):
        check("k", "one", PINNED, folder=tmp_path, level="text")
    with pytest.raises(ArgumentRangeError, match="level='exact' has no limits"):
        check("k", "one", PINNED, folder=tmp_path, limits={"registers": Limit(1, None)})
    with pytest.raises(ArgumentRangeError, match="no metric colour"):
        check("k", "one", RENAMED, folder=tmp_path, level="resources", limits={"colour": Limit(1, None)})


def test_without_strict_a_warning_and_a_missing_assembler_do_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_here(*arguments: object, **options: object) -> None:
        raise AssemblerMissing("no assembler here")

    monkeypatch.setattr(import_module("ptxgen.assembler"), "assemble", none_here)
    undefined = str(kernel(".reg .b32 %r<3>;\nadd.u32 %r2, %r1, 1;\nret;"))
    path = bless("k", "one", undefined, folder=tmp_path, strict=False)
    assert path is not None
    assert path.read_text() == undefined
