"""Every path through a function, as one thread takes it, with the state of a protocol along it.

A state is any hashable value; a protocol says how an event changes it. Ways that contradict themselves are not walked: a
branch on `%tid.x == 0` that was taken once is taken again. What settles a debt (a wait, a commit, a deallocation) is believed
to run where the text skips it under a condition that nothing is known about, so that a finding is about a path that really
misses it.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple, TypeVar
from ptxgen.dataflow.graph.algorithms import members
from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.values.value_numbers import ValueNumbers

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.cfg import BasicBlock
    from ptxgen.dataflow.values.value_numbers import Fact

__all__ = ["PathEvent", "Paths", "stretches"]

S = TypeVar("S", bound="Hashable")
T = TypeVar("T")


class PathEvent(NamedTuple):
    """Something that matters to a protocol: `kind` and `data` are its own.

    `settles`: it pays a debt (see above). `either`: where it has a guard, both outcomes are walked; others are taken to happen.
    `credited`: it stands for one that the text skips here, and says nothing about a debt that there is not.
    """

    position: int
    kind: str
    data: object = None
    settles: bool = False
    either: bool = False
    credited: bool = False


def stretches(body: Body, parts: Mapping[int, T], events: Iterable[PathEvent]) -> list[tuple[int, list[T]]]:
    """What stands at some positions, by stretches of a block that no event and no guard cuts, each with its first position.

    A walk is quicker with one event for a stretch than with one for each of its instructions.
    """
    others = {event.position for event in events}
    found: list[tuple[int, list[T]]] = []
    block, whole = -1, False
    """Of the last stretch; may it go on?"""
    for position in sorted({*parts, *others}):
        index = body.flow.block_at(position).index
        alone = position in others or body.instructions[position].pred is not None
        if position in parts:
            if whole and not alone and index == block:
                found[-1][1].append(parts[position])
            else:
                found.append((position, [parts[position]]))
        block, whole = index, position in parts and not alone
    return found


class PathEdge(NamedTuple):
    """An edge out of a block, and what it says, as bits."""

    edge: tuple[int, int]
    """(block, successor)"""
    facts: int
    against: int
    """The facts that rule it out."""
    first: int
    """The fact about its guard."""


class Paths:
    """The paths through one body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.visits = 0
        """Of blocks, by all the walks so far, their preparation with them."""
        self.values = values = body.analysis(ValueNumbers)
        self._branches: dict[int, tuple[tuple[Fact, ...], tuple[Fact, ...]]] = {}
        """By block that ends in a guarded branch or exit: what holds where it falls through, and where it goes."""
        self.tested: dict[int, int] = {}
        """By condition, how many branches ask for it."""
        for block in body.flow.blocks:
            last = block.end - 1
            if block.start <= last and body.instructions[last].pred is not None:
                if len(block.successors) + block.leaves < 2:
                    continue
                guard = body.instructions[last].pred
                assert guard is not None
                falls, goes = values.facts(guard, last, False), values.facts(guard, last, True)
                self._branches[block.index] = (falls, goes)
                for number in {number for number, _ in (*falls, *goes)}:
                    self.tested[number] = self.tested.get(number, 0) + 1
        self._skips: dict[int, list[tuple[int, int]]] = {}
        self.conditions: dict[int, int] = {}
        """By condition, the bit that says that it holds; the next says that it does not."""
        self.forgets: dict[int, list[tuple[int, int]]] = {}
        """By block, (position, facts that are kept) where a register that a condition depends on is written anew."""
        self.kept: list[int] = [-1] * len(body.flow.blocks)
        """By block, the facts that none of these takes away."""
        self._naming: dict[int, int] = {}
        """By a condition's bit, the blocks, as bits, whose branch says something of it, or that forget it."""
        self._asking: dict[int, int] = {}
        """By a condition's bit, the blocks, as bits, that end in a guarded branch or exit which asks for it."""
        self.asking: dict[int, int] = {}
        """By block that ends in a guarded branch or exit, the facts that it asks for."""
        self.edges: list[list[PathEdge]] = [self._edges(block) for block in body.flow.blocks]
        self._asked: dict[tuple[int, int], int] = {}
        self._told: dict[int, int] = {}
        self.known: dict[object, object] = {}
        """What walks have found out, for others."""

    def telling(self, useful: tuple[int, ...], followed: int) -> int:
        """The first block, and those at whose end anything is learned, asked or forgotten of these facts, as bits."""
        found, naming = 1, 0
        for bit, blocks in self._naming.items():
            if followed & bit:
                naming |= blocks
        for index in members(naming):
            asked = learned = behind = 0
            for edge, facts, against, _ in self.edges[index]:
                there = useful[edge[1]]
                asked, learned, behind = asked | against, learned | facts & there, behind | there
            if learned or asked & useful[index] or behind & ~self.kept[index]:
                found |= 1 << index
        return found

    @lazy
    def leaving(self) -> dict[int, int]:
        """The blocks at whose end threads leave in a way that somebody asks for, and the facts by which they do not."""
        found = {}
        for block in self.body.flow.blocks:
            if block.leaves and not (block.end > block.start and self.body.instructions[block.end - 1].op == "trap"):
                found[block.index] = self.against(self._branches.get(block.index, ((), ()))[1])
        return found

    def _edges(self, block: BasicBlock) -> list[PathEdge]:
        index, branch = block.index, self._branches.get(block.index)
        if branch is None:
            return [PathEdge((index, successor), 0, 0, 0) for successor in block.successors]
        sides = [(self.bits(facts), self.against(facts), self.bits(facts[:1])) for facts in branch]
        asks = self.asking[index] = sides[0][0] | sides[0][1] | sides[1][0] | sides[1][1]
        for bit in self.conditions.values():
            if asks & bit:
                self._asking[bit] = self._asking.get(bit, 0) | 1 << index
                self._naming[bit] = self._naming.get(bit, 0) | 1 << index
        return [PathEdge((index, to), *sides[place > 0]) for place, to in enumerate(block.successors)]

    def asked(self, deciding: int, followed: int) -> list[int]:
        """By block, the facts that a branch at the end of one of these, at its end or behind it, asks for before they change.

        `deciding` are blocks as bits; of other conditions than those `followed` nothing is said.
        """
        found = [0] * len(self.edges)
        for bit, blocks in self._asking.items():
            if followed & bit and blocks & deciding:
                for index in members(self._before(bit, blocks & deciding)):
                    found[index] |= 3 * bit
        return found

    def _before(self, bit: int, asking: int) -> int:
        """The blocks, as bits, at whose start it may be known of a condition what some blocks ask."""
        known = self._asked.get((bit, asking))
        if known is None:
            known, work, blocks = 0, members(asking), self.body.flow.blocks
            while work:
                index = work.pop()
                if self.kept[index] & bit and not known >> index & 1:
                    known |= 1 << index
                    work += blocks[index].predecessors
            self._asked[bit, asking] = known
        return known

    def told(self, fact: int) -> int:
        """The blocks, as bits, at whose start it may be known, from a branch on the way there, whether a condition holds."""
        known = self._told.get(fact)
        if known is None:
            known, blocks = 0, self.body.flow.blocks
            asking = next((blocks for bit, blocks in self._asking.items() if fact & 3 * bit), 0)
            work = [to for index in members(asking) for to in blocks[index].successors]
            while work:
                index = work.pop()
                if not known >> index & 1:
                    known |= 1 << index
                    if self.kept[index] & fact:
                        work += blocks[index].successors
            self._told[fact] = known
        return known

    def bits(self, facts: Iterable[Fact]) -> int:
        """Facts as the bits of an integer."""
        found = 0
        for number, holds in facts:
            bit = self.conditions.get(number) or self._enter(number)
            found |= bit if holds else bit << 1
        return found

    def either(self, numbers: Iterable[int]) -> int:
        """All that can be known of some conditions."""
        return self.bits([(number, holds) for number in numbers for holds in (True, False)])

    def against(self, facts: Iterable[Fact]) -> int:
        """What contradicts one of these."""
        return self.bits([(number, not holds) for number, holds in facts])

    def _enter(self, number: int) -> int:
        bit = self.conditions[number] = 1 << 2 * len(self.conditions)
        block_at, definitions = self.body.flow.block_at, self.values.definitions
        for register in _registers(self.values, number):
            for position in definitions.get(register, ()):
                index = block_at(position).index
                self.forgets.setdefault(index, []).append((position, ~(3 * bit)))
                self.kept[index] &= ~(3 * bit)
                self._naming[bit] = self._naming.get(bit, 0) | 1 << index
        return bit

    def skips(self, position: int) -> list[tuple[int, int]]:
        """The edges (block, successor) that go around the instruction there."""
        known = self._skips.get(position)
        if known is None:
            known = self._skips[position] = _skips(self, position)
        return known


def _registers(values: ValueNumbers, number: int) -> set[int]:
    """The registers that a value depends on and that are values of their own."""
    found: set[int] = set()
    seen: set[int] = set()
    work = [number]
    while work:
        current = work.pop()
        if current in seen:
            continue
        seen.add(current)
        key = values.keys[current]
        if key[0] == "reg" and isinstance(key[1], int):
            found.add(key[1])
        work += values.inputs(current)
    return found


def _skips(paths: Paths, position: int) -> list[tuple[int, int]]:
    """The edges (block, successor) that go around an event, straight to where the paths meet again: of an `if` without else.

    Neither an exit of a loop around the event nor a branch with other work to do is a path around it.
    """
    flow = paths.body.flow
    found = []
    index = flow.block_at(position).index
    if index not in flow.reachable:
        return []
    current = index
    while flow.dominators[current] != current:
        above = flow.dominators[current]
        if flow.post_dominates(current, above):
            current = above
            continue
        if not flow.behind(current) >> above & 1:
            meet = flow.post_dominators[above]
            if meet in flow.blocks[above].successors and not flow.behind(meet) >> current & 1:
                found.append((above, meet))
        current = above
    return found
