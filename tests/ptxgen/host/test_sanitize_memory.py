"""initcheck and memcheck over memory that the host makes, fills, copies and frees; on the CPU device alone."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import ptxgen as px
from ptxgen import u32
from ptxgen.kernels import find

pytestmark = pytest.mark.cpu_only


@px.kernel
def copy(k: px.Builder, n: u32, source: px.ptr[u32], out: px.ptr[u32]):
    i = k.tid.x
    with k.if_(i < n):
        out[i] = source[i]


@pytest.fixture(scope="module")
def dev():
    return px.device("cpu")


def filled(dev, how):
    """64 words of device memory, made in several ways."""
    if how == "zeros":
        return dev.zeros(64, u32)
    if how == "array":
        return dev.array(np.arange(64), u32)
    made = dev.empty(64, u32)
    if how == "fill of a pattern":
        made.fill(0x01020304)
    if how == "copy from the host":
        made.copy_from(np.arange(64, dtype=np.uint32))
    if how == "copy on the device":
        made.copy_from(dev.zeros(64, u32))
    if how == "kernel":
        copy[1, 64](64, dev.zeros(64, u32), made)
    if how == "half":
        made[:32].fill(0)
    return made


@pytest.mark.parametrize(
    "how", ["zeros", "array", "fill of a pattern", "copy from the host", "copy on the device", "kernel", "half"]
)
def test_what_the_host_or_a_kernel_has_written(dev, how):
    with px.sanitize("initcheck"):
        copy[1, 64](32 if how == "half" else 64, filled(dev, how), dev.empty(64, u32))


@pytest.mark.parametrize("how, first", [("nobody", 0), ("half", 32)])
def test_what_nobody_has_written(dev, how, first):
    with px.sanitize("initcheck", strict=False) as watch:
        copy[1, 64](64, filled(dev, how), dev.empty(64, u32))
    (finding,) = watch.findings
    assert (finding.kind, finding.space, finding.access.thread) == ("uninitialised read", "global", (first, 0, 0))
    assert finding.access.places[0].line == copy.function.__code__.co_firstlineno + 4


def test_memory_that_is_used_again_is_not_what_it_was(dev):
    with px.sanitize("initcheck", strict=False) as watch:
        dev.zeros(64, u32).close()
        copy[1, 64](64, dev.empty(64, u32), dev.empty(64, u32))
    assert len(watch.findings) == 1


def test_arrays_from_before_count_as_written(dev):
    source = dev.empty(64, u32)
    with px.sanitize("initcheck"):
        copy[1, 64](64, source, dev.empty(64, u32))


@px.kernel
def shifted(k: px.Builder, by: u32, source: px.ptr[u32], out: px.ptr[u32]):
    out[k.tid.x] = source[k.tid.x + by]


def test_when_the_body_ends_addresses_are_used_again(dev):
    """The quarantine of memcheck ends with it; a sanitizer around another one goes on, and knows what was written before."""
    with px.sanitize("initcheck", "memcheck", strict=False) as outer:
        source = dev.empty(64, u32)
        with px.sanitize("initcheck"):
            pass
        copy[1, 64](64, source, dev.zeros(64, u32))
    assert [finding.tool for finding in outer.findings] == ["initcheck"]
    made = dev.empty(1 << 20, u32)
    address = made.pointer
    made.close()
    with dev.empty(1 << 20, u32) as again:
        assert again.pointer == address


def test_an_index_that_leads_to_another_array(dev):
    with px.sanitize("memcheck", strict=False) as watch:
        arrays = [dev.zeros(64, u32) for _ in range(3)]
        bases = sorted(array.pointer for array in arrays)
        source = next(array for array in arrays if array.pointer == bases[0])
        shifted[1, 64]((bases[1] - bases[0]) // 4, source, arrays[2])
    (finding,) = watch.findings
    assert finding.kind == "outside its allocation"
    assert "made from parameter source, which leads into 256 bytes; this is byte 0 of 256 other ones" in finding.what
    assert finding.access.places[0].line == shifted.function.__code__.co_firstlineno + 2


SCRIPT = """
    import ptxgen as px
    from tests.ptxgen.host.test_sanitize_memory import copy
    dev = px.device("cpu")
    out = dev.zeros(64, px.u32)
    {body}
    """


def process(body: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT).format(body=body)], capture_output=True, text=True,
        env={**os.environ, "PTXGEN_SANITIZE": "memcheck"}, check=False,
    )  # fmt: skip


def test_memory_that_was_freed_is_told_where_its_addresses_would_be_used_again():
    found = process(
        "gone = dev.zeros(64, px.u32); address = gone.pointer; gone.close(); dev.zeros(64, px.u32)\n"
        "dev.load(str(copy.module(target=dev.target)))['copy'].launch((1,), (64,), (64, address, out)); dev.synchronize()"
    )
    assert "illegal address: ld reads 4 bytes at 0x" in found.stderr
    assert ", 0 bytes into an allocation of 256 bytes that was freed" in found.stderr


LIBRARY = ["reduction/sum.f32", "radix_sort/u32", "gemm/bf16", "rows/softmax.f32.cluster-2", "scan/u32.1024"]


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_has_no_findings(dev, name):
    variant = find(name)
    with px.sanitize("initcheck", "memcheck"):
        assert variant.case(variant.sizes[0]).run(dev).passed
