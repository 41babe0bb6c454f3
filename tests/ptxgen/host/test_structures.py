"""Structures among the arguments of a launch: their class and their fields are checked, their arrays are kept."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentError, ArgumentTypeError, ClosedError
from ptxgen import f32, f64, u32


class Affine(px.Struct):
    scale: f32
    n: u32
    x: px.ptr[f32]


class Swapped(px.Struct):
    """Of Affine's size, with other fields."""

    n: u32
    scale: f32
    x: px.ptr[f32]


@px.kernel
def affine(k: px.Builder, by: Affine, shift: f32) -> None:
    i = k.global_id.x
    with k.if_(i < by.n):
        by.x[i] = by.x[i] * by.scale + shift


class Quads(px.Struct):
    x: px.ptr[px.vec[f32, 4]]


@px.kernel
def first(k: px.Builder, q: Quads, z: px.ptr[f32]) -> None:
    z[0] = q.x[0].w


Launching = Callable[..., None]


@pytest.fixture(params=["kernel[...]", "often", "bind", "loaded"])
def launching(dev: px.Device, request: pytest.FixtureRequest) -> Launching:
    """Every way to launch; `often` is where a launcher was made for the configuration."""
    if request.param == "bind":
        return affine.bind(1, 32, device=dev)
    if request.param == "loaded":
        handle = affine.on(dev)
        return lambda *arguments: handle.launch(1, 32, arguments)
    if request.param == "often":
        x = dev.zeros(4, f32)
        for _ in range(20):
            affine[1, 32](Affine(scale=1, n=0, x=x), 0.0)
    return affine[1, 32]


def test_a_structure_and_its_array(dev: px.Device, launching: Launching) -> None:
    x = dev.array(np.arange(4, dtype=np.float32))
    by = Affine(scale=2, n=3, x=x)
    launching(by, 1.0)
    by.n = 1
    launching(by, 0.5)
    np.testing.assert_array_equal(x.numpy(), [2.5, 3, 5, 3])
    launching(by.pack(), 0.0)  # its bytes are taken as they are
    np.testing.assert_array_equal(x.numpy(), [5, 3, 5, 3])


class Wrong:
    def __init__(self, dev: px.Device) -> None:
        self.other = Swapped(n=3, scale=1.0, x=0)
        self.fields = {"scale": 1.0, "n": 3, "x": 0}
        self.more = type("More", (Affine,), {"__annotations__": {"m": u32}})(scale=1.0, n=3, x=0, m=1)
        self.buffer = bytearray(16)
        self.number = 5


@pytest.mark.parametrize("what", ["other", "fields", "more", "buffer", "number"])
def test_another_structure_is_refused(dev: px.Device, launching: Launching, what: str) -> None:
    wrong = getattr(Wrong(dev), what)
    with pytest.raises(
        ArgumentTypeError,
        match=r"affine: argument 1 \(by: Affine\): expected Affine \(scale: f32, n: u32, x: ptr\[f32\]\), found "
        + type(wrong).__name__,
    ) as caught:
        launching(wrong, 0.0)
    assert "pass Affine(scale=..., n=..., x=...)" in str(caught.value)
    assert (caught.value.index, caught.value.name) == (0, "by")


def test_a_class_defined_anew_is_the_same(dev: px.Device, launching: Launching) -> None:
    again: Any = type("Affine", (px.Struct,), {"__annotations__": {"scale": f32, "n": u32, "x": px.ptr[f32]}})
    x = dev.full(4, 3, f32)
    launching(again(scale=2, n=4, x=x), 0.0)
    np.testing.assert_array_equal(x.numpy(), 6)


def test_the_fields_are_checked_as_parameters_are(dev: px.Device, launching: Launching) -> None:
    place = r"affine: argument 1 \(by: Affine\): Affine"
    with pytest.raises(ArgumentTypeError, match=place + r"\.x points to \.f32 elements, the array has \.f64"):
        launching(Affine(scale=1, n=1, x=dev.zeros(4, f64)), 0.0)
    with pytest.raises(ArgumentTypeError, match=place + r"\.x: ndarray is host memory"):
        launching(Affine(scale=1, n=1, x=np.zeros(4, np.float32)), 0.0)
    with pytest.raises(ArgumentError, match=place + r"\.n: -1 does not fit in \.u32"):
        launching(Affine(scale=1, n=-1, x=dev.zeros(4, f32)), 0.0)
    closed = dev.zeros(4, f32)
    closed.close()
    with pytest.raises(ClosedError, match=place + r"\.x: this buffer is closed"):
        launching(Affine(scale=1, n=1, x=closed), 0.0)


def test_a_pointer_to_vectors_needs_their_alignment(dev: px.Device) -> None:
    x, z = dev.array(np.arange(8, dtype=np.float32)), dev.zeros(1, f32)
    first[1, 1](Quads(x=x[4:]), z)
    assert z.numpy()[0] == 7
    with pytest.raises(
        ArgumentError, match=r"\(q: Quads\): Quads.x is at 0x[0-9a-f]+, its vector accesses need 16-byte"
    ):
        first[1, 1](Quads(x=x[1:]), z)


def test_its_arrays_say_on_which_device(dev: px.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXGEN_DEVICE", "nowhere")  # nobody asks for the current device
    x = dev.full(4, 3, f32)
    affine[1, 32](Affine(scale=2, n=4, x=x), 0.0)
    np.testing.assert_array_equal(x.numpy(), 6)


def test_a_graph_keeps_the_arrays_of_a_structure(dev: px.Device) -> None:
    x, y = dev.full(4, 1, f32), dev.full(4, 5, f32)
    with dev.capture() as graph:
        affine[1, 32](Affine(scale=2, n=4, x=x), 0.0)
    assert x.buffer in graph.definition.owners
    x.close()
    gc.collect()
    graph.launch()  # into memory that is still there
    with pytest.raises(ArgumentTypeError, match=r"expected Affine .*found Swapped"):
        graph.update("affine", by=Swapped(n=3, scale=1.0, x=y))
    graph.update("affine", by=Affine(scale=3, n=4, x=y))
    graph.launch()
    np.testing.assert_array_equal(y.numpy(), 15)
    graph.close()
