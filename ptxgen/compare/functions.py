"""The changes from one function to another, by their graphs and who is whose partner.

Nothing counts as equal that is not looked at: each pair of instructions by what it says and what it reads, each pair of merges by
what meets there, each pair of blocks by where control goes, and the order within a block. A change is said once, where it is: who
reads the result of an instruction that changed is none.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ptxgen.compare.changes import Change
from ptxgen.compare.graph import Leaf, Merge, Result
from ptxgen.compare.operands import declaration_of
from ptxgen.compare.order import Order
from ptxgen.compare.pairing import Pairing
from ptxgen.ir.source import resolve
from ptxgen.text.printer import format_instruction, format_statement

if TYPE_CHECKING:
    from ptxgen.compare.graph import Graph, Node, Value
    from ptxgen.dataflow.bodies.places import Places
    from ptxgen.ir import Variable

__all__ = ["code_changes"]


def code_changes(name: str, old: Graph, new: Graph, places: tuple[Places, Places]) -> list[Change]:
    """What changed in the instructions of a function."""
    return _Comparison(name, Pairing(old, new), places).changes()


class _Comparison:
    def __init__(self, name: str, pairing: Pairing, places: tuple[Places, Places]) -> None:
        self.name = name
        self.pairing = pairing
        self.old, self.new = pairing.old, pairing.new
        self.places = places
        self.found: dict[tuple[int, int, str], Change] = {}
        """By place in the old text (of what is added, behind its partner before it), place in the new text, kind."""
        self.declared: list[Change] = []
        self.variables: dict[int, Variable] = {}
        """By identity of a variable of the old function, its partner."""
        self.merges: dict[tuple[Merge, Merge], None] = {}

    def changes(self) -> list[Change]:
        self._pair_variables()
        for position, partner in self.pairing.nodes.items():
            self._compare(self.old.nodes[position], self.new.nodes[partner])
        self._compare_merges()
        self._without_partner()
        self._control()
        self._order()
        return self.declared + [change for _, change in sorted(self.found.items(), key=lambda item: item[0])]

    # -- instructions ----------------------------------------------------------------------------------------------

    def _compare(self, one: Node, other: Node) -> None:
        details = [] if one.label == other.label else [self._labels(one, other)]
        if self.pairing.blocks.get(one.block) != other.block:
            self._note("moved", one.position, other.position, "to another block")
        if len(one.inputs) == len(other.inputs):
            differing = self._differing(one, other)
            for place in differing:
                if not self._by_constants(
                    one.inputs[place], one.origins[place], other.inputs[place], other.origins[place]
                ):
                    details.append(self._what(one.inputs[place], other.inputs[place]))
        elif one.label == other.label:
            details.append("it reads another number of values")
        details = [detail for detail in dict.fromkeys(details) if detail]
        if details:
            self._note("changed", one.position, other.position, "; ".join(details))

    def _differing(self, one: Node, other: Node) -> list[int]:
        """The places at which two nodes read different values."""
        found = [n for n, pair in enumerate(zip(one.inputs, other.inputs)) if not self._equal(*pair)]
        if found and one.commutes and other.commutes and found[0] < 2:
            exchanged = (self._equal(one.inputs[0], other.inputs[1]), self._equal(one.inputs[1], other.inputs[0]))
            if all(exchanged):
                return [n for n in found if n > 1]
        return found

    def _labels(self, one: Node, other: Node) -> str:
        if one.label[0] != other.label[0]:
            return f"{one.label[0]} -> {other.label[0]}"
        return "its guard" if one.label[1:-1] == other.label[1:-1] and _guarded(one, other) else "its operands"

    def _equal(self, one: Value, other: Value) -> bool:
        """Are two values one? Merges are, as long as nothing says otherwise: `_compare_merges` looks at them."""
        if isinstance(one, Leaf) and isinstance(other, Leaf):
            if one.label != other.label:
                return False
            return one.variable is None or self.variables.get(id(one.variable)) is other.variable
        if isinstance(one, Result) and isinstance(other, Result):
            return one.place == other.place and self.pairing.nodes.get(one.position) == other.position
        if isinstance(one, Merge) and isinstance(other, Merge):
            if self.pairing.blocks.get(one.block) != other.block:
                return False
            self.merges.setdefault((one, other))
            return True
        return False

    def _by_constants(self, one: Value, origin: int, other: Value, there: int) -> bool:
        """Is the difference said at the mov of a constant, or by an instruction that is added or removed?"""
        if isinstance(one, Leaf) and isinstance(other, Leaf) and origin >= 0 and there >= 0:
            self._note("changed", origin, there, self._what(one, other))
            return True
        return (isinstance(one, Result) and one.position not in self.pairing.nodes) or (
            isinstance(other, Result) and other.position not in self.pairing.old_nodes
        )

    def _what(self, one: Value, other: Value) -> str:
        return f"{self._described(one, 0)} -> {self._described(other, 1)}"

    def _described(self, value: Value, side: int) -> str:
        if isinstance(value, Leaf):
            return _words(value)
        graph = (self.old, self.new)[side]
        if isinstance(value, Merge):
            return graph.body.registers[value.register].name
        register = graph.body.writes[value.position][value.place]
        return graph.body.registers[register].name

    # -- what is more than one instruction -------------------------------------------------------------------------

    def _compare_merges(self) -> None:
        """The pairs of merges that were taken for equal, and those that they need. A difference is said at its source."""
        done = 0
        while done < len(self.merges):
            one, other = list(self.merges)[done]
            done += 1
            partners = {self.pairing.blocks.get(block): block for block in one.inputs}
            for block, value in other.inputs.items():
                before = partners.pop(block, None)
                if before is None:
                    self._merge_differs(one, other, Leaf(("unwritten",)), -1, value, other.origins[block])
                elif not self._equal(one.inputs[before], value):
                    self._merge_differs(
                        one, other, one.inputs[before], one.origins[before], value, other.origins[block]
                    )
            for before in partners.values():
                self._merge_differs(one, other, one.inputs[before], one.origins[before], Leaf(("unwritten",)), -1)

    def _merge_differs(
        self, one: Merge, other: Merge, value: Value, origin: int, there: Value, new_origin: int
    ) -> None:
        if self._by_constants(value, origin, there, new_origin):
            return
        at = (
            origin if origin >= 0 else value.position if isinstance(value, Result) else self._first(self.old, one.block)
        )
        new_at = (
            new_origin
            if new_origin >= 0
            else there.position
            if isinstance(there, Result)
            else self._first(self.new, other.block)
        )
        self._note("changed", at, new_at, f"what reaches block {self._label(one)}: {self._what(value, there)}")

    def _label(self, merge: Merge) -> str:
        block = self.old.body.flow.blocks[merge.start]
        return block.labels[0] if block.labels else str(merge.start)

    def _first(self, graph: Graph, block: int) -> int:
        return graph.body.flow.blocks[graph.blocks[block].chain[0]].start

    def _without_partner(self) -> None:
        for position in self.pairing.one.order:
            if position not in self.pairing.nodes:
                self._note("removed", position, -1)
        for position in self.pairing.other.order:
            if position not in self.pairing.old_nodes:
                self._note("added", -1, position)

    def _control(self) -> None:
        """Where control goes behind each block."""
        blocks = self.pairing.blocks
        for code in self.old.blocks:
            partner = blocks.get(code.index)
            if partner is None:
                continue
            there = self.new.blocks[partner]
            if [blocks.get(index) for index in code.successors] == there.successors:
                continue
            end, new_end = self._end(self.old, code.chain[-1]), self._end(self.new, there.chain[-1])
            said = self._is_new(code.nodes, end, self.pairing.nodes)
            if not said and not self._is_new(there.nodes, new_end, self.pairing.old_nodes):
                self._note("changed", end, new_end, "control goes elsewhere from here")
        alone = [code for code in self.old.blocks if code.index not in blocks]
        alone_there = [code for code in self.new.blocks if code.index not in self.pairing.old_blocks]
        for code in alone:
            if not any(position not in self.pairing.nodes for position in code.nodes) and not self.found:
                self._note("removed", self._end(self.old, code.chain[-1]), -1, "a block of its own")
        for code in alone_there:
            if not any(position not in self.pairing.old_nodes for position in code.nodes) and not self.found:
                self._note("added", -1, self._end(self.new, code.chain[-1]), "a block of its own")

    @staticmethod
    def _is_new(nodes: list[int], end: int, partners: dict[int, int]) -> bool:
        """Does the block end with an instruction that has no partner, which is said anyway?"""
        return bool(nodes) and nodes[-1] == end and end not in partners

    @staticmethod
    def _end(graph: Graph, block: int) -> int:
        here = graph.body.flow.blocks[block]
        return min(max(here.end - 1, here.start), len(graph.body.instructions) - 1)

    def _order(self) -> None:
        order = Order(self.old)
        for code in self.old.blocks:
            partner = self.pairing.blocks.get(code.index)
            if partner is None:
                continue
            at = {position: place for place, position in enumerate(self.new.blocks[partner].nodes)}
            places = {
                position: at[self.pairing.nodes[position]]
                for position in code.nodes
                if self.pairing.nodes.get(position) in at
            }
            for position, passed in order.displaced(code, places):
                text = format_instruction(self.old.body.instructions[passed])
                self._note("moved", position, self.pairing.nodes[position], f"past {text}")

    # -- variables -------------------------------------------------------------------------------------------------

    def _pair_variables(self) -> None:
        """The function's own variables, by how often they stand at the same place, then by name and by declaration."""
        votes: Counter[tuple[int, int]] = Counter()
        known: dict[int, Variable] = {id(v): v for graph in (self.old, self.new) for v in graph.body.variables}
        for position, partner in self.pairing.nodes.items():
            for one, other in zip(self.old.nodes[position].inputs, self.new.nodes[partner].inputs):
                if isinstance(one, Leaf) and isinstance(other, Leaf) and one.variable and other.variable:
                    votes[id(one.variable), id(other.variable)] += 1
        taken: set[int] = set()
        for (one_id, other_id), _ in votes.most_common():
            if one_id not in self.variables and other_id not in taken:
                self.variables[one_id] = known[other_id]
                taken.add(other_id)
        self._unused_variables(taken)

    def _unused_variables(self, taken: set[int]) -> None:
        """Variables that no instruction names take memory all the same."""
        free = [v for v in self.new.body.variables if id(v) not in taken and v.space != "param"]
        for variable in self.old.body.variables:
            if id(variable) in self.variables or variable.space == "param":
                continue
            partner = next((v for v in free if declaration_of(v) == declaration_of(variable)), None)
            if partner is None:
                self.declared.append(
                    Change("removed", self.name, format_statement(variable), "", resolve(variable.source))
                )
            else:
                free.remove(partner)
        self.declared += [Change("added", self.name, "", format_statement(v), (), resolve(v.source)) for v in free]

    # -- saying it -------------------------------------------------------------------------------------------------

    def _note(self, kind: str, position: int, partner: int, detail: str = "") -> None:
        old, new = self.places
        before, after = self.old.body.instructions, self.new.body.instructions
        anchor = position if position >= 0 else self._anchor(partner)
        change = Change(
            kind,
            self.name,
            format_instruction(before[position]) if position >= 0 else "",
            format_instruction(after[partner]) if partner >= 0 else "",
            old.of(before[position]) if position >= 0 else (),
            new.of(after[partner]) if partner >= 0 else (),
            detail,
        )
        self.found.setdefault((anchor, partner, kind), change)

    def _anchor(self, partner: int) -> int:
        """The place in the old text of the nearest instruction before one of the new text that has a partner."""
        while partner >= 0 and partner not in self.pairing.old_nodes:
            partner -= 1
        return self.pairing.old_nodes.get(partner, -1)


def _guarded(one: Node, other: Node) -> bool:
    return {one.label[-1], other.label[-1]} <= {"if", "unless", ""}


def _words(leaf: Leaf) -> str:
    label = leaf.label
    if label[0] == "constant":
        value = label[2]
        assert isinstance(value, int)
        return str(value) if -10000 < value < 10000 else hex(value)
    if label[0] == "unwritten":
        return "a register that nothing has written"
    if leaf.variable is not None:
        return leaf.variable.name
    return " ".join(str(word) for word in label)
