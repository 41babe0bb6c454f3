"""Time work beside its peers: in turn, in rounds, between events of one stream, with the host's calls made beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import ptxgen as px
from tools.bench._head_start import head_start

__all__ = ["timed"]

HEAD_START = 500_000
"""Cycles that the GPU waits before the first event: 0.3 ms, in which the host makes its calls."""


def timed(runs: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median microseconds of each on PyTorch's current stream; the first two rounds do not count."""
    import torch

    ahead = head_start(px.device("cuda"))
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(rounds + 2):
        for name, run in runs.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            ahead(HEAD_START)
            begin.record()
            run()
            end.record()
            end.synchronize()
            if round_ >= 2:
                samples[name].append(1e3 * begin.elapsed_time(end))
    return {name: median(each) for name, each in samples.items()}
