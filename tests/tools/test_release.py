"""`tools/dev.py release`: what it compares before it publishes; and the help of `tools/dev.py`."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools import dev, release

ROOT = Path(__file__).resolve().parents[2]


def test_the_help_lists_every_command() -> None:
    assert re.findall(r"tools/dev\.py (\w+)", dev.__doc__ or "") == list(dev.COMMANDS)


def test_what_the_sdist_includes_is_there() -> None:
    paths = release.included(ROOT)
    assert {"ptxgen", "tests", "CONTRIBUTING.md", "CHANGELOG.md", ".ci"} <= set(paths)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_what_is_released_has_the_other_package_as_a_requirement(tmp_path: Path) -> None:
    copy = release.copied(tmp_path)
    assert (copy / "ptxgen" / "__init__.py").exists()
    assert not (copy / "driver_ctypes").exists()
    assert (copy / "tools" / "requirements_hook.py").exists()


def test_the_changelog_has_a_section_for_the_version() -> None:
    release.check_changelog(release.project_version(ROOT), ROOT)
    with pytest.raises(dev.Trouble, match=r"says version 99\.0"):
        release.check_changelog("99.0", ROOT)


def test_missing_and_strange_files_are_named() -> None:
    assert release.difference("the wheel", {"a", "b"}, {"b", "c"}) == [
        "the wheel lacks c",
        "the wheel has a, which is not tracked",
    ]


def test_the_files_of_archives(tmp_path: Path) -> None:
    sdist, wheel = tmp_path / "ptxgen-1.tar.gz", tmp_path / "ptxgen-1.whl"
    with tarfile.open(sdist, "w:gz") as archive:
        member = tarfile.TarInfo("ptxgen-1/ptxgen/py.typed")
        archive.addfile(member, io.BytesIO())
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("ptxgen/py.typed", "")
        archive.writestr("ptxgen-1.dist-info/METADATA", "")
    assert release.sdist_files(sdist) == release.wheel_files(wheel) == {"ptxgen/py.typed"}
