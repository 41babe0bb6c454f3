"""A whole run of pytest: which goldens were written, asked about and used, and which nobody uses.

An unused golden is known only after a run of every test that may use one. What may be missing is looked for in each place
where tests get lost: named, deselected or ignored ones, files that were not collected, tests that failed, were skipped or never
ran. Where something is missing nothing is said to be unused, and the reason is given.
"""

from __future__ import annotations

import fnmatch
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.golden.records import RECORD, Pending

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.golden.records import Record

__all__ = ["GoldenRun"]


class GoldenRun:
    """A plugin of its own, made for each run: its hooks gather, the last ones report."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.folder: Path = config.rootpath / str(config.getini("ptxgen_golden"))
        self.strict: bool = bool(config.getini("ptxgen_golden_strict"))
        self._mode: str | None = config.getoption("--golden-unused")
        self._records: list[Record] = []
        self._passed: set[str] = set()
        self._tests: set[str] = set()
        self._left_out: set[str] = set()
        self._files: set[str] = set()
        self._written: list[list[str]] = []
        self._refused: list[str] = []
        self._unused: list[str] = []

    # ---- while tests run ---------------------------------------------------------------------------------------------

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._tests.update(item.nodeid for item in session.items if _uses_golden(item))
        self._files.update(str(item.path) for item in session.items)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._left_out.update(item.nodeid for item in items if _uses_golden(item))
        self._files.update(str(item.path) for item in items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)
        record: Record | None = getattr(report, RECORD, None)
        if record is not None:
            self._records.append(record)
            self._tests.add(report.nodeid)  # one that asks for the fixture by name only while it runs

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist is done; it alone knows what it collected."""
        for mine, theirs in zip(self._collected, getattr(node, "workeroutput", {}).get(RECORD, ())):
            mine.update(theirs)

    @property
    def _collected(self) -> tuple[set[str], set[str], set[str]]:
        return self._tests, self._left_out, self._files

    # ---- at the end --------------------------------------------------------------------------------------------------

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[RECORD] = [sorted(each) for each in self._collected]
            return
        self._written = [each for record in self._records for each in record["written"]]
        pending = [Pending(*each) for record in self._records for each in record["pending"]]
        if pending:
            self._review(pending)
        failed = bool(self._refused)
        if self._mode is not None and not self.config.getoption("collectonly"):
            failed |= self._look_for_unused()
        if failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _review(self, pending: list[Pending]) -> None:
        from ptxgen.golden.review import review

        terminal = self.config.get_terminal_writer()
        capture = self.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)

        def ask(question: str) -> str:
            terminal.write(question, flush=True)
            return input()

        try:
            written, self._refused = review(pending, self.folder, say=terminal.line, ask=ask, strict=self.strict)
        finally:
            if capture is not None:
                capture.resume_global_capture()
        self._written += written

    def _look_for_unused(self) -> bool:
        """Is there an unused golden that makes the run fail?"""
        from ptxgen.golden.files import GoldenDamaged
        from ptxgen.golden.store import drop, strays, unused

        missing = next(self._missing(), None)
        if missing is not None:
            self._unused = [f"not looked for: {missing}"]
            return False
        used = {(name, variant, target) for record in self._records for name, variant, target in record["used"]}
        try:
            found = unused(used, folder=self.folder)
        except GoldenDamaged as damaged:
            self._unused = [str(damaged)]
            return self._mode != "list"
        dropped = self._mode == "drop"
        for entry in found if dropped else ():
            drop(*entry[:3], folder=self.folder)
        others = strays(self.folder)
        self._unused = [f"{each.path} for {each.target}{': removed' if dropped else ''}" for each in found]
        self._unused += [f"{path} is not a golden" for path in others]
        return self._mode == "fail" and bool(found or others)

    def _missing(self) -> Iterator[str]:
        """Why this run may not have used every golden that a test uses."""
        if any("::" in argument for argument in self.config.args):
            yield "single tests were named"
        if self._left_out:
            yield f"{_some(self._left_out)} not selected"
        not_passed = self._tests - self._passed
        if not_passed:
            yield f"{_some(not_passed)} failed, skipped or not run"
        not_collected = [path for path in self._test_files() if path not in self._files and _may_use_golden(path)]
        if not_collected:
            yield f"no test was collected from {_some(not_collected)}, where goldens may be used"

    def _test_files(self) -> Iterator[str]:
        """The files that pytest takes for tests when it is told of none."""
        patterns, skipped = self.config.getini("python_files"), self.config.getini("norecursedirs")
        for root in self.config.getini("testpaths") or ["."]:
            for top in sorted(self.config.rootpath.glob(root)) if root != "." else [self.config.rootpath]:
                if top.is_file():
                    yield str(top)
                for folder, folders, files in os.walk(top):
                    folders[:] = sorted(
                        name
                        for name in folders
                        if not any(fnmatch.fnmatch(name, each) for each in skipped)
                        and not Path(folder, name, "pyvenv.cfg").exists()
                    )
                    paths = (str(Path(folder, name)) for name in sorted(files))
                    yield from (path for path in paths if any(fnmatch.fnmatch(path, f"*/{each}") for each in patterns))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say which files were written, which are to be read before they are committed, and what nobody uses."""
        # The blessing of another target may have merged a file into another.
        written = {path: remark for path, remark in self._written if Path(path).exists()}
        sections = {
            "golden files written": [
                f"{path} ({written[path]})" if written[path] else path for path in sorted(written)
            ],
            "golden files not written": self._refused,
            "unused golden files": self._unused,
        }
        for title, lines in sections.items():
            if lines:
                terminalreporter.section(title)
                for line in lines:
                    terminalreporter.write_line(line)


def _uses_golden(item: pytest.Item) -> bool:
    return "golden" in getattr(item, "fixturenames", ())


def _may_use_golden(path: str) -> bool:
    """Does a test file, or a conftest.py above it, mention the fixture?"""
    above = [folder / "conftest.py" for folder in Path(path).parents]
    return any(re.search(rb"\bgolden\b", each.read_bytes()) for each in (Path(path), *above) if each.is_file())


def _some(names: set[str] | list[str]) -> str:
    first = min(names)
    return first if len(names) == 1 else f"{first} and {len(names) - 1} more"
