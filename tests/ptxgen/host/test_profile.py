"""`px.profile`: what launches of px's own arrays and kernels count, and at which lines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import driver_ctypes
import ptxgen as px
from ptxgen import f32, u32
from ptxgen.cli.app import app
from ptxgen.ir.source import line_of

pytestmark = pytest.mark.cpu_only


@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]):
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])


FIRST = saxpy.function.__code__.co_firstlineno


@pytest.fixture
def arrays() -> tuple[px.Device, px.Array, px.Array]:
    dev = px.device("cpu")
    return dev, dev.array(np.arange(1000, dtype=np.float32)), dev.zeros(1000, f32)


def test_lines_of_a_python_function(arrays):
    dev, x, y = arrays
    with px.profile() as counts:
        saxpy.on(dev).launch(4, 256, (1000, 2.0, x, y))
    (launch,) = counts.launches
    assert str(launch) == "saxpy: grid 4, block 256"
    assert {line.file for line in launch.lines()} == {__file__}
    found = {line.line - FIRST: line.counts for line in launch.lines()}
    assert sorted(found) == [0, 2, 3, 4]
    body = found[4]
    assert (body.global_requests, body.global_sectors, body.global_bytes) == (96, 375, 3 * 4 * 1000)
    assert body.flops == {"f32": 2000}
    assert found[3].divergent == 1
    assert launch.total.metrics()["memory_l2_theoretical_sectors_global_ideal"] == 375


def test_graphs_count_and_so_does_each_shape(arrays):
    dev, x, y = arrays
    with dev.capture() as graph:
        saxpy.on(dev).launch(4, 256, (1000, 2.0, x, y))
    with px.profile() as counts:
        graph.launch()
        graph.launch()
        saxpy.on(dev).launch(1, 32, (1000, 2.0, x, y))
        dev.synchronize()
    assert [(each.grid[0], each.launches) for each in counts.launches] == [(4, 2), (1, 1)]


def test_what_is_not_in_the_body_is_not_counted(arrays):
    dev, x, y = arrays
    kernel = saxpy.on(dev)
    with px.profile() as outer:
        with px.profile() as inner:
            kernel.launch(1, 32, (1000, 2.0, x, y))
        kernel.launch(1, 64, (1000, 2.0, x, y))
    kernel.launch(1, 96, (1000, 2.0, x, y))
    assert [each.block[0] for each in inner.launches] == [32]
    assert [each.block[0] for each in outer.launches] == [64]


def test_results_are_the_same(arrays):
    dev, x, y = arrays
    with px.profile():
        saxpy.on(dev).launch(4, 256, (1000, 2.0, x, y))
    assert (y.numpy() == 2 * x.numpy()).all()


def test_a_launch_that_faults_counts_nothing():
    dev = px.device("cpu:sm_80")
    x, y = dev.zeros(10, f32), dev.zeros(10, f32)
    with px.profile() as counts, pytest.raises(driver_ctypes.IllegalAddressError):
        saxpy.on(dev).launch(4, 256, (1000, 2.0, x, y))
        dev.synchronize()
    dev.reset()
    assert counts.launches == ()


def test_lines_that_loc_names(arrays):
    dev, x, y = arrays
    module = px.parse(str(saxpy.module(target=dev.target, lines=True)))
    with px.profile() as counts:
        dev.load(module)["saxpy"].launch(4, 256, (1000, 2.0, x, y))
    (launch,) = counts.launches
    assert {line.line - FIRST for line in launch.lines() if line.file == str(Path(__file__).resolve())} >= {2, 3, 4}


def test_the_command_prints_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = [
        "run",
        "saxpy/f32.scalar",
        "1000",
        "2.0",
        "arange:f32:1000",
        "zeros:f32:1000",
        "--grid",
        "4",
        "--device",
        "cpu",
    ]
    result = CliRunner().invoke(app, [*command, "--profile"])
    assert result.exit_code == 0, result.output
    assert "all lines" in result.output
    result = CliRunner().invoke(app, [*command, "--profile", "--json"])
    (launch,) = json.loads(result.output)["profile"]
    assert launch["total"]["flops"] == {"f32": 2000}
    assert all(each["text"].endswith(";") for each in launch["instructions"])


def test_what_loads_the_parameters_has_the_kernel_s_own_line():
    first = next(saxpy.module(target="sm_80").function("saxpy").instructions())
    assert first.op.startswith("ld.param")
    assert line_of(*first.source)[1] == FIRST
