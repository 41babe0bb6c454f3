"""The profile's counts beside those that an H200 has given for the same kernels (Nsight Compute of CUDA 13.0)."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

from tools import compare_counts

pytestmark = pytest.mark.cpu_only

H200 = {
    # requests, sectors, conflicts of banks, divergent branches, f32, f64
    "coalesced": (128, 512, 0, 0, 4096, 0),
    "strided": (128, 2304, 0, 0, 0, 0),
    "shifted": (128, 576, 0, 0, 0, 0),
    "banks": (64, 256, 992, 0, 0, 0),
    "padded": (64, 256, 0, 0, 0, 0),
    "doubles": (24, 192, 32, 0, 0, 512),
    "divergent": (128, 512, 0, 532, 0, 0),
    "histogram": (72, 288, 0, 0, 0, 0),
    "product": (80, 1152, 0, 0, 0, 0),
}
_NAMES = ("global_requests", "global_sectors", "shared_conflicts", "divergent", "f32", "f64")


def test_the_profile_counts_what_the_gpu_counted():
    ours = compare_counts.counted()
    assert {kernel: tuple(int(ours[kernel][name]) for name in _NAMES) for kernel in H200} == H200
    reduction = [ours["reduction"][name] for name in ("global_requests", "global_sectors", "f32")]
    assert reduction == [128, 320, 10240], "the GPU's assembler leaves 1,984 of these additions out"
    assert ours["product"]["mma"] == 8


def test_what_ncu_writes_is_read(monkeypatch: pytest.MonkeyPatch):
    names = sorted({name for each in compare_counts.METRICS.values() for name in each})
    head = ",".join(f'"{name}"' for name in ("ID", "Kernel Name", *names))
    units = ",".join(["", "", *["inst"] * len(names)])
    values = ",".join(['"0"', '"banks(float*, float*)"', *['"1,024"'] * len(names)])
    text = f'==PROF== Connected\n{head}\n"",{units[1:]}\n{values}\n'
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=text, stderr=""))
    found = compare_counts.measured("ncu")
    assert found["banks"]["inst_executed"] == 1024
    assert found["banks"]["f32"] == 4 * 1024, "a fused operation is two"
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout="", stderr="no permission"))
    with pytest.raises(SystemExit, match="no permission"):
        compare_counts.measured("ncu")
