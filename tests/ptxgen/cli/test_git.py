"""`ptxgen diff` between revisions, and `ptxgen setup-git`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ptx import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Command = Callable[..., Result]

ROOT = Path(__file__).resolve().parents[3]
CALLED = f"PYTHONPATH={ROOT} {sys.executable} -m ptxgen git-diff"
OLD = kernel("mov.u32 %r1, %tid.x; bar.sync 0;", registers=".reg .b32 %r<2>;")
RENAMED = OLD.replace("%r", "%x")
NEW = RENAMED.replace("bar.sync 0", "bar.sync 1")

pytestmark = [
    pytest.mark.cpu_only,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


def git(*words: str) -> str:
    names = {f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", *words], check=True, capture_output=True, text=True, env={**os.environ, **names, **own}
    ).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    (tmp_path / "k.ptx").write_text(OLD)
    git("add", ".")
    git("commit", "-qm", "first")
    return tmp_path


def test_between_revisions(ptxgen: Command, repository: Path) -> None:
    (repository / "k.ptx").write_text(RENAMED)
    assert ptxgen("diff", "HEAD:k.ptx", "k.ptx").exit_code == 0
    (repository / "k.ptx").write_text(NEW)
    result = ptxgen("diff", "HEAD:k.ptx", "k.ptx")
    assert (result.exit_code, "+ bar.sync 1;" in result.stdout) == (1, True)
    assert "HEAD:k.ptx" in result.stdout


def test_no_such_revision(ptxgen: Command, repository: Path) -> None:
    result = ptxgen("diff", "NONE:k.ptx", "k.ptx")
    assert (result.exit_code, "NONE" in result.stderr) == (2, True)


def test_git_diff_shows_the_meaning(ptxgen: Command, repository: Path) -> None:
    assert ptxgen("setup-git", "--command", CALLED).exit_code == 0
    (repository / "k.ptx").write_text(RENAMED)
    assert git("diff").splitlines() == ["diff --ptxgen a/k.ptx b/k.ptx", "no difference in meaning"]
    (repository / "k.ptx").write_text(NEW)
    (repository / "new.ptx").write_text("not PTX\n")
    git("add", "-N", "new.ptx")
    shown = git("diff")
    assert "\n+ bar.sync 1;" in shown
    assert "\n+not PTX" in shown
    assert "\n-\tbar" not in shown
    assert "-mov.u32 %r1" in git("diff", "--no-ext-diff")


def test_nothing_that_is_committed_changes(ptxgen: Command, repository: Path) -> None:
    before = (repository / ".git" / "config").read_text()
    assert ptxgen("setup-git").exit_code == ptxgen("setup-git").exit_code == 0
    assert git("status", "--porcelain") == ""
    assert ptxgen("setup-git", "--undo").exit_code == ptxgen("setup-git", "--undo").exit_code == 0
    assert (repository / ".git" / "config").read_text() == before
    assert not (repository / ".git" / "info" / "attributes").exists()


def test_a_line_for_everybody(ptxgen: Command, repository: Path) -> None:
    (repository / ".gitattributes").write_text("*.png binary")
    assert ptxgen("setup-git", "--gitattributes").exit_code == 0
    assert (repository / ".gitattributes").read_text() == "*.png binary\n*.ptx diff=ptxgen\n"
    assert ptxgen("setup-git", "--undo").exit_code == 0
    assert (repository / ".gitattributes").read_text() == "*.png binary\n"


def test_outside_a_repository(ptxgen: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    result = ptxgen("setup-git")
    assert (result.exit_code, "not a git repository" in result.stderr) == (2, True)
