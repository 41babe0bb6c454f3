"""The device under test (`--device cpu` or `cuda`), and a check that no test leaves anything on it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.driver_ctypes.kit import PTX, SIGNATURES, START, filled, open_driver

ROOT = Path(__file__).parents[3]


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
def put(module):
    return module.function("put")


@pytest.fixture
def bump(module):
    return module.function("bump")


@pytest.fixture
def stream(context):
    with context.stream() as stream:
        yield stream


@pytest.fixture
def x(context):
    """Eight words."""
    with filled(context, [0] * 8) as x:
        yield x


@pytest.fixture(autouse=True)
def nothing_leaks(context, module):
    gc.collect()
    before = context.live_handles()
    yield
    gc.collect()
    assert {**context.live_handles(), "stream": 0} == {**before, "stream": 0}  # one is the fixture's own


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
