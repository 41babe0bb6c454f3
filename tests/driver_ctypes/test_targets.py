"""Which target a driver can really load, found by trying."""

from __future__ import annotations

import pytest

import driver_ctypes as dc
from ptxgen.isa.targets import TARGETS
from tests.driver_ctypes.fake import Fake
from tests.driver_ctypes.kit import open_driver


@pytest.fixture(scope="module")
def device(device_name):
    return open_driver(device_name).device(0)


@pytest.mark.parametrize(
    "capability, expected",
    [
        ((7, 5), ("sm_75", "sm_70", "sm_60", "sm_50")),
        ((8, 9), ("sm_89", "sm_86", "sm_80", "sm_75", "sm_70", "sm_60", "sm_50")),
        ((9, 0), ("sm_90a", "sm_90", "sm_89", "sm_86", "sm_80", "sm_75", "sm_70", "sm_60", "sm_50")),
        (
            (10, 3),
            (
                "sm_103a",
                "sm_103f",
                "sm_103",
                "sm_100",
                "sm_90",
                "sm_89",
                "sm_86",
                "sm_80",
                "sm_75",
                "sm_70",
                "sm_60",
                "sm_50",
            ),
        ),
    ],
)
def test_candidates(capability, expected):
    assert dc.target_candidates(capability) == expected


def test_the_device_s_own_target_is_the_best(device):
    major, minor = device.compute_capability
    assert device.loadable_target() == dc.target_candidates((major, minor))[0]


def test_trials_say_what_the_driver_answered(device):
    trials = dc.try_targets(device.primary_context(), ["sm_75", "sm_120"])
    assert [trial.loads for trial in trials] == [True, device.compute_capability >= (12, 0)]
    assert trials[1].version == "8.7"
    assert "CUDA_ERROR_" in trials[1].answer


def test_nothing_loads(device):
    with pytest.raises(dc.NoLoadableTargetError, match="loads no target of 2 tried") as caught:
        device.loadable_target(["sm_121a", "sm_120f"])
    assert [target for target, _answer in caught.value.tried] == ["sm_121a (PTX 8.8)", "sm_120f (PTX 8.8)"]
    assert "CUDA_ERROR_INVALID_PTX (218)" in str(caught.value)
    with pytest.raises(dc.ArgumentError, match="'gfx90' is not a target"):
        device.loadable_target(["gfx90"])


def test_an_older_driver_falls_back():
    """The driver takes no PTX 8.0, which brought sm_90a: the plain target is what remains."""
    fake = Fake()
    context = fake.open().device(0).primary_context()
    load = fake.cuModuleLoadDataEx

    def old(out, image, count, options, values):
        import ctypes

        return 222 if b".version 8" in ctypes.string_at(image) else load(out, image, count, options, values)

    fake.cuModuleLoadDataEx = old
    assert context.loadable_target() == "sm_90"


def test_a_lost_context_is_no_answer():
    fake = Fake()
    context = fake.open().device(0).primary_context()
    fake.fail("cuModuleLoadDataEx", 700)
    with pytest.raises(dc.IllegalAddressError):
        context.loadable_target()


@pytest.mark.parametrize("target", [t for t in TARGETS.values() if not t.renamed], ids=lambda target: target.name)
def test_versions_are_those_of_the_manual(target):
    from driver_ctypes.modules.targets import _version_of

    assert _version_of(target.name) == "{}.{}".format(*target.since)
