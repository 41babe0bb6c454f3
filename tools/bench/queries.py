#!/usr/bin/env python3
"""Queries over tables of integer columns beside PyTorch and CuPy; the floor is one reading of the columns at a copy's speed.

Shaped like TPC-H 6 (filter and sum) and TPC-H 1 (filter, two keys, eight aggregates), with dates as days, prices in cents and
flags as codes, 6 * 10^7 rows; and three joins with a group-by, repeated as one graph, 10^7 rows. Medians of rounds in which all
take turns. The peers are what their users write: expressions of torch with int64 results, and a ReductionKernel of CuPy where
one does.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import ops
from tools.bench._peers import compare
from tools.bench._timer import Timer

CUTOFF = 2400


class Work:
    """One row of the table. `floor` is known when it has been measured."""

    operations = 0.0

    def __init__(self, query: str, rows: int) -> None:
        self.query, self.rows, self.floor = query, rows, 0.0

    @property
    def name(self) -> str:
        return f"queries: {self.query}, {self.rows} rows"


BYTES = {"tpch6": 16, "tpch1": 22, "joins": 16}
"""Bytes of the columns that a row of the largest table has."""

WORKS = [Work("tpch6", 60_000_000), Work("tpch1", 60_000_000), Work("joins", 10_000_000)]
TINY = [Work("tpch6", 1001), Work("tpch1", 1001), Work("joins", 1001)]


def drawn(rows: int) -> dict[str, Any]:
    """The columns of the largest table."""
    rng = np.random.default_rng(7)
    low = {"quantity": (1, 51), "price": (90_000, 10_500_000), "discount": (0, 11), "tax": (0, 9), "shipped": (0, 2526)}
    found: dict[str, Any] = {name: rng.integers(*each, rows, dtype=np.int32) for name, each in low.items()}
    found |= {name: rng.integers(0, most, rows, dtype=np.uint8) for name, most in (("flag", 3), ("status", 2))}
    return found


def tpch6(t: ops.Table) -> ops.Query:
    few = t.filter(t.shipped.between(366, 730), t.discount.between(5, 7), t.quantity < 24)
    return few.aggregate(revenue=(t.price * t.discount).sum())


def tpch1(t: ops.Table) -> ops.Query:
    cost = t.price * (100 - t.discount)
    return t.filter(t.shipped <= CUTOFF).groupby("flag", "status").aggregate(
        quantity=t.quantity.sum(), base=t.price.sum(), cost=cost.sum(), charge=(cost * (100 + t.tax)).sum(),
        mean_quantity=t.quantity.mean(), mean_price=t.price.mean(), mean_discount=t.discount.mean(), rows=t.count(),
    )  # fmt: skip


def joins(dev: px.Device, rows: int) -> tuple[ops.Query, dict[str, Any]]:
    """Lines of orders of customers of nations; revenue by nation."""
    rng = np.random.default_rng(7)
    orders, customers = max(1, rows // 4), max(1, rows // 40)
    c: dict[str, Any] = {
        "order": rng.integers(0, orders, rows, dtype=np.uint32), "price": rng.integers(1, 1000, rows, dtype=np.int32),
        "customer": rng.integers(0, customers, orders, dtype=np.uint32), "day": rng.integers(0, 100, orders, dtype=np.int32),
        "nation": rng.integers(0, 25, customers, dtype=np.uint32), "region": np.arange(25, dtype=np.uint32) % 5,
    }  # fmt: skip
    line = ops.table(order=c["order"], price=c["price"], on=dev)
    order = ops.table(order=np.arange(orders, dtype=np.uint32), customer=c["customer"], day=c["day"], on=dev)
    customer = ops.table(customer=np.arange(customers, dtype=np.uint32), nation=c["nation"], on=dev)
    nation = ops.table(nation=np.arange(25, dtype=np.uint32), region=c["region"], on=dev)
    joined = line.join(order.filter(order.day < 20), on="order").join(customer, on="customer").join(nation, on="nation")
    return joined.groupby("region").aggregate(revenue=joined.price.sum(), rows=joined.count()), c


def expected(work: Work, c: dict[str, Any], xp: Any) -> dict[str, Any]:
    """The sums that are checked, by numpy or CuPy."""
    if work.query == "joins":
        keep = c["day"][c["order"]] < 20
        key = c["region"][c["nation"][c["customer"][c["order"]]]][keep]
        return {
            "revenue": np.bincount(key, c["price"][keep], 5).astype(np.int64),
            "rows": np.bincount(key, minlength=5),
        }
    wide = c["price"].astype(xp.int64)
    if work.query == "tpch6":
        keep = (
            (c["shipped"] >= 366)
            & (c["shipped"] <= 730)
            & (c["discount"] >= 5)
            & (c["discount"] <= 7)
            & (c["quantity"] < 24)
        )
        return {"revenue": (wide * c["discount"] * keep).sum()[None]}
    key, keep = c["flag"].astype(xp.int64) * 2 + c["status"], c["shipped"] <= CUTOFF
    charge = wide * (100 - c["discount"]) * (100 + c["tax"])
    groups = [keep & (key == group) for group in range(6)]
    return {
        "charge": xp.stack([(charge * each).sum() for each in groups]),
        "rows": xp.stack([each.sum() for each in groups]),
    }


def torch_run(torch: Any, work: Work, c: dict[str, Any]) -> Any:
    """What users of torch write."""
    if work.query == "tpch6":
        keep = (
            (c["shipped"] >= 366)
            & (c["shipped"] <= 730)
            & (c["discount"] >= 5)
            & (c["discount"] <= 7)
            & (c["quantity"] < 24)
        )
        return (c["price"][keep].long() * c["discount"][keep]).sum()
    keep = c["shipped"] <= CUTOFF
    key = (c["flag"].long() * 2 + c["status"])[keep]
    price, discount = c["price"][keep].long(), c["discount"][keep]
    cost = price * (100 - discount)
    columns = (
        c["quantity"][keep].long(),
        price,
        cost,
        cost * (100 + c["tax"][keep]),
        discount.long(),
        torch.ones_like(key),
    )
    return [torch.zeros(6, dtype=torch.int64, device="cuda").index_add_(0, key, each) for each in columns]


def cupy_sum(cupy: Any) -> Any:
    """TPC-H 6 as one kernel of CuPy."""
    return cupy.ReductionKernel(
        "int32 day, int32 off, int32 many, int32 price", "int64 revenue",
        "(day >= 366 && day <= 730 && off >= 5 && off <= 7 && many < 24) ? (long long)price * off : 0LL", "a + b", "revenue = a",
        "0", "tpch6",
    )  # fmt: skip


def check(work: Work, q: ops.Query, wanted: dict[str, Any]) -> None:
    found = q.numpy()
    for name, values in wanted.items():
        assert np.array_equal(found[name], np.asarray(values)), f"{work.name}: {name} is wrong"


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of the peers; sets the floor."""
    dev, torch = timer.device, timer.torch
    runs: dict[str, Any] = {}
    if work.query == "joins":
        q, columns = joins(dev, work.rows)
        check(work, q, expected(work, columns, np))
        check(work, q, expected(work, columns, np))  # as a graph
    else:
        host = drawn(work.rows)
        arrays = {name: dev.array(each) for name, each in host.items()}
        q = {"tpch6": tpch6, "tpch1": tpch1}[work.query](ops.table(arrays))
        check(work, q, expected(work, host, np))
        if torch is not None:
            tensors = {name: torch.from_dlpack(each) for name, each in arrays.items()}
            runs["torch"] = lambda: torch_run(torch, work, tensors)
        try:
            import cupy
        except ImportError:
            cupy = None
        if cupy is not None and work.query == "tpch6":
            kernel = cupy_sum(cupy)
            given = [cupy.from_dlpack(arrays[name]) for name in ("shipped", "discount", "quantity", "price")]
            runs["cupy"] = lambda: kernel(*given)
    source, target = (dev.empty(2**28, px.u8) for _ in range(2))
    runs["ours"] = q.launch
    runs["copy"] = lambda: dev.context.copy(target.pointer, source.pointer, source.nbytes, stream=dev.current_stream)
    times = {name: 1e3 * each for name, each in timer.times(runs).items()}
    work.floor = times.pop("copy") * work.rows * BYTES[work.query] / (2 * source.nbytes)
    return times


def on_cpu(work: Work) -> float:
    """Microseconds of one repeated run on the CPU device, checked against numpy."""
    dev = px.device("cpu")
    if work.query == "joins":
        q, host = joins(dev, work.rows)
    else:
        host = drawn(work.rows)
        q = {"tpch6": tpch6, "tpch1": tpch1}[work.query](ops.table(host, on=dev))
    check(work, q, expected(work, host, np))
    began = time.perf_counter()
    check(work, q, expected(work, host, np))
    return 1e6 * (time.perf_counter() - began)


if __name__ == "__main__":
    compare(__doc__, WORKS, TINY, on_gpu=on_gpu, on_cpu=on_cpu)
