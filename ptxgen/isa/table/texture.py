"""Texture instructions (manual 9.7.10)."""

ROWS = """
# In unified texture mode (manual 5.3.1) a sampler of its own goes with neither cube maps, but in tex.level, nor
# gradients over arrays: what nvJitLink takes.
.dtype = u32 s32 f32 f16(4.2)
.flat = 1d*1 2d*2
.ms = 2dms(3.2 sm_30) a2dms(3.2 sm_30)
.comp = r g b a

section 9.7.10.3
tex.flat.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*flat:f32}]{, {e*flat:s32}}{, depth:f32} ; reads
tex.flat.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*flat:f32}]{, {e*flat:s32}}{, depth:f32} ; since 7.1 ; reads
tex.flat.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*flat:f32}]{, {e*flat:s32}}{, depth:f32} ; since 4.2 ; reads
tex.flat.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*flat:f32}]{, {e*flat:s32}}{, depth:f32} ; since 7.1 ; reads
tex.3d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*4:f32}]{, {e*4:s32}} ; reads
tex.3d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:f32}]{, {e*4:s32}} ; since 7.1 ; reads
tex.3d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*4:f32}]{, {e*4:s32}} ; since 4.2 ; reads
tex.3d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:f32}]{, {e*4:s32}} ; since 7.1 ; reads
tex.a1d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {i:u32, c:f32}]{, e:s32}{, depth:f32} ; reads
tex.a1d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c:f32}]{, e:s32}{, depth:f32} ; since 7.1 ; reads
tex.a1d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {i:u32, c:f32}]{, e:s32}{, depth:f32} ; since 4.2 ; reads
tex.a1d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c:f32}]{, e:s32}{, depth:f32} ; since 7.1 ; reads
tex.a2d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; reads
tex.a2d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; since 7.1 ; reads
tex.a2d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; since 4.2 ; reads
tex.a2d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; since 7.1 ; reads
tex.cube.v4.dtype.f32   {d*4:dtype}, [a:b64, {c*4:f32}]{, depth:f32} ; reads
tex.cube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {c*4:f32}]{, depth:f32} ; since 7.1 ; reads
tex.cube.v2.f16x2.f32   {d*2:b32}, [a:b64, {c*4:f32}]{, depth:f32} ; since 4.2 ; reads
tex.cube.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64, {c*4:f32}]{, depth:f32} ; since 7.1 ; reads
tex.acube.v4.dtype.f32   {d*4:dtype}, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; reads
tex.acube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; since 7.1 ; reads
tex.acube.v2.f16x2.f32   {d*2:b32}, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; since 4.2 ; reads
tex.acube.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; since 7.1 ; reads
tex.flat.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*flat:s32}]{, {e*flat:s32}} ; reads
tex.flat.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*flat:s32}]{, {e*flat:s32}} ; since 7.1 ; reads
tex.flat.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*flat:s32}]{, {e*flat:s32}} ; since 4.2 ; reads
tex.flat.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*flat:s32}]{, {e*flat:s32}} ; since 7.1 ; reads
tex.3d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*4:s32}]{, {e*4:s32}} ; reads
tex.3d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:s32}]{, {e*4:s32}} ; since 7.1 ; reads
tex.3d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*4:s32}]{, {e*4:s32}} ; since 4.2 ; reads
tex.3d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:s32}]{, {e*4:s32}} ; since 7.1 ; reads
tex.a1d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {i:u32, c:s32}]{, e:s32} ; reads
tex.a1d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c:s32}]{, e:s32} ; since 7.1 ; reads
tex.a1d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {i:u32, c:s32}]{, e:s32} ; since 4.2 ; reads
tex.a1d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c:s32}]{, e:s32} ; since 7.1 ; reads
tex.a2d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {i:u32, c*3:s32}]{, {e*2:s32}} ; reads
tex.a2d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c*3:s32}]{, {e*2:s32}} ; since 7.1 ; reads
tex.a2d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {i:u32, c*3:s32}]{, {e*2:s32}} ; since 4.2 ; reads
tex.a2d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c*3:s32}]{, {e*2:s32}} ; since 7.1 ; reads
tex.ms.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*4:s32}]{, {e*2:s32}} ; reads
tex.ms.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:s32}]{, {e*2:s32}} ; since 7.1 ; reads
tex.ms.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*4:s32}]{, {e*2:s32}} ; since 4.2 ; reads
tex.ms.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:s32}]{, {e*2:s32}} ; since 7.1 ; reads
tex.base.flat.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*flat:f32}]{, {e*flat:s32}}{, depth:f32} ; reads
tex.base.flat.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*flat:f32}]{, {e*flat:s32}}{, depth:f32} ; since 7.1 ; reads
tex.base.flat.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*flat:f32}]{, {e*flat:s32}}{, depth:f32} ; since 4.2 ; reads
tex.base.flat.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*flat:f32}]{, {e*flat:s32}}{, depth:f32} ; since 7.1 ; reads
tex.base.3d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*4:f32}]{, {e*4:s32}} ; reads
tex.base.3d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:f32}]{, {e*4:s32}} ; since 7.1 ; reads
tex.base.3d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*4:f32}]{, {e*4:s32}} ; since 4.2 ; reads
tex.base.3d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:f32}]{, {e*4:s32}} ; since 7.1 ; reads
tex.base.a1d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {i:u32, c:f32}]{, e:s32}{, depth:f32} ; reads
tex.base.a1d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c:f32}]{, e:s32}{, depth:f32} ; since 7.1 ; reads
tex.base.a1d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {i:u32, c:f32}]{, e:s32}{, depth:f32} ; since 4.2 ; reads
tex.base.a1d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c:f32}]{, e:s32}{, depth:f32} ; since 7.1 ; reads
tex.base.a2d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; reads
tex.base.a2d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; since 7.1 ; reads
tex.base.a2d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; since 4.2 ; reads
tex.base.a2d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; since 7.1 ; reads
tex.base.cube.v4.dtype.f32   {d*4:dtype}, [a:b64, {c*4:f32}]{, depth:f32} ; reads
tex.base.cube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {c*4:f32}]{, depth:f32} ; since 7.1 ; reads
tex.base.cube.v2.f16x2.f32   {d*2:b32}, [a:b64, {c*4:f32}]{, depth:f32} ; since 4.2 ; reads
tex.base.cube.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64, {c*4:f32}]{, depth:f32} ; since 7.1 ; reads
tex.base.acube.v4.dtype.f32   {d*4:dtype}, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; reads
tex.base.acube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; since 7.1 ; reads
tex.base.acube.v2.f16x2.f32   {d*2:b32}, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; since 4.2 ; reads
tex.base.acube.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; since 7.1 ; reads
tex.base.flat.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*flat:s32}]{, {e*flat:s32}} ; reads
tex.base.flat.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*flat:s32}]{, {e*flat:s32}} ; since 7.1 ; reads
tex.base.flat.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*flat:s32}]{, {e*flat:s32}} ; since 4.2 ; reads
tex.base.flat.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*flat:s32}]{, {e*flat:s32}} ; since 7.1 ; reads
tex.base.3d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*4:s32}]{, {e*4:s32}} ; reads
tex.base.3d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:s32}]{, {e*4:s32}} ; since 7.1 ; reads
tex.base.3d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*4:s32}]{, {e*4:s32}} ; since 4.2 ; reads
tex.base.3d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:s32}]{, {e*4:s32}} ; since 7.1 ; reads
tex.base.a1d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {i:u32, c:s32}]{, e:s32} ; reads
tex.base.a1d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c:s32}]{, e:s32} ; since 7.1 ; reads
tex.base.a1d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {i:u32, c:s32}]{, e:s32} ; since 4.2 ; reads
tex.base.a1d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c:s32}]{, e:s32} ; since 7.1 ; reads
tex.base.a2d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {i:u32, c*3:s32}]{, {e*2:s32}} ; reads
tex.base.a2d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c*3:s32}]{, {e*2:s32}} ; since 7.1 ; reads
tex.base.a2d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {i:u32, c*3:s32}]{, {e*2:s32}} ; since 4.2 ; reads
tex.base.a2d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c*3:s32}]{, {e*2:s32}} ; since 7.1 ; reads
tex.base.ms.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*4:s32}]{, {e*2:s32}} ; reads
tex.base.ms.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:s32}]{, {e*2:s32}} ; since 7.1 ; reads
tex.base.ms.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*4:s32}]{, {e*2:s32}} ; since 4.2 ; reads
tex.base.ms.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:s32}]{, {e*2:s32}} ; since 7.1 ; reads
tex.level.flat.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*flat:f32}], lod:f32{, {e*flat:s32}}{, depth:f32} ; reads
tex.level.flat.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*flat:f32}], lod:f32{, {e*flat:s32}}{, depth:f32} ; since 7.1 ; reads
tex.level.flat.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*flat:f32}], lod:f32{, {e*flat:s32}}{, depth:f32} ; since 4.2 ; reads
tex.level.flat.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*flat:f32}], lod:f32{, {e*flat:s32}}{, depth:f32} ; since 7.1 ; reads
tex.level.3d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*4:f32}], lod:f32{, {e*4:s32}} ; reads
tex.level.3d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:f32}], lod:f32{, {e*4:s32}} ; since 7.1 ; reads
tex.level.3d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*4:f32}], lod:f32{, {e*4:s32}} ; since 4.2 ; reads
tex.level.3d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:f32}], lod:f32{, {e*4:s32}} ; since 7.1 ; reads
tex.level.a1d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {i:u32, c:f32}], lod:f32{, e:s32}{, depth:f32} ; reads
tex.level.a1d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c:f32}], lod:f32{, e:s32}{, depth:f32} ; since 7.1 ; reads
tex.level.a1d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {i:u32, c:f32}], lod:f32{, e:s32}{, depth:f32} ; since 4.2 ; reads
tex.level.a1d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c:f32}], lod:f32{, e:s32}{, depth:f32} ; since 7.1 ; reads
tex.level.a2d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {i:u32, c*3:f32}], lod:f32{, {e*2:s32}}{, depth:f32} ; reads
tex.level.a2d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}], lod:f32{, {e*2:s32}}{, depth:f32} ; since 7.1 ; reads
tex.level.a2d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {i:u32, c*3:f32}], lod:f32{, {e*2:s32}}{, depth:f32} ; since 4.2 ; reads
tex.level.a2d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}], lod:f32{, {e*2:s32}}{, depth:f32} ; since 7.1 ; reads
tex.level.cube.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*4:f32}], lod:f32{, depth:f32} ; reads
tex.level.cube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:f32}], lod:f32{, depth:f32} ; since 7.1 ; reads
tex.level.cube.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*4:f32}], lod:f32{, depth:f32} ; since 4.2 ; reads
tex.level.cube.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:f32}], lod:f32{, depth:f32} ; since 7.1 ; reads
tex.level.acube.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {i:u32, c*3:f32}], lod:f32{, depth:f32} ; reads
tex.level.acube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}], lod:f32{, depth:f32} ; since 7.1 ; reads
tex.level.acube.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {i:u32, c*3:f32}], lod:f32{, depth:f32} ; since 4.2 ; reads
tex.level.acube.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}], lod:f32{, depth:f32} ; since 7.1 ; reads
tex.level.flat.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*flat:s32}], lod:s32{, {e*flat:s32}} ; reads
tex.level.flat.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*flat:s32}], lod:s32{, {e*flat:s32}} ; since 7.1 ; reads
tex.level.flat.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*flat:s32}], lod:s32{, {e*flat:s32}} ; since 4.2 ; reads
tex.level.flat.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*flat:s32}], lod:s32{, {e*flat:s32}} ; since 7.1 ; reads
tex.level.3d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*4:s32}], lod:s32{, {e*4:s32}} ; reads
tex.level.3d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:s32}], lod:s32{, {e*4:s32}} ; since 7.1 ; reads
tex.level.3d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*4:s32}], lod:s32{, {e*4:s32}} ; since 4.2 ; reads
tex.level.3d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:s32}], lod:s32{, {e*4:s32}} ; since 7.1 ; reads
tex.level.a1d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {i:u32, c:s32}], lod:s32{, e:s32} ; reads
tex.level.a1d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c:s32}], lod:s32{, e:s32} ; since 7.1 ; reads
tex.level.a1d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {i:u32, c:s32}], lod:s32{, e:s32} ; since 4.2 ; reads
tex.level.a1d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c:s32}], lod:s32{, e:s32} ; since 7.1 ; reads
tex.level.a2d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {i:u32, c*3:s32}], lod:s32{, {e*2:s32}} ; reads
tex.level.a2d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c*3:s32}], lod:s32{, {e*2:s32}} ; since 7.1 ; reads
tex.level.a2d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {i:u32, c*3:s32}], lod:s32{, {e*2:s32}} ; since 4.2 ; reads
tex.level.a2d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {i:u32, c*3:s32}], lod:s32{, {e*2:s32}} ; since 7.1 ; reads
tex.grad.flat.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*flat:f32}], {x*flat:f32}, {y*flat:f32}{, {e*flat:s32}}{, depth:f32} ; reads
tex.grad.flat.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*flat:f32}], {x*flat:f32}, {y*flat:f32}{, {e*flat:s32}}{, depth:f32} ; since 7.1 ; reads
tex.grad.flat.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*flat:f32}], {x*flat:f32}, {y*flat:f32}{, {e*flat:s32}}{, depth:f32} ; since 4.2 ; reads
tex.grad.flat.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*flat:f32}], {x*flat:f32}, {y*flat:f32}{, {e*flat:s32}}{, depth:f32} ; since 7.1 ; reads
tex.grad.3d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*4:f32}], {x*4:f32}, {y*4:f32}{, {e*4:s32}} ; reads
tex.grad.3d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:f32}], {x*4:f32}, {y*4:f32}{, {e*4:s32}} ; since 7.1 ; reads
tex.grad.3d.v2.f16x2.f32   {d*2:b32}, [a:b64{, b}, {c*4:f32}], {x*4:f32}, {y*4:f32}{, {e*4:s32}} ; since 4.2 ; reads
tex.grad.3d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:f32}], {x*4:f32}, {y*4:f32}{, {e*4:s32}} ; since 7.1 ; reads
tex.grad.a1d.v4.dtype.f32   {d*4:dtype}, [a:b64, {i:u32, c:f32}], {x*1:f32}, {y*1:f32}{, e:s32}{, depth:f32} ; reads
tex.grad.a1d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {i:u32, c:f32}], {x*1:f32}, {y*1:f32}{, e:s32}{, depth:f32} ; since 7.1 ; reads
tex.grad.a1d.v2.f16x2.f32   {d*2:b32}, [a:b64, {i:u32, c:f32}], {x*1:f32}, {y*1:f32}{, e:s32}{, depth:f32} ; since 4.2 ; reads
tex.grad.a1d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64, {i:u32, c:f32}], {x*1:f32}, {y*1:f32}{, e:s32}{, depth:f32} ; since 7.1 ; reads
tex.grad.a2d.v4.dtype.f32   {d*4:dtype}, [a:b64, {i:u32, c*3:f32}], {x*2:f32}, {y*2:f32}{, {e*2:s32}}{, depth:f32} ; reads
tex.grad.a2d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {i:u32, c*3:f32}], {x*2:f32}, {y*2:f32}{, {e*2:s32}}{, depth:f32} ; since 7.1 ; reads
tex.grad.a2d.v2.f16x2.f32   {d*2:b32}, [a:b64, {i:u32, c*3:f32}], {x*2:f32}, {y*2:f32}{, {e*2:s32}}{, depth:f32} ; since 4.2 ; reads
tex.grad.a2d.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64, {i:u32, c*3:f32}], {x*2:f32}, {y*2:f32}{, {e*2:s32}}{, depth:f32} ; since 7.1 ; reads
tex.grad.cube.v4.dtype.f32   {d*4:dtype}, [a:b64, {c*4:f32}], {x*4:f32}, {y*4:f32}{, depth:f32} ; reads
tex.grad.cube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {c*4:f32}], {x*4:f32}, {y*4:f32}{, depth:f32} ; since 7.1 ; reads
tex.grad.cube.v2.f16x2.f32   {d*2:b32}, [a:b64, {c*4:f32}], {x*4:f32}, {y*4:f32}{, depth:f32} ; since 4.2 ; reads
tex.grad.cube.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64, {c*4:f32}], {x*4:f32}, {y*4:f32}{, depth:f32} ; since 7.1 ; reads
tex.grad.acube.v4.dtype.f32   {d*4:dtype}, [a:b64, {i:u32, c*3:f32}], {x*4:f32}, {y*4:f32}{, depth:f32} ; reads
tex.grad.acube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {i:u32, c*3:f32}], {x*4:f32}, {y*4:f32}{, depth:f32} ; since 7.1 ; reads
tex.grad.acube.v2.f16x2.f32   {d*2:b32}, [a:b64, {i:u32, c*3:f32}], {x*4:f32}, {y*4:f32}{, depth:f32} ; since 4.2 ; reads
tex.grad.acube.v2.f16x2.f32   {d*2:b32}|p:pred, [a:b64, {i:u32, c*3:f32}], {x*4:f32}, {y*4:f32}{, depth:f32} ; since 7.1 ; reads
tex.grad.flat.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*flat:s32}], {x*flat:f32}, {y*flat:f32}{, {e*flat:s32}} ; reads
tex.grad.flat.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*flat:s32}], {x*flat:f32}, {y*flat:f32}{, {e*flat:s32}} ; since 7.1 ; reads
tex.grad.flat.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*flat:s32}], {x*flat:f32}, {y*flat:f32}{, {e*flat:s32}} ; since 4.2 ; reads
tex.grad.flat.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*flat:s32}], {x*flat:f32}, {y*flat:f32}{, {e*flat:s32}} ; since 7.1 ; reads
tex.grad.3d.v4.dtype.s32   {d*4:dtype}, [a:b64{, b}, {c*4:s32}], {x*4:f32}, {y*4:f32}{, {e*4:s32}} ; reads
tex.grad.3d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*4:s32}], {x*4:f32}, {y*4:f32}{, {e*4:s32}} ; since 7.1 ; reads
tex.grad.3d.v2.f16x2.s32   {d*2:b32}, [a:b64{, b}, {c*4:s32}], {x*4:f32}, {y*4:f32}{, {e*4:s32}} ; since 4.2 ; reads
tex.grad.3d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64{, b}, {c*4:s32}], {x*4:f32}, {y*4:f32}{, {e*4:s32}} ; since 7.1 ; reads
tex.grad.a1d.v4.dtype.s32   {d*4:dtype}, [a:b64, {i:u32, c:s32}], {x*1:f32}, {y*1:f32}{, e:s32} ; reads
tex.grad.a1d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64, {i:u32, c:s32}], {x*1:f32}, {y*1:f32}{, e:s32} ; since 7.1 ; reads
tex.grad.a1d.v2.f16x2.s32   {d*2:b32}, [a:b64, {i:u32, c:s32}], {x*1:f32}, {y*1:f32}{, e:s32} ; since 4.2 ; reads
tex.grad.a1d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64, {i:u32, c:s32}], {x*1:f32}, {y*1:f32}{, e:s32} ; since 7.1 ; reads
tex.grad.a2d.v4.dtype.s32   {d*4:dtype}, [a:b64, {i:u32, c*3:s32}], {x*2:f32}, {y*2:f32}{, {e*2:s32}} ; reads
tex.grad.a2d.v4.dtype.s32   {d*4:dtype}|p:pred, [a:b64, {i:u32, c*3:s32}], {x*2:f32}, {y*2:f32}{, {e*2:s32}} ; since 7.1 ; reads
tex.grad.a2d.v2.f16x2.s32   {d*2:b32}, [a:b64, {i:u32, c*3:s32}], {x*2:f32}, {y*2:f32}{, {e*2:s32}} ; since 4.2 ; reads
tex.grad.a2d.v2.f16x2.s32   {d*2:b32}|p:pred, [a:b64, {i:u32, c*3:s32}], {x*2:f32}, {y*2:f32}{, {e*2:s32}} ; since 7.1 ; reads

section 9.7.10.4
.dtype = u32 s32 f32
tld4.comp.2d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {c*2:f32}]{, {e*2:s32}}{, depth:f32} ; since 3.1 sm_20 ; reads
tld4.comp.2d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {c*2:f32}]{, {e*2:s32}}{, depth:f32} ; since 7.1 sm_20 ; reads
tld4.comp.a2d.v4.dtype.f32   {d*4:dtype}, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; since 3.1 sm_20 ; reads
tld4.comp.a2d.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64{, b}, {i:u32, c*3:f32}]{, {e*2:s32}}{, depth:f32} ; since 7.1 sm_20 ; reads
tld4.comp.cube.v4.dtype.f32   {d*4:dtype}, [a:b64, {c*4:f32}]{, depth:f32} ; since 3.1 sm_20 ; reads
tld4.comp.cube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {c*4:f32}]{, depth:f32} ; since 7.1 sm_20 ; reads
tld4.comp.acube.v4.dtype.f32   {d*4:dtype}, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; since 3.1 sm_20 ; reads
tld4.comp.acube.v4.dtype.f32   {d*4:dtype}|p:pred, [a:b64, {i:u32, c*3:f32}]{, depth:f32} ; since 7.1 sm_20 ; reads

section 9.7.10.5
.query = width height depth channel_data_type channel_order normalized_coords array_size(4.1) num_mipmap_levels(4.1) num_samples(4.1) force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2
.level_query = width height depth
txq.query.b32                  d, [a:b64]          ; since 2.0
txq.level.level_query.b32      d, [a:b64], lod:s32 ; since 4.3 sm_30
section 9.7.10.6
istypep.type                   p:pred, a:b64   ; type = texref samplerref surfref ; since 4.0 sm_30
"""
