"""Arrays, textures and surfaces."""

from __future__ import annotations

import array

import driver_ctypes as dc
from tests.driver_ctypes.kit import words

READS = """.version 7.8
.target sm_75
.address_size 64
.visible .entry reads(.param .u64 texture, .param .u64 out)
{
    .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %d<5>;
    ld.param.u64 %d1, [texture];
    ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    cvt.rn.f32.u32 %f1, %r1;
    cvt.rn.f32.u32 %f2, %r2;
    add.f32 %f1, %f1, 0f3F000000;
    add.f32 %f2, %f2, 0f3F000000;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];
    mad.lo.u32 %r3, %r2, 8, %r1;
    mul.wide.u32 %d3, %r3, 4;
    add.u64 %d4, %d2, %d3;
    st.global.f32 [%d4], %f3;
    ret;
}
.visible .entry writes(.param .u64 surface)
{
    .reg .b32 %r<5>; .reg .b64 %d<2>;
    ld.param.u64 %d1, [surface];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mad.lo.u32 %r3, %r2, 8, %r1;
    shl.b32 %r4, %r1, 2;
    sust.b.2d.b32.trap [%d1, {%r4, %r2}], {%r3};
    ret;
}
"""


def test_the_kernels_are_legal(assembler):
    assert assembler(READS).cubin


def test_a_kernel_reads_a_texture(context):
    data = array.array("f", range(32))
    module = context.load(READS)
    with dc.create_array(context, "f32", 8, 4) as source, context.alloc(128) as out:
        source.write(data)
        back = array.array("f", bytes(128))
        source.read(back)
        assert back == data
        with dc.create_texture(source) as texture:
            module.function("reads").launch(1, (8, 4), texture.handle.to_bytes(8, "little"), out)
        assert words(context, out, 32, "f") == list(range(32))


def test_a_kernel_reads_rows_of_plain_memory(context):
    module = context.load(READS)
    with context.alloc_pitched(32, 4) as rows, context.alloc(128) as out:
        context.copy_region(rows, array.array("f", range(32)), 32, 4)
        with dc.create_texture(dc.Texels(rows, "f32", 8, 4)) as texture:
            module.function("reads").launch(1, (8, 4), texture.handle.to_bytes(8, "little"), out)
            assert words(context, out, 32, "f") == list(range(32))


def test_a_kernel_writes_a_surface(context):
    module = context.load(READS)
    with dc.create_array(context, "u32", 8, 4, surface=True) as target:
        with dc.create_surface(target) as surface:
            module.function("writes").launch(1, (8, 4), surface.handle.to_bytes(8, "little"))
        back = array.array("I", bytes(128))
        target.read(back)
        assert back.tolist() == list(range(32))


def test_levels_of_a_mipmap(context):
    with dc.create_mipmapped_array(context, "f32", 8, 4) as mipmap:
        assert mipmap.levels == 4
        mipmap.level(1).write(array.array("f", range(8)))
        back = array.array("f", bytes(32))
        mipmap.level(1).read(back)
        assert back.tolist() == list(range(8))
        dc.create_texture(mipmap, filter="linear", mipmap_filter="linear", normalized_coordinates=True).close()
