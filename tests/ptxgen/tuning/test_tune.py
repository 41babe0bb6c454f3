"""`px.tune`: the fastest of a space by a clock that the test holds; why the others are dropped; and what is kept."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes.caches.code import CodeStore
from driver_ctypes.errors import CacheWarning
from driver_ctypes.modules.jitlog import Resources
from ptxgen import f32, u32
from ptxgen.kernels.winners import WinnerStore
from ptxgen.tuning import assembly
from ptxgen.tuning.assembly import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ptxgen.kernels.space import Config
    from ptxgen.tuning import Progress
    from ptxgen.tuning.timing import Work

SPACE = px.Space(items=(1, 2, 3), flavour=("a", "b"))


@px.kernel(max_threads=64)
def add(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32], *, items: int = 1, flavour: str = "a") -> None:
    """y = x + 1, `items` elements a thread."""
    for j in range(items):
        i = k.global_id.x * items + j
        with k.if_(i < n):
            y[i] = x[i] + 1.0


def make(device: px.Device, shape: tuple[int, ...]) -> Callable[[Config], px.Trial]:
    (n,) = shape
    x, y = device.array(np.arange(n, dtype=np.float32)), device.zeros(n, f32)

    def prepared(config: Config) -> px.Trial:
        y.fill(0)
        bound = config.kernel.bind(-(-n // (64 * config.get("items", 1))), 64, device=device)
        return px.Trial(lambda: bound(n, x, y), lambda: bool((y.numpy() == np.arange(1, n + 1)).all()))

    return prepared


@pytest.fixture
def store(tmp_path: Path) -> WinnerStore:
    return WinnerStore(tmp_path / "tuned")


@pytest.fixture(autouse=True)
def assembler(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """In place of the assembler: every program takes 32 registers. The texts that it was given."""
    texts: list[str] = []

    def assembled(text: str, target: str, entry: str) -> Verdict:
        texts.append(text)
        return Verdict(Resources(registers=32), "a tool")

    monkeypatch.setattr(assembly, "assembled", assembled)
    return texts


@pytest.fixture
def tune(device_name: str, store: WinnerStore) -> Callable[..., Any]:
    """`tune` of `add` by a clock: items=1 takes 10 us, 2 7 us, 3 8 us, whatever the flavour."""

    def run(space: px.Space = SPACE, kernel: px.Kernel = add, **more: Any) -> Any:
        given = {"make": make, "shapes": [100], "device": device_name, "store": store, "clock": clock, "rounds": 3}
        return px.tune(kernel, space, **{**given, **more})

    return run


def clock(work: Work) -> float:
    return {1: 10.0, 2: 7.0, 3: 8.0}[work.config.get("items", 1)]


def never(work: Work) -> float:
    raise AssertionError("measured again")


def reasons(result: Any) -> dict[str, str]:
    return {str(row.config): row.reason for each in result.classes for row in each.rows}


# What wins


def test_the_fastest_wins_and_the_order_breaks_ties(tune: Callable[..., Any]) -> None:
    result = tune()
    assert dict(result.winner) == {"items": 2, "flavour": "a"}
    assert [str(row.config) for row in result.classes[0].rows if not row.reason] == [
        "items=2 flavour=a", "items=2 flavour=b", "items=3 flavour=a", "items=3 flavour=b"
    ]  # fmt: skip
    assert reasons(result)["items=1 flavour=b"] == "slower: 1.43 times the best after round 1"
    assert result.of(100) == result.of((100,)) == result.winner
    assert str(result) == str(tune(again=True)), "the same again"


def test_shapes_of_a_class_share_a_winner_by_their_geometric_mean(tune: Callable[..., Any]) -> None:
    times = {(1, 65): 1.0, (1, 128): 9.0, (2, 65): 2.0, (2, 128): 4.0, (1, 200): 1.0, (2, 200): 2.0}
    space = px.Space(items=(1, 2))
    result = tune(space, shapes=[65, 128, 200, 65], clock=lambda work: times[work.config["items"], work.shape[0]])
    assert [(each.shapes, each.winner["items"]) for each in result.classes] == [(((65,), (128,)), 2), (((200,),), 1)]
    assert (result.of(65)["items"], result.of(200)["items"]) == (2, 1)
    with pytest.raises(LookupError, match="2 classes"):
        result.winner
    with pytest.raises(LookupError, match="was not tuned"):
        result.of(1000)


def test_axes_that_are_no_parameters_of_the_kernel_take_a_builder(tune: Callable[..., Any]) -> None:
    space = px.Space(work=(1, 2))
    result = tune(space, build=lambda config: add.using(items=config["work"]), clock=lambda w: 3.0 - w.config["work"])
    assert dict(result.winner) == {"work": 2}


def test_axes_of_the_launch_alone_build_and_load_a_kernel_once(tune: Callable[..., Any]) -> None:
    built: list[str] = []
    loaded: list[str] = []
    kernel = add.using(items=1)

    class Counted:
        def module(self, *, target: str) -> px.Module:
            built.append(target)
            return kernel.module(target=target)

        def on(self, device: px.Device) -> Any:
            loaded.append(device.name)
            return kernel.on(device)

        def bind(self, *how: Any, **more: Any) -> Any:
            return kernel.bind(*how, **more)

    one = Counted()
    tune(px.Space(split=(1, 2, 3)), build=lambda config: one, shapes=[100, 200])
    assert (len(built), len(loaded)) == (1, 2), "once a class"


def test_equal_programs_are_assembled_once(tune: Callable[..., Any], assembler: list[str]) -> None:
    result = tune(shapes=[100, 200])
    assert len(assembler) == len(set(assembler)) == 3, "the flavour changes nothing"
    assert {row.registers for each in result.classes for row in each.rows} == {32}


def test_nothing_stays_loaded(tune: Callable[..., Any], device_name: str) -> None:
    context = px.device(device_name).context
    gc.collect()
    before = context.live_handles()
    result = tune(clock=None, rounds=1)
    gc.collect()
    assert context.live_handles() == before
    assert result.winner.kernel is None


def test_progress_tells_every_stage(tune: Callable[..., Any]) -> None:
    seen: list[Progress] = []
    tune(progress=seen.append)
    assert list(dict.fromkeys(now.stage for now in seen)) == ["build", "assemble", "load", "check", "time"]
    last = seen[-1]
    assert (last.done, last.best) == (last.total, "items=2 flavour=a")
    assert all(now.done <= now.total for now in seen)


# What is dropped


@pytest.mark.parametrize(
    "rule, reason",
    [
        ({"threads": lambda items: 512 * (items - 1)}, "0 threads: a CTA has 1 to 1024"),
        ({"shared": lambda items: 300_000 // items}, "300000 bytes of shared memory: a CTA of "),
        ({"registers": lambda items: 300 // items}, "about 300 registers: a thread has 255"),
        (
            {"registers": lambda items: 160 // items, "threads": 512},
            "512 threads of about 160 registers: 81920, and there are 65536",
        ),
        ({"cost": lambda items: -items, "keep": 4}, "cost -1: place 5 by the model, and 4 are kept"),
        ({"cost": lambda config, shape: shape[0] / config["items"], "keep": 4}, "cost 100: place 5 by the model"),
    ],
)
def test_rules_drop_before_anything_is_assembled(
    tune: Callable[..., Any], assembler: list[str], rule: dict[str, Any], reason: str
) -> None:
    result = tune(**rule)
    assert reasons(result)["items=1 flavour=a"].startswith(reason)
    assert len(assembler) == 2
    assert dict(result.winner) == {"items": 2, "flavour": "a"}


def test_what_the_assembler_says_drops(tune: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    verdicts = [
        Verdict(Resources(registers=200, spill_stores=8, spill_loads=4), "a tool"),
        Verdict(Resources(registers=32, shared=0), "a tool"),
        Verdict(None, "", "not assembled: refused"),
    ]

    def assembled(text: str, target: str, entry: str) -> Verdict:
        texts.append(text)
        return verdicts[len(texts) - 1]

    monkeypatch.setattr(assembly, "assembled", assembled)
    with ThreadPoolExecutor(1) as one:  # so that the order is that of the space
        result = tune(px.Space(items=(1, 2, 3)), executor=one)
        assert reasons(result) == {
            "items=1": "spills 12 bytes a thread", "items=2": "", "items=3": "not assembled: refused"
        }  # fmt: skip
        texts.clear()
        assert not reasons(tune(px.Space(items=(1, 2, 3)), executor=one, spills=None, again=True))["items=1"]
        texts.clear()
        verdicts[0] = Verdict(Resources(registers=255), "a tool")
        found = tune(px.Space(items=(1, 2, 3)), executor=one, again=True, kernel=wide, threads=1024)
    assert (
        reasons(found)["items=1"]
        == "1024 threads of 255 registers and 0 bytes of shared memory: no CTA fits (registers)"
    )


@px.kernel
def wide(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32], *, items: int = 1) -> None:
    for j in range(items):
        i = k.global_id.x * items + j
        with k.if_(i < n):
            y[i] = x[i] + 1.0


def test_without_an_assembler_it_is_said(tune: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Verdict(None, "", "no assembler can be used here\n  ...", missing=True)
    monkeypatch.setattr(assembly, "assembled", lambda *program: missing)
    result = tune()
    assert result.classes[0].assembler == "not known: no assembler can be used here"
    assert result.classes[0].rows[0].registers is None


@pytest.mark.parametrize(
    "check, said",
    [
        (lambda: False, "wrong result for (100,)"),
        (lambda: "off by 3", "wrong result for (100,): off by 3"),
        (lambda: np.testing.assert_array_equal(1, 2), "wrong result for (100,): Arrays are not equal"),
        (lambda: np.False_, "wrong result for (100,)"),
        (lambda: np.True_, ""),
        (lambda: "", ""),
        (lambda: None, ""),
    ],
)
def test_a_wrong_result_drops(tune: Callable[..., Any], check: Callable[[], Any], said: str) -> None:
    def wrong(device: px.Device, shape: Any) -> Callable[[Config], px.Trial]:
        right = make(device, shape)

        def prepared(config: Config) -> px.Trial:
            trial = right(config)
            return trial._replace(check=check) if config["items"] == 2 else trial

        return prepared

    result = tune(px.Space(items=(1, 2)), make=wrong)
    assert reasons(result)["items=2"] == said
    assert result.winner["items"] == (1 if said else 2)


def test_what_cannot_be_built_or_launched_is_dropped(tune: Callable[..., Any]) -> None:
    def build(config: Config) -> px.Kernel:
        if config["items"] == 1:
            raise px.BuildError("does not come out even")
        return add.using(items=config["items"])

    def prepare(device: px.Device, shape: Any) -> Callable[[Config], Any]:
        right = make(device, shape)
        return lambda config: right(config) if config["items"] == 3 else config.kernel.bind(1, 65, device=device)

    result = tune(px.Space(items=(1, 2, 3)), build=build, make=prepare)
    assert reasons(result)["items=1"] == "not built: does not come out even"
    assert reasons(result)["items=2"].startswith("not run: kernel 'add'")
    assert result.winner["items"] == 3


def test_when_nothing_is_left_the_reasons_are_told(tune: Callable[..., Any], store: WinnerStore) -> None:
    with pytest.raises(px.TuneError, match="no candidate of add is left") as caught:
        tune(shared=1 << 20)
    assert caught.value.result is not None
    assert all("bytes of shared memory" in row.reason for row in caught.value.result.rows)
    assert "1048576 bytes of shared memory" in str(caught.value)
    assert store.size()[0] == 0


def test_an_empty_space_says_which_rule_removed_what(tune: Callable[..., Any]) -> None:
    space = px.Space(items=(1, 2, 3), flavour=("a", "b"), where=(lambda items: items > 2, lambda items: items < 2))
    with pytest.raises(px.TuneError, match=r"(?s)empty for \[\(100,\)\].*0 of 6.* 4 removed by .*\n.* 2 removed by"):
        tune(space)


# Wrong calls


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"kernel": print}, "tune takes a kernel, not <built-in function print>"),
        ({"space": {"items": (1,)}}, "tune takes a space"),
        ({"shapes": []}, "no shapes to tune for"),
        ({"rounds": 0}, "rounds=0"),
        ({"rounds": True}, "rounds=True"),
        ({"build": lambda config: 5}, "build gives 5 for items=1.*a kernel"),
        ({"keep": 3}, "keep and cost belong together"),
        ({"keep": 0, "cost": 1}, "keep=0: at least one"),
        ({"cache": "hot"}, 'cache=\'hot\'.*"cold" or "warm"'),
        ({"space": px.Space(item=(1,))}, "the axis 'item' is no compile-time parameter of add.*it has items, flavour"),
        ({"kernel": add.using(items=1)}, "add is given with items=1, which is an axis too"),
        ({"shared": "1"}, "shared: '1' gives '1' for items=1"),
        ({"shared": lambda items: -items}, "shared: .* gives -1 for items=1"),
        ({"cost": lambda items: "x", "keep": 1}, r"cost: .* gives \['x'\]"),
        ({"make": lambda device, shape: lambda config: 5}, "gives 5 for items=1.*a function that launches"),
        ({"make": lambda device, shape: lambda config: px.Trial(())}, "a function that launches the work once"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(tune: Callable[..., Any], wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(px.TuneError, match=f"(?s){said}"):
        tune(**wrong)


def test_a_rule_that_asks_for_what_is_not_there(tune: Callable[..., Any]) -> None:
    with pytest.raises(px.BuildError, match=r"shared: .* asks for 'stages', which is no axis"):
        tune(shared=lambda stages: stages)


def test_tuning_inside_a_capture_is_refused(tune: Callable[..., Any], device_name: str) -> None:
    with pytest.raises(px.TuneError, match="inside a capture"):
        with px.device(device_name).capture():
            tune()


# What is kept


def test_a_kept_winner_is_not_measured_again(tune: Callable[..., Any], device_name: str) -> None:
    first = tune()
    kept = tune(clock=never, shapes=[128, 100])
    assert (kept.winner, kept.classes[0].source, kept.classes[0].rows) == (first.winner, "kept", ())
    assert dict(tune(again=True, clock=lambda work: -clock(work)).winner) == {"items": 1, "flavour": "a"}
    assert dict(tune(clock=never).winner) == {"items": 1, "flavour": "a"}
    with pytest.raises(AssertionError, match="measured again"):
        tune(clock=never, shapes=[129])
    with pytest.raises(AssertionError, match="measured again"):
        tune(clock=never, store=None)


def test_a_kept_winner_that_is_no_longer_in_the_space_is_measured_anew(tune: Callable[..., Any]) -> None:
    tune()
    assert tune(px.Space(items=(1, 3), flavour=("a",))).classes[0].source == "measured"


def test_a_kept_winner_of_another_program_is_measured_anew(tune: Callable[..., Any]) -> None:
    """The kernel's own text is the same; what it calls is not."""
    tune(px.Space(work=(1, 2)), build=lambda config: add.using(items=config["work"]))
    other = tune(px.Space(work=(1, 2)), build=lambda config: add.using(items=config["work"] + 1))
    assert other.classes[0].source == "measured"


def test_a_damaged_winner_is_reported_and_measured_anew(tune: Callable[..., Any], store: WinnerStore) -> None:
    tune()
    (path,) = store.folder.rglob("*.winner")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(CacheWarning, match="was damaged"):
        assert tune().classes[0].source == "measured"
    assert tune(clock=never).classes[0].source == "kept"


class Stop(BaseException):
    """An interrupt."""


@pytest.mark.parametrize("at", ["clock", "check", "progress", "assemble"])
def test_an_interrupt_keeps_what_was_found_and_leaves_nothing_else(
    tune: Callable[..., Any], store: WinnerStore, device_name: str, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    context = px.device(device_name).context
    context.default_stream.synchronize()
    gc.collect()
    before, threads = context.live_handles(), threading.active_count()

    def stop_at_200(work: Work) -> float:
        if work.shape == (200,):
            raise Stop
        return clock(work)

    def stop_at(now: Progress) -> None:
        if now.shape_class == (256,) and now.stage == {"progress": "time"}.get(at, "build"):
            raise Stop

    def stopping(device: px.Device, shape: Any) -> Callable[[Config], px.Trial]:
        def stop() -> None:
            raise Stop

        right = make(device, shape)
        return lambda config: right(config)._replace(check=stop if shape == (200,) else None)

    more = {
        "clock": {"clock": stop_at_200},
        "check": {"make": stopping},
        "progress": {"progress": stop_at},
        "assemble": {"progress": stop_at},
    }[at]
    with pytest.raises(Stop):
        tune(shapes=[100, 200], **more)
    assert store.size()[0] == 1
    gc.collect()
    assert context.live_handles() == before
    assert threading.active_count() == threads
    assert px.device(device_name).chosen_stream is None
    assert dict(tune(clock=never).winner) == {"items": 2, "flavour": "a"}


class Slow(Executor):
    """Runs nothing until it is asked for a result."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]


def test_an_interrupt_cancels_what_an_executor_has_not_begun(
    tune: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ptxgen.executors.FOREIGN_PIECE", 1)
    executor = Slow()

    def stop(now: Progress) -> None:
        if now.done == 6:
            raise Stop

    with pytest.raises(Stop):
        tune(executor=executor, progress=stop)
    assert len(executor.futures) == 3
    assert all(future.cancelled() for future in executor.futures)


def test_a_candidate_that_loses_the_device_ends_the_search(
    tune: Callable[..., Any], store: WinnerStore, device_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = px.device(device_name).context

    def lose(work: Work) -> float:
        if work.shape == (200,) and work.config["items"] == 2:
            monkeypatch.setattr(context, "poisoned", px.Error("first"))
            raise px.Error("an illegal address")
        return clock(work)

    with pytest.raises(px.TuneError, match="items=2 flavour=a lost the device: an illegal address"):
        try:
            tune(shapes=[100, 200], clock=lose)
        finally:
            monkeypatch.undo()
    assert store.size()[0] == 1


# The real assembler, in any executor


@pytest.mark.parametrize("pool", ["own", "threads", "processes"])
def test_any_executor_assembles(
    tune: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, assembler: Any, pool: str
) -> None:
    monkeypatch.undo()
    space = px.Space(items=(1, 2))
    if pool == "own":
        result = tune(space)
    else:
        executor = ThreadPoolExecutor(2) if pool == "threads" else ProcessPoolExecutor(1, get_context("spawn"))
        with executor:
            result = tune(space, executor=executor)
            assert executor.submit(int).result() == 0, "the caller's executor stays open"
    row = result.classes[0].rows[0]
    assert (row.registers is None) == result.classes[0].assembler.startswith("not known")
    assert row.registers is None or 0 < row.registers < 64
    assert row.spills in (None, 0)


def test_the_default_store_is_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tune: Callable[..., Any]
) -> None:
    from ptxgen.tuning import search

    other = CodeStore(tmp_path / "user")
    monkeypatch.setattr(search, "winner_store", lambda: other)
    tune(store="user")
    assert other.size()[0] == 1
