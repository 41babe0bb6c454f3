"""What caches depend on: every source file that has a part in what they keep, and nothing is forgotten."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from ptxgen.cpu.code import identity
from ptxgen.runtime.code import toolchain
from ptxgen.runtime.programs import fingerprints
from ptxgen.sources import files
from tools.import_circles import Graph, closure, import_graph

PACKAGE = Path(__file__).resolve().parents[1] / "ptxgen"

PTX = ("ptxgen.builder", "ptxgen.kernels", "ptxgen.runtime.programs")
CODE = ("ptxgen.cpu", "ptxgen.emulated_driver.modules")
VERDICTS = ("ptxgen.verifier",)


@cache
def graph() -> Graph:
    """Who imports whom; read when a test asks, since every worker collects this file."""
    return import_graph() | {"ptxgen": {}}  # the root loads every room, each on first use


def stamped(without: dict[str, str]) -> set[str]:
    """The modules whose files are stamped."""
    found = set()
    for name, _path, _mark in files(PACKAGE, without):
        if name.endswith(".py"):
            found.add(".".join(["ptxgen", *Path(name).with_suffix("").parts]).removesuffix(".__init__"))
    return found


@pytest.mark.parametrize("without", [identity.WITHOUT, identity.RUNNING, toolchain.WITHOUT])
def test_what_is_left_out_exists_and_has_a_reason(without: dict[str, str]) -> None:
    assert [name for name in without if not (PACKAGE / name).exists()] == []
    assert all(without.values())


@pytest.mark.parametrize(
    "roots, without, reached",
    [
        # the grid barrier and arguments come from host, whose device may be the emulated one
        (PTX, toolchain.WITHOUT, {"cpu", "emulated_driver"}),
        (CODE, identity.WITHOUT, set()),
        (VERDICTS, identity.RUNNING, set()),
    ],
)
def test_stamps_cover_what_the_imports_reach(
    roots: tuple[str, ...], without: dict[str, str], reached: set[str]
) -> None:
    """A room that is reached and left out stands here: a new one is a question, and never a stale entry."""
    modules = {name for name in closure(graph(), *roots) if name.startswith("ptxgen")}
    assert {name.split(".")[1] for name in modules - stamped(without)} == reached


def test_what_is_known_by_its_name_is_stamped() -> None:
    modules = stamped(toolchain.WITHOUT)
    for room in fingerprints.STAMPED_ROOMS:
        assert f"ptxgen.{room}" in modules


def test_a_root_that_is_no_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        list(files(tmp_path / "nowhere"))
