"""Green contexts: parts of a device's multiprocessors, what is current, streams, and what goes with them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from ctypes import byref, c_char, c_int, c_uint32, c_uint64, c_void_p

import pytest

from driver_ctypes.abi.functions import FUNCTIONS
from ptxgen.emulated_driver import live_handles, open_driver
from tests.ptxgen.emulated_driver.scenarios.base import PTX, Cu

pytestmark = pytest.mark.cpu_only

lookup = open_driver()
Resource = c_char * 144
INVALID_VALUE, INVALID_CONTEXT, DESTROYED, TOO_LARGE, NO_TYPE, NO_CONFIGURATION = 1, 201, 709, 720, 914, 915
SM, NON_BLOCKING = 1, 1


@pytest.fixture
def cu() -> Iterator[Cu]:
    driver = Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))
    assert driver.cuInit(0) == 0
    before = live_handles()
    yield driver
    assert live_handles() == before


def numbers(resource: object) -> tuple[int, int, int, int]:
    """(type, multiprocessors, the fewest of a part, multiple) of a CUdevResource of cuda.h."""
    kind, *more = struct.unpack("<I92x3I36x", bytes(resource))  # type: ignore[call-overload]
    return kind, *more


def whole(cu: Cu) -> object:
    made = Resource()
    assert cu.cuDeviceGetDevResource(0, made, SM) == 0
    return made


def green_context(cu: Cu, least: int = 16) -> int:
    parts, number, description = (Resource * 1)(), c_uint32(1), c_uint64()
    assert cu.cuDevSmResourceSplitByCount(parts, byref(number), whole(cu), None, 0, least) == 0
    assert cu.cuDevResourceGenerateDesc(byref(description), parts, 1) == 0
    return int(cu.get(c_uint64, "cuGreenCtxCreate", description.value, 0, 1))


@pytest.mark.parametrize(
    "flags, least, most, number, size, rest",
    [
        (0, 0, 99, 16, 8, 4),
        (0, 17, 99, 5, 24, 12),
        (0, 17, 2, 2, 24, 84),
        (1, 0, 99, 66, 2, 0),
        (0, 132, 9, 0, 136, 132),
    ],
)
def test_a_device_is_split_into_equal_parts_and_a_rest(
    cu: Cu, flags: int, least: int, most: int, number: int, size: int, rest: int
) -> None:
    assert numbers(whole(cu)) == (SM, 132, 8, 8)
    parts, count, left = (Resource * most)(), c_uint32(most), Resource()
    assert cu.cuDevSmResourceSplitByCount(parts, byref(count), whole(cu), left, flags, least) == 0
    assert count.value == number
    assert {numbers(part)[:2] for part in parts[:number]} == ({(SM, size)} if number else set())
    assert numbers(left)[:2] == (int(rest > 0), rest)
    assert cu.cuDevSmResourceSplitByCount(None, byref(count), whole(cu), None, flags, least) == 0
    assert count.value == 132 // size


def test_resources_that_do_not_belong_together_are_refused(cu: Cu) -> None:
    parts, number, description = (Resource * 2)(), c_uint32(2), c_uint64()
    assert cu.cuDevSmResourceSplitByCount(parts, byref(number), whole(cu), None, 0, 16) == 0
    assert cu.cuDevSmResourceSplitByCount(None, byref(number), parts[0], None, 0, 8) == NO_CONFIGURATION
    other = (Resource * 2)(parts[0], whole(cu))
    assert cu.cuDevResourceGenerateDesc(byref(description), other, 2) == NO_CONFIGURATION
    assert cu.cuDevResourceGenerateDesc(byref(description), (Resource * 1)(), 1) == NO_TYPE
    assert cu.cuDevSmResourceSplitByCount(None, byref(number), whole(cu), None, 0, 133) == INVALID_VALUE
    assert cu.cuDeviceGetDevResource(0, Resource(), 2) == NO_TYPE
    assert cu.cuGreenCtxCreate(byref(description), 12345, 0, 1) == INVALID_VALUE


def test_it_is_current_under_its_own_handle_and_works_as_the_primary_context(cu: Cu) -> None:
    green = green_context(cu)
    context = cu.get(c_uint64, "cuCtxFromGreenCtx", green)
    primary = cu.get(c_uint64, "cuDevicePrimaryCtxRetain", 0)
    assert context != primary
    for handle in (context, primary, context):
        assert cu.cuCtxSetCurrent(handle) == 0
        assert [cu.get(c_uint64, "cuCtxGetCurrent") for _ in range(2)] == [handle] * 2
    ids = c_uint64(1), c_uint64(2)
    assert cu.cuGreenCtxGetId(green, byref(ids[0])) == cu.cuGreenCtxGetId(None, byref(ids[1])) == 0
    assert ids[0].value == ids[1].value
    module = cu.get(c_void_p, "cuModuleLoadData", PTX)
    function = cu.get(c_void_p, "cuModuleGetFunction", module, b"empty")
    own, other = (
        cu.get(c_uint64, "cuStreamCreate", NON_BLOCKING),
        cu.get(c_uint64, "cuGreenCtxStreamCreate", green, 1, 0),
    )
    resource, found, of = Resource(), c_uint64(), c_uint64()
    assert cu.cuCtxGetDevResource(context, resource, SM) == cu.cuGreenCtxGetDevResource(green, resource, SM) == 0
    assert numbers(resource)[1] == 16
    for stream in (own, other, 0):
        assert cu.cuStreamGetGreenCtx(stream, byref(found)) == 0
        assert found.value == green
        assert cu.cuStreamGetCtx_v2(stream, byref(of), byref(found)) == 0
        assert (of.value, found.value) == (primary, green)
        assert cu.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, None, None) == 0
    blocks = cu.get(c_int, "cuOccupancyMaxActiveBlocksPerMultiprocessor", function, 1024, 0)
    for grid, code in ((16 * blocks, 0), (16 * blocks + 1, TOO_LARGE)):
        assert cu.cuLaunchCooperativeKernel(function, grid, 1, 1, 1024, 1, 1, 0, other, None) == code
    event = cu.get(c_uint64, "cuEventCreate", 0)
    assert cu.cuGreenCtxRecordEvent(green, event) == cu.cuGreenCtxWaitEvent(green, event) == 0
    for symbol, handle in (("cuStreamDestroy_v2", own), ("cuEventDestroy_v2", event), ("cuModuleUnload", module)):
        assert getattr(cu, symbol)(handle) == 0
    assert cu.cuStreamDestroy_v2(other) == 0
    assert cu.cuGreenCtxDestroy(green) == 0
    assert cu.cuGreenCtxDestroy(green) == cu.cuCtxSetCurrent(context) == INVALID_CONTEXT
    assert cu.cuCtxSetCurrent(None) == 0
    assert cu.cuDevicePrimaryCtxRelease_v2(0) == 0


def test_a_stream_that_is_left_belongs_to_a_context_that_is_gone(cu: Cu) -> None:
    green = green_context(cu)
    stream = cu.get(c_uint64, "cuGreenCtxStreamCreate", green, NON_BLOCKING, 0)
    primary = cu.get(c_uint64, "cuDevicePrimaryCtxRetain", 0)
    assert cu.cuCtxSetCurrent(primary) == 0
    assert cu.cuStreamQuery(stream) == 0
    assert cu.cuGreenCtxDestroy(green) == 0
    assert cu.cuStreamQuery(stream) == cu.cuStreamDestroy_v2(stream) == DESTROYED
    assert cu.cuCtxSetCurrent(None) == 0
    assert cu.cuDevicePrimaryCtxRelease_v2(0) == 0
