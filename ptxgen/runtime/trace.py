"""The time of each stage of a compilation, and the backend's ranges in a profiler."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CompileStage", "StageTrace", "ranges"]

log = logging.getLogger("ptxgen.runtime")


class CompileStage(NamedTuple):
    """A stage that is over: its name, the milliseconds from the beginning to its end, and what is known of it."""

    name: str
    ms: float
    details: dict[str, object]

    def __str__(self) -> str:
        shown = "".join(f" {key}={value}" for key, value in self.details.items())
        return f"+{self.ms:.1f}ms {self.name}{shown}"


class StageTrace:
    """The stages of one compilation. With *loud* they are logged at level INFO, else DEBUG."""

    def __init__(self, name: str, *, loud: bool) -> None:
        self.name = name
        self.stages: list[CompileStage] = []
        self._level = logging.INFO if loud else logging.DEBUG
        self._begun = time.perf_counter()
        log.log(self._level, "[compile] start %s", name)

    def mark(self, name: str, **details: object) -> None:
        """A stage ends now."""
        stage = CompileStage(name, (time.perf_counter() - self._begun) * 1e3, details)
        self.stages.append(stage)
        log.log(self._level, "[compile] %s", stage)


def ranges(wanted: bool) -> Callable[[str], Any]:
    """A function from a name to a context manager: a range that a profiler shows, or, where none is wanted, nothing."""
    if not wanted:
        nothing = contextlib.nullcontext()
        return lambda name: nothing
    from driver_ctypes.profiler import nvtx_range

    return lambda name: nvtx_range(f"ptxgen:{name}")
