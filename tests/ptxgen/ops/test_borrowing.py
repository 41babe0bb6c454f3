"""Operations on arrays of other libraries: the same results, in their memory and in the order of their streams."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from ptxgen import f32, u32
from ptxgen.errors import BuildError
from ptxgen.ops import (
    ArgSort,
    Closure,
    Dedup,
    Filter,
    GroupBy,
    HashTable,
    Histogram,
    Join,
    JoinGraphs,
    LoopJoin,
    MergeJoin,
    Reduce,
    RowSets,
    Scan,
    SegmentedReduce,
    SegmentedScan,
    Select,
    SemiJoin,
    Sort,
    SortedTable,
    merge,
    random_rows,
)
from ptxgen.ops.arrays.filter import combine, compare, invert
from ptxgen.ops.arrays.gather import gather
from tests.ptxgen.ops.frameworks import LIBRARIES, Capsule, Interface, let_in

N = 50


@pytest.fixture(autouse=True)
def everybody(dev, monkeypatch):
    let_in(monkeypatch, dev)


@pytest.fixture(params=LIBRARIES.values(), ids=LIBRARIES)
def library(request):
    return request.param


@pytest.fixture
def keys():
    return np.random.default_rng(0).integers(0, 20, N, np.uint32)


def theirs(dev, library, *hosts):
    found = [library(dev.array(host)) for host in hosts]
    return found[0] if len(found) == 1 else found


def test_sorts_scans_and_reductions(dev, library, keys):
    x, out = theirs(dev, library, keys, keys)
    with Sort(dev, u32, N) as sort, Scan(dev, u32, N) as scan, Reduce(dev, u32) as reduce, ArgSort(dev, x) as order:
        sort(x, out)
        assert np.array_equal(out.array.numpy(), np.sort(keys))
        order([x], out)
        assert np.array_equal(out.array.numpy(), np.argsort(keys, kind="stable"))
        reduce(x, out)
        assert out.array[0].item() == keys.sum()
        scan(x, x)
        assert np.array_equal(x.array.numpy(), np.cumsum(keys))


def test_merges_and_segments(dev, library, keys):
    ordered = np.sort(keys)
    x, at, out = theirs(dev, library, ordered, np.uint32([0, 9, N]), np.zeros(2 * N, np.uint32))
    assert merge(x, x, out) is out
    assert np.array_equal(out.array.numpy(), np.repeat(ordered, 2))
    with SegmentedScan(dev, u32, N) as scan, SegmentedReduce(dev, u32, N) as reduce:
        reduce(x, at, out)
        assert out.array[:2].numpy().tolist() == [ordered[:9].sum(), ordered[9:].sum()]
        scan(x, at, out)
        assert np.array_equal(out.array[9:N].numpy(), np.cumsum(ordered[9:]))
        scan.by_key(x, x, out)
        assert out.array[N - 1].item() == ordered[ordered == ordered[-1]].sum()
    random_rows(out, seed=3)
    assert np.array_equal(np.sort(out.array.numpy()), np.arange(2 * N))


def test_counting_and_choosing(dev, library, keys):
    x, out, mask, other = theirs(dev, library, keys, keys, (keys > 9).astype(np.uint8), (keys < 15).astype(np.uint8))
    with Histogram(dev, u32, 20) as histogram, Select(dev, u32, N, op="gt") as select, Filter(dev, N) as rows:
        histogram(x)
        histogram.add(x)
        assert np.array_equal(histogram.counts.numpy(), 2 * np.bincount(keys, minlength=20))
        select(x, out, 9)
        assert np.array_equal(out.array[: select.count()].numpy(), np.flatnonzero(keys > 9))
        rows(mask, [x], [out])
        assert np.array_equal(out.array[: rows.count()].numpy(), keys[keys > 9])
    combine(mask, "and", other, mask)
    assert np.array_equal(mask.array.numpy(), (keys > 9) & (keys < 15))
    compare(x, "lt", out=mask, b=3)
    invert(mask, mask)
    assert np.array_equal(mask.array.numpy(), keys >= 3)
    gather(theirs(dev, library, np.arange(N, dtype=np.uint32)[::-1]), x, out)
    assert np.array_equal(out.array.numpy(), keys[::-1])


def test_groups_and_sets(dev, library, keys):
    x, sums = theirs(dev, library, keys, np.zeros(N, np.uint64))
    values, counts = np.unique(keys, return_counts=True)
    with Dedup(dev, x) as dedup, GroupBy(dev, [x]) as by, RowSets(dev, x, 2 * N) as sets:
        dedup(x)
        assert np.array_equal(dedup.rows().numpy(), np.unique(keys, return_index=True)[1])
        by([x])
        by.sum(x, sums)
        assert np.array_equal(sums.array[: by.count()].numpy(), values.astype(np.uint64) * counts.astype(np.uint64))
        sets.difference(x, theirs(dev, library, np.arange(5, dtype=np.uint32)))
        assert np.array_equal(sets.rows()[0].numpy(), values[values > 4])


def pairs_of(found):
    return sorted(zip(found.left.numpy().tolist(), found.right.numpy().tolist()))


def test_joins(dev, library, keys):
    x, other = theirs(dev, library, keys, keys[:9])
    expected = [(i, j) for i, key in enumerate(keys[:9]) for j in np.flatnonzero(keys == key)]
    with HashTable(dev, x) as table, Join(table, other, 99) as join, SemiJoin(table, [other]) as semi:
        table.build(x)
        join(other)
        found = join.pairs()
        assert pairs_of(found) == expected
        assert found.gather([other])[0].size == len(expected)
        semi(other)
        assert semi.rows().size == 9
        with JoinGraphs(dev, enabled=True) as graphs:
            assert pairs_of(graphs.indexed(table, other)) == expected
            assert pairs_of(graphs.inner(x, other)) == expected
    with SortedTable(dev, x) as ordered, MergeJoin(ordered, 9, 99) as merge, LoopJoin(dev, u32, "eq", 9, 99) as loop:
        merge(other)
        loop(other, x)
        assert pairs_of(merge.pairs()) == pairs_of(loop.pairs()) == expected
    with Closure(dev, 9, 99) as closure:
        closure(theirs(dev, library, np.uint32([1, 2])), theirs(dev, library, np.uint32([2, 3])))
        assert pairs_of(closure.pairs()) == [(1, 2), (1, 3), (2, 3)]


def test_work_goes_to_their_stream(dev, keys, monkeypatch):
    """And what lies on the device's own stream, the scratch memory, is waited for on both sides."""
    from ptxgen.ops import borrowing

    orders = []
    monkeypatch.setattr(borrowing, "order", lambda context, first, then: orders.append((first, then)))
    used = []
    monkeypatch.setattr(type(dev), "use", _noting(type(dev).use, used))
    with dev.stream() as theirs, dev.stream() as chosen, Scan(dev, u32, N) as scan:
        x = Interface(dev.array(keys), stream=theirs.handle)
        dev.synchronize()
        scan(x, x)
        assert used == [theirs.handle]
        assert orders == [(0, theirs.handle), (theirs.handle, 0)]
        orders.clear()
        with dev.use(chosen):
            scan(x, x)
        assert orders == [(theirs.handle, chosen.handle), (chosen.handle, theirs.handle)]
        dev.synchronize()
    assert np.array_equal(x.array.numpy(), np.cumsum(np.cumsum(keys)))


def _noting(use, used):
    def noted(device, stream):
        used.append(getattr(stream, "handle", stream))
        return use(device, stream)

    return noted


def test_capsules_are_made_ready_for_the_stream_that_was_chosen(dev, keys):
    x = Capsule(dev.array(keys))
    with dev.stream() as chosen, Scan(dev, u32, N) as scan:
        with dev.use(chosen):
            scan(x, x)
        assert set(x.readied) == {chosen.handle}
        x.readied.clear()
        scan(x, x)
        assert set(x.readied) == {1}, "the default stream"


def test_a_graph_keeps_their_arrays(dev, keys):
    with Scan(dev, u32, N) as scan:
        x = Interface(dev.array(keys))
        with dev.capture() as graph:
            scan(x, x)
        alive = weakref.ref(x)
        memory = x.array
        del x
        gc.collect()
        assert alive() is not None
        graph.launch()
        assert np.array_equal(memory.numpy(), np.cumsum(keys))
        graph.close()
    gc.collect()
    assert alive() is None


def test_nothing_is_kept_after_a_call(dev, keys):
    with Scan(dev, u32, N) as scan:
        x = Interface(dev.array(keys))
        scan(x, x)
        alive = weakref.ref(x)
        del x
        gc.collect()
        assert alive() is None


def test_bad_arrays_are_named(dev, monkeypatch):
    scan = Scan(dev, f32, N)
    good = dev.zeros((5, 5), f32)
    with pytest.raises(BuildError, match=r"x of shape \(5, 5\) has strides of \(4, 20\) bytes"):
        scan(Interface(good, strides=(4, 20)), good)
    with pytest.raises(BuildError, match=r"x has the shape \(5, 5\), expected one dimension"):
        scan(Interface(good), good)
    with pytest.raises(BuildError, match=r"y is an array of \.u32, expected \.f32"):
        scan(good[0], Interface(dev.zeros(5, u32)))
    with pytest.raises(BuildError, match=r"x is ndarray, not an array in device memory"):
        scan(np.zeros(5, np.float32), good[0])
    with pytest.raises(BuildError, match=r"columns\[1\] is ndarray, not an array in device memory"):
        Dedup(dev, [good[0], np.zeros(5)])
    monkeypatch.setattr(dev.context.driver, "foreign_pointers", False)
    with pytest.raises(BuildError, match=r"x is Interface, out of reach of"):
        scan(Interface(good), good)
