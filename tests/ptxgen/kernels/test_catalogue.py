"""Every variant of every kernel: run on every kind of problem, and compared with numpy.

That every variant is built and assembled for every target is tested with its golden text: `tests/ptxgen/golden`.
"""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen.kernels import CATALOGUE, TARGETS, find

EVERY = [variant for variants in CATALOGUE.values() for variant in variants]
HOPPER = [variant for variant in EVERY if "sm_90a" not in variant.absent]
"""What an H200 has, and the CPU device unless it is told to be another one; the others are in test_gemm_blackwell.py."""
PROBLEMS = [pytest.param(v, size, id=f"{v.label}-{size}") for v in HOPPER for size in v.sizes]


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


@pytest.mark.parametrize("variant, size", PROBLEMS)
def test_the_result_is_that_of_numpy(dev, variant, size):
    outcome = variant.case(size).run(dev)
    assert outcome.passed, f"off by {outcome.error}, {outcome.part:.3g} times what is allowed"


def test_labels_are_unique_and_found():
    labels = [variant.label for variant in EVERY]
    assert len(set(labels)) == len(labels)
    assert find("saxpy/f32").kernel is CATALOGUE["saxpy"][0].kernel
    with pytest.raises(KeyError, match=r"no variant 'saxpy/u7'; there are saxpy/f32, "):
        find("saxpy/u7")


def test_a_reason_is_given_for_every_target_that_a_variant_leaves_out():
    assert all(set(v.absent) <= set(TARGETS) and all(v.absent.values()) for v in EVERY)


def test_problems_are_the_same_in_every_run():
    one, same, other = (find("saxpy/f32").case(100, seed).arrays["x"].values for seed in (1, 1, 2))
    assert one.tobytes() == same.tobytes() != other.tobytes()


def test_a_wrong_result_is_noticed(dev):
    case = find("saxpy/f32").case(1000)
    arrays, plan = case.on(dev)
    plan.launch()
    assert case.compare(arrays).passed
    arrays["y"].copy_from(case.expected["y"].astype("float32") * 1.0001)
    outcome = case.compare(arrays)
    assert not outcome.passed
    assert outcome.part > 1


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_a_result_that_is_no_number_is_wrong(dev, wrong):
    case = find("saxpy/f32").case(10)
    arrays, _ = case.on(dev)
    arrays["y"].fill(wrong)
    assert case.compare(arrays) == (float("inf"), float("inf"), False)
