"""px.check_schedules: the same launch under many schedules of the CPU device."""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import bf16, f32, u32

pytestmark = pytest.mark.cpu_only
unwaited = pytest.mark.filterwarnings("ignore:.*PTX513:ptxgen.errors.PtxWarning")
"""The verifier finds what these tests leave out."""


@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])


@px.kernel
def reversed_tile(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32], *, waits: bool) -> None:
    """64 numbers in reverse order, by way of shared memory; without `waits` its copy is not waited for."""
    tile, i = k.shared(f32, 64), k.tid.x
    k.ptx.cp.async_.ca.shared.global_([tile.at(i)], [x.at(i)], 4)
    k.ptx.cp.async_.commit_group()
    if waits:
        k.ptx.cp.async_.wait_group(0)
    k.barrier()
    y[i] = tile[63 - i]


def test_a_program_that_waits(dev: px.Device) -> None:
    x, y = dev.array(np.arange(100), f32), dev.full(100, 3, f32)
    assert px.check_schedules(saxpy[1, 128], (100, 2.0, x, y)) == ()
    assert np.array_equal(y.numpy(), 2 * np.arange(100) + 3)  # launched once, as far as that shows
    assert px.check_schedules(lambda a, b: reversed_tile[1, 64](a, b, waits=True), (x, y)) == ()


@unwaited
def test_a_missing_wait(dev: px.Device) -> None:
    x, y = dev.array(np.arange(64), f32), dev.zeros(64, f32)
    copies = dev.copies
    found = px.check_schedules(lambda a, b: reversed_tile[1, 64](a, b, waits=False), (x, y))
    assert {"early, budget 16", "early, budget 1"} <= {str(each.schedule) for each in found}
    first = found[0]
    assert (first.argument, first.differing, first.size, first.place, first.found) == (1, 32, 64, (32,), 31.0)
    assert str(first) == (
        "early, budget 16: 32 of 64 elements of argument 1 differ from those of late, budget 16, first [32]: 31.0, there nan"
    )
    assert dev.copies == copies


@unwaited
def test_some_schedules(dev: px.Device) -> None:
    x, y = dev.array(np.arange(64), f32), dev.zeros(64, f32)
    launch = lambda a, b: reversed_tile[1, 64](a, b, waits=False)
    late, early = px.Schedule("late"), px.Schedule("early", 2)
    assert px.check_schedules(launch, (x, y), (late, late)) == ()
    assert [each.schedule for each in px.check_schedules(launch, (x, y), (late, early))] == [early]
    assert px.check_schedules(launch, (x, y), ()) == ()
    with pytest.raises(ValueError, match="copies is"):
        px.check_schedules(launch, (x, y), (px.Schedule("soon"),))
    with pytest.raises(ValueError, match="budget"):
        px.check_schedules(launch, (x, y), (px.Schedule("late", 0),))


def test_elements_of_two_bytes_and_more_dimensions(dev: px.Device) -> None:
    x = dev.array(np.arange(6).reshape(2, 3), bf16)
    values = iter(range(9))
    (found, *_more) = px.check_schedules(
        lambda x: x[1].fill(next(values)), (x,), (px.Schedule("late"), px.Schedule("early"))
    )
    assert (found.place, found.differing, found.size, found.found, found.expected) == ((1, 0), 3, 6, 1.0, 0.0)


def test_without_an_array(dev: px.Device) -> None:
    with pytest.raises(dc.ArgumentTypeError, match="no argument is an array"):
        px.check_schedules(lambda: None, ())


def test_what_a_launch_raises_goes_on(dev: px.Device) -> None:
    x = dev.zeros(1, u32)
    copies = dev.copies
    with pytest.raises(px.Error) as caught:
        px.check_schedules(saxpy[1, 128], (x,))
    assert dev.copies == copies
    if hasattr(caught.value, "__notes__"):  # Python 3.11
        assert caught.value.__notes__ == ["raised under the schedule late, budget 16"]
