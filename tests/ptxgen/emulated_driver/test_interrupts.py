"""Exceptions of signal handlers reach the caller of the driver function that they end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import driver_ctypes as dc
from ptxgen.emulated_driver import interrupts
from tests.driver_ctypes.kit import open_driver

pytestmark = [
    pytest.mark.cpu_only,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers on this system"),
]

SPIN = """.version 7.8
.target sm_75
.address_size 64
.visible .entry spin(.param .u64 n)
{
    .reg .u64 %d<3>; .reg .pred %p;
    ld.param.u64 %d1, [n];
    mov.u64 %d2, 0;
AGAIN:
    add.u64 %d2, %d2, 1;
    setp.lt.u64 %p, %d2, %d1;
    @%p bra AGAIN;
    ret;
}
"""
FOR_EVER = 1 << 60


class TooLate(Exception):
    """An exception of the program's own, which is no error of the driver."""


class Watch:
    def ring(self, _number: int, _frame: Any) -> None:
        raise TooLate("a method")


def late(*_: Any) -> None:
    raise TooLate("a function")


def interrupted(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


HANDLERS: dict[str, tuple[Any, type[BaseException]]] = {
    "function": (late, TooLate),
    "method": (Watch().ring, TooLate),
    "partial": (partial(late), TooLate),
    "Ctrl-C": (interrupted, KeyboardInterrupt),
    "exit": (lambda _number, _frame: sys.exit(3), SystemExit),
}


@pytest.fixture(scope="module")
def ways() -> Iterator[dict[str, Callable[[int], object]]]:
    context = open_driver("cpu").device(0).create_context()
    signatures = {"spin": dc.Signature([dc.Parameter("n", "u64")])}
    spin = context.load(SPIN, signatures=signatures).function("spin")
    stream = context.stream()
    found = {
        "launch": lambda n: spin.launch(1, 1, n),
        "bound": spin.bind(1, 1),
        "on a stream": spin.bind(1, 1, stream=stream),
    }
    for way in found.values():
        way(1)
    yield found
    assert interrupts.waiting == []
    context.synchronize()
    context.close()


# A handler raises wherever Python is: nobody hears of it where an object ends, and the next alarm is the one that counts.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("way", ["launch", "bound", "on a stream"])
@pytest.mark.parametrize("handler", HANDLERS)
def test_what_a_handler_raises_reaches_the_caller(ways: Any, way: str, handler: str) -> None:
    function, kind = HANDLERS[handler]
    before = signal.signal(signal.SIGALRM, function)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 1.0)
    try:
        with pytest.raises(kind) as caught:
            ways[way](FOR_EVER)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert type(caught.value) is kind
    ways[way](1)  # the context is well


def test_a_handler_that_returns_ends_nothing(ways: Any) -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 1.0)
    try:
        ways["bound"](1 << 26)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert set(rung) == {signal.SIGALRM}  # once a second


def test_other_threads_are_left_alone() -> None:
    thread = threading.Thread(target=interrupts.deliver, args=(TooLate(),))
    thread.start()
    thread.join()
    assert interrupts.waiting == []


def test_which_exceptions_are_a_handler_s() -> None:
    with pytest.raises(TooLate) as handler:
        late(signal.SIGALRM, sys._getframe())
    assert interrupts.of_a_handler(handler.value)
    with pytest.raises(TooLate) as other:
        late(signal.SIGALRM, None)
    assert not interrupts.of_a_handler(other.value)
