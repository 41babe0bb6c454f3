"""Unions, rewrites and rounds to the fixed point, on the device and beside the host mirror."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from ptxgen.ops.egraph import (
    EGraph,
    FixedPoint,
    LaunchConfig,
    Snapshot,
    canonicalization_round,
    fixed_point,
    mirror_fixed_point,
    pack_image,
    plan_unions,
    refresh,
    rewrite,
    upload,
)
from tests.ptxgen.ops.egraph_kit import TOWER, WITH_MUL, closed, nodes

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def test_unions_are_planned_to_the_smallest_id():
    plan = plan_unions([(5, 3), (3, 5), (7, 7), (9, 5), (2, 8)], LaunchConfig(2, 1))
    assert plan.pairs == [(2, 8), (3, 5), (5, 9)]
    assert plan.canonical_rewrites == [(5, 3), (8, 2), (9, 3)]
    assert (plan.ignored_self_pairs, plan.duplicate_pairs) == (1, 1)
    assert [wave.item_count for wave in plan.pair_waves] == [2, 1]
    assert plan.rewrite_words.tolist() == [5, 3, 8, 2, 9, 3]


def test_rewrites_and_signatures_on_the_device(dev):
    snapshot = Snapshot.build(WITH_MUL)
    with upload(dev, pack_image(snapshot)) as resident:
        rewrite(resident, plan_unions([(10, 20), (30, 40)]), LaunchConfig(4, 1))
        refresh(resident, LaunchConfig(4, 1))
        got = resident.download()
    assert got.column("row_eclass_ids").tolist() == [10, 10, 30, 30, 50, 60, 70]
    assert got.column("children").tolist() == [10, 10, 10, 10, 10, 10, 30, 30, 30, 30]
    again = [(e, op, [10 if c == 20 else 30 if c == 40 else c for c in below]) for e, op, below in WITH_MUL]
    assert got.column("row_signatures").tolist() == pack_image(Snapshot.build(again)).column("row_signatures").tolist()


FINAL = [10, 10, 30, 30, 50, 50], [10, 10, 10, 10, 30, 30, 30, 30]


def test_the_tower_falls_in_four_rounds_on_the_device(dev):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident:
        result = fixed_point(resident, readback="full")
    assert (result.rewrites, result.converged, result.rounds, result.total_rewrites) == ((1, 1, 1, 0), True, 4, 3)
    got = result.readback.columns
    assert (got["row_eclass_ids"].tolist(), got["children"].tolist()) == FINAL
    assert result.readback.byte_count == 4 * (5 * 6 + 8)


def test_the_tower_falls_in_four_rounds_that_tell_what_they_found(dev):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident:
        result = fixed_point(resident, with_pairs=True, readback="signatures")
        assert (
            resident.column("row_eclass_ids").numpy().tolist(),
            resident.column("children").numpy().tolist(),
        ) == FINAL
    assert result.pairs == ([(10, 20)], [(30, 40)], [(50, 60)], [])
    assert (result.rewrites, result.converged) == ((1, 1, 1, 0), True)
    assert result.readback.byte_count == 4 * 6
    assert len(set(result.readback.columns["row_signatures"].tolist())) == 3


def test_one_round_tells_its_pairs_and_its_plan(dev):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident:
        found = canonicalization_round(resident)
    assert found.discovered.pairs == [(10, 20)]
    assert (found.plan.canonical_rewrites, found.rewrites, found.readback.byte_count) == ([(20, 10)], 1, 0)


@pytest.mark.parametrize("with_pairs", [False, True])
def test_rounds_may_run_out(dev, with_pairs):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident:
        result = fixed_point(resident, max_rounds=2, with_pairs=with_pairs)
        assert resident.column("row_eclass_ids").numpy().tolist() == [10, 10, 30, 30, 50, 60]
    assert (result.rewrites, result.converged) == ((1, 1), False)


@given(nodes)
@settings(max_examples=25)
def test_random_egraphs_reach_the_mirrors_fixed_point(dev, rows):
    snapshot = Snapshot.build(closed(rows))
    mirror = mirror_fixed_point(snapshot, 64)
    for with_pairs in (False, True):
        with upload(dev, pack_image(snapshot)) as resident:
            result = fixed_point(resident, readback="full", with_pairs=with_pairs)
        got = result.readback.columns
        assert got["row_eclass_ids"].tolist() == mirror.eclass_ids
        assert got["children"].tolist() == mirror.children
        assert list(result.rewrites) == [rewrites for _, rewrites in mirror.rounds]
        if result.pairs is not None:
            assert list(result.pairs) == [pairs for pairs, _ in mirror.rounds]


def test_a_long_chain_needs_more_than_one_look_at_the_state(dev):
    """f(f(...x)) and f(f(...y)) with x and y equal: one merge a round."""
    egraph = EGraph()
    a, b = egraph.add("x"), egraph.add("x", fresh=True)
    for _ in range(20):
        a, b = egraph.add("f", [a], fresh=True), egraph.add("f", [b], fresh=True)
    snapshot = Snapshot.from_egraph(egraph)
    with upload(dev, pack_image(snapshot)) as resident:
        result = fixed_point(resident)
    assert result.rewrites == (*[1] * 21, 0)
    assert result.control_bytes == sum(4 * (4 + n) for n in (4, 12, 28))


def test_rounds_are_captured_once_and_replayed(dev):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident, FixedPoint(dev, 6, 8) as loop:
        loop(resident)
        resident.array.copy_from(pack_image(Snapshot.build(TOWER)).words)
        with dev.capture() as graph:
            loop.begin(resident)
            loop.rounds(resident, 6)
            loop.end(resident)
        graph.launch()
        assert (
            resident.column("row_eclass_ids").numpy().tolist(),
            resident.column("children").numpy().tolist(),
        ) == FINAL
        graph.close()


def test_the_whole_fixed_point_is_one_graph(dev):
    """The device ends the loop. Replayed over other contents of the same form, it takes another number of rounds."""
    tower, flat = (pack_image(Snapshot.build(TOWER)) for _ in range(2))
    flat.column("row_language_op_ids")[:] = range(6)  # an operator each: nothing is equal
    with upload(dev, tower) as resident, FixedPoint(dev, 6, 8) as loop:
        with loop.graph(resident) as graph:
            graph.launch()
            result = graph.result("full")
            assert (result.rewrites, result.converged) == ((1, 1, 1, 0), True)
            got = result.readback.columns
            assert (got["row_eclass_ids"].tolist(), got["children"].tolist()) == FINAL
            resident.array.copy_from(flat.words)
            graph.launch()
            assert graph.result().rewrites == (0,)
        with FixedPoint(dev, 6, 8, max_rounds=2) as short, short.graph(resident) as graph:
            resident.array.copy_from(tower.words)
            graph.launch()
            assert (graph.result().rewrites, graph.result().converged) == ((1, 1), False)
