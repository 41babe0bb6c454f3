"""Arguments: what each kind of parameter takes, how its bytes look, and what the refusal says."""

import array
import ctypes
import math
import struct
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driver_ctypes as dc
from driver_ctypes.arguments.signature import bf16_bits, signature_from_sizes


def packed(context, kind, value, size=0):
    signature = dc.Signature([dc.Parameter("p", kind, size)])
    return signature.packing.pack(*signature.convert([value], context))


def test_names_are_different():
    with pytest.raises(dc.ArgumentError, match="two parameters are called 'x'"):
        dc.Signature([dc.Parameter("x", "u32"), dc.Parameter("y", "u32"), dc.Parameter("x", "pointer")])


class Indexed:
    def __index__(self):
        return 7


class Numeric:
    def __float__(self):
        return 1.5


class CudaArray:
    def __init__(self, address):
        self.__cuda_array_interface__ = {"data": (address, False), "shape": (4,), "typestr": "<f4", "version": 3}


@pytest.mark.parametrize(
    "kind, value, expected",
    [
        ("u8", 255, b"\xff"),
        ("s8", -128, b"\x80"),
        ("u16", 0x1234, b"\x34\x12"),
        ("s16", -1, b"\xff\xff"),
        ("u32", 2**32 - 1, b"\xff" * 4),
        ("s32", -(2**31), b"\0\0\0\x80"),
        ("u64", 2**64 - 1, b"\xff" * 8),
        ("s64", -1, b"\xff" * 8),
        ("u32", np.uint32(5), b"\5\0\0\0"),
        ("u32", np.int64(5), b"\5\0\0\0"),
        ("s32", Indexed(), b"\7\0\0\0"),
        ("u32", True, b"\1\0\0\0"),
        ("f32", 1, struct.pack("<f", 1)),
        ("f32", 0.1, struct.pack("<f", 0.1)),
        ("f32", np.float64(2.5), struct.pack("<f", 2.5)),
        ("f32", np.float32(2.5), struct.pack("<f", 2.5)),
        ("f32", Decimal("2.5"), struct.pack("<f", 2.5)),
        ("f32", Numeric(), struct.pack("<f", 1.5)),
        ("f32", math.inf, b"\0\0\x80\x7f"),
        ("f64", 0.1, struct.pack("<d", 0.1)),
        ("f16", 1.0, b"\0\x3c"),
        ("f16", 1 + 2**-11, b"\0\x3c"),  # a tie goes to the even neighbour
        ("f16", 1 + 3 * 2**-11, b"\2\x3c"),
        ("f16", 65504.0, b"\xff\x7b"),
        ("bf16", 1.0, b"\x80\x3f"),
        ("bf16", 1 + 2**-8, b"\x80\x3f"),
        ("bf16", 1 + 3 * 2**-8, b"\x82\x3f"),
        ("bf16", 1 + 2**-8 + 2**-40, b"\x81\x3f"),  # rounding to f32 first would lose the last bit and tie to even
        ("bf16", -math.inf, b"\x80\xff"),
        ("pointer", 0, b"\0" * 8),
        ("pointer", 2**64 - 1, b"\xff" * 8),
        ("pointer", np.uint64(16), b"\x10" + b"\0" * 7),
        ("pointer", CudaArray(0x7000), b"\0\x70" + b"\0" * 6),
        ("pointer", CudaArray(None), b"\0" * 8),
    ],
)
def test_bytes_of_an_argument(context, kind, value, expected):
    assert packed(context, kind, value) == expected


@pytest.mark.parametrize("value", [b"12345678", bytearray(b"12345678"), memoryview(b"12345678"), ctypes.c_uint64(5)])
def test_a_structure_is_its_bytes(context, value):
    assert packed(context, "bytes", value, 8) == bytes(memoryview(value).tobytes())


def test_a_ctypes_structure_and_a_numpy_record_are_their_bytes(context):
    class Pair(ctypes.Structure):
        _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_float))

    assert packed(context, "bytes", Pair(1, 2.0), 8) == struct.pack("<if", 1, 2)
    record = np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f4")])[0]
    assert packed(context, "bytes", record, 8) == struct.pack("<if", 1, 2)


@pytest.mark.parametrize(
    "kind, value",
    [
        ("u8", 256), ("u8", -1), ("s8", 128), ("s8", -129), ("u16", 65536), ("s16", 32768), ("u32", 2**32), ("u32", -1),
        ("s32", 2**31), ("s32", -(2**31) - 1), ("u64", 2**64), ("u64", -1), ("s64", 2**63), ("u32", np.int64(-1)),
        ("pointer", -1), ("pointer", 2**64), ("f16", 65520.0), ("bf16", 3.4e38), ("f32", 1e39), ("f64", 10**400),
    ],
)  # fmt: skip
def test_out_of_range(context, kind, value):
    with pytest.raises(dc.ArgumentRangeError, match="p: " + kind):
        packed(context, kind, value)


@pytest.mark.parametrize(
    "kind, value",
    [
        ("u32", 1.0), ("u32", "1"), ("u32", None), ("s64", np.float32(1)), ("s64", [1]),
        ("f32", "1.0"), ("f32", None), ("f64", 1j), ("f16", b"1"), ("bf16", "1"), ("bf16", None),
        ("pointer", 1.0), ("pointer", None), ("pointer", "x"), ("pointer", True), ("pointer", object()),
    ],
)  # fmt: skip
def test_wrong_type(context, kind, value):
    with pytest.raises(dc.ArgumentTypeError) as caught:
        packed(context, kind, value)
    assert f"argument 1 (p: {kind})" in str(caught.value)
    assert type(value).__name__ in str(caught.value)
    assert (caught.value.index, caught.value.name) == (0, "p")


@pytest.mark.parametrize(
    "value", [b"1234", bytearray(16), 5, 1.0, "12345678", ctypes.c_int(1)], ids=lambda value: type(value).__name__
)
def test_a_structure_of_another_size_or_no_structure(context, value):
    with pytest.raises(dc.ArgumentTypeError, match="8 bytes"):
        packed(context, "bytes", value, 8)


class Twice:
    """A structure of one u64 that is twice the number it is given."""

    @classmethod
    def packed(cls, value, context):
        if not isinstance(value, int):
            raise dc.ArgumentTypeError(f"expected Twice, found {type(value).__name__}", hint="pass an int")
        return struct.pack("<Q", 2 * value)


def test_a_structure_that_knows_its_fields_packs_them_and_takes_nothing_else(context):
    signature = dc.Signature([dc.Parameter("p", "bytes", 8, structure=Twice)])
    assert signature.convert([21], context) == [struct.pack("<Q", 42)]
    assert signature.convert([b"12345678"], context) == [b"12345678"]
    for wrong in (ctypes.c_uint64(5), bytearray(8), 1.5):
        with pytest.raises(dc.ArgumentTypeError, match=r"k: argument 1 \(p: Twice\): expected Twice") as caught:
            signature.convert([wrong], context, "k")
        assert (caught.value.index, caught.value.name, caught.value.hint) == (0, "p", "pass an int")
    with pytest.raises(dc.ArgumentTypeError, match="exactly 8 bytes"):
        signature.convert([b"1234"], context)


@pytest.mark.parametrize(
    "value",
    [np.zeros(4), np.float32([1.0]), bytearray(8), b"data", array.array("f", [1.0]), memoryview(b"data")],
    ids=lambda value: type(value).__name__,
)
def test_host_memory_is_told_to_be_copied_first(context, value):
    with pytest.raises(dc.ArgumentTypeError, match="host memory") as caught:
        packed(context, "pointer", value)
    assert "copy it to the device first" in caught.value.hint


def test_foreign_memory_is_refused_where_the_driver_cannot_reach_it(fake):
    context = fake.open("arena", foreign_pointers=False).device(0).primary_context()
    with pytest.raises(dc.ArgumentTypeError, match="another library's CUDA memory"):
        packed(context, "pointer", CudaArray(0x7000))
    assert packed(context, "pointer", 0x7000) == b"\0\x70" + b"\0" * 6  # an address is taken at its word


def test_a_buffer_passes_as_its_address_and_only_on_its_own_context(context, fake):
    buffer = context.alloc(16)
    assert packed(context, "pointer", buffer) == struct.pack("<Q", buffer.pointer)
    other = fake.open("other").device(0).primary_context()
    with pytest.raises(dc.ArgumentError, match="lives on"):
        packed(other, "pointer", buffer)
    buffer.close()
    with pytest.raises(dc.ClosedError, match="argument 1"):
        packed(context, "pointer", buffer)


def test_anything_with_pointer_and_context_is_a_pointer(context):
    class Array:
        pointer = 0x4000

        def __init__(self):
            self.context = context

    assert packed(context, "pointer", Array()) == struct.pack("<Q", 0x4000)


def test_argument_count(context):
    signature = dc.Signature([dc.Parameter("n", "u32"), dc.Parameter("x", "pointer")])
    with pytest.raises(
        dc.ArgumentCountError, match=r"k\(n: u32, x: pointer\) takes 2 argument\(s\), 1 were given"
    ) as caught:
        signature.convert([1], context, "k")
    assert caught.value.hint == "also pass x"
    with pytest.raises(dc.ArgumentCountError, match="leave out the last 1"):
        signature.convert([1, 2, 3], context, "k")


def test_layout_follows_the_alignments():
    kinds = [("a", "u8"), ("b", "u64"), ("c", "u16"), ("d", "f32")]
    signature = dc.Signature([dc.Parameter(*p) for p in kinds] + [dc.Parameter("e", "bytes", 24, 16)])
    assert signature.offsets == (0, 8, 16, 20, 32)
    assert signature.size == 56
    assert str(signature) == "(a: u8, b: u64, c: u16, d: f32, e: bytes24)"
    assert signature.packing.size == 56


def test_signatures_compare_by_their_parameters():
    one, two = (dc.Signature([dc.Parameter("n", "u32")]) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != dc.Signature([dc.Parameter("m", "u32")])


@pytest.mark.parametrize(
    "args, message",
    [
        (("n", "int"), "unknown kind 'int'"),
        (("n", "u32", 8), "4 bytes, not 8"),
        (("n", "bytes"), "needs a size"),
        (("n", "bytes", 8, 3), "not a power of two"),
        (("n", "u32", 0, 0, None, 1, int), "a u32 is not a structure"),
    ],
)
def test_bad_parameters(args, message):
    with pytest.raises(dc.ArgumentError, match=message):
        dc.Parameter(*args)


@pytest.mark.parametrize(
    "size, value, expected",
    [
        (4, 5, b"\5\0\0\0"),
        (4, -1, b"\xff" * 4),
        (4, 2**32 - 1, b"\xff" * 4),
        (8, CudaArray(64), b"\x40" + b"\0" * 7),
        (4, ctypes.c_float(1.0), struct.pack("<f", 1)),
        (4, np.float32(1.0), struct.pack("<f", 1)),
        (2, np.float16(1.0), b"\0\x3c"),
        (12, b"x" * 12, b"x" * 12),
    ],
)
def test_a_parameter_of_which_only_the_size_is_known(context, size, value, expected):
    signature = signature_from_sizes([size])
    assert signature.packing.pack(*signature.convert([value], context)) == expected


@pytest.mark.parametrize(
    "size, value, kind, message",
    [
        (4, 1.0, dc.ArgumentTypeError, "signature is not known"),
        (4, 2**32, dc.ArgumentRangeError, "does not fit 4 bytes"),
        (4, ctypes.c_double(1), dc.ArgumentTypeError, "exactly 4 bytes"),
        (12, 5, dc.ArgumentTypeError, "expected 12 bytes"),
        (8, np.zeros(1), dc.ArgumentTypeError, "host memory"),
    ],
)
def test_what_an_unknown_parameter_does_not_take(context, size, value, kind, message):
    with pytest.raises(kind, match=message):
        signature_from_sizes([size]).convert([value], context)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_bf16_is_the_nearest_representable_value(number):
    """Independent of the bit tricks: no neighbour is nearer, and a tie has an even last bit."""

    def value(bits):
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]

    if abs(number) >= 3.3961775292304957e38:  # half a step above the largest finite bf16
        with pytest.raises(OverflowError):
            bf16_bits(number)
        return
    bits = bf16_bits(number)
    distance = abs(value(bits) - number)
    for neighbour in ((bits & 0x7FFF) - 1, (bits & 0x7FFF) + 1):
        if 0 <= neighbour < 0x7F80:
            other = abs(value(bits & 0x8000 | neighbour) - number)
            assert distance < other or (distance == other and bits % 2 == 0)


@pytest.mark.parametrize("bits", [0x0000, 0x8000, 0x0001, 0x007F, 0x0080, 0x3F80, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80])
def test_bf16_of_a_bf16_value_is_itself(bits):
    assert bf16_bits(struct.unpack("<f", struct.pack("<I", bits << 16))[0]) == bits


def test_bf16_of_nan_is_nan():
    assert bf16_bits(math.nan) & 0x7FFF == 0x7FC0


def test_reading_arguments_back(context):
    signature = dc.Signature(
        [
            dc.Parameter("n", "s32"),
            dc.Parameter("h", "bf16"),
            dc.Parameter("x", "pointer"),
            dc.Parameter("s", "bytes", 3),
        ]
    )
    buffer = ctypes.create_string_buffer(signature.size)
    signature.packing.pack_into(buffer, 0, *signature.convert([-5, 1.5, 0x1000, b"abc"], context))
    base = ctypes.addressof(buffer)
    pointers = (ctypes.c_void_p * 4)(*[base + offset for offset in signature.offsets])
    assert signature.read(ctypes.addressof(pointers)) == (("n", -5), ("h", 1.5), ("x", 0x1000), ("s", b"abc"))
