"""pytest, run in a folder of its own with the golden plugin and no other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["ROOT", "run_pytest"]

ROOT = Path(__file__).resolve().parents[3]


def run_pytest(
    folder: Path, *arguments: str, ci: bool = False, answers: str | None = None
) -> subprocess.CompletedProcess[str]:
    """`answers` is what stands on the standard input."""
    # Bytecode is told by seconds and size: a file that changes within the same second would run as it was.
    environment = dict(
        os.environ, PYTHONPATH=str(ROOT), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTHONDONTWRITEBYTECODE="1"
    )
    for variable in ("CI", "BUILD_NUMBER"):  # pytest cuts no line of its summary where one of them is set
        environment.pop(variable, None)
    if ci:
        environment["CI"] = "true"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "ptxgen.golden.plugin", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, input=answers or ""
    )
