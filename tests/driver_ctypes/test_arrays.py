"""CUDA arrays, textures and surfaces over a fake driver's C interface: what they are made of, copies, lifetimes, refusals."""

from __future__ import annotations

import array
import gc

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUaddress_mode, CUarray_format, CUresourcetype
from tests.driver_ctypes.fake_arrays import FakeArrays

PTX = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry reads(.param .u64 t, .param .u64 x) { ret; }\n"
READS = dc.Signature([dc.Parameter("t", "u64"), dc.Parameter("x", "pointer")])


@pytest.fixture
def fake() -> FakeArrays:
    return FakeArrays()


@pytest.fixture
def context(fake):
    context = fake.open().device(0).primary_context()
    yield context
    gc.collect()
    context.close()
    assert (fake.arrays, fake.mipmaps, fake.textures, fake.surfaces) == ({}, {}, {}, {})


def values(count: int) -> array.array[float]:
    return array.array("f", range(count))


@pytest.mark.parametrize(
    "extents, options, expected",
    [  # width, height, depth, format, channels, flags as the driver gets them
        ((8,), {}, (8, 0, 0, CUarray_format.FLOAT, 1, 0)),
        ((8, 4), {"channels": 4}, (8, 4, 0, CUarray_format.FLOAT, 4, 0)),
        ((8, 4, 2), {"surface": True}, (8, 4, 2, CUarray_format.FLOAT, 1, 2)),
        ((8, 0, 5), {"layered": True}, (8, 0, 5, CUarray_format.FLOAT, 1, 1)),
        ((8, 8, 6), {"cubemap": True}, (8, 8, 6, CUarray_format.FLOAT, 1, 4)),
        ((8, 8, 12), {"cubemap": True, "layered": True}, (8, 8, 12, CUarray_format.FLOAT, 1, 5)),
        ((8, 4), {"gather": True}, (8, 4, 0, CUarray_format.FLOAT, 1, 8)),
        ((32, 32, 20000), {}, (32, 32, 20000, CUarray_format.FLOAT, 1, 0)),  # by the limits of long and thin ones
    ],
)
def test_arrays_of_every_form(fake, context, extents, options, expected):
    with dc.create_array(context, "f32", *extents, **options) as made:
        ((created, _memory),) = fake.arrays.values()
        assert (
            created.Width,
            created.Height,
            created.Depth,
            created.Format,
            created.NumChannels,
            created.Flags,
        ) == expected
        assert made.nbytes == expected[0] * max(1, expected[1]) * max(1, expected[2]) * 4 * expected[4]
        assert context.live_handles() == {"array": 1}


@pytest.mark.parametrize(
    "form, extents, options, message",
    [
        ("f64", (8,), {}, "no array is of 'f64'"),
        ("f32", (8,), {"channels": 3}, "1, 2 or 4 channels"),
        ("f32", (0,), {}, "width first"),
        ("f32", (8, 0, 3), {}, "width first"),
        ("f32", (8, 8), {"layered": True}, "no layers"),
        ("f32", (8, 4, 6), {"cubemap": True}, "a cube map of 8 x 4 with 6 faces"),
        ("f32", (8, 8, 5), {"cubemap": True}, "with 5 faces"),
        ("f32", (8,), {"gather": True}, "only 2D arrays are gathered from, not 1D"),
        ("f32", (131073, 2), {}, "width 131073: MAXIMUM_TEXTURE2D_WIDTH of .* is 131072"),
        ("f32", (8, 40000), {"surface": True}, "MAXIMUM_SURFACE2D_HEIGHT of .* is 32768"),
        ("f32", (8, 40000), {"gather": True}, "MAXIMUM_TEXTURE2D_GATHER_HEIGHT"),
        ("f32", (9000, 8, 20000), {}, "MAXIMUM_TEXTURE3D_DEPTH"),
        ("f32", (8, 8, 3000), {"layered": True}, "MAXIMUM_TEXTURE2D_LAYERED_LAYERS"),
        ("f32", (40000, 40000, 6), {"cubemap": True}, "MAXIMUM_TEXTURECUBEMAP_WIDTH"),
    ],
)
def test_arrays_that_cannot_be(fake, context, form, extents, options, message):
    with pytest.raises(dc.ArgumentError, match=message):
        dc.create_array(context, form, *extents, **options)
    assert not fake.counts["cuArray3DCreate_v2"]


def test_whole_arrays_and_parts_are_copied(context):
    with dc.create_array(context, "f32", 8, 4) as one, dc.create_array(context, "f32", 8, 4) as two:
        one.write(values(32))
        context.copy_region(two, one, 32, 4)
        back = array.array("f", bytes(128))
        two.read(back)
        assert back == values(32)
        part = array.array("f", bytes(24))
        context.copy_region(part, dc.Region(two, x=8, y=1), 12, 2)
        assert part.tolist() == [10, 11, 12, 18, 19, 20]
        with context.alloc(128) as buffer, context.stream() as stream:
            two.read(buffer, stream=stream)
            one.write(buffer)


@pytest.mark.parametrize(
    "region, extent, message",
    [
        ({"y": 3}, (8, 2), "ends after 5 rows"),
        ({"x": 28}, (8, 1), "ends after 36 row's bytes"),
        ({"z": 1}, (8, 1), "ends after 2 slices"),
        ({"x": 2}, (8, 1), "not whole elements of 4 bytes"),
        ({}, (6, 1), "not whole elements"),
        ({"pitch": 64}, (8, 1), "rows and slices of its own"),
    ],
)
def test_parts_that_are_not_there(context, region, extent, message):
    with dc.create_array(context, "f32", 8, 4) as made, pytest.raises(dc.ArgumentRangeError, match=message):
        context.copy_region(dc.Region(made, **region), bytes(256), *extent)


def test_levels_of_a_mipmap(fake, context):
    with dc.create_mipmapped_array(context, "u8", 16, 4, channels=4) as mipmap:
        assert mipmap.levels == 5
        assert [mipmap.level(number).form[:2] for number in range(5)] == [(16, 4), (8, 2), (4, 1), (2, 1), (1, 1)]
        mipmap.level(1).write(bytes(64))
        with pytest.raises(dc.ArgumentRangeError, match="level 5 of an array with 5"):
            mipmap.level(5)
        with pytest.raises(dc.ArgumentRangeError, match="6 levels: this array has 1 to 5"):
            dc.create_mipmapped_array(context, "u8", 16, 4, levels=6)
        level = mipmap.level(0)
        level.close()
        assert mipmap.level(0).handle  # a level's close frees nothing
    with pytest.raises(dc.ClosedError):
        level.write(bytes(256))


def test_a_texture_says_how_it_reads(fake, context):
    with (
        dc.create_array(context, "u8", 8, 4, channels=4) as source,
        dc.create_texture(
            source, address=("wrap", "border"), filter="linear", read="normalized", normalized_coordinates=True,
            srgb=True, border=(1, 0.5),
        ) as texture,
    ):  # fmt: skip
        ((resource, sampling),) = fake.textures.values()
        assert (resource.resType, resource.res.array.hArray) == (CUresourcetype.ARRAY, source.handle)
        assert list(sampling.addressMode) == [CUaddress_mode.WRAP, CUaddress_mode.BORDER, CUaddress_mode.CLAMP]
        assert (sampling.filterMode, sampling.flags) == (1, 0x12)  # linear; normalized coordinates, sRGB
        assert list(sampling.borderColor) == [1, 0.5, 0, 0]
        assert int(texture.handle) in fake.textures


def test_textures_of_a_mipmap_and_of_linear_memory(fake, context):
    with (
        dc.create_mipmapped_array(context, "f32", 16, 16) as mipmap,
        context.alloc(1 << 16) as buffer,
        dc.create_texture(mipmap, filter="linear", mipmap_filter="linear", anisotropy=4, mipmap_bias=0.5) as first,
    ):
        base = -(-buffer.pointer // 512) * 512
        with (
            dc.create_texture(dc.Texels(base, "f32", 100, channels=2), context=context) as second,
            dc.create_texture(dc.Texels(base, "u16", 16, 4, pitch=64), context=context, read="normalized") as third,
        ):
            made = [fake.textures[int(texture.handle)] for texture in (first, second, third)]
    assert [resource.resType for resource, _sampling in made] == [1, 2, 3]
    sampling = made[0][1]
    assert (sampling.maxAnisotropy, sampling.mipmapFilterMode, sampling.mipmapLevelBias) == (4, 1, 0.5)
    assert (sampling.minMipmapLevelClamp, sampling.maxMipmapLevelClamp) == (0, 4)
    assert (made[1][0].res.linear.devPtr, made[1][0].res.linear.sizeInBytes) == (base, 800)
    rows = made[2][0].res.pitch2D
    assert (rows.width, rows.height, rows.pitchInBytes, rows.format) == (16, 4, 64, CUarray_format.UNSIGNED_INT16)
    assert [sampling.flags for _resource, sampling in made] == [1, 1, 0]  # read as integers, where not normalized


@pytest.mark.parametrize(
    "form, options, message",
    [
        ("f32", {"address": "repeat"}, "address 'repeat'"),
        ("f32", {"filter": "cubic"}, "filter 'cubic'"),
        ("f32", {"read": "raw"}, "read 'raw'"),
        ("f32", {"address": "wrap"}, "needs normalized coordinates"),
        ("f32", {"border": (1,)}, "for address='border'"),
        ("f32", {"read": "normalized"}, "elements of f32 are not normalized"),
        ("u32", {"read": "normalized"}, "elements of u32 are not normalized"),
        ("u8", {"filter": "linear"}, "not filtered as they are"),
        ("u8", {"srgb": True}, "srgb is of u8 elements that are read normalized"),
        ("f32", {"anisotropy": 2}, "of a MipmappedArray"),
        ("f32", {"mipmap_clamp": (0, 1)}, "of a MipmappedArray"),
        ("f32", {"seamless_cubemap": True}, "of cube maps"),
    ],
)
def test_readings_that_cannot_be(fake, context, form, options, message):
    with dc.create_array(context, form, 8, 4) as source, pytest.raises(dc.ArgumentError, match=message):
        dc.create_texture(source, **options)
    assert not fake.counts["cuTexObjectCreate"]


@pytest.mark.parametrize(
    "texels, options, message",
    [
        ({"width": 0}, {}, "rows of 0 bytes"),
        ({"width": 1 << 20}, {}, "the texels take 4194304 bytes, the Buffer has 65536"),
        ({"width": 16, "height": 4, "pitch": 32}, {}, "rows of 64 bytes that begin 32 bytes apart"),
        ({"width": 4}, {"filter": "linear"}, "a row of linear memory is read by element"),
        ({"width": 16, "height": 4, "pitch": 80}, {}, r"pitch 80 must be a multiple of 32 \(TEXTURE_PITCH_ALIGNMENT\)"),
    ],
)
def test_linear_memory_that_cannot_be_read(fake, context, texels, options, message):
    fake.attributes[14] = 1  # any address will do
    with context.alloc(1 << 16) as buffer, pytest.raises(dc.ArgumentError, match=message):
        dc.create_texture(dc.Texels(buffer, "f32", **texels), **options)


def test_misaligned_and_foreign_sources(context):
    with pytest.raises(dc.ArgumentRangeError, match="multiple of 512"):
        dc.create_texture(dc.Texels(0x10010, "f32", 4), context=context)
    with pytest.raises(dc.ArgumentError, match="does not say its context"):
        dc.create_texture(dc.Texels(0x10000, "f32", 4))
    with pytest.raises(dc.ArgumentTypeError, match="of an array or of Texels, not of bytes"):
        dc.create_texture(b"")  # type: ignore[arg-type]
    with pytest.raises(dc.ArgumentTypeError, match="a surface is of a CudaArray"):
        dc.create_surface(b"")  # type: ignore[arg-type]


def test_surfaces_are_of_arrays_made_for_them(fake, context):
    with dc.create_array(context, "u32", 8, 4, surface=True) as source, dc.create_surface(source) as surface:
        assert fake.surfaces[int(surface)][0].res.array.hArray == source.handle
    with dc.create_array(context, "u32", 8, 4) as plain, pytest.raises(dc.ArgumentError, match="not made for surfaces"):
        dc.create_surface(plain)


def test_an_array_lives_as_long_as_what_reads_it(fake, context):
    source = dc.create_array(context, "f32", 8, 4)
    texture = dc.create_texture(source)
    source.close()
    assert source.closed
    assert fake.arrays
    with pytest.raises(dc.ClosedError):
        source.write(values(32))
    texture.close()
    assert not fake.arrays
    with pytest.raises(dc.ClosedError, match="this texture object is closed"):
        int(texture)


def test_a_buffer_under_a_texture_too(fake, context):
    fake.attributes[14] = 1
    buffer = context.alloc(4096)
    texture = dc.create_texture(dc.Texels(buffer, "f32", 4))
    buffer.close()
    assert fake.memory
    texture.close()
    assert not fake.memory


def test_garbage_is_freed_in_order(fake, context):
    source = dc.create_array(context, "f32", 8, 4)
    texture = dc.create_texture(source)
    source.close()
    del texture, source
    gc.collect()
    context.collect()
    assert (fake.textures, fake.arrays) == ({}, {})
    kept = [dc.create_texture(dc.create_array(context, "f32", 8, 4))]
    kept.append(kept)
    del kept
    gc.collect()
    context.collect()
    assert (fake.textures, fake.arrays) == ({}, {})


def test_nothing_is_left_where_the_driver_fails(fake, context):
    with dc.create_array(context, "f32", 8, 4) as source:
        fake.fail("cuTexObjectCreate", 1)
        with pytest.raises(dc.CudaError):
            dc.create_texture(source)
    assert context.live_handles() == {}
    fake.fail("cuArray3DCreate_v2", 2, on_call=0)
    with pytest.raises(dc.OutOfMemoryError, match=r"128 bytes asked for"):
        dc.create_array(context, "f32", 8, 4)


def test_a_kernel_takes_them_as_a_number(fake, context):
    function = context.load(PTX, signatures={"reads": READS}).function("reads")
    with dc.create_array(context, "f32", 8, 4) as source, dc.create_texture(source) as texture:
        function.launch(1, 1, texture, 0x100)
        function.bind(1, 1)(texture, 0x100)
        assert [int.from_bytes(launch.args[0], "little") for launch in fake.launches] == [texture.handle] * 2
        with pytest.raises(dc.ArgumentTypeError):
            function.launch(1, 1, texture, source)


def test_accounts_count_arrays(context):
    with dc.memory_account() as account:
        made = dc.create_array(context, "f32", 8, 4)
        made.write(values(32))
        assert (account.total.outstanding, account.total.host_to_device) == (128, 128)
        made.close()
    account.check()
