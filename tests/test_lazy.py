"""Names that are loaded on first use: the lists of them agree, and nothing writes such a list in another way."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

import driver_ctypes as dc
from driver_ctypes.lazy import exports
from tests import extras
from tools.import_circles import sources

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {name: source.path for name, source in sources(ROOT).items() if source.is_package}
HIDING = {"jax", "torch"}
"""Names that `from ptxgen import *` leaves out: of libraries that a program has imported under them."""
LAZY = [name for name, path in PACKAGES.items() if "_EXPORTS" in path.read_text()]


def imported_for_type_checkers(path: Path) -> dict[str, set[str]]:
    """The names under `if TYPE_CHECKING:` in an `__init__.py`, or in its stub, by the modules that they come from."""
    stub = path.with_suffix(".pyi")
    body = ast.parse((stub if stub.exists() else path).read_text()).body
    if not stub.exists():
        body = [
            each
            for node in body
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for each in node.body
        ]
    found: dict[str, set[str]] = {}
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names = {alias.name for alias in node.names}
            if names == {"*"}:
                module = importlib.import_module(node.module)
                names = {
                    each
                    for each, value in vars(module).items()
                    if getattr(value, "__module__", "") == node.module and not each.startswith("_")
                }
            found.setdefault(node.module, set()).update(names)
    return found


@pytest.mark.parametrize("name", LAZY)
def test_the_lists_of_names_agree(name: str) -> None:
    package = importlib.import_module(name)
    table = {f"{name}.{module}".rstrip("."): set(names.split()) for module, names in package._EXPORTS.items()}
    assert imported_for_type_checkers(PACKAGES[name]) == table
    lazy = set().union(*table.values())
    assert len(lazy) == sum(map(len, table.values())), "a name is in two modules"
    if hasattr(package, "__all__"):
        assert len(set(package.__all__)) == len(package.__all__)
        assert lazy - HIDING <= set(package.__all__)
        assert set(package.__all__) <= set(dir(package))
    for module in sorted(table):
        extras.module(module)
    for each in lazy:
        assert getattr(package, each) is vars(package)[each]


def test_every_lazy_package_uses_the_one_function() -> None:
    assert len(LAZY) >= 14
    other = [name for name, path in PACKAGES.items() if "def __getattr__" in path.read_text()]
    assert other == []


def test_the_stub_of_the_binding_has_every_name() -> None:
    stub = ast.parse((Path(dc.__file__).parent / "__init__.pyi").read_text())
    (told,) = [each.value for each in stub.body if isinstance(each, ast.Assign)]
    assert sorted(ast.literal_eval(told)) == dc.__all__


def test_an_unknown_name_is_refused_and_the_nearest_one_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tests_of_lazy", type(sys)("tests_of_lazy"))
    load, names = exports("tests_of_lazy", {"tree": "Leaf"})
    assert "Leaf" in names()
    with pytest.raises(AttributeError, match="module 'tests_of_lazy' has no attribute 'Leav'") as caught:
        load("Leav")
    assert caught.value.name == "Leav"
    assert caught.value.obj is sys.modules["tests_of_lazy"]
