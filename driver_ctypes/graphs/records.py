"""What this package records about nodes and edges, because the driver does not report all of it."""

from __future__ import annotations

from typing import NamedTuple

EDGES: dict[str, tuple[int, int]] = {"ended": (0, 0), "triggered": (1, 1), "started": (2, 1)}
"""What of a node is waited for -> (from_port, type) of the edge (CUgraphEdgeData)."""


class Record(NamedTuple):
    """What a graph records about a node that was added here; the driver does not report all of it."""

    kind: str
    label: str | None = None
    form: str = ""
    """Of a conditional node: ``if``, ``while`` or ``switch``."""
    inner: tuple[int, ...] = ()
    """The CUgraphs of its bodies, or of its child."""
    pointer: int = 0
    nbytes: int = 0
