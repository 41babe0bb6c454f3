"""Time work on the device beside its peers: in turn, in rounds, between events, with the host's calls made beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from statistics import median
from typing import Any

import ptxgen as px
from tools.bench._head_start import head_start

__all__ = ["ROUNDS", "Timer"]

ROUNDS = 20
HEAD_START = 500_000
"""Cycles that the device waits before the first event: 0.3 ms, in which the host makes its calls."""
WARM = 3
"""Rounds that do not count."""


class Timer:
    """A device, and the frameworks that have the same one, unless there are to be none."""

    def __init__(self, device: px.Device, rounds: int = ROUNDS, *, frameworks: bool = True) -> None:
        self.device = device
        self.rounds = rounds
        self.torch: Any = self._framework("torch") if frameworks else None
        self.cupy: Any = self._framework("cupy") if frameworks else None
        self._ahead = head_start(device)

    def _framework(self, name: str) -> Any:
        """The module; None without a GPU, or where it is not installed."""
        if self.device.kind != "cuda":
            return None
        try:
            return import_module(name)
        except ImportError:
            return None

    def times(
        self, runs: Mapping[str, Callable[[], Any]], *, before: Callable[[], Any] = lambda: None
    ) -> dict[str, float]:
        """Median milliseconds of each on the device's current stream; `before` runs ahead of each, outside the clock."""
        stream = self.device.current_stream
        samples: dict[str, list[float]] = {name: [] for name in runs}
        for round_ in range(self.rounds + WARM):
            for name, run in runs.items():
                begin, end = self.device.event(), self.device.event()
                before()
                self.device.synchronize()
                self._ahead(HEAD_START)
                begin.record(stream)
                run()
                end.record(stream)
                self.device.synchronize()
                if round_ >= WARM:
                    samples[name].append(end.elapsed_ms(begin))
        return {name: median(each) for name, each in samples.items()}
