"""What every test may use: the device under test, an assembler, and reproducible property tests.

`pytest` runs everything on the CPU device; `pytest --device cuda` runs the same tests on the first GPU. A test that is
about one of the two says so with a mark, and is deselected on the other.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from driver_ctypes.errors import CleanupWarning, FatalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.assembler import Assembled

DEVICES = ("cpu", "cuda")
_QUICK_CASES = 2
"""With --quick, so many cases of a test run."""

SLOW = Path(__file__).with_name("slow.txt")
"""`path::function` of the tests that take more than half a second on one core, as `--durations` shows them."""

# Property tests say the same thing in every run; `--hypothesis-profile=explore` looks for news.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=40,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, max_examples=2_000)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device", choices=DEVICES, default="cpu", help="the device that kernels run on in the tests (default: cpu)"
    )
    parser.addoption(
        "--quick",
        action="store_true",
        help=f"at most {_QUICK_CASES} cases of each test, without the tests that tests/slow.txt lists",
    )


def pytest_configure(config: pytest.Config) -> None:
    if not os.environ.get(
        "PTXGEN_CACHE_DIR"
    ):  # nothing that earlier runs compiled is counted on, nothing is left behind
        folder = tempfile.mkdtemp(prefix="ptxgen-tests-")
        os.environ["PTXGEN_CACHE_DIR"] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ.setdefault(
        "PTXGEN_CPU_WORKERS", "1"
    )  # the same bits on every machine, and processes have their own cores
    for device in DEVICES:
        config.addinivalue_line("markers", f"{device}_only: this test is about the {device} device alone")


def pytest_report_header(config: pytest.Config) -> str:
    return f"device under test: {config.getoption('--device')}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = config.getoption("--device")
    foreign = {f"{device}_only" for device in DEVICES if device != chosen}
    left_out = [item for item in items if any(mark.name in foreign for mark in item.iter_markers())]
    if config.getoption("--quick"):
        left_out += _not_quick(items)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        out = set(left_out)
        items[:] = [item for item in items if item not in out]


def _not_quick(items: list[pytest.Item]) -> list[pytest.Item]:
    """The slow tests, and of each other one all cases but a few that lie evenly in their order."""
    slow = set(SLOW.read_text().split())
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    out: list[pytest.Item] = []
    for name, those in cases.items():
        last = len(those) - 1
        kept = {n * last // (_QUICK_CASES - 1) for n in range(_QUICK_CASES)} if name not in slow else set()
        out += [item for n, item in enumerate(those) if n not in kept]
    return out


@pytest.fixture(scope="session")
def device_name(request: pytest.FixtureRequest) -> str:
    """ "cpu" or "cuda": what `px.device(...)` and `driver_ctypes.driver(...)` take."""
    return str(request.config.getoption("--device"))


@pytest.fixture(autouse=True, scope="module")
def collections_are_quick() -> None:
    """Many tests collect garbage to see that nothing is left. What a file finds there when it begins (the instruction table,
    the tests themselves) is not garbage of its tests: it is never walked again, which took seconds a file."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def the_device_stays_well() -> Iterator[None]:
    """A test that leaves a fault on the shared device fails itself, not those after it: it resets the device or takes a
    process of its own."""
    yield
    machine = sys.modules.get("ptxgen.host.machine")
    for device in list(machine._open.values()) if machine else ():
        context = next((one for one in device.handle.sessions() if one.primary), None)
        if context is None or context.closed:
            continue
        try:
            context.synchronize()
        except (FatalError, CleanupWarning) as fault:
            device.reset()
            pytest.fail(f"the test leaves a fault on {device!r}: {fault}")


@pytest.fixture(autouse=True, scope="module")
def devices_by_name_are_closed() -> Iterator[None]:
    """CPU devices that a file has added to the process hold nothing behind it: other files count what there is."""
    yield
    machine = sys.modules.get("ptxgen.host.machine")
    for (kind, ordinal), device in list(machine._open.items()) if machine else ():
        if kind == "cpu" and ordinal >= sys.modules["ptxgen.emulated_driver.state.machine"].machine.stated:
            gc.collect()
            for context in device.handle.sessions():
                if context.primary and not context.closed:
                    context.close()


@pytest.fixture(scope="session")
def assembler() -> Callable[..., Assembled]:
    """`ptxgen.assembler.assemble` with a working nvJitLink behind it."""
    from ptxgen.assembler import assemble, assemblers

    found = [tool for tool in assemblers() if tool.name == "nvjitlink"]
    if not any(tool.available for tool in found):
        why = "; ".join(tool.reason for tool in found if tool.reason)
        pytest.skip(f"no nvJitLink here ({why}): pip install nvidia-nvjitlink")
    return assemble
