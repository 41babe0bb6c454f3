"""What every operation refuses alike: things that are not arrays, other devices, closed memory, memory that overlaps, numbers
that cannot be, and calls that wait while a graph is recorded. What one operation alone refuses is beside its own tests."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import CaptureError, ClosedError
from ptxgen import f32, u8, u16, u32, u64
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
    Reduce,
    RowSets,
    Scan,
    Select,
    SemiJoin,
    Sort,
)
from ptxgen.ops.arrays.filter import combine, compare, invert
from ptxgen.ops.arrays.gather import gather


def grouped(dev, keys):
    by = GroupBy(dev, keys)
    by(keys)
    return by


# Each takes a device and one u32 column of four rows: the argument that is then replaced by what is not such a column.
CALLS = {
    "scan": lambda d, x: Scan(d, u32, 4)(x, d.zeros(4, u32)),
    "scan, result": lambda d, x: Scan(d, u32, 4)(d.zeros(4, u32), x),
    "sort": lambda d, x: Sort(d, u32, 4)(x, d.zeros(4, u32)),
    "sort, result": lambda d, x: Sort(d, u32, 4)(d.zeros(4, u32), x),
    "sort, payload": lambda d, x: Sort(d, u32, 4, pairs=True)(d.zeros(4, u32), d.zeros(4, u32), x, d.zeros(4, u32)),
    "argsort": lambda d, x: ArgSort(d, d.zeros(4, u32))(x, d.zeros(4, u32)),
    "argsort, result": lambda d, x: ArgSort(d, d.zeros(4, u32))(d.zeros(4, u32), x),
    "reduce": lambda d, x: Reduce(d, u32)(x, d.zeros(1, u32)),
    "reduce, result": lambda d, x: Reduce(d, u32)(d.zeros(4, u32), x),
    "histogram": lambda d, x: Histogram(d, u32, 4)(x),
    "select": lambda d, x: Select(d, u32, 4)(x, d.zeros(4, u32)),
    "select, result": lambda d, x: Select(d, u32, 4)(d.zeros(4, u32), x),
    "compare": lambda d, x: compare(x, "eq", 3, d.zeros(4, u8)),
    "compare, other": lambda d, x: compare(d.zeros(4, u32), "eq", x, d.zeros(4, u8)),
    "combine": lambda d, x: combine(d.zeros(4, u8), "and", d.zeros(4, u8), x),
    "invert": lambda d, x: invert(d.zeros(4, u8), x),
    "gather, rows": lambda d, x: gather(x, d.zeros(4, u32), d.zeros(4, u32)),
    "gather, column": lambda d, x: gather(d.zeros(4, u32), x, d.zeros(4, u32)),
    "gather, result": lambda d, x: gather(d.zeros(4, u32), d.zeros(4, u32), x),
    "gather, limit": lambda d, x: gather(d.zeros(4, u32), d.zeros(4, u32), d.zeros(4, u32), limit=x),
    "filter, mask": lambda d, x: Filter(d, 4)(x, d.zeros(4, u32), d.zeros(4, u32)),
    "filter, column": lambda d, x: Filter(d, 4)(d.zeros(4, u8), x, d.zeros(4, u32)),
    "filter, result": lambda d, x: Filter(d, 4)(d.zeros(4, u8), d.zeros(4, u32), x),
    "dedup": lambda d, x: Dedup(d, d.zeros(4, u32))(x),
    "dedup, types": lambda d, x: Dedup(d, [x, d.zeros(4, u8)]),
    "group-by": lambda d, x: GroupBy(d, d.zeros(4, u32))(x),
    "group-by, sum": lambda d, x: grouped(d, d.zeros(4, u32)).sum(x, d.zeros(4, u64)),
    "group-by, max": lambda d, x: grouped(d, d.zeros(4, u32)).max(d.zeros(4, u32), x),
    "group-by, first": lambda d, x: grouped(d, d.zeros(4, u32)).first(x, d.zeros(4, u32)),
    "group-by, sizes": lambda d, x: grouped(d, d.zeros(4, u32)).sizes(x),
    "sets, left": lambda d, x: RowSets(d, d.zeros(4, u32), 8).union(x, d.zeros(4, u32)),
    "sets, right": lambda d, x: RowSets(d, d.zeros(4, u32), 8).difference(d.zeros(4, u32), x),
    "table": lambda d, x: HashTable(d, x),
    "table, again": lambda d, x: HashTable(d, d.zeros(4, u32)).build(x),
    "join": lambda d, x: Join(HashTable(d, d.zeros(4, u32)), x, 4),
    "join, call": lambda d, x: Join(HashTable(d, d.zeros(4, u32)), d.zeros(4, u32), 4)(x),
    "matching": lambda d, x: SemiJoin(HashTable(d, d.zeros(4, u32)), d.zeros(4, u32))(x),
    "graphs": lambda d, x: JoinGraphs(d).inner(d.zeros(4, u32), x),
    "graphs, build": lambda d, x: JoinGraphs(d).inner(x, d.zeros(4, u32)),
    "graphs, indexed": lambda d, x: JoinGraphs(d).indexed(HashTable(d, d.zeros(4, u32)), x),
    "closure": lambda d, x: Closure(d, 4, 4)(x, d.zeros(4, u32)),
    "closure, targets": lambda d, x: Closure(d, 4, 4)(d.zeros(4, u32), x),
}
MASKS = {"combine", "invert", "filter, mask"}
EVERY_CALL = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@EVERY_CALL
@pytest.mark.parametrize("wrong", [3, "x", [1, 2, 3, 4], np.zeros(4, np.uint32)], ids=["int", "str", "list", "numpy"])
def test_what_is_no_device_array_is_refused(dev, call, wrong):
    if call is CALLS["compare, other"] and isinstance(wrong, int):
        return  # a number is what it takes
    with pytest.raises(
        BuildError, match=r"device array|array in device memory|expected a number|1 columns go into 4 arrays"
    ):
        call(dev, wrong)


@EVERY_CALL
def test_two_dimensions_are_refused(dev, call):
    if call is CALLS["histogram"]:
        return  # which counts elements of any shape
    with pytest.raises(BuildError, match=r"expected one dimension\n  Fix: x\.reshape|expected \.u8"):
        call(dev, dev.zeros((2, 2), u32))


TYPES_ALONE = {"dedup, types", "join"}
"""Where an operation is made for the types of columns, which need not be open."""
ANY_TYPE = {"table", "dedup, types", "gather, column", "filter, column", "compare", "group-by, sum"}


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ANY_TYPE])
def test_other_types_are_refused(dev, name):
    with pytest.raises(BuildError, match=r"\.u16"):
        CALLS[name](dev, dev.zeros(4, u16))


@pytest.mark.parametrize("name", [name for name in CALLS if name not in TYPES_ALONE])
def test_closed_memory_is_refused(dev, name):
    closed = dev.zeros(4, u8 if name in MASKS else u32)
    closed.close()
    with pytest.raises(ClosedError):
        CALLS[name](dev, closed)


def test_arrays_of_another_device_are_refused(device_name):
    """In a process with two CPU devices: on a GPU the check is the same line."""
    script = """
    import ptxgen as px
    import pytest
    from ptxgen import u8, u32
    from tests.ptxgen.ops.test_bad_input import CALLS, MASKS

    here, there = px.device("cpu:0"), px.device("cpu:1")
    for name, call in CALLS.items():
        kind = u8 if name in MASKS else u32
        with pytest.raises(px.BuildError, match=r"an array on cpu:[01], this operation works on cpu:[01]"):
            call(here, there.zeros(4, kind))
        here.synchronize(), there.synchronize()
    """
    environment = {**os.environ, "PTXGEN_CPU_DEVICES": "2", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


MAKERS = {
    "scan": lambda d, n: Scan(d, u32, n),
    "sort": lambda d, n: Sort(d, u32, n),
    "argsort": lambda d, n: ArgSort(d, d.zeros(1, u32), most=n),
    "histogram": lambda d, n: Histogram(d, u32, n),
    "select": lambda d, n: Select(d, u32, n),
    "filter": lambda d, n: Filter(d, n),
    "dedup": lambda d, n: Dedup(d, d.zeros(1, u32), most=n),
    "group-by": lambda d, n: GroupBy(d, d.zeros(1, u32), most=n),
    "sets": lambda d, n: RowSets(d, d.zeros(1, u32), n),
    "table": lambda d, n: HashTable(d, d.zeros(0, u32), most=n),
    "join, rows": lambda d, n: Join(HashTable(d, d.zeros(1, u32)), d.zeros(1, u32), 4, most=n),
    "join, pairs": lambda d, n: Join(HashTable(d, d.zeros(1, u32)), d.zeros(1, u32), n),
    "graphs, kept": lambda d, n: JoinGraphs(d, keep=n),
    "graphs, cap": lambda d, n: JoinGraphs(d, auto_output_cap=n),
    "graphs, pairs": lambda d, n: JoinGraphs(d).inner(d.zeros(1, u32), d.zeros(1, u32), n),
    "closure, edges": lambda d, n: Closure(d, n, 4),
    "closure, pairs": lambda d, n: Closure(d, 4, n),
}
EVERY_MAKER = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@EVERY_MAKER
@pytest.mark.parametrize("wrong", [-1, 2.5, "4"], ids=repr)
def test_sizes_that_cannot_be_are_refused(dev, make, wrong):
    with pytest.raises(
        BuildError, match=r"is -1\n  Fix: [01] |is 2\.5, expected an integer|is '4', expected an integer"
    ):
        make(dev, wrong)


@EVERY_MAKER
def test_sizes_may_be_numpys_integers(dev, make):
    made = make(dev, np.int64(3))
    if hasattr(made, "close"):
        made.close()


@pytest.mark.parametrize("wrong", [None, "cpu", 0])
@pytest.mark.parametrize(
    "make",
    [
        lambda d: Scan(d, u32, 4), lambda d: Sort(d, u32, 4), lambda d: Select(d, u32, 4), lambda d: Filter(d, 4),
        lambda d: Closure(d, 4, 4), lambda d: JoinGraphs(d),
    ],
    ids=["scan", "sort", "select", "filter", "closure", "graphs"],
)  # fmt: skip
def test_what_is_no_device_is_refused(make, wrong):
    with pytest.raises(BuildError, match=r"is not a device\n  Fix: px\.device\(\)"):
        make(wrong)


OVERLAPS = {
    "sort": lambda d, x: Sort(d, u32, 4)(x[:4], x[2:]),
    "sort, payload": lambda d, x: Sort(d, u32, 4, pairs=True)(d.zeros(4, u32), d.zeros(4, u32), x[:4], x[:4]),
    "scan": lambda d, x: Scan(d, u32, 4)(x[:4], x[1:5]),
    "gather": lambda d, x: gather(d.zeros(4, u32), x[:4], x[3:]),
    "gather, rows": lambda d, x: gather(x[:4], d.zeros(4, u32), x[:4]),
    "sort, results": lambda d, x: Sort(d, u32, 4, pairs=True)(d.zeros(4, u32), x[:4], d.zeros(4, u32), x[3:7]),
    "sort, keys": lambda d, x: Sort(d, u32, 4, pairs=True)(x[:4], d.zeros(4, u32), d.zeros(4, u32), x[:4]),
    "filter": lambda d, x: Filter(d, 8)(d.zeros(8, u8), x, x),
    "filter, another column": lambda d, x: Filter(d, 8)(d.zeros(8, u8), [d.zeros(8, u32), x], [x, d.zeros(8, u32)]),
    "filter, results": lambda d, x: Filter(d, 4)(d.zeros(4, u8), [d.zeros(4, u32)] * 2, [x[:4], x[3:7]]),
    "select": lambda d, x: Select(d, u32, 4)(x[:4], x[:4]),
    "compare": lambda d, x: compare(x, "lt", 3, x.view(u8)[:8]),
    "combine": lambda d, x: combine(d.zeros(8, u8), "or", x.view(u8)[:8], x.view(u8)[1:9]),
    "invert": lambda d, x: invert(x.view(u8)[:8], x.view(u8)[1:9]),
    "group-by": lambda d, x: grouped(d, d.zeros(4, u32)).max(x[:4], x[:4]),
}


@pytest.mark.parametrize("call", OVERLAPS.values(), ids=OVERLAPS)
def test_results_over_what_is_read_are_refused(dev, call):
    with pytest.raises(BuildError, match="share memory"):
        call(dev, dev.zeros(8, u32))


@pytest.mark.parametrize(
    "element, number, says",
    [
        (u8, 256, "b is 256, which .u8 cannot be\n  Fix: 0 to 255"),
        (u32, -1, "b is -1, which .u32 cannot be"),
        (px.s64, 1 << 63, "which .s64 cannot be"),
        (u32, 1.5, "b is 1.5, expected an integer"),
        (u32, np.float32(1.5), "expected an integer"),
        (f32, "1", "b is '1', expected a number for .f32"),
        (f32, None, "b is None"),
    ],
)
def test_numbers_that_a_column_cannot_have_are_refused(dev, element, number, says):
    with pytest.raises(BuildError) as caught:
        compare(dev.zeros(4, element), "eq", number, dev.zeros(4, u8))
    assert says in str(caught.value)


def test_types_without_the_operation_are_refused(dev):
    for make in (lambda: Scan(dev, px.bf16, 4), lambda: Sort(dev, px.bf16, 4), lambda: Select(dev, None, 4)):
        with pytest.raises(
            BuildError, match=r"no (scan|sort|selection) of .*\n  Fix: .*u32, s32, f32, u64, s64 or f64"
        ):
            make()


WAITS = {
    "select": lambda d, x: Select(d, u32, 4).count(),
    "filter": lambda d, x: Filter(d, 4).count(),
    "join": lambda d, x: Join(HashTable(d, x), x, 4).pairs(),
    "graphs": lambda d, x: JoinGraphs(d).inner(x, x),
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_waiting_while_a_graph_is_recorded_says_so_and_nothing_is_lost(dev, wait):
    x = dev.zeros(4, u32)
    with pytest.raises(CaptureError, match="take this call out of the captured body"), dev.capture():
        wait(dev, x)
    assert x.numpy().tolist() == [0, 0, 0, 0]


USED_AFTER_CLOSING = {
    "scan": (lambda d: Scan(d, u32, 4), lambda op, x, y: op(x, y)),
    "sort": (lambda d: Sort(d, u32, 4), lambda op, x, y: op(x, y)),
    "argsort": (lambda d: ArgSort(d, d.zeros(4, u32)), lambda op, x, y: op(x, y)),
    "reduce": (lambda d: Reduce(d, u32), lambda op, x, y: op(x, y)),
    "histogram": (lambda d: Histogram(d, u32, 4), lambda op, x, y: op(x)),
    "select": (lambda d: Select(d, u32, 4), lambda op, x, y: op(x, y)),
    "filter": (lambda d: Filter(d, 4), lambda op, x, y: op(x.view(u8)[:4], x, y)),
    "dedup": (lambda d: Dedup(d, d.zeros(4, u32)), lambda op, x, y: op(x)),
    "group-by": (lambda d: GroupBy(d, d.zeros(4, u32)), lambda op, x, y: op(x)),
    "sets": (lambda d: RowSets(d, d.zeros(4, u32), 8), lambda op, x, y: op.union(x, y)),
    "table": (lambda d: HashTable(d, d.zeros(4, u32)), lambda op, x, y: op.build(x)),
    "join": (lambda d: Join(HashTable(d, d.zeros(4, u32)), d.zeros(4, u32), 4), lambda op, x, y: op(x)),
    "closure": (lambda d: Closure(d, 4, 4), lambda op, x, y: op(x, y)),
    "graphs": (lambda d: JoinGraphs(d), lambda op, x, y: op.inner(x, y)),
}


@pytest.mark.parametrize("make, use", USED_AFTER_CLOSING.values(), ids=USED_AFTER_CLOSING)
def test_a_closed_operation_says_so(dev, make, use):
    made = make(dev)
    made.close()
    made.close()  # twice is once
    with pytest.raises((ClosedError, BuildError), match="closed"):
        use(made, dev.zeros(4, u32), dev.zeros(4, u32))


def test_functions_of_one_call_say_what_they_take(dev):
    x = dev.array(np.array([3, 1], np.uint32))
    for call, said in (
        (lambda: px.ops.histogram(x, 3, 5), r"range is 5(.|\n)*\(low, high\)"),
        (lambda: px.ops.histogram(x, "auto"), "bins is 'auto'"),
        (lambda: px.ops.argsort([]), "columns is an empty list"),
        (lambda: px.ops.groupby(x).sum(None), "values is None"),
        (lambda: px.ops.table(x=x).x.isin(3), r"isin of 3(.|\n)*x.isin\(\[1, 2\]\)"),
        (lambda: px.ops.table(x=x).join(None, on="x"), "a join with None"),
    ):
        with pytest.raises(BuildError, match=said):
            call()
