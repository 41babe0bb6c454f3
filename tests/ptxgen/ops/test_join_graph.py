"""Joins by captured graphs: classes, keys, hits and fallbacks."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import u32, u64
from ptxgen.errors import BuildError
from ptxgen.ops import HashTable, JoinOverflowError
from ptxgen.ops.joins import join_graph
from ptxgen.ops.joins.join_graph import AUTO_OUTPUT_CAP, JoinGraphs, Statistics
from ptxgen.ops.joins.join_key import JoinGraphKey, capacity_class, scan_topology
from tests.ptxgen.ops.test_join import found, keys, pairs_of


def column(dev, *values):
    return dev.array(np.array(values, np.uint32))


@pytest.mark.parametrize(
    "n, expected",
    [
        (0, 1),
        (1, 1),
        (2, 2),
        (3, 4),
        (257, 512),
        (1 << 31, 1 << 31),
        ((1 << 31) + 1, (1 << 32) - 1),
        ((1 << 32) - 1,) * 2,
    ],
)
def test_a_capacity_class_is_the_next_power_of_two(n, expected):
    assert capacity_class(n) == expected


@pytest.mark.parametrize(
    "n, nodes, levels",
    [(0, 0, ()), (1, 1, ()), (256, 1, ()), (257, 3, (2,)), (65_536, 3, (256,)), (65_537, 5, (257, 2))],
)
def test_the_topology_of_a_scan(n, nodes, levels):
    assert scan_topology(n) == (n, 256, levels, nodes)


def test_a_key_has_classes_and_the_topology_of_the_capacity_itself():
    key = JoinGraphKey.inner(2, 16, 257, 513)
    assert (key.join_kind, key.key_arity, key.key_bytes) == ("Inner", 2, 16)
    assert (key.probe_capacity_class, key.output_capacity_class) == (512, 1024)
    assert key.scan_topology.scratch_lengths == (2,)
    assert key.node_layout_version == 1
    assert key == JoinGraphKey.inner(2, 16, 257, 1000)
    assert key != JoinGraphKey.indexed_inner(2, 16, 257, 513)
    assert len({key, JoinGraphKey.inner(2, 16, 257, 1000), key._replace(node_layout_version=2)}) == 2


def test_a_key_has_at_most_255_columns():
    assert JoinGraphKey.inner(255, 1020, 1, 1).key_arity == 255
    with pytest.raises(BuildError, match="CSM CUDA Graph key arity 256 exceeds u8::MAX"):
        JoinGraphKey.inner(256, 1024, 1, 1)


@pytest.mark.parametrize(
    "arguments, says",
    [
        ((-1, 4, 1, 1), "a key's arity is -1"),
        ((1, 1 << 32, 1, 1), "a key's bytes is 4294967296"),
        ((1, 4, 1 << 32, 1), "a capacity is 4294967296"),
        ((1, 4, 1, -1), "a capacity is -1"),
        ((1.5, 4, 1, 1), "a key's arity is 1.5, expected an integer"),
    ],
)
def test_numbers_that_no_key_has_are_named(arguments, says):
    with pytest.raises(BuildError) as caught:
        JoinGraphKey.inner(*arguments)
    assert says in str(caught.value)


def test_the_topology_is_part_of_the_key():
    """Of a capacity as it is given: classes of one size are one key, other capacities of that class are not."""
    assert JoinGraphKey.inner(1, 4, 512, 1) == JoinGraphKey.inner(1, 4, capacity_class(300), 1)
    assert JoinGraphKey.inner(1, 4, 512, 1) != JoinGraphKey.inner(1, 4, 300, 1)


def test_the_second_join_of_a_shape_is_a_hit(dev):
    left, right = column(dev, 1, 2, 3, 2), column(dev, 2, 2, 4)
    with JoinGraphs(dev) as graphs:
        pairs = graphs.inner(right, left)
        assert found(pairs) == [(1, 0), (1, 1), (3, 0), (3, 1)]
        assert graphs.statistics == Statistics(captures=1, launches=1, hits=0, fallbacks=0)
        pairs = graphs.inner(column(dev, 5, 6, 7), column(dev, 7, 7, 6, 1))
        assert found(pairs) == [(0, 2), (1, 2), (2, 1)]
        assert graphs.statistics == Statistics(captures=1, launches=2, hits=1, fallbacks=0)


SHAPES = {"u32": [np.uint32], "u64": [np.uint64], "u16+u32": [np.uint16, np.uint32], "u64+u32": [np.uint64, np.uint32]}


@pytest.mark.parametrize("kinds", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("staged", [0, join_graph.STAGED], ids=["updated", "copied"])
def test_sizes_tables_and_arrays_change_within_a_class(dev, monkeypatch, kinds, staged):
    """513 to 1024 rows: counts, buckets and every address differ from call to call."""
    monkeypatch.setattr(join_graph, "STAGED", staged)
    rng = np.random.default_rng(len(kinds))
    with JoinGraphs(dev) as graphs:
        for call, (n, m) in enumerate([(600, 1024), (900, 513), (530, 1000), (1024, 700)]):
            build, probe = ([rng.integers(0, 50, size).astype(kind) for kind in kinds] for size in (n, m))
            expected = pairs_of(keys(probe), keys(build))
            on_build, on_probe = ([dev.array(each) for each in side] for side in (build, probe))
            assert found(graphs.inner(on_build, on_probe, 1 << 16)) == expected
            with HashTable(dev, on_build) as table:
                assert found(graphs.indexed(table, on_probe, 1 << 16)) == expected
            assert graphs.statistics == Statistics(captures=2, launches=2 * call + 2, hits=2 * call, fallbacks=0)


def test_tiles_of_the_scan_follow_the_rows(dev):
    """More and fewer tiles in a graph of one class: nothing beyond the rows is read."""
    build = dev.array(np.arange(100, dtype=np.uint32))
    with JoinGraphs(dev) as graphs, HashTable(dev, build) as table:
        for rows in (16_385, 32_768, 20_000):
            probe = np.random.default_rng(rows).integers(0, 200, rows, dtype=np.uint32)
            pairs = graphs.indexed(table, dev.array(probe), rows)
            left = pairs.left.numpy()
            assert np.array_equal(np.sort(left), np.nonzero(probe < 100)[0])
            assert np.array_equal(probe[left], pairs.right.numpy())
        assert graphs.statistics == Statistics(captures=1, launches=3, hits=2, fallbacks=0)


def test_an_output_class_that_is_too_small_says_how_many_there_are(dev):
    ones = dev.array(np.ones(1000, np.uint32))
    with JoinGraphs(dev) as graphs:
        pairs = graphs.inner(ones, ones, 25)
        assert (pairs.total, pairs.left.size, pairs.overflowed) == (1_000_000, 25, True)


def test_a_total_beyond_32_bits_is_exact(dev):
    """As counting would leave it: 70,000 x 70,000 rows of one key."""
    with JoinGraphs(dev) as graphs:
        graphs.inner(column(dev, 1), column(dev, 1), 4)
        ((_, captured),) = graphs._graphs.items()
        captured.join.total.copy_from(np.array([70_000**2], np.uint64))
        with pytest.raises(JoinOverflowError) as caught:
            captured.join.pairs()
    assert caught.value.total == 4_900_000_000


def test_without_a_limit_there_is_room_for_a_million_pairs(dev):
    small, large = dev.zeros(1000, u32), dev.array(np.arange(1001, dtype=np.uint32))
    assert small.size * small.size == AUTO_OUTPUT_CAP
    with JoinGraphs(dev) as graphs:
        assert graphs.inner(small, dev.zeros(1000, u32)).total == AUTO_OUTPUT_CAP
        assert graphs.statistics == Statistics(1, 1, 0, 0)
        pairs = graphs.inner(large, small)
        assert (pairs.total, pairs.overflowed, graphs.statistics) == (1000, False, Statistics(1, 1, 0, 1))
        assert found(pairs) == [(i, 0) for i in range(1000)]


@pytest.mark.parametrize("value", ["0", "off", "No", "false"])
@pytest.mark.parametrize("most", [None, 3])
def test_the_environment_turns_graphs_off(dev, monkeypatch, most, value):
    monkeypatch.setenv("PTXGEN_JOIN_GRAPHS", value)
    with JoinGraphs(dev) as graphs:
        for calls in (1, 2):
            pairs = graphs.inner(column(dev, 2, 2, 4), column(dev, 1, 2, 3, 2), most)
            assert (pairs.total, pairs.left.size) == (4, most or 4)
            assert graphs.statistics == Statistics(fallbacks=calls)


def test_another_word_in_the_environment_is_refused(dev, monkeypatch):
    monkeypatch.setenv("PTXGEN_JOIN_GRAPHS", "maybe")
    with pytest.raises(px.Error, match=r"PTXGEN_JOIN_GRAPHS is 'maybe'(.|\n)*Fix: write one of"):
        JoinGraphs(dev)
    JoinGraphs(dev, enabled=False).close()


def test_the_environment_says_up_to_where_there_is_room_for_every_pair(dev, monkeypatch):
    left, right = column(dev, 1, 2, 3, 2), column(dev, 2, 2, 4)
    for cap, statistics in (("11", Statistics(fallbacks=1)), ("12", Statistics(1, 1, 0, 0))):
        monkeypatch.setenv("PTXGEN_JOIN_GRAPHS_AUTO_OUTPUT_CAP", cap)
        with JoinGraphs(dev) as graphs:
            assert graphs.inner(right, left).total == 4
            assert (graphs.auto_output_cap, graphs.statistics) == (int(cap), statistics)
    monkeypatch.setenv("PTXGEN_JOIN_GRAPHS_AUTO_OUTPUT_CAP", "many")
    with pytest.raises(BuildError, match=r"PTXGEN_JOIN_GRAPHS_AUTO_OUTPUT_CAP is 'many'\n  Fix: a number of pairs"):
        JoinGraphs(dev)


def test_a_graphs_node_is_found_by_its_kernel(dev):
    """One kernel: its scratch memory needs no clearing."""
    with JoinGraphs(dev) as graphs:
        graphs.inner(column(dev, 2, 2, 4), column(dev, 1, 2, 3, 2))
        ((_, captured),) = graphs._graphs.items()
        nodes = captured._graph.definition.nodes()
        assert [node.kind for node in nodes] == ["kernel"]
        assert {node.name for node in nodes if node.kind == "kernel"} == {"probe_pairs"}
        assert captured._updates[0].__doc__.partition("name='")[2].partition("'")[0] == "probe_pairs"


def test_only_the_graphs_that_were_used_last_are_kept(dev):
    with JoinGraphs(dev, keep=2) as graphs:
        for rows in (1, 2, 4, 2, 1):
            assert graphs.inner(dev.zeros(rows, u32), dev.zeros(rows, u32)).total == rows * rows
        assert graphs.statistics == Statistics(captures=4, launches=5, hits=1, fallbacks=0)


def test_empty_sides(dev):
    none, some = dev.zeros(0, u32), dev.zeros(3, u32)
    with JoinGraphs(dev) as graphs:
        assert [graphs.inner(*sides).total for sides in ((none, some), (some, none), (none, none))] == [0, 0, 0]


def test_other_keys_than_the_tables_are_named(dev):
    with JoinGraphs(dev) as graphs, HashTable(dev, dev.zeros(3, u32)) as table:
        for _ in range(2):
            with pytest.raises(BuildError, match=r"a probe key has columns of \.u64, expected \.u32"):
                graphs.indexed(table, dev.zeros(3, u64))
