"""Numbers out of range, enumerations of another kind, pointers to something else: refused before the driver is asked."""

from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p, create_string_buffer

import numpy as np
import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUctx_flags, CUdevice_attribute, CUfunction_attribute, CUjit_option, CUlimit
from tests.driver_ctypes.kit import PTX

BIG = 1 << 64


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda c, f: c.stream(priority=(1 << 32) - 3),
            "cuStreamCreateWithPriority: priority cannot be 4294967293; .* i32",
        ),
        (
            lambda c, f: c.set_limit(0, BIG + 5000),
            "cuCtxSetLimit: value cannot be 18446744073709556616; it is a size, from 0 to",
        ),
        (lambda c, f: c.limit(1 << 32), "cuCtxGetLimit: limit cannot be"),
        (
            lambda c, f: f.set_attribute(8, (1 << 32) + 1024),
            "cuFuncSetAttribute: value cannot be 4294968320; it is a i32",
        ),
        (lambda c, f: f.attribute(1 << 32), "cuFuncGetAttribute: attrib cannot be"),
        (
            lambda c, f: c.device.attribute((1 << 32) + 1),
            "cuDeviceGetAttribute: attrib cannot be 4294967297; it is a enum",
        ),
        (lambda c, f: dc.pointer_info(c, -1), "cuPointerGetAttributes: ptr cannot be -1; it is a u64, from 0 to"),
        (lambda c, f: c.device.create_context(1 << 33), "cuCtxCreate_v2: flags cannot be 8589934592; it is a u32"),
        (lambda c, f: c.device.set_primary_flags(1 << 32), "cuDevicePrimaryCtxSetFlags_v2: flags cannot be"),
        (
            lambda c, f: c.call("cuMemsetD8_v2", 256, 256, 1),
            "cuMemsetD8_v2: uc cannot be 256; it is a u8, from 0 to 255",
        ),
        (lambda c, f: c.driver.call("cuDeviceGet", byref(c_int()), BIG), "cuDeviceGet: ordinal cannot be"),
        (lambda c, f: c.call("cuStreamSynchronize", BIG), "cuStreamSynchronize: hStream cannot be"),
        (lambda c, f: c.load(PTX, options={CUjit_option.MAX_REGISTERS: -1}), "JIT option .*: -1 is outside 0 to"),
    ],
)
def test_a_number_out_of_range_names_function_parameter_and_range(context, put, call, message):
    with pytest.raises(dc.ArgumentRangeError, match=message):
        call(context, put)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda c, f: c.device.attribute(1.5), r"expected an integer, found float 1\.5"),
        (lambda c, f: c.device.attribute("max_threads"), "is a name.*\n  Fix: CUdevice_attribute.MAX_"),
        (lambda c, f: c.device.attribute(CUfunction_attribute.NUM_REGS), "NUM_REGS is not a CUdevice_attribute"),
        (lambda c, f: c.limit("stack"), "'stack' is a name.*\n  Fix: CUlimit.STACK_SIZE is meant"),
        (lambda c, f: c.limit(CUdevice_attribute.WARP_SIZE), "WARP_SIZE is not a CUlimit"),
        (lambda c, f: c.set_flags(None), "expected an integer, found NoneType"),
        (lambda c, f: c.device.create_context("spin"), "'spin' is a name.*\n  Fix: CUctx_flags.SCHED_SPIN"),
        (lambda c, f: f.attribute("regs"), "'regs' is a name.*\n  Fix: CUfunction_attribute.NUM_REGS"),
        (lambda c, f: f.attribute(CUlimit.STACK_SIZE), "not a CUfunction_attribute"),
        (lambda c, f: c.load(PTX, options={"maxreg": 32}), "'maxreg' is a name.*\n  Fix: CUjit_option"),
        (lambda c, f: c.load(PTX, options={0: "32"}), "the value of JIT option 0: expected an integer"),
        (lambda c, f: c.load(PTX, options=[0, 32]), "JIT options are a mapping, not list"),
    ],
)
def test_what_is_no_member_of_the_enumeration(context, put, call, message):
    with pytest.raises(dc.ArgumentTypeError, match=message):
        call(context, put)


def test_members_and_numpy_s_integers_are_taken(context, put):
    assert context.device.attribute(np.int64(10)) == context.device.attribute(CUdevice_attribute.WARP_SIZE) == 32
    assert put.attribute(np.uint8(4)) == put.attribute(CUfunction_attribute.NUM_REGS)
    assert context.set_limit(CUlimit.STACK_SIZE, np.int32(context.limit(CUlimit.STACK_SIZE))) > 0
    context.device.create_context(CUctx_flags.SCHED_SPIN).close()
    context.device.create_context(CUctx_flags.SCHED_SPIN | CUctx_flags.MAP_HOST).close()


@pytest.mark.parametrize(
    "args, message",
    [
        (("x", 4), "cuMemAlloc_v2: dptr cannot be str 'x'; it is a u64*"),
        ((b"12345678", 4), "dptr cannot be bytes"),
        ((byref(c_int()), 4), r"dptr cannot be byref\(c_int\); it is a u64"),
        ((create_string_buffer(8), 4), "dptr cannot be c_char_Array_8"),
        ((-8, 4), "dptr cannot be -8"),
        ((1.5, 4), "dptr cannot be float"),
        ((byref(c_uint64()), 4, 5), r"takes 2 argument\(s\), 3 were given"),
        ((byref(c_uint64()),), r"takes 2 argument\(s\), 1 were given"),
        ((), r"takes 2 argument\(s\), 0 were given"),
        ((byref(c_uint64()), "4"), "bytesize cannot be str '4'"),
        ((byref(c_uint64()), None), "bytesize cannot be NoneType"),
    ],
)
def test_pointers_are_held_against_what_they_point_to(context, args, message):
    for call in (context.call, context.driver.call):
        with pytest.raises(dc.ArgumentError, match=message) as caught:
            call("cuMemAlloc_v2", *args)
        assert type(caught.value) is not dc.ArgumentError


def test_structures_have_their_own_pointers(context):
    from driver_ctypes.abi.structs import CUDA_MEMCPY2D, CUDA_MEMCPY3D

    for wrong in (byref(c_int()), byref(CUDA_MEMCPY3D()), "text", b"bytes"):
        with pytest.raises(dc.ArgumentTypeError, match=r"cuMemcpy2D_v2: pCopy cannot be .*; it is a CUDA_MEMCPY2D\*"):
            context.call("cuMemcpy2D_v2", wrong)
    with pytest.raises(dc.ArgumentTypeError, match="cuMemcpyHtoD_v2: srcHost cannot be str 'text'; it is a ptr"):
        context.call("cuMemcpyHtoD_v2", 256, "text", 4)
    assert CUDA_MEMCPY2D()


def test_right_pointers_are_taken_in_every_form(context):
    free, total = c_size_t(), (c_size_t * 1)()
    context.call("cuMemGetInfo_v2", byref(free), total)
    from ctypes import addressof, pointer

    again, before = c_size_t(), total[0]
    context.call("cuMemGetInfo_v2", pointer(again), addressof(total))
    assert total[0] == before
    assert 0 < again.value <= before >= free.value > 0  # other processes may have taken some meanwhile
    context.driver.call("cuCtxGetCurrent", byref(c_void_p()))
    context.call("cuStreamSynchronize", None)
    context.call("cuStreamSynchronize", c_void_p(0))
