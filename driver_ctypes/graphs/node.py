"""A node: what graphs return when one is added, and what identifies it afterwards. It and `GraphBase` refer to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.graphs.records import EDGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.graphs.base import GraphBase
    from driver_ctypes.graphs.inventory import GraphNode


class Dependency(NamedTuple):
    """A node and what of it is waited for: that it has ``ended``; or of a kernel, and by a kernel, that all its CTAs have
    ``triggered`` (PTX griddepcontrol.launch_dependents) or ended, or that all of them have ``started``.

    The waiting kernel has to call griddepcontrol.wait before it accesses what the other one writes.
    """

    node: Node
    when: str = "ended"


class Node:
    """A node of a graph. It is a name, and keeps nothing alive but its graph's object."""

    __slots__ = ("graph", "handle", "kind", "label")

    def __init__(self, graph: GraphBase, handle: int, kind: str, label: str | None = None) -> None:
        self.graph: GraphBase = graph
        self.handle: int = handle
        self.kind: str = kind
        self.label: str | None = label

    def __repr__(self) -> str:
        return f"<{self.kind} node {self.label or hex(self.handle)}>"

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, Node) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.handle)

    def read(self) -> GraphNode:
        """What it holds now, in its graph."""
        return self.graph.read(self)

    def triggered(self) -> Dependency:
        """To be passed as ``after=``: the other kernel may begin when this one's CTAs have triggered."""
        return Dependency(self, "triggered")

    def started(self) -> Dependency:
        """To be passed as ``after=``: the other kernel may begin when this one's CTAs have begun."""
        return Dependency(self, "started")

    def update(self, arguments: Mapping[str, Any] | None = None, **changes: Any) -> None:
        """Change its parameters in the graph; see `Graph.update`."""
        self.graph.update(self, arguments, **changes)

    def set_attributes(self, **attributes: Any) -> None:
        """Change a kernel node's attributes; see `Graph.set_attributes`."""
        self.graph.set_attributes(self, **attributes)

    def remove(self) -> None:
        """Take it out of its graph."""
        self.graph.remove(self)


def dependencies(after: Any) -> list[Dependency]:
    """What ``after=`` means: a node, a `Dependency`, or any number of them; the last word on a node counts."""
    if after is None:
        return []
    if isinstance(after, Dependency):
        found = [after]
    elif isinstance(after, Node):
        found = [Dependency(after)]
    elif isinstance(after, (list, tuple, set, frozenset)):
        found = [one for several in after for one in dependencies(several)]
    else:
        raise ArgumentTypeError(
            f"after={after!r:.60} is not a node",
            hint="pass the nodes that must come first, as adding them returned them",
        )
    for dependency in found:
        if dependency.when not in EDGES:
            raise ArgumentError(f"no dependency {dependency.when!r}", hint=f"use one of {', '.join(EDGES)}")
    return list({dependency.node: dependency for dependency in found}.values())
