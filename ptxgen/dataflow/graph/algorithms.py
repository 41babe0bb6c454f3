"""Algorithms on directed graphs, for every graph in ptxgen: nodes are indices, or any hashable values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = [
    "TreeIntervals",
    "bits",
    "immediate_dominators",
    "members",
    "reachable_from",
    "reverse_postorder",
    "strongly_connected_components",
]

N = TypeVar("N", bound=Hashable)

_WORD = (1 << 256) - 1


def reverse_postorder(root: int, successors: Sequence[Sequence[int]]) -> list[int]:
    """The nodes that can be reached from the root: except for cycles, each behind all that lead to it."""
    seen = {root}
    found: list[int] = []
    work = [(root, iter(successors[root]))]
    while work:
        node, rest = work[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                work.append((successor, iter(successors[successor])))
                break
        else:
            found.append(node)
            work.pop()
    return found[::-1]


def immediate_dominators(order: Sequence[int], predecessors: Sequence[Sequence[int]]) -> list[int]:
    """The immediate dominator of each node, itself for the root, -1 for what is not in `order`, a reverse postorder.

    Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm": meet the predecessors' until nothing changes.
    """
    rank = {node: place for place, node in enumerate(order)}
    above = [-1] * len(predecessors)
    above[order[0]] = order[0]
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            meet = -1
            for other in predecessors[node]:
                if above[other] < 0:
                    continue
                if meet < 0:
                    meet = other
                    continue
                while meet != other:
                    if rank[meet] > rank[other]:
                        meet = above[meet]
                    else:
                        other = above[other]
            if above[node] != meet:
                above[node] = meet
                changed = True
    return above


class TreeIntervals:
    """Who is above whom in a tree such as that of dominators, answered at once however deep it is.

    `parents[node]` is the node above; a root is its own parent, and -1 is that of a node outside the tree.
    """

    __slots__ = ("_first", "_last")

    def __init__(self, parents: Sequence[int]) -> None:
        below: list[list[int]] = [[] for _ in parents]
        work: list[int] = []
        for node, parent in enumerate(parents):
            (work if parent in (node, -1) else below[parent]).append(node)
        count = len(parents)
        self._first, self._last = [0] * count, [0] * count
        order: list[int] = []
        while work:
            node = work.pop()
            self._first[node] = len(order)
            order.append(node)
            work += below[node]
        for node in reversed(order):  # a node's subtree is one stretch of the order
            self._last[node] = max((self._last[child] for child in below[node]), default=self._first[node])

    def above(self, first: int, second: int) -> bool:
        """Is node `first` the node `second`, or above it?"""
        return self._first[first] <= self._first[second] <= self._last[first]


def bits(nodes: Iterable[int]) -> int:
    """A set of indices as an integer: bit n is set where n is in it."""
    found = 0
    for node in nodes:
        found |= 1 << node
    return found


def members(nodes: int) -> list[int]:
    """The indices that such an integer has, in order."""
    found = []
    place = 0
    while nodes:
        word = nodes & _WORD  # bits may be thousands
        while word:
            lowest = word & -word
            found.append(place + lowest.bit_length() - 1)
            word ^= lowest
        nodes >>= _WORD.bit_length()
        place += _WORD.bit_length()
    return found


def reachable_from(starts: Iterable[N], successors: Callable[[N], Iterable[N]]) -> set[N]:
    """The nodes that can be reached from some, these among them."""
    work = list(starts)
    found = set(work)
    while work:
        for successor in successors(work.pop()):
            if successor not in found:
                found.add(successor)
                work.append(successor)
    return found


def strongly_connected_components(roots: Iterable[N], successors: Callable[[N], Iterable[N]]) -> list[list[N]]:
    """The strongly connected components of what the roots reach, sinks first; each begins with the node that was met first.

    Tarjan, "Depth-First Search and Linear Graph Algorithms".
    """
    number: dict[N, int] = {}
    low: dict[N, int] = {}
    stack: list[N] = []
    on_stack: set[N] = set()
    components: list[list[N]] = []

    def enter(node: N) -> Iterator[N]:
        number[node] = low[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        return iter(successors(node))

    for root in roots:
        if root in number:
            continue
        work = [(root, enter(root))]
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == number[node]:
                    component = [stack.pop()]
                    while component[-1] != node:
                        component.append(stack.pop())
                    on_stack.difference_update(component)
                    components.append(component[::-1])
            elif following not in number:
                work.append((following, enter(following)))
            elif following in on_stack:
                low[node] = min(low[node], number[following])
    return components
