"""The command as a process: its help, its version, and what it says when its packages are not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def ptxgen(*arguments: str, flags: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    command = [sys.executable, *flags, "-m", "ptxgen", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_help_lists_every_command() -> None:
    done = ptxgen("--help")
    assert done.returncode == 0
    for command in (
        "emit",
        "check",
        "fmt",
        "diff",
        "compare",
        "stat",
        "explain",
        "isa",
        "run",
        "info",
        "demo",
        "tune",
        "stress",
    ):
        assert f"\n  {command}" in done.stdout


def test_version() -> None:
    import ptxgen as px

    assert ptxgen("--version").stdout == f"ptxgen {px.__version__}\n"


def test_an_unknown_command_is_wrong_usage() -> None:
    assert ptxgen("emmit").returncode == 2


def test_without_its_packages_it_says_what_to_install() -> None:
    done = ptxgen("info", flags=("-S",))  # no site-packages
    assert done.returncode == 2
    assert "needs click and rich" in done.stderr
    assert "pip install 'ptxgen[cli]'" in done.stderr
    assert "Traceback" not in done.stderr
