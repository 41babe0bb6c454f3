"""Host tensors of PyTorch whose types numpy does not know: the types stay, and values are converted, never patterns."""

from __future__ import annotations

import ctypes
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes.errors import ArgumentTypeError
from driver_ctypes.interop import dlpack

if TYPE_CHECKING:
    from collections.abc import Sequence

CODES = {"bfloat16": (4, 16), "float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8), "uint8": (1, 8)}
BITS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8, "uint8": np.uint8}
TYPES = [("bfloat16", px.bf16), ("float8_e4m3fn", px.e4m3), ("float8_e5m2", px.e5m2)]


class Dtype:
    """Like torch.dtype: it has no `name`, only a text."""

    def __init__(self, name: str) -> None:
        self.text = name

    def __repr__(self) -> str:
        return f"torch.{self.text}"


class Tensor:
    """Like a tensor of PyTorch in host memory."""

    is_cuda = False

    def __init__(self, name: str, bits: Sequence[int] | np.ndarray[Any, Any], *, old: bool = False) -> None:
        self.memory = np.ascontiguousarray(bits, BITS[name])
        self.dtype = Dtype(name)
        self.old = old  # PyTorch 2.7

    def data_ptr(self) -> int:
        return int(self.memory.ctypes.data)

    def get_device(self) -> int:
        return -1

    def view(self, dtype: Dtype) -> Tensor:
        return Tensor(dtype.text, self.memory)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None) -> Any:
        if self.old and self.dtype.text.startswith("float8"):
            raise BufferError("float8 types are not supported by dlpack")
        return dlpack.give(
            self, self.data_ptr(), self.memory.shape, CODES[self.dtype.text], (1, 0), max_version is not None
        )

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"Got unsupported ScalarType {self.dtype.text}")


Tensor.__module__ = "torch"


def _tensor(name: str, type: Any, values: Any, *, old: bool = False) -> Tensor:
    from ptxgen.host.formats import encode

    return Tensor(name, encode(np.asarray(values, np.float32), type.isa).reshape(np.shape(values)), old=old)


VALUES = [[1.0, -2.0, 0.5], [0.0, 3.0, -0.25]]


@pytest.mark.parametrize("name, type", TYPES)
def test_the_type_stays(dev: px.Device, name: str, type: Any) -> None:
    made = dev.array(_tensor(name, type, VALUES))
    assert made.type is type.isa
    np.testing.assert_array_equal(made.numpy(), np.float32(VALUES))
    assert dev.asarray(_tensor(name, type, VALUES)).type is type.isa
    assert dev.array(_tensor(name, type, VALUES), type).type is type.isa


@pytest.mark.parametrize("name, type", TYPES)
@pytest.mark.parametrize("wanted", [px.f32, px.f16, px.bf16, px.e5m2, px.s32])
def test_values_are_converted(dev: px.Device, name: str, type: Any, wanted: Any) -> None:
    whole = [[1.0, -2.0], [0.0, 3.0]]
    made = dev.array(_tensor(name, type, whole), wanted)
    assert made.type is wanted.isa
    np.testing.assert_array_equal(made.numpy(), whole)


def test_values_that_do_not_fit_are_refused(dev: px.Device) -> None:
    with pytest.raises(ArgumentTypeError, match="not all whole numbers"):
        dev.array(_tensor("bfloat16", px.bf16, VALUES), px.s32)


def test_untyped_bits_are_the_patterns(dev: px.Device) -> None:
    made = dev.array(_tensor("bfloat16", px.bf16, [1.0, -2.0]), px.b16)
    np.testing.assert_array_equal(made.numpy(), [0x3F80, 0xC000])


class Turned:
    """Like the transposed view of a parameter: with strides, and with a gradient, which DLPack refuses."""

    is_cuda = False
    requires_grad = True

    def __init__(self, whole: Tensor) -> None:
        self.whole, self.dtype = whole, whole.dtype
        self.steps = (ctypes.c_int64 * 2)(1, whole.memory.shape[1])

    def detach(self) -> Turned:
        turned = Turned(self.whole)
        turned.requires_grad = False
        return turned

    def contiguous(self) -> Tensor:
        return Tensor(self.dtype.text, self.whole.memory.T)

    def __dlpack__(self, **_: Any) -> Any:
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        shape = self.whole.memory.shape[::-1]
        capsule = dlpack.give(self, self.whole.data_ptr(), shape, CODES[self.dtype.text], (1, 0), False)
        fields = dlpack.Tensor.from_address(dlpack.capsule_pointer(capsule, b"dltensor"))
        fields.strides = ctypes.cast(self.steps, ctypes.POINTER(ctypes.c_int64))
        return capsule


Turned.__module__ = "torch"


@pytest.mark.parametrize("name, type", TYPES)
def test_a_transposed_parameter_is_copied(dev: px.Device, name: str, type: Any) -> None:
    made = dev.array(Turned(_tensor(name, type, VALUES)))
    assert made.type is type.isa
    np.testing.assert_array_equal(made.numpy(), np.float32(VALUES).T)


def test_into_an_array_that_is_there(dev: px.Device) -> None:
    floats, halves = dev.zeros((2, 3), px.f32), dev.zeros((2, 3), px.bf16)
    for array in (floats, halves):
        array.copy_from(_tensor("bfloat16", px.bf16, VALUES))
        np.testing.assert_array_equal(array.numpy(), np.float32(VALUES))


def test_pytorch_that_gives_no_capsule_of_fp8(dev: px.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(uint8=Dtype("uint8")))  # type: ignore[arg-type]
    made = dev.array(_tensor("float8_e4m3fn", px.e4m3, VALUES, old=True))
    assert made.type is px.e4m3.isa
    np.testing.assert_array_equal(made.numpy(), np.float32(VALUES))
