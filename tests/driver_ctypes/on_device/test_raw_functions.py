"""What has no class of its own is called by its C name, with typed arguments: CUDA arrays, textures, the rest."""

from ctypes import byref, c_uint32, c_uint64, c_void_p

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUaddress_mode, CUarray_format, CUresourcetype
from driver_ctypes.abi.functions import FUNCTIONS
from driver_ctypes.abi.structs import CUDA_ARRAY_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC


def test_an_array_and_a_texture_of_it(context):
    array, texture = c_void_p(), c_uint64()
    shape = CUDA_ARRAY_DESCRIPTOR(64, 4, CUarray_format.UNSIGNED_INT32, 1)
    context.call("cuArrayCreate_v2", byref(array), byref(shape))
    data, back = (c_uint32 * 64)(*range(64)), (c_uint32 * 64)()
    context.call("cuMemcpyHtoA_v2", array, 0, data, 256)
    context.call("cuMemcpyAtoH_v2", back, array, 0, 256)
    assert list(back) == list(range(64))
    resource = CUDA_RESOURCE_DESC(resType=CUresourcetype.ARRAY)
    resource.res.array.hArray = array.value
    sampling = CUDA_TEXTURE_DESC(addressMode=(CUaddress_mode.CLAMP,) * 3)
    context.call("cuTexObjectCreate", byref(texture), byref(resource), byref(sampling), None)
    assert texture.value
    context.call("cuTexObjectDestroy", texture)
    context.call("cuArrayDestroy", array)


@pytest.mark.cuda_only
def test_every_function_of_the_table_is_found(context):
    """But for those that are newer than the driver."""
    absent = [
        s for s, spec in FUNCTIONS.items() if spec.version <= context.driver.version and not context.driver.has(s)
    ]
    assert absent == []


@pytest.mark.cpu_only
def test_what_a_driver_does_not_offer_says_so(context):
    with pytest.raises(dc.NotAvailableError, match="has no cuGraphicsMapResources"):
        context.call("cuGraphicsMapResources", 0, None, None)
