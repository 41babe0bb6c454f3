"""Where the blocks of a control-flow graph are drawn: in layers from the entry down, edges between neighbours as curves, long
ones and those of loops in lanes beside the blocks.

The layered method (Sugiyama, Tagawa and Toda, 1981): layers by the longest path, an order within them by barycentres, then
coordinates with the least squares of distances to neighbours. An edge that would cross a layer takes a lane, so no block stands in its
way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.graph.algorithms import reverse_postorder

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Drawing", "EdgePath", "Spot", "lay_out"]

WIDTH, HEIGHT = 168.0, 42.0
"""Of a block, in pixels."""
GAP, RISE, LANE, MARGIN = 28.0, 40.0, 12.0, 16.0
"""Between blocks of a layer, between layers, between lanes, around everything."""
_SWEEPS = 6


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


def lay_out(successors: Sequence[Sequence[int]]) -> Drawing:
    """The drawing of the graph that block 0 is the entry of; blocks that it does not reach are left out."""
    order = reverse_postorder(0, [list(each) for each in successors])
    place = {block: number for number, block in enumerate(order)}
    forward = {b: sorted({s for s in successors[b] if place[s] > place[b]}) for b in order}
    layer = _layers(order, forward)
    rows = _rows(order, layer, forward)
    left = _coordinates(rows, layer, forward)
    edges = [(b, s) for b in order for s in dict.fromkeys(successors[b])]
    lanes = {"back": _lanes(edges, layer, lambda b, s: place[s] <= place[b]),
             "long": _lanes(edges, layer, lambda b, s: place[s] > place[b] and layer[s] > layer[b] + 1)}  # fmt: skip
    shift = MARGIN + LANE * (1 + max(lanes["back"].values(), default=-1))
    right = shift + max(left.values()) + WIDTH
    spots = {b: Spot(b, left[b] + shift, MARGIN + layer[b] * (HEIGHT + RISE)) for b in order}
    paths = []
    for source, target in edges:
        kind = next((name for name, known in lanes.items() if (source, target) in known), "forward")
        a, b = spots[source], spots[target]
        if kind == "forward":
            path = _curve(a, b)
        else:
            lane = lanes[kind][source, target]
            path = _around(a, b, shift - LANE * (lane + 1) if kind == "back" else right + LANE * (lane + 1))
        paths.append(EdgePath(source, target, kind, path))
    width = right + LANE * (1 + max(lanes["long"].values(), default=-1)) + MARGIN
    height = 2 * MARGIN + (max(layer.values()) + 1) * (HEIGHT + RISE) - RISE + 12
    return Drawing(width, height, tuple(spots[b] for b in order), tuple(paths))


def _layers(order: Sequence[int], forward: dict[int, list[int]]) -> dict[int, int]:
    """The longest way from the entry, loops not taken."""
    layer = dict.fromkeys(order, 0)
    for block in order:
        for after in forward[block]:
            layer[after] = max(layer[after], layer[block] + 1)
    return layer


def _rows(order: Sequence[int], layer: dict[int, int], forward: dict[int, list[int]]) -> list[list[int]]:
    """The blocks of each layer from left to right: each among its neighbours, as far as that goes."""
    rows: list[list[int]] = [[] for _ in range(max(layer.values()) + 1)]
    for block in order:
        rows[layer[block]].append(block)
    above, below = _neighbours(order, layer, forward)
    at = {block: float(n) for row in rows for n, block in enumerate(row)}
    for sweep in range(_SWEEPS):
        near = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = {b: sum(at[n] for n in near[b]) / len(near[b]) if near[b] else at[b] for b in row}
            row.sort(key=lambda b: wanted[b])
            for number, block in enumerate(row):
                at[block] = number - (len(row) - 1) / 2
    return rows


def _neighbours(
    order: Sequence[int], layer: dict[int, int], forward: dict[int, list[int]]
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Of each block, those of the layer above that lead to it and of the layer below that it leads to."""
    above: dict[int, list[int]] = {b: [] for b in order}
    below: dict[int, list[int]] = {b: [] for b in order}
    for block in order:
        for after in forward[block]:
            if layer[after] == layer[block] + 1:
                above[after].append(block)
                below[block].append(after)
    return above, below


def _coordinates(rows: list[list[int]], layer: dict[int, int], forward: dict[int, list[int]]) -> dict[int, float]:
    """The left side of each block, 0 the least."""
    above, below = _neighbours([b for row in rows for b in row], layer, forward)
    left = {b: n * (WIDTH + GAP) - len(row) * (WIDTH + GAP) / 2 for row in rows for n, b in enumerate(row)}
    for sweep in range(_SWEEPS):
        near = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [sum(left[n] for n in near[b]) / len(near[b]) if near[b] else left[b] for b in row]
            left.update(zip(row, _spread(wanted, WIDTH + GAP)))
    least = min(left.values())
    return {block: x - least for block, x in left.items()}


def _spread(wanted: Sequence[float], distance: float) -> list[float]:
    """The positions nearest to the wanted ones, in the same order, that keep a distance: least squares, by pooling neighbours that
    are too near."""
    pools: list[tuple[float, int]] = []  # sum of (wanted - place in the row), number
    for number, each in enumerate(wanted):
        pools.append((each - number * distance, 1))
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] > pools[-1][0] * pools[-2][1]:
            total, count = pools.pop()
            pools[-1] = (pools[-1][0] + total, pools[-1][1] + count)
    found = [total / count for total, count in pools for _ in range(count)]
    return [base + number * distance for number, base in enumerate(found)]


def _lanes(edges: Sequence[tuple[int, int]], layer: dict[int, int], among: object) -> dict[tuple[int, int], int]:
    """A lane for each edge that `among` says yes of, 0 next to the blocks: edges in one lane share no layer, short ones lie
    inside."""
    assert callable(among)
    spans = [(min(layer[a], layer[b]), max(layer[a], layer[b]), a, b) for a, b in edges if among(a, b)]
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


def _curve(a: Spot, b: Spot) -> str:
    """From the bottom of a block to the top of one in the layer below."""
    x1, y1, x2, y2 = a.x + WIDTH / 2, a.y + HEIGHT, b.x + WIDTH / 2, b.y
    bend = (y2 - y1) / 2
    return f"M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}"


def _around(a: Spot, b: Spot, x: float) -> str:
    """From the bottom of a block through a lane at `x` to the top of another."""
    turn, radius = RISE / 4, 6.0
    x1, y1, x2, y2 = a.x + WIDTH / 2, a.y + HEIGHT, b.x + WIDTH / 2, b.y
    out, back = (1 if x > x1 else -1), (1 if x2 > x else -1)
    down = 1 if y2 - turn > y1 + turn else -1
    return (
        f"M{x1:g} {y1:g}V{y1 + turn - radius:g}q0 {radius:g} {out * radius:g} {radius:g}H{x - out * radius:g}"
        f"q{out * radius:g} 0 {out * radius:g} {down * radius:g}V{y2 - turn - down * radius:g}"
        f"q0 {down * radius:g} {back * radius:g} {down * radius:g}H{x2 - back * radius:g}"
        f"q{back * radius:g} 0 {back * radius:g} {radius:g}V{y2:g}"
    )
