"""A pytest plugin: of each test with parameters, at most CLIENTS_CASES of its cases, evenly spread over them."""

from __future__ import annotations

import itertools
import os
from typing import Any

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    most = int(os.environ["CLIENTS_CASES"])
    chosen: list[pytest.Item] = []
    for _, group in itertools.groupby(items, lambda item: item.nodeid.split("[")[0]):
        chosen += spread(list(group), most)
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = chosen


def spread(cases: list[Any], most: int) -> list[Any]:
    """At most that many of a list, the first and the last among them."""
    if len(cases) <= most:
        return cases
    return [cases[index * (len(cases) - 1) // max(most - 1, 1)] for index in range(most)]
