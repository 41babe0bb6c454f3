"""A body as the transpiler sees it: a list of nodes in text order, first flat, then with bodies of ifs and loops raised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.ir import Instruction

__all__ = ["Branch", "Conditional", "Jump", "Loop", "Mark", "Node", "Note", "Scope", "Step", "Text", "bodies"]


class Step:
    """An instruction at its position in the function's body."""

    __slots__ = ("instruction", "position")

    def __init__(self, position: int, instruction: Instruction) -> None:
        self.position = position
        self.instruction = instruction


class Branch(Step):
    """A `bra`, and the label that it goes to by the name that it has in the program that is written."""

    __slots__ = ("label",)

    def __init__(self, position: int, instruction: Instruction, label: str) -> None:
        super().__init__(position, instruction)
        self.label = label


class Jump(Step):
    """A branch that leaves a round of the innermost loop: `word` is "break" or "continue"."""

    __slots__ = ("word",)

    def __init__(self, branch: Branch, word: str) -> None:
        super().__init__(branch.position, branch.instruction)
        self.word = word


class Mark:
    """A label."""

    __slots__ = ("label",)

    def __init__(self, label: str) -> None:
        self.label = label


class Note:
    """A comment."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Text:
    """A directive or a declaration as PTX text; `labels` are those that it names."""

    __slots__ = ("labels", "text")

    def __init__(self, text: str, labels: tuple[str, ...] = ()) -> None:
        self.text = text
        self.labels = labels


class Scope:
    """A `{}` that declares more than registers."""

    __slots__ = ("body",)

    def __init__(self, body: list[Node]) -> None:
        self.body = body


class Conditional:
    """`@p bra` over a body, with another body where it goes to, None where there is none. `end` is the label behind it;
    `placed`: it stands there as a `Mark`, since others go there too."""

    __slots__ = ("branch", "end", "otherwise", "placed", "then")

    def __init__(self, branch: Step, then: list[Node], otherwise: list[Node] | None, end: str) -> None:
        self.branch = branch
        self.then = then
        self.otherwise = otherwise
        self.end = end
        self.placed = False


class Loop:
    """A body that is repeated: for ever, or while the `continue` at its end says so. `again` is its first label, `end` the one
    behind it, "" where nothing breaks; those among `placed` stand there as a `Mark`."""

    __slots__ = ("again", "body", "end", "endless", "placed")

    def __init__(self, body: list[Node], endless: bool, again: str, end: str) -> None:
        self.body = body
        self.endless = endless
        self.again = again
        self.end = end
        self.placed: frozenset[str] = frozenset()


Node = Step | Mark | Note | Text | Scope | Conditional | Loop


def bodies(node: Node) -> Iterator[list[Node]]:
    """The lists of nodes inside one."""
    if isinstance(node, (Scope, Loop)):
        yield node.body
    elif isinstance(node, Conditional):
        yield node.then
        if node.otherwise is not None:
            yield node.otherwise
