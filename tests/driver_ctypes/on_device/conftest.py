"""The device under test (`--device cpu` or `cuda`), and a check that no test leaves anything on it."""

from __future__ import annotations

import array
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

import driver_ctypes as dc

ROOT = Path(__file__).parents[3]

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u32 n, .param .u32 k)
{
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [x]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [k];
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
    mad.lo.u32 %r3, %r3, %r4, %r5;
    setp.ge.u32 %p, %r3, %r1;
    @%p ret;
    mul.wide.u32 %d2, %r3, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r4, [%d3];
    add.u32 %r4, %r4, %r2;
    st.global.u32 [%d3], %r4;
    ret;
}
.visible .entry first_word(.param .align 64 .b8 map[128], .param .u64 out)
{
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [map];
    ld.param.u64 %d2, [out];
    st.global.u64 [%d2], %d1;
    ret;
}
"""
SIGNATURES = {
    "add": dc.Signature([dc.Parameter("x", "pointer"), dc.Parameter("n", "u32"), dc.Parameter("k", "u32")]),
    "first_word": dc.Signature([dc.Parameter("map", "bytes", 128, 64), dc.Parameter("out", "pointer")]),
}


def open_driver(name: str) -> dc.Driver:
    if name == "cpu":
        from ptxgen.cpu.driver import open_driver

        dc.register_driver("cpu", open_driver, foreign_pointers=False)
    return dc.driver(name)


@pytest.fixture(scope="module")  # files before and after this one may reset the device
def context(device_name):
    return open_driver(device_name).device(0).primary_context()


@pytest.fixture(scope="module")
def module(context):
    return context.load(PTX, signatures=SIGNATURES)


@pytest.fixture
def add(module):
    return module.function("add")


@pytest.fixture
def stream(context):
    with context.stream() as stream:
        yield stream


@pytest.fixture(autouse=True)
def nothing_leaks(context, module):
    gc.collect()
    before = context.live_handles()
    yield
    gc.collect()
    after = context.live_handles()
    assert {kind: n for kind, n in after.items() if kind != "stream"} == {
        kind: n for kind, n in before.items() if kind != "stream"
    }


def words(context, memory, count, *, offset=0):
    """32-bit words of device memory; reading them waits for the work before."""
    back = array.array("I", bytes(4 * count))
    context.copy_to_host(back, memory.pointer + offset)
    return back.tolist()


def filled(context, values):
    data = array.array("I", values)
    buffer = context.alloc(4 * len(data))
    context.copy_to_device(buffer, data)
    return buffer


START = """
import os, sys, time
import driver_ctypes as dc
from tests.driver_ctypes.on_device.conftest import PTX, SIGNATURES, open_driver, words, filled
driver = open_driver({name!r})
"""


@pytest.fixture
def python(device_name):
    """What a fresh interpreter prints with `driver` opened there; variables go to its environment."""

    def run(program: str, **variables: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", START.format(name=device_name) + program],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), **variables}, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
