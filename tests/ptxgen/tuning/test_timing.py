"""The clock on the device: graphs of a candidate's launches between events; and that it frees what it took."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen import u32
from ptxgen.kernels.space import Config
from ptxgen.tuning.timing import DeviceTimer, Work, sets_of

if TYPE_CHECKING:
    from collections.abc import Callable


@px.kernel
def count(k: px.Builder, x: px.ptr[u32], *, steps: int = 1) -> None:
    with k.if_(k.tid.x == 0):
        for _ in k.range(steps):
            k.atomic_add(x, 0, 1)


@pytest.fixture
def dev(device_name: str) -> px.Device:
    return px.device(device_name)


def work(dev: px.Device, *arrays: px.Array, steps: int = 1) -> Work:
    def launch(array: px.Array) -> Callable[[], None]:
        bound = count.bind(1, 32, device=dev, steps=steps)
        return lambda: bound(array)

    return Work(Config({"steps": steps}), (1,), tuple(map(launch, arrays)))


@pytest.mark.parametrize("cache", ["cold", "warm"])
@pytest.mark.parametrize("sets", [1, 3])
def test_times_are_of_one_launch_and_everything_is_freed(dev: px.Device, cache: str, sets: int) -> None:
    arrays = [dev.zeros(1, u32) for _ in range(sets)]
    stream = dev.stream()
    with dev.use(stream):
        short, long = work(dev, *arrays), work(dev, *arrays, steps=20_000)
        gc.collect()  # what earlier tests left is not freed meanwhile
        before = dev.context.live_handles()
        timer = DeviceTimer(dev, stream, cache)
        quickest = [
            min(timer(each) for _ in range(4)) for each in (short, long)
        ]  # other processes disturb single times
        assert 0 < quickest[0] < quickest[1]
        timer.close()
    counts = [int(array.numpy()[0]) for array in arrays]
    assert min(counts) == max(counts) > 40_000, "buffers are taken in turn"
    assert dev.context.live_handles() == before
    stream.close()


def test_work_that_goes_elsewhere_is_not_timed(dev: px.Device) -> None:
    with dev.stream() as stream, dev.use(stream):
        timer = DeviceTimer(dev, stream)
        with pytest.raises(px.TuneError, match="n=1 launches nothing on the stream that is timed"):
            timer(Work(Config({"n": 1}), (1,), (lambda: None,)))
        timer.close()


def test_sets_are_more_than_the_cache_holds(dev: px.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    cache: Any = {38: 50 << 20}
    monkeypatch.setattr(dev, "kind", "cuda")
    monkeypatch.setattr(dev.handle, "attribute", cache.__getitem__)
    assert [sets_of(dev, size) for size in (0, 1 << 20, 30 << 20, 1 << 30)] == [64, 64, 4, 1]
    monkeypatch.setattr(dev, "kind", "cpu")
    assert sets_of(dev, 1 << 20) == 1
