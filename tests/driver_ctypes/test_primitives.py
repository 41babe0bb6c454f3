"""What the modules of a start use in place of functools, contextlib and threading does what those do."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from driver_ctypes import primitives

MANAGERS = pytest.mark.parametrize("managed", [contextlib.contextmanager, primitives.contextmanager])


def outcome(work: Callable[[], object]) -> str:
    try:
        return repr(work())
    except BaseException as error:
        return f"{type(error).__name__}({error}) from {type(error.__cause__).__name__}"


def passes(log: list[str]) -> Iterator[int]:
    log.append("in")
    try:
        yield 7
    finally:
        log.append("out")


def swallows(log: list[str]) -> Iterator[int]:
    try:
        yield 7
    except BaseException as error:
        log.append(type(error).__name__)


def replaces(log: list[str]) -> Iterator[int]:
    try:
        yield 7
    except BaseException as error:
        raise KeyError("another") from error


def goes_on(log: list[str]) -> Iterator[int]:
    try:
        yield 7
    except BaseException as error:
        log.append(str(error))
    yield 8


def yields_twice(log: list[str]) -> Iterator[int]:
    yield 7
    yield 8


@pytest.mark.parametrize("error", [None, ValueError("v"), StopIteration(1), KeyboardInterrupt()])
@pytest.mark.parametrize("steps", [passes, swallows, replaces, goes_on, yields_twice])
def test_a_context_manager_ends_as_one_of_contextlib(steps: Callable[..., Any], error: BaseException | None) -> None:
    found = []
    for managed in (contextlib.contextmanager, primitives.contextmanager):
        log: list[str] = []

        def body(managed: Any = managed, log: list[str] = log) -> object:
            with managed(steps)(log) as value:
                log.append(str(value))
                if error is not None:
                    raise error
            return "went on"

        found.append((outcome(body), log))
    assert found[0] == found[1]


@MANAGERS
def test_it_decorates(managed: Any) -> None:
    log: list[str] = []

    @managed(passes)(log)
    def add(a: int, b: int = 2) -> int:
        """A sum."""
        log.append("add")
        return a + b

    assert (add(1), add(1, b=5)) == (3, 6)
    assert log == ["in", "add", "out"] * 2
    assert (add.__name__, add.__doc__) == ("add", "A sum.")


@pytest.mark.parametrize("cache", [functools.cache, primitives.cache])
def test_a_cache_calls_once(cache: Any) -> None:
    calls = []

    @cache
    def double(x: int, *, by: int = 2) -> int:
        """Twice."""
        calls.append(x)
        return x * by

    assert [double(2), double(2), double(3), double(2, by=5)] == [4, 4, 6, 10]
    assert calls == [2, 3, 2]
    assert (double.__name__, double.__doc__, double.cache_info()[:2]) == ("double", "Twice.", (1, 3))
    double.cache_clear()
    assert double(2) == 4
    assert calls[-1] == 2


def test_the_rest_is_the_standard_library_s_own() -> None:
    for module, names in ((functools, "partial"), (threading, "Lock RLock local get_ident")):
        for name in names.split():
            found, theirs = getattr(primitives, name), getattr(module, name)
            assert found is theirs or type(found()) is type(theirs())
