"""Operations give back all that they took."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from ptxgen import f32, f64, u8, u32, u64
from ptxgen.ops import (
    Closure,
    Dedup,
    Filter,
    GroupBy,
    HashTable,
    JoinGraphs,
    LoopJoin,
    MergeJoin,
    PartialSort,
    RowSets,
    SegmentedReduce,
    SegmentedScan,
    SegmentedSort,
    Sort,
    SortedTable,
    argsort,
    empty_cache,
    isin,
    join,
    merge,
    random_rows,
    select,
    sort,
    table,
    unique,
)
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import PreparedLaunch
from ptxgen.ops.scratch import OfContexts


def join_graphs(dev, n):
    with JoinGraphs(dev, enabled=True) as graphs, HashTable(dev, n) as table:
        graphs.inner(n, n)
        graphs.indexed(table, n, 5)
        graphs.indexed(table, n[:3], 5)
    with JoinGraphs(dev, enabled=False) as plain:
        plain.inner(n, n)


def groups(dev, n, sums):
    with GroupBy(dev, n) as by:
        by(n)
        by.sum(n, sums)


def logsumexp(dev, n, values, out):
    with GroupBy(dev, n) as by:
        by(n)
        by.ids(n)
        by.logsumexp(values, out)


def in_order(dev, n):
    with SortedTable(dev, n) as table, MergeJoin(table, 4, 1) as merge, LoopJoin(dev, u32, "le", 4, 1) as loop:
        merge(n)
        merge.pairs(grow=True)
        loop(n, n)
        for column in loop.pairs(grow=True).gather([n], [n]):
            column.close()


def filtered(dev, n, mask):
    with Filter(dev, 4) as rows, dev.empty(4, u32) as kept:
        rows(mask, n, kept)


def different(dev, n, other):
    with Dedup(dev, [n, other]) as dedup:
        dedup([n, other])


def sets(dev, n):
    with RowSets(dev, n, 8) as both:
        both.union(n, n)


def queried(dev, n):
    t, u = table(n=n), table(n=n)
    with t.filter(t.n < 1).join(u, on="n").groupby("n").aggregate(rows=t.count()) as query:
        for _ in range(2):
            for array in query().values():
                array.close()


def sorts(dev, n, out):
    with Sort(dev, u32, 5000, pairs=True), SegmentedSort(dev, u32, 4) as segments, PartialSort(dev, u32, 4, 2) as first:
        segments(n, n[:2], out)
        first(n, out)


def segments(dev, n, out):
    with SegmentedScan(dev, u32, 4) as scan, SegmentedReduce(dev, u32, 4) as reduce:
        scan(n, n[:2], out)
        scan.by_key(n, n, out)
        reduce(n, n[:2], out)
    merge(n[:2], n[2:], out)
    random_rows(out, seed=1)


def one_call(dev, n):
    """Functions keep objects and launches until they are told to let go."""
    for _ in range(2):
        found = [sort(n), select(n), unique(n), *join(n, n, how="full"), merge(n, n), isin(n, n), argsort(n)]
        for each in found:
            each.close()
    empty_cache()


def hashed(dev, n):
    with GroupBy(dev, n, ordered=False, equal="numbers") as by, Dedup(dev, n, ordered=False, values=True) as dedup:
        by.aggregate(n, {"sum": ("sum", n), "first": ("first", n)})
        dedup(n)
    with RowSets(dev, n, 8, ordered=False) as both, GroupBy(dev, n, presorted=True) as runs:
        both.intersection(n, n)
        runs.aggregate(n, {"length": ("count",)})


def closed(dev, n):
    with Closure(dev, 4, 4) as closure:
        closure(n, n)


USES = {
    "join graphs": (join_graphs, ()), "joins in order": (in_order, ()), "group-by": (groups, (u64,)),
    "logsumexp": (logsumexp, (f32, f64)), "filter": (filtered, (u8,)), "dedup": (different, (f32,)),
    "sets": (sets, ()), "closure": (closed, ()), "query": (queried, ()), "sorts": (sorts, (u32,)),
    "hashed": (hashed, ()), "segments": (segments, (u32,)), "functions": (one_call, ()),
}  # fmt: skip


@pytest.mark.parametrize("use, more", USES.values(), ids=USES)
def test_nothing_is_left_after_closing(dev, use, more):
    arrays = [dev.zeros(4, kind) for kind in (u32, *more)]
    use(dev, *arrays)  # loads the kernels, which stay
    gc.collect()
    before = dev.context.live_handles()
    gc.disable()  # what close() leaves to the collector counts
    try:
        use(dev, *arrays)
        assert dev.context.live_handles() == before
    finally:
        gc.enable()


class Context:
    closed = False


def test_contexts_that_were_closed_are_let_go_of(dev):
    """By what is kept of streams, and by launches, as soon as there is another context."""
    kept, launches, x = OfContexts(), LaunchCache(), dev.zeros(4, u32)
    for _ in range(3):
        context: Any = Context()
        kept.of(context)["stream"] = "scratch"
        assert kept.of(context) == {"stream": "scratch"}
        key, _, _ = launches.find((len(kept), id(context)), (x,))
        launches.keep(key, PreparedLaunch(print, (), dev, None, context))
        context.closed = True
    assert list(kept) == [context]
    assert [each.context for call in launches._calls.values() for each in call.launches.values()] == [context]
