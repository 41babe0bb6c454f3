"""Structures passed by value: the layout, what a kernel reads, and the bytes that the host packs."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentError, ArgumentRangeError, ArgumentTypeError
from ptxgen import b32, bf16, e4m3, f16, f32, f64, s8, s16, s32, u8, u16, u32, u64


class Options(px.Struct):
    flag: u8
    scale: f64
    count: u16
    shift: s32
    table: px.ptr[f32]
    half: f16
    small: s8


@px.kernel
def takes_structure(k: px.Builder, before: u32, options: Options, z: px.ptr[f64]):
    z[0] = options.scale * options.count.to(f64) + options.shift.to(f64)
    z[1] = options.table[1].to(f64) + options.flag.to(f64)
    z[2] = options.half.to(f64) + options.small.to(f64)
    z[3] = before.to(f64) + options.scale


def test_structures_are_passed_by_value(run, dev):
    table = dev.array([1.0, 2.5], f32)
    options = Options(flag=3, scale=0.1, count=1000, shift=-7, table=table, half=1.5, small=-8)
    z = dev.zeros(4, f64)
    run(takes_structure, 9, options, z, block=1)
    assert z.numpy().tolist() == [0.1 * 1000 - 7, 5.5, -6.5, 9.1]


def test_a_structure_lies_as_in_c():
    layout = Options.layout()
    assert [(f.name, f.offset) for f in layout.fields] == [
        ("flag", 0), ("scale", 8), ("count", 16), ("shift", 20), ("table", 24), ("half", 32), ("small", 34)
    ]  # fmt: skip
    assert (layout.size, layout.align) == (40, 8)
    assert ".param .align 8 .b8 options[40]" in str(takes_structure.module())


@pytest.mark.parametrize(
    "values, complaint",
    [
        ({"flag": 1}, "no value for scale, count"),
        (dict.fromkeys([*Options.__annotations__, "more"], 0), "no field more"),
    ],
)
def test_a_structure_s_fields_are_all_given_and_known(values, complaint):
    with pytest.raises(px.BuildError, match=complaint):
        Options(**values)


def test_a_field_s_value_must_fit():
    full = dict.fromkeys(("scale", "count", "shift", "table", "half", "small"), 0)
    with pytest.raises(ArgumentRangeError, match=r"Options.flag: 256 does not fit in .u8"):
        Options(flag=256, **full).pack()


def test_a_field_that_is_not_there():
    @px.kernel
    def asks(k: px.Builder, options: Options, z: px.ptr[f64]):
        z[0] = options.skale

    with pytest.raises(px.BuildError, match=r"Options has no field 'skale'(.|\n)*its fields are flag, scale"):
        asks.module()


# ---- vectors and structures inside -----------------------------------------------------------------------------------


class Corner(px.Struct):
    at: px.vec[f32, 2]
    tag: u8


class Box(px.Struct):
    id: u16
    low: Corner
    high: Corner
    color: px.vec[u8, 4]
    weights: px.vec[f16, 8]


@px.kernel
def takes_boxes(k: px.Builder, box: Box, z: px.ptr[f32]):
    z[0], z[1] = box.low.at
    z[2] = box.high.at.y
    z[3] = box.high.tag.to(f32) + box.low.tag.to(f32) * 10.0
    for lane in range(4):
        z[4 + lane] = box.color[lane].to(f32)
    for lane in range(8):
        z[8 + lane] = box.weights[lane].to(f32)


def a_box():
    return Box(
        id=1,
        low=Corner(at=(0.5, -1.5), tag=7),
        high=Corner(at=np.float32([2.5, 3.5]), tag=9),
        color=[1, 2, 3, 255],
        weights=range(8),
    )


def test_vectors_and_structures_are_fields(run, dev):
    z = dev.zeros(16, f32)
    run(takes_boxes, a_box(), z, block=1)
    assert z.numpy().tolist() == [0.5, -1.5, 3.5, 79, 1, 2, 3, 255, *range(8)]


def test_they_lie_as_in_c():
    class CCorner(ctypes.Structure):
        _fields_ = (("at", ctypes.c_uint64), ("tag", ctypes.c_uint8))  # a float2 is aligned to 8

    corner = Corner.layout()
    assert (corner.size, corner.align) == (ctypes.sizeof(CCorner), ctypes.alignment(CCorner)) == (16, 8)
    assert [field.offset for field in Box.layout().fields] == [0, 8, 24, 40, 48]
    assert (Box.layout().size, Box.layout().align) == (64, 16)
    assert a_box().pack()[8:17] == struct.pack("<ffB", 0.5, -1.5, 7)


def test_structures_assemble(assembles):
    assembles([takes_boxes, takes_structure])


# ---- the values of fields --------------------------------------------------------------------------------------------


class Every(px.Struct):
    brain: bf16 = 1.5
    small: e4m3 = 0x38
    bits: b32 = 0xFFFFFFFF
    wide: u64 = 2**64 - 1
    pair: px.vec[s16, 2] = (-1, 1)
    where: px.ptr[f32] = 0


def test_defaults_and_bytes():
    packed = Every(small=1).pack()
    assert packed == struct.pack("<HBxIQhh4xQ", 0x3FC0, 1, 2**32 - 1, 2**64 - 1, -1, 1, 0)


def test_a_default_is_not_the_kernel_s_value():
    @px.kernel
    def reads(k: px.Builder, every: Every, z: px.ptr[u64]):
        z[0] = every.wide

    assert "ld.param.u64 %rd3, [every+8];" in str(reads.module())


@pytest.mark.parametrize(
    "field, value, error, said",
    [
        ("wide", -1, ArgumentRangeError, "Every.wide: -1 does not fit in .u64"),
        ("wide", 1.5, ArgumentTypeError, "Every.wide: expected an integer, found float 1.5"),
        ("bits", None, ArgumentTypeError, "Every.bits: expected an integer, found NoneType"),
        ("brain", "1.5", ArgumentTypeError, "Every.brain: expected a number, found str"),
        ("brain", 1e39, ArgumentRangeError, "Every.brain: 1e[+]39 does not fit in .bf16"),
        ("pair", 3, ArgumentTypeError, "Every.pair: expected 2 numbers, found 3"),
        ("pair", (1, 2, 3), ArgumentTypeError, "Every.pair: expected 2 numbers"),
        ("pair", (1, 40000), ArgumentRangeError, r"Every.pair\[1\]: 40000 does not fit in .s16"),
        ("where", np.zeros(3, np.float32), ArgumentTypeError, "Every.where: expected a device pointer, found ndarray"),
        ("where", -8, ArgumentRangeError, "Every.where: -8 is not an address"),
        ("where", None, ArgumentTypeError, "Every.where: expected a device pointer"),
    ],
)
def test_a_value_that_its_field_does_not_take(field, value, error, said):
    with pytest.raises(error, match=said):
        Every(**{field: value}).pack()


def test_a_field_inside_is_named_in_full():
    box = a_box()
    box.high = Corner(at=(1, 2), tag=256)
    with pytest.raises(ArgumentRangeError, match=r"Box.high.tag: 256 does not fit"):
        box.pack()
    box.high = 5
    with pytest.raises(
        ArgumentTypeError, match=r"Box.high: expected Corner \(at: vec\[f32, 2\], tag: u8\), found int 5"
    ):
        box.pack()


def test_fields_change_on_the_host_only():
    every = Every()
    every.wide = 7
    assert every.wide == 7
    assert every.pack() == Every(wide=7).pack()
    with pytest.raises(px.BuildError, match=r"Every has no field 'wild'(.|\n)*its fields are brain"):
        every.wild = 7

    @px.kernel
    def writes(k: px.Builder, every: Every):
        every.wide = 7

    with pytest.raises(px.BuildError, match=r"PTX326(.|\n)*a parameter is read only(.|\n)*wide = k.var"):
        writes.module()


def test_field_types_that_there_are_not():
    def of(type_, name="field"):
        return type("P", (px.Struct,), {"__annotations__": {name: type_}})

    for wrong in (int, list[f32], px.pred, px.b128, np.float32):
        with pytest.raises(
            px.BuildError, match=r"P.field: .* is not a field type(.|\n)*px.vec\[f32, 4\](.|\n)*an array"
        ):
            of(wrong).layout()
    with pytest.raises(px.BuildError, match="no field can be called 'pack'"):
        of(u32, "pack").layout()
    with pytest.raises(px.BuildError, match="has no fields"):
        type("P", (px.Struct,), {}).layout()

    class Late(px.Struct):
        field: Nowhere  # noqa: F821

    with pytest.raises(px.BuildError, match="Late: an annotation cannot be resolved: name 'Nowhere'"):
        Late.layout()


def test_a_structure_with_no_context_knows_its_arrays(dev):
    x = dev.zeros(4, f64)
    with pytest.raises(ArgumentError, match=r"Every.where points to .f32 elements, the array has .f64"):
        Every(where=x).pack()
    x.close()
