"""`ptxgen demo`: what it says, and that it fails when a kernel does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen import f32, kernels, u64
from ptxgen.kernels import Case, KernelPlan, Variant, find

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Command = Callable[..., Result]


def test_one_kernel(ptxgen: Command, device_name: str) -> None:
    result = ptxgen("demo", "saxpy/f32", "--device", device_name)
    assert result.exit_code == 0, result.output
    assert f"device: {device_name}:0" in result.stdout
    assert "1 of 1 kernels are right" in result.stdout


def test_json_has_a_row_for_each_variant_of_a_family(ptxgen: Command, device_name: str) -> None:
    said = json.loads(ptxgen("demo", "saxpy", "--device", device_name, "--json").stdout)
    assert said["ok"]
    assert said["device"]["name"] == f"{device_name}:0"
    assert [row["kernel"] for row in said["kernels"]] == [v.label for v in kernels.CATALOGUE["saxpy"]]
    assert all(row["lines"] and row["emit"] and row["load"] and row["run"] for row in said["kernels"])


def test_a_kernel_that_needs_zeros_is_timed_on_new_ones(ptxgen: Command, device_name: str) -> None:
    result = ptxgen("demo", "prefix/sum.f32", "radix_sort/u32", "--device", device_name)
    assert result.exit_code == 0, result.output


def test_an_unknown_kernel_is_wrong_usage(ptxgen: Command) -> None:
    result = ptxgen("demo", "daxpy")
    assert result.exit_code == 2
    assert "there are saxpy, " in result.stderr


def test_a_wrong_result_fails(ptxgen: Command, device_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    good = find("saxpy/f32")

    def off_by_one(size: Any, rng: Any) -> Case:
        case = good.make(size, rng)
        return case._replace(expected={name: values + 1 for name, values in case.expected.items()})

    wrong = good._replace(name="off-by-one", make=off_by_one)
    monkeypatch.setattr(kernels, "CATALOGUE", {"saxpy": (wrong, good)})
    result = ptxgen("demo", "--device", device_name)
    assert result.exit_code == 1
    assert "saxpy/off-by-one: the launch is wrong: largest error 1" in result.stdout
    assert "1 of 2 kernels are right" in result.stdout


@px.kernel
def beyond(k: px.Builder, n: u64, a: f32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    y[n + (1 << 44)] = a  # where no memory of other tests can lie


@pytest.mark.cpu_only  # a GPU's process ends with its first fault
def test_a_fault_fails_and_the_next_kernel_runs(ptxgen: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    good = find("saxpy/f32")

    def faulty(size: Any, rng: Any) -> Case:
        case = good.make(size, rng)
        return case._replace(plan=lambda on: KernelPlan(beyond, 1, 32, (size, 1.0, on["x"], on["y"])))

    bad = Variant(*good)._replace(name="faulty", kernel=beyond, make=faulty)
    monkeypatch.setattr(kernels, "CATALOGUE", {"saxpy": (bad, good)})
    result = ptxgen("demo", "--device", "cpu", "--json")
    assert result.exit_code == 1
    faulted, fine = json.loads(result.stdout)["kernels"]
    assert "illegal" in faulted["problem"]
    assert fine["problem"] is None
