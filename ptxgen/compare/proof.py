"""Are two functions proved to be equal? Both are walked together, from branch to branch, and every effect that one has (a store,
a barrier, a branch, what it returns) must be the other's, in the same order, on values that are one term.

Values are terms (`terms.py`), so that other instructions for the same value do not tell. What registers hold where control
meets is first taken for one class a block, which is split as long as what comes in differs: what is left is equal by induction
over the steps of both programs. Loads without a store to their space between them are one value. What only computes, and loads
that nobody uses, are no effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.compare.graph import Leaf, Merge, Result
from ptxgen.compare.meaning import computed
from ptxgen.compare.operands import declaration_of
from ptxgen.compare.terms import Terms
from ptxgen.compare.values import ASYNCHRONOUS
from ptxgen.ir import Address, Instruction, Register
from ptxgen.isa.forms import opcodes_with
from ptxgen.passes.editing import Edit
from ptxgen.passes.effects import behaviour

if TYPE_CHECKING:
    from ptxgen.compare.graph import CodeBlock, Graph, Node, Value
    from ptxgen.compare.terms import Term
    from ptxgen.passes.effects import Behaviour

__all__ = ["Proof", "prove"]

_BRANCHES = opcodes_with("branch")
_FIRST_TWO = opcodes_with("commutes") | {"fma", "mad"}
"""Opcodes whose first two operands may be exchanged."""
_SPACES = ("global", "shared", "local", "")
_ROUNDS = 200


class Proof(NamedTuple):
    """So many effects are proved to be the same; `what` says what is not known of the next one, and `old` and `new` are the
    instructions that it is about. All is proved where `what` is "".
    """

    proved: int
    what: str = ""
    old: Instruction | None = None
    new: Instruction | None = None


def prove(old: Graph, new: Graph) -> Proof:
    """Compare two functions, whose parameters, results and variables are those of each other."""
    return _Prover(old, new).prove()


class _Side:
    """A function: its effects by block, and the terms of its values under the classes of its merges."""

    def __init__(self, graph: Graph, terms: Terms) -> None:
        self.graph = graph
        self.terms = terms
        self.instructions = graph.body.instructions
        self.behaviours = _behaviours(graph)
        self.effects = {code.index: [p for p in code.nodes if self._is_effect(p)] for code in graph.blocks}
        self.pairs: dict[int, int] = {}
        """By block, the number of its pair."""
        self.classes: dict[Merge, Term] = {}
        self.values: dict[int, Term] = {}
        self.variables = _numbered(graph)
        self.returns = any(variable.space == "reg" for variable in graph.body.function.results)
        """Do ends read results besides?"""
        self.waits = any(instruction.opcode in ASYNCHRONOUS for instruction in self.instructions)
        self.before: dict[int, tuple[int, dict[str, object]]] = {}
        """By position, how many effects of its block stand before it, and the state of each space."""

    def _is_effect(self, position: int) -> bool:
        found = self.behaviours[position]
        if found.kind == "memory":
            return found.access is not None and found.access.writes
        return found.kind == "wall" or found.carries or (found.access is not None and found.access.writes)

    def note_states(self, order: list[int]) -> None:
        """Say of each instruction in which state it finds memory. Blocks with one way in go on from there."""
        written = {space for effects in self.effects.values() for p in effects for space in self._changed(p)}
        last: dict[int, dict[str, object]] = {}
        for index in order:
            code, pair = self.graph.blocks[index], self.pairs[index]
            only = code.predecessors[0] if len(code.predecessors) == 1 else -1
            states: dict[str, object] = dict(
                last.get(only) or {space: (pair, 0) if space in written else 0 for space in _SPACES}
            )
            count = 0
            effects = set(self.effects[index])
            for position in code.nodes:
                self.before[position] = count, dict(states)
                if position in effects:
                    count += 1
                    states.update(dict.fromkeys(self._changed(position), (pair, count)))
            last[index] = states

    def _changed(self, position: int) -> tuple[str, ...]:
        """The spaces that an effect may change. The state "" is that of any."""
        found = self.behaviours[position]
        if found.carries or self.instructions[position].opcode in _BRANCHES:
            return ()
        if found.access is None or not found.access.space:
            return _SPACES
        return (found.access.space if found.access.space in _SPACES else "global", "")

    # ---- terms

    def term(self, value: Value) -> Term:
        """The term of a value, once those before it are known."""
        if isinstance(value, Leaf):
            return self._leaf(value)
        if isinstance(value, Merge):
            return self.classes[value]
        root = self._of(value.position)
        if value.place == 0 and self._has_one_result(value.position):
            return root
        return self.terms.make("result", root, value.place)

    def _has_one_result(self, position: int) -> bool:
        return len(self.graph.body.writes[position]) == 1

    def _leaf(self, leaf: Leaf) -> Term:
        label, offset = leaf.label, 0
        last = label[-1]
        if label[:2] == ("constant", "bits") and isinstance(label[2], int):
            return self.terms.make("number", label[2])
        if len(label) > 2 and label[-2] == "+" and isinstance(last, int):
            label, offset = label[:-2], last
        if leaf.variable is not None:
            label = ("variable", self.variables[id(leaf.variable)])
        found = self.terms.make("leaf", *label)
        return self.terms.add(found, self.terms.make("number", offset & (2**64 - 1)), 64) if offset else found

    def _of(self, position: int) -> Term:
        """That of an instruction. Without recursion: chains are as long as programs."""
        work = [position]
        while work:
            at = work[-1]
            if at in self.values:
                work.pop()
                continue
            inputs = self.graph.nodes[at].inputs if not self._is_known_by_place(at) else ()
            missing = [v.position for v in inputs if isinstance(v, Result) and v.position not in self.values]
            if missing:
                work += missing
                continue
            self.values[at] = self._computed(at)
            work.pop()
        return self.values[position]

    def _is_known_by_place(self, position: int) -> bool:
        """Is its result what the effect at its place gives, which is compared there?"""
        return position in self.effects[self.graph.nodes[position].block]

    def _computed(self, position: int) -> Term:
        node = self.graph.nodes[position]
        pair = self.pairs.get(node.block, -1 - node.block)
        count, states = self.before.get(position, (0, {}))
        if self._is_known_by_place(position):
            return self.terms.make("effect", pair, count)
        found = self.behaviours[position]
        behind: tuple[object, ...] = ()
        if found.kind in ("together", "matrix"):
            behind = ("at", pair, count)
        if found.access is not None:
            space = found.access.space if found.access.space in _SPACES else ""
            behind += ("state", space, states.get(space))
        inputs = [self.term(value) for value in node.inputs]
        term = self._by_rule(node, inputs)
        if term is None:
            label, inputs = self.said(node, inputs)
            term = self.terms.make("computed", label, behind, *inputs)
        return self.terms.make("behind", pair, count, term) if self.waits else term

    def _by_rule(self, node: Node, inputs: list[Term]) -> Term | None:
        """What the rules say, where it is guarded a choice between that and what was there before."""
        instruction = self.instructions[node.position]
        guarded = instruction.pred is not None
        shapes = node.label[2:-1] if guarded else node.label[2:]
        if not self._has_one_result(node.position) or any(shape != "" for shape in shapes):
            return None
        if len(inputs) != len(shapes) + 2 * guarded:  # a part of the register stays
            return None
        if not guarded:
            return computed(self.terms, instruction, inputs)
        *operands, guard, kept = inputs
        found = computed(self.terms, instruction, operands)
        if found is None:
            return None
        return self.terms.selected(self.terms.negated(guard) if node.label[-1] == "unless" else guard, found, kept)

    def said(self, node: Node, inputs: list[Term]) -> tuple[tuple[object, ...], list[Term]]:
        """The label and the inputs of an instruction in normal form: addresses, guards and the order of factors."""
        instruction, label = self.instructions[node.position], list(node.label)
        inputs = list(inputs)
        if instruction.opcode in _FIRST_TWO and label[2:4] == ["", ""]:
            inputs[:2] = sorted(inputs[:2])
        place = next((n for n, each in enumerate(label) if isinstance(each, tuple) and each[:1] == ("address",)), -1)
        if place >= 0 and not any(each == "" for each in label[1:place]):
            address = next(each for each in instruction.operands if isinstance(each, Address))
            width = address.base.type.bits if isinstance(address.base, Register) else 64
            shape = label[place]
            assert isinstance(shape, tuple)
            label[place] = (shape[0], 0, *shape[2:])
            inputs[0] = self.terms.add(inputs[0], self.terms.number(shape[1], width), width)
        if instruction.pred is not None and label[-1] in ("if", "unless") and not self.returns:
            at = len(inputs) - 1 - len(self.graph.body.writes[node.position])
            guard = self.terms.negated(inputs[at]) if label[-1] == "unless" else inputs[at]
            negated = self.terms.key(guard)[0] == "not"
            label[-1], inputs[at] = ("unless", self.terms.negated(guard)) if negated else ("if", guard)
        return tuple(label), inputs

    def effect(self, position: int) -> tuple[object, ...]:
        """What an effect does, on which terms."""
        node = self.graph.nodes[position]
        inputs = [self.term(value) for value in node.inputs]
        label, inputs = self.said(node, inputs)
        return (label, *inputs)

    def condition(self, code: CodeBlock) -> tuple[Term | None, list[int], int]:
        """Of the branch that ends a block: the condition, where control goes if it holds and if not, and the position."""
        last = code.nodes[-1] if code.nodes else -1
        if len(set(code.successors)) < 2 or last < 0 or self.instructions[last].opcode not in _BRANCHES:
            return None, list(code.successors), last
        inputs = self.graph.nodes[last].inputs
        if self.instructions[last].opcode == "brx" or not inputs:
            return None, list(code.successors), last
        term = self.term(inputs[0])
        key = self.terms.key(term)
        if key[0] == "not":
            return key[1], list(reversed(code.successors)), last  # type: ignore[return-value]
        return term, list(code.successors), last


def _behaviours(graph: Graph) -> dict[int, Behaviour]:
    edit, found = Edit(graph.body), dict[int, "Behaviour"]()
    for position in graph.nodes:
        found[position] = behaviour(edit, position, {})
    return found


def _numbered(graph: Graph) -> dict[int, tuple[object, ...]]:
    """The function's own variables, by declaration and by their order among those declared alike."""
    found: dict[int, tuple[object, ...]] = {}
    counts: dict[tuple[object, ...], int] = {}
    for variable in graph.body.variables:
        said = declaration_of(variable)
        counts[said] = counts.get(said, 0) + 1
        found[id(variable)] = (*said, counts[said])
    return found


class _Prover:
    def __init__(self, old: Graph, new: Graph) -> None:
        self.terms = Terms()
        self.sides = (_Side(old, self.terms), _Side(new, self.terms))
        self.pairs: list[tuple[int, int]] = []
        self.proved = 0

    def prove(self) -> Proof:
        found = self._pair_blocks()
        if found is not None:
            return found
        for side, blocks in zip(self.sides, zip(*self.pairs)):
            side.note_states(list(blocks))
        self._refine()
        for numbers in self.pairs:
            found = self._compare(*numbers)
            if found is not None:
                return found
        return Proof(self.proved)

    def _unknown(self, what: str, positions: tuple[int, int]) -> Proof:
        one, other = (side.instructions[at] if at >= 0 else None for side, at in zip(self.sides, positions))
        return Proof(self.proved, what, one, other)

    # ---- control

    def _pair_blocks(self) -> Proof | None:
        """Walk both from their entries; a block is one other block's partner, or nothing is known."""
        for n, side in enumerate(self.sides):
            side.classes = {merge: self.terms.make("merge", n, k) for k, merge in enumerate(side.graph.merges)}
        waiting = [(self.sides[0].graph.roots[0], self.sides[1].graph.roots[0])]
        while waiting:
            pair = waiting.pop()
            known = [side.pairs.get(block) for side, block in zip(self.sides, pair)]
            if known[0] is not None and known[0] == known[1]:
                continue
            ways = [side.condition(side.graph.blocks[block]) for side, block in zip(self.sides, pair)]
            at = (ways[0][2], ways[1][2])
            if known != [None, None]:
                return self._unknown("control comes together elsewhere", at)
            for side, block in zip(self.sides, pair):
                side.pairs[block] = len(self.pairs)
            self.pairs.append(pair)
            if len(ways[0][1]) != len(ways[1][1]):
                return self._unknown("control goes on in another number of ways", at)
            waiting += zip(reversed(ways[0][1]), reversed(ways[1][1]))
        return None

    # ---- what meets

    def _refine(self) -> None:
        """Split the classes of merges until what comes into one class is one term, from each block before."""
        kept = [[merge for merge in side.graph.merges if merge.block in side.pairs] for side in self.sides]
        for side, merges in zip(self.sides, kept):
            for merge in merges:
                side.classes[merge] = self.terms.make("class", side.pairs[merge.block], 0)
        count = 0
        for number in range(1, _ROUNDS):
            found: dict[Merge, tuple[object, ...]] = {}
            for side, merges in zip(self.sides, kept):
                side.values.clear()
                for merge in merges:
                    incoming = sorted(
                        (side.pairs.get(block, -1), side.term(value)) for block, value in merge.inputs.items()
                    )
                    found[merge] = (side.classes[merge], *incoming)
            numbers: dict[tuple[object, ...], int] = {}
            for key in found.values():
                numbers.setdefault(key, len(numbers))
            if len(numbers) == count:
                return
            count = len(numbers)
            for side, merges in zip(self.sides, kept):
                for merge in merges:
                    side.classes[merge] = self.terms.make(
                        "class", side.pairs[merge.block], number, numbers[found[merge]]
                    )
        for side, merges in zip(self.sides, kept):  # no end of it: nothing is known of any
            side.values.clear()
            for n, merge in enumerate(merges):
                side.classes[merge] = self.terms.make("apart", self.sides.index(side), n)

    # ---- effects

    def _compare(self, one: int, other: int) -> Proof | None:
        """The effects of two blocks, and how control goes on."""
        lists = [side.effects[block] for side, block in zip(self.sides, (one, other))]
        for old, new in zip(*lists):
            if self._is_branch(0, old) and self._is_branch(1, new):
                continue
            if self.sides[0].effect(old) != self.sides[1].effect(new):
                return self._unknown("they are not known to do the same", (old, new))
            self.proved += 1
        if len(lists[0]) != len(lists[1]):
            shorter = min(map(len, lists))
            rest = tuple(each[shorter] if len(each) > shorter else -1 for each in lists)
            return self._unknown("only one of the two has it", (rest[0], rest[1]))
        ways = [side.condition(side.graph.blocks[block]) for side, block in zip(self.sides, (one, other))]
        at = (ways[0][2], ways[1][2])
        partners = [[side.pairs[block] for block in way[1]] for side, way in zip(self.sides, ways)]
        if ways[0][0] != ways[1][0] or partners[0] != partners[1]:
            return self._unknown("their conditions are not known to be the same", at)
        return None

    def _is_branch(self, number: int, position: int) -> bool:
        """A branch whose condition is compared as such."""
        side = self.sides[number]
        instruction = side.instructions[position]
        return instruction.opcode in _BRANCHES and instruction.opcode != "brx"
