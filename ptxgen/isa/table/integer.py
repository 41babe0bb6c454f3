"""Integer arithmetic (manual 9.7.1); the floating rows of the same opcodes stand with their opcode (9.7.3, 9.7.4)."""

ROWS = """
.rnd = rn rz rm rp
.half = f16(4.2 sm_53) f16x2(4.2 sm_53)
.bf = bf16(7.8 sm_90) bf16x2(7.8 sm_90)
.int = u16 u32 u64 s16 s32 s64
where x4 = 9.2 sm_120f or 9.4 sm_107f
.x4 = u8x4(x4) s8x4(x4)
.x2 = u16x2(8.0 sm_90) s16x2(8.0 sm_90)

where packed = 9.4 sm_107f
where fp8x4 = 9.4 sm_100a or 9.4 sm_103a
.half2 = f16x2 bf16x2
# The results of four narrow floats are fp8; their sources any of the narrow formats.
.fp8 = e4m3x4 e5m2x4
.a4 = e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4
.b4 = e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4

every pure
section 9.7.1.1 ; commutes
add.int                        d, a, b
add{.sat}.s32                  d, a, b
add.x2                         d!, a!, b!
add{.sat}.x4                   d!, a!, b!
add.sat.u32                    d, a, b      ; since x4
add.sat.type                   d!, a!, b!   ; type = u16x2 s16x2 ; since x4
section 9.7.2.1 ; commutes
add.cc.type                    d, a, b      ; type = u32 s32 u64(4.3) s64(4.3)
section 9.7.3.3 ; commutes
add{.rnd}{.ftz}{.sat}.f32      d, a, b
add{.rnd}.f64                  d, a, b
add{.rnd}{.ftz}.f32x2          d!, a!, b!  ; since 8.6 sm_100
section 9.7.4.1 ; commutes
add{.rn}{.ftz}{.sat}.half      d, a, b
add{.rn}.bf                    d, a, b
add{.rnd}{.sat}.f32.atype      d:f32, a:atype, c:f32 ; atype = f16 bf16 ; since 8.6 sm_100
add{.rnd}.f32x2.half2.f32x2    d:f32x2!, a:half2!, c:f32x2! ; since packed
add.rz.ftz.f16x2.f32x2.f32x2   d:f16x2!, a:f32x2!, c:f32x2! ; since packed ; lets rz absent
add.rz.bf16x2.f32x2.f32x2      d:bf16x2!, a:f32x2!, c:f32x2! ; since packed ; lets rz absent
add{.rn}{.satfinite}.fp8.a4    d:fp8!, a:a4!, c:fp8! ; since fp8x4

section 9.7.1.2
sub.int                        d, a, b
sub{.sat}.s32                  d, a, b
sub{.sat}.x4                   d!, a!, b!
section 9.7.2.3
sub.cc.type                    d, a, b      ; type = u32 s32 u64(4.3) s64(4.3)
section 9.7.3.4
sub{.rnd}{.ftz}{.sat}.f32      d, a, b
sub{.rnd}.f64                  d, a, b
sub{.rnd}{.ftz}.f32x2          d!, a!, b!  ; since 8.6 sm_100
section 9.7.4.2
sub{.rn}{.ftz}{.sat}.half      d, a, b
sub{.rn}.bf                    d, a, b
sub{.rnd}{.sat}.f32.atype      d:f32, a:atype, c:f32 ; atype = f16 bf16 ; since 8.6 sm_100
sub{.rnd}.f32x2.half2.f32x2    d:f32x2!, a:half2!, c:f32x2! ; since packed
sub.rz.ftz.f16x2.f32x2.f32x2   d:f16x2!, a:f32x2!, c:f32x2! ; since packed ; lets rz absent
sub.rz.bf16x2.f32x2.f32x2      d:bf16x2!, a:f32x2!, c:f32x2! ; since packed ; lets rz absent
sub{.rn}{.satfinite}.fp8.a4    d:fp8!, a:a4!, c:fp8! ; since fp8x4

section 9.7.1.3 ; commutes
mul.mode.int                   d, a, b      ; mode = hi lo
mul.wide.type                  d:wide, a, b ; type = u16 u32 s16 s32
section 9.7.3.5 ; commutes
mul{.rnd}{.ftz}{.sat}.f32      d, a, b
mul{.rnd}.f64                  d, a, b
mul{.rnd}{.ftz}.f32x2          d!, a!, b!  ; since 8.6 sm_100
section 9.7.4.3 ; commutes
mul{.rn}{.ftz}{.sat}.half      d, a, b
mul{.rn}.bf                    d, a, b
section 9.7.5 ; commutes
mul.rz.ftz.f16x2.f32x2.f32x2   d:f16x2!, a:f32x2!, b:f32x2! ; since packed
mul.rz.bf16x2.f32x2.f32x2      d:bf16x2!, a:f32x2!, b:f32x2! ; since packed
mul.f16x2.f16x2.bf16x2         d:f16x2!, a:f16x2!, b:bf16x2! ; since packed
mul.bf16x2.bf16x2.f16x2        d:bf16x2!, a:bf16x2!, b:f16x2! ; since packed
mul{.rn}{.satfinite}.fp8.a4.b4 d:fp8!, a:a4!, b:b4! ; since fp8x4

section 9.7.1.4
mad.mode.int                   d, a, b, c   ; mode = hi lo
mad.hi.sat.s32                 d, a, b, c
mad.wide.type                  d:wide, a, b, c:wide ; type = u16 u32 s16 s32
section 9.7.2.5
mad.mode.cc.type               d, a, b, c   ; mode = hi lo ; type = u32 s32 u64(4.3) s64(4.3) ; since 3.0 sm_20
section 9.7.3.7
mad.rnd{.ftz}{.sat}.f32        d, a, b, c
mad.rnd.f64                    d, a, b, c
mad{.ftz}{.sat}.f32            d, a, b, c   ; until 3.1

section 9.7.1.5
mul24.mode.type                d, a, b      ; mode = hi lo ; type = u32 s32
section 9.7.1.6
mad24.mode.type                d, a, b, c   ; mode = hi lo ; type = u32 s32
mad24.hi.sat.s32               d, a, b, c
section 9.7.1.7
sad.int                        d, a, b, c
section 9.7.1.8 ; division
div.int                        d, a, b
section 9.7.3.8 ; division
div.approx{.ftz}.f32           d, a, b      ; since 1.4
div.full{.ftz}.f32             d, a, b      ; since 1.4
div.rnd{.ftz}.f32              d, a, b      ; since 1.4 sm_20
div.rnd.f64                    d, a, b      ; since 1.4 sm_13
section 9.7.1.9 ; division
rem.int                        d, a, b
section 9.7.1.10
abs.type                       d, a         ; type = s16 s32 s64
section 9.7.3.9
abs{.ftz}.f32                  d, a
abs.f64                        d, a
section 9.7.4.6
abs{.ftz}.type                 d, a         ; type = f16 f16x2 ; since 6.5 sm_53
abs.type                       d, a         ; type = bf16 bf16x2 ; since 7.0 sm_80
section 9.7.1.11
neg.type                       d, a         ; type = s16 s32 s64
neg.s8x4                       d!, a!       ; since x4
section 9.7.3.10
neg{.ftz}.f32                  d, a
neg.f64                        d, a
section 9.7.4.5
neg{.ftz}.type                 d, a         ; type = f16 f16x2 ; since 6.0 sm_53
neg.type                       d, a         ; type = bf16 bf16x2 ; since 7.0 sm_80

section 9.7.1.12 ; commutes
min.int                        d, a, b
min.relu.s32                   d, a, b      ; since 8.0 sm_90
min.relu.s16x2                 d!, a!, b!   ; since 8.0 sm_90
min.x2                         d!, a!, b!
min.x4                         d!, a!, b!
min.relu.s8x4                  d!, a!, b!   ; since x4
section 9.7.3.11 ; commutes
min{.ftz}{.NaN}.f32    d, a, b  ; NaN = NaN(7.0 sm_80)
min{.ftz}{.NaN}.xorsign.abs.f32 d, a, b  ; NaN = NaN(7.0 sm_80) ; since 7.2 sm_86
min{.ftz}{.NaN}{.abs}.f32      d, a, b, c   ; since 8.8 sm_100
min.f64                        d, a, b
section 9.7.4.7 ; commutes
min{.ftz}{.NaN}.type   d, a, b  ; type = f16 f16x2 ; since 7.0 sm_80
min{.ftz}{.NaN}.xorsign.abs.type d, a, b  ; type = f16 f16x2 ; since 7.2 sm_86
min{.NaN}.type         d, a, b  ; type = bf16 bf16x2 ; since 7.0 sm_80
min{.NaN}.xorsign.abs.type d, a, b  ; type = bf16 bf16x2 ; since 7.2 sm_86
section 9.7.1.13 ; commutes
max.int                        d, a, b
max.relu.s32                   d, a, b      ; since 8.0 sm_90
max.relu.s16x2                 d!, a!, b!   ; since 8.0 sm_90
max.x2                         d!, a!, b!
max.x4                         d!, a!, b!
max.relu.s8x4                  d!, a!, b!   ; since x4
section 9.7.3.12 ; commutes
max{.ftz}{.NaN}.f32    d, a, b  ; NaN = NaN(7.0 sm_80)
max{.ftz}{.NaN}.xorsign.abs.f32 d, a, b  ; NaN = NaN(7.0 sm_80) ; since 7.2 sm_86
max{.ftz}{.NaN}{.abs}.f32      d, a, b, c   ; since 8.8 sm_100
max.f64                        d, a, b
section 9.7.4.8 ; commutes
max{.ftz}{.NaN}.type   d, a, b  ; type = f16 f16x2 ; since 7.0 sm_80
max{.ftz}{.NaN}.xorsign.abs.type d, a, b  ; type = f16 f16x2 ; since 7.2 sm_86
max{.NaN}.type         d, a, b  ; type = bf16 bf16x2 ; since 7.0 sm_80
max{.NaN}.xorsign.abs.type d, a, b  ; type = bf16 bf16x2 ; since 7.2 sm_86

section 9.7.1.14
popc.type                      d:u32, a     ; type = b32 b64 ; since 2.0 sm_20
section 9.7.1.15
clz.type                       d:u32, a     ; type = b32 b64 ; since 2.0 sm_20
section 9.7.1.16
bfind{.shiftamt}.type          d:u32, a     ; type = u32 u64 s32 s64 ; since 2.0 sm_20
section 9.7.1.17
fns.b32                        d, mask, base, offset:b32 ; since 6.0 sm_30
section 9.7.1.18
brev.type                      d, a         ; type = b32 b64 ; since 2.0 sm_20
section 9.7.1.19
bfe.type                       d, a, b:u32<0..255>!, c:u32<0..255>! ; type = u32 u64 s32 s64 ; since 2.0 sm_20
section 9.7.1.20
bfi.type                       d, a, b, c:u32<0..255>!, len:u32<0..255>! ; type = b32 b64 ; since 2.0 sm_20
section 9.7.1.21
szext.mode.type                d, a, b:u32  ; mode = clamp wrap ; type = u32 s32 ; since 7.6 sm_70
section 9.7.1.22
bmsk.mode.b32                  d~, a~, b~     ; mode = clamp wrap ; since 7.6 sm_70
section 9.7.1.23
dp4a.atype.btype               d:s32, a:b32~, b:b32~, c:s32 ; atype = u32 s32 ; btype = u32 s32 ; since 5.0 sm_61
section 9.7.1.24
dp2a.mode.atype.btype          d:s32, a:b32~, b:b32~, c:s32 ; mode = lo hi ; atype = u32 s32 ; btype = u32 s32 ; since 5.0 sm_61
# carry-less multiplication and exclusive or
clmad.mode.u64                 d, a, b, c   ; mode = hi lo ; since 9.3 sm_80
"""
