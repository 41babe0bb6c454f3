"""Comparison and selection (manual 9.7.5 and 9.7.6)."""

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

section 9.7.5.1
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

section 9.7.5.2
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
section 9.7.6.2
setp.fcmp{.ftz}.f16            p_:pred, a, b                     ; since 4.2 sm_53
setp.fcmp.bool{.ftz}.f16       p_:pred, a, b, {!}c:pred          ; since 4.2 sm_53
setp.fcmp{.ftz}.f16x2          p_:pred|q:pred, a, b              ; since 4.2 sm_53
setp.fcmp.bool{.ftz}.f16x2     p_:pred|q:pred, a, b, {!}c:pred   ; since 4.2 sm_53
setp.fcmp.bf16                 p_:pred, a, b                     ; since 7.8 sm_90
setp.fcmp.bool.bf16            p_:pred, a, b, {!}c:pred          ; since 7.8 sm_90
setp.fcmp.bf16x2               p_:pred|q:pred, a, b              ; since 7.8 sm_90
setp.fcmp.bool.bf16x2          p_:pred|q:pred, a, b, {!}c:pred   ; since 7.8 sm_90

section 9.7.5.3
selp.type                      d, a, b, c:pred   ; type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64
section 9.7.5.4
slct.dtype.s32                 d:dtype, a:dtype, b:dtype, c:s32 ; dtype = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64
slct{.ftz}.dtype.f32           d:dtype, a:dtype, b:dtype, c:f32 ; dtype = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64
"""
