"""How a launch runs, and what it tells afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ptxgen.cpu.sanitizer.tools import Sanitizer

__all__ = ["WATCHDOG", "LaunchOptions", "LaunchStats"]

WATCHDOG = 30.0
"""Seconds without progress after which a launch is ended, unless somebody says otherwise."""


class LaunchOptions:
    """Knobs of the executor; the defaults suit everyone who does not test schedules.

    copies: "late", so that asynchronous copies are done when they are waited for and no sooner, or "early", when they are
        started. Late shows missing waits, early shows buffers that are filled again too soon.
    budget: loop rounds of a warp before another warp runs. Small, so that the warps of a CTA walk through memory together.
    max_resident: CTAs of a plain grid that may be in flight when they wait for each other; None for as many as the launch
        says that the device holds.
    products: "exact", so that tensor-core products have the bits that an H200's have, or "fast", by multiply-adds in f32. Sparse
        ones and those of tcgen05 are exact either way.
    sanitizer: the tools that watch the launch, and where their findings go; None for none.
    tier: "auto", or "base" or "fast" to force how code is compiled.
    time_limit: seconds of wall clock after which the launch is a fault of kind "timeout"; None for no limit.
    watchdog: seconds without any progress after which the launch is a fault of kind "no progress", see watchdog.py; None for
        no limit.
    """

    __slots__ = ("budget", "copies", "max_resident", "products", "sanitizer", "tier", "time_limit", "watchdog")

    def __init__(
        self,
        *,
        budget: int = 16,
        copies: str = "late",
        max_resident: int | None = None,
        products: str = "exact",
        sanitizer: Sanitizer | None = None,
        tier: str = "auto",
        time_limit: float | None = None,
        watchdog: float | None = WATCHDOG,
    ) -> None:
        if budget < 1 or (max_resident is not None and max_resident < 1):
            raise ValueError(f"budget and max_resident are at least 1, not {budget} and {max_resident}")
        for name, limit in (("time_limit", time_limit), ("watchdog", watchdog)):
            if limit is not None and not 0 < limit < float("inf"):
                raise ValueError(f"{name} is a positive number of seconds, or None for no limit, not {limit}")
        if tier not in ("auto", "base", "fast"):
            raise ValueError(f'tier is "auto", "base" or "fast", not {tier!r}')
        if copies not in ("late", "early"):
            raise ValueError(f'copies is "late" or "early", not {copies!r}')
        if products not in ("exact", "fast"):
            raise ValueError(f'products is "exact" or "fast", not {products!r}')
        self.budget = budget
        self.copies = copies
        self.max_resident = max_resident
        self.products = products
        self.sanitizer = sanitizer
        self.tier = tier
        self.time_limit = time_limit
        self.watchdog = watchdog

    def replaced(self, **changes: Any) -> LaunchOptions:
        """The same with some of them changed."""
        return LaunchOptions(**{**{name: getattr(self, name) for name in self.__slots__}, **changes})


class LaunchStats(NamedTuple):
    """What a launch has done."""

    instructions: int
    """Executed instructions times lanes."""
    tier: str
    """The code that finished the launch."""
    products: str = "exact"
    """"fast" where the kernel has tensor-core products and they were made so."""
