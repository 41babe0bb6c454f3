"""Ifs and loops out of labels and branches, without moving an instruction.

The builder writes a body where it stands, so a region is raised only where the text has it in one piece: a loop from its label
to the last branch back, an if from its branch to the label behind it. A region must have one way in, its head: no label inside
may be named from outside (which is that the head dominates it). What does not nest so keeps its labels and branches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ptxgen.transpile.nodes import Branch, Conditional, Jump, Loop, Mark, Node, Note, Scope, Text, bodies

__all__ = ["raised"]


class _Around(NamedTuple):
    """The labels of the innermost loop: the one that begins its round, and the one behind it."""

    again: str
    behind: str


_NOWHERE = _Around("", "")


def raised(nodes: list[Node]) -> list[Node]:
    """The nodes with ifs and loops raised.

    A label that one if or loop alone goes to is gone, as the builder makes one there; to one that others go to as well they go
    by name. Labels that nothing ever named stay: assemblers order code by all of them.
    """
    made = _List(nodes, _named_inside(nodes)).between(0, len(nodes), _NOWHERE)
    uses = Counter(_uses(made))
    shared = _named(made) | {label for label, count in uses.items() if count > 1}
    _settle(made, frozenset(uses) - shared, frozenset(shared))
    return made


class _List:
    """One list of nodes. `elsewhere` are the labels that are named from inside its scopes, or by a table."""

    def __init__(self, nodes: list[Node], elsewhere: frozenset[str]) -> None:
        self.nodes = nodes
        self.places = {node.label: i for i, node in enumerate(nodes) if isinstance(node, Mark)}
        self.elsewhere = elsewhere
        self.sources: dict[str, list[int]] = {}
        for i, node in enumerate(nodes):
            if isinstance(node, Branch):
                self.sources.setdefault(node.label, []).append(i)
        self._latest = {label: at[-1] for label, at in self.sources.items()}

    def between(self, start: int, end: int, around: _Around) -> list[Node]:
        """The nodes of a stretch, raised."""
        made: list[Node] = []
        i = start
        while i < end:
            node = self.nodes[i]
            if isinstance(node, Mark):
                last = self._loop_end(i, end)
                if last is not None:
                    made += (self.nodes[i], self._loop(i, last))
                    i = last + 1
                    continue
            elif isinstance(node, Branch):
                found = self._conditional(i, end, around)
                if found is not None:
                    conditional, i = found
                    made.append(conditional)
                    continue
                node = _jump(node, around)
            elif isinstance(node, Scope):
                node = Scope(_List(node.body, _named_inside(node.body)).between(0, len(node.body), _NOWHERE))
            made.append(node)
            i += 1
        return made

    def _closed(self, start: int, end: int, first: int) -> bool:
        """Are the labels from `first` to `end` named from `start` to `end` alone?"""
        for i in range(first, end):
            node = self.nodes[i]
            if isinstance(node, Mark):
                if node.label in self.elsewhere:
                    return False
                if any(not start <= at < end for at in self.sources.get(node.label, ())):
                    return False
        return True

    def _loop_end(self, head: int, end: int) -> int | None:
        """Where the loop that begins at a label ends, with its last branch back; None where there is none to raise."""
        mark = self.nodes[head]
        assert isinstance(mark, Mark)
        last = self._latest.get(mark.label, -1)
        if not head < last < end:
            return None
        back = self.nodes[last]
        assert isinstance(back, Branch)
        if back.instruction.pred is not None and back.instruction.op != "bra":
            return None
        return last if self._closed(head, last + 1, head + 1) else None

    def _loop(self, head: int, last: int) -> Loop:
        mark, back = self.nodes[head], self.nodes[last]
        assert isinstance(mark, Mark)
        assert isinstance(back, Branch)
        around = _Around(mark.label, next(iter(self._labels_at(last + 1)), ""))
        endless = back.instruction.pred is None
        body = self.between(head + 1, last, around)
        end = around.behind if _breaks(body) else ""
        return Loop(body if endless else [*body, Jump(back, "continue")], endless, mark.label, end)

    def _labels_at(self, at: int) -> list[str]:
        """The labels that stand at a place."""
        found = []
        while at < len(self.nodes):
            node = self.nodes[at]
            if isinstance(node, Mark):
                found.append(node.label)
            elif not isinstance(node, Note):
                break
            at += 1
        return found

    def _end_of(self, label: str, start: int, end: int) -> int | None:
        """Where a body that begins at `start` ends when the branch over it goes to a label; None where that is no place in the
        stretch, or at its end."""
        place = self.places.get(label)
        if place is None or place < start:
            return None
        if place < end:
            return place
        return end if label in self._labels_at(end) else None

    def _conditional(self, at: int, end: int, around: _Around) -> tuple[Conditional, int] | None:
        """The if that begins with a branch, and where the nodes behind it begin."""
        branch = self.nodes[at]
        assert isinstance(branch, Branch)
        if branch.instruction.pred is None or branch.instruction.op != "bra":
            return None
        if branch.label in around:
            return None
        over = self._end_of(branch.label, at + 1, end)
        if over is None or not self._closed(at, over, at + 1):
            return None
        found = self._with_else(at, over, end, around)
        if found is not None:
            return found
        return Conditional(branch, self.between(at + 1, over, around), None, branch.label), over

    def _with_else(self, at: int, over: int, end: int, around: _Around) -> tuple[Conditional, int] | None:
        """An if with two bodies: the first ends with a branch over the second."""
        branch, last = self.nodes[at], over - 1
        while last > at and isinstance(self.nodes[last], (Note, Mark)):
            last -= 1
        leave = self.nodes[last]
        if last <= at or over >= end or not isinstance(leave, Branch) or leave.instruction.pred is not None:
            return None
        if leave.label in around or any(isinstance(node, Mark) for node in self.nodes[last + 1 : over]):
            return None
        close = self._end_of(leave.label, over + 1, end)
        if close is None or not self._closed(at, close, at + 1):
            return None
        assert isinstance(branch, Branch)
        if len(self.sources[branch.label]) > 1:
            return None
        then = self.between(at + 1, last, around) + self.nodes[last + 1 : over]
        return Conditional(branch, then, self.between(over + 1, close, around), leave.label), close


def _jump(branch: Branch, around: _Around) -> Branch | Jump:
    if branch.instruction.op not in ("bra", "bra.uni") or (branch.instruction.pred and branch.instruction.op != "bra"):
        return branch
    if branch.label == around.behind:
        return Jump(branch, "break")
    return Jump(branch, "continue") if branch.label == around.again else branch


def _breaks(nodes: list[Node]) -> bool:
    """Does anything in a loop's body break out of it?"""
    for node in nodes:
        if isinstance(node, Jump) and node.word == "break":
            return True
        if isinstance(node, Conditional) and any(map(_breaks, bodies(node))):
            return True
    return False


def _uses(nodes: list[Node]) -> Iterator[str]:
    """The labels that ifs and loops go to, each as often as one of them does."""
    for node in nodes:
        if isinstance(node, Conditional):
            yield node.end
        elif isinstance(node, Loop):
            yield node.again
            if node.end:
                yield node.end
        for body in bodies(node):
            yield from _uses(body)


def _named_inside(nodes: list[Node]) -> frozenset[str]:
    """The labels that are named in a list by other than its own branches."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Text):
            found.update(node.labels)
        for body in bodies(node):
            found |= _named(body)
    return frozenset(found)


def _named(nodes: list[Node]) -> frozenset[str]:
    """The labels that are named in a list, or inside it."""
    own = {node.label for node in nodes if isinstance(node, Branch)}
    return _named_inside(nodes) | own


def _settle(nodes: list[Node], gone: frozenset[str], shared: frozenset[str]) -> None:
    """Take out the labels that are gone, and note which of those of ifs and loops are shared."""
    nodes[:] = [node for node in nodes if not isinstance(node, Mark) or node.label not in gone]
    for node in nodes:
        if isinstance(node, Conditional):
            node.placed = node.end in shared
        elif isinstance(node, Loop):
            node.placed = shared & {node.again, node.end}
        for body in bodies(node):
            _settle(body, gone, shared)
