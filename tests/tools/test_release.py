"""`tools/dev.py release`: what it compares before it publishes; and the help of `tools/dev.py`."""

from __future__ import annotations

import io
import re
import runpy
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from ptxgen.lazy import LIBRARY
from tools import dev, release, repack

ROOT = Path(__file__).resolve().parents[2]


def test_the_help_lists_every_command() -> None:
    assert re.findall(r"tools/dev\.py (\w+)", dev.__doc__ or "") == list(dev.COMMANDS)


def test_what_the_sdist_includes_is_there() -> None:
    paths = release.included(ROOT)
    assert {"ptxgen", "tests", "CONTRIBUTING.md", "CHANGELOG.md", ".ci"} <= set(paths)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_each_distribution_is_built_from_its_own_files(tmp_path: Path) -> None:
    alone, library = release.own_files(), release.library_alone(tmp_path)
    assert "ptxgen/__init__.py" in alone
    assert not [name for name in alone if name.startswith(("driver_ctypes/", *release.library()))]
    copied = {str(path.relative_to(library)) for path in library.rglob("*") if path.is_file()}
    assert {name.split("/")[1] for name in copied - alone} == set(LIBRARY)
    assert copied & alone == {
        "LICENSE", "README.md", "pyproject.toml", "ptxgen/__init__.py", "tools/requirements_hook.py",
    }  # fmt: skip


class Hook:
    """What the hook's class is made of, as hatchling has it: that is installed only where something is built."""

    def __init__(self, root: str, config: dict[str, object]) -> None:
        self.root, self.config = root, config


def test_a_distribution_requires_those_that_are_not_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hatchling.metadata.plugin.interface", SimpleNamespace(MetadataHookInterface=Hook))
    for package in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
        monkeypatch.setitem(sys.modules, package, SimpleNamespace(__path__=[]))
    Requirements = runpy.run_path(str(ROOT / "tools" / "requirements_hook.py"))["Requirements"]
    config = {
        "dependencies": ["jinja2>=3", "driver_ctypes"],
        "beside": {"driver_ctypes": "driver_ctypes"},
        "optional-dependencies": {"more": ["driver_ctypes", "numpy"]},
    }
    metadata = {"version": "1.2"}
    Requirements(str(tmp_path), config).update(metadata)
    assert metadata["dependencies"] == ["jinja2>=3", "driver_ctypes==1.2"]
    assert metadata["optional-dependencies"] == {"more": ["driver_ctypes==1.2", "numpy"]}
    (tmp_path / "driver_ctypes").mkdir()
    Requirements(str(tmp_path), config).update(metadata)
    assert (metadata["dependencies"], metadata["optional-dependencies"]) == (["jinja2>=3"], {"more": ["numpy"]})


def test_what_lists_the_rooms_of_the_library_agrees() -> None:
    assert [f"ptxgen/{room}" for room in LIBRARY] == release.library()
    contracts = (ROOT / "pyproject.toml").read_text()
    (contract,) = re.findall(
        r'^id = "library"\n.*?^forbidden_modules = \[(.*?)^\]', contracts, re.MULTILINE | re.DOTALL
    )
    assert re.findall(r'"ptxgen\.(\w+)"', contract) == list(LIBRARY)


def test_without_the_library_its_names_say_what_to_install(tmp_path: Path) -> None:
    """In a folder with ptxgen's own rooms alone, as its wheel has them."""
    (tmp_path / "ptxgen").mkdir()
    for path in (ROOT / "ptxgen").iterdir():
        if path.name not in LIBRARY:
            (tmp_path / "ptxgen" / path.name).symlink_to(path)
    (tmp_path / "driver_ctypes").symlink_to(ROOT / "driver_ctypes")
    program = """
import ptxgen as px
for name in ("ops", "tune", "Space"):
    try:
        getattr(px, name)
    except ModuleNotFoundError as missing:
        print(missing)
from ptxgen.cli import main
main()
"""
    command = [sys.executable, "-c", program, "emit", "saxpy/f32"]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.stdout.count("pip install 'ptxgen[kernels]'") == 3
    assert (done.returncode, done.stderr.splitlines()) == (
        1,
        [
            "error: ptxgen.kernels belongs to the kernel library, which is not installed",
            "  Fix: pip install 'ptxgen[kernels]'",
        ],
    )


def test_the_changelog_has_a_section_for_the_version() -> None:
    release.check_changelog(release.project_version(ROOT), ROOT)
    with pytest.raises(dev.Trouble, match=r"says version 99\.0"):
        release.check_changelog("99.0", ROOT)


def test_missing_and_strange_files_are_named() -> None:
    assert release.difference("the wheel", {"a", "b"}, {"b", "c"}) == [
        "the wheel lacks c",
        "the wheel has a, which is not tracked",
    ]


def test_a_repacked_wheel_has_the_same_files(tmp_path: Path) -> None:
    """By Python's own archives: Zopfli is in the environment of a release."""
    wheel = tmp_path / "ptxgen-1.whl"
    names = ["ptxgen/b.py", "ptxgen/a.py", "ptxgen-1.dist-info/RECORD"]
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name, (2020, 2, 2, 0, 0, 0)), name * 500, zipfile.ZIP_DEFLATED, 1)
    before, size = wheel_contents(wheel), wheel.stat().st_size
    repack.repack(wheel, zipfile.ZipFile)
    assert [name for name, _, _ in wheel_contents(wheel)] == names
    assert wheel_contents(wheel) == before
    assert wheel.stat().st_size < size
    assert list(tmp_path.iterdir()) == [wheel]


def wheel_contents(wheel: Path) -> list[tuple[str, tuple[int, ...], bytes]]:
    with zipfile.ZipFile(wheel) as archive:
        return [(entry.filename, entry.date_time, archive.read(entry)) for entry in archive.infolist()]


def test_the_files_of_archives(tmp_path: Path) -> None:
    sdist, wheel = tmp_path / "ptxgen-1.tar.gz", tmp_path / "ptxgen-1.whl"
    with tarfile.open(sdist, "w:gz") as archive:
        member = tarfile.TarInfo("ptxgen-1/ptxgen/py.typed")
        archive.addfile(member, io.BytesIO())
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("ptxgen/py.typed", "")
        archive.writestr("ptxgen-1.dist-info/METADATA", "")
    assert release.sdist_files(sdist) == release.wheel_files(wheel) == {"ptxgen/py.typed"}
