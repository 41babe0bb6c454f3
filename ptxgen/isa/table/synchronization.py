"""Parallel synchronisation and communication (manual 9.7.13)."""

ROWS = """
.scope = cta cluster(7.8 sm_90) gpu sys
.sem = relaxed acquire release acq_rel
.rsem = relaxed release
.space = global shared shared::cta(7.8) shared::cluster(7.8 sm_90)
.hint = L2::cache_hint(7.4 sm_80)
.bop = and or

section 9.7.13.1
bar{.cta}.sync                 a:u32<0..15>!{, b:u32}           ; cta = cta(7.8) ; barrier ; orders ; converged
bar{.cta}.arrive               a:u32<0..15>!, b:u32             ; cta = cta(7.8) ; barrier ; orders ; converged
bar{.cta}.red.popc.u32         d, a:u32<0..15>!{, b:u32}, {!}c:pred ; cta = cta(7.8) ; barrier ; orders ; converged
bar{.cta}.red.bop.pred         p, a:u32<0..15>!{, b:u32}, {!}c:pred ; cta = cta(7.8) ; barrier ; orders ; converged
barrier{.cta}.sync{.aligned}   a:u32<0..15>!{, b:u32}           ; cta = cta(7.8) ; since 6.0 sm_30 ; barrier ; orders
barrier{.cta}.arrive{.aligned} a:u32<0..15>!, b:u32             ; cta = cta(7.8) ; since 6.0 sm_30 ; barrier ; orders
barrier{.cta}.red.popc{.aligned}.u32  d, a:u32<0..15>!{, b:u32}, {!}c:pred ; cta = cta(7.8) ; since 6.0 sm_30 ; barrier ; orders
barrier{.cta}.red.bop{.aligned}.pred  p, a:u32<0..15>!{, b:u32}, {!}c:pred ; cta = cta(7.8) ; since 6.0 sm_30 ; barrier ; orders
section 9.7.13.2
bar.warp.sync                  membermask:b32                  ; since 6.0 sm_30 ; orders ; converged
section 9.7.13.3
barrier.cluster.arrive{.order}{.aligned}   ; order = release(8.0) relaxed(8.0) ; since 7.8 sm_90 ; barrier ; orders
barrier.cluster.wait{.acquire}{.aligned}   ; acquire = acquire(8.0) ; since 7.8 sm_90 ; barrier ; orders
section 9.7.13.4
membar.level                   ; level = cta gl sys(2.0) ; orders
membar.proxy.kind              ; kind = alias(7.5 sm_70) async(8.0 sm_90) ; orders
fence{.sem}.scope              ; sem = sc acq_rel acquire(8.6 sm_90) release(8.6 sm_90) ; since 6.0 sm_70 ; orders
fence.proxy.alias              ; since 7.5 sm_70 ; orders
fence.proxy.async              ; since 8.0 sm_90 ; orders
fence.proxy.async.space        ; space = global shared::cta shared::cluster ; since 8.0 sm_90 ; orders
fence.mbarrier_init.release.cluster ; since 8.0 sm_90 ; orders

section 9.7.13.5
atom{.sem}{.scope}{.space}.op.type          d, [a], b            ; op = and or xor exch ; type = b32 b64
atom{.sem}{.scope}{.space}.add.type         d, [a], b            ; type = u32 s32 u64 f32 f64(5.0 sm_60)
atom{.sem}{.scope}{.space}.op.u32           d, [a], b            ; op = inc dec
atom{.sem}{.scope}{.space}.op.type          d, [a], b            ; op = min max ; type = u32 s32 u64(3.1 sm_32) s64(3.1 sm_32)
atom{.sem}{.scope}{.space}.cas.type         d, [a], b, c         ; type = b16(6.3 sm_70) b32 b64
atom{.sem}{.scope}{.space}.add.noftz.type   d, [a], b            ; type = f16(6.3 sm_70) f16x2(6.2 sm_60) bf16(7.8 sm_90) bf16x2(7.8 sm_90)
section 9.7.13.6
red{.rsem}{.scope}{.space}.op.type          [a], b               ; op = and or xor ; type = b32 b64
red{.rsem}{.scope}{.space}.add.type         [a], b               ; type = u32 s32 u64 f32 f64(5.0 sm_60)
red{.rsem}{.scope}{.space}.op.u32           [a], b               ; op = inc dec
red{.rsem}{.scope}{.space}.op.type          [a], b               ; op = min max ; type = u32 s32 u64(3.1 sm_32) s64(3.1 sm_32)
red{.rsem}{.scope}{.space}.add.noftz.type   [a], b               ; type = f16(6.3 sm_70) f16x2(6.2 sm_60) bf16(7.8 sm_90) bf16x2(7.8 sm_90)

section 9.7.13.9
vote.sync.mode.pred            d, {!}a:pred, membermask:b32     ; mode = all any uni ; since 6.0 sm_30 ; converged
vote.sync.ballot.b32           d, {!}a:pred, membermask:b32     ; since 6.0 sm_30 ; converged
section 9.7.13.10
match.any.sync.type            d:b32, a, membermask:b32         ; type = b32 b64 ; since 6.0 sm_70 ; converged
match.all.sync.type            d:b32{|p:pred}, a, membermask:b32 ; type = b32 b64 ; since 6.0 sm_70 ; converged
section 9.7.13.11
activemask.b32                 d                                ; since 6.2 sm_30
section 9.7.13.12
redux.sync.op.type             d, a, membermask:b32             ; op = add min max ; type = u32 s32 ; since 7.0 sm_80 ; converged
redux.sync.op.b32              d, a, membermask:b32             ; op = and or xor ; since 7.0 sm_80 ; converged
section 9.7.13.13
griddepcontrol.action          ; action = launch_dependents wait ; since 7.8 sm_90 ; orders
section 9.7.13.14
elect.sync                     d:b32|p:pred, membermask:b32     ; since 8.0 sm_90 ; converged

section 9.7.13.15
.mss = shared shared::cta(7.8)
mbarrier.init{.mss}.b64        [a], count:u32                   ; since 7.0 sm_80 ; writes
mbarrier.inval{.mss}.b64       [a]                              ; since 7.0 sm_80 ; writes
mbarrier.arrive{.mss}.b64      d:b64, [a]                       ; since 7.0 sm_80 ; writes ; orders
mbarrier.arrive{.mss}.b64      d:b64, [a], count:u32            ; since 7.8 sm_90 ; writes ; orders
mbarrier.arrive.expect_tx{.mss}.b64 d:b64, [a], tx:u32          ; since 8.0 sm_90 ; writes ; orders
mbarrier.expect_tx.relaxed.cta{.mss}.b64  [a], tx:u32           ; since 8.0 sm_90 ; writes
mbarrier.test_wait{.mss}.b64   p:pred, [a], state:b64           ; since 7.0 sm_80 ; reads ; orders
mbarrier.test_wait.parity{.mss}.b64 p:pred, [a], parity:u32     ; since 7.1 sm_80 ; reads ; orders
mbarrier.try_wait{.mss}.b64    p:pred, [a], state:b64{, hint:u32} ; since 7.8 sm_90 ; reads ; orders
mbarrier.try_wait.parity{.mss}.b64 p:pred, [a], parity:u32{, hint:u32} ; since 7.8 sm_90 ; reads ; orders
mbarrier.pending_count.b64     d:u32, state:b64                 ; since 7.0 sm_80
"""
