"""When a process makes its first launcher by itself: it takes LLVM, which a few launches would not bring in again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
import ptxgen as px

@px.kernel
def increase(k: px.Builder, x: px.ptr[px.u32]):
    x[k.tid.x] = x[k.tid.x] + 1

dev = px.device("{device}")
x = dev.zeros(32, px.u32)
{before}
for _ in range({times}):
    increase[1, 32](x)
assert x.numpy().tolist() == [{times}] * 32
print(increase[1, 32]._short_way is not None)
"""


def has_launcher(tmp_path: Path, device: str, times: int, before: str = "") -> bool:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(device=device, times=times, before=before))
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip() == "True"


@pytest.mark.cpu_only
def test_on_the_cpu_device_it_takes_many_launches(tmp_path: Path) -> None:
    assert not has_launcher(tmp_path, "cpu", 100)
    assert has_launcher(tmp_path, "cpu", 300)


@pytest.mark.cpu_only
def test_once_there_is_one_others_take_few(tmp_path: Path) -> None:
    assert has_launcher(tmp_path, "cpu", 20, "import driver_ctypes; driver_ctypes.launcher()")


@pytest.mark.cuda_only
def test_on_a_gpu_it_takes_few(tmp_path: Path) -> None:
    assert has_launcher(tmp_path, "cuda", 20)
