"""Memory of the host that is lent to kernels of the CPU device: reached in place, and only meanwhile."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import f32, u32
from ptxgen.host.lending import Span, lent

pytestmark = pytest.mark.cpu_only


@pytest.fixture
def cpu():
    return px.device("cpu")


@px.kernel
def double(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = x[i] * 2.0


def span(array: np.ndarray) -> Span:
    return Span(array.ctypes.data, array.nbytes)


def test_a_kernel_reads_and_writes_it_in_place(cpu):
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    with lent(cpu, [span(x), span(y)]):
        double.on(cpu).launch(1, 128, (100, x.ctypes.data, y.ctypes.data))
    np.testing.assert_array_equal(y, 2 * x)


def test_spans_overlap_and_touch(cpu):
    """The same memory twice, one inside another, one right behind, and one without bytes."""
    x = np.ones(64, np.float32)
    with lent(cpu, [span(x[16:32]), span(x[:48]), span(x[48:]), span(x[:48]), Span(0, 0)]):
        double.on(cpu).launch(1, 64, (64, x.ctypes.data, x.ctypes.data))
        assert cpu.context.live_handles()["registered memory"] == 2
    assert (x == 2).all()
    assert "registered memory" not in cpu.context.live_handles()


@pytest.mark.parametrize("when", ["beside it", "behind the body"])
def test_what_is_not_lent_is_out_of_bounds(cpu, when):
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    given = (64, x.ctypes.data, y.ctypes.data)
    try:
        with pytest.raises(dc.IllegalAddressError, match="outside every allocation"):
            with lent(cpu, [span(x), span(y[:60] if when == "beside it" else y)]):
                if when == "beside it":
                    double.on(cpu).launch(1, 64, given)
            double.on(cpu).launch(1, 64, given)
            cpu.synchronize()
    finally:
        cpu.reset()
    with lent(cpu, [span(x), span(y)]):
        double.on(cpu).launch(1, 64, given)
    assert (y == 2).all()


def test_threads_take_turns(cpu):
    """Over the same memory, which only one of them may have registered at a time."""
    x = np.ones(32, np.float32)
    results = [np.zeros(32, np.float32) for _ in range(4)]
    failures: list[BaseException] = []

    def work(y: np.ndarray) -> None:
        try:
            for _ in range(20):
                with lent(cpu, [span(x), span(y)]):
                    double.on(cpu).launch(1, 32, (32, x.ctypes.data, y.ctypes.data))
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(each,)) for each in results]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures
    assert all((each == 2).all() for each in results)


def test_the_sanitizer_watches(cpu):
    """Nothing is known of who wrote lent memory, which is no finding."""
    x, y = np.ones(32, np.float32), np.zeros(32, np.float32)
    with px.sanitize(), lent(cpu, [span(x), span(y)]):
        double.on(cpu).launch(1, 32, (32, x.ctypes.data, y.ctypes.data))
    assert (y == 2).all()
