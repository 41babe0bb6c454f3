"""Two devices in one process: on the CPU device two emulated ones, on GPUs where there are two."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

BEGIN = """
import sys, threading
import numpy as np
import driver_ctypes as dc
import ptxgen as px
from ptxgen import f32, u32

kind = sys.argv[1]
devices = [device for device in px.devices() if device.kind == kind]
if len(devices) < 2:
    print("one device")
    sys.exit()
first, second = devices[:2]

@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])

ramp = np.arange(100, dtype=np.float32)
"""


@pytest.fixture
def run(device_name: str) -> Callable[[str], str]:
    """What a program prints that begins with two devices."""

    def run(program: str) -> str:
        environment = {**os.environ, "PTXGEN_CPU_DEVICES": "2", "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", BEGIN + textwrap.dedent(program), device_name.partition(":")[0]]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if done.stdout.startswith("one device"):
            pytest.skip("needs two GPUs")
        return done.stdout.strip()

    return run


def test_a_launch_goes_where_its_arrays_are(run: Callable[[str], str]) -> None:
    program = """
    for device in (first, second, first):
        x, y = device.array(ramp), device.zeros(100, f32)
        saxpy[1, 128](100, 2.0, x, y)
        saxpy.bind(1, 128, device=device)(100, 1.0, x, y)
        with device.capture() as graph:
            saxpy[1, 128](100, 3.0, x, y)
        graph.launch()
        assert y.device is device
        print((y.numpy() == 6 * ramp).all())
    """
    assert run(program).split() == ["True"] * 3


def test_arrays_of_two_devices_are_refused_together(run: Callable[[str], str]) -> None:
    program = """
    x, y = first.array(ramp), second.zeros(100, f32)
    for launch in (saxpy[1, 128], saxpy.bind(1, 128, device=first), saxpy.bind(1, 128, device=second)):
        try:
            launch(100, 2.0, x, y)
        except dc.ArgumentError as error:
            print("lives on" in str(error), "copy_peer" in error.hint)
    print(y.numpy().any())
    """
    assert run(program).splitlines() == ["True True"] * 3 + ["False"]


def test_work_of_one_waits_for_the_other(run: Callable[[str], str]) -> None:
    program = """
    x, y, z = first.array(ramp), first.zeros(100, f32), second.zeros(100, f32)
    here, there = first.stream(), second.stream()
    saxpy.bind(1, 128, device=first, stream=here)(100, 2.0, x, y)
    there.wait(here.record())
    dc.copy_peer(z, y, y.nbytes, there)
    saxpy.bind(1, 128, device=second, stream=there)(100, 1.0, z, z)
    there.synchronize()
    print((z.numpy() == 4 * ramp).all())
    """
    assert run(program) == "True"


def test_each_thread_has_its_device(run: Callable[[str], str]) -> None:
    program = """
    wrong = []

    def work(device, factor):
        x, y = device.array(ramp), device.zeros(100, f32)
        for _ in range(200):
            saxpy[1, 128](100, factor, x, y)
        if not (y.numpy() == 200 * factor * ramp).all():
            wrong.append(device)

    threads = [threading.Thread(target=work, args=(devices[i % 2], float(i))) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(wrong)
    """
    assert run(program) == "[]"


def test_operations_and_backends_of_the_second(run: Callable[[str], str]) -> None:
    program = """
    from ptxgen.ops import HashTable, Join, Scan, Sort
    from ptxgen.runtime import Backend

    keys = np.random.default_rng(1).permutation(5000).astype(np.uint32)
    x, y = second.array(keys), second.empty(5000, u32)
    Sort(second, u32, 5000)(x, y)
    print((y.numpy() == np.arange(5000)).all())
    Scan(second, u32, 5000)(y, y)
    print((y.numpy() == np.cumsum(np.arange(5000))).all())
    with HashTable(second, x) as table, Join(table, x, 5000) as join:
        join(x)
        print(join.pairs().total)
    with Backend(second) as backend:
        handle = backend.upload_resident(ramp)
        print((np.frombuffer(backend.download(handle), np.float32) == ramp).all())
        backend.free_resident(handle)
    """
    assert run(program).split() == ["True", "True", "5000", "True"]


@pytest.mark.cuda_only
def test_tensors_of_the_second(run: Callable[[str], str]) -> None:
    pytest.importorskip("torch")
    program = """
    import torch

    x = torch.arange(100, dtype=torch.float32, device="cuda:1")
    y = torch.zeros_like(x)
    saxpy[1, 128](100, 2.0, x, y)
    launch = saxpy.bind(1, 128, device=second)
    launch(100, 1.0, x, y)
    with torch.cuda.device(1), torch.cuda.stream(torch.cuda.Stream(1)):
        launch(100, 1.0, x, y)
        print(bool((y == 4 * x).all()))
    with torch.cuda.device(0):
        saxpy[1, 128](100, 1.0, x, y)
    print(bool((y == 5 * x).all()), torch.cuda.current_device())
    try:
        saxpy[1, 128](100, 1.0, x, torch.zeros(100, device="cuda:0"))
    except px.Error as error:
        print("cuda:0" in str(error) or "lives on" in str(error))
    """
    assert run(program).splitlines() == ["True", "True 0", "True"]
