"""Data movement and conversion (manual 9.7.9)."""

ROWS = """
.scope = cta cluster(7.8 sm_90) gpu sys
.ss = const global local param param::entry(8.3) param::func(8.3) shared shared::cta(7.8) shared::cluster(7.8 sm_90)
.rel_ss = global shared shared::cta(7.8) shared::cluster(7.8 sm_90)
.vol_ss = global local(9.1) shared shared::cta(7.8) shared::cluster(7.8 sm_90)
.st_ss = global local param param::func(8.3) shared shared::cta(7.8) shared::cluster(7.8 sm_90)
.any = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64
.narrow = b8 b16 b32 u8 u16 u32 s8 s16 s32 f32
.wide64 = b64 u64 s64 f64
.word = b32 u32 s32 f32
.cop = ca cg cs lu cv
.st_cop = wb cg cs wt
.evict1 = L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate
.evict1_74 = L1::evict_normal(7.4) L1::evict_unchanged(7.4) L1::evict_first(7.4) L1::evict_last(7.4) L1::no_allocate(7.4)
.evict2 = L2::evict_normal L2::evict_first L2::evict_last
.hint = L2::cache_hint(7.4 sm_80)
# What works on the L2 cache needs .global, or no space at all.
.inner = const local param param::entry param::func shared shared::cta shared::cluster
.size = L2::64B(7.4 sm_75) L2::128B(7.4 sm_75) L2::256B(7.4 sm_80)

section 9.7.9.3 ; pure ; copy
lets d a mixed
mov.type                       d, a:symbol% ; type = b16 b32 b64 ; lets d a single
mov.type                       d, a:symbol% ; type = u16 u32 u64 s16 s32 s64 f32 f64
mov.pred                       d, a%
mov.b128                       d, a%        ; since 8.3 sm_70
mov.v2.type                    d*v2, a*v2   ; type = b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64
mov.v4.type                    d*v4, a*v4   ; type = b16 u16 s16 b32 u32 s32 f32
section 9.7.9.4 ; pure ; copy
lets d a mixed
mov.b32                        d, {a*2:b16} ; lets a sinks
mov.b64                        d, {a*2:b32}
mov.b64                        d, {a*4:b16}
mov.b128                       d, {a*2:b64} ; since 8.3 sm_70
mov.b128                       d, {a*4:b32} ; since 8.3 sm_70
mov.b32                        {d*2:b16}, a%
mov.b64                        {d*2:b32}, a%
mov.b64                        {d*4:b16}, a%
mov.b128                       {d*2:b64}, a ; since 8.3 sm_70
mov.b128                       {d*4:b32}, a ; since 8.3 sm_70

mov.b16                        d, {a*2:b8}
mov.b32                        d, {a*4:b8} ; lets a sinks
mov.b16                        {d*2:b8}, a%
mov.b32                        {d*4:b8}, a%

section 9.7.9.5 ; warp ; repeatable
shfl.mode.b32                  d{|p:pred}, a, b, c   ; mode = up down bfly idx ; since 3.0 sm_30 ; until 6.3 sm_70
section 9.7.9.6 ; warp ; repeatable
shfl.sync.mode.b32             d{|p:pred}, a, b, c, membermask~ ; mode = up down bfly idx ; since 6.0 sm_30 ; converged

section 9.7.9.8 ; load
lets d single
lets d mixed
ld{.weak}{.ss}{.cop}{.hint}{.size}.any                  d:any+, [a]{.hint, policy:b64~}       ; weak = weak(6.0 sm_70) ; reads ; never hint size with inner
ld{.weak}{.ss}{.cop}{.hint}{.size}.vec.narrow           d*vec:narrow+, [a]{.hint, policy:b64~} ; weak = weak(6.0 sm_70) ; vec = v2 v4 ; reads ; never hint size with inner
ld{.weak}{.ss}{.cop}{.hint}{.size}.v2.wide64            d*2:wide64+, [a]{.hint, policy:b64~}   ; weak = weak(6.0 sm_70) ; reads ; never hint size with inner
ld{.weak}{.global}.evict1{.hint}{.size}.any  d:any+, [a]{.hint, policy:b64~}       ; weak = weak(6.0 sm_70) ; since 7.4 sm_70 ; reads
ld{.weak}{.global}.evict1{.hint}{.size}.vec.narrow d*vec:narrow+, [a]{.hint, policy:b64~} ; weak = weak(6.0 sm_70) ; vec = v2 v4 ; since 7.4 sm_70 ; reads
ld{.weak}{.global}.evict1{.hint}{.size}.v2.wide64 d*2:wide64+, [a]{.hint, policy:b64~} ; weak = weak(6.0 sm_70) ; since 7.4 sm_70 ; reads
ld{.weak}{.global}{.cop}{.hint}{.size}.v4.wide64        d*4:wide64+, [a]{.hint, policy:b64~}  ; since 8.8 sm_100 ; reads ; lets evict2 extra
ld{.weak}{.global}{.cop}{.hint}{.size}.v8.word          d*8:word+, [a]{.hint, policy:b64~}    ; since 8.8 sm_100 ; reads ; lets evict2 extra
ld{.weak}{.global}.evict1{.evict2}{.hint}{.size}.v4.wide64  d*4:wide64+, [a]{.hint, policy:b64~}  ; since 8.8 sm_100 ; reads
ld{.weak}{.global}.evict1{.evict2}{.hint}{.size}.v8.word    d*8:word+, [a]{.hint, policy:b64~}    ; since 8.8 sm_100 ; reads
ld{.weak}{.global}.evict2{.hint}{.size}.v4.wide64       d*4:wide64+, [a]{.hint, policy:b64~}  ; since 8.8 sm_100 ; reads ; lets cop extra
ld{.weak}{.global}.evict2{.hint}{.size}.v8.word         d*8:word+, [a]{.hint, policy:b64~}    ; since 8.8 sm_100 ; reads ; lets cop extra
ld{.weak}{.ss}{.cop}{.hint}{.size}.b128                 d, [a]{.hint, policy:b64~}       ; since 8.3 sm_70 ; reads ; never hint size with inner
ld{.weak}{.global}.evict1{.hint}{.size}.b128            d, [a]{.hint, policy:b64~}       ; since 8.3 sm_70 ; reads
ld.volatile{.vol_ss}{.size}.any                             d:any+, [a]                     ; reads ; never size with inner
ld.volatile{.vol_ss}{.size}.vec.narrow                      d*vec:narrow+, [a]              ; vec = v2 v4 ; reads ; never size with inner
ld.volatile{.vol_ss}{.size}.v2.wide64                       d*2:wide64+, [a]                 ; reads ; never size with inner
ld.sem.scope{.rel_ss}{.evict1_74}{.hint}{.size}.any   d:any+, [a]{.hint, policy:b64~}       ; sem = relaxed acquire ; since 6.0 sm_70 ; reads ; orders ; never evict1_74 hint size with inner
ld.sem.scope{.rel_ss}{.evict1_74}{.hint}{.size}.vec.narrow d*vec:narrow+, [a]{.hint, policy:b64~} ; sem = relaxed acquire ; vec = v2 v4 ; since 6.0 sm_70 ; reads ; orders ; never evict1_74 hint size with inner
ld.sem.scope{.rel_ss}{.evict1_74}{.hint}{.size}.v2.wide64 d*2:wide64+, [a]{.hint, policy:b64~} ; sem = relaxed acquire ; since 6.0 sm_70 ; reads ; orders ; never evict1_74 hint size with inner
ld.sem.scope{.global}{.evict1}{.evict2}{.hint}{.size}.v4.wide64  d*4:wide64+, [a]{.hint, policy:b64~} ; sem = relaxed acquire ; since 8.8 sm_100 ; reads ; orders
ld.sem.scope{.global}{.evict1}{.evict2}{.hint}{.size}.v8.word    d*8:word+, [a]{.hint, policy:b64~}   ; sem = relaxed acquire ; since 8.8 sm_100 ; reads ; orders
ld.sem.scope{.rel_ss}{.evict1}{.hint}{.size}.b128       d, [a]{.hint, policy:b64~}       ; sem = relaxed acquire ; since 8.3 sm_70 ; reads ; orders ; never evict1 hint size with inner ; scope = cta cluster(7.8 sm_90) gpu sys(8.4)
ld.volatile{.global}{.size}.v4.wide64                   d*4:wide64+, [a]                 ; since 8.8 sm_100 ; reads ; lets evict2 extra
ld.volatile{.global}{.size}.v8.word                     d*8:word+, [a]                   ; since 8.8 sm_100 ; reads ; lets evict2 extra
ld.volatile{.vol_ss}{.size}.b128                        d, [a]                          ; since 8.3 sm_70 ; reads ; never size with inner
ld.mmio.relaxed.sys{.global}.b128                       d, [a]                          ; since 8.4 sm_70 ; reads ; orders
ld.mmio.relaxed.sys{.global}.any                        d:any+, [a]                     ; since 8.2 sm_70 ; reads ; orders
ld.mmio.acquire.sys{.global}.b128                       d, [a]                          ; since 9.3 sm_70 ; reads ; orders
ld.mmio.acquire.sys{.global}.any                        d:any+, [a]                     ; since 9.3 sm_70 ; reads ; orders
ld{.global}.any.proxy::readonly                         d:any+, [a]                     ; since 9.4 sm_90 ; reads
ld{.global}.vec.narrow.proxy::readonly                  d*vec:narrow+, [a]              ; vec = v2 v4 ; since 9.4 sm_90 ; reads
ld{.global}.v2.wide64.proxy::readonly                   d*2:wide64+, [a]                ; since 9.4 sm_90 ; reads
ld{.global}.v4.wide64.proxy::readonly                   d*4:wide64+, [a]                ; since 9.4 sm_100 ; reads ; lets evict2 extra
ld{.global}.v8.word.proxy::readonly                     d*8:word+, [a]                  ; since 9.4 sm_100 ; reads ; lets evict2 extra
section 9.7.9.9 ; load
lets d single
lets d mixed
ld.global.nc.any.proxy::readonly                        d:any+, [a]                     ; since 9.4 sm_90 ; reads
ld.global.nc.vec.narrow.proxy::readonly                 d*vec:narrow+, [a]              ; vec = v2 v4 ; since 9.4 sm_90 ; reads
ld.global.nc.v2.wide64.proxy::readonly                  d*2:wide64+, [a]                ; since 9.4 sm_90 ; reads
ld.global.nc.v4.wide64.proxy::readonly                  d*4:wide64+, [a]                ; since 9.4 sm_100 ; reads ; lets evict2 extra
ld.global.nc.v8.word.proxy::readonly                    d*8:word+, [a]                  ; since 9.4 sm_100 ; reads ; lets evict2 extra
ld.global{.nc_cop}.nc{.hint}{.size}.any                 d:any+, [a]{.hint, policy:b64~}       ; nc_cop = ca cg cs ; since 3.1 sm_32 ; reads
ld.global{.nc_cop}.nc{.hint}{.size}.vec.narrow          d*vec:narrow+, [a]{.hint, policy:b64~} ; nc_cop = ca cg cs ; vec = v2 v4 ; since 3.1 sm_32 ; reads
ld.global{.nc_cop}.nc{.hint}{.size}.v2.wide64           d*2:wide64+, [a]{.hint, policy:b64~}   ; nc_cop = ca cg cs ; since 3.1 sm_32 ; reads
ld.global.nc.evict1{.hint}{.size}.any        d:any+, [a]{.hint, policy:b64~}       ; since 7.4 sm_70 ; reads
ld.global.nc.evict1{.hint}{.size}.vec.narrow d*vec:narrow+, [a]{.hint, policy:b64~} ; vec = v2 v4 ; since 7.4 sm_70 ; reads
ld.global.nc.evict1{.hint}{.size}.v2.wide64  d*2:wide64+, [a]{.hint, policy:b64~}   ; since 7.4 sm_70 ; reads
ld.global{.nc_cop}.nc{.hint}{.size}.v4.wide64           d*4:wide64+, [a]{.hint, policy:b64~} ; nc_cop = ca cg cs ; since 8.8 sm_100 ; reads ; lets evict2 extra
ld.global{.nc_cop}.nc{.hint}{.size}.v8.word             d*8:word+, [a]{.hint, policy:b64~} ; nc_cop = ca cg cs ; since 8.8 sm_100 ; reads ; lets evict2 extra
ld.global.nc.evict1{.evict2}{.hint}{.size}.v4.wide64    d*4:wide64+, [a]{.hint, policy:b64~} ; since 8.8 sm_100 ; reads
ld.global.nc.evict1{.evict2}{.hint}{.size}.v8.word      d*8:word+, [a]{.hint, policy:b64~} ; since 8.8 sm_100 ; reads
ld.global.nc.evict2{.hint}{.size}.v4.wide64             d*4:wide64+, [a]{.hint, policy:b64~} ; since 8.8 sm_100 ; reads ; lets nc_cop extra ; nc_cop = ca cg cs
ld.global.nc.evict2{.hint}{.size}.v8.word               d*8:word+, [a]{.hint, policy:b64~} ; since 8.8 sm_100 ; reads ; lets nc_cop extra ; nc_cop = ca cg cs
ld.global{.nc_cop}.nc{.hint}{.size}.b128                d, [a]{.hint, policy:b64~} ; nc_cop = ca cg cs ; since 8.3 sm_70 ; reads
ld.global.nc.evict1{.hint}{.size}.b128                  d, [a]{.hint, policy:b64~} ; since 8.3 sm_70 ; reads
section 9.7.9.10 ; load
lets d single
lets d mixed
ldu{.global}.any               d:any+, [a]           ; since 2.0 sm_20 ; reads
ldu{.global}.vec.narrow        d*vec:narrow+, [a]    ; vec = v2 v4 ; since 2.0 sm_20 ; reads
ldu{.global}.v2.wide64         d*2:wide64+, [a]       ; since 2.0 sm_20 ; reads
ldu{.global}.b128              d, [a]                ; since 8.3 sm_70 ; reads
section 9.7.9.11 ; store
lets b single
lets b mixed
st{.weak}{.st_ss}{.st_cop}{.hint}.any                   [a], b:any+{.hint, policy:b64~}       ; weak = weak(6.0 sm_70) ; writes ; never hint size with inner
st{.weak}{.st_ss}{.st_cop}{.hint}.vec.narrow            [a], b*vec:narrow+{.hint, policy:b64~} ; weak = weak(6.0 sm_70) ; vec = v2 v4 ; writes ; never hint size with inner
st{.weak}{.st_ss}{.st_cop}{.hint}.v2.wide64             [a], b*2:wide64+{.hint, policy:b64~}   ; weak = weak(6.0 sm_70) ; writes ; never hint size with inner
st{.weak}{.global}.evict1{.hint}.any         [a], b:any+{.hint, policy:b64~}       ; weak = weak(6.0 sm_70) ; since 7.4 sm_70 ; writes
st{.weak}{.global}.evict1{.hint}.vec.narrow  [a], b*vec:narrow+{.hint, policy:b64~} ; weak = weak(6.0 sm_70) ; vec = v2 v4 ; since 7.4 sm_70 ; writes
st{.weak}{.global}.evict1{.hint}.v2.wide64   [a], b*2:wide64+{.hint, policy:b64~}   ; weak = weak(6.0 sm_70) ; since 7.4 sm_70 ; writes
st{.weak}{.global}{.st_cop}{.hint}.v4.wide64            [a], b_*4:wide64+{.hint, policy:b64~} ; since 8.8 sm_100 ; writes ; lets evict2 extra
st{.weak}{.global}{.st_cop}{.hint}.v8.word              [a], b_*8:word+{.hint, policy:b64~} ; since 8.8 sm_100 ; writes ; lets evict2 extra
st{.weak}{.global}.evict1{.evict2}{.hint}.v4.wide64     [a], b_*4:wide64+{.hint, policy:b64~} ; since 8.8 sm_100 ; writes
st{.weak}{.global}.evict1{.evict2}{.hint}.v8.word       [a], b_*8:word+{.hint, policy:b64~} ; since 8.8 sm_100 ; writes
st{.weak}{.global}.evict2{.hint}.v4.wide64              [a], b_*4:wide64+{.hint, policy:b64~} ; since 8.8 sm_100 ; writes ; lets st_cop extra
st{.weak}{.global}.evict2{.hint}.v8.word                [a], b_*8:word+{.hint, policy:b64~} ; since 8.8 sm_100 ; writes ; lets st_cop extra
st{.weak}{.st_ss}{.st_cop}{.hint}.b128                  [a], b{.hint, policy:b64~}       ; since 8.3 sm_70 ; writes ; never hint with inner
st{.weak}{.global}.evict1{.hint}.b128                   [a], b{.hint, policy:b64~}       ; since 8.3 sm_70 ; writes
st.sem.scope{.global}{.evict1}{.evict2}{.hint}.v4.wide64  [a], b_*4:wide64+{.hint, policy:b64~} ; sem = relaxed release ; since 8.8 sm_100 ; writes ; orders
st.sem.scope{.global}{.evict1}{.evict2}{.hint}.v8.word    [a], b_*8:word+{.hint, policy:b64~} ; sem = relaxed release ; since 8.8 sm_100 ; writes ; orders
st.sem.scope{.rel_ss}{.evict1}{.hint}.b128              [a], b{.hint, policy:b64~}       ; sem = relaxed release ; since 8.3 sm_70 ; writes ; orders ; never evict1 hint with inner ; scope = cta cluster(7.8 sm_90) gpu sys(8.4)
st.volatile{.global}.v4.wide64                          [a], b_*4:wide64+                 ; since 8.8 sm_100 ; writes ; lets evict2 extra
st.volatile{.global}.v8.word                            [a], b_*8:word+                   ; since 8.8 sm_100 ; writes ; lets evict2 extra
st.volatile{.vol_ss}.b128                               [a], b                          ; since 8.3 sm_70 ; writes
st.mmio.relaxed.sys{.global}.b128                       [a], b                          ; since 8.4 sm_70 ; writes ; orders
st.volatile{.vol_ss}.any                                 [a], b:any+                     ; writes
st.volatile{.vol_ss}.vec.narrow                          [a], b*vec:narrow+              ; vec = v2 v4 ; writes
st.volatile{.vol_ss}.v2.wide64                           [a], b*2:wide64+                 ; writes
st.sem.scope{.rel_ss}{.evict1_74}{.hint}.any       [a], b:any+{.hint, policy:b64~}       ; sem = relaxed release ; since 6.0 sm_70 ; writes ; orders ; never evict1_74 hint size with inner
st.sem.scope{.rel_ss}{.evict1_74}{.hint}.vec.narrow [a], b*vec:narrow+{.hint, policy:b64~} ; sem = relaxed release ; vec = v2 v4 ; since 6.0 sm_70 ; writes ; orders ; never evict1_74 hint size with inner
st.sem.scope{.rel_ss}{.evict1_74}{.hint}.v2.wide64 [a], b*2:wide64+{.hint, policy:b64~}   ; sem = relaxed release ; since 6.0 sm_70 ; writes ; orders ; never evict1_74 hint size with inner
st.mmio.relaxed.sys{.global}.any                        [a], b:any+                     ; since 8.2 sm_70 ; writes ; orders
st.mmio.release.sys{.global}.b128                       [a], b                          ; since 9.3 sm_70 ; writes ; orders
st.mmio.release.sys{.global}.any                        [a], b:any+                     ; since 9.3 sm_70 ; writes ; orders

section 9.7.9.15 ; hint
prefetch{.space}.level         [a]          ; space = global local ; level = L1 L2 ; since 2.0 sm_20
prefetch.global.level          [a]          ; lets global absent ; level = L2::evict_last L2::evict_normal ; since 7.4 sm_80
prefetch{.global}.L1::32B.valid_addr  [a]   ; since 9.4 sm_90 ; level = L1 L2 L2::evict_last L2::evict_normal ; lets level extra
prefetchu.L1                   [a]          ; since 2.0 sm_20
prefetch{.space}.tensormap     [a:b32+]     ; space = const param ; since 8.0 sm_90
section 9.7.9.16 ; hint
applypriority{.global}.L2::evict_normal     [a], #size<128>!     ; since 7.4 sm_80
section 9.7.9.17 ; hint ; acts
discard{.global}.L2            [a], #size<128>!     ; since 7.4 sm_80
section 9.7.9.18
.primary = L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged
.second = L2::evict_first L2::evict_unchanged
createpolicy.range{.global}.primary{.second}.b64      d~, [a@global:b32+], primary_size:u32, total_size:u32 ; since 7.4 sm_80
createpolicy.range.fabric.primary{.second}.b64        d~, [e:b32, o:b64~^], primary_size:u32, total_size:u32 ; since 9.4 sm_100 ; lets global extra
createpolicy.fractional.primary{.second}.b64          d~{, fraction:f32}      ; since 7.4 sm_80
createpolicy.cvt.L2.b64        d:u64, access:u64        ; since 7.4 sm_80
section 9.7.9.19 ; pure
.window = const(3.1) global local shared shared::cta(7.8) shared::cluster(7.8 sm_90) param(7.7 sm_70) param::entry(8.3 sm_70)
isspacep.window                p:pred, a:u64  ; since 2.0 sm_20
isspacep.window                p:pred, a:u32  ; since 2.0 sm_20
section 9.7.9.20 ; pure ; copy
cvta.window.type               d, a:symbol   ; type = u64 u32 ; since 2.0 sm_20
cvta.to.window.type            d, a          ; type = u64 u32 ; since 2.0 sm_20

section 9.7.9.21 ; pure ; copy
.irnd = rni rzi rmi rpi
.frnd = rn rz rm rp
.rnd2 = rn rz
.ix = u8 u16 u32 u64 s8 s16 s32 s64
.ia = u8 u16 u32 u64 s8 s16 s32 s64
cvt.ix.ia                      d:ix+, a:ia+%
# .sat only where the source has values that the destination has not
cvt.sat.u8.ia                 d:u8+, a:ia+%      ; ia = u16 u32 u64 s8 s16 s32 s64
cvt.sat.u16.ia                 d:u16+, a:ia+%      ; ia = u32 u64 s8 s16 s32 s64
cvt.sat.u32.ia                 d:u32+, a:ia+%      ; ia = u64 s8 s16 s32 s64
cvt.sat.u64.ia                 d:u64+, a:ia+%      ; ia = s8 s16 s32 s64
cvt.sat.s8.ia                 d:s8+, a:ia+%      ; ia = u8 u16 u32 u64 s16 s32 s64
cvt.sat.s16.ia                 d:s16+, a:ia+%      ; ia = u16 u32 u64 s32 s64
cvt.sat.s32.ia                 d:s32+, a:ia+%      ; ia = u32 u64 s64
cvt.sat.s64.ia                 d:s64+, a:ia+%      ; ia = u64
cvt.irnd{.ftz}{.sat}.ix.f32    d:ix+, a:f32+
cvt.irnd{.sat}.ix.f64          d:ix+, a:f64+
cvt.irnd{.sat}.ix.f16    d:ix+, a:f16+
cvt.irnd.ix.bf16               d:ix, a:bf16  ; ix = u8 u16 u32 u64 s8 s16 s32 s64 ; since 7.8 sm_90
cvt.frnd{.ftz}{.sat}.f32.ia    d:f32+, a:ia+
cvt.frnd{.sat}.f64.ia          d:f64+, a:ia+
cvt.frnd{.sat}.f16.ia          d:f16+, a:ia+
cvt.frnd.bf16.ia               d:bf16, a:ia  ; ia = u8 u16 u32 u64 s8 s16 s32 s64 ; since 7.8 sm_90
cvt{.ftz}{.sat}.f64.f32        d:f64+, a:f32+
cvt.frnd{.ftz}{.sat}.f32.f64   d:f32+, a:f64+
cvt{.ftz}{.sat}.f32.f16        d:f32+, a:f16+
cvt{.sat}.f64.f16              d:f64+, a:f16+
cvt.frnd{.sat}.f16.f64         d:f16+, a:f64+
cvt.frnd{.ftz}{.sat}.f16.f32   d:f16+, a:f32+
cvt.irnd{.ftz}{.sat}.f32.f32   d:f32+, a:f32+
cvt.irnd{.sat}.f64.f64         d:f64+, a:f64+
cvt.irnd{.sat}.f16.f16   d:f16+, a:f16+
cvt{.ftz}{.sat}.f32.f32        d:f32+, a:f32+
cvt{.sat}.f64.f64              d:f64+, a:f64+
cvt{.sat}.f16.f16        d:f16+, a:f16+
cvt{.ftz}.f32.bf16             d:f32 , a:bf16  ; ftz = ftz(7.8 sm_90) ; since 7.1 sm_80 ; lets frnd extra
cvt.f64.bf16                   d:f64 , a:bf16  ; since 7.8 sm_90 ; lets frnd extra
cvt.frnd.bf16.f64              d:bf16 , a:f64  ; since 7.8 sm_90
cvt{.frnd}.bf16.f16            d:bf16, a:f16  ; since 7.8 sm_90
cvt{.frnd}.f16.bf16            d:f16 , a:bf16  ; since 7.8 sm_90
cvt{.irnd}.bf16.bf16           d:bf16, a:bf16  ; since 7.8 sm_90
cvt.frnd{.ftz}.bf16.f32        d:bf16, a:f32  ; since 7.0 sm_80
where fp4 = 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_120f
where random = 8.7 sm_100a or 8.8 sm_103a or 9.4 sm_107a
where fp8_bf16 = 9.1 sm_100f or 9.1 sm_110f or 9.1 sm_120f
where bf16_fp8 = 9.2 sm_100f or 9.2 sm_110f or 9.2 sm_120f
where rubin = 9.4 sm_107f
where fixed = 9.1 sm_100a or 9.1 sm_103a or 9.4 sm_107a or 9.1 sm_110a or 9.1 sm_120a or 9.1 sm_121a
where fixed_rz = 9.4 sm_107a
.n1 = scaled::n1::ue8m0
.n2 = scaled::n2::ue8m0
.f86 = e4m3x2 e5m2x2 e2m3x2 e3m2x2
.f6 = e2m3x2 e3m2x2
.f8 = e4m3x2 e5m2x2
.x4 = e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4
.half2 = f16x2 bf16x2
cvt.rnd2.satfinite.f16.f32     d:f16+, a:f32+      ; since 8.1
cvt.rnd2.relu{.satfinite}.f16.f32   d:f16+, a:f32+ ; satfinite = satfinite(8.1) ; since 7.0 sm_80
cvt.rnd2{.relu}.satfinite.bf16.f32  d:bf16, a:f32  ; since 8.1 sm_80
cvt.rnd2.relu.bf16.f32         d:bf16, a:f32  ; since 7.0 sm_80
cvt.rnd2{.relu}{.satfinite}.f16x2.f32  d:b32!&+, a:f32+, b:f32+ ; satfinite = satfinite(8.1) ; since 7.0 sm_80
cvt.rnd2{.relu}{.satfinite}.bf16x2.f32 d:b32!, a:f32, b:f32    ; satfinite = satfinite(8.1) ; since 7.0 sm_80
cvt.rs{.relu}{.satfinite}.f16x2.f32    d:b32!&+, a:f32+, b:f32+, rbits:b32! ; since random
cvt.rs{.relu}{.satfinite}.bf16x2.f32   d:b32!, a:f32, b:f32, rbits:b32! ; since random
cvt.rna{.satfinite}.tf32.f32   d:b32!, a:f32       ; satfinite = satfinite(8.1) ; since 7.0 sm_80
cvt.rnd2{.satfinite}{.relu}.tf32.f32  d:b32!, a:f32 ; satfinite = satfinite(8.6 sm_100) ; since 7.8 sm_90
cvt.rn.satfinite{.relu}.f8.f32 d:b16!, a:f32, b:f32 ; since 7.8 sm_90 or 8.1 sm_89
cvt.rn.satfinite{.relu}.f8.f16x2  d:b16!, a:b32!&     ; since 7.8 sm_90 or 8.1 sm_89
cvt.rn.satfinite{.relu}.f8.bf16x2 d:b16!, a:b32!  ; since fp8_bf16
cvt.rn{.relu}.f16x2.f8         d:b32!&, a:b16!        ; since 7.8 sm_90 or 8.1 sm_89
cvt.rn{.relu}{.satfinite}{.n2}.bf16x2.f8      d:b32!, a:b16!{.n2, scale:b16!}  ; since bf16_fp8
cvt.rn.satfinite{.relu}.e2m1x2.f32   d:e2m1x2, a:f32, b:f32 ; since fp4
cvt.rn.satfinite{.relu}.e2m1x2.f16x2 d:e2m1x2, a:b32!& ; since fp8_bf16
cvt.rn.satfinite{.relu}.e2m1x2.bf16x2 d:e2m1x2, a:b32^ ; since fp8_bf16 ; lets a bits ; lets a vector ; lets a float
cvt.rn{.relu}.f16x2.e2m1x2     d:b32!&, a:e2m1x2     ; since fp4
cvt.rn{.relu}{.satfinite}{.n2}.bf16x2.e2m1x2  d:b32!, a:e2m1x2{.n2, scale:b16!}  ; since bf16_fp8
cvt.rn.satfinite{.relu}.f6.f32 d:b16!, a:f32, b:f32 ; since fp4
cvt.rn.satfinite{.relu}.f6.half2  d:b16!, a:b32!     ; since fp8_bf16
cvt.rn{.relu}.f16x2.f6         d:b32!&, a:b16!        ; since fp4
cvt.rn{.relu}{.satfinite}{.n2}.bf16x2.f6      d:b32!, a:b16!{.n2, scale:b16!}  ; since bf16_fp8
cvt.rs{.relu}.satfinite.x4.f32 d:x4!, {a*4:f32}, rbits:b32! ; since random ; lets a mixed
cvt.rnd{.satfinite}.ue8m0x2.f32    d:b16!, a:f32, b:f32 ; rnd = rz rp ; since fp4
cvt.rnd{.satfinite}.ue8m0x2.bf16x2 d:b16!, a:b32!  ; rnd = rz rp ; since fp4
cvt.rn.bf16x2.ue8m0x2          d:b32!, a:b16!  ; since fp4
# to narrow formats with .rz, with zeros that are positive, scaled
cvt.rz.satfinite{.relu}{.pzo}{.n1}.f86.f32          d:b16!, a:f32, b:f32{.n1, scale:b8!}   ; since rubin
cvt.rn.satfinite{.relu}.pzo{.n1}.f86.f32            d:b16!, a:f32, b:f32{.n1, scale:b8!}   ; since rubin
cvt.rn.satfinite{.relu}.n1.f86.f32                  d:b16!, a:f32, b:f32, scale:b8!        ; since rubin
cvt.rz.satfinite{.relu}{.pzo}{.n1}.f86.half2        d:b16!, a:b32!{.n1, scale:b8!}         ; since rubin
cvt.rn.satfinite{.relu}.pzo{.n1}.f86.half2          d:b16!, a:b32!{.n1, scale:b8!}         ; since rubin
cvt.rn.satfinite{.relu}.n1.f86.f16x2                d:b16!, a:b32!&, scale:b8!              ; since rubin
cvt.rn.satfinite{.relu}.n1.f86.bf16x2               d:b16!, a:b32^, scale:b8!              ; since rubin ; lets a bits ; lets a vector ; lets a float
cvt.rz.satfinite{.relu}{.pzo}{.n1}.e2m1x2.f32       d:e2m1x2, a:f32, b:f32{.n1, scale:b8!} ; since rubin
cvt.rn.satfinite{.relu}.pzo{.n1}.e2m1x2.f32         d:e2m1x2, a:f32, b:f32{.n1, scale:b8!} ; since rubin
cvt.rn.satfinite{.relu}.n1.e2m1x2.f32               d:e2m1x2, a:f32, b:f32, scale:b8!      ; since rubin
cvt.rz.satfinite{.relu}{.pzo}{.n1}.e2m1x2.f16x2     d:e2m1x2, a:b32!&{.n1, scale:b8!}       ; since rubin
cvt.rz.satfinite{.relu}{.pzo}{.n1}.e2m1x2.bf16x2    d:e2m1x2, a:b32^{.n1, scale:b8!}       ; since rubin ; lets a bits ; lets a vector ; lets a float
cvt.rn.satfinite{.relu}.pzo{.n1}.e2m1x2.f16x2       d:e2m1x2, a:b32!&{.n1, scale:b8!}       ; since rubin
cvt.rn.satfinite{.relu}.pzo{.n1}.e2m1x2.bf16x2      d:e2m1x2, a:b32^{.n1, scale:b8!}       ; since rubin ; lets a bits ; lets a vector ; lets a float
cvt.rn.satfinite{.relu}.n1.e2m1x2.f16x2             d:e2m1x2, a:b32!&, scale:b8!            ; since rubin
cvt.rn.satfinite{.relu}.n1.e2m1x2.bf16x2            d:e2m1x2, a:b32^, scale:b8!            ; since rubin ; lets a bits ; lets a vector ; lets a float
cvt.frnd.pzo.f16.f32                                d:f16+, a:f32+      ; since rubin
cvt.rnd2.relu{.satfinite}.pzo.f16.f32               d:f16+, a:f32+      ; since rubin
cvt.rnd2.satfinite.pzo.f16.f32                      d:f16+, a:f32+      ; since rubin
cvt.frnd{.ftz}.pzo.bf16.f32                         d:bf16, a:f32       ; since rubin
cvt.rnd2.relu{.satfinite}.pzo.bf16.f32              d:bf16, a:f32       ; since rubin
cvt.rnd2.satfinite.pzo.bf16.f32                     d:bf16, a:f32       ; since rubin
cvt.rnd2{.relu}{.satfinite}.pzo.f16x2.f32           d:b32!&+, a:f32+, b:f32+ ; since rubin
cvt.rnd2{.relu}{.satfinite}.pzo.bf16x2.f32          d:b32!, a:f32, b:f32    ; since rubin
cvt.rnd2{.satfinite}{.relu}.pzo.tf32.f32            d:b32!, a:f32       ; since rubin
# the fixed-point format
cvt.rn.satfinite{.relu}{.n2}.s2f6x2.f32             d:b16, a:f32, b:f32{.n2, scale:b16!}  ; since fixed
cvt.rz.satfinite{.relu}{.n2}.s2f6x2.f32             d:b16, a:f32, b:f32{.n2, scale:b16!}  ; since fixed_rz
cvt.rn.satfinite{.relu}{.n2}.s2f6x2.bf16x2          d:b16, a:b32!{.n2, scale:b16!}        ; since fixed
cvt.rz.satfinite{.relu}{.n2}.s2f6x2.bf16x2          d:b16, a:b32!{.n2, scale:b16!}        ; since fixed_rz
cvt.rn{.satfinite}{.relu}{.n2}.bf16x2.s2f6x2        d:b32!, a:b16!{.n2, scale:b16!}        ; since fixed
# scales
cvt.rnd{.satfinite}.ue5m3x2.f32                     d:b16!, a:f32, b:f32        ; rnd = rn rz rp ; since rubin
cvt.rnd2{.satfinite}.n1.ue5m3x2.f32                 d:b16!, a:f32, b:f32, scale:b8! ; since rubin
cvt.rnd{.satfinite}.ue5m3x2.half2                   d:b16!, a:b32!              ; rnd = rn rz rp ; since rubin
cvt.rnd2{.satfinite}.n1.ue5m3x2.f16x2               d:b16!, a:b32!&, scale:b8!   ; since rubin
cvt.rnd2{.satfinite}.n1.ue5m3x2.bf16x2              d:b16!, a:b32^, scale:b8!   ; since rubin ; lets a bits ; lets a vector ; lets a float
cvt.rn.f16x2.ue5m3x2                                d:b32!&, a:b16!              ; since rubin
cvt.rn{.satfinite}{.n2}.bf16x2.ue5m3x2              d:b32!, a:b16!{.n2, scale:b16!} ; since rubin
section 9.7.9.22 ; pure ; copy
lets d a b c wider
cvt.pack.sat.to.s32            d:b32~, a:s32, b:s32 ; to = u16 s16 ; since 6.5 sm_72
cvt.pack.sat.to.s32.b32        d:b32~, a:s32, b:s32, c:b32 ; to = u2(6.5 sm_75) s2(6.5 sm_75) u4(6.5 sm_75) s4(6.5 sm_75) u8 s8 ; since 6.5 sm_72

section 9.7.9.23 ; pure
mapa.shared::cluster.type      d, a:symbol, b:u32 ; type = u32 u64 ; since 7.8 sm_90
mapa.type                      d, a, b:u32        ; type = u32 u64 ; since 7.8 sm_90
section 9.7.9.24 ; pure
getctarank.shared::cluster.type  d:u32, a:symbol  ; type = u32 u64 ; since 7.8 sm_90
getctarank.type                d:u32, a           ; type = u32 u64 ; since 7.8 sm_90

section 9.7.9.25 ; protocol
.sh = shared shared::cta(7.8)
cp.async.ca.sh.global{.hint}{.size}   [a@sh], [b@global], #n<4|8|16>!{, src_size:u32<0..16>!}{.hint, policy:b64~} ; since 7.0 sm_80 ; reads ; writes ; sh = shared shared::cta
cp.async.ca.sh.global{.hint}{.size}   [a@sh], [b@global], #n<4|8|16>!, {!}ignore:pred<0..1>!{.hint, policy:b64~} ; since 7.5 sm_80 ; reads ; writes ; sh = shared shared::cta
cp.async.cg.sh.global{.hint}{.size}   [a@sh], [b@global], #n<16>!{, src_size:u32<0..16>!}{.hint, policy:b64~} ; since 7.0 sm_80 ; reads ; writes ; sh = shared shared::cta
cp.async.cg.sh.global{.hint}{.size}   [a@sh], [b@global], #n<16>!, {!}ignore:pred<0..1>!{.hint, policy:b64~} ; since 7.5 sm_80 ; reads ; writes ; sh = shared shared::cta
cp.async.commit_group                         ; since 7.0 sm_80 ; sh = shared shared::cta
cp.async.wait_group                           #n<0..2147483647>  ; since 7.0 sm_80 ; orders
cp.async.mbarrier.arrive{.noinc}{.sh}.b64     [a@shared:b32+]       ; since 7.0 sm_80 ; writes
cp.async.wait_all                             ; since 7.0 sm_80 ; orders
section 9.7.14.5.15 ; matrix ; rows
lets d bits
lets d mixed
where fp4 = 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_120f
.ss = shared shared::cta(7.8)
.num = x1 x2 x4
.num2 = x1*2 x2*4
.unpack = b8x16.b6x16_p32 b8x16.b4x16_p64
ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16      {d*num:b32=}, [a:b32+]   ; since 6.5 sm_75 ; reads ; converged
ldmatrix.sync.aligned.m16n16.num2.trans{.ss}.b8      {d*num2:b32}, [a:b32+]  ; since fp4 ; reads ; converged
ldmatrix.sync.aligned.m8n16.num{.ss}.unpack          {d*num:b32=}, [a:b32+]   ; since fp4 ; reads ; converged
ldmatrix.sync.aligned.m8n16.num{.ss}.s8.s4           {d*num:b32=}, [a:b32+]   ; since 9.4 sm_90a or 9.4 sm_100f or 9.4 sm_110f or 9.4 sm_120f ; reads ; converged
ldmatrix.sync.aligned.m16n16.num2.trans{.ss}.unpack  {d*num2:b32}, [a:b32+]  ; since fp4 ; reads ; converged
section 9.7.14.5.16 ; matrix ; rows
lets r bits
lets r mixed
stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16      [a:b32+], {r*num:b32=}   ; since 7.8 sm_90 ; writes ; converged
stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8        [a:b32+], {r*num:b32=}   ; since fp4 ; writes ; converged
section 9.7.14.5.17 ; matrix
movmatrix.sync.aligned.m8n8.trans.b16         d:b32, a:b32^     ; lets d a bits ; lets a float ; since 7.8 sm_75 ; converged
"""
