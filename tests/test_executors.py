"""Work in pieces over executors whose workers come and go."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen.assembler import AssembleError, assemble_many
from ptxgen.executors import WorkLostError, executor_named, in_pieces
from ptxgen.hunt import Budget, PtxSubject, find_bugs
from ptxgen.kernels.matrices import matmul
from tests.extras import module

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{ {} }}\n"


def squares(numbers: list[int]) -> list[int]:
    return [number * number for number in numbers]


class Losing(Executor):
    """Runs pieces at once; loses the worker of those that it is told of."""

    def __init__(self, *lost: int, closed_after: int = 100) -> None:
        self.lost, self.closed_after, self.pieces = set(lost), closed_after, 0

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        if self.pieces >= self.closed_after:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[Any] = Future()
        if self.pieces in self.lost:
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            future.set_result(function(*arguments))
        self.pieces += 1
        return future


@pytest.mark.parametrize("size", [1, 3, 100])
def test_each_item_comes_with_its_result(size: int) -> None:
    with ThreadPoolExecutor(2) as threads:
        assert dict(in_pieces(threads, squares, range(10), size=size)) == {n: n * n for n in range(10)}
        assert not list(in_pieces(threads, squares, [], size=size))


def test_a_lost_worker_costs_its_piece_alone() -> None:
    executor = Losing(1)
    assert dict(in_pieces(executor, squares, range(9), size=3)) == {n: n * n for n in range(9)}
    assert executor.pieces == 3 + 3, "three pieces, and the items of the lost one, one by one"


def test_what_fails_each_time_is_told_after_all_the_rest() -> None:
    def uneven(numbers: list[int]) -> list[int]:
        if 4 in numbers:
            raise ArithmeticError("four")
        return squares(numbers)

    found = {}
    with ThreadPoolExecutor(2) as threads, pytest.raises(WorkLostError, match=r"1 items .* 3 attempts.* 4, .*four"):
        for item, result in in_pieces(threads, uneven, range(9), size=3):
            found[item] = result
    assert found == {n: n * n for n in range(9) if n != 4}


def test_an_executor_that_takes_no_more_work() -> None:
    with pytest.raises(WorkLostError, match=r"6 items .*cannot schedule new futures"):
        list(in_pieces(Losing(closed_after=1), squares, range(9), size=3))


def test_pieces_that_have_not_begun_are_cancelled() -> None:
    executor = ThreadPoolExecutor(1)
    began: list[int] = []

    def slow(numbers: list[int]) -> list[int]:
        began.append(numbers[0])
        time.sleep(0.02)
        return numbers

    results = in_pieces(executor, slow, range(50), size=1)
    next(results)
    results.close()  # type: ignore[attr-defined]
    executor.shutdown(wait=True)
    assert len(began) < 10


@pytest.mark.parametrize("text", ["", "threads", "threads:", "threads:0", "processes:-1", "threads:two"])
def test_names_of_executors(text: str) -> None:
    with pytest.raises(ValueError, match="executor"), executor_named(text):
        pass


def test_an_executor_of_ones_own() -> None:
    with executor_named("concurrent.futures:ThreadPoolExecutor") as own, executor_named("threads:2") as two:
        assert own.submit(int).result() == two.submit(int).result() == 0


# Programs and cases elsewhere


def test_programs_are_assembled_by_other_processes(assembler: object) -> None:
    programs = [PROGRAM.format(body) for body in ("ret;", "foo.u32 %r1;", "ret;")]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = assemble_many(programs, executor=pool)
    assert [isinstance(each, AssembleError) for each in found] == [False, True, False]
    assert "foo" in str(found[1])


RACE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    .shared .align 4 .b32 tile[32];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, tile;
    mad.lo.u32 %r3, %r1, 4, %r2;
    st.shared.u32 [%r3], %r1;
    xor.b32 %r1, %r1, 31;
    mad.lo.u32 %r3, %r1, 4, %r2;
    ld.shared.u32 %r1, [%r3];
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r1;
    ret;
}
"""


def test_a_hunt_over_workers_finds_the_same() -> None:
    def hunt(executor: Executor | None) -> list[tuple[str, str]]:
        subject = PtxSubject(RACE, "k.ptx", block="32,64", grid="1")
        report = find_bugs(subject, budget=Budget(60.0, 6, 5.0), executor=executor)
        return [(found.rule, found.message) for found in report.findings]

    with ThreadPoolExecutor(2) as threads:
        elsewhere = hunt(threads)
    assert elsewhere == hunt(None)
    assert any("race" in rule for rule, _ in elsewhere)


# A Dask cluster


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two workers, processes of this machine; one that ends is replaced."""
    distributed = module("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as workers:
        with distributed.Client(workers) as client:
            yield client


def ended_once(mark: str, numbers: list[int]) -> list[int]:
    """Ends its worker the first time that it has a seven."""
    if 7 in numbers and not Path(mark).exists():
        Path(mark).touch()
        os._exit(1)
    return squares(numbers)


@pytest.mark.filterwarnings("ignore")  # Dask's own, of its clean-up
def test_a_worker_of_a_cluster_is_killed_on_the_way(cluster: Any, tmp_path: Path) -> None:
    function = partial(ended_once, str(tmp_path / "ended"))
    found = dict(in_pieces(cluster.get_executor(), function, range(20), size=4))
    assert found == {n: n * n for n in range(20)}
    assert (tmp_path / "ended").exists()


@pytest.mark.filterwarnings("ignore")
def test_a_gemm_is_tuned_over_a_cluster_that_loses_a_worker(
    cluster: Any, assembler: object, device_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same winner, and a verdict on every candidate, as with threads of this process."""
    monkeypatch.setattr("ptxgen.executors.FOREIGN_PIECE", 1)
    (tunable,) = matmul.TUNABLES
    space = px.Space(m=(64,), n=(64, 128), depth=(8, 16), block_m=(8,), block_n=(8,), ctas=(1,))
    killed: list[int] = []

    def lose_a_worker(now: px.tuning.Progress) -> None:
        if now.stage == "assemble" and not killed:
            (pid, *_) = cluster.run(os.getpid).values()
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    def tuned(**where: Any) -> tuple[Any, list[tuple[Any, int | None]]]:
        times = iter(range(100, 10_000))
        result = px.tune(
            tunable.kernel, space, make=tunable.make, build=tunable.build, spills=None, shapes=[(96, 64, 32)],
            device=device_name, store=None, rounds=1, clock=lambda work: float(next(times) % 7), **where,
        )  # fmt: skip
        (found,) = result.classes
        return found.winner, [(row.config, row.registers) for row in found.rows]

    over_the_cluster = tuned(executor=cluster.get_executor(), progress=lose_a_worker)
    assert killed
    assert over_the_cluster == tuned()
    assert all(registers for _, registers in over_the_cluster[1])
