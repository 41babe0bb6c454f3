"""Signatures of instructions: numbers that are equal for instructions of two graphs which look alike from where they stand.

`Signatures` sees a graph's instructions and merges as vertices, and refines what is known of each by its neighbours, round by
round (Weisfeiler and Lehman). What is equal after few rounds looks alike nearby; `whole` takes in all that a vertex is computed
from and all that is made of it. No number stands for two descriptions, so that nothing here is a matter of luck.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.compare.graph import Leaf, Merge, Result

if TYPE_CHECKING:
    from ptxgen.compare.graph import Graph, Node, Value

__all__ = ["Interner", "Signatures"]

Vertex = "int | Merge"


class Interner:
    """A number for each description, the same for equal ones; one for both graphs."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def __call__(self, description: object) -> int:
        return self._numbers.setdefault(description, len(self._numbers))


class Signatures:
    """The signatures of one graph. `order`: its instructions, definitions before what they reach except for loops.

    `near[k]` is by position what is seen k steps away; `above` all that an instruction is computed from, `whole` also all that is
    made of it.
    """

    ROUNDS = 3

    def __init__(self, graph: Graph, number: Interner) -> None:
        self.graph = graph
        self.number = number
        flow = graph.body.flow
        ranked = [*flow.order, *(b.index for b in flow.blocks if b.index not in flow.reachable)]
        self.order = [
            position
            for index in ranked
            for position in range(flow.blocks[index].start, flow.blocks[index].end)
            if position in graph.nodes
        ]
        self._users()
        self.near = self._near()
        self.above = self._above()
        self.whole = self._whole()

    def _users(self) -> None:
        """By vertex, those that read it, each with the place at which it reads."""
        self.readers: dict[int, list[tuple[int, Node]]] = {position: [] for position in self.order}
        self.merged: dict[int, list[Merge]] = {}
        self.merge_readers: dict[Merge, list[tuple[int, Node]]] = {merge: [] for merge in self.graph.merges}
        self.merge_merged: dict[Merge, list[Merge]] = {}
        self.variable_readers: dict[int, list[tuple[int, Node]]] = {}
        """By identity of one of the function's own variables, which only those that name it tell from others."""
        for position in self.order:
            node = self.graph.nodes[position]
            for place, value in enumerate(node.inputs):
                slot = 0 if node.commutes and place < 2 else place
                if isinstance(value, Result):
                    self.readers[value.position].append((slot + (value.place << 16), node))
                elif isinstance(value, Merge):
                    self.merge_readers[value].append((slot, node))
                elif value.variable is not None:
                    self.variable_readers.setdefault(id(value.variable), []).append((slot, node))
        for merge in self.graph.merges:
            for value in merge.inputs.values():
                if isinstance(value, Result):
                    self.merged.setdefault(value.position, []).append(merge)
                elif isinstance(value, Merge):
                    self.merge_merged.setdefault(value, []).append(merge)

    def _near(self) -> list[dict[int, int]]:
        number, nodes, merges = self.number, self.graph.nodes, self.graph.merges
        here = {position: number(nodes[position].label) for position in self.order}
        merge_here = dict.fromkeys(merges, number("merge"))
        rounds = [here]
        self.variables: dict[int, int] = {}
        for _ in range(self.ROUNDS):
            self.variables = {
                variable: number(tuple(sorted([(slot, here[user.position]) for slot, user in readers])))
                for variable, readers in self.variable_readers.items()
            }
            after = {
                position: number((
                    here[position],
                    self._inputs(nodes[position], here, merge_here),
                    tuple(sorted([(slot, here[user.position]) for slot, user in self.readers[position]])),
                    tuple(sorted([merge_here[merge] for merge in self.merged.get(position, ())])),
                ))
                for position in self.order
            }  # fmt: skip
            merge_here = {
                merge: number((
                    merge_here[merge],
                    tuple(sorted([self._value(value, here, merge_here) for value in merge.inputs.values()])),
                    tuple(sorted([(slot, here[user.position]) for slot, user in self.merge_readers[merge]])),
                ))
                for merge in merges
            }  # fmt: skip
            here = after
            rounds.append(here)
        return rounds

    def _value(self, value: Value, nodes: dict[int, int], merges: dict[Merge, int]) -> int:
        if isinstance(value, Leaf):
            label = self.number(value.label)
            return label if value.variable is None else self.number((label, self.variables[id(value.variable)]))
        if isinstance(value, Merge):
            return merges[value]
        found = nodes.get(value.position, -1)  # a write further down, around a loop that has no merge
        return self.number((found, value.place)) if value.place else found

    def _inputs(self, node: Node, nodes: dict[int, int], merges: dict[Merge, int]) -> tuple[int, ...]:
        found = [self._value(value, nodes, merges) for value in node.inputs]
        if node.commutes:
            found[:2] = sorted(found[:2])
        return tuple(found)

    def _above(self) -> dict[int, int]:
        number, nodes = self.number, self.graph.nodes
        merges = dict.fromkeys(self.graph.merges, number("merge"))
        found: dict[int, int] = {}
        for _ in range(self.ROUNDS):
            found = dict(found)
            for position in self.order:
                node = nodes[position]
                found[position] = number((node.label, self._inputs(node, found, merges)))
            merges = {
                merge: number(tuple(sorted([self._value(value, found, merges) for value in merge.inputs.values()])))
                for merge in self.graph.merges
            }
        self._merges_above = merges
        return found

    def _whole(self) -> dict[int, int]:
        number = self.number
        found = dict(self.above)
        merges = self._merges_above
        for _ in range(self.ROUNDS):
            for position in reversed(self.order):
                found[position] = number((
                    self.above[position],
                    tuple(sorted([(slot, found[user.position]) for slot, user in self.readers[position]])),
                    tuple(sorted([merges[merge] for merge in self.merged.get(position, ())])),
                ))  # fmt: skip
            merges = {
                merge: number((
                    self._merges_above[merge],
                    tuple(sorted([(slot, found[user.position]) for slot, user in self.merge_readers[merge]])),
                ))
                for merge in self.graph.merges
            }  # fmt: skip
        return found
