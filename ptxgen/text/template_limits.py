"""What the rendering of one template may take."""

from __future__ import annotations

from driver_ctypes.typing import NamedTuple

__all__ = ["CHARACTERS", "TemplateLimits"]

CHARACTERS = 16 << 20
"""The longest text of a template in the sandbox, with or without other limits."""


class TemplateLimits(NamedTuple):
    """What a template of a stranger may take: `render(..., limits=TemplateLimits(seconds=2))`."""

    seconds: float = 10.0
    """Time of the processor."""
    megabytes: int = 1024
    """Address space of the process that renders, with its interpreter's own."""

    def __str__(self) -> str:
        return f"{self.seconds:g} s of processor time, {self.megabytes} MB of memory, {CHARACTERS} characters of text"
