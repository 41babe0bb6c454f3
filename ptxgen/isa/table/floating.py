"""Floating point that shares no opcode with the integers (manual 9.7.3 and 9.7.4)."""

ROWS = """
.rnd = rn rz rm rp
.fp8 = e4m3x4 e5m2x4
.a4 = e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4
.b4 = e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4
every pure
section 9.7.3.1
testp.op.type                  p:pred, a    ; lets op absent ; op = finite infinite number notanumber normal subnormal ; type = f32 f64 ; since 2.0 sm_20
section 9.7.3.2
copysign.type                  d, a, b      ; type = f32 f64 ; since 2.0 sm_20
section 9.7.3.6
fma.rnd{.ftz}{.sat}.f32        d, a, b, c   ; since 2.0 sm_20
fma.rnd.f64                    d, a, b, c
fma.rnd{.ftz}.f32x2            d!, a!, b!, c! ; since 8.6 sm_100
section 9.7.4.4
fma.rn{.ftz}{.sat}.type        d, a, b, c   ; type = f16 f16x2 ; since 4.2 sm_53
fma.rn{.ftz}.relu.type         d, a, b, c   ; type = f16 f16x2 ; since 7.0 sm_80
fma.rn{.relu}.type             d, a, b, c   ; type = bf16 bf16x2 ; since 7.0 sm_80
fma.rn.oob.type                d, a, b, c   ; lets sat extra ; type = f16 f16x2 ; since 8.1 sm_90
fma.rn.oob.type                d, a, b, c   ; type = bf16 bf16x2 ; since 8.1 sm_90
fma.rn.oob.relu.type           d, a, b, c   ; type = f16 f16x2 bf16 bf16x2 ; since 8.1 sm_90
section 9.7.5.3
fma.rnd{.sat}.f32.atype        d:f32, a:atype, b:atype, c:f32 ; atype = f16 bf16 ; since 8.6 sm_100
fma.rnd.f32x2.atype.f32x2.f32x2  d:f32x2!, a:atype!, b:f32x2!, c:f32x2! ; atype = f16x2 bf16x2 ; since 9.4 sm_107f
fma{.rn}{.satfinite}.fp8.a4.b4 d:fp8!, a:a4!, b:b4!, c:fp8! ; since 9.4 sm_100a or 9.4 sm_103a
section 9.7.3.13
rcp.approx{.ftz}.f32           d, a         ; since 1.4
rcp.rnd{.ftz}.f32              d, a         ; since 1.4 sm_20
rcp.rnd.f64                    d, a         ; since 1.4 sm_20 ; lets ftz extra
rcp.approx.ftz.f64             d, a         ; since 2.1 sm_20
section 9.7.3.15
sqrt.approx{.ftz}.f32          d, a         ; since 1.4
sqrt.rnd{.ftz}.f32             d, a         ; since 1.4 sm_20
sqrt.rnd.f64                   d, a         ; since 1.4 sm_20
section 9.7.3.16
rsqrt.approx{.ftz}.f32         d, a         ; since 1.4
rsqrt.approx.f64               d, a         ; since 1.4
rsqrt.approx.ftz.f64           d, a         ; since 4.0 sm_20
section 9.7.3.18
sin.approx{.ftz}.f32           d, a         ; since 1.4
sin.approx.2pi.ftz.f32         d, a         ; since 9.5
section 9.7.3.19
cos.approx{.ftz}.f32           d, a         ; since 1.4
cos.approx.2pi.ftz.f32         d, a         ; since 9.5
section 9.7.3.20
lg2.approx{.ftz}.f32           d, a         ; since 1.4
section 9.7.3.21
ex2.approx{.ftz}.f32           d, a         ; since 1.4
section 9.7.4.10
ex2.approx.type                d, a         ; type = f16 f16x2 ; since 7.0 sm_75
ex2.approx.ftz.type            d, a         ; type = bf16 bf16x2 ; since 7.8 sm_90
section 9.7.3.22
tanh.approx.f32                d, a         ; since 7.0 sm_75
section 9.7.4.9
tanh.approx.type               d, a         ; type = f16 f16x2 ; since 7.0 sm_75
tanh.approx.type               d, a         ; type = bf16 bf16x2 ; since 7.8 sm_90
"""
