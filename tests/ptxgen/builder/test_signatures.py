"""The parameters that a function states are read without `inspect`, and are those that it finds."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from ptxgen.builder.signatures import _NOTHING, _stated


def wraps(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    return wrapper


def local(k, a, b=1, *more, c, d=2, **named):
    inner = lambda: (k, a, b)
    unused = inner
    return unused


FUNCTIONS: list[Callable[..., Any]] = [
    lambda: None,
    lambda k: None,
    lambda k, a, b=3: None,
    lambda k, /, a: None,
    lambda k, a, /, b=1, *, c: None,
    lambda k, *more: None,
    lambda k, *, c=None, d: None,
    lambda k, **named: None,
    local,
    wraps(local),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: str(inspect.signature(function)))
def test_parameters_are_those_of_inspect(function: Callable[..., Any]) -> None:
    found = [
        (name, kind, inspect.Parameter.empty if default is _NOTHING else default)
        for name, kind, default in _stated(function)
    ]
    assert found == [
        (each.name, int(each.kind), each.default) for each in inspect.signature(function).parameters.values()
    ]
