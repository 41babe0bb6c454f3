"""Sorting, counting, grouping and joining in one call, beside numpy: arrays of ours and of other libraries."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f64, s32, u8, u32, u64
from ptxgen.errors import BuildError
from ptxgen.host import Array
from ptxgen.ops import (
    argsort,
    bincount,
    cumsum,
    difference,
    empty_cache,
    groupby,
    histogram,
    intersection,
    isin,
    join,
    permutation,
    reduce,
    scan,
    select,
    sort,
    union,
    unique,
)
from tests.ptxgen.ops.frameworks import Capsule, Interface, let_in

NUMPY = {u8: "u1", s32: "i4", f16: "f2", f64: "f8"}
ELEMENTS = pytest.mark.parametrize("element", NUMPY, ids=NUMPY.values())


@pytest.fixture(autouse=True, scope="module")
def cache_is_empty():
    yield
    empty_cache()


@pytest.fixture(params=["ours", "interface", "DLPack"])
def place(request, dev, monkeypatch):
    """What makes an array of one library from a host's."""
    let_in(monkeypatch, dev)
    return {
        "ours": dev.array, "interface": lambda host: Interface(dev.array(host)), "DLPack": lambda host: Capsule(dev.array(host)),
    }[request.param]  # fmt: skip


def drawn(kind, n, seed=0):
    """Numbers of which many are equal; floats with NaNs of both signs, infinities and zeros of both signs."""
    rng = np.random.default_rng(seed)
    if np.dtype(kind).kind != "f":
        return rng.integers(-20 if kind[0] == "i" else 0, 20, n).astype(kind)
    special = np.array([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -2.25], kind)
    return np.where(rng.random(n) < 0.5, rng.choice(special, n), rng.integers(-9, 9, n).astype(kind)).astype(kind)


def ordered(x):
    """Keys of integers that are ordered as totalOrder orders their floats; integers as they are."""
    if x.dtype.kind != "f":
        return x
    bits = x.view(f"i{x.itemsize}")
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def bits(x):
    return x.view(f"u{x.itemsize}")


def host(array):
    return (array if isinstance(array, Array) else array.array).numpy()


@ELEMENTS
@pytest.mark.parametrize("n", [0, 1, 700])
def test_sort_and_argsort(dev, element, n):
    x = drawn(NUMPY[element], n)
    given = dev.array(x)
    order = np.argsort(ordered(x), kind="stable")
    assert np.array_equal(bits(sort(given).numpy()), bits(x[order]))
    assert np.array_equal(argsort(given).numpy(), order)
    assert np.array_equal(bits(sort(given, descending=True).numpy()), bits(x[order[::-1]]))
    assert np.array_equal(bits(given.numpy()), bits(x)), "it is left as it is"


def test_rows_of_several_columns_are_sorted(dev):
    a, b = drawn("u4", 500), drawn("f4", 500, 1)
    found = argsort([dev.array(a), dev.array(b)], descending=[True, False]).numpy()
    assert np.array_equal(found, np.lexsort((ordered(b), -a.astype(int))))


@pytest.mark.parametrize("kind", ["u1", "f8"])
def test_permutations(place, kind):
    for n in (0, 1, 2, 17, 1000):
        x = drawn(kind, n)
        one, same, other = (permutation(place(x), seed) for seed in (1, 1, 2))
        assert np.array_equal(np.sort(bits(host(one))), np.sort(bits(x)))
        assert np.array_equal(bits(host(one)), bits(host(same)))
        assert n < 17 or not np.array_equal(bits(host(one)), bits(host(other)))


def test_a_permutation_of_numbers(dev):
    assert np.array_equal(np.sort(permutation(1000, 7, device=dev).numpy()), np.arange(1000))
    places = np.array([permutation(8, seed, device=dev).numpy() for seed in range(800)])
    counts = np.array([np.bincount(places[:, place], minlength=8) for place in range(8)])
    assert abs(counts - 100).max() < 50, "each number is as often at each place; 5 sigma are 47"


@ELEMENTS
def test_unique(dev, element):
    for n in (0, 1, 700):
        x = drawn(NUMPY[element], n)
        keys, first, inverse, counts = np.unique(ordered(x), return_index=True, return_inverse=True, return_counts=True)
        assert np.array_equal(ordered(unique(dev.array(x)).numpy()), keys)
        values, index = unique(dev.array(x), return_index=True)
        assert np.array_equal(bits(values.numpy()), bits(x[first]))
        assert np.array_equal(index.numpy(), first)
        found = unique(dev.array(x), return_index=True, return_inverse=True, return_counts=True)
        for mine, theirs in zip(found, (x[first], first, inverse.reshape(-1), counts)):
            assert np.array_equal(mine.numpy().tobytes(), theirs.astype(mine.numpy().dtype).tobytes())


def test_unique_rows_of_columns(dev):
    a, b = drawn("u1", 300), drawn("i8", 300, 1)
    columns, counts = unique([dev.array(a), dev.array(b)], return_counts=True)
    rows, expected = np.unique(np.stack([a.astype("i8"), b], 1), axis=0, return_counts=True)
    assert np.array_equal(np.stack([column.numpy().astype("i8") for column in columns], 1), rows)
    assert np.array_equal(counts.numpy(), expected)


@pytest.mark.parametrize("kind", ["u1", "f4"])
def test_sets(place, kind):
    for sizes in ((0, 0), (0, 9), (300, 50), (50, 300)):
        a, b = (drawn(kind, size, seed) for seed, size in enumerate(sizes))
        sides = place(a), place(b)
        for mine, theirs in ((union, np.union1d), (intersection, np.intersect1d), (difference, np.setdiff1d)):
            assert np.array_equal(ordered(host(mine(*sides))), theirs(ordered(a), ordered(b)))
        assert np.array_equal(host(isin(*sides)), np.isin(bits(a), bits(b)))
        assert np.array_equal(host(isin(*sides, invert=True)), ~np.isin(bits(a), bits(b)))


def test_sets_of_rows(dev):
    sides = [[drawn("u2", 90, seed), drawn("u4", 90, seed + 5)] for seed in (0, 1)]
    rows = [set(zip(*(column.tolist() for column in side))) for side in sides]
    on = [[dev.array(column) for column in side] for side in sides]
    found = list(zip(*(column.numpy().tolist() for column in intersection(*on))))
    assert found == sorted(rows[0] & rows[1])
    assert isin(*on).numpy().tolist() == [row in rows[1] for row in zip(*(column.tolist() for column in sides[0]))]


@pytest.mark.parametrize("kind", ["i2", "u4", "f4"])
def test_scans_and_reductions(place, kind):
    for n in (0, 1, 900):
        x = np.random.default_rng(n).integers(0, 3, n).astype(kind)
        with np.errstate(over="ignore"):
            assert np.array_equal(host(cumsum(place(x))), np.cumsum(x, dtype=kind))
            assert np.array_equal(host(scan(place(x), exclusive=True)), np.cumsum(x, dtype=kind) - x)
        assert np.array_equal(host(scan(place(x), op="max")), np.maximum.accumulate(x))
        if kind in ("u4", "f4"):
            total = reduce(place(x))
            assert (host(total).shape, host(total)) == ((), x.sum(dtype=kind))
            assert not n or host(reduce(place(x), op="max")) == x.max()


def test_results_go_where_they_are_told_to(dev):
    x = dev.array(np.arange(10, dtype=np.uint32))
    out, total = dev.empty(10, u32), dev.empty(1, u32)
    assert sort(x, out, descending=True) is out
    assert cumsum(out, out) is out
    assert out.numpy().tolist() == np.cumsum(np.arange(10)[::-1]).tolist()
    assert reduce(x.reshape(2, 5), total) is total
    assert total.item() == 45
    numbers = dev.empty(10, s32)
    assert argsort(x, numbers, descending=True) is numbers
    assert numbers.numpy().tolist() == list(range(10))[::-1]


def test_calls_that_come_again_are_made_at_once(dev):
    """With other contents, after others have used the memory, after it was freed, and not where the result is to be made."""
    x, y, total = dev.empty(100, u32), dev.empty(100, u32), dev.empty(1, u32)
    for seed in range(6):
        data = np.random.default_rng(seed).integers(0, 1000, 100, np.uint32)
        x.copy_from(data)
        assert np.array_equal(cumsum(x).numpy(), np.cumsum(data, dtype=np.uint32))
        y.fill(0)
        assert cumsum(x, y) is y
        assert np.array_equal(y.numpy(), np.cumsum(data, dtype=np.uint32))
        assert reduce(x, total, op="max").item() == data.max()
        if seed == 3:
            empty_cache()


def test_select(place):
    x = drawn("f4", 800)
    assert np.array_equal(host(select(place(x))), np.flatnonzero(x))
    assert np.array_equal(host(select(place(x), "lt", -1)), np.flatnonzero(x < -1))
    assert host(select(place(x[:0]))).size == 0


def test_groups(place):
    keys, values = drawn("u2", 600), np.random.default_rng(3).integers(-50, 50, 600).astype("i4")
    expected, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    parts = [values[keys == key] for key in expected]
    groups = groupby(place(keys))
    assert len(groups) == len(expected)
    assert np.array_equal(host(groups.keys), expected)
    assert np.array_equal(host(groups.sizes()), counts)
    assert np.array_equal(host(groups.ids()), inverse.reshape(-1))
    on = place(values)
    assert host(groups.sum(on)).tolist() == [part.sum() for part in parts]
    assert host(groups.mean(on)).tolist() == [part.mean() for part in parts]
    assert host(groups.min(on)).tolist() == [part.min() for part in parts]
    assert host(groups.max(on)).tolist() == [part.max() for part in parts]
    assert host(groups.any(on)).tolist() == [part.any() for part in parts]
    assert host(groups.all(on)).tolist() == [part.all() for part in parts]
    assert np.array_equal(host(groups.first(on)), values[first])
    floats = place(values.astype("f8"))
    logs = [np.log(np.exp(part.astype("f8") - part.max()).sum()) + part.max() for part in parts]
    np.testing.assert_allclose(host(groups.logsumexp(floats)), logs, rtol=1e-12)


def test_all_of_a_query_in_one_call(place):
    keys, values = drawn("u2", 500), np.arange(500, dtype="i4")
    for ordered in (True, False):
        found, results = groupby(place(keys), {"total": ("sum", place(values)), "rows": ("count",)}, sorted=ordered)
        order = np.argsort(host(found))
        assert ordered == np.array_equal(order, np.arange(len(order))) or not ordered
        assert np.array_equal(host(found)[order], np.unique(keys))
        assert np.array_equal(host(results["rows"])[order], np.unique(keys, return_counts=True)[1])
        assert host(results["total"])[order].tolist() == [values[keys == key].sum() for key in np.unique(keys)]


@pytest.mark.parametrize("kind", ["f2", "f8"])
def test_numbers_may_be_equal_as_numpy_s_are(dev, kind):
    a, b = drawn(kind, 500), drawn(kind, 100, 1)
    x, y = dev.array(a), dev.array(b)
    assert np.array_equal(np.sort(unique(x, equal="numbers").numpy()), np.unique(a), equal_nan=True)
    counts = unique(x, equal="numbers", return_counts=True)[1]
    assert sorted(counts.numpy().tolist()) == sorted(np.unique(a, return_counts=True)[1].tolist())
    assert np.array_equal(np.sort(union(x, y, equal="numbers").numpy()), np.union1d(a, b), equal_nan=True)
    assert len(groupby(x, equal="numbers")) == len(np.unique(a))


def test_sets_in_any_order(dev):
    a, b = drawn("u4", 500), drawn("u4", 50, 1)
    x, y = dev.array(a), dev.array(b)
    assert np.array_equal(np.sort(unique(x, sorted=False).numpy()), np.unique(a))
    for mine, theirs in ((union, np.union1d), (intersection, np.intersect1d), (difference, np.setdiff1d)):
        assert np.array_equal(np.sort(mine(x, y, sorted=False).numpy()), theirs(a, b))


def test_the_sanitizer_finds_nothing(dev):
    """On the CPU device every access of every function is watched."""
    if dev.kind != "cpu":
        pytest.skip("the sanitizer watches the CPU device")
    keys, values = dev.array(drawn("u4", 300)), dev.array(drawn("f4", 300))
    empty_cache()
    with px.sanitize():
        sort(keys), argsort([keys, values]), permutation(keys, 1), cumsum(keys), reduce(keys), select(keys)
        (
            unique(keys, return_counts=True),
            union(keys, keys),
            isin(keys, keys),
            join(keys, keys),
            join(keys, keys, how="left"),
        )
        groupby(keys).sum(values), histogram(values, 5, (-1, 1)), histogram(values, [-1, 0, 3]), bincount(keys)
    empty_cache()


def test_groups_of_columns_live_side_by_side(dev):
    a, b = (dev.array(drawn("u1", 200, seed)) for seed in (0, 1))
    both, one = groupby([a, b]), groupby(a)
    again = groupby(a)
    rows = sorted(set(zip(a.numpy().tolist(), b.numpy().tolist())))
    assert list(zip(*(column.numpy().tolist() for column in both.keys))) == rows
    assert np.array_equal(one.sizes().numpy(), again.sizes().numpy())
    assert both.sizes().numpy().sum() == one.sizes().numpy().sum() == 200


@pytest.mark.parametrize("kind", ["u1", "i4", "f8"])
def test_joins(place, kind):
    for sizes in ((0, 5), (5, 0), (400, 60)):
        left, right = (drawn(kind, size, seed) for seed, size in enumerate(sizes))
        equal = bits(left)[:, None] == bits(right)
        sides = place(left), place(right)
        pairs = sorted(zip(*(host(side).tolist() for side in join(*sides))))
        assert pairs == list(zip(*(side.tolist() for side in np.nonzero(equal)))), "more pairs than rows"
        outer = sorted(zip(*(host(side).tolist() for side in join(*sides, how="left"))))
        alone = [(row, (1 << 32) - 1) for row in np.flatnonzero(~equal.any(1)).tolist()]
        assert outer == sorted(pairs + alone)
        assert np.array_equal(host(join(*sides, how="semi")), np.flatnonzero(equal.any(1)))
        assert np.array_equal(host(join(*sides, how="anti")), np.flatnonzero(~equal.any(1)))


def test_a_graph_has_memory_of_its_own(dev):
    """What functions compute while a graph is recorded does not disturb what the graph computes, nor the other way round."""
    data = np.random.default_rng(0).integers(0, 1000, 900, np.uint32)
    x, y, z = dev.array(data), dev.empty(900, u32), dev.empty(900, u32)
    mask = dev.empty(900, u8)
    sort(x, y)
    with dev.capture() as graph:
        sort(x, y)
        cumsum(y, z)
        mask = isin(x, y)
        for wrong in (unique, select, groupby, lambda x: join(x, x), lambda x: union(x, x)):
            with pytest.raises(BuildError, match="waits for the size of its result, and a graph is being recorded"):
                wrong(x)
    empty_cache()
    gc.collect()
    for seed in (1, 2):
        data = np.random.default_rng(seed).integers(0, 1000, 900, np.uint32)
        x.copy_from(data)
        sort(dev.array(data[:400]), y[:400])
        graph.launch()
        assert np.array_equal(z.numpy(), np.cumsum(np.sort(data), dtype=np.uint32))
        assert mask.numpy().all()
    graph.close()


def test_many_threads_and_streams(dev):
    """Threads share what is kept for a stream, and no two use an object at the same time."""
    wrong = []

    def work(seed, stream):
        rng = np.random.default_rng(seed)
        with dev.use(stream):
            for _ in range(4):
                data = rng.integers(0, 300, 500, np.uint32)
                x = dev.array(data)
                checks = (
                    np.array_equal(sort(x).numpy(), np.sort(data)),
                    np.array_equal(unique(x).numpy(), np.unique(data)),
                    np.array_equal(cumsum(x).numpy(), np.cumsum(data, dtype=np.uint32)),
                    len(join(x, x)[0]) == (data[:, None] == data).sum(),
                )
                if not all(checks):
                    wrong.append((seed, checks))

    with dev.stream() as one, dev.stream() as other:
        threads = [threading.Thread(target=work, args=(seed, (one, other)[seed % 2])) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        dev.synchronize()
    assert wrong == []


def test_a_stream_that_takes_another_s_handle_gets_objects_of_its_own(dev):
    x = dev.array(np.arange(9, dtype=np.uint32))
    for _ in range(3):
        with dev.stream() as stream, dev.use(stream):
            assert cumsum(x).numpy()[-1] == 36


def test_nothing_is_left(dev):
    x, other = dev.array(drawn("u4", 300)), dev.array(drawn("u4", 300, 1))

    def all_of_them():
        found = [sort(x), argsort([x, x]), cumsum(x), reduce(x), select(x), isin(x, other), union(x, other)]
        found += [*join(x, other), *unique(x, return_counts=True)]
        groups = groupby(x)
        found += [groups.keys, groups.sum(other)]
        for each in found:
            each.close()
        del groups
        empty_cache()

    all_of_them()
    gc.collect()
    before = dev.context.live_handles()
    all_of_them()
    assert dev.context.live_handles() == before


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: sort(np.zeros(3)), "x is ndarray, not an array in device memory"),
        (lambda d: sort([1, 2]), "x is list, not an array in device memory"),
        (lambda d: sort(d.zeros((2, 2), u32)), r"x has the shape \(2, 2\), expected one dimension"),
        (lambda d: cumsum(d.zeros(3, u32), d.zeros(2, u32)), "y has 2 elements, expected at least 3"),
        (lambda d: cumsum(d.zeros(3, u32), d.zeros(3, s32)), r"y is an array of \.s32, expected \.u32"),
        (lambda d: scan(d.zeros(3, u32), op="mul"), "no scan by 'mul'"),
        (lambda d: reduce(d.zeros(3, u32), d.zeros(2, u32)), "out has 2 elements, expected 1"),
        (lambda d: reduce(d.zeros(3, u8)), r"no reduction of \.u8"),
        (lambda d: unique([]), "columns is an empty list, not an array in device memory"),
        (lambda d: unique([d.zeros(3, u32), d.zeros(2, u32)]), "column 1 of a table has 2 rows, column 0 has 3"),
        (lambda d: join(d.zeros(3, u32), d.zeros(3, u64)), r"the left side has columns of \.u32, expected \.u64"),
        (lambda d: join(d.zeros(3, u32), d.zeros(3, u32), how="outer"), "no join 'outer'"),
        (lambda d: union(d.zeros(3, u32), d.zeros(3, u64)), r"the right side has columns of \.u64, expected \.u32"),
        (lambda d: groupby(d.zeros(3, u32)).sum(d.zeros(2, u32)), "values have 2 rows, the keys had 3"),
        (lambda d: groupby(d.zeros(3, u32)).sum(3), "values is 3"),
        (lambda d: permutation(d.zeros(3, u32), -1), "seed is -1"),
        (lambda d: permutation(3, 0), "None is not a device"),
        (lambda d: select(d.zeros(3, u32), "like"), "no comparison 'like'"),
    ],
)
def test_bad_input_is_named(dev, wrong, says):
    with pytest.raises(BuildError, match=says):
        wrong(dev)
