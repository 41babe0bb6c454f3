"""Calls that come again: what they cost in Python, counted, and that their launches are moved to other arrays and no further."""

from __future__ import annotations

import numpy as np
import pytest

from driver_ctypes.errors import ClosedError
from ptxgen import bf16, f32, ops, u8, u32
from ptxgen.errors import BuildError
from ptxgen.ops import launch_cache
from ptxgen.ops.recorded import Span, are_apart
from tests.ptxgen.host.test_launch_road import road
from tests.ptxgen.ops.frameworks import Capsule, Interface, let_in

N = 64


def drawn(dev, seed, *shape, element=f32):
    return dev.array(np.random.default_rng(seed).standard_normal(shape).astype(np.float32), element)


def keys_of(dev, seed):
    return dev.array(np.random.default_rng(seed).integers(0, 20, N, np.uint32))


@pytest.fixture
def planned(monkeypatch):
    """As many as launches that were kept because they had to be planned."""
    found = []
    keep = launch_cache.LaunchCache.keep

    def counted(self, key, *rest):
        found.append(key)
        keep(self, key, *rest)

    monkeypatch.setattr(launch_cache.LaunchCache, "keep", counted)
    return found


# --- what a call costs ------------------------------------------------------------------------------------------------

CALLS = {
    "Scan": (4, lambda dev, x, y: ops.Scan(dev, u32, N)),
    "Reduce": (4, lambda dev, x, y: ops.Reduce(dev, u32)),
    "Sort": (4, lambda dev, x, y: ops.Sort(dev, u32, N)),
    "sort": (5, lambda dev, x, y: ops.sort),
    "cumsum": (6, lambda dev, x, y: ops.cumsum),
}


@pytest.mark.cpu_only
@pytest.mark.parametrize("name", CALLS)
def test_a_call_with_a_place_for_its_result(dev, name):
    """Python calls from the operation to the launcher, all but those of the driver."""
    x, y = keys_of(dev, 0), dev.zeros(N, u32)
    most, make = CALLS[name]
    run = make(dev, x, y)
    client, _ = road(lambda: run(x, y), warm=6)
    assert sum(count for file, count in client.items() if file.startswith("ptxgen/")) <= most, client
    if hasattr(run, "close"):
        run.close()


@pytest.mark.cpu_only
def test_functions_of_matrices(dev):
    x, y = drawn(dev, 0, 4, 64), dev.zeros((4, 64), f32)
    for run in (lambda: ops.softmax(x, y), lambda: ops.gelu(x, y)):
        client, _ = road(run, warm=6)
        assert sum(count for file, count in client.items() if file.startswith("ptxgen/")) <= 5, client


@pytest.mark.cpu_only
def test_a_call_with_a_new_result(dev):
    x, kept = drawn(dev, 0, 4, 64), []
    client, _ = road(lambda: kept.append(ops.softmax(x)), warm=6)
    assert "ptxgen/ops/rows/rows.py" in client
    assert client.total() <= 90, client  # of which a moved launch and the memory take the most
    client, _ = road(lambda: ops.softmax(x), warm=6)  # whose memory comes back
    assert client.total() <= 50, client


# --- launches are moved -----------------------------------------------------------------------------------------------


def test_other_arrays_of_the_same_form(dev, planned):
    kept = []  # so that memory does not come again
    for seed in range(3):
        x, keys = drawn(dev, seed, 4, 64), keys_of(dev, seed)
        found = ops.softmax(x)
        exact = np.exp(x.numpy() - x.numpy().max(-1, keepdims=True))
        assert np.allclose(found.numpy(), exact / exact.sum(-1, keepdims=True), atol=1e-6)
        ordered = ops.sort(keys)
        assert np.array_equal(ordered.numpy(), np.sort(keys.numpy()))
        counts, edges = ops.histogram(keys, 5, (0, 20))
        assert np.array_equal(counts.numpy(), np.histogram(keys.numpy(), 5, (0, 20))[0])
        assert np.array_equal(edges.numpy(), np.linspace(0, 20, 6))
        kept += [x, keys, found, ordered, counts, edges]
        if not seed:
            planned.clear()
    assert not planned
    assert len({each.pointer for each in kept}) == len(kept)


def test_tensor_maps_are_moved(dev, planned):
    kept = []
    for seed in range(3):
        numbers = [np.random.default_rng(seed + each).integers(-4, 5, (128, 128)).astype(np.float32) for each in (0, 9)]
        a, b = (dev.array(each, bf16) for each in numbers)
        found = ops.matmul(a, b)
        assert np.array_equal(found.numpy(), dev.array(numbers[0] @ numbers[1], bf16).numpy())
        kept += [a, b, found]
    assert len(planned) == 1


def test_in_place_stays_in_place(dev, planned):
    for seed in range(2):
        x = drawn(dev, seed, 128)
        exact = x.numpy() / (1 + np.exp(-x.numpy()))
        assert ops.silu(x, x) is x
        assert np.allclose(x.numpy(), exact, atol=1e-6)
    assert len(planned) == 1


def test_where_arrays_begin_is_looked_at(dev):
    """A kernel of wide accesses is not moved to a place where it would be misaligned."""
    for shift in (0, 1, 2, 3, 0):
        x, y = drawn(dev, shift, 132)[shift : shift + 128], dev.zeros(132, f32)[shift : shift + 128]
        ops.silu(x, y)
        assert np.allclose(y.numpy(), x.numpy() / (1 + np.exp(-x.numpy())), atol=1e-6)


def test_arrays_that_share_memory_are_refused_all_the_same(dev):
    whole, apart = drawn(dev, 0, 1024), dev.zeros(512, f32)
    ops.silu(whole[:512], apart)
    with pytest.raises(BuildError, match="overlaps"):
        ops.silu(whole[:512], whole[256:768])
    with ops.Sort(dev, u32, 64) as sort:
        keys = dev.zeros(128, u32)
        sort(keys[:64], dev.zeros(64, u32))
        with pytest.raises(BuildError, match="share memory"):
            sort(keys[:64], keys[16:80])


def test_new_results_are_of_their_own(dev):
    x = keys_of(dev, 0)
    one, other = ops.sort(x), ops.sort(x)
    third = ops.sort(x)
    assert len({each.pointer for each in (x, one, other, third)}) == 4
    assert (third.shape, third.type) == (x.shape, x.type)


def test_closed_arrays_are_refused(dev):
    x, y = drawn(dev, 0, 64), dev.zeros(64, f32)
    ops.silu(x, y)
    y.close()
    with pytest.raises(ClosedError):
        ops.silu(x, y)


@pytest.mark.parametrize("library", [Interface, Capsule])
def test_arrays_of_any_library(dev, monkeypatch, planned, library):
    let_in(monkeypatch, dev)
    for seed in range(3):
        x, y = drawn(dev, seed, 4, 64), dev.zeros((4, 64), f32)
        assert np.allclose(ops.gelu(library(x)).numpy(), ops.gelu(x, y).numpy())
        keys, out = keys_of(dev, seed), dev.zeros(N, u32)
        ops.sort(library(keys), library(out))
        assert np.array_equal(out.numpy(), np.sort(keys.numpy()))
        if not seed:
            planned.clear()
    assert not planned


def test_lists_tell_none_from_its_place(dev):
    """Payloads of one side alone are another call than those of the other."""
    a, b, out = keys_of(dev, 0), keys_of(dev, 1), dev.zeros(2 * N, u32)
    cache = launch_cache.LaunchCache()
    one, _, _ = cache.find("merge", (a, [b, None]), (out,))
    other, _, _ = cache.find("merge", (a, [None, b]), (out,))
    assert one is not None
    assert other is not None
    assert one.found != other.found


def test_options_that_cannot_be_hashed_keep_nothing(dev):
    cache, x = launch_cache.LaunchCache(), dev.zeros(4, u8)
    assert cache.find(["a list"], (x,)) == (None, None, ())
    assert cache.find("of nothing", (None,)) == (None, None, ())
    assert cache.find("of no array", (3,)) == (None, None, ())


def test_options_are_told_apart_by_their_bits(dev):
    cache, x = launch_cache.LaunchCache(), dev.zeros(4, u8)

    def key(*options):
        found, _, _ = cache.find(options, (x,))
        assert found is not None
        return found.found[0]

    assert key("fill", 0.0) != key("fill", -0.0)
    assert key("fill", (1, (0.0, 2))) != key("fill", (1, (-0.0, 2)))
    assert key("fill", float("nan")) == key("fill", float("nan"))
    assert key("fill", 1.5, "a") == ("fill", 1.5, "a")


def test_edges_that_begin_at_the_other_zero(dev):
    x = dev.array(np.array([-0.0, 0.0, 0.75], np.float32))
    for low in (0.0, -0.0):
        counts, edges = ops.histogram(x, [low, 0.5, 1.0])
        assert counts.numpy().tolist() == [2, 1]
        assert np.signbit(edges.numpy()).tolist() == [bool(np.signbit(low)), False, False]


def test_arrays_without_elements_are_apart_from_all():
    """Both what `px.ops` moves and what operators of frameworks keep ask one function."""
    assert are_apart([Span(0, 8), Span(8, 16), Span(4, 4), Span(4, 4), Span(20, 24)])
    assert not are_apart([Span(0, 9), Span(8, 16)])
    assert are_apart([])


def test_results_lie_in_memory_that_comes_again(dev, planned):
    """And launches that are moved follow it; views keep it, and others get other memory."""
    allocator = dev.context.allocator
    before, allocator.enabled = allocator.enabled, True
    try:
        kept = []
        for seed in range(20):
            keys = keys_of(dev, seed)
            found = ops.sort(keys)[: N // 2]
            counts = ops.histogram(keys, 5, (0, 20))[0]
            kept = [*kept[-3:], (np.sort(keys.numpy())[: N // 2], found)]
            for exact, each in kept:
                assert np.array_equal(each.numpy(), exact)
            assert np.array_equal(counts.numpy(), np.histogram(keys.numpy(), 5, (0, 20))[0])
        assert allocator.statistics().hits > 10
        assert len(planned) <= 4
    finally:
        allocator.enabled = before
        dev.context.trim()


def test_results_of_calls_that_are_planned_anew(dev):
    """Where arrays begin elsewhere on 256 bytes, a launch is not moved: what was made for it is nobody's result."""
    held = []
    for seed, shift in enumerate((0, 1, 0, 1)):
        whole = dev.array(np.random.default_rng(seed).integers(0, 9, N + 1, np.uint32))
        x = whole[shift : shift + N]
        exact = x.numpy()
        held += [
            (ops.unique(x), np.unique(exact)),
            (ops.select(x), np.nonzero(exact)[0]),
            (ops.isin(x, whole), np.ones(N)),
        ]
        for found, right in held:
            assert np.array_equal(found.numpy(), right)


def test_groups_that_are_held_are_not_launched_into(dev):
    keys, others = keys_of(dev, 0), keys_of(dev, 1)[: N // 2]
    first = ops.groupby(keys)
    second = ops.groupby(keys)
    for groups in (first, second, ops.groupby(others), ops.groupby(keys)):
        exact = (others if len(groups.ids()) < N else keys).numpy()
        assert np.array_equal(groups.keys.numpy(), np.unique(exact))
        assert np.array_equal(groups.sizes().numpy(), np.unique(exact, return_counts=True)[1])
    del second
    again = ops.groupby(keys)
    for groups in (first, again):
        assert np.array_equal(groups.ids().numpy(), np.unique(keys.numpy(), return_inverse=True)[1])
