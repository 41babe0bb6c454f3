"""The pytest plugin: the fixture `golden`, the option `--bless` and the ini option `ptxgen_golden`.

    def test_saxpy(golden):
        golden("saxpy", "f32", saxpy.module(target="sm_90a"))

`pytest` compares with `golden/saxpy/f32.sm_90a.ptx`, `pytest --bless` writes it. pytest loads this in every run where
ptxgen is installed, so it imports nothing dear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from ptxgen.ir import Module

__all__ = ["Golden"]

_BLESSED = "ptxgen_blessed"  # the property of a test's report, which pytest-xdist carries to the controlling process


class Golden:
    """The fixture `golden`: call it to compare, or under `--bless` to pin."""

    def __init__(self, folder: Path, *, blessing: bool, properties: list[tuple[str, Any]]) -> None:
        self.folder = folder
        self._blessing = blessing
        self._properties = properties

    def __call__(self, name: str, variant: str, module: Module) -> None:
        """Raises GoldenMismatch, or, under `--bless`, what `ptxgen.golden.bless` raises."""
        from ptxgen.golden.store import bless, check

        if not self._blessing:
            check(name, variant, module, folder=self.folder)
            return
        written = bless(name, variant, module, folder=self.folder)
        if written is not None:
            self._properties.append((_BLESSED, str(written)))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptxgen", "golden PTX")
    group.addoption("--bless", action="store_true", help="write golden PTX files instead of comparing with them")
    parser.addini("ptxgen_golden", "folder of golden PTX files, relative to the root folder", default="golden")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a module with its pinned PTX: `golden(kernel's name, variant, module)`; `--bless` pins it."""
    config = request.config
    folder = config.rootpath / str(config.getini("ptxgen_golden"))
    return Golden(folder, blessing=bool(config.getoption("--bless")), properties=request.node.user_properties)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which files were written: they are to be read before they are committed."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    written = sorted(
        {value for report in reports for key, value in getattr(report, "user_properties", ()) if key == _BLESSED}
    )
    if written:
        terminalreporter.section("golden files written")
        for path in written:
            terminalreporter.write_line(path)
