"""A Python without llvmlite: the first kernel says what to install, and nothing else is printed."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu_only

_PROGRAM = """
import sys
sys.modules["llvmlite"] = None
import ptxgen as px

@px.kernel
def one(k: px.Builder, x: px.ptr[px.f32]):
    x[k.tid.x] = 1.0

dev = px.device("cpu")
x = dev.full(4, 0, px.f32)
assert x.numpy().sum() == 0
for _ in range(2):
    try:
        one[1, 4](x)
    except px.Error as error:
        print(type(error).__name__, error)
"""


def test_the_first_launch_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    assert done.stdout.count("CUDA_ERROR_NOT_SUPPORTED") == 2
    assert done.stdout.count("pip install llvmlite") == 2
