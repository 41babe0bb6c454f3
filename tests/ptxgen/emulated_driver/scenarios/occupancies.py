"""How many blocks are resident, for kernels of many registers and much shared memory; clusters."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_size_t
from typing import Any

from driver_ctypes.abi.structs import CUlaunchAttribute, CUlaunchConfig
from tests.ptxgen.emulated_driver.scenarios.base import Cu, Note, scenario


def kernel_with(registers: int, shared: int = 0) -> bytes:
    """A kernel whose values are all alive at once."""
    count = max(registers - 12, 1)
    loads = "\n".join(f"    ld.volatile.global.u32 %r{i}, [%d1+{4 * i}];" for i in range(count))
    stores = "\n".join(f"    st.volatile.global.u32 [%d1+{4 * i}], %r{i};" for i in range(count))
    tile = f".shared .align 16 .b8 tile[{shared}];" if shared else ""
    use = "st.shared.u32 [tile], %r0;" if shared else ""
    return f"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{{
    {tile}
    .reg .b32 %r<{count + 1}>;
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [p];
{loads}
    {use}
    bar.sync 0;
{stores}
    ret;
}}
""".encode()


def config(block: int, cluster: int, shared: int = 0, grid: int = 1024) -> tuple[Any, Any]:
    attribute = CUlaunchAttribute(id=4)
    attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z = cluster, 1, 1
    made = CUlaunchConfig(grid, 1, 1, block, 1, 1, shared)
    made.attrs, made.numAttrs = ctypes.addressof(attribute), 1 if cluster else 0
    return made, attribute


@scenario
def occupancy_of_kernels(cu: Cu, note: Note) -> None:
    cu.start()
    number, size, grid, block = c_int(), c_size_t(), c_int(), c_int()
    for wanted, shared in ((16, 0), (32, 0), (48, 0), (80, 0), (130, 0), (200, 0), (250, 0), (40, 10000), (40, 40000)):
        k = cu.function(cu.load(kernel_with(wanted, shared)), b"k")
        registers, most = c_int(), c_int()
        cu.cuFuncGetAttribute(byref(registers), 4, k)
        cu.cuFuncGetAttribute(byref(most), 0, k)
        cu.cuFuncSetAttribute(k, 8, 232448 - shared)
        answers: list[Any] = [registers.value, most.value]
        for threads in (32, 64, 96, 128, 160, 256, 384, 512, 768, 1024):
            for dynamic in (0, 1000, 20000, 100000, 200000):
                code = cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(byref(number), k, threads, dynamic)
                answers.append(number.value if code == 0 else -code)
        code = cu.cuOccupancyMaxPotentialBlockSize(byref(grid), byref(block), k, None, 0, 0)
        answers.append([code, grid.value, block.value])
        for blocks in (1, 2, 3, 4, 8, 16, 32):
            code = cu.cuOccupancyAvailableDynamicSMemPerBlock(byref(size), k, blocks, 64)
            answers.append(size.value if code == 0 else -code)
        note(f"{wanted} registers, {shared} shared", answers)


@scenario
def clusters_of_kernels(cu: Cu, note: Note) -> None:
    cu.start()
    number = c_int()
    k = cu.function(cu.load(kernel_with(32)), b"k")
    cu.cuFuncSetAttribute(k, 8, 200000)
    for non_portable in (0, 1):
        cu.cuFuncSetAttribute(k, 14, non_portable)
        for threads in (64, 256, 1024):
            for dynamic in (0, 50000, 110000, 200000):
                made, _kept = config(threads, 0, dynamic)
                code = cu.cuOccupancyMaxPotentialClusterSize(byref(number), k, byref(made))
                answers = [[code, number.value]]
                for cluster in (1, 2, 4, 8, 16, 32):
                    made, _kept = config(threads, cluster, dynamic)
                    code = cu.cuOccupancyMaxActiveClusters(byref(number), k, byref(made))
                    answers.append([code, number.value if code == 0 else 0])
                note(f"{threads} threads, {dynamic} bytes, non-portable {non_portable}", answers)
    made, _kept = config(64, 0)
    note("no cluster", [cu.cuOccupancyMaxActiveClusters(byref(number), k, byref(made)), number.value])
    made, _kept = config(64, 3, 0, 10)
    note("does not divide", [cu.cuOccupancyMaxActiveClusters(byref(number), k, byref(made)), number.value])
    made, _kept = config(2048, 2)
    note("too many threads", cu.cuOccupancyMaxActiveClusters(byref(number), k, byref(made)))
    note("null", [cu.cuOccupancyMaxActiveClusters(None, k, byref(made)),
                  cu.cuOccupancyMaxActiveClusters(byref(number), k, None),
                  cu.cuOccupancyMaxPotentialClusterSize(byref(number), k, None)])  # fmt: skip
