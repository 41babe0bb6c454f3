"""Wrong things where an object of one kind is meant: an error of this package each time, which says what is meant."""

import pickle

import numpy as np
import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES


class Interface:
    """An array by an interface that is none."""

    def __init__(self, said):
        self.__cuda_array_interface__ = said


SLIPS = {
    "no name": (lambda c, m, f: m.function(None), "the name of a kernel is a str, not NoneType"),
    "number as name": (lambda c, m, f: m.function(5), "the name of a kernel is a str, not int 5"),
    "bytes as name": (lambda c, m, f: m.function(b"put"), "the name of a kernel is a str, not bytes"),
    "NUL in name": (lambda c, m, f: m.function("put\0x"), "cannot be the name of a kernel"),
    "variable": (lambda c, m, f: m.global_(b"counter"), "the name of a variable is a str"),
    "signature of names": (lambda c, m, f: dc.Signature(["u32"]), "a signature: expected a Parameter, found str 'u32'"),
    "signatures of lists": (
        lambda c, m, f: c.load(PTX, signatures={"put": []}),
        "the signature of 'put': expected a Sig",
    ),
    "list of signatures": (lambda c, m, f: c.load(PTX, signatures=[1]), "signatures are a mapping, not list"),
    "cache": (lambda c, m, f: c.load(PTX, cache="x"), "cache: expected a CubinCache, found str 'x'"),
    "process's cache": (lambda c, m, f: dc.set_cubin_cache("x"), "set_cubin_cache: expected a CubinCache"),
    "peer": (lambda c, m, f: dc.enable_peer(c, c.device), "peer: expected a Context, found Device"),
    "former peer": (lambda c, m, f: dc.disable_peer(c, None), "peer: expected a Context"),
    "shared memory": (lambda c, m, f: dc.memory_handle(5), "memory_handle: expected a Buffer, found int 5"),
    "sent handle": (lambda c, m, f: dc.open_memory(c, "x" * 64, 4), "a handle is bytes, not str"),
    "limits": (lambda c, m, f: dc.Limits.of(c), "Context .* is not a device"),
    "threads": (
        lambda c, m, f: dc.max_active_blocks(f, (16, 16)),
        r"threads: expected an integer, found tuple \(16, 16\)",
    ),
    "no interface": (lambda c, m, f: f.launch(1, 1, Interface({}), 0, 0), None),
    "image": (lambda c, m, f: dc.cubin_resources(b"junk"), "b'junk'... is not a cubin"),
    "pool's rights": (lambda c, m, f: dc.default_pool(c).set_access(c.device, "rw"), "no rights <Device"),
    "pool's devices": (lambda c, m, f: dc.default_pool(c).set_access("rw", ["cpu"]), "devices: expected a Device"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_an_error_of_this_package_says_what_is_meant(context, module, put, slip):
    call, message = SLIPS[slip]
    with pytest.raises(dc.ArgumentError, match=message):
        call(context, module, put)


def test_a_place_that_is_none(context):
    with context.alloc_managed(64) as managed, pytest.raises(dc.Error, match=r"where: expected a Device|cannot move"):
        managed.prefetch("cpu")


def test_a_signature_for_a_kernel_that_is_not_there(context):
    """A slip of the pen in its name would leave the kernel without one, in silence."""
    signatures = {"putt": SIGNATURES["put"], "add": SIGNATURES["add"]}
    with context.load(PTX, signatures=signatures) as module:
        assert module.function("add").signature == SIGNATURES["add"]
        with pytest.raises(
            dc.ArgumentError, match=r"for 'putt', which is not a kernel of the code.*\n  Fix: put is meant"
        ):
            module.function("put")
    with context.load_library(PTX, signatures=signatures) as library, pytest.raises(dc.ArgumentError, match="'putt'"):
        library.kernel("put")


def test_a_kernel_without_a_signature_beside_others_with_one(context):
    with context.load(PTX, signatures={"add": SIGNATURES["add"]}) as module:
        assert [param.size for param in module.function("put").signature.params] == [8, 4, 4]


def test_a_signature_goes_to_other_processes():
    signature = SIGNATURES["echo"]
    again = pickle.loads(pickle.dumps(signature))
    assert again == signature
    assert (again.offsets, again.size, again.packing.format) == (
        signature.offsets,
        signature.size,
        signature.packing.format,
    )


def test_text_is_no_bf16(context, x):
    signature = dc.Signature([dc.Parameter("x", "pointer"), dc.Parameter("b", "bf16")])
    for value in (b"\1", "1", bytearray(b"1")):
        with pytest.raises(dc.ArgumentTypeError, match=r"b: bf16.: expected a number, found"):
            signature.convert((x, value), context)
    assert signature.convert((x, np.float32(1.0)), context)[1] == 0x3F80
