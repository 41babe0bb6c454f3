"""The house as a whole: names of rooms and modules, imports by path, and that every test is run."""

from __future__ import annotations

import fnmatch
import importlib
import sys
from pathlib import Path

import pytest

import driver_ctypes
import ptxgen
from tests import extras
from tools.import_circles import circles, import_graph, sources

ROOT = Path(__file__).resolve().parents[1]
MODULES = sources(ROOT)


@pytest.mark.parametrize("package", [ptxgen, driver_ctypes], ids=lambda package: package.__name__)
def test_no_room_or_module_has_the_name_of_a_public_function(package) -> None:
    """A submodule becomes an attribute of its package when it is imported, and would hide the function."""
    public = set(package.__all__) - set(package._EXPORTS.get("", "").split())  # a room that is itself public
    assert [
        name for name in MODULES if name.startswith(f"{package.__name__}.") and name.rpartition(".")[2] in public
    ] == []


@pytest.mark.parametrize("name", sorted(MODULES))
def test_every_module_is_imported_by_its_path(name: str) -> None:
    if name == "ptxgen.__main__":
        return  # it runs the command
    module = extras.module(name)
    assert sys.modules[name] is module
    parent, _, last = name.rpartition(".")
    if parent:
        assert getattr(importlib.import_module(parent), last) is module


def test_circles_of_imports_are_small() -> None:
    """Imports for type checking and inside functions count. Each circle that is left is explained in a docstring of its files."""
    found = circles(import_graph(ROOT))
    assert [circle for circle in found if len(circle) > 8] == []
    assert len(found) <= 16, "a new circle: tools/import_circles.py --why A B shows the imports that make it"


def test_every_test_file_is_collected(pytestconfig: pytest.Config) -> None:
    """Folders that pytest skips (norecursedirs, `build` among them) would keep their tests from ever running."""
    skipped = pytestconfig.getini("norecursedirs")
    lost = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if any(fnmatch.fnmatch(part, pattern) for part in path.relative_to(ROOT).parts[:-1] for pattern in skipped)
    ]
    assert lost == []
    strays = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if not path.name.startswith("test_") and "\ndef test_" in path.read_text()
    ]
    assert strays == [], "a test in a file that pytest does not collect"


def test_every_slow_test_is_there() -> None:
    """`pytest --quick` leaves out what tests/slow.txt lists; a name that is gone would leave out nothing."""
    listed = (ROOT / "tests" / "slow.txt").read_text().split()
    assert listed == sorted(set(listed))
    for line in listed:
        path, _, name = line.partition("::")
        assert f"def {name.rpartition('::')[2]}(" in (ROOT / path).read_text(), line
