"""Going into graphs that nest, without Python's stack: a moved child may have a child, and so on for hundreds of levels.

A walk of children and bodies is written as a generator: it yields the same generator for each of them, is sent what
that one returned, and returns its own result.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

_T = TypeVar("_T")
Walk = Generator[Any, Any, _T]


def walked(walk: Walk[_T]) -> _T:
    """What *walk* returns."""
    stack: list[Walk[Any]] = [walk]
    result: Any = None
    while stack:
        try:
            inner = stack[-1].send(result)
        except StopIteration as end:
            stack.pop()
            result = end.value
        else:
            stack.append(inner)
            result = None
    found: _T = result
    return found
