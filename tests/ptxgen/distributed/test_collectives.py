"""Collectives over two or three CPU devices of one process, against numpy; tools/bench/collectives.py is for GPUs."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes.errors import ArgumentTypeError, CaptureError, NotAvailableError
from ptxgen import bf16, f32, u32, u64
from ptxgen.distributed import Group, RowExchange, group, join, matmul_all_reduce
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Iterator

    Made = tuple[list[Any], list[px.Array]]


@pytest.fixture(params=[2, 3])
def ranks(request: pytest.FixtureRequest) -> Iterator[Group]:
    """CPU devices of different targets, which one process can have without being told beforehand."""
    names = ["cpu:0", "cpu:sm_80", "cpu:sm_120"][: request.param]
    with group(names) as made:
        yield made


def arrays(ranks: Group, *shape: int, type: Any = np.float32) -> Made:
    """Small integers, of which every type has the sums."""
    rng = np.random.default_rng(len(shape))
    host = [rng.integers(0, 5, shape).astype(type) for _ in ranks.ranks]
    return host, [place.array(each) for place, each in zip(ranks.devices, host)]


@pytest.mark.parametrize("type", [np.float32, np.float64, np.float16, np.int32, np.uint64, np.uint8])
@pytest.mark.parametrize("op", ["sum", "prod", "min", "max", "avg"])
def test_all_reduce(ranks: Group, op: str, type: Any) -> None:
    host, on = arrays(ranks, 5, 3, type=type)
    how: Any = {"sum": np.sum, "prod": np.prod, "min": np.min, "max": np.max, "avg": np.mean}[op]
    expected = how(np.stack(host).astype(np.float64), axis=0)
    if op == "avg" and np.dtype(type).kind in "iu":
        expected = np.floor(expected)
    for result in ranks.all_reduce(on, op):
        assert np.allclose(result.numpy().astype(np.float64), expected, rtol=1e-3)
        assert result.numpy().dtype == type
    assert all(np.array_equal(each.numpy(), before) for each, before in zip(on, host)), "the input is left as it is"


def test_rows_go_to_their_ranks_and_come_back(ranks: Group) -> None:
    rng, size = np.random.default_rng(0), ranks.size
    with RowExchange(ranks, 30, 8, f32) as exchange:
        for most in (4, 2, 1):  # with 1 there are no rows at all
            counts = rng.integers(0, most, (size, size)).astype(np.uint32)
            rows = [rng.standard_normal((each.sum(), 8)).astype(np.float32) for each in counts]
            given = [
                place.array(each) if len(each) else place.empty((0, 8), f32) for place, each in zip(ranks.devices, rows)
            ]
            received, came = exchange.dispatch(given, [d.array(each) for d, each in zip(ranks.devices, counts)])
            bounds = [[0, *np.cumsum(each)] for each in counts]
            for rank in range(size):
                assert np.array_equal(came[rank].numpy(), counts[:, rank])
                sent = [rows[s][bounds[s][rank] : bounds[s][rank + 1]] for s in range(size)]
                expected = np.concatenate(sent)
                assert np.array_equal(received[rank].numpy()[: len(expected)], expected)
            for each, back in zip(rows, exchange.combine(received)):
                assert np.array_equal(back.numpy()[: len(each)], each)


@pytest.mark.parametrize("count", [5, 1000, 2**32 - 1])
def test_counts_that_name_more_rows_than_there_are_reach_none_beside(ranks: Group, count: int) -> None:
    with RowExchange(ranks, 30, 4, f32) as exchange:
        rows = [place.array(np.ones((2, 4), np.float32)) for place in ranks.devices]
        counts = [place.array(np.full(ranks.size, count, np.uint32)) for place in ranks.devices]
        exchange.dispatch(rows, counts)
        for place in ranks.devices:
            place.synchronize()


def test_what_cannot_be_exchanged(ranks: Group) -> None:
    with pytest.raises(BuildError, match=r"rows of 3 elements, 12 bytes"):
        RowExchange(ranks, 8, 3, f32)
    with RowExchange(ranks, 3, 4, f32) as exchange:
        counts = [place.zeros(ranks.size, u32) for place in ranks.devices]
        with pytest.raises(BuildError, match=r"capacity of 3"):
            exchange.dispatch([place.zeros((2, 4), f32) for place in ranks.devices], counts)
        with pytest.raises(BuildError, match=r"rows of rank 0"):
            exchange.dispatch([place.zeros((1, 4), u32) for place in ranks.devices], counts)
        with pytest.raises(BuildError, match=r"counts of \(1,\)"):
            exchange.dispatch(
                [place.zeros((1, 4), f32) for place in ranks.devices], [place.zeros(1, u32) for place in ranks.devices]
            )


def test_all_reduce_in_place(ranks: Group) -> None:
    host, on = arrays(ranks, 7)
    assert ranks.all_reduce(on, out=on)[0] is on[0]
    assert all(np.array_equal(each.numpy(), sum(host)) for each in on)


def test_types_that_numpy_lacks(ranks: Group) -> None:
    on = [place.array([1.5, -2.0], bf16) for place in ranks.devices]
    assert [each.numpy().tolist() for each in ranks.all_reduce(on)] == [
        [1.5 * ranks.size, -2.0 * ranks.size]
    ] * ranks.size
    (first, *_) = ranks.all_gather(on)
    assert first.type is bf16.isa
    assert first.numpy().tolist() == [1.5, -2.0] * ranks.size


def test_all_gather_and_broadcast(ranks: Group) -> None:
    host, on = arrays(ranks, 2, 3)
    assert all(np.array_equal(each.numpy(), np.concatenate(host)) for each in ranks.all_gather(on))
    assert all(np.array_equal(each.numpy(), host[1]) for each in ranks.broadcast(on, 1))


def test_reduce_scatter_and_all_to_all(ranks: Group) -> None:
    size = ranks.size
    host, on = arrays(ranks, 2 * size, 3)
    total = np.sum(host, axis=0)
    for rank, (part, exchanged) in enumerate(zip(ranks.reduce_scatter(on), ranks.all_to_all(on))):
        assert np.array_equal(part.numpy(), total[2 * rank : 2 * rank + 2])
        assert np.array_equal(exchanged.numpy(), np.concatenate([each[2 * rank : 2 * rank + 2] for each in host]))


def test_spread_and_gathered_again(ranks: Group) -> None:
    whole = np.arange(6 * 12, dtype=np.float32).reshape(6, 12)
    assert np.array_equal(ranks.all_gather(ranks.spread(whole))[0].numpy(), whole)
    columns = ranks.spread(whole, axis=1)
    assert np.array_equal(np.concatenate([each.numpy() for each in columns], axis=1), whole)


def test_empty_arrays_and_no_dimensions(ranks: Group) -> None:
    assert ranks.all_reduce([place.zeros(0, f32) for place in ranks.devices])[0].size == 0
    assert ranks.all_reduce([place.zeros((), f32).fill(2) for place in ranks.devices])[0].numpy().tolist() == [
        2.0 * ranks.size
    ]


def test_a_product_whose_depth_is_spread(ranks: Group) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(-2, 3, (300, 16 * ranks.size)), rng.integers(-2, 3, (16 * ranks.size, 24))
    left = [
        place.array(x.numpy(), px.f16) for place, x in zip(ranks.devices, ranks.spread(a.astype(np.float32), axis=1))
    ]
    right = [place.array(x.numpy(), px.f16) for place, x in zip(ranks.devices, ranks.spread(b.astype(np.float32)))]
    for result in matmul_all_reduce(ranks, left, right, parts=2):
        assert np.array_equal(result.numpy(), a @ b)


@px.kernel
def push(k: px.Builder, n: u32, me: u32, size: u32, addresses: px.ptr[u64]) -> None:
    """Each rank writes its number to its place in every rank's array."""
    i = k.global_id.x
    with k.if_(i < n):
        for peer in k.range(0, size):
            there = k.pointer(addresses[peer], u32, "global")
            there[me * n + i] = me + 1


def test_kernels_reach_the_memory_of_all_ranks(ranks: Group) -> None:
    with ranks.symmetric(4 * ranks.size, u32) as shared:
        for rank, place in enumerate(ranks.devices):
            push[1, 32](4, rank, ranks.size, shared.addresses[rank])
            place.synchronize()
        expected = np.repeat(np.arange(1, ranks.size + 1), 4)
        assert all(np.array_equal(each.numpy(), expected) for each in shared.arrays)


def test_what_does_not_fit_is_refused(ranks: Group) -> None:
    (one, other, *rest) = [place.zeros(4, f32) for place in ranks.devices]
    with pytest.raises(BuildError, match="1 arrays for"):
        ranks.all_reduce([one])
    with pytest.raises(BuildError, match="of rank 0"):
        ranks.all_reduce([other, one, *rest])
    with pytest.raises(BuildError, match="one type and shape"):
        ranks.all_reduce([one, ranks.devices[1].zeros(5, f32), *rest])
    with pytest.raises(BuildError, match="no reduction 'mean'"):
        ranks.all_reduce([one, other, *rest], "mean")
    with pytest.raises(BuildError, match="out has the shape"):
        ranks.all_gather([one, other, *rest], out=[one, other, *rest])
    with pytest.raises(BuildError, match=r"in \d parts"):
        ranks.reduce_scatter([place.zeros(7, f32) for place in ranks.devices])
    with pytest.raises(BuildError, match="root"):
        ranks.broadcast([one, other, *rest], 9)
    with pytest.raises(BuildError, match="own input"):
        mine = [place.zeros(6, f32) for place in ranks.devices]
        ranks.all_to_all(mine, out=mine)
    with pytest.raises(BuildError, match="along axis 0"):
        ranks.spread(np.zeros(7))


def test_groups_that_cannot_be() -> None:
    with pytest.raises(BuildError, match="different devices"):
        group(["cpu", "cpu:0"])
    with pytest.raises(NotAvailableError, match="several processes"):
        join(0, 2, b"", "cpu")
    with pytest.raises(BuildError, match="rank"):
        join(2, 2, b"", "cpu")
    with pytest.raises(ArgumentTypeError):
        group([0])  # type: ignore[list-item]


@px.kernel
def double(k: px.Builder, n: u32, x: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        x[i] = 2 * x[i]


def test_a_graph_holds_what_all_ranks_do(ranks: Group) -> None:
    size = ranks.size
    _, mine = arrays(ranks, 2 * size)
    whole, swapped = ([place.empty(shape, f32) for place in ranks.devices] for shape in (2 * size * size, 2 * size))
    with ranks.capture() as step:
        for place, each in zip(ranks.devices, mine):
            double.on(place).launch(1, 32, (each.size, each), stream=place.current_stream)
        ranks.all_reduce(mine, out=mine)
        ranks.all_gather(mine, out=whole)
        ranks.all_to_all(ranks.broadcast(mine, 1), out=swapped)
    for turn in range(2):
        host = [np.arange(2 * size, dtype=np.float32) + 10 * turn + rank for rank in ranks.ranks]
        for each, values in zip(mine, host):
            each.copy_from(values)
            each.device.synchronize()
        step.launch()
        ranks.devices[0].synchronize()
        total = 2 * np.sum(host, axis=0)
        for rank in ranks.ranks:
            assert np.array_equal(mine[rank].numpy(), total)
            assert np.array_equal(whole[rank].numpy(), np.tile(total, size))
            assert np.array_equal(swapped[rank].numpy(), np.tile(total[2 * rank : 2 * rank + 2], size))
    step.close()


def test_a_capture_of_one_rank_alone_is_refused(ranks: Group) -> None:
    on = [place.zeros(4, f32) for place in ranks.devices]
    with (
        pytest.raises(CaptureError, match=r"some of them take no part.*\n.*ranks\.capture"),
        ranks.devices[0].capture(),
    ):
        ranks.all_reduce(on, out=on)


def test_all_cpu_devices_that_a_process_is_told_of() -> None:
    program = "import ptxgen as px; print(px.distributed.group().size)"
    environment = {**os.environ, "PTXGEN_CPU_DEVICES": "4", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "4\n", done.stderr
