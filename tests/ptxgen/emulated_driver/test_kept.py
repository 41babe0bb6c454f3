"""Answers that machine code keeps: the same as Python's, and gone when they change."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import pytest

from driver_ctypes.abi.functions import prototype
from driver_ctypes.machine_code.texts import load_text
from ptxgen.emulated_driver.calls.kept import KEPT
from ptxgen.emulated_driver.calls.registry import CONTEXT, ENTRIES
from ptxgen.emulated_driver.fault_injection import counting, inject
from ptxgen.emulated_driver.table import address_of, import_all

pytestmark = pytest.mark.cpu_only

INVALID_VALUE, OUT_OF_MEMORY, INVALID_CONTEXT, NOT_PERMITTED = 1, 2, 201, 800


def call(name: str, *arguments: Any) -> int:
    code: int = prototype(name)(address_of(name))(*arguments)
    return code


def current() -> int:
    found = ctypes.c_uint64(7)
    assert call("cuCtxGetCurrent", ctypes.addressof(found)) == 0
    return found.value


@pytest.fixture
def contexts() -> Any:
    made = (ctypes.c_uint64 * 2)()
    assert call("cuInit", 0) == 0
    for number in range(2):
        assert call("cuCtxCreate_v2", ctypes.addressof(made) + 8 * number, 0, 0) == 0
        assert call("cuCtxPopCurrent_v2", None) == 0
    yield list(made)
    for each in made:
        call("cuCtxDestroy_v2", each)


def test_a_kept_answer_reaches_no_python(contexts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Python would say what it has been asked for: there is nothing to ask."""
    for _ in range(3):
        assert call("cuCtxSetCurrent", contexts[0]) == 0
        assert current() == contexts[0]
    from ptxgen.emulated_driver.state.machine import machine

    monkeypatch.setattr(machine, "ready", False)
    assert call("cuCtxSetCurrent", contexts[0]) == 0
    assert current() == contexts[0]
    assert call("cuCtxSetCurrent", contexts[1]) == 3
    monkeypatch.undo()
    assert call("cuCtxSetCurrent", None) == 0


def test_what_is_current_is_never_old(contexts: list[int]) -> None:
    one, two = contexts
    steps = [
        ("cuCtxSetCurrent", one, one), ("cuCtxPushCurrent_v2", two, two), ("cuCtxSetCurrent", one, one),
        ("cuCtxPopCurrent_v2", None, one), ("cuCtxSetCurrent", two, two), ("cuCtxDestroy_v2", two, 0),
    ]  # fmt: skip
    for name, argument, after in steps:
        assert call(name, argument) == 0
        assert [current() for _ in range(3)] == [after] * 3, name
    assert call("cuCtxSetCurrent", two) == INVALID_CONTEXT


_TWICE = """
define ptr @twice(ptr %function) {
  call void %function()
  call void %function()
  ret ptr null
}
"""


def test_a_thread_of_c_that_enters_python_again_has_no_old_answers(contexts: list[int]) -> None:
    """What Python knows of such a thread goes when it leaves; a host's thread pool, XLA's for one, comes again and again."""
    library, process = load_text(_TWICE, {}), ctypes.CDLL(None)
    seen: list[tuple[int, int]] = []

    def entered() -> None:
        if not current():
            call("cuCtxSetCurrent", contexts[0])
        memory = ctypes.c_uint64()
        seen.append((current(), call("cuMemAlloc_v2", ctypes.addressof(memory), 200)))
        call("cuMemFree_v2", memory.value)

    function, thread = ctypes.CFUNCTYPE(None)(entered), ctypes.c_uint64()
    twice = ctypes.c_void_p(library.addresses["twice"])
    assert process.pthread_create(ctypes.byref(thread), None, twice, function) == 0
    assert process.pthread_join(thread, None) == 0
    assert seen == [(contexts[0], 0)] * 2


def test_threads_keep_their_own(contexts: list[int]) -> None:
    seen: list[tuple[int, int]] = []
    before = current()

    def work(context: int) -> None:
        for _ in range(50):
            call("cuCtxSetCurrent", context)
            seen.append((context, current()))

    threads = [threading.Thread(target=work, args=(contexts[n % 2],)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 200
    assert all(mine == found for mine, found in seen)
    assert current() == before


def test_arguments_and_refusals_are_told_apart() -> None:
    number = ctypes.c_int32(0)
    place = ctypes.addressof(number)
    for _ in range(2):
        assert (call("cuDeviceGetAttribute", place, 10, 0), number.value) == (0, 32)  # lanes of a warp
        assert (call("cuDeviceGetAttribute", place, 1, 0), number.value) == (0, 1024)  # threads of a block
        assert call("cuDeviceGetAttribute", place, 10, 99) != 0
        assert call("cuDeviceGetAttribute", None, 10, 0) == INVALID_VALUE
        assert call("cuDeviceGetAttribute", place, 10**6, 0) == INVALID_VALUE


def test_injected_failures_and_counts_see_every_call() -> None:
    version = ctypes.c_int32()
    place = ctypes.addressof(version)
    assert [call("cuDriverGetVersion", place) for _ in range(2)] == [0, 0]
    with inject("cuDriverGetVersion", nth=2, code=OUT_OF_MEMORY):
        assert [call("cuDriverGetVersion", place) for _ in range(3)] == [0, OUT_OF_MEMORY, 0]
    with counting() as calls:
        assert [call("cuDriverGetVersion", place) for _ in range(2)] == [0, 0]
    assert calls == ["cuDriverGetVersion"] * 2


def test_a_host_function_may_not_ask(contexts: list[int]) -> None:
    assert call("cuCtxSetCurrent", contexts[0]) == 0
    assert current() == current() == contexts[0]
    place, codes = ctypes.c_uint64(), []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
        lambda _: codes.append(call("cuCtxGetCurrent", ctypes.addressof(place)))
    )
    assert call("cuLaunchHostFunc", None, ctypes.cast(function, ctypes.c_void_p).value, None) == 0
    assert codes == [NOT_PERMITTED]
    assert current() == contexts[0]
    assert call("cuCtxSetCurrent", None) == 0


def test_every_row_can_be_kept() -> None:
    """It needs no working context, whose faults end no epoch; an answer has a place, and at most two arguments choose it."""
    import_all()
    for symbol, (out, size) in KEPT.items():
        arguments = prototype(symbol)._argtypes_
        assert ENTRIES[symbol].needs != CONTEXT
        assert len(arguments) - (out is not None) <= 2
        assert out is None or ctypes.sizeof(arguments[out]) == 8
        assert (size in (4, 8)) == (out is not None)
