"""The fuzz targets: some cases of each, what they once found, and that a campaign sees exceptions, hangs, crashes and memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

import ptxgen as px
from tools.fuzz._campaign import arguments_of, campaign
from tools.fuzz._target import Target, load, names, reduced

pytestmark = pytest.mark.cpu_only

CASES = Path(__file__).parent / "fuzz_cases"
KEPT = sorted(CASES.glob("*/*"))
COUNTS = {
    "parser": 60,
    "printer": 40,
    "document": 25,
    "verifier": 20,
    "cache": 20,
    "differences": 6,
    "equality": 10,
    "tensormap": 20,
    "driver": 4,
    "executor": 2,
    "tensorcore": 4,
    "kernels": 3,
}
"""Cases of each target here: a moment's work."""

IN_ITS_OWN_PROCESS = ("driver", "tensormap")
"""What sets the process's device up in its own way."""

shared = cache(load)


@pytest.fixture(autouse=True, scope="module")
def the_process_as_it_was() -> Iterator[None]:
    """Targets set the environment of a process of their own; the device here has its memory before they do."""
    before = dict(os.environ)
    px.device("cpu").zeros(1, px.u8).close()
    yield
    os.environ.clear()
    os.environ.update(before)


def test_every_target_is_tried() -> None:
    assert sorted(COUNTS) == names()


@pytest.mark.parametrize("name", sorted(set(COUNTS) - set(IN_ITS_OWN_PROCESS)))
def test_some_cases(name: str) -> None:
    target: Target = shared(name)
    for number in range(COUNTS[name]):
        target.judge(target.draw(Random(f"tests:{number}")))


@pytest.mark.parametrize("name", IN_ITS_OWN_PROCESS)
def test_some_cases_of_a_device_of_their_own(name: str) -> None:
    result = campaign(name, seed="tests", cases=COUNTS[name], seconds=100)
    assert (result.cases, result.findings) == (COUNTS[name], [])


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_was_found_stays_mended(path: Path) -> None:
    shared(path.parent.name).judge(path.read_text())


def test_a_case_is_drawn_from_seed_and_number_alone() -> None:
    target = shared("verifier")
    assert target.draw(Random("0:7")) == target.draw(Random("0:7")) != target.draw(Random("1:7"))


def test_a_campaign_sees_what_goes_wrong() -> None:
    seed = "14"
    kinds = [Random(f"{seed}:{number}").randrange(10) for number in range(12)]
    assert {3, 5, 7, 9} <= set(kinds)  # a seed that has one of each
    result = campaign("tests.tools.faulty_target", seed=seed, cases=12, seconds=120, memory=128 << 20)
    assert result.cases == 12
    found = Counter(finding.what.split(" at ")[0] for finding in result.findings)
    assert found == {
        "KeyError": 1,  # the same again is one finding
        "the process ended with status 5": kinds.count(5),
        "no end within 2 s": kinds.count(7),
        "more than 128 MiB of memory": kinds.count(9),
    }


def test_a_finding_is_made_smaller() -> None:
    text = "".join(f"line {number}\n" for number in range(50))
    assert reduced(text, lambda less: "line 7\n" in less and "line 31\n" in less) == "line 7\nline 31\n"


def test_a_wrong_command_line_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        arguments_of(["parsre"])
    assert "no target named parsre; there are: cache, differences, document, driver" in capsys.readouterr().err
