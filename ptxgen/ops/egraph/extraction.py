"""The cheapest term of an e-class, by costs of the caller.

Knuth's generalisation of Dijkstra's algorithm ("A generalization of Dijkstra's algorithm", 1977): classes are settled from the
cheapest on, each by the first of its nodes whose children are settled; every node is looked at once for each of its children.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.ops.egraph.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.ops.egraph.host import EGraph

    Total = Callable[[str, Sequence[float]], float]

__all__ = ["Best", "extract_best"]


class Best(NamedTuple):
    """A cheapest term: a nested tuple like a pattern without variables."""

    cost: float
    term: tuple[Any, ...]


def extract_best(
    egraph: EGraph, eclass: int, cost: Callable[[str], float] = lambda op: 1.0, *, total: Total | None = None
) -> Best:
    """The cheapest term of an e-class: `cost(op)` and those of the children are added up, or `total(op, costs of the children)`
    is the cost of a node, such as `lambda op, below: 1 + max(below, default=0)` for the depth. Of equal ones, the node that was
    added first. RunError for a class without a finite term, for costs that are not positive, and for a total that is less than
    a child's."""
    best = _settled(egraph, egraph.find(eclass), _added(cost) if total is None else total)
    root = egraph.find(eclass)
    if root not in best:
        raise RunError(
            "WrongArgument", name=f"e-class {eclass}", found="without a finite term", expected="another class"
        )
    terms: dict[int, tuple[Any, ...]] = {}  # one of each class, however often it is used
    waiting = [root]
    while waiting:
        of = waiting[-1]
        _, op, children = best[of]
        missing = [child for child in dict.fromkeys(children) if child not in terms]
        if missing:
            waiting += missing
        else:
            terms[of] = (op, *[terms[child] for child in children])
            waiting.pop()
    return Best(best[root][0], terms[root])


def _added(cost: Callable[[str], float]) -> Total:
    """The sum of a positive cost of the operator and of the children's."""
    own: dict[str, float] = {}

    def total(op: str, below: Sequence[float]) -> float:
        if op not in own:
            own[op] = cost(op)
            if not own[op] > 0:
                raise RunError(
                    "WrongArgument", name=f"the cost of {op!r}", found=repr(own[op]), expected="a positive cost"
                )
        return own[op] + sum(below)

    return total


def _settled(egraph: EGraph, wanted: int, total: Total) -> dict[int, tuple[float, str, tuple[int, ...]]]:
    """(cost, operator, children) of the cheapest node of each class that is no dearer than the wanted one."""
    nodes: list[tuple[int, str, tuple[int, ...]]] = []
    unsettled: list[int] = []
    above: dict[int, list[int]] = {}
    ready: list[tuple[float, int]] = []
    best: dict[int, tuple[float, str, tuple[int, ...]]] = {}

    def push(number: int) -> None:
        _, op, children = nodes[number]
        below = [best[child][0] for child in children]
        found = total(op, below)
        if not found >= max(below, default=found):
            raise RunError(
                "WrongArgument", name=f"the total of {op!r}", found=f"{found!r} of the children {below}",
                expected="a cost that is not less than a child's",
            )  # fmt: skip
        heappush(ready, (found, number))

    for number, (eclass, op, children) in enumerate(egraph.nodes()):
        canonical = tuple(map(egraph.find, children))
        nodes.append((egraph.find(eclass), op, canonical))
        different = dict.fromkeys(canonical)
        unsettled.append(len(different))
        for child in different:
            above.setdefault(child, []).append(number)
        if not different:
            push(number)
    while ready and wanted not in best:
        cost, number = heappop(ready)
        eclass, op, children = nodes[number]
        if eclass in best:
            continue
        best[eclass] = (cost, op, children)
        for parent in above.get(eclass, ()):
            unsettled[parent] -= 1
            if not unsettled[parent] and nodes[parent][0] not in best:
                push(parent)
    return best
