"""Textures and surfaces on the CPU device, against what the CUDA programming guide says, in numpy (`textured.py`)."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from tests.ptxgen.cpu import textured
from tests.ptxgen.cpu.textured import TARGETS, create, fetch

TEX = {
    1: f"tex.1d.v4.f32.f32 {TARGETS}, [%image, {{%f0}}];",
    2: f"tex.2d.v4.f32.f32 {TARGETS}, [%image, {{%f0, %f1}}];",
    3: f"tex.3d.v4.f32.f32 {TARGETS}, [%image, {{%f0, %f1, %f2, %f2}}];",
}
SHAPES = {1: (13,), 2: (7, 13), 3: (5, 7, 13)}


@pytest.fixture(scope="module")
def context():
    return px.device("cpu").context


def floats(words):
    return words[:, 0].view(np.float32)


def drawn(shape, kind=np.float32):
    random = np.random.default_rng(3)
    return random.uniform(-1, 1, shape).astype(kind) if np.dtype(kind).kind == "f" else random.integers(
        np.iinfo(kind).min, np.iinfo(kind).max, shape, kind, endpoint=True)  # fmt: skip


def positions(dims, count=300):
    """Around and beyond the texture, in elements, away from where the nearest element changes."""
    extents = SHAPES[dims][::-1]
    random = np.random.default_rng(dims)
    return np.stack([np.round(random.uniform(-2 * n, 3 * n, count) * 8) / 8 + 1 / 16 for n in extents]).astype(
        np.float32
    )


@pytest.mark.parametrize(
    "mode, normalized",
    [("clamp", False), ("border", False), ("clamp", True), ("border", True), ("wrap", True), ("mirror", True)],
)
@pytest.mark.parametrize("filter", ["point", "linear"])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_positions_and_filters(context, dims, filter, mode, normalized):
    texels, where = drawn(SHAPES[dims]), positions(dims)
    scale = np.array(SHAPES[dims][::-1], np.float32)[:, None] if normalized else np.float32(1)
    modes = [mode] * dims  # of further dimensions "clamp": see the next test
    with create(context, texels) as array:
        with dc.create_texture(array, filter=filter, address=modes, normalized_coordinates=normalized) as texture:
            found = floats(fetch(context, texture.handle, TEX[dims], (where / scale).T))
    expected = (textured.nearest if filter == "point" else textured.linear)(texels, where.astype(np.float64), mode)
    np.testing.assert_allclose(found, expected, atol=0 if filter == "point" else 0.02)


def test_a_row_is_the_middle_of_two_rows_of_which_one_may_be_the_border(context):
    """So an H200 filters textures of one dimension, whose second address mode nobody thinks of."""
    texels = np.ones(4, np.float32)
    with create(context, texels) as array:
        for modes, expected in ((["clamp", "border"], 0.5), (["clamp", "clamp"], 1.0)):
            with dc.create_texture(array, filter="linear", address=modes) as texture:
                assert floats(fetch(context, texture.handle, TEX[1], np.array([[2.0]], np.float32)))[0] == expected


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int16])
def test_integers_read_as_fractions(context, kind):
    texels = drawn((7, 13), kind)
    where = np.stack(np.meshgrid(np.arange(13), np.arange(7))).reshape(2, -1) + np.float32(0.5)
    with create(context, texels) as array, dc.create_texture(array, read="normalized") as texture:
        found = floats(fetch(context, texture.handle, TEX[2], where.astype(np.float32).T))
    expected = np.maximum(texels.reshape(-1).astype(np.float64) / np.iinfo(kind).max, -1).astype(np.float32)
    assert (found == expected).all()


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.float16])
def test_elements_as_they_are(context, kind):
    texels = drawn((13,), kind)
    where = (np.arange(13, dtype=np.float32) + 0.25)[:, None]
    with create(context, texels) as array, dc.create_texture(array) as texture:
        found = fetch(context, texture.handle, TEX[1], where)[:, 0]
    if np.dtype(kind).kind == "f":
        assert (found.view(np.float32) == texels).all()
    else:
        assert (found.view(np.int32) == texels.astype(np.int64).astype(np.uint32).view(np.int32)).all()


def test_whole_positions_are_not_filtered(context):
    texels = drawn((7, 13))
    where = np.random.default_rng(1).integers(-3, 16, (100, 2)).astype(np.int32)
    with create(context, texels) as array, dc.create_texture(array, filter="linear", address="border") as texture:
        found = floats(fetch(context, texture.handle, f"tex.2d.v4.f32.s32 {TARGETS}, [%image, {{%r4, %r5}}];", where))
    assert (found == textured.nearest(texels, where.T, "border").astype(np.float32)).all()


def test_a_row_and_rows_of_plain_memory(context):
    texels = drawn((4, 16))
    whole = f"tex.1d.v4.f32.s32 {TARGETS}, [%image, {{%r4}}];"
    with context.alloc_pitched(64, 4) as rows:
        context.copy_region(rows, np.ascontiguousarray(texels), 64, 4)
        with dc.create_texture(dc.Texels(rows, "f32", 16, 4), filter="linear") as texture:
            where = np.random.default_rng(1).uniform(0, 16, (50, 2)).astype(np.float32)
            found = floats(fetch(context, texture.handle, TEX[2], where))
            np.testing.assert_allclose(found, textured.linear(texels, where.T.astype(float), "clamp"), atol=0.02)
        with dc.create_texture(dc.Texels(rows, "f32", 16)) as texture:
            index = np.arange(-2, 18, dtype=np.int32)[:, None]
            expected = [0, 0, *texels[0], 0, 0]
            assert floats(fetch(context, texture.handle, whole, index)).tolist() == expected


@pytest.mark.parametrize("dims", [1, 2])
def test_layers(context, dims):
    texels = drawn((3, *SHAPES[dims]))
    where = positions(dims, 60)
    layers = np.arange(60, dtype=np.int32) % 5
    operands = np.concatenate([layers[None].view(np.uint32), where.view(np.uint32)]).T
    instruction = f"tex.a{dims}d.v4.f32.f32 {TARGETS}, [%image, {{%r4, %f1{', %f2, %f2' if dims == 2 else ''}}}];"
    with create(context, texels, layered=True) as array, dc.create_texture(array) as texture:
        found = floats(fetch(context, texture.handle, instruction, operands))
    expected = [textured.nearest(texels[min(n, 2)], p[:, None], "clamp")[0] for n, p in zip(layers, where.T)]
    assert found.tolist() == pytest.approx(expected, abs=0)


def test_faces_of_a_cube(context):
    """Each face says its number, and the row and column of the element."""
    size = 4
    texels = (np.arange(6)[:, None, None] * 100 + np.arange(size)[:, None] * 10 + np.arange(size)).astype(np.float32)
    directions = np.array(
        [(1, 0.6, 0.1), (-1, 0.6, 0.1), (0.1, 1, 0.6), (0.1, -1, 0.6), (0.1, 0.6, 1), (0.1, 0.6, -1)], np.float32
    )
    # (s, t) of the manual's table of faces, for each direction
    places = [(-0.1, -0.6), (0.1, -0.6), (0.1, 0.6), (0.1, -0.6), (0.1, -0.6), (-0.1, -0.6)]
    expected = [100 * n + 10 * int((t + 1) / 2 * size) + int((s + 1) / 2 * size) for n, (s, t) in enumerate(places)]
    cube = f"tex.cube.v4.f32.f32 {TARGETS}, [%image, {{%f0, %f1, %f2, %f2}}];"
    with create(context, texels, cubemap=True) as array, dc.create_texture(array) as texture:
        assert floats(fetch(context, texture.handle, cube, directions)).tolist() == expected


@pytest.mark.parametrize("mode, chosen", [("point", [0, 0, 1, 1, 2, 2]), ("linear", [0, 0.25, 0.75, 1, 1.5, 2])])
def test_levels_of_a_mipmap(context, mode, chosen):
    with dc.create_mipmapped_array(context, "f32", 8, 8, levels=3) as mipmap:
        for number in range(3):
            side = 8 >> number
            mipmap.level(number).write(np.full((side, side), number, np.float32))
        options = {"mipmap_filter": mode, "filter": "linear", "normalized_coordinates": True}
        with dc.create_texture(mipmap, **options) as texture:
            details = np.array([-1, 0.25, 0.75, 1, 1.5, 9], np.float32)
            operands = np.stack([np.full(6, 0.3, np.float32)] * 2 + [details], axis=1)
            level = f"tex.level.2d.v4.f32.f32 {TARGETS}, [%image, {{%f0, %f1}}], %f2;"
            found = floats(fetch(context, texture.handle, level, operands))
            assert found.tolist() == chosen if mode == "linear" else found.tolist() == [0, 0, 1, 1, 2, 2]
            slopes = "{%f2, 0f00000000}, {0f00000000, 0f00000000}"
            gradients = f"tex.grad.2d.v4.f32.f32 {TARGETS}, [%image, {{%f0, %f1}}], {slopes};"
            operands[:, 2] = np.exp2(details) / 8
            np.testing.assert_allclose(floats(fetch(context, texture.handle, gradients, operands)), found, atol=1 / 256)


def test_four_elements_of_a_channel(context):
    texels = drawn((7, 13))
    with create(context, texels, gather=True) as array, dc.create_texture(array) as texture:
        where = np.array([[3.2, 4.9]], np.float32)
        found = fetch(context, texture.handle, f"tld4.r.2d.v4.f32.f32 {TARGETS}, [%image, {{%f0, %f1}}];", where)
    assert found.view(np.float32)[0].tolist() == [texels[5, 2], texels[5, 3], texels[4, 3], texels[4, 2]]


def test_offsets_and_halves(context):
    texels = drawn((7, 13))
    where = np.array([[3.5, 4.5]], np.float32)
    with create(context, texels) as array, dc.create_texture(array) as texture:
        moved = f"tex.2d.v4.f32.f32 {TARGETS}, [%image, {{%f0, %f1}}], {{-2, 1}};"
        assert floats(fetch(context, texture.handle, moved, where))[0] == texels[5, 1]
        halves = "tex.2d.v2.f16x2.f32 {%r12, %r13}, [%image, {%f0, %f1}];"
        found = fetch(context, texture.handle, halves, where)[0, :2].view(np.float16)
        assert found[0] == texels[4, 3].astype(np.float16)


def test_what_a_texture_says_of_itself(context):
    asked = "".join(
        f"txq.{what}.b32 %r{12 + n}, [%image];"
        for n, what in enumerate(("width", "height", "channel_data_type", "channel_order"))
    )
    with create(context, drawn((7, 13), np.uint8)) as array, dc.create_texture(array) as texture:
        assert fetch(context, texture.handle, asked, np.zeros((1, 1), np.float32))[0].tolist() == [
            13,
            7,
            0x10DA,
            0x10B0,
        ]
        kinds = """istypep.texref %p, %image; selp.u32 %r12, 1, 0, %p; istypep.surfref %p, %image; selp.u32 %r13, 1, 0, %p;
        mov.u64 %d3, 77; istypep.texref %p, %d3; selp.u32 %r14, 1, 0, %p;"""
        assert fetch(context, texture.handle, kinds, np.zeros((1, 1), np.float32))[0].tolist() == [1, 0, 0, 0]


# -- surfaces ----------------------------------------------------------------------------------------------------------


def test_a_surface_is_read_and_written_by_bytes(context):
    texels = drawn((7, 13), np.uint32)
    with create(context, texels, surface=True) as array, dc.create_surface(array) as surface:
        where = np.array([(4 * x, y) for y in range(7) for x in range(13)], np.int32)
        body = """suld.b.2d.b32.trap %r12, [%image, {%r4, %r5}]; add.u32 %r13, %r12, 1;
        sust.b.2d.b32.trap [%image, {%r4, %r5}], %r13;"""
        assert (fetch(context, surface.handle, body, where)[:, 0] == texels.reshape(-1)).all()
        back = np.zeros_like(texels)
        array.read(back)
        assert (back == texels + 1).all()


def test_outside_a_surface(context):
    texels = np.arange(8, dtype=np.uint32)
    with create(context, texels, surface=True) as array, dc.create_surface(array) as surface:
        where = np.array([[-4], [0], [28], [32]], np.int32)
        body = "suld.b.1d.b32.clamp %r12, [%image, {%r4}]; suld.b.1d.b32.zero %r13, [%image, {%r4}];"
        found = fetch(context, surface.handle, body, where)
        assert found[:, 0].tolist() == [0, 0, 7, 7]
        assert found[:, 1].tolist() == [0, 0, 7, 0]
        fetch(context, surface.handle, "sust.b.1d.b32.zero [%image, {%r4}], 9;", where)
        back = np.zeros_like(texels)
        array.read(back)
        assert back.tolist() == [9, 1, 2, 3, 4, 5, 6, 9]


def test_reductions_and_formatted_stores_of_a_surface(context):
    with create(context, np.zeros(4, np.int32), surface=True) as array, dc.create_surface(array) as surface:
        body = """sured.b.add.1d.s32.trap [%image, {4}], %r4; sured.p.max.1d.b32.trap [%image, {2}], %r4;
        sust.p.1d.b32.trap [%image, {3}], 5;"""
        fetch(context, surface.handle, body, np.arange(-3, 3, dtype=np.int32)[:, None])
        back = np.zeros(4, np.int32)
        array.read(back)
        assert back.tolist() == [0, -3, 2, 5]
    with create(context, np.zeros(4, np.float16), surface=True) as array, dc.create_surface(array) as surface:
        fetch(context, surface.handle, "sust.p.1d.b32.trap [%image, {1}], %f0;", np.array([[1.5]], np.float32))
        halves = np.zeros(4, np.float16)
        array.read(halves)
        assert halves.tolist() == [0, 1.5, 0, 0]


# -- variables of a module ------------------------------------------------------------------------------------------------


def test_a_texture_reference_of_a_module(context):
    before = """.global .texref shades; .global .surfref canvas;
    .global .samplerref smooth = { addr_mode_0 = clamp_to_edge, filter_mode = linear };"""
    body = f"""tex.1d.v4.f32.f32 {TARGETS}, [shades, {{%f0}}];
    tex.1d.v4.f32.f32 {{%f4, %f5, %f6, %f7}}, [shades, smooth, {{%f0}}]; mov.b32 %r13, %f4;
    suld.b.1d.b32.trap %r14, [canvas, {{4}}]; mov.u64 %d3, shades; istypep.texref %p, %d3; selp.u32 %r15, 1, 0, %p;"""
    text = textured.KERNEL.format(before=before, instruction=body).replace("sm_90", "sm_90, texmode_independent")
    texels = np.array([1, 3, 5, 9], np.float32)
    operands = np.zeros((1, 4), np.float32)
    operands[0, 0] = 1.75
    out = np.zeros((1, 4), np.uint32)
    with context.load(text) as module, create(context, texels, surface=True) as array:
        texture, surface = ctypes.c_void_p(), ctypes.c_void_p()
        context.call("cuModuleGetTexRef", ctypes.byref(texture), module.handle, b"shades")
        context.call("cuModuleGetSurfRef", ctypes.byref(surface), module.handle, b"canvas")
        with pytest.raises(dc.CudaError, match="NOT_FOUND"):
            context.call("cuModuleGetTexRef", ctypes.byref(texture), module.handle, b"nothing")
        context.call("cuTexRefSetArray", texture, array.handle, 1)
        context.call("cuTexRefSetFilterMode", texture, 0)
        context.call("cuSurfRefSetArray", surface, array.handle, 0)
        with context.alloc(16) as given, context.alloc(16) as target:
            context.copy_to_device(given, operands)
            module.function("fetch").launch(1, 1, bytes(8), given, target, (1).to_bytes(4, "little"))
            context.copy_to_host(out, target)
    assert out[0].view(np.float32)[:3].tolist() == [3.0, 3.5, 3.0]
    assert out[0, 3] == 1
