"""Transitive closures, beside sets in Python."""

from __future__ import annotations

import numpy as np
import pytest

from ptxgen import f32, u32
from ptxgen.errors import BuildError
from ptxgen.ops import Closure, ClosureOverflowError


def reachable(edges):
    """Every (a, c) with a path of one edge or more."""
    after = {}
    for a, b in edges:
        after.setdefault(a, set()).add(b)
    pairs = set()
    for start in after:
        stack = [start]
        while stack:
            for vertex in after.get(stack.pop(), ()):
                if (start, vertex) not in pairs:
                    pairs.add((start, vertex))
                    stack.append(vertex)
    return pairs


def columns(dev, edges):
    table = np.array(sorted(edges), np.uint32).reshape(-1, 2)
    return dev.array(table[:, 0].copy()), dev.array(table[:, 1].copy())


def found(reached):
    pairs = list(zip(reached.left.numpy().tolist(), reached.right.numpy().tolist()))
    assert len(set(pairs)) == len(pairs)
    return set(pairs)


def random_graph(vertices, edges):
    rng = np.random.default_rng(vertices)
    return [tuple(edge) for edge in rng.integers(0, vertices, (edges, 2)).tolist()]


GRAPHS = {
    "nothing": [],
    "a loop": [(7, 7)],
    "an edge three times": [(1, 2)] * 3,
    "a path": [(i, i + 1) for i in range(60)],
    "a ring": [(i, (i + 1) % 40) for i in range(40)],
    "a tree": [(i // 2, i) for i in range(1, 300)],
    "a star, in and out": [(i, 0) for i in range(1, 50)] + [(0, i) for i in range(50, 90)],
    "sparse": random_graph(400, 350),
    "one large component": random_graph(90, 300),
    "large numbers": [(0xFFFFFFFF, 0xFFFFFFFE), (0xFFFFFFFE, 0), (0, 0x80000000)],
}


@pytest.mark.parametrize("edges", GRAPHS.values(), ids=GRAPHS)
def test_every_pair_with_a_path_once(dev, edges):
    expected = reachable(edges)
    sources, targets = columns(dev, edges)
    with Closure(dev, len(edges), len(expected)) as closure:
        closure(sources, targets)
        assert found(closure.pairs()) == expected


def test_rounds_are_those_of_the_longest_path(dev):
    """A path of ten edges: nine rounds extend it, the tenth finds nothing more."""
    sources, targets = columns(dev, [(i, i + 1) for i in range(10)])
    with Closure(dev, 10, 55) as closure:
        closure(sources, targets)
        reached = closure.pairs()
    assert (reached.left.size, reached.rounds) == (55, 11)


@pytest.mark.parametrize("room", [0, 1, 39, 1599])
def test_too_little_room_is_an_error_and_writes_nothing_beyond(dev, room):
    """A ring of 40 has 1,600 pairs; the arrays behind the result stay as they are."""
    sources, targets = columns(dev, GRAPHS["a ring"])
    with Closure(dev, 40, room) as closure:
        guarded = [dev.full(room + 64, 0xABCD, u32) for _ in range(2)]
        closure.left.close()
        closure.right.close()
        closure.left, closure.right = guarded
        closure(sources, targets)
        with pytest.raises(ClosureOverflowError, match=f"more than {room} pairs") as caught:
            closure.pairs()
        assert all((array.numpy()[room:] == 0xABCD).all() for array in guarded)
    assert caught.value.capacity == room < caught.value.found <= 1600


def test_a_closure_is_captured_and_takes_fewer_edges(dev):
    rng = np.random.default_rng(8)
    sources, targets = dev.empty(50, u32), dev.empty(50, u32)
    with Closure(dev, 200, 4000) as closure:
        closure(sources, targets)
        with dev.capture() as graph:
            closure(sources, targets)
        for _ in range(3):
            edges = rng.integers(0, 60, (2, 50), dtype=np.uint32)
            sources.copy_from(edges[0])
            targets.copy_from(edges[1])
            graph.launch()
            assert found(closure.pairs()) == reachable(list(zip(*edges.tolist())))
        graph.close()


@pytest.mark.parametrize("calls", [1, 2])
def test_the_pair_whose_bits_are_an_empty_slot(dev, calls):
    """All vertices are next to 2^32-1, and many paths lead from that one to itself. Each call counts it anew."""
    vertices = range(0xFFFFFFFF - 40, 0x100000000)
    edges = [(a, b) for a in vertices for b in vertices if (a + b) % 3]
    sources, targets = columns(dev, edges)
    with Closure(dev, len(edges), 41 * 41) as closure:
        for _ in range(calls):
            closure(sources, targets)
        assert found(closure.pairs()) == reachable(edges)
        assert (0xFFFFFFFF, 0xFFFFFFFF) in reachable(edges)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: Closure(d, 3, 1 << 31), "most_pairs is 2147483648"),
        (lambda d: Closure(d, 3, 3)(d.zeros(4, u32), d.zeros(4, u32)), "at most 3"),
        (lambda d: Closure(d, 3, 3)(d.zeros(3, u32), d.zeros(2, u32)), "targets has 2 elements, sources 3"),
        (lambda d: Closure(d, 3, 3)(d.zeros(3, f32), d.zeros(3, u32)), "expected .u32"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError) as caught:
        wrong(dev)
    assert says in str(caught.value)
