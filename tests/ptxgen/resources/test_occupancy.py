"""Resident CTAs of a target: the guide's numbers, and those that a device's driver gives for its own limits."""

from __future__ import annotations

import pytest

import ptxgen as px
from driver_ctypes import Limits
from ptxgen.isa.targets import find_target
from ptxgen.resources import occupancy
from ptxgen.resources.residency import limits


@pytest.mark.parametrize(
    "target, threads, registers, shared, expected",
    [  # CTAs, part of the warps, what limits
        ("sm_90a", 256, 32, 0, (8, 1.0, "threads")),
        ("sm_90a", 256, 33, 0, (6, 0.75, "registers")),  # registers are handed out in steps of 8 a thread
        ("sm_90a", 256, 40, 0, (6, 0.75, "registers")),
        ("sm_90a", 128, 255, 0, (2, 0.125, "registers")),
        ("sm_90a", 32, 16, 0, (32, 0.5, "CTAs")),
        ("sm_90a", 128, 32, 100 * 1024, (2, 0.125, "shared memory")),
        ("sm_90a", 1024, 65, 0, (0, 0.0, "registers")),
        ("sm_75", 256, 32, 0, (4, 1.0, "threads")),
        ("sm_75", 1024, 64, 0, (1, 1.0, "threads")),
        ("sm_86", 512, 32, 0, (3, 1.0, "threads")),
        ("sm_80", 48, 16, 0, (32, 1.0, "threads")),  # one and a half warps take two
    ],
)
def test_occupancy(target: str, threads: int, registers: int, shared: int, expected: tuple[int, float, str]) -> None:
    found = occupancy(target, threads, registers, shared)
    assert (found.ctas, found.fraction, found.limited_by) == expected


@pytest.mark.parametrize("threads", [0, -1, 1025])
def test_threads_that_no_cta_has(threads: int) -> None:
    with pytest.raises(ValueError, match="a CTA has 1 to 1024"):
        occupancy("sm_90a", threads, 32)


def test_a_target_s_limits_are_those_of_its_devices(device_name: str) -> None:
    dev = px.device(device_name)
    assert limits(find_target(dev.target))[1:] == Limits.of(dev.handle)[1:]
