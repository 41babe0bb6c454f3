"""Pin, compare, bless; which files come of it, whatever the order and however many processes bless at once."""

from __future__ import annotations

import itertools
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from ptxgen.assembler import AssemblerMissing
from ptxgen.errors import VerifyError
from ptxgen.golden import GoldenDamaged, GoldenMismatch, bless, check, drop, golden_text, goldens, orphans
from ptxgen.text import parse

if TYPE_CHECKING:
    from ptxgen.ir import Module

ROOT = Path(__file__).resolve().parents[3]
VERSIONS = {"sm_75": "6.3", "sm_80": "7.0", "sm_90a": "8.0", "sm_100a": "8.6"}
GOOD = ".reg .b32 %r<3>;\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nret;"
OTHER = GOOD.replace("add.u32 %r2, %r1, 1", "add.u32 %r2, %r1, 2")


def kernel(body: str, target: str = "sm_80") -> Module:
    header = f".version {VERSIONS[target]}\n.target {target}\n.address_size 64\n"
    return parse(f"{header}.visible .entry k()\n{{\n{body}\n}}\n")


def files(folder: Path) -> dict[str, str]:
    """Every file of a folder of goldens, by its path in it."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def lines(folder: Path) -> dict[str, str]:
    """The first line of each file of variant `one` of kernel `k`."""
    return {name.removeprefix("k/one."): text.partition("\n")[0] for name, text in files(folder).items()}


def pin(folder: Path, text: str, name: str = "k/one.sm_80.ptx") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.fixture
def accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An assembler that takes everything: these tests are about files."""
    monkeypatch.setattr(import_module("ptxgen.assembler"), "assemble", lambda text, target, *, name: None)


# ---- one target ------------------------------------------------------------------------------------------------------


def test_a_golden_of_one_target_is_its_text(tmp_path: Path, assembler: object) -> None:
    written = bless("k", "one", kernel(GOOD), folder=tmp_path)
    assert written == tmp_path / "k" / "one.sm_80.ptx"
    assert written.read_text() == str(kernel(GOOD))
    check("k", "one", kernel(GOOD), folder=tmp_path)


def test_blessing_what_is_pinned_already_writes_nothing(tmp_path: Path, accepted: None) -> None:
    bless("k", "one", kernel(GOOD), folder=tmp_path)
    assert bless("k", "one", kernel(GOOD), folder=tmp_path) is None


@pytest.mark.parametrize("name", ["../saxpy", "a/b", "", ".hidden", "a b"])
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="cannot be part"):
        golden_text(name, "f32", "sm_80", folder=tmp_path)


def test_a_name_that_no_file_may_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has 311 characters, more than 200\n  Fix: give the variant a shorter name"):
        golden_text("saxpy", "v" * 301, "sm_80", folder=tmp_path)


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


# ---- several targets -------------------------------------------------------------------------------------------------


def test_targets_with_the_same_body_share_a_file_that_is_ptx_itself(tmp_path: Path, accepted: None) -> None:
    for target in ("sm_90a", "sm_75", "sm_100a"):
        bless("k", "one", kernel(GOOD, target), folder=tmp_path)
    (text,) = files(tmp_path).values()
    assert text == "// golden: sm_75 6.3, sm_90a 8.0, sm_100a 8.6\n" + str(kernel(GOOD, "sm_75"))
    assert parse(text).target == "sm_75"
    for target in ("sm_75", "sm_90a", "sm_100a"):
        assert golden_text("k", "one", target, folder=tmp_path) == str(kernel(GOOD, target))
    with pytest.raises(GoldenMismatch, match="nothing else is pinned for sm_80"):
        check("k", "one", kernel(GOOD), folder=tmp_path)


def test_the_version_is_compared_too(tmp_path: Path) -> None:
    pin(tmp_path, "// golden: sm_75 6.3, sm_80 7.1\n" + str(kernel(GOOD, "sm_75")), "k/one.sm_75.ptx")
    check("k", "one", kernel(GOOD, "sm_75"), folder=tmp_path)
    with pytest.raises(GoldenMismatch, match=r"(?s)-\.version 7\.1\n\+\.version 7\.0"):
        check("k", "one", kernel(GOOD), folder=tmp_path)


def test_the_options_of_a_target_are_part_of_the_body(tmp_path: Path, accepted: None) -> None:
    module = parse(str(kernel(GOOD)).replace(".target sm_80", ".target sm_80, texmode_independent"))
    bless("k", "one", kernel(GOOD, "sm_75"), folder=tmp_path)
    bless("k", "one", module, folder=tmp_path)
    assert lines(tmp_path) == {"sm_75.ptx": ".version 6.3", "sm_80.ptx": ".version 7.0"}
    assert golden_text("k", "one", "sm_80", folder=tmp_path) == str(module)


def test_a_difference_splits_and_equality_merges(tmp_path: Path, accepted: None) -> None:
    for target in VERSIONS:
        bless("k", "one", kernel(GOOD, target), folder=tmp_path)
    shared = files(tmp_path)
    assert lines(tmp_path) == {"sm_75.ptx": "// golden: sm_75 6.3, sm_80 7.0, sm_90a 8.0, sm_100a 8.6"}

    assert bless("k", "one", kernel(OTHER, "sm_90a"), folder=tmp_path) == tmp_path / "k" / "one.sm_90a.ptx"
    assert lines(tmp_path) == {
        "sm_75.ptx": "// golden: sm_75 6.3, sm_80 7.0, sm_100a 8.6",
        "sm_90a.ptx": ".version 8.0",
    }
    bless("k", "one", kernel(OTHER, "sm_75"), folder=tmp_path)  # the first target leaves: the rest is named anew
    assert lines(tmp_path) == {
        "sm_75.ptx": "// golden: sm_75 6.3, sm_90a 8.0",
        "sm_80.ptx": "// golden: sm_80 7.0, sm_100a 8.6",
    }
    for target in ("sm_75", "sm_90a"):
        assert golden_text("k", "one", target, folder=tmp_path) == str(kernel(OTHER, target))
        bless("k", "one", kernel(GOOD, target), folder=tmp_path)
    assert files(tmp_path) == shared


def test_names_that_begin_alike_do_not_meet(tmp_path: Path, accepted: None) -> None:
    for variant, body in (("one", GOOD), ("one.two", OTHER), ("one.sm_75", OTHER)):
        for target in ("sm_75", "sm_80"):
            bless("k", variant, kernel(body, target), folder=tmp_path)
    assert sorted(files(tmp_path)) == ["k/one.sm_75.ptx", "k/one.sm_75.sm_75.ptx", "k/one.two.sm_75.ptx"]
    check("k", "one", kernel(GOOD), folder=tmp_path)


def test_any_order_of_blessings_makes_the_same_files(tmp_path: Path, accepted: None) -> None:
    """Also when something else was pinned before."""
    wanted = {"sm_75": GOOD, "sm_80": OTHER, "sm_90a": GOOD, "sm_100a": OTHER}
    results = []
    for number, order in enumerate(itertools.permutations(wanted)):
        folder = tmp_path / str(number)
        for target in VERSIONS if number % 2 else ():
            bless("k", "one", kernel(GOOD, target), folder=folder)
        for target in order:
            bless("k", "one", kernel(wanted[target], target), folder=folder)
        results.append(files(folder))
    assert len(results[0]) == 2
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("seed", range(40))
def test_the_files_follow_from_the_entries_alone(tmp_path: Path, accepted: None, seed: int) -> None:
    """After any history of blessings and drops, what is there is what blessing the last texts in an empty folder makes."""
    draw = Random(seed)
    folder, fresh = tmp_path / "history", tmp_path / "fresh"
    pinned: dict[str, str] = {}
    for _ in range(draw.randrange(1, 13)):
        target, body = draw.choice(list(VERSIONS)), draw.choice([GOOD, OTHER, GOOD.replace("1;", "3;"), None])
        if body is not None:
            bless("k", "one", kernel(body, target), folder=folder)
            pinned[target] = body
        elif target in pinned:
            drop("k", "one", target, folder=folder)
            del pinned[target]
    for target, body in draw.sample(list(pinned.items()), len(pinned)):
        bless("k", "one", kernel(body, target), folder=fresh)
    assert files(folder) == files(fresh)
    for target, body in pinned.items():
        assert golden_text("k", "one", target, folder=folder) == str(kernel(body, target))


BLESS_IN_A_PROCESS = """
import sys
from importlib import import_module
from ptxgen.golden import bless
from ptxgen.text import parse

import_module("ptxgen.assembler").assemble = lambda text, target, *, name: None
folder, *texts = sys.argv[1:]
modules = [parse(text) for text in texts]
for _ in range(20):
    for module in modules:
        bless("k", "one", module, folder=folder)
"""


def test_several_processes_bless_at_once(tmp_path: Path) -> None:
    """Each keeps changing the text of its own target between two: nothing of the others is lost."""
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                BLESS_IN_A_PROCESS,
                tmp_path,
                *(str(kernel(body, target)) for body in (OTHER, GOOD)),
            ],
            cwd=ROOT,
        )
        for target in VERSIONS
    ]
    assert [process.wait(timeout=120) for process in processes] == [0] * len(VERSIONS)
    assert lines(tmp_path) == {"sm_75.ptx": "// golden: sm_75 6.3, sm_80 7.0, sm_90a 8.0, sm_100a 8.6"}


# ---- what should not be there ----------------------------------------------------------------------------------------


def test_an_orphan_entry_is_found_and_dropped(tmp_path: Path, accepted: None) -> None:
    for target in ("sm_75", "sm_80"):
        bless("k", "one", kernel(GOOD, target), folder=tmp_path)
    assert not orphans([("k", "one", "sm_75"), ("k", "one", "sm_80")], folder=tmp_path)
    (found,) = orphans([("k", "one", "sm_80")], folder=tmp_path)
    assert "one.sm_75.ptx stands for sm_75, which nothing emits: ptxgen.golden.drop('k', 'one', 'sm_75')" in found

    drop("k", "one", "sm_75", folder=tmp_path)
    assert files(tmp_path) == {"k/one.sm_80.ptx": str(kernel(GOOD))}
    drop("k", "one", "sm_80", folder=tmp_path)
    assert not files(tmp_path)
    with pytest.raises(GoldenMismatch):
        drop("k", "one", "sm_80", folder=tmp_path)


@pytest.mark.parametrize("stray", ["k/notes.txt", "k/one.ptx", "README", "k/deeper/one.sm_80.ptx"])
def test_an_orphan_file_is_found(tmp_path: Path, accepted: None, stray: str) -> None:
    bless("k", "one", kernel(GOOD), folder=tmp_path)
    (tmp_path / stray).parent.mkdir(exist_ok=True)
    (tmp_path / stray).write_text(str(kernel(GOOD)))
    assert orphans([("k", "one", "sm_80")], folder=tmp_path) == [f"{tmp_path / stray} is not a golden: delete it"]


def test_the_entries_are_listed_in_order(tmp_path: Path, accepted: None) -> None:
    assert goldens(tmp_path / "nowhere") == []
    for target in ("sm_100a", "sm_80"):
        bless("k", "one", kernel(GOOD, target), folder=tmp_path)
    path = tmp_path / "k" / "one.sm_80.ptx"
    assert goldens(tmp_path) == [("k", "one", "sm_80", path), ("k", "one", "sm_100a", path)]


@pytest.mark.parametrize(
    "line, complaint",
    [
        ("// golden: sm_80", "'sm_80' in its first line is not an entry like 'sm_90a 8.0'"),
        ("// golden: ", "'' in its first line is not an entry"),
        ("// golden: sm_80 7.0,sm_90a 8.0", "'sm_80 7.0,sm_90a 8.0' in its first line is not an entry"),
        ("// golden sm_80 7.0, sm_90a 8.0", "its first line is '// golden sm_80 7.0, sm_90a 8.0', not"),
        ("/ golden: sm_80 7.0, sm_90a 8.0", "its first line is '/ golden: "),
        ("// golden: sm_90a 8.0, sm_80 7.0", "sm_80 stands after sm_90a in its first line"),
        ("// golden: sm_80 7.0, sm_80 7.0", "sm_80 stands after sm_80 in its first line"),
        ("// golden: sm_90a 8.0, sm_100a 8.6", "its first entry is sm_90a 8.0, but the text is of sm_80 7.0"),
        ("// golden: sm_80 7.1, sm_90a 8.0", "its first entry is sm_80 7.1, but the text is of sm_80 7.0"),
        ("// golden: sm_80 7.0, sm_90a 8.0\nret;", "'ret;' where .version and .target are expected"),
        ("// golden: sm_80 7.0\n// golden: sm_80 7.0", "the line '// golden:' is not the first, or stands there twice"),
        ("ret;", "'ret;' where .version and .target are expected"),
    ],
)
def test_a_damaged_line_is_told(tmp_path: Path, accepted: None, line: str, complaint: str) -> None:
    path = pin(tmp_path, f"{line}\n{kernel(GOOD)}")
    before = files(tmp_path)
    for use in (check, bless):  # blessing one target cannot know the others
        with pytest.raises(GoldenDamaged) as caught:
            use("k", "one", kernel(GOOD), folder=tmp_path)
        assert str(caught.value).startswith(f"{path}: {complaint}")
        assert "restore the file from version control" in str(caught.value)
    assert files(tmp_path) == before


def test_a_file_of_another_target_than_its_name_says_is_told(tmp_path: Path) -> None:
    pin(tmp_path, str(kernel(GOOD, "sm_75")))
    with pytest.raises(GoldenDamaged, match=r"its \.target is sm_75, its name says sm_80"):
        check("k", "one", kernel(GOOD), folder=tmp_path)


def test_a_line_moved_into_the_text_is_told(tmp_path: Path) -> None:
    """`ptxgen fmt --write` puts it under the header."""
    pin(tmp_path, str(kernel(GOOD)).replace("\n\n", "\n\n// golden: sm_80 7.0, sm_90a 8.0\n", 1))
    with pytest.raises(GoldenDamaged, match="is not the first"):
        check("k", "one", kernel(GOOD), folder=tmp_path)


def test_a_target_in_two_files_is_told_and_blessing_it_mends_that(tmp_path: Path, accepted: None) -> None:
    """An interrupted blessing leaves at most that."""
    pin(tmp_path, "// golden: sm_75 6.3, sm_80 7.0\n" + str(kernel(GOOD, "sm_75")), "k/one.sm_75.ptx")
    pin(tmp_path, str(kernel(OTHER)))
    with pytest.raises(GoldenDamaged, match="sm_80 stands here and in "):
        check("k", "one", kernel(GOOD), folder=tmp_path)
    with pytest.raises(GoldenDamaged, match="sm_80 stands here and in another file, with another text"):
        bless("k", "one", kernel(OTHER, "sm_75"), folder=tmp_path)
    bless("k", "one", kernel(GOOD), folder=tmp_path)
    assert lines(tmp_path) == {"sm_75.ptx": "// golden: sm_75 6.3, sm_80 7.0"}
