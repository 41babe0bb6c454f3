"""Equal rows on the device, beside the host mirror: what is found, by a discovery and by a plan."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxgen import u64
from ptxgen.ops.egraph import (
    Discovery,
    OpIdRegistry,
    Snapshot,
    collect_equivalences,
    discover,
    pack_image,
    plan_buckets,
    upload,
)
from tests.ptxgen.ops.egraph_kit import BASE, WITH_MUL, by_plan, closed, nodes

pytestmark = pytest.mark.usefixtures("nothing_is_left")


BOTH = pytest.mark.parametrize("find", [discover, by_plan], ids=["discover", "run"])


@BOTH
def test_two_literals_and_two_sums_are_equal(dev, find):
    found = find(dev, pack_image(Snapshot.build(BASE)))
    assert (found.emitted_pair_count, found.pairs) == (2, [(10, 20), (30, 40)])
    assert (found.device_reported_count, found.overflowed_output_capacity) == (2, False)


@BOTH
def test_products_of_them_make_a_third_pair(dev, find):
    found = find(dev, pack_image(Snapshot.build(WITH_MUL)))
    assert (found.emitted_pair_count, found.pairs) == (3, [(10, 20), (30, 40), (60, 70)])


@BOTH
def test_rows_whose_signatures_were_made_to_collide_are_compared(dev, find):
    rows = [(1, "a", []), (2, "b", []), (3, "c", [1]), (4, "c", [2]), (5, "c", [1, 2])]
    found = find(dev, pack_image(Snapshot.build(rows), signatures=np.full(5, 77, np.uint32)))
    assert (found.emitted_pair_count, found.pairs) == (0, [])


@BOTH
def test_equal_rows_of_different_signatures_are_not_met(dev, find):
    image = pack_image(Snapshot.build(BASE), signatures=np.arange(5, dtype=np.uint32))
    assert find(dev, image).pairs == []


@BOTH
@pytest.mark.parametrize("rows", [[], BASE[:1], [(7, "lit", [])] * 3], ids=["none", "one", "redundant"])
def test_nothing_to_find(dev, find, rows):
    found = find(dev, pack_image(Snapshot.build(rows)))
    assert (found.emitted_pair_count, found.pairs, found.overflowed_output_capacity) == (0, [], False)


@BOTH
def test_overflow_is_reported_and_stays_in_its_memory(dev, find):
    """Ten equal rows make 45 pairs; there is room for 7, which are pairs that are there."""
    image = pack_image(Snapshot.build([(eclass, "lit", []) for eclass in range(10)]))
    found = find(dev, image, capacity=7)
    assert (found.emitted_pair_count, found.device_reported_count) == (7, 45)
    assert found.overflowed_output_capacity
    assert len(found.pairs) == 7
    assert all(left < right < 10 for left, right in found.pairs)


def test_what_is_beyond_the_capacity_is_not_touched(dev):
    image = pack_image(Snapshot.build([(eclass, "lit", []) for eclass in range(300)]))
    with upload(dev, image) as resident, Discovery(dev, 300, 5) as discovery:
        room = dev.full(64, 0x55555555, u64)
        own, discovery._pairs = discovery._pairs, room
        discovery(resident)
        assert discovery.count() == 300 * 299 // 2
        words = room.numpy()
        assert np.all(words[5:] == 0x55555555)
        assert not np.any(words[:5] == 0x55555555)
        own.close()


def test_a_discovery_grows_and_serves_again(dev):
    small, large = (pack_image(Snapshot.build([(e, "lit", []) for e in range(n)])) for n in (3, 60))
    with Discovery(dev, 60, 2) as discovery, upload(dev, small) as a, upload(dev, large) as b:
        discovery(b)
        assert discovery.equivalences(grow=False).overflowed_output_capacity
        found = discovery.equivalences()
        assert (len(found.pairs), discovery.capacity) == (60 * 59 // 2, 60 * 59 // 2)
        discovery(a)
        assert discovery.equivalences().pairs == [(0, 1), (0, 2), (1, 2)]


def test_a_discovery_is_captured_once_and_replayed(dev):
    image = pack_image(Snapshot.build(WITH_MUL))
    with Discovery(dev, 7) as discovery, upload(dev, image) as resident:
        discovery(resident)
        with dev.capture() as graph:
            discovery(resident)
        words = image.words.copy()
        words[image.layout["row_eclass_ids"].offset + 1] = 10  # the two literals are one e-class now
        resident.array.copy_from(words)
        graph.launch()
        assert discovery.equivalences().pairs == [(30, 40), (60, 70)]
        graph.close()


@given(nodes, st.booleans())
@settings(max_examples=30)
def test_random_rows_are_found_as_the_mirror_finds_them(dev, rows, collide):
    snapshot = Snapshot.build(closed(rows))
    image = pack_image(snapshot, signatures=np.zeros(len(rows), np.uint32) if collide else None)
    mirror = collect_equivalences(snapshot, plan_buckets(image.column("row_signatures")))
    for find in (discover, by_plan):
        found = find(dev, image)
        assert (found.emitted_pair_count, found.pairs) == (mirror.exact_pair_count, mirror.unique)


def test_large_buckets_among_small_ones(dev):
    """A group of 300 rows over blocks of places, pairs, and rows alone; some in one e-class."""
    rng = np.random.default_rng(5)
    ops = np.concatenate([np.zeros(300), np.repeat(np.arange(1, 200), 2), np.arange(200, 700)]).astype(np.uint32)
    order = rng.permutation(len(ops))
    ops, classes = ops[order], rng.integers(0, 900, len(ops)).astype(np.uint32)
    none = np.zeros(len(ops), np.uint32)
    names = OpIdRegistry(map(str, range(700)))
    snapshot = Snapshot.from_columns(classes, ops, none, none, none[:0], names)
    image = pack_image(snapshot)
    mirror = collect_equivalences(snapshot, plan_buckets(image.column("row_signatures")))
    for find in (discover, by_plan):
        found = find(dev, image)
        assert found.emitted_pair_count == mirror.exact_pair_count
        assert found.pairs == mirror.unique
