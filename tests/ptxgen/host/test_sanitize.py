"""`px.sanitize`, PTXGEN_SANITIZE, and where findings surface: on the CPU device alone."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import u32
from ptxgen.cpu.sanitizer.tools import TOOLS
from ptxgen.kernels import find

pytestmark = pytest.mark.cpu_only


@px.kernel
def neighbour(k: px.Builder, where: px.ptr[u32], out: px.ptr[u32], *, barrier: bool = False):
    """The verifier does not know whose words are read."""
    box = k.shared(u32, 64)
    i = k.tid.x
    box[i] = i
    if barrier:
        k.barrier()
    out[i] = box[where[i]]


@pytest.fixture(scope="module")
def dev():
    return px.device("cpu")


@pytest.fixture
def where(dev):
    return dev.array([i ^ 32 for i in range(64)], u32)


def test_findings_are_raised_when_the_body_ends(dev, where):
    out = dev.zeros(64, u32)
    with pytest.raises(px.SanitizerError, match=r"racecheck: write after read: .*\n  kernel neighbour\n") as caught:
        with px.sanitize("racecheck") as watch:
            for _ in range(3):
                neighbour[1, 64](where, out)
    assert caught.value.findings == watch.findings
    (finding,) = watch.findings
    assert [place.kind for place in finding.access.places] == ["python", "ptx"]
    assert finding.access.places[0].file == __file__
    assert finding.access.places[0].line == neighbour.function.__code__.co_firstlineno + 5
    neighbour[1, 64](where, out)  # the device is as well as before
    dev.synchronize()
    assert out.numpy()[40] == 8


def test_a_correct_kernel_raises_nothing(dev, where):
    out = dev.zeros(64, u32)
    with px.sanitize() as watch:
        neighbour[1, 64](where, out, barrier=True)
    assert watch.findings == ()
    assert list(out.numpy()) == [i ^ 32 for i in range(64)]


def test_findings_without_an_error(dev, where):
    with px.sanitize("racecheck", strict=False) as watch:
        neighbour[1, 64](where, dev.zeros(64, u32))
    assert len(watch.findings) == 1


def test_what_the_body_raises_comes_first(dev, where):
    with pytest.raises(KeyError), px.sanitize("racecheck"):
        neighbour[1, 64](where, dev.zeros(64, u32))
        raise KeyError


def test_a_graph_is_watched(dev, where):
    out = dev.zeros(64, u32)
    with dev.capture() as graph:
        neighbour[1, 64](where, out)
    with px.sanitize("racecheck", strict=False) as watch:
        graph.launch()
    graph.close()
    assert len(watch.findings) == 1


def test_inner_tools_replace_outer_ones(dev, where):
    with px.sanitize("racecheck") as outer:
        with px.sanitize("racecheck", strict=False) as inner:
            neighbour[1, 64](where, dev.zeros(64, u32))
    assert (len(outer.findings), len(inner.findings)) == (0, 1)


def test_all_is_every_tool():
    with px.sanitize("all", strict=False) as found:
        assert found.tools == frozenset(TOOLS)


def test_a_tool_that_there_is_not():
    with pytest.raises(
        dc.ArgumentError, match=r"the sanitizer has no tool 'racechek'\n  Fix: one of asynccheck, initcheck, memcheck, "
    ):
        with px.sanitize("racechek"):
            pass


SCRIPT = """
    import warnings
    import ptxgen as px
    from tests.ptxgen.host.test_sanitize import neighbour
    dev = px.device("cpu")
    out, where = dev.zeros(64, px.u32), dev.array([i ^ 32 for i in range(64)], px.u32)
    neighbour[1, 64](where, out)
    {wait}
    """


def process(wait: str, tools: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT).format(wait=wait)], capture_output=True, text=True,
        env={**os.environ, "PTXGEN_SANITIZE": tools}, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("wait", ["dev.synchronize()", "out.numpy()"])
def test_the_environment_names_tools_and_waiting_raises(wait):
    found = process(wait, "racecheck")
    assert found.returncode == 1
    assert "ptxgen.errors.SanitizerError: racecheck: write after read: " in found.stderr


def test_a_process_that_never_waits_is_warned_at_its_end():
    found = process("", "racecheck")
    assert found.returncode == 0
    assert "PtxWarning: racecheck: write after read: " in found.stderr


def test_the_environment_names_a_tool_that_there_is_not():
    found = process("", "racecheck,tracecheck")
    assert found.returncode == 1
    assert (
        "PTXGEN_SANITIZE is 'racecheck,tracecheck': the CPU device has no tool 'tracecheck': there are " in found.stderr
    )


@pytest.mark.parametrize(
    "name",
    [
        "reduction/sum.f32",
        "softmax/f16.columns-1024",
        "rows/softmax.f32.cluster-2",
        "histogram/u8",
        "scan/u32.1024",
        "gemm/bf16",
        "gemm_mma/bf16",
    ],
)
def test_the_library_races_nowhere(dev, name):
    with px.sanitize("racecheck"):
        variant = find(name)
        assert variant.case(variant.sizes[0]).run(dev).passed
