"""Each step of the tutorial's GEMM against numpy, and what its text says about it."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import ptxgen as px
from examples.hopper_gemm.problem import difference
from tools.bench.tutorial_gemm import STEPS


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("wgmma needs sm_90a")
    return device


def module(step: str):
    return importlib.import_module(f"examples.hopper_gemm.{step}")


@pytest.mark.parametrize("step", STEPS)
def test_a_step_multiplies(dev, step: str) -> None:
    assert difference(module(step).multiply, dev, (136, 264, 72)) == 0


def test_every_step_is_measured_and_has_a_section() -> None:
    root = Path(__file__).resolve().parents[2]
    assert list(STEPS) == sorted(path.stem for path in (root / "examples" / "hopper_gemm").glob("step*.py"))
    page = (root / "docs" / "tutorials" / "hopper-gemm.md").read_text("utf-8")
    assert all(page.count(f"examples/hopper_gemm/{step}.py") >= 2 for step in STEPS)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_legal_and_clean(step: str) -> None:
    assert px.verify(module(step).gemm.module(target="sm_90a")) == []
