"""torch.compile's kernels of many works, made by several processes into its cache, where the run that times them finds them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["fill_cache"]

PROCESSES = 4
"""Each has a context of its own on the GPU."""

W = TypeVar("W")


def fill_cache(build: Callable[[W], Any], works: Sequence[W]) -> None:
    """Call `build`, a function of a module, with each of the works. What it chose on a GPU that others used meanwhile is
    forgotten: the run that times chooses again."""
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    processes = min(PROCESSES, os.cpu_count() or 1)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for _ in pool.map(build, works):
            pass
    from torch._inductor.runtime.cache_dir_utils import cache_dir

    for choice in Path(cache_dir()).rglob("*.best_config"):
        choice.unlink()
