"""A module is judged while the driver compiles it: the verdict comes before a launch, and before what the driver says."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from driver_ctypes.arguments.signature import Signature
from driver_ctypes.launch import preparing
from ptxgen.builder.judging import load_judged
from ptxgen.errors import Diagnostic, PtxWarning, VerifyError
from ptxgen.host import Device
from ptxgen.ir import Module

MODULE = Module((8, 0), "sm_90a", [])
WARNING = Diagnostic("PTX501", "wait for it", severity="warning")


class Driver:
    """A device that waits for an event while it loads."""

    def __init__(self, kind: str = "cuda", *, until: threading.Event | None = None, refuses: bool = False) -> None:
        self.kind, self.until, self.refuses = kind, until, refuses
        self.loaded = 0

    def load(self, module: Module, *, kinds: Any) -> dict[str, Any]:
        if self.until is not None:
            assert self.until.wait(10), "nobody judges it meanwhile"
        if self.refuses:
            raise RuntimeError("the driver refuses it")
        self.loaded += 1
        return {"kernel": kinds}


def load(driver: Driver, judge: Any) -> Any:
    return load_judged(cast("Device", driver), MODULE, judge, cast("Any", "kinds"))


def test_it_is_judged_while_the_driver_compiles() -> None:
    judged = threading.Event()
    assert load(Driver(until=judged), lambda: judged.set() or []) == {"kernel": "kinds"}
    assert judged.is_set()


def test_the_verifiers_error_comes_before_the_drivers() -> None:
    def judge() -> list[Diagnostic]:
        raise VerifyError("it is not legal", [])

    for driver in (Driver(), Driver(refuses=True)):
        with pytest.raises(VerifyError, match="not legal"):
            load(driver, judge)


def test_the_drivers_error_is_its_own_where_the_verifier_finds_nothing() -> None:
    with pytest.raises(RuntimeError, match="refuses"):
        load(Driver(refuses=True), list)


@pytest.mark.parametrize("kind", ["cuda", "cpu"])
def test_warnings_are_the_callers(kind: str) -> None:
    with pytest.warns(PtxWarning, match="wait for it"):
        load(Driver(kind), lambda: [WARNING])


def test_the_cpu_device_compiles_what_was_judged() -> None:
    driver = Driver("cpu")
    load(driver, lambda: [] if not driver.loaded else pytest.fail("it was loaded before"))
    assert driver.loaded == 1


def test_launchers_are_made_ready_behind_the_verdict_while_the_driver_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    ready = threading.Event()

    def prepare(signatures: list[Signature]) -> None:
        done.append(f"launchers of {len(signatures)} kernels")
        ready.set()

    monkeypatch.setattr(preparing, "prepare_launchers", prepare)
    load(Driver(until=ready), lambda: done.append("verdict") or [])
    assert done == ["verdict", "launchers of 0 kernels"]


def test_what_is_known_is_only_loaded() -> None:
    assert load(Driver(), None) == {"kernel": "kinds"}
