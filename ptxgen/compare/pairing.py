"""Which block of one graph is which of the other, and which instruction is which.

Pairs are found from the certain to the likely: instructions that look alike to the end of the function, then a few steps around,
then what stands where a matched neighbour says, at last what follows one another in the text. Only what two graphs have equally
often is paired by its looks. Whether pairs are equal is not decided here: an instruction that changed has a partner, too.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from ptxgen.compare.graph import Leaf, Merge, Result
from ptxgen.compare.signatures import Interner, Signatures

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from ptxgen.compare.graph import Graph, Node

__all__ = ["Pairing"]


class Pairing:
    """`nodes` and `blocks`: old -> new; `old_nodes` and `old_blocks` the other way."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self.old, self.new = old, new
        number = Interner()
        self.one, self.other = Signatures(old, number), Signatures(new, number)
        self.nodes: dict[int, int] = {}
        self.old_nodes: dict[int, int] = {}
        self.blocks: dict[int, int] = {}
        self.old_blocks: dict[int, int] = {}
        self._variables: dict[int, int] = {}
        """By identity: the partners of variables, as the pairs so far have them."""
        self._pair_blocks()
        self._pair_nodes()

    # -- blocks ----------------------------------------------------------------------------------------------------

    def _pair_blocks(self) -> None:
        votes = self._votes()
        walked = self._walk()
        best: dict[int, int] = {}
        for (block, partner), _ in votes:
            best.setdefault(block, partner)
        if walked is not None and all(walked[block] == partner for block, partner in best.items()):
            for block, partner in walked.items():
                self._pair_block(block, partner)
            return
        self._pair_block(0, 0)
        for (block, partner), _ in votes:
            self._pair_block(block, partner)
        self._spread()

    def _pair_block(self, block: int, partner: int) -> bool:
        if block in self.blocks or partner in self.old_blocks:
            return False
        self.blocks[block], self.old_blocks[partner] = partner, block
        return True

    def _walk(self) -> dict[int, int] | None:
        """The pairs that one walk over both graphs from their roots finds; None where it cannot cover both."""
        old, new = self.old.blocks, self.new.blocks
        if len(old) != len(new) or len(self.old.roots) != len(self.new.roots):
            return None
        found: dict[int, int] = {}
        work = list(zip(self.old.roots, self.new.roots))
        while work:
            block, partner = work.pop()
            if block in found:
                if found[block] != partner:
                    return None
                continue
            found[block] = partner
            if len(old[block].successors) != len(new[partner].successors):
                return None
            work += zip(old[block].successors, new[partner].successors)
        return found if len(set(found.values())) == len(found) == len(old) else None

    def _votes(self) -> list[tuple[tuple[int, int], int]]:
        """Pairs of blocks by how many instructions look alike in both and nowhere else, most first."""
        votes: Counter[tuple[int, int]] = Counter()
        for one, other in (
            (self.one.whole, self.other.whole),
            *((self.one.near[steps], self.other.near[steps]) for steps in (3, 2, 1)),
        ):
            there = _single(other)
            for key, position in _single(one).items():
                if key in there:
                    votes[self.old.nodes[position].block, self.new.nodes[there[key]].block] += 1
        return sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))

    def _spread(self) -> None:
        """Blocks behind paired ones, at the same place among their successors."""
        work = list(self.blocks.items())
        while work:
            block, partner = work.pop()
            behind, there = self.old.blocks[block].successors, self.new.blocks[partner].successors
            if len(behind) == len(there):
                work += [pair for pair in zip(behind, there) if self._pair_block(*pair)]

    # -- instructions ----------------------------------------------------------------------------------------------

    def _pair_nodes(self) -> None:
        one, other = self.one, self.other
        looks: list[tuple[dict[int, int], dict[int, int]]] = [
            (one.whole, other.whole),
            (one.above, other.above),
            *((one.near[steps], other.near[steps]) for steps in (3, 2, 1)),
        ]
        for old_looks, new_looks in looks:
            self._alike(old_looks, new_looks)
            self._neighbours(self._same_label)
        self._in_text_order(one.near[1], other.near[1])
        self._in_text_order(one.near[0], other.near[0])
        self._neighbours(self._same_label)
        self._neighbours(self._same_opcode)
        self._in_gaps()
        self._neighbours(self._same_place)
        for old_looks, new_looks in looks[:4]:
            self._alike(old_looks, new_looks, anywhere=True)

    def _pair(self, position: int, partner: int) -> None:
        self.nodes[position], self.old_nodes[partner] = partner, position
        for value, there in zip(self.old.nodes[position].inputs, self.new.nodes[partner].inputs):
            if isinstance(value, Leaf) and isinstance(there, Leaf) and value.variable and there.variable:
                self._variables.setdefault(id(value.variable), id(there.variable))

    def _free(self) -> tuple[list[int], list[int]]:
        return (
            [position for position in self.one.order if position not in self.nodes],
            [position for position in self.other.order if position not in self.old_nodes],
        )

    def _alike(self, old_looks: dict[int, int], new_looks: dict[int, int], *, anywhere: bool = False) -> None:
        """Pairs what looks alike in a block and its partner, where both have as many of it."""
        old, new = self._free()
        there: dict[Hashable, list[int]] = {}
        for position in new:
            block = -1 if anywhere else self.new.nodes[position].block
            there.setdefault((block, new_looks[position]), []).append(position)
        here: dict[Hashable, list[int]] = {}
        for position in old:
            block = -1 if anywhere else self.blocks.get(self.old.nodes[position].block, -2)
            here.setdefault((block, old_looks[position]), []).append(position)
        for key, positions in here.items():
            partners = there.get(key, ())
            if len(partners) == len(positions):
                self._pair_group(positions, partners)

    def _pair_group(self, positions: Sequence[int], partners: Sequence[int]) -> None:
        """Pairs those whose inputs are partners, the rest in the order of the text."""
        if len(positions) == 1:
            self._pair(positions[0], partners[0])
            return
        by_inputs: dict[Hashable, list[int]] = {}
        for partner in reversed(partners):
            by_inputs.setdefault(self._inputs_there(self.new.nodes[partner]), []).append(partner)
        left = []
        for position in positions:
            candidates = by_inputs.get(self._inputs_here(self.old.nodes[position]))
            if candidates:
                self._pair(position, candidates.pop())
            else:
                left.append(position)
        rest = [partner for partner in partners if partner not in self.old_nodes]
        for position, partner in zip(left, rest):
            self._pair(position, partner)

    def _inputs_here(self, node: Node) -> Hashable:
        """The inputs of an old node, as those of its partner are named."""
        found: list[Hashable] = []
        for value in node.inputs:
            if isinstance(value, Leaf):
                found.append((value.label, self._variables.get(id(value.variable)) if value.variable else None))
            else:
                found.append("merge" if isinstance(value, Merge) else (self.nodes.get(value.position), value.place))
        return tuple(found)

    @staticmethod
    def _inputs_there(node: Node) -> Hashable:
        found: list[Hashable] = []
        for value in node.inputs:
            if isinstance(value, Leaf):
                found.append((value.label, id(value.variable) if value.variable else None))
            else:
                found.append("merge" if isinstance(value, Merge) else (value.position, value.place))
        return tuple(found)

    def _same_label(self, one: Node, other: Node) -> bool:
        return one.label == other.label and self.blocks.get(one.block) == other.block

    def _same_opcode(self, one: Node, other: Node) -> bool:
        return _opcode(one) == _opcode(other) and self.blocks.get(one.block) == other.block

    def _same_place(self, one: Node, other: Node) -> bool:
        return self.blocks.get(one.block) == other.block and self._writes(one, self.old) == self._writes(
            other, self.new
        )

    def _writes(self, node: Node, graph: Graph) -> list[int]:
        body = graph.body
        return [body.registers[register].type.bits for register in body.writes[node.position]]

    def _neighbours(self, fit: Callable[[Node, Node], bool]) -> None:
        """Pairs what paired instructions read at the same place, and what alone reads the results of both."""
        work = list(self.nodes.items())
        while work:
            position, partner = work.pop()
            one, other = self.old.nodes[position], self.new.nodes[partner]
            found = []
            if len(one.inputs) == len(other.inputs):
                for value, there in zip(one.inputs, other.inputs):
                    if isinstance(value, Result) and isinstance(there, Result):
                        found.append((value.position, there.position))
            readers, readers_there = self.one.readers[position], self.other.readers[partner]
            if len(readers) == len(readers_there) == 1:
                found.append((readers[0][1].position, readers_there[0][1].position))
            for first, second in found:
                if first in self.nodes or second in self.old_nodes:
                    continue
                if fit(self.old.nodes[first], self.new.nodes[second]):
                    self._pair(first, second)
                    work.append((first, second))

    def _in_text_order(self, old_looks: dict[int, int], new_looks: dict[int, int]) -> None:
        """Pairs what looks alike along the longest common order of each block."""
        for here, there in self._open_blocks():
            one: list[Hashable] = [self._token(position, old_looks, self.nodes) for position in here]
            other: list[Hashable] = [self._token(position, new_looks, None) for position in there]
            matcher = SequenceMatcher(None, one, other, False)
            for start, new_start, count in matcher.get_matching_blocks():
                for step in range(count):
                    if here[start + step] not in self.nodes:
                        self._pair(here[start + step], there[new_start + step])

    def _in_gaps(self) -> None:
        """Pairs instructions of one opcode that stand between the same paired ones."""
        for here, there in self._open_blocks():
            one: list[Hashable] = [self.nodes.get(position, -1 - n) for n, position in enumerate(here)]
            other: list[Hashable] = [
                position if position in self.old_nodes else ("free", position) for position in there
            ]
            for tag, start, end, new_start, new_end in SequenceMatcher(None, one, other, False).get_opcodes():
                if tag != "replace":
                    continue
                free = [position for position in there[new_start:new_end] if position not in self.old_nodes]
                for position in here[start:end]:
                    if position in self.nodes:
                        continue
                    node = self.old.nodes[position]
                    fits = (each for each in free if _opcode(self.new.nodes[each]) == _opcode(node))
                    partner = next(fits, None)
                    if partner is not None:
                        self._pair(position, partner)
                        free.remove(partner)

    def _open_blocks(self) -> list[tuple[list[int], list[int]]]:
        """The instructions of paired blocks that both have some without a partner."""
        found = []
        for block, partner in self.blocks.items():
            here, there = self.old.blocks[block].nodes, self.new.blocks[partner].nodes
            if any(p not in self.nodes for p in here) and any(p not in self.old_nodes for p in there):
                found.append((here, there))
        return found

    def _token(self, position: int, looks: dict[int, int], partners: dict[int, int] | None) -> Hashable:
        """Equal for partners, and for what looks alike and has none."""
        if partners is None:
            return ("paired", position) if position in self.old_nodes else looks[position]
        return ("paired", partners[position]) if position in partners else looks[position]


def _single(looks: dict[int, int]) -> dict[int, int]:
    """What no two look like -> its position."""
    counts = Counter(looks.values())
    return {look: position for position, look in looks.items() if counts[look] == 1}


def _opcode(node: Node) -> str:
    return str(node.label[0]).partition(".")[0]
