"""`ptxgen stress`, on the device under test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ptxgen.cli.cmd_stress import Anomaly, Cycle, _of_times
from ptxgen.kernels import find

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Command = Callable[..., Result]


@pytest.fixture
def stress(ptxgen: Command, device_name: str) -> Callable[..., Result]:
    return lambda *arguments: ptxgen("stress", *arguments, "--device", device_name)


def test_cycles_pass_and_are_the_same_again(stress: Command) -> None:
    first = json.loads(stress("saxpy", "transpose", "--cycles", 6, "--json").stdout)
    assert (first["cycles"], first["failed"], first["passed_percent"]) == (6, 0, 100.0)
    assert first["peak_bytes"] > 0
    assert [a for a in first["anomalies"] if a["kind"] in ("failure", "leak")] == []
    again = json.loads(stress("saxpy", "transpose", "--cycles", 6, "--json").stdout)
    assert again["peak_bytes"] == first["peak_bytes"]
    other = json.loads(stress("saxpy", "transpose", "--cycles", 6, "--seed", 7, "--json").stdout)
    assert other["peak_bytes"] != first["peak_bytes"]


def test_limits_are_told_and_do_not_fail(stress: Command) -> None:
    result = stress("saxpy/f32", "--cycles", 2, "--slow", 0, "--memory", 0.001, "--json")
    assert result.exit_code == 0
    kinds = {anomaly["kind"] for anomaly in json.loads(result.stdout)["anomalies"]}
    assert "slow" in kinds


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variant whose expected result is off."""
    variant = find("saxpy/f32")
    kernels = __import__("ptxgen.cli.cmd_demo", fromlist=["chosen"])

    def make(size: Any, rng: np.random.Generator) -> Any:
        case = variant.make(1000, rng)
        return case._replace(expected={name: values + 1 for name, values in case.expected.items()})

    monkeypatch.setattr(kernels, "chosen", lambda names: [variant._replace(make=make)])


@pytest.mark.usefixtures("wrong")
def test_failures_are_found_and_given_again(stress: Command) -> None:
    result = stress("--cycles", 3, "--json")
    assert result.exit_code == 1
    said = json.loads(result.stdout)
    assert said["failed"] == 3
    failure = next(a for a in said["anomalies"] if a["kind"] == "failure")
    assert failure["variant"] == "saxpy/f32"
    again = json.loads(stress("--cycles", 1, "--seed", failure["seed"], "--json").stdout)
    assert again["anomalies"][0]["detail"] == failure["detail"]
    assert stress("--cycles", 3, "--failures", 100).exit_code == 0
    assert "0 of 3 cycles passed" in stress("--cycles", 3).stdout


def test_times_that_vary_and_their_spikes() -> None:
    variant = find("saxpy/f32")
    times = [100.0, 1.0, 1.0, 1.0, 9.0]
    found = _of_times([Cycle(variant, 7, seed, ms, 0) for seed, ms in enumerate(times)], 0.2)
    assert [(a.kind, a.cycle) for a in found] == [("variation", -1), ("spike", 4)]
    assert found[1] == Anomaly("spike", "saxpy/f32", "7", 4, 4, "9.0 ms, the median is 1.0")
    assert _of_times([Cycle(variant, 7, 0, 1.0, 0) for _ in range(9)], 0.2) == []
    assert _of_times([Cycle(variant, 7, 0, ms, 0) for ms in (1.0, 5.0)], 0.2) == []  # too few


def test_an_unknown_kernel(stress: Command) -> None:
    result = stress("fft")
    assert result.exit_code == 2
    assert "no kernel 'fft'" in result.stderr
