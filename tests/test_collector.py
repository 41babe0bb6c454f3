"""The collector of cycles comes rarely while a program is built, and as before afterwards."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING

import pytest

from ptxgen.collector import rarely_collected

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(701, 11, 12)
    yield before
    gc.set_threshold(*before)


def test_it_is_as_before_after_nested_bodies_and_errors() -> None:
    with pytest.raises(ZeroDivisionError), rarely_collected(), rarely_collected():
        assert gc.get_threshold()[0] > 10_000
        raise ZeroDivisionError
    assert gc.get_threshold() == (701, 11, 12)


@pytest.mark.parametrize("chosen", [(0, 10, 10), (10**6, 10, 10)])
def test_a_collector_that_is_off_or_comes_more_rarely_is_left_alone(chosen: tuple[int, int, int]) -> None:
    gc.set_threshold(*chosen)
    with rarely_collected():
        assert gc.get_threshold() == chosen
    assert gc.get_threshold() == chosen


def test_what_the_body_chooses_stays() -> None:
    with rarely_collected():
        gc.set_threshold(999)
    assert gc.get_threshold()[0] == 999


def test_the_last_of_several_threads_restores() -> None:
    entered, leave = threading.Event(), threading.Event()

    @rarely_collected()
    def body() -> None:
        entered.set()
        leave.wait(10)

    thread = threading.Thread(target=body)
    with rarely_collected():
        thread.start()
        assert entered.wait(10)
    assert gc.get_threshold()[0] > 10_000
    leave.set()
    thread.join()
    assert gc.get_threshold() == (701, 11, 12)
