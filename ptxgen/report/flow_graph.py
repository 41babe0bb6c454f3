"""The control-flow graph of a kernel as the page draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.report.graph_layout import HEIGHT, WIDTH, lay_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.cpu.profiler.counts import Counts
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.report.graph_layout import EdgePath

__all__ = ["Graph", "GraphBlock", "flow_graph"]

MOST_BLOCKS = 1000
"""Of a graph that is drawn: who looks at more sees nothing."""


class GraphBlock(NamedTuple):
    """A basic block: its corner, its words, the lines of the listing it has, and how hot it is, from 0 to 1."""

    number: int
    x: float
    y: float
    label: str
    detail: str
    first: int
    last: int
    heat: float
    loops: int


class Graph(NamedTuple):
    """`blocks` is empty where there are too many: `whole` is how many there are."""

    width: float
    height: float
    block_width: float
    block_height: float
    blocks: tuple[GraphBlock, ...]
    edges: tuple[EdgePath, ...]
    whole: int


def flow_graph(body: Body, lines: Mapping[int, int], counts: Mapping[int, Counts]) -> Graph:
    """`lines` and `counts` are of instructions, by position: numbers in the listing, and what was counted."""
    blocks = body.flow.blocks
    if len(blocks) > MOST_BLOCKS:
        return Graph(0, 0, WIDTH, HEIGHT, (), (), len(blocks))
    drawing = lay_out([block.successors for block in blocks])
    work = [sum(counts[p].warps for p in range(b.start, b.end) if p in counts) for b in blocks]
    most = max(work, default=0) or 1
    found = []
    for spot in drawing.spots:
        block = blocks[spot.block]
        size = block.end - block.start
        runs = counts[block.start].warps if block.start in counts else None
        detail = f"{size} instr." if runs is None else f"{size} instr. × {runs:,} warps"
        depth = sum(block.index in loop.blocks for loop in body.loops)
        first, last = (lines.get(p, 0) for p in (block.start, max(block.end - 1, block.start)))
        label, heat = _label(block.labels, block.index), work[spot.block] / most
        found.append(GraphBlock(block.index, spot.x, spot.y, label, detail, first, last, heat, depth))
    return Graph(drawing.width, drawing.height, WIDTH, HEIGHT, tuple(found), drawing.edges, len(blocks))


def _label(labels: Sequence[str], index: int) -> str:
    name = labels[0] if labels else "entry" if index == 0 else f"block {index}"
    return name if len(name) <= 20 else f"{name[:18]}…"
