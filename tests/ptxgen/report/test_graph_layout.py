"""Drawings of control-flow graphs: nothing overlaps, edges begin and end at their blocks, and large ones are quick."""

from __future__ import annotations

import random
import re
from itertools import combinations
from time import process_time

import pytest

from ptxgen.report.graph_layout import HEIGHT, WIDTH, lay_out

GRAPHS = {
    "one block": [[]],
    "a chain": [[1], [2], []],
    "if": [[1, 2], [2], []],
    "if else": [[1, 2], [3], [3], []],
    "a loop": [[1], [1, 2], []],
    "a loop in a loop": [[1], [2], [2, 3], [1, 4], []],
    "a switch": [[1, 2, 3, 4, 5], [6], [6], [6], [6], [6], []],
    "an early way out": [[1, 9], [2, 9], [3], [4], [5], [6], [7], [8], [9], []],
    "two ways into a loop": [[1, 2], [2], [1, 3], []],
    "a block that is not reached": [[2], [2], []],
}
FIRST = re.compile(r"M([-\d.e+]+) ([-\d.e+]+)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def random_graph(seed: int, size: int) -> list[list[int]]:
    draw = random.Random(seed)
    return [
        []
        if n == size - 1
        else sorted({n + 1, draw.choice([draw.randrange(size), min(n + draw.randrange(1, 6), size - 1)])})
        for n in range(size)
    ]


def assert_drawn(graph: list[list[int]]) -> None:
    drawing = lay_out(graph)
    spots = {spot.block: spot for spot in drawing.spots}
    for a, b in combinations(drawing.spots, 2):
        assert a.y != b.y or abs(a.x - b.x) >= WIDTH, (a, b)
    for spot in drawing.spots:
        assert 0 <= spot.x <= drawing.width - WIDTH
        assert 0 <= spot.y <= drawing.height - HEIGHT
    drawn = [(edge.source, edge.target) for edge in drawing.edges]
    assert sorted(drawn) == sorted({(a, b) for a in spots for b in graph[a]})
    for edge in drawing.edges:
        x, y = map(float, FIRST.match(edge.path).groups())  # type: ignore[union-attr]
        start = spots[edge.source]
        assert (x, y) == pytest.approx((start.x + WIDTH / 2, start.y + HEIGHT), rel=1e-3)
        assert float(NUMBER.findall(edge.path)[-1]) == pytest.approx(spots[edge.target].y, rel=1e-3)


@pytest.mark.parametrize("name", GRAPHS)
def test_small_graphs(name):
    assert_drawn(GRAPHS[name])


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed):
    assert_drawn(random_graph(seed, 60))


def test_edges_by_kind():
    kinds = {(e.source, e.target): e.kind for e in lay_out(GRAPHS["a loop"]).edges}
    assert kinds == {(0, 1): "forward", (1, 1): "back", (1, 2): "forward"}
    kinds = {(e.source, e.target): e.kind for e in lay_out(GRAPHS["an early way out"]).edges}
    assert (kinds[0, 9], kinds[1, 9], kinds[2, 3]) == ("long", "long", "forward")


def test_the_sides_of_a_branch_stand_beside_each_other():
    spots = {spot.block: spot for spot in lay_out(GRAPHS["if else"]).spots}
    assert spots[1].y == spots[2].y
    assert spots[0].x == pytest.approx((spots[1].x + spots[2].x) / 2)
    assert spots[3].x == pytest.approx(spots[0].x)


def test_a_large_graph_is_quick():
    began = process_time()
    lay_out(random_graph(1, 1000))
    assert process_time() - began < 2
