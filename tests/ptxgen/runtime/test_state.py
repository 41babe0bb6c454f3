"""Persistent bindings: memory of a pipeline that stays from dispatch to dispatch."""

from __future__ import annotations

import threading
from typing import Annotated

import numpy as np
import pytest

import ptxgen as px
from ptxgen import ptr, u32
from ptxgen.runtime import Backend, DispatchConfig, Params, input_, output, persistent, program
from ptxgen.runtime.errors import InvalidProgramError, ValidationError
from tests.ptxgen.runtime.samples import as_words, scale, words


@program(workgroup=32)
def running(
    k: px.Builder,
    x: Annotated[ptr[u32], input_()],
    total: Annotated[ptr[u32], persistent(1)],
    seen: Annotated[ptr[u32], output(like="x")],
    history: Annotated[ptr[u32], persistent(32)],
    params: Params,
) -> None:
    """seen = history + x; history = seen; total grows by the sum of x."""
    i = k.global_id.x
    with k.if_(i < params.element_count):
        value = history[i] + x[i]
        history[i] = value
        seen[i] = value
        k.atomic_add(total, 0, x[i])


@pytest.mark.parametrize("graph", [False, True])
def test_state_stays_from_dispatch_to_dispatch(backend: Backend, graph: bool) -> None:
    pipeline = backend.compile(running, DispatchConfig(graph=graph))
    for n in range(1, 5):
        assert as_words(pipeline.dispatch([words(1, 10)])[0]) == [n, 10 * n]
    assert as_words(pipeline.state.read("total")) == [44]
    assert as_words(pipeline.state.read("history"))[:3] == [4, 40, 0]


def test_it_is_written_and_reset(backend: Backend) -> None:
    pipeline = backend.compile(running)
    assert as_words(pipeline.state.read("total")) == [0]
    pipeline.state.write("history", np.arange(32, dtype=np.uint32))
    assert as_words(pipeline.dispatch([words(1, 1, 1)])[0]) == [1, 2, 3]
    pipeline.state.reset("history")
    assert as_words(pipeline.dispatch([words(1, 1, 1)])[0]) == [1, 1, 1]
    assert as_words(pipeline.state.read("total")) == [6]
    pipeline.state.reset()
    assert as_words(pipeline.state.read("total")) == [0]
    assert repr(pipeline.state) == "<state of running: total 4, history 128>"


def test_all_ways_to_dispatch_share_it(backend: Backend) -> None:
    pipeline = backend.compile(running)
    one = [words(1)]
    pending = [pipeline.dispatch(one, wait=False) for _ in range(3)]
    pipeline.dispatch([one] * 5, batch=True)
    x, seen = backend.upload_resident(words(1)), backend.allocate_resident(4)
    pipeline.dispatch([x], [seen])
    with pipeline.bind([x], [seen]) as again:
        again()
        again.batch(4)
    with pipeline.record([1]) as replay:
        replay(one)
        replay.again()
    assert [as_words(each.await_result()[0]) for each in pending] == [[1], [2], [3]]
    assert as_words(pipeline.state.read("total")) == [3 + 5 + 1 + 1 + 4 + 2]
    assert as_words(backend.download(seen)) == [14]


def test_dispatches_of_threads_run_one_after_the_other(backend: Backend) -> None:
    pipeline = backend.compile(running)
    found: list[int] = []

    def work() -> None:
        found.extend(as_words(pipeline.dispatch([words(1)])[0])[0] for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(1, 61))


def test_pipelines_do_not_share_it(backend: Backend) -> None:
    first, second = backend.compile(running), backend.compile(running)
    first.dispatch([words(5)])
    assert as_words(second.dispatch([words(1)])[0]) == [1]


def test_a_cleanup_begins_anew(backend: Backend) -> None:
    pipeline = backend.compile(running)
    pipeline.dispatch([words(5)])
    kept = pipeline.state
    backend.cleanup()
    with pytest.raises(InvalidProgramError, match="was given back"):
        kept.read("total")
    assert as_words(pipeline.dispatch([words(1)])[0]) == [1]


def test_handles_leave_it_out(backend: Backend) -> None:
    assert [b.name for b in running.handles] == ["x", "seen"]
    assert [b.name for b in running.pointers] == ["x", "total", "seen", "history"]
    pipeline = backend.compile(running)
    x = backend.upload_resident(words(1))
    with pytest.raises(InvalidProgramError, match="expected 2 resident buffer handle"):
        pipeline.dispatch([x, x], [x, x])


def test_what_is_refused(backend: Backend) -> None:
    pipeline = backend.compile(running)
    with pytest.raises(InvalidProgramError, match=r"keeps no state 'x'. Fix: one of total, history"):
        pipeline.state.read("x")
    with pytest.raises(InvalidProgramError, match=r"8 bytes for state 'total' of running. Fix: pass 4 bytes"):
        pipeline.state.write("total", words(1, 2))
    with pytest.raises(InvalidProgramError, match=r"program scale keeps no state. Fix: annotate"):
        _ = backend.compile(scale).state
    with pytest.raises(InvalidProgramError, match="equal inputs need not give equal outputs"):
        backend.compile(running, DispatchConfig(cache_outputs=True))

    def body(k: px.Builder, x: Annotated[ptr[u32], persistent(0)]) -> None: ...

    with pytest.raises(ValidationError, match="persistent binding 'x' has 0 elements"):
        program(body)
