"""The pytest plugin: the fixture `golden`, the option `--bless` and the ini option `ptxgen_golden`.

    def test_saxpy(golden):
        golden("saxpy", "f32", saxpy.module(target="sm_90a"))

`pytest` compares with the entry for sm_90a of `golden/saxpy/f32.*.ptx`, `pytest --bless` pins it. A failure shows the
difference and nothing else: where in the test or in here it was raised says nothing of the kernel. pytest loads this in
every run where ptxgen is installed, so it imports nothing dear.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from ptxgen.ir import Module

__all__ = ["Golden"]

_BLESSED = "ptxgen_blessed"  # the property of a test's report, which pytest-xdist carries to the controlling process
_SHOWN = 60  # most lines of a failure, unless -vv asks for all


class Golden:
    """The fixture `golden`: call it to compare, or under `--bless` to pin."""

    def __init__(self, folder: Path, *, blessing: bool, properties: list[tuple[str, Any]]) -> None:
        self.folder = folder
        self._blessing = blessing
        self._properties = properties

    def __call__(self, name: str, variant: str, module: Module) -> None:
        """Raises GoldenMismatch or GoldenDamaged; under `--bless`, what `ptxgen.golden.bless` raises."""
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed comparison is shown as its message alone."""
    report = yield
    store = sys.modules.get("ptxgen.golden.store")  # not loaded: nothing was compared
    if store and call.excinfo and isinstance(call.excinfo.value, (store.GoldenMismatch, store.GoldenDamaged)):
        lines = f"{call.excinfo.typename}: {call.excinfo.value}".splitlines()
        if len(lines) > _SHOWN and item.config.get_verbosity() < 2:
            # The first line names the file, the last one says what to do.
            cut = len(lines) - _SHOWN
            lines[_SHOWN - 1 : -1] = [f"... and {cut} more lines of the difference (-vv shows them)"]
        # `reprcrash` is the line of the short summary, which pytest neither cuts where CI is set nor under -vv.
        shown = call.excinfo.getrepr(style="value", chain=False)
        shown.reprtraceback.reprentries[-1].lines = lines
        if shown.reprcrash:
            shown.reprcrash.message = lines[0]
        report.longrepr = shown
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which files were written: they are to be read before they are committed."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    written = {value for report in reports for key, value in getattr(report, "user_properties", ()) if key == _BLESSED}
    still = sorted(path for path in written if Path(path).exists())  # the blessing of another target may have merged it
    if still:
        terminalreporter.section("golden files written")
        for path in still:
            terminalreporter.write_line(path)
