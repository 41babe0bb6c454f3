"""How far `kernel[grid, block](...)` is from the driver's slot: Python calls and files, counted (docs/launching.md)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import driver_ctypes
import ptxgen as px
from ptxgen import f32, u32

ROOT = Path(px.__file__).resolve().parents[1]
EMULATOR = ("ptxgen/emulated_driver/", "ptxgen/cpu/")


def road(launch: Callable[[], Any], warm: int) -> tuple[Counter[str], Counter[str]]:
    """(files of the client, those of the emulator) that a launch passes behind `warm` others, with how many Python calls each has
    of it."""
    client: Counter[str] = Counter()
    emulator: Counter[str] = Counter()

    def called(frame: Any, event: str, _argument: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith(("ptxgen/", "driver_ctypes/")):
                (emulator if name.startswith(EMULATOR) else client)[name] += 1

    def passed() -> None:
        for _ in range(warm):
            launch()
        before = sys.getprofile()
        sys.setprofile(called)
        try:
            launch()
        finally:
            sys.setprofile(before)

    with ThreadPoolExecutor(
        1
    ) as own:  # a thread in which no context is current, whatever other tests have used in this one
        own.submit(passed).result()
    return client, emulator


@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])


@pytest.mark.cpu_only
def test_before_the_short_way(dev: px.Device) -> None:
    x, y = dev.zeros(256, f32), dev.zeros(256, f32)
    client, emulator = road(lambda: saxpy[2, 128](256, 2.0, x, y), warm=1)
    assert client.total() <= 30, client
    assert len(client) <= 10, client
    assert emulator.total() <= 20, emulator
    assert len(emulator) <= 8, emulator


@pytest.mark.cpu_only
def test_the_short_way(dev: px.Device) -> None:
    x, y = dev.zeros(256, f32), dev.zeros(256, f32)
    client, emulator = road(lambda: saxpy[1, 256](256, 2.0, x, y), warm=20)
    native = driver_ctypes.launcher().kind == "native"
    assert client.total() <= (2 if native else 4), (
        client
    )  # through ctypes: the context is asked for on the default stream
    assert emulator.total() <= 20, emulator
    assert len(emulator) <= 8, emulator
