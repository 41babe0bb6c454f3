"""Joins and closures of host tables that are larger than the memory they may take, beside those of whole tables."""

from __future__ import annotations

import numpy as np
import pytest

from driver_ctypes import MemoryAccount
from ptxgen.errors import BuildError
from ptxgen.ops import Closure, HashTable, Join, Progress, closure_chunks, join_chunks
from ptxgen.ops.joins import chunked, chunked_closure

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def tables(kinds, seed, build_rows=4000, probe_rows=1500):
    """Keys that repeat, of which one has 900 rows of the build side."""
    rng = np.random.default_rng(seed)
    build, probe = ([rng.integers(0, 90, n).astype(kind) for kind in kinds] for n in (build_rows, probe_rows))
    for side, rows in ((build, 900), (probe, 3)):
        for column in side:
            column[:rows] = 90
    order = rng.permutation(build_rows)
    return probe, [column[order] for column in build]


def in_core(dev, probe, build, *, outer):
    on_probe, on_build = ([dev.array(column) for column in side] for side in (probe, build))
    with HashTable(dev, on_build) as table, Join(table, on_probe, 0, outer=outer) as join:
        join(on_probe)
        pairs = join.pairs(grow=True)
        left, right = pairs.left.numpy().astype(np.int64), pairs.right.numpy().astype(np.int64)
    for column in (*on_probe, *on_build):
        column.close()
    return sorted(zip(left.tolist(), np.where(right == 0xFFFFFFFF, -1, right).tolist()))


class Watch:
    """The most memory that was held whenever an operation told of its progress."""

    def __init__(self):
        self.told, self.taken = [], 0
        self.account = MemoryAccount()

    def __call__(self, progress):
        self.told.append(progress)
        self.taken = max(self.taken, self.account.total.outstanding)


@pytest.fixture
def watch():
    made = Watch()
    with made.account:
        yield made
    made.account.close()


def found(chunks):
    return [pair for chunk in chunks for pair in zip(chunk.left.tolist(), chunk.right.tolist())]


@pytest.mark.parametrize("kinds", ["u4", "i8", "u1 u2", "f8 u4"])
@pytest.mark.parametrize("memory", [200_000, 1 << 20, None], ids=["200 kB", "1 MiB", "all"])
@pytest.mark.parametrize("outer", [False, True], ids=["inner", "outer"])
def test_the_chunks_are_the_whole_join(dev, watch, kinds, memory, outer):
    probe, build = tables(kinds.split(), seed=len(kinds))
    expected = in_core(dev, probe, build, outer=outer)
    got = found(join_chunks(probe, build, device=dev, outer=outer, memory=memory, progress=watch))
    assert sorted(got) == expected
    assert watch.told[-1].done == watch.told[-1].total == 1500 * 4000
    assert memory is None or len(watch.told) > 1 or memory > 500_000
    if dev.kind == "cpu" and memory == 200_000:  # a GPU's memory is others' too, and goes by 2 MiB
        assert 0 < watch.taken <= memory
    if memory is None and not outer:
        assert [row for row, _ in got] == [row for row, _ in expected]


def test_a_row_with_more_pairs_than_there_is_room_for(dev, monkeypatch):
    """4,000 rows of one key, 100 pairs at a time."""
    monkeypatch.setattr(chunked, "MOST_PAIRS", 100)
    build, probe = np.full(4000, -0.0), np.array([0.0, -0.0, 1.0, -0.0])
    got = found(join_chunks(probe, build, device=dev))
    assert got == [(row, other) for row in (1, 3) for other in range(4000)]


@pytest.mark.parametrize("rows", [(0, 0), (5, 0), (0, 5)])
def test_empty_sides(dev, rows):
    probe, build = (np.arange(n, dtype=np.uint32) for n in rows)
    assert found(join_chunks(probe, build, device=dev)) == []
    assert found(join_chunks(probe, build, device=dev, outer=True)) == [(row, -1) for row in range(rows[0])]


def test_a_join_that_is_left_early_frees_all(dev):
    probe, build = tables(["u4"], 1)
    chunks = join_chunks(probe, build, device=dev, memory=200_000)
    next(chunks)
    chunks.close()


def test_files_are_read_a_chunk_at_a_time(dev, tmp_path):
    probe, build = tables(["u4"], 3)
    for name, column in (("probe", probe[0]), ("build", build[0])):
        column.tofile(tmp_path / name)
    on_disk = [np.memmap(tmp_path / name, np.uint32, "r") for name in ("probe", "build")]
    assert sorted(found(join_chunks(*on_disk, device=dev, memory=1 << 20))) == in_core(dev, probe, build, outer=False)


def edges(seed, vertices=300, count=500):
    return np.random.default_rng(seed).integers(0, vertices, (2, count), dtype=np.uint32)


def whole_closure(dev, sources, targets):
    on_device = [dev.array(column) for column in (sources, targets)]
    with Closure(dev, len(sources), 1 << 18) as closure:
        closure(*on_device)
        reached = closure.pairs()
        pairs = sorted(zip(reached.left.numpy().tolist(), reached.right.numpy().tolist()))
    for column in on_device:
        column.close()
    return pairs


@pytest.mark.parametrize("memory", [300_000, 1 << 20, None], ids=["300 kB", "1 MiB", "all"])
def test_the_chunks_are_the_whole_closure(dev, watch, memory):
    sources, targets = edges(4)
    expected = whole_closure(dev, sources, targets)
    got = found(closure_chunks(sources, targets, device=dev, memory=memory, progress=watch))
    assert len(got) == len(set(got))
    assert sorted(got) == expected
    assert watch.told[-1] == Progress(len(np.unique(sources)), len(np.unique(sources)), len(expected))
    assert memory is None or 0 < watch.taken <= memory
    assert len(watch.told) > 1 or memory != 300_000


def test_edges_that_do_not_fit_are_joined_in_chunks(dev, monkeypatch):
    """5,000 edges take 150 kB, beside 131 kB of scratch memory."""
    monkeypatch.setattr(chunked_closure, "TOGETHER", 1500)
    sources, targets = edges(5, 8000, 4500)
    on_the_way = []
    monkeypatch.setattr(
        chunked_closure, "join_chunks",
        lambda *sides, **how: on_the_way.append(sides) or join_chunks(*sides, **how),
    )  # fmt: skip
    expected = whole_closure(dev, sources, targets)
    assert sorted(found(closure_chunks(sources, targets, device=dev, memory=400_000))) == expected
    assert on_the_way


def test_a_vertex_that_reaches_more_than_there_is_room_for(dev, monkeypatch):
    """A path of 66: its first vertex reaches 66 others, and there is room for 64 pairs."""
    monkeypatch.setattr(chunked_closure, "MOST_PAIRS", 64)
    path = np.arange(67, dtype=np.uint32)
    got = found(closure_chunks(path[:-1], path[1:], device=dev))
    assert sorted(got) == [(a, c) for a in range(67) for c in range(a + 1, 67)]


def test_no_edges(dev):
    none = np.zeros(0, np.uint32)
    assert found(closure_chunks(none, none, device=dev)) == []


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda d: join_chunks([], [], device=d), "the probe side without columns"),
        (
            lambda d: join_chunks(np.zeros((2, 2)), np.zeros(2), device=d),
            r"column 0 of the probe side is float64 of shape",
        ),
        (lambda d: join_chunks(np.array(["a"]), np.array(["a"]), device=d), "column 0 of the probe side is <U1"),
        (lambda d: join_chunks(np.zeros(2), np.zeros(2, "f4"), device=d), "the probe side has columns of .*float64"),
        (
            lambda d: join_chunks([np.zeros(2), np.zeros(3)], np.zeros(2), device=d),
            "column 1 of the probe side has 3 rows",
        ),
        (
            lambda d: join_chunks(np.zeros(2), np.zeros(2), device=d, memory=1000),
            "memory is 1000 bytes, of which 131072",
        ),
        (lambda d: join_chunks(np.zeros(2), np.zeros(2), device=d, memory=-1), "memory is -1"),
        (lambda d: join_chunks(np.zeros(2), np.zeros(2), device="gpu"), "'gpu' is not a device"),
        (lambda d: closure_chunks(np.zeros(2), np.zeros(2), device=d), "sources is float64 of shape"),
        (lambda d: closure_chunks(np.zeros(2, "u4"), np.zeros(3, "u4"), device=d), "targets has 3 elements, sources 2"),
    ],
)
def test_bad_input_is_named_at_once(dev, wrong, says):
    with pytest.raises(BuildError, match=says):
        wrong(dev)
