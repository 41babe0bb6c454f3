"""The shape of a launch: all of it but the function, the stream and the arguments."""

from __future__ import annotations

from driver_ctypes.typing import NamedTuple

__all__ = ["NO_CLUSTER", "Asked", "Dim", "Fit", "Shape"]

Dim = tuple[int, int, int]
NO_CLUSTER: Dim = (0, 0, 0)


class Shape(NamedTuple):
    """Grid and cluster in CTAs, block in threads, dynamic shared memory in bytes."""

    grid: Dim
    block: Dim
    shared: int = 0
    cluster: Dim = NO_CLUSTER
    cooperative: bool = False


Asked = tuple[Dim, Dim, int, Dim, bool]
"""A Shape's fields: a Shape, or what is quicker to make and finds one."""


class Fit(NamedTuple):
    """A shape that was found legal for a function, and how many of its CTAs are resident at once."""

    shape: Shape
    resident: int
