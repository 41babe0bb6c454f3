"""driver_ctypes as a distribution of its own: its page's program, and what its pyproject.toml says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import driver_ctypes

FOLDER = Path(driver_ctypes.__file__ or "").parent
ROOT = FOLDER.parent


def test_the_program_of_its_page_runs(device_name: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    found = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", page, re.DOTALL)
    assert found
    assert found[1].count('driver("cuda")') == 1
    kind = device_name.partition(":")[0]
    exec(compile(found[1].replace('driver("cuda")', f'driver("{kind}")'), "README.md", "exec"), {})
    assert capsys.readouterr().out == found[2]


def test_it_has_the_version_and_the_licence_of_ptxgen() -> None:
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version
    assert driver_ctypes.__version__ == version[1]
    assert (FOLDER / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")


def test_it_depends_on_nothing() -> None:
    project = (FOLDER / "pyproject.toml").read_text("utf-8")
    assert "\ndependencies = []\n" in project
