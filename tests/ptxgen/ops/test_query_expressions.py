"""Random expressions give what numpy gives, to the bit, with integers widened to 64 bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ptxgen as px
from ptxgen import ops
from ptxgen.errors import BuildError
from ptxgen.kernels.queries.reading import Tiling
from tests.ptxgen.ops.test_queries import same

ROWS = 37
KINDS = (
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "bool",
)


def drawn_columns() -> dict[str, np.ndarray[Any, Any]]:
    """A column of each type, with its limits, and of floats NaN, -0.0 and infinities."""
    rng = np.random.default_rng(3)
    found: dict[str, Any] = {}
    for name in KINDS:
        if name == "bool":
            found[name] = rng.integers(0, 2, ROWS).astype(bool)
        elif name.startswith("float"):
            found[name] = (rng.standard_normal(ROWS) * 100).astype(name)
            found[name][:5] = [np.nan, -0.0, 0.0, np.inf, -np.inf]
        else:
            limits = np.iinfo(name)
            small = rng.integers(max(-9, limits.min), 9, ROWS)
            found[name] = small.astype(name)
            found[name][:2] = limits.min, limits.max
    return found


HOST = drawn_columns()


@st.composite
def trees(draw: Any, depth: int = 3) -> Any:
    """An expression as a tree of names: leaves are columns and numbers."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        numbers = st.sampled_from([0, 1, -1, 3, 100, 2.5, 1 << 20, -(1 << 40)])
        return draw(st.one_of(st.sampled_from(KINDS), st.sampled_from(KINDS), numbers))
    op = draw(st.sampled_from(["+", "-", "*", "/", "//", "%", "neg", "abs", "<", "<=", "==", "!=", ">", ">=", "where"]))
    parts = {"neg": 1, "abs": 1, "where": 3}.get(op, 2)
    return (op, *[draw(trees(depth=depth - 1)) for _ in range(parts)])


def wide(x: Any) -> Any:
    """A numpy value as expressions compute with it."""
    if x.dtype == bool:
        return x.astype(np.uint32)
    if x.dtype.kind == "f":
        return x.astype(np.float32) if x.dtype == np.float16 else x
    return x.astype(np.int32 if x.dtype.kind == "i" else np.uint32) if x.dtype.itemsize < 4 else x


class Number:
    """A value of numpy, and whether it is a Python number, which takes the type of the other side."""

    def __init__(self, values: Any, *, literal: bool = False) -> None:
        self.values, self.literal = values, literal


def common(a: Number, b: Number) -> np.dtype[Any]:
    x, y = wide(a.values), wide(b.values)
    for one, other, kind in ((a, b, y.dtype), (b, a, x.dtype)):
        if one.literal and not other.literal:
            value = one.values.flat[0]
            if kind.kind == "f":
                return kind
            if one.values.dtype.kind != "f" and np.iinfo(kind).min <= int(value) <= np.iinfo(kind).max:
                return kind
    if x.dtype == y.dtype:
        return np.dtype(x.dtype)
    if "f" in (x.dtype.kind, y.dtype.kind):
        return np.dtype(np.float64)
    return np.dtype(np.int64 if "i" in (x.dtype.kind, y.dtype.kind) else np.uint64)


def exact(op: str, x: Any, y: Any) -> Any:
    """A comparison of integers of any types, as of Python's."""
    pairs = [(int(a), int(b)) for a, b in zip(*np.broadcast_arrays(x, y))]
    compare = {
        "<": int.__lt__,
        "<=": int.__le__,
        "==": int.__eq__,
        "!=": int.__ne__,
        ">": int.__gt__,
        ">=": int.__ge__,
    }[op]
    return np.array([compare(a, b) for a, b in pairs])


FLOATS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "<": np.less, "<=": np.less_equal,
          "==": np.equal, "!=": np.not_equal, ">": np.greater, ">=": np.greater_equal}  # fmt: skip


def reference(tree: Any) -> Number:
    if isinstance(tree, str):
        return Number(HOST[tree])
    if not isinstance(tree, tuple):
        kind = np.float64 if isinstance(tree, float) else np.int32 if abs(tree) < 1 << 31 else np.int64
        return Number(np.full(ROWS, tree, kind), literal=True)
    op, *parts = tree
    values = [reference(part) for part in parts]
    with np.errstate(all="ignore"):
        return Number(_computed(op, values))


def _computed(op: str, values: list[Number]) -> Any:
    if op == "where":
        chosen, a, b = values
        if a.values.dtype == bool and b.values.dtype == bool:
            return np.where(chosen.values != 0, a.values, b.values)
        kind = common(a, b)
        return np.where(chosen.values != 0, a.values.astype(kind), b.values.astype(kind))
    x = wide(values[0].values)
    if op in ("neg", "abs"):
        if op == "abs" and x.dtype.kind == "u":
            return x if values[0].values.dtype == bool else values[0].values
        return (np.negative if op == "neg" else np.abs)(x if x.dtype.kind == "f" else x.astype(np.int64))
    a, b = values
    y = wide(b.values)
    kind = common(a, b)
    if op in ("<", "<=", "==", "!=", ">", ">=") and kind.kind != "f":
        return exact(op, x, y)
    if op == "/" and kind.kind != "f":
        kind = np.dtype(np.float64)
    elif kind.kind != "f":
        signed = any(
            each.values.dtype.kind == "i" and not (each.literal and each.values.flat[0] >= 0) for each in (a, b)
        )
        kind = np.dtype(np.int64 if signed or op == "-" else np.uint64)
    x, y = x.astype(kind), y.astype(kind)
    return {**FLOATS, "//": np.floor_divide, "%": np.remainder}[op](x, y)


def built(t: ops.Table, tree: Any) -> Any:
    if isinstance(tree, str):
        return t[tree]
    if not isinstance(tree, tuple):
        return tree
    op, *parts = tree
    values = [built(t, part) for part in parts]
    if op == "where":
        return ops.where(as_condition(values[0]), *values[1:])
    if op in ("neg", "abs"):
        return -values[0] if op == "neg" else abs(values[0]) if not hasattr(values[0], "abs") else values[0].abs()
    a, b = values
    return {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "//": lambda: a // b,
        "%": lambda: a % b, "<": lambda: a < b, "<=": lambda: a <= b, "==": lambda: a == b, "!=": lambda: a != b,
        ">": lambda: a > b, ">=": lambda: a >= b,
    }[op]()  # fmt: skip


def as_condition(value: Any) -> Any:
    return value if not hasattr(value, "is_condition") or value.is_condition else value != 0


@pytest.fixture(scope="module")
def table(device_name: str) -> ops.Table:
    made = ops.table(HOST, on=px.device(device_name))
    made.select(x=made.int32 + 1).numpy()  # what a first launch compiles, hypothesis would time
    return made


@pytest.fixture(autouse=True, scope="module")
def one_row_at_a_time() -> Iterator[None]:
    """So that a kernel is compiled in a moment: reading several rows at once is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ptxgen.ops.queries.frames.tiling_of", lambda *_: Tiling(1, 1))
        yield


@settings(max_examples=30, deadline=None)
@given(tree=trees())
def test_random_expressions(table: ops.Table, tree: Any) -> None:
    assume(uses_a_column(tree) and not constant_inside(tree))
    try:
        expression = built(table, tree)
    except BuildError as error:
        assume("of floats" not in str(error))
        raise
    (found,) = table.select(x=expression).numpy().values()
    same(found, reference(tree).values)


def uses_a_column(tree: Any) -> bool:
    return isinstance(tree, str) or (isinstance(tree, tuple) and any(map(uses_a_column, tree[1:])))


def constant_inside(tree: Any) -> bool:
    """Python computes with its own numbers, not as the columns do."""
    if not isinstance(tree, tuple):
        return False
    return (
        not uses_a_column(tree)
        or any(map(constant_inside, tree[1:]))
        or (tree[0] == "where" and not isinstance(tree[1], (str, tuple)))
    )


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("to", ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"])
def test_floats_become_the_nearest_integers_that_a_type_has(dev: px.Device, kind: Any, to: str) -> None:
    values = np.array([1e25, -1e25, np.inf, -np.inf, 300.9, -5.5, 127.9, 40000.0, 3e9, -3e9], kind)
    bits, signed = int(to[1:]), to[0] == "s"
    low = -(1 << bits - 1) if signed else 0
    most = low + (1 << bits) - 1
    x = ops.table(x=values, on=dev)
    found = x.select(x=x.x.cast(getattr(px, to))).numpy()["x"]
    ends = {np.inf: most, -np.inf: low}
    assert found.tolist() == [ends[x] if x in ends else int(min(max(x, low), most)) for x in values.tolist()]
