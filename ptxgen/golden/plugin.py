"""The pytest plugin: the fixture `golden`, its options, and how a failure is shown.

    def test_saxpy(golden):
        golden("saxpy", {"unroll": 4}, saxpy, targets=("sm_80", "sm_90a"))

`pytest` compares with the entries of `golden/saxpy/unroll=4.*.ptx`, `pytest --bless` pins them. A failure shows the
difference and nothing else: where in the test or in here it was raised says nothing of the kernel. pytest loads this in
every run where ptxgen is installed, so it imports nothing dear. `fixture.py` is what one test does, `run.py` (the hooks of a
whole run) what all of them come to: what was written, what nobody used.

A test's record travels on its last report, which pytest-xdist carries to the controlling process; there alone questions
are asked, and goldens are said to be unused.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ptxgen.golden.records import RECORD
from ptxgen.golden.run import GoldenRun

if TYPE_CHECKING:
    from collections.abc import Generator

    from ptxgen.golden.fixture import Golden

_SHOWN = 60  # most lines of a failure, unless -vv asks for all
_run = pytest.StashKey[GoldenRun]()
_golden = pytest.StashKey["Golden"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptxgen", "golden PTX")
    group.addoption("--bless", action="store_true", help="write golden PTX files instead of comparing with them")
    group.addoption(
        "--bless-only", action="append", metavar="PATTERN", default=[],
        help="bless goldens whose KERNEL, KERNEL/VARIANT or KERNEL/VARIANT.TARGET this is, with * and ?; compare the others. "
        "May be repeated.",
    )  # fmt: skip
    group.addoption(
        "--bless-ask", action="store_true", help="show each difference at the end, and ask whether to bless it"
    )
    group.addoption(
        "--golden-unused", choices=("list", "fail", "drop"),
        help="after a run of every test that uses goldens: list those that none has used, fail, or remove them",
    )  # fmt: skip
    parser.addini("ptxgen_golden", "folder of golden PTX files, relative to the root folder", default="golden")
    parser.addini("ptxgen_golden_level", "how goldens are compared: exact, semantic or resources", default="exact")
    parser.addini(
        "ptxgen_golden_strict", type="bool", default=True,
        help="whether the verifier's warnings, and the lack of an assembler for its target, keep a golden from being blessed",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    _share_cores()
    run = config.stash[_run] = GoldenRun(config)
    config.pluginmanager.register(run, "ptxgen_golden_run")


def _share_cores() -> None:
    """The processes of pytest-xdist share the cores out: the CPU device of each takes its part."""
    processes = os.environ.get("PYTEST_XDIST_WORKER_COUNT")
    if processes and "PTXGEN_CPU_WORKERS" not in os.environ:
        from ptxgen.cpu.cores import cores

        os.environ["PTXGEN_CPU_WORKERS"] = str(max(1, cores() // int(processes)))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a program with its pinned PTX: `golden(kernel's name, variant, program)`; `--bless` pins it."""
    from ptxgen.golden.fixture import Golden

    config = request.config
    ask, only = bool(config.getoption("--bless-ask")), config.getoption("--bless-only")
    made = request.node.stash[_golden] = Golden(
        config.stash[_run].folder,
        blessing=only or (["*"] if ask or config.getoption("--bless") else []),
        ask=ask,
        level=str(config.getini("ptxgen_golden_level")),
        strict=config.stash[_run].strict,
    )
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report gets the record of what the fixture did; what failed in there is shown as its message alone."""
    report = yield
    used = item.stash.get(_golden, None)
    if used is not None and call.when == "teardown":
        setattr(report, RECORD, used.record)
    if used is not None and call.excinfo is not None and call.excinfo.value is used.failure:
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
