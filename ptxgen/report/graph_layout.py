"""Where the blocks of a control-flow graph are drawn: in layers from the entry down, edges as curves between them, very long ones
and those of loops in lanes beside the blocks.

The layered method (Sugiyama, Tagawa and Toda, 1981): layers by the longest path, bends where an edge passes a layer, an order
within layers by barycentres, then coordinates with the least squares of distances to neighbours.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.graph.algorithms import reverse_postorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["HEIGHT", "WIDTH", "Drawing", "EdgePath", "Spot", "lay_out"]

WIDTH, HEIGHT = 168.0, 42.0
"""Of a block, in pixels."""
BEND = 12.0
"""The width that an edge takes in a layer that it passes."""
GAP, RISE, LANE, MARGIN = 24.0, 40.0, 12.0, 16.0
"""Between blocks of a layer, between layers, between lanes, around everything."""
LONGEST = 6
"""Layers that an edge passes among the blocks; a longer one takes a lane."""
_SWEEPS = 8

Edge = tuple[int, int]


class Spot(NamedTuple):
    """Where a block stands: its upper left corner."""

    block: int
    x: float
    y: float


class EdgePath(NamedTuple):
    """An edge from a block to another as an SVG path; `kind` is "forward", "long" or "back"."""

    source: int
    target: int
    kind: str
    path: str


class Drawing(NamedTuple):
    """All of it, and its size in pixels."""

    width: float
    height: float
    spots: tuple[Spot, ...]
    edges: tuple[EdgePath, ...]


class _Layers:
    """Blocks, and below zero the bends of edges, by layer. `chains`: what each edge among blocks passes, its ends included."""

    def __init__(self, order: Sequence[int], edges: Iterable[Edge]) -> None:
        self.of = dict.fromkeys(order, 0)
        place = {block: number for number, block in enumerate(order)}
        down = sorted((e for e in edges if place[e[1]] > place[e[0]]), key=lambda e: place[e[0]])
        for source, target in down:
            self.of[target] = max(self.of[target], self.of[source] + 1)
        self.chains: dict[Edge, list[int]] = {}
        self.rows: list[list[int]] = [[] for _ in range(max(self.of.values()) + 1)]
        self.above: dict[int, list[int]] = {}
        self.below: dict[int, list[int]] = {}
        for block in order:
            self.rows[self.of[block]].append(block)
        bends = 0
        for source, target in down:
            passed = range(self.of[source] + 1, self.of[target])
            if len(passed) > LONGEST:
                continue
            chain = [source]
            for layer in passed:
                bends -= 1
                self.rows[layer].append(bends)
                chain.append(bends)
            self.chains[source, target] = [*chain, target]
            for one, other in pairwise(self.chains[source, target]):
                self.below.setdefault(one, []).append(other)
                self.above.setdefault(other, []).append(one)

    def sweeps(self) -> Iterable[tuple[list[int], dict[int, list[int]]]]:
        """Each row with its neighbours above from the top down, then with those below from the bottom up, and so on."""
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            for row in self.rows if down else reversed(self.rows):
                yield row, self.above if down else self.below


def lay_out(successors: Sequence[Sequence[int]]) -> Drawing:
    """The drawing of the graph that block 0 is the entry of; blocks that it does not reach are left out."""
    order = reverse_postorder(0, [list(each) for each in successors])
    edges = [(b, s) for b in order for s in dict.fromkeys(successors[b])]
    layers = _Layers(order, edges)
    _arrange(layers)
    centre = _coordinates(layers)
    place = {block: number for number, block in enumerate(order)}
    back = _lanes([e for e in edges if place[e[1]] <= place[e[0]]], layers.of)
    long = _lanes([e for e in edges if e not in back and e not in layers.chains], layers.of)
    left = MARGIN + LANE * (1 + max(back.values(), default=-1))
    shift = left - min(x - _width(node) / 2 for node, x in centre.items())
    right = shift + max(x + _width(node) / 2 for node, x in centre.items())
    centre = {node: x + shift for node, x in centre.items()}
    top = {block: MARGIN + layer * (HEIGHT + RISE) for block, layer in layers.of.items()}
    paths = []
    for edge in edges:
        ends = [(centre[edge[0]], top[edge[0]] + HEIGHT), (centre[edge[1]], top[edge[1]])]
        if edge in layers.chains:
            path = _curve(ends, [centre[bend] for bend in layers.chains[edge][1:-1]])
        else:
            path = _around(ends, left - LANE * (back[edge] + 1) if edge in back else right + LANE * (long[edge] + 1))
        paths.append(EdgePath(*edge, "back" if edge in back else "long" if edge in long else "forward", path))
    width = right + LANE * (1 + max(long.values(), default=-1)) + MARGIN
    height = 2 * MARGIN + len(layers.rows) * (HEIGHT + RISE) - RISE
    return Drawing(width, height, tuple(Spot(b, centre[b] - WIDTH / 2, top[b]) for b in order), tuple(paths))


def _width(node: int) -> float:
    return WIDTH if node >= 0 else BEND


def _arrange(layers: _Layers) -> None:
    """Sorts each row from left to right: everything among its neighbours, as far as that goes."""
    at = {node: number - len(row) / 2 for row in layers.rows for number, node in enumerate(row)}
    for row, near in layers.sweeps():
        wanted = {n: sum(at[m] for m in near[n]) / len(near[n]) if n in near else at[n] for n in row}
        row.sort(key=lambda n: wanted[n])
        for number, node in enumerate(row):
            at[node] = number - (len(row) - 1) / 2


def _coordinates(layers: _Layers) -> dict[int, float]:
    """The centre of everything."""
    centre: dict[int, float] = {}
    for row in layers.rows:
        centre.update(zip(row, _spread([0.0] * len(row), row)))
    for row, near in layers.sweeps():
        wanted = [sum(centre[m] for m in near[n]) / len(near[n]) if n in near else centre[n] for n in row]
        centre.update(zip(row, _spread(wanted, row)))
    return centre


def _spread(wanted: Sequence[float], row: Sequence[int]) -> list[float]:
    """The centres nearest to the wanted ones, in the same order, of which none overlap: least squares, by pooling neighbours that
    are too near."""
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + (_width(one) + _width(other)) / 2 + GAP)
    pools: list[tuple[float, int]] = []  # sum of (wanted - offset), number
    for each, offset in zip(wanted, offsets):
        pools.append((each - offset, 1))
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] > pools[-1][0] * pools[-2][1]:
            total, count = pools.pop()
            pools[-1] = (pools[-1][0] + total, pools[-1][1] + count)
    bases = [total / count for total, count in pools for _ in range(count)]
    return [base + offset for base, offset in zip(bases, offsets)]


def _lanes(edges: Sequence[Edge], layer: dict[int, int]) -> dict[Edge, int]:
    """A lane for each edge, 0 next to the blocks: edges in one lane share no layer, short ones lie inside."""
    spans = [(min(layer[a], layer[b]), max(layer[a], layer[b]), a, b) for a, b in edges]
    taken: list[list[tuple[int, int]]] = []
    found = {}
    for top, bottom, a, b in sorted(spans, key=lambda each: (each[1] - each[0], each)):
        free = (n for n, lane in enumerate(taken) if all(bottom < first or last < top for first, last in lane))
        number = next(free, len(taken))
        if number == len(taken):
            taken.append([])
        taken[number].append((top, bottom))
        found[a, b] = number
    return found


def _curve(ends: Sequence[tuple[float, float]], bends: Sequence[float]) -> str:
    """From one end down to the other, straight through each layer between them at its bend."""
    (x, y), (last_x, last_y) = ends
    path = f"M{x:.5g} {y:.5g}"
    for bend in bends:
        path += f"{_bow(x, y, bend, y + RISE)}v{HEIGHT:g}"
        x, y = bend, y + RISE + HEIGHT
    return path + _bow(x, y, last_x, last_y)


def _bow(x1: float, y1: float, x2: float, y2: float) -> str:
    half = (y2 - y1) / 2
    return f"C{x1:.5g} {y1 + half:.5g} {x2:.5g} {y2 - half:.5g} {x2:.5g} {y2:.5g}"


def _around(ends: Sequence[tuple[float, float]], x: float) -> str:
    """From one end through a lane at `x` to the other."""
    (x1, y1), (x2, y2) = ends
    turn, radius = RISE / 4, 6.0
    out, back = (1 if x > x1 else -1), (1 if x2 > x else -1)
    down = 1 if y2 - turn > y1 + turn else -1
    return (
        f"M{x1:.5g} {y1:.5g}V{y1 + turn - radius:.5g}q0 {radius:g} {out * radius:g} {radius:g}H{x - out * radius:.5g}"
        f"q{out * radius:g} 0 {out * radius:g} {down * radius:g}V{y2 - turn - down * radius:.5g}"
        f"q0 {down * radius:g} {back * radius:g} {down * radius:g}H{x2 - back * radius:.5g}"
        f"q{back * radius:g} 0 {back * radius:g} {radius:g}V{y2:.5g}"
    )
