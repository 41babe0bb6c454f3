"""A small e-graph on the host: to make snapshots of, and to take what the device found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ops.egraph.errors import RunError
from ptxgen.ops.egraph.union import UnionFind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["EGraph"]

Node = tuple[int, str, tuple[int, ...]]


class EGraph:
    """A host e-graph: `add(op, children)` gives an e-class, `union` merges two, `rebuild` restores congruence.

    An e-class has the smallest of the ids that were merged into it. Ids are dense, in the order of adding. `rebuild` keeps one
    of equal nodes, the first.
    """

    def __init__(self) -> None:
        self._classes = UnionFind()
        self._ids = 0
        self._nodes: list[Node] = []
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}

    @property
    def class_count(self) -> int:
        """Ids given so far."""
        return self._ids

    @property
    def node_count(self) -> int:
        """Nodes that are kept."""
        return len(self._nodes)

    def copy(self) -> EGraph:
        """Another e-graph of the same nodes and classes."""
        made = EGraph()
        made._classes, made._ids = self._classes.copy(), self._ids
        made._nodes, made._known = list(self._nodes), dict(self._known)
        return made

    def find(self, eclass: int) -> int:
        """The canonical id of an e-class. RunError for an id that was never given."""
        if not 0 <= eclass < self._ids:
            raise RunError(
                "WrongArgument", name="e-class", found=repr(eclass), expected=f"an id below {self.class_count}"
            )
        return self._classes.find(eclass)

    def add(self, op: str, children: Sequence[int] = (), *, fresh: bool = False) -> int:
        """The e-class of a node: that of an equal one, or (always, with `fresh`) a new one."""
        key = (op, tuple(self.find(child) for child in children))
        if not fresh and key in self._known:
            return self.find(self._known[key])
        eclass = self._ids
        self._ids += 1
        self._nodes.append((eclass, *key))
        self._known.setdefault(key, eclass)
        return eclass

    def nodes(self) -> Iterator[Node]:
        """(e-class, operator, children) of every node that is kept, as it was added."""
        return iter(self._nodes)

    def union(self, a: int, b: int) -> bool:
        """Merge two e-classes; False when they are one already."""
        return self._classes.union(self.find(a), self.find(b))

    def rebuild(self) -> int:
        """Merge until equal nodes are in one e-class, and keep the first of them; how many unions that took."""
        made = 0
        while True:
            known: dict[tuple[str, tuple[int, ...]], int] = {}
            kept: list[Node] = []
            before = made
            for node in self._nodes:
                eclass, op, children = node
                key = op, tuple(map(self._classes.find, children))
                first = known.setdefault(key, eclass)
                if first == eclass:
                    kept.append(node)
                else:
                    made += self._classes.union(first, eclass)
            self._nodes = kept
            if made == before:
                self._known = known
                return made
