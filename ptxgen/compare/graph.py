"""A function as a graph of values: what is left of it when names, declarations and the order of the text are taken away.

A `Node` is an instruction. Its `label` is all that it says but its values: the name with the modifiers in the manual's order,
the shape of its operands, the widths of its results. Its `inputs` are values in the order of its operands:

    Leaf     a constant by its bits, a special register, a variable or a parameter, a register that nobody has written
    Result   what a node writes, by its place among the node's results
    Merge    what a register holds at the start of a block where paths meet that have written it differently

A guarded instruction also reads what its results were before. Copies and constants that a `mov` puts into a register are no
nodes: whoever reads them reads the constant, and `origins` keeps the position of the mov. A mov that nobody reads is a node.

A `CodeBlock` is a maximal stretch of instructions without another way in or out, over the labels and plain branches in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Variable

__all__ = ["CodeBlock", "Graph", "Leaf", "Merge", "Node", "Result", "Value"]


class Leaf(NamedTuple):
    """A value that no instruction of the function computes. `variable`: one of the function's own, whose name says nothing."""

    label: tuple[object, ...]
    variable: Variable | None = None


class Result(NamedTuple):
    """What the instruction at a position writes, by its place among the registers that it writes."""

    position: int
    place: int


class Merge:
    """What a register holds at the start of a block: a value for each block that leads there."""

    __slots__ = ("block", "inputs", "origins", "register", "start")

    def __init__(self, register: int, start: int, block: int) -> None:
        self.register = register
        self.start = start
        """The block of the control flow; `block` is the one of the graph."""
        self.block = block
        self.inputs: dict[int, Value] = {}
        """By the block from which control comes."""
        self.origins: dict[int, int] = {}


Value = Leaf | Result | Merge


class Node:
    """An instruction, by its position. `commutes`: its first two inputs may be exchanged."""

    __slots__ = ("block", "commutes", "inputs", "label", "origins", "position")

    def __init__(
        self,
        position: int,
        block: int,
        label: tuple[object, ...],
        inputs: tuple[Value, ...],
        origins: tuple[int, ...],
        commutes: bool,
    ) -> None:
        self.position = position
        self.block = block
        self.label = label
        self.inputs = inputs
        self.origins = origins
        self.commutes = commutes


class CodeBlock:
    """`chain`: the blocks of the control flow that it is made of. `nodes`: positions, in the order of execution. `successors`
    stand in the order in which the last node chooses among them."""

    __slots__ = ("chain", "index", "nodes", "predecessors", "successors")

    def __init__(self, index: int, first: int) -> None:
        self.index = index
        self.chain = [first]
        self.nodes: list[int] = []
        self.successors: list[int] = []
        self.predecessors: list[int] = []


class Graph(NamedTuple):
    """A function's graph. `nodes` by position; `roots`: the blocks at which a walk begins, the entry first and then what
    control cannot reach."""

    body: Body
    blocks: list[CodeBlock]
    roots: list[int]
    nodes: dict[int, Node]
    merges: list[Merge]
