"""CPU devices by the name of a target: each with its product's limits, several in one process."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from driver_ctypes.abi.enums import CUdevice_attribute as A
from ptxgen import u32
from ptxgen.isa.products import find_product

pytestmark = pytest.mark.cpu_only

TARGETS = ("sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120")

PLACES = """.version {version}
.target {target}
.address_size 64
.visible .entry places(.param .u64 out) {{
    .reg .u64 %out; .reg .u32 %a, %b, %c;
    ld.param.u64 %out, [out];
    mov.u32 %a, %nsmid;
    mov.u32 %b, %nwarpid;
    mov.u32 %c, %smid;
    st.global.u32 [%out], %a;
    st.global.u32 [%out+4], %b;
    red.global.max.u32 [%out+8], %c;
    ret;
}}
"""


def places(target: str = "sm_75", version: str = "6.3") -> str:
    return PLACES.format(target=target, version=version)


@pytest.mark.parametrize("name", TARGETS)
def test_a_device_has_its_product_s_limits(name: str) -> None:
    dev, product = px.device(f"cpu:{name}"), find_product(name)
    target = product.target
    told = dev.handle.attribute
    assert dev.target == target.name
    assert dev.handle.compute_capability == product.capability
    assert f"as {product.name} (" in dev.handle.name
    assert told(A.MULTIPROCESSOR_COUNT) == product.multiprocessors
    assert told(A.L2_CACHE_SIZE) == product.l2
    assert told(A.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == target.shared_optin
    assert told(A.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) == target.shared_total
    assert told(A.MAX_BLOCKS_PER_MULTIPROCESSOR) == target.ctas_total
    assert told(A.MAX_THREADS_PER_MULTIPROCESSOR) == target.threads_total
    assert told(A.CLUSTER_LAUNCH) == (target.sm >= 90)


@pytest.mark.parametrize("name", TARGETS)
def test_special_registers_and_occupancy_are_the_device_s(name: str) -> None:
    dev, product = px.device(f"cpu:{name}"), find_product(name)
    out = dev.zeros(3, u32)
    kernel = dev.load(places())["places"]
    kernel.launch(product.multiprocessors + 7, 1, (out,))
    assert out.numpy().tolist() == [product.multiprocessors, product.target.warps_total, product.multiprocessors - 1]
    whole = dc.max_block_size(kernel.function)
    assert whole.grid == whole.blocks_per_multiprocessor * product.multiprocessors
    assert whole.blocks_per_multiprocessor * whole.threads == product.target.threads_total


def test_a_name_is_one_device() -> None:
    dev = px.device("cpu:sm_80")
    assert dev is px.device("cpu:compute_80") is px.device(dev) is px.device(f"cpu:{dev.handle.ordinal}")
    assert dev.name == "cpu:sm_80"
    assert dev in px.devices()
    assert px.device("cpu:sm_90") is px.device("cpu:sm_90a") is px.device("cpu")
    assert px.device("cpu").name == "cpu:0"


@pytest.mark.parametrize("name", ["cpu:sm_99", "cpu:sm_", "cpu:A100", "cuda:sm_80"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(dc.DeviceNotFoundError, match=f"no device '{name}'"):
        px.device(name)


def test_several_work_side_by_side() -> None:
    @px.kernel
    def fill(k: px.Builder, x: px.ptr[u32]) -> None:
        x[k.global_id.x] = k.const(u32, k.target.sm)

    arrays = [px.device(f"cpu:{name}").zeros(64, u32) for name in TARGETS]
    for x in arrays:
        fill[2, 32](x)
    assert [set(x.numpy().tolist()) for x in arrays] == [{75}, {80}, {89}, {90}, {100}, {120}]


@pytest.mark.parametrize(
    "device, target, version, code, said",
    [
        ("sm_80", "sm_90a", "8.0", 218, "SM version specified by .target is higher than default SM version assumed"),
        ("sm_75", "sm_80", "7.0", 218, "SM version specified by .target is higher"),
        ("sm_100a", "sm_90a", "8.0", 218, "SM version specified by .target is higher"),
        ("sm_120", "sm_100f", "8.8", 218, "SM version specified by .target is higher"),
        ("sm_80", "sm_80", "9.9", 222, "Unsupported .version 9.9"),
    ],
)
def test_a_program_for_another_device_is_refused(device: str, target: str, version: str, code: int, said: str) -> None:
    dev = px.device(f"cpu:{device}")
    for again in range(2):  # also when another device has compiled it
        with pytest.raises(dc.JitError, match=said) as refused:
            dev.load(places(target, version))
        assert refused.value.code == code, again
        if code == 218:
            px.device(f"cpu:{target.replace('f', 'a')}").load(places(target, version))


def test_a_linker_refuses_what_its_device_does_not_take() -> None:
    px.device("cpu:sm_90a")
    with pytest.raises(dc.JitError, match="SM version"), px.device("cpu:sm_80").context.linker() as linker:
        linker.add(places("sm_90a", "8.0"))


def test_shared_memory_that_the_device_does_not_have() -> None:
    for name, most in (("sm_75", 64 << 10), ("sm_80", 163 << 10), ("sm_120", 99 << 10)):
        function = px.device(f"cpu:{name}").load(places())["places"].function
        function.set_attribute(8, most)  # MAX_DYNAMIC_SHARED_SIZE_BYTES
        with pytest.raises(dc.CudaError, match="INVALID_VALUE"):
            function.set_attribute(8, most + 1)


def test_clusters_where_there_are_none() -> None:
    kernel = px.device("cpu:sm_80").load(places())["places"]
    out = px.device("cpu:sm_80").zeros(3, u32)
    with pytest.raises(px.Error, match="the device has no clusters"):
        kernel.launch(2, 32, (out,), cluster=2)


def test_the_environment_names_devices() -> None:
    program = "import ptxgen as px; print([d.target for d in px.devices() if d.kind == 'cpu'], px.device().name)"
    settings = {
        "PTXGEN_CPU_DEVICES": "sm_80,sm_90a",
        "PTXGEN_DEVICE": "cpu:sm_90a",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **settings}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['sm_80', 'sm_90a'] cpu:1\n"


def test_memory_copied_from_device_to_device() -> None:
    x = px.device("cpu:sm_80").array(np.arange(100), u32)
    y = px.device("cpu:sm_75").zeros(100, u32)
    y.copy_from(x.numpy())
    assert np.array_equal(y.numpy(), np.arange(100))
