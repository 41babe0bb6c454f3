"""A fake driver, opened; and PTX for it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import driver_ctypes as dc
from driver_ctypes.caches import process
from tests.driver_ctypes.fake import Fake

PTX = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) { ret; }
.visible .entry empty() { ret; }
.visible .entry mixed(.param .u8 a, .param .s16 b, .param .u64 c, .param .b16 d, .param .b16 e, .param .f64 f,
                      .param .align 8 .b8 g[24]) { ret; }
"""

SAXPY = dc.Signature(
    [dc.Parameter("n", "u32"), dc.Parameter("a", "f32"), dc.Parameter("x", "pointer"), dc.Parameter("y", "pointer")]
)
MIXED = dc.Signature(
    [
        dc.Parameter("a", "u8"),
        dc.Parameter("b", "s16"),
        dc.Parameter("c", "u64"),
        dc.Parameter("d", "f16"),
        dc.Parameter("e", "bf16"),
        dc.Parameter("f", "f64"),
        dc.Parameter("g", "bytes", 24, 8),
    ]
)
SIGNATURES = {"saxpy": SAXPY, "mixed": MIXED, "empty": dc.Signature([])}


@pytest.fixture(autouse=True)
def the_process_s_cache_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests choose caches of compiled code for the whole process."""
    for name in ("cache", "chosen"):
        monkeypatch.setattr(process._Process, name, getattr(process._Process, name))


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
def driver(fake: Fake) -> dc.Driver:
    return fake.open()


@pytest.fixture
def context(driver: dc.Driver) -> Iterator[dc.Context]:
    """The fake device's context. Whatever a test leaves behind must be freed by garbage collection and close()."""
    context = driver.device(0).primary_context()
    yield context
    gc.collect()
    context.close()


@pytest.fixture
def module(context: dc.Context) -> dc.Module:
    return context.load(PTX, signatures=SIGNATURES)


@pytest.fixture
def saxpy(module: dc.Module) -> dc.Function:
    return module.function("saxpy")


@pytest.fixture
def stream(context: dc.Context) -> dc.Stream:
    return context.stream()
