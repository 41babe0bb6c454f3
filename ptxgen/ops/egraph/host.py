"""A small e-graph on the host: to make snapshots of, to rewrite by rules, and to take what the device found.

Nodes are hash-consed: a table leads from (operator, canonical children) to the node. A union only notes that the nodes above
the merged class have to be looked at; `rebuild` does so for all unions at once (M. Willsey et al., "egg: Fast and Extensible
Equality Saturation", POPL 2021), so that its time depends on what changed and not on the size of the e-graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ops.egraph.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["EGraph"]

Node = tuple[int, str, tuple[int, ...]]
Key = tuple[str, tuple[int, ...]]


class EGraph:
    """A host e-graph: `add(op, children)` gives an e-class, `union` merges two, `rebuild` restores congruence.

    An e-class has the smallest of the ids that were merged into it. Ids are dense, in the order of adding. `rebuild` keeps one
    of equal nodes, the first.
    """

    def __init__(self) -> None:
        self._above: list[int] = []  # of each id; a class's own is itself
        self._nodes: dict[int, Key] = {}  # by the id that it was added with, in that order
        self._known: dict[Key, int] = {}
        self._parents: dict[int, list[int]] = {}  # nodes that have a class as a child
        self._merged: list[int] = []  # classes whose parents have to be looked at
        self._copies: list[int] = []  # nodes that were added beside an equal one
        self._new: dict[
            int, None
        ] = {}  # nodes that were added, or have other children, and classes that have more nodes
        self._grown: dict[int, None] = {}

    @property
    def class_count(self) -> int:
        """Ids given so far."""
        return len(self._above)

    @property
    def node_count(self) -> int:
        """Nodes that are kept."""
        return len(self._nodes)

    def copy(self) -> EGraph:
        """Another e-graph of the same nodes and classes."""
        made = EGraph()
        made._above, made._nodes, made._known = list(self._above), dict(self._nodes), dict(self._known)
        made._parents = {eclass: list(above) for eclass, above in self._parents.items()}
        made._merged, made._copies = list(self._merged), list(self._copies)
        made._new, made._grown = dict(self._new), dict(self._grown)
        return made

    def find(self, eclass: int) -> int:
        """The canonical id of an e-class. RunError for an id that was never given."""
        if not 0 <= eclass < len(self._above):
            raise RunError(
                "WrongArgument", name="e-class", found=repr(eclass), expected=f"an id below {self.class_count}"
            )
        return self._root(eclass)

    def _root(self, eclass: int) -> int:
        above = self._above
        over = above[eclass]
        while over != eclass:
            above[eclass] = above[over]  # every other place on the way then points further up
            eclass, over = over, above[over]
        return eclass

    def lookup(self, op: str, children: Sequence[int] = ()) -> int | None:
        """The e-class of a node, or None where there is no such node."""
        found = self._known.get((op, tuple(map(self.find, children))))
        return None if found is None else self._root(found)

    def add(self, op: str, children: Sequence[int] = (), *, fresh: bool = False) -> int:
        """The e-class of a node: that of an equal one, or (always, with `fresh`) a new one."""
        known = self._known.get((op, tuple(children)))  # whether they are canonical or not
        if known is not None and not fresh:
            return self._root(known)
        key = (op, tuple(map(self.find, children)))
        known = self._known.get(key)
        if known is not None and not fresh:
            return self._root(known)
        eclass = len(self._above)
        self._above.append(eclass)
        self._nodes[eclass] = key
        self._new[eclass] = self._grown[eclass] = None
        for child in dict.fromkeys(key[1]):
            self._parents.setdefault(child, []).append(eclass)
        if known is None:
            self._known[key] = eclass
        else:
            self._copies.append(eclass)
        return eclass

    def nodes(self) -> Iterator[Node]:
        """(e-class, operator, children) of every node that is kept, in the order in which they were added."""
        return ((eclass, op, children) for eclass, (op, children) in self._nodes.items())

    def union(self, a: int, b: int) -> bool:
        """Merge two e-classes; False when they are one already."""
        low, high = self.find(a), self.find(b)
        if low == high:
            return False
        if high < low:
            low, high = high, low
        self._above[high] = low
        self._grown[low] = None
        fewer, more = sorted((self._parents.pop(each, []) for each in (low, high)), key=len)
        more += fewer
        if more:
            self._parents[low] = more
            self._merged.append(low)
        return True

    def changes(self) -> tuple[dict[int, None], dict[int, None]]:
        """What changed since the last call: nodes that were added or have other children, by the id that each was added with, and
        classes that have more nodes than they had (ids of then)."""
        found = self._new, self._grown
        self._new, self._grown = {}, {}
        return found

    def rebuild(self) -> int:
        """Merge until equal nodes are in one e-class, and keep the first of them; how many unions that took."""
        made = 0
        while self._merged or self._copies:
            waiting, self._copies = self._copies, []
            for eclass in dict.fromkeys(map(self._root, self._merged)):
                above = [node for node in dict.fromkeys(self._parents[eclass]) if node in self._nodes]
                self._parents[eclass] = above
                waiting = waiting + above
            self._merged = []
            made += sum(map(self._settle, dict.fromkeys(waiting)))
        return made

    def _settle(self, node: int) -> bool:
        """Know a node by its children of now. Of two that are equal then, the first stays; True when that merges two classes."""
        if node not in self._nodes:
            return False
        before = self._nodes[node]
        key = (before[0], tuple(map(self._root, before[1])))
        if self._known.get(before) == node:
            del self._known[before]
        other = self._known.get(key, node)
        first, second = min(node, other), max(node, other)
        if key != before or first != second:
            self._new[first] = self._grown[first] = None
        self._known[key] = first
        self._nodes[first] = key
        if first == second:
            return False
        del self._nodes[second]
        return self.union(first, second)
