"""Comparison and selection (manual 9.7.6 and 9.7.7)."""

ROWS = """
.bool = and or xor
.dtype = u32 s32 f32
.icmp = eq ne lt le gt ge
.ucmp = eq ne lo ls hi hs lt le gt ge
.bcmp = eq ne
.fcmp = eq ne lt le gt ge equ neu ltu leu gtu geu num nan
.utype = u16 u32 u64
.stype = s16 s32 s64
.btype = b16 b32 b64

every pure
section 9.7.6.1
set.ucmp.dtype.utype           d:dtype, a, b
set.icmp.dtype.stype           d:dtype, a, b
set.bcmp.dtype.btype           d:dtype, a, b
set.fcmp{.ftz}.dtype.f32       d:dtype, a, b
set.fcmp.dtype.f64             d:dtype, a, b
set.ucmp.bool.dtype.utype      d:dtype, a, b, {!}c:pred
set.icmp.bool.dtype.stype      d:dtype, a, b, {!}c:pred
set.bcmp.bool.dtype.btype      d:dtype, a, b, {!}c:pred
set.fcmp.bool{.ftz}.dtype.f32  d:dtype, a, b, {!}c:pred
set.fcmp.bool.dtype.f64        d:dtype, a, b, {!}c:pred
set.ucmp.type                  d!, a!, b!     ; type = u8x4 u16x2 ; since 9.4 sm_107f
set.icmp.type                  d!, a!, b!     ; type = s8x4 s16x2 ; since 9.4 sm_107f

section 9.7.6.2
setp.ucmp.utype                p_:pred{|q:pred}, a, b
setp.icmp.stype                p_:pred{|q:pred}, a, b
setp.bcmp.btype                p_:pred{|q:pred}, a, b
setp.fcmp{.ftz}.f32            p_:pred{|q:pred}, a, b
setp.fcmp.f64                  p_:pred{|q:pred}, a, b
setp.ucmp.bool.utype           p_:pred{|q:pred}, a, b, {!}c:pred
setp.icmp.bool.stype           p_:pred{|q:pred}, a, b, {!}c:pred
setp.bcmp.bool.btype           p_:pred{|q:pred}, a, b, {!}c:pred
setp.fcmp.bool{.ftz}.f32       p_:pred{|q:pred}, a, b, {!}c:pred
setp.fcmp.bool.f64             p_:pred{|q:pred}, a, b, {!}c:pred
section 9.7.7.1
.half = f16 bf16(7.8 sm_90)
.word = u16 s16 u32 s32
set.ucmp.half.utype            d:half, a, b                        ; since 4.2 sm_53
set.icmp.half.stype            d:half, a, b                        ; since 4.2 sm_53
set.bcmp.half.btype            d:half, a, b                        ; since 4.2 sm_53
set.fcmp{.ftz}.half.f32        d:half, a, b                        ; never ftz with bf16 ; since 4.2 sm_53
set.fcmp.half.f64              d:half, a, b                        ; since 4.2 sm_53
set.fcmp{.ftz}.half.f16        d:half, a, b                        ; never ftz with bf16 ; since 4.2 sm_53
set.fcmp{.ftz}.word.f16        d:word, a, b                        ; since 6.5 sm_53
set.fcmp{.ftz}.dtype.f16x2     d:dtype, a, b                       ; dtype = f16x2 u32(6.5 sm_53) s32(6.5 sm_53) ; since 4.2 sm_53
set.fcmp.dtype.bf16            d:dtype, a, b                       ; dtype = u16 s16 u32 s32 bf16 ; since 7.8 sm_90
set.fcmp.dtype.bf16x2          d:dtype, a, b                       ; dtype = bf16x2 u32 s32 ; since 7.8 sm_90
set.ucmp.bool.half.utype       d:half, a, b, {!}c:pred             ; since 4.2 sm_53
set.icmp.bool.half.stype       d:half, a, b, {!}c:pred             ; since 4.2 sm_53
set.bcmp.bool.half.btype       d:half, a, b, {!}c:pred             ; since 4.2 sm_53
set.fcmp.bool{.ftz}.half.f32   d:half, a, b, {!}c:pred             ; never ftz with bf16 ; since 4.2 sm_53
set.fcmp.bool.half.f64         d:half, a, b, {!}c:pred             ; since 4.2 sm_53
set.fcmp.bool{.ftz}.half.f16   d:half, a, b, {!}c:pred             ; never ftz with bf16 ; since 4.2 sm_53
set.fcmp.bool{.ftz}.word.f16   d:word, a, b, {!}c:pred             ; since 6.5 sm_53
set.fcmp.bool{.ftz}.dtype.f16x2 d:dtype, a, b, {!}c:pred           ; dtype = f16x2 u32(6.5 sm_53) s32(6.5 sm_53) ; since 4.2 sm_53
set.fcmp.bool.dtype.bf16       d:dtype, a, b, {!}c:pred^            ; dtype = u16 s16 u32 s32 bf16 ; since 7.8 sm_90
set.fcmp.bool.dtype.bf16x2     d:dtype, a, b, {!}c:pred^            ; dtype = bf16x2 u32 s32 ; since 7.8 sm_90

section 9.7.7.2
setp.fcmp{.ftz}.f16            p_:pred, a, b                     ; since 4.2 sm_53
setp.fcmp.bool{.ftz}.f16       p_:pred, a, b, {!}c:pred          ; since 4.2 sm_53
setp.fcmp{.ftz}.f16x2          p_:pred|q:pred, a, b              ; since 4.2 sm_53 ; lets p sink
setp.fcmp.bool{.ftz}.f16x2     p_:pred|q:pred, a, b, {!}c:pred   ; since 4.2 sm_53 ; lets p sink
setp.fcmp.bf16                 p_:pred, a, b                     ; since 7.8 sm_90
setp.fcmp.bool.bf16            p_:pred, a, b, {!}c:pred^         ; since 7.8 sm_90
setp.fcmp.bf16x2               p_:pred|q:pred, a, b              ; since 7.8 sm_90 ; lets p sink
setp.fcmp.bool.bf16x2          p_:pred|q:pred, a, b, {!}c:pred^  ; since 7.8 sm_90 ; lets p sink

section 9.7.6.3
selp.type                      d, a, b, c:pred   ; type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64
section 9.7.6.4
slct.dtype.s32                 d:dtype, a:dtype, b:dtype, c:s32 ; dtype = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64
slct{.ftz}.dtype.f32           d:dtype, a:dtype, b:dtype, c:f32 ; dtype = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64
"""
