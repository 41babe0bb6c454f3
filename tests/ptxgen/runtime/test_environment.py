"""What the environment turns on and off, and what it shows."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ptxgen.runtime import Backend, DispatchConfig
from ptxgen.runtime.code.disk import SourceStore
from ptxgen.runtime.environment import flag
from ptxgen.runtime.errors import BackendError, InvalidProgramError, ValidationError
from tests.ptxgen.runtime.samples import as_floats, floats, ramp, scale, step, words

Acquire = Callable[..., Backend]


@pytest.fixture
def acquire(device_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Acquire]:
    """A backend under these variables."""
    monkeypatch.setenv("PTXGEN_PTX_SOURCE_CACHE_DIR", str(tmp_path / "ptx"))
    with contextlib.ExitStack() as stack:

        def made(**variables: str) -> Backend:
            for name, value in variables.items():
                monkeypatch.setenv(name, value)
            return stack.enter_context(Backend.acquire(device_name))

        yield made


@pytest.mark.parametrize(
    "text, on", [("1", True), ("on", True), ("Yes", True), ("0", False), ("off", False), (" FALSE ", False), ("", None)]
)
def test_flags(monkeypatch: pytest.MonkeyPatch, text: str, on: bool | None) -> None:
    monkeypatch.setenv("PTXGEN_CACHE", text)
    for default in (True, False):
        assert flag("PTXGEN_CACHE", default) is (default if on is None else on)


def test_a_word_that_is_neither(acquire: Acquire) -> None:
    with pytest.raises(BackendError, match=r"PTXGEN_AUTOTUNER is 'maybe'. Fix: write one of 1, on"):
        acquire(PTXGEN_AUTOTUNER="maybe")


def test_stages_of_a_compilation(acquire: Acquire, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "ptxgen.runtime"):
        quiet = acquire().compile(scale)
        assert caplog.text == ""
        loud = acquire(PTXGEN_STAGE_TRACE="1").compile(scale)
    for pipeline in (quiet, loud):
        assert [stage.name for stage in pipeline.stages] == ["plan", "ptx", "warm up", "module"]
        times = [stage.ms for stage in pipeline.stages]
        assert times == sorted(times)
        assert pipeline.stages[1].details["bytes"] == len(pipeline.ptx)
    lines = [record.message for record in caplog.records]
    assert lines[0] == "[compile] start scale"
    assert [line.split()[2] for line in lines[1:]] == ["plan", "ptx", "warm", "module"]


def test_ranges_for_a_profiler(acquire: Acquire, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    @contextlib.contextmanager
    def noted(name: str, color: str | None = None) -> Iterator[None]:
        seen.append(name)
        yield

    monkeypatch.setattr("driver_ctypes.profiler.nvtx_range", noted)
    pipeline = acquire().compile(scale)
    pipeline.dispatch([ramp(4)])
    assert seen == []
    pipeline = acquire(PTXGEN_NVTX_RANGES="1").compile(scale)
    pipeline.dispatch([ramp(4)])
    pipeline.dispatch([[ramp(4)]], batch=True)
    assert seen == [
        "ptxgen:compile scale", "ptxgen:dispatch scale", "ptxgen:batch scale", "ptxgen:dispatch scale"
    ]  # fmt: skip


def test_an_audit_looks_at_cached_ptx_too(acquire: Acquire, tmp_path: Path) -> None:
    acquire().compile(scale)
    audited = acquire(PTXGEN_PROGRAM_AUDIT="1")
    audited.compile(scale)
    (path,) = (tmp_path / "ptx").rglob("*.source")
    key = path.parent.name + path.stem
    store = SourceStore(tmp_path / "ptx")
    built = store.find(key)
    assert built is not None
    store.keep(key, built._replace(ptx=built.ptx.replace("ret;", "add.f32 %f1, %f1, %r1;\n\tret;")))
    with pytest.raises(ValidationError, match=r"(?s)the PTX of program scale does not pass the audit.*add.f32.*Fix: "):
        acquire().compile(scale)
    store.keep(key, built._replace(ptx="}"))
    with pytest.raises(ValidationError, match="does not pass the audit"):
        acquire().compile(scale)


def test_resident_dispatches_may_wait_for_those_before_them(acquire: Acquire) -> None:
    backend = acquire(PTXGEN_RESIDENT_SYNC_BEFORE_LAUNCH="1")
    pipeline = backend.compile(step)
    x = backend.upload_resident(words(0))
    waits: list[int] = []
    wait = backend.tickets.synchronize
    backend.tickets = _Counting(backend.tickets, waits)  # type: ignore[assignment]
    for _ in range(3):
        pipeline.dispatch([x], [])
    assert len(waits) == 3
    wait()


class _Counting:
    """Tickets whose waits are counted."""

    def __init__(self, tickets: Any, waits: list[int]) -> None:
        self.__dict__["_tickets"], self.__dict__["_waits"] = tickets, waits

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tickets, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._tickets, name, value)

    def synchronize(self) -> None:
        self._waits.append(1)
        self._tickets.synchronize()


def test_host_data_in_place_of_resident_buffers(acquire: Acquire) -> None:
    backend = acquire()
    pipeline = backend.compile(scale)
    x = backend.upload_resident(floats(1, 2))
    for value, borrowed in ((x, 0), (floats(1, 2), 1)):
        backend.reset_telemetry()
        (y,) = pipeline.dispatch([value], resident=True)
        assert as_floats(backend.download(y)).tolist() == [2, 4]
        assert backend.telemetry_snapshot()["resident_borrowed_fallback_dispatches"] == borrowed
    backend.synchronize()
    backend.resident.free_later([])
    assert len(backend.resident) == 3  # x, and two outputs
    strict = acquire(PTXGEN_RESIDENT_BORROWED_FALLBACK="0")
    with pytest.raises(InvalidProgramError, match=r"1 inputs of program scale are host data. Fix: upload them"):
        strict.compile(scale).dispatch([floats(1, 2)], resident=True)


def test_outputs_that_stay_on_the_device(acquire: Acquire) -> None:
    backend = acquire()
    x = backend.upload_resident(words(1, 2))
    assert backend.compile(step).dispatch([x], resident=True) == [x]  # what goes in comes out
    assert backend.download(x) == words(3, 5)
    (y,) = backend.compile(step).dispatch([words(7)], resident=True)
    assert backend.download(y) == words(15)
    before = len(backend.resident)
    with pytest.raises(InvalidProgramError, match="takes 1 inputs but received 0"):
        backend.compile(step).dispatch([], resident=True)
    with pytest.raises(InvalidProgramError, match="not a multiple of 4"):
        backend.compile(step).dispatch([b"12345"], resident=True)
    assert len(backend.resident) == before


def test_settings_of_the_drivers_cache_that_mean_nothing(acquire: Acquire) -> None:
    with pytest.raises(BackendError, match=r"CUDA_CACHE_MAXSIZE is 'much'. Fix: write a number of bytes"):
        acquire(CUDA_CACHE_MAXSIZE="much")
    with pytest.raises(BackendError, match=r"CUDA_CACHE_DISABLE is '2'. Fix: write 0 or 1"):
        acquire(CUDA_CACHE_MAXSIZE="1073741824", CUDA_CACHE_DISABLE="2")
    assert acquire(CUDA_CACHE_DISABLE="0").name


def test_validation_is_left_out(acquire: Acquire) -> None:
    backend = acquire(PTXGEN_VALIDATE_DISPATCH="off")
    backend.compile(scale, DispatchConfig(element_count=0))
    assert backend.compiler.validation.misses == 0
