"""Arrays: what goes to the device comes back."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentError, ArgumentTypeError, ClosedError
from ptxgen.host.formats import decode, encode
from ptxgen.isa.types import TYPES

DTYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 3, 4), (0,), (4, 0)])
def test_round_trip(dev: px.Device, dtype: str, shape: tuple[int, ...]) -> None:
    host = np.arange(math.prod(shape)).astype(dtype).reshape(shape)
    with dev.array(host) as array:
        assert array.shape == shape
        assert array.nbytes == host.nbytes
        back = array.numpy()
        assert back.dtype == host.dtype
        np.testing.assert_array_equal(back, host)


@pytest.mark.parametrize("dtype", [">i4", ">u2", ">f4", ">f8", "<i4"])
def test_big_endian_numbers_keep_their_values(dev: px.Device, dtype: str) -> None:
    host = np.arange(4).astype(dtype)
    filled = dev.empty(4, np.dtype(dtype[1:])).copy_from(host)
    for array in (dev.array(host), dev.asarray(host), dev.array(memoryview(host)), filled):
        assert array.numpy().dtype.isnative
        np.testing.assert_array_equal(array.numpy(), host)
    np.testing.assert_array_equal(dev.array(np.array([0x3F80], ">u2"), px.bf16).numpy(), [1.0])


def test_strides_are_bytes(dev: px.Device) -> None:
    assert dev.zeros((2, 3, 4), px.f32).strides == (48, 16, 4)


def test_host_layout_does_not_matter(dev: px.Device) -> None:
    host = np.arange(12, dtype=np.int32).reshape(3, 4)
    np.testing.assert_array_equal(dev.array(host.T).numpy(), host.T)
    np.testing.assert_array_equal(dev.array(host[:, ::2]).numpy(), host[:, ::2])


@pytest.mark.parametrize(
    "data, shape, name",
    [([1, 2, 3], (3,), "s32"), ([1.5, 2], (2,), "f32"), ([[1, 2], [3, 4]], (2, 2), "s32"), (7, (), "s32")],
)
def test_lists(dev: px.Device, data: object, shape: tuple[int, ...], name: str) -> None:
    array = dev.array(data)
    assert (array.shape, array.type.name) == (shape, name)
    np.testing.assert_array_equal(array.numpy(), np.array(data))


def test_a_masked_array_does_not_lose_its_mask(dev: px.Device) -> None:
    masked = np.ma.masked_array(np.arange(4, dtype=np.float32), mask=[0, 1, 0, 0])
    takes = (dev.array, dev.asarray, dev.zeros(4, px.f32).copy_from, lambda data: dev.array(data, px.f64))
    for take in takes:
        for data in (masked, masked[:1], np.ma.masked_array([1.0])):  # one without a masked element is one too
            with pytest.raises(ArgumentTypeError, match=r"masked array(.|\n)*Fix: array.filled\(value\)"):
                take(data)
    np.testing.assert_array_equal(dev.array(masked.filled(9)).numpy(), [0, 9, 2, 3])
    np.testing.assert_array_equal(dev.array(masked.data).numpy(), [0, 1, 2, 3])


def test_a_list_that_contains_itself(dev: px.Device) -> None:
    alone: list[object] = []
    alone.append(alone)
    twice: list[object] = []
    twice += [twice, twice]
    around: list[object] = [[[]]]
    around[0][0].append(around)  # type: ignore[index]
    for data in (alone, twice, around, (alone,)):
        with pytest.raises(ArgumentTypeError, match="a list that contains itself makes no array"):
            dev.array(data)
    row = [1, 2]
    np.testing.assert_array_equal(dev.array([row, row]).numpy(), [row, row])


@pytest.mark.parametrize("data", [[[1], [2, 3]], ["a"], [None], np.array([object()])])
def test_data_that_makes_no_array(dev: px.Device, data: object) -> None:
    with pytest.raises(ArgumentTypeError):
        dev.array(data)


def test_conversion_on_the_way(dev: px.Device) -> None:
    np.testing.assert_array_equal(dev.array([1, 2, 3], px.f64).numpy(), np.array([1.0, 2.0, 3.0]))
    with pytest.raises(ArgumentTypeError, match="do not fit"):
        dev.array([300], px.u8)


@pytest.mark.parametrize("name", ["bf16", "e4m3", "e5m2"])
def test_types_that_numpy_does_not_know(dev: px.Device, name: str) -> None:
    kind = TYPES[name]
    patterns = np.arange(1 << kind.bits, dtype=np.uint16 if kind.bits == 16 else np.uint8)
    array = dev.array(patterns, name)  # bit patterns pass unchanged
    np.testing.assert_array_equal(array.numpy(bits=True), patterns)
    values = array.numpy()
    assert values.dtype == np.float32
    again = dev.array(values, name).numpy(bits=True)
    keep = np.isfinite(values)
    np.testing.assert_array_equal(again[keep], patterns[keep])


@pytest.mark.parametrize(
    "name, value, bits",
    [
        ("bf16", 1.0, 0x3F80),
        ("bf16", 1.00390625, 0x3F80),  # a tie goes to even
        ("bf16", 1.01171875, 0x3F82),
        ("bf16", 3.4e38, 0x7F80),
        ("bf16", math.nan, 0x7FFF),
        ("e4m3", 448.0, 0x7E),
        ("e4m3", 1e9, 0x7E),  # saturates
        ("e4m3", -0.001953125, 0x81),
        ("e4m3", math.nan, 0x7F),
        ("e5m2", 57344.0, 0x7B),
        ("e5m2", 1.125, 0x3C),
    ],
)
def test_rounding_of_narrow_types(name: str, value: float, bits: int) -> None:
    (found,) = encode(np.array([value], np.float32), TYPES[name])
    assert found == bits
    assert decode(np.array([bits]), TYPES[name]).dtype == np.float32


def test_views_share_memory(dev: px.Device) -> None:
    array = dev.array(np.arange(12, dtype=np.float32))
    table = array.reshape(3, -1)
    assert table.shape == (3, 4)
    table[1].copy_from(np.full(4, 9, np.float32))
    np.testing.assert_array_equal(array.numpy()[4:8], 9)
    np.testing.assert_array_equal(array[2:5].numpy(), [2, 3, 9])
    np.testing.assert_array_equal(array[-1].numpy(), 11)
    assert array.view(px.u64).shape == (6,)
    assert array[1:].alignment == 4
    assert array.alignment == 256


def test_views_that_cannot_be(dev: px.Device) -> None:
    array = dev.zeros(12, px.f32)
    with pytest.raises(ArgumentError):
        array.reshape(5)
    with pytest.raises(ArgumentError):
        array[::2]
    with pytest.raises(ArgumentError):
        dev.zeros(3, px.u8).view(px.u32)
    with pytest.raises(IndexError):
        array[12]


@pytest.mark.parametrize("type_, value", [("f32", 1.5), ("u8", 7), ("f64", -2.25), ("bf16", 3.0), ("u64", 1 << 40)])
def test_fill(dev: px.Device, type_: str, value: float) -> None:
    np.testing.assert_array_equal(dev.full((3, 3), value, type_).numpy(), np.full((3, 3), value))


def test_copies_between_arrays(dev: px.Device) -> None:
    source, target = dev.array([1, 2, 3]), dev.zeros(3, px.s32)
    np.testing.assert_array_equal(target.copy_from(source).numpy(), [1, 2, 3])
    with pytest.raises(ArgumentTypeError, match="does not fit"):
        target.copy_from(dev.zeros(3, px.f64))
    with pytest.raises(ArgumentTypeError, match="shape"):
        target.copy_from([1, 2])


def test_a_closed_array_says_so(dev: px.Device) -> None:
    array = dev.zeros(3, px.f32)
    array.close()
    with pytest.raises(ClosedError):
        array.numpy()


@pytest.mark.cpu_only
def test_memory_of_the_cpu_device_is_not_gpu_memory(dev: px.Device) -> None:
    assert not hasattr(dev.zeros(3, px.f32), "__cuda_array_interface__")


def test_arrays_of_what_cannot_be_stored(dev: px.Device) -> None:
    for wrong in ("pred", "texref", "complex128", object()):
        with pytest.raises(ArgumentTypeError):
            dev.zeros(3, wrong)
    with pytest.raises(ArgumentError):
        dev.zeros(-1, px.f32)


# ---- what an array in device memory cannot do ------------------------------------------------------------------------


@pytest.mark.parametrize("index", [1.7, [1, 2], None, ..., "a", (0, 1), slice(0, 1.5), np.array([1, 2])])
def test_an_index_is_an_integer_or_a_contiguous_slice(dev: px.Device, index: object) -> None:
    with pytest.raises(ArgumentTypeError, match="an integer or a contiguous slice"):
        dev.zeros((3, 4), px.f32)[index]  # type: ignore[index]


def test_iteration_gives_rows(dev: px.Device) -> None:
    _, second = dev.array([[1, 2], [3, 4]])
    np.testing.assert_array_equal(second.numpy(), [3, 4])
    assert list(dev.zeros((0, 3), px.u8)) == []


def test_numpy_integers_are_indices(dev: px.Device) -> None:
    array = dev.array(np.arange(12, dtype=np.int32).reshape(3, 4))
    np.testing.assert_array_equal(array[np.int64(1)].numpy(), [4, 5, 6, 7])
    np.testing.assert_array_equal(array[np.uint8(1) : np.int32(3)].numpy(), np.arange(4, 12).reshape(2, 4))


@pytest.mark.parametrize(
    "use, said",
    [
        (np.asarray, r"x\.numpy\(\)"),
        (np.sum, r"x\.numpy\(\)"),
        (list, r"x\.numpy\(\)"),
        (lambda x: np.ones(3, np.float32) + x, r"x\.numpy\(\)"),
        (lambda x: x.__setitem__(0, 1.0), "fill"),
    ],
)
def test_what_only_the_host_can_do(dev: px.Device, use: object, said: str) -> None:
    with pytest.raises(ArgumentTypeError, match=said):
        use(dev.zeros(3, px.f32))  # type: ignore[operator]


@pytest.mark.parametrize("name, value", [("f32", 1.5), ("s8", -3), ("u64", 1 << 63), ("bf16", 0.5)])
def test_item(dev: px.Device, name: str, value: float) -> None:
    array = dev.full((2, 1), value, name)
    assert array[1].item() == array[1][0].item() == value
    assert type(array[1].item()) is type(value)
    with pytest.raises(ArgumentError, match=r"x\[i\]\.item\(\)"):
        array.item()


def test_equality_is_identity(dev: px.Device) -> None:
    x, y = dev.zeros(3, px.f32), dev.zeros(3, px.f32)
    assert x == x
    assert x != y
    assert x in {x, y}


@pytest.mark.parametrize(
    "data, name, said",
    [
        (np.array([300]), "u8", "300 is outside 0 to 255"),
        (np.array([-1]), "u32", "-1 is outside 0 to 4294967295"),
        (np.array([1 << 40]), "u32", "astype"),
        (np.array([1 << 63], np.uint64), "s64", "outside"),
        (np.array([1.7]), "s32", "whole numbers"),
        (np.array([np.nan, 1.0]), "s32", "whole numbers"),
        (np.array([np.inf]), "u8", "whole numbers"),
        (np.array([2.0**64]), "u64", "outside"),
        (np.array([256.0]), "b8", "outside -128 to 255"),
        (np.array([1 + 2j]), "s32", "complex128"),
        (np.array(["7"]), "s32", "astype"),
    ],
)
def test_integers_neither_wrap_nor_are_cut(dev: px.Device, data: np.ndarray, name: str, said: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ArgumentTypeError, match=said):
        dev.array(data, name)
    with pytest.raises(ArgumentTypeError, match=said):
        dev.zeros(data.shape, name).copy_from(data)


@pytest.mark.parametrize(
    "data, name, expected",
    [
        (np.array([255, 0]), "u8", [255, 0]),
        (np.array([3.0, -2.0]), "s16", [3, -2]),
        (np.array([-1]), "b32", [0xFFFFFFFF]),
        (np.array([-1.0]), "b32", [0xFFFFFFFF]),
        (np.array([True, False]), "s32", [1, 0]),
        (np.array([], np.float64), "u8", []),
        (np.array([300]).astype(np.uint8), "u8", [44]),  # the way out
    ],
)
def test_integers_that_fit(dev: px.Device, data: np.ndarray, name: str, expected: list[int]) -> None:  # type: ignore[type-arg]
    np.testing.assert_array_equal(dev.array(data, name).numpy(), expected)


@pytest.mark.parametrize(
    "data, type_, said",
    [
        ([300], px.u8, "300 is outside 0 to 255"),
        ([-1], px.u32, "-1 is outside 0 to"),
        ([2**40], None, "1099511627776 is outside"),
        ([float("nan")], px.u32, "nan is no whole number"),
        ([1e9], px.f16, "1000000000.0 is too large"),
        (["a"], None, "no device type"),
        ([1, None], None, "no numeric type"),
        (np.array([1j]), px.f32, "complex128 is not converted to .f32"),
        (np.array(["1"]), px.bf16, "is not converted to .bf16"),
        ([np.arange(3), np.arange(2)], None, "parts of equal length"),
    ],
)
def test_what_is_wrong_with_data(dev: px.Device, data: object, type_: object, said: str) -> None:
    with pytest.raises(ArgumentTypeError, match=said):
        dev.array(data, type_)


def test_lists_of_numpys_numbers_and_rows(dev: px.Device) -> None:
    assert dev.array([np.float32(1), np.float32(2.5)]).numpy().tolist() == [1, 2.5]
    assert dev.array([np.arange(3), np.arange(3)]).shape == (2, 3)
    assert dev.array([1, 2], px.f16x2).numpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    "value, said", [("a", "'a' is no number"), (256, "256 is outside 0 to 255"), (1.5, "no whole number")]
)
def test_what_cannot_fill(dev: px.Device, value: object, said: str) -> None:
    with pytest.raises(ArgumentTypeError, match=said):
        dev.zeros(3, px.u8).fill(value)


def test_a_type_that_no_element_has(dev: px.Device) -> None:
    with pytest.raises(ArgumentTypeError, match=r"float is no type of an array's elements(.|\n)*px.f32"):
        dev.zeros(4, float)
