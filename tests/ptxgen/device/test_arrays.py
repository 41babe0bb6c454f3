"""Arrays: what goes to the device comes back."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentError, ArgumentTypeError, ClosedError
from ptxgen.device.formats import decode, encode
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
