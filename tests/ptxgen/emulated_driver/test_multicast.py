"""Multicast objects: bound to memory and mapped, a kernel reaches them with multimem."""

from __future__ import annotations

import ctypes

import pytest

import driver_ctypes as dc
import ptxgen as px
from driver_ctypes.abi.structs import CUmemAllocationProp, CUmulticastObjectProp

SIZE = 2 << 20
KERNEL = """.version 8.3
.target sm_90
.address_size 64
.visible .entry put(.param .u64 there)
{
	.reg .b64 %d1; .reg .b32 %r1;
	ld.param.u64 %d1, [there]; mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 4, %d1;
	multimem.st.u32 [%d1], %r1;
	ret;
}
"""


def made(context, name, *arguments):
    """The handle or address that a function gives."""
    out = ctypes.c_uint64()
    context.call(name, ctypes.byref(out), *arguments)
    return out.value


@pytest.fixture
def context():
    return px.device("cpu").context


def test_memory_behind_a_multicast_object(context):
    properties = CUmemAllocationProp(type=1)
    properties.location.type = 1
    memory = made(context, "cuMemCreate", SIZE, ctypes.byref(properties), 0)
    whole = CUmulticastObjectProp(numDevices=1, size=SIZE)
    assert made(context, "cuMulticastGetGranularity", ctypes.byref(whole), 0) == SIZE
    multicast = made(context, "cuMulticastCreate", ctypes.byref(whole))
    with pytest.raises(dc.CudaError, match="all of which are added before memory is bound"):
        context.call("cuMulticastBindMem", multicast, 0, memory, 0, SIZE, 0)
    context.call("cuMulticastAddDevice", multicast, 0)
    context.call("cuMulticastBindMem", multicast, 0, memory, 0, SIZE, 0)
    there, plain = (made(context, "cuMemAddressReserve", SIZE, 0, 0, 0) for _ in range(2))
    context.call("cuMemMap", there, SIZE, 0, multicast, 0)
    context.call("cuMemMap", plain, SIZE, 0, memory, 0)
    with context.load(KERNEL) as module:
        module.function("put").launch(1, 32, there.to_bytes(8, "little"))
    context.synchronize()
    assert list((ctypes.c_uint32 * 32).from_address(plain)) == list(range(32))
    context.call("cuMemUnmap", there, SIZE)
    context.call("cuMulticastUnbind", multicast, 0, 0, SIZE)
    context.call("cuMemRelease", multicast)
    context.call("cuMemUnmap", plain, SIZE)
    context.call("cuMemRelease", memory)
    for address in (there, plain):
        context.call("cuMemAddressFree", address, SIZE)
