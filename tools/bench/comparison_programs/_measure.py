"""What every program prints: how long the kernel takes to PTX, and which mistakes are found. Standard library alone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

__all__ = ["MISTAKES", "report"]

MISTAKES = (
    "an instruction that the target lacks",
    "a misspelt instruction",
    "an access out of bounds",
    "a missing barrier",
    "a barrier that not all threads reach",
)


def report(version: str, to_ptx: Callable[[int], str], mistakes: dict[str, Callable[[], object]]) -> None:
    """Print a line of JSON. `to_ptx(n)` compiles the kernel with the constant n in it, so that no cache has it."""
    assert set(mistakes) <= set(MISTAKES)
    times = []
    for n in range(12):
        began = time.perf_counter()
        text = to_ptx(1000 + n)
        times.append(1e3 * (time.perf_counter() - began))
        assert ".version" in text
    found: dict[str, str | None] = {}
    for name, make in mistakes.items():
        try:
            make()
            found[name] = None
        except BaseException as error:
            found[name] = f"{type(error).__name__}: {str(error).strip()[:300]}"
    print(json.dumps({"version": version, "first": times[0], "again": min(times[1:]), "found": found}))
