"""The launchers of a loaded kernel: one for each configuration, made when the configuration has come often.

A configuration is checked once (`ConfiguredLaunch`); each launch of it then checks the arguments alone. From some repetition
on it has a launcher of its own, which takes a tenth of the time. Launchers for the default stream lie on the loaded kernel;
those for another stream lie on that stream, as they hold it and must go with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.launch.sending import ConfiguredLaunch

__all__ = ["CachedLaunch", "LauncherCache", "keep"]

MANY = 256
"""Configurations kept for a stream: a program whose grids never come again must not grow."""


class CachedLaunch:
    """A configuration that was launched: checked, counted, and in the end with a launcher."""

    __slots__ = ("configured", "launcher", "times")

    def __init__(self, configured: ConfiguredLaunch) -> None:
        self.configured: ConfiguredLaunch = configured
        self.launcher: Callable[..., None] | None = None
        self.times: int = 1


LauncherCache = dict[Any, CachedLaunch]
"""By (loaded kernel, grid, block, shared bytes, cluster, cooperative)."""


def keep(cache: LauncherCache, key: Any, configured: ConfiguredLaunch) -> None:
    """Remember a configuration after its first launch."""
    if len(cache) >= MANY:
        cache.clear()
    cache[key] = CachedLaunch(configured)
