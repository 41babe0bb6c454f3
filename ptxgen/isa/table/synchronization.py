"""Parallel synchronisation and communication (manual 9.7.13)."""

ROWS = """
.scope = cta cluster(7.8 sm_90) gpu sys
.sem = relaxed acquire release acq_rel
.rsem = relaxed release
.space = global shared shared::cta(7.8) shared::cluster(7.8 sm_90)
.hint = L2::cache_hint(7.4 sm_80)
.bop = and or

section 9.7.13.1
bar{.cta}.sync                 a:u32<0..15>!{, b:u32<32..1024/32><../32>!}           ; cta = cta(7.8) ; barrier ; orders ; converged
bar{.cta}.arrive               a:u32<0..15>!, b:u32<32..1024/32><../32>!             ; cta = cta(7.8) ; barrier ; orders ; converged ; protocol
bar{.cta}.red.popc.u32         d, a:u32<0..15>!{, b:u32<32..1024/32><../32>!}, {!}c:pred ; cta = cta(7.8) ; barrier ; orders ; converged
bar{.cta}.red.bop.pred         p, a:u32<0..15>!{, b:u32<32..1024/32><../32>!}, {!}c:pred ; cta = cta(7.8) ; barrier ; orders ; converged
barrier{.cta}.sync{.aligned}   a:u32<0..15>!{, b:u32<32..1024/32><../32>!}           ; cta = cta(7.8) ; since 6.0 sm_30 ; barrier ; orders
barrier{.cta}.arrive{.aligned} a:u32<0..15>!, b:u32<32..1024/32><../32>!             ; cta = cta(7.8) ; since 6.0 sm_30 ; barrier ; orders ; protocol
barrier{.cta}.red.popc{.aligned}.u32  d, a:u32<0..15>!{, b:u32<32..1024/32><../32>!}, {!}c:pred ; cta = cta(7.8) ; since 6.0 sm_30 ; barrier ; orders
barrier{.cta}.red.bop{.aligned}.pred  p, a:u32<0..15>!{, b:u32<32..1024/32><../32>!}, {!}c:pred ; cta = cta(7.8) ; since 6.0 sm_30 ; barrier ; orders
section 9.7.13.2
bar.warp.sync                  membermask:u32                  ; since 6.0 sm_30 ; orders ; converged
section 9.7.13.3 ; protocol
barrier.cluster.arrive{.order}{.aligned}   ; order = release(8.0) relaxed(8.0) ; since 7.8 sm_90 ; barrier ; orders
barrier.cluster.wait{.acquire}{.aligned}   ; acquire = acquire(8.0) ; since 7.8 sm_90 ; barrier ; orders
section 9.7.13.4 ; fence
membar.level                   ; level = cta gl sys(2.0) ; orders
membar.proxy.kind              ; kind = alias(7.5 sm_70) async(8.0 sm_90) ; orders
fence{.sem}.scope              ; sem = sc acq_rel acquire(8.6 sm_90) release(8.6 sm_90) ; since 6.0 sm_70 ; orders ; lets async extra
fence.acquire.sync_restrict::shared::cluster.cluster  ; since 8.6 sm_90 ; orders ; lets async extra
fence.release.sync_restrict::shared::cta.cluster      ; since 8.6 sm_90 ; orders ; lets async mbarrier_init extra
fence.mbarrier_init.release.cluster ; since 8.0 sm_90 ; orders ; lets async sync_restrict::shared::cta sync_restrict::shared::cluster extra
fence.proxy.alias              ; since 7.5 sm_70 ; orders
fence.proxy.alias.sem.sys      ; sem = acquire release ; since 9.4 sm_90 ; orders
fence.proxy.async              ; since 8.0 sm_90 ; orders ; lets sync_restrict::shared::cta sync_restrict::shared::cluster extra
fence.proxy.async.space        ; space = global shared::cta shared::cluster ; since 8.0 sm_90 ; orders ; lets sync_restrict::shared::cta sync_restrict::shared::cluster extra
fence.proxy.tensormap::generic.release.scope                  ; since 8.3 sm_90 ; orders ; lets global shared::cta shared::cluster sync_restrict::shared::cta sync_restrict::shared::cluster extra
fence.proxy.tensormap::generic.acquire.scope  [a@generic], #size<128>! ; lets a bits ; since 8.3 sm_90 ; orders
fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster ; since 8.6 sm_90 ; orders ; lets global shared::cta shared::cluster extra
fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster     ; since 8.6 sm_90 ; orders ; lets global shared::cta shared::cluster extra
fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster ; since 9.4 sm_90 ; orders ; lets global shared::cta shared::cluster extra
fence.proxy.pair.alias.sem.sys ; pair = generic::fabric fabric::generic fabric::fabric ; sem = acquire release ; since 9.3 sm_100 ; orders

# The policy works on the L2 cache: .global, or no space at all.
.near = shared shared::cta shared::cluster
.h = v2 v4 v8
.w = v2 v4
section 9.7.13.5 ; atomic
lets d b mixed
atom{.sem}{.scope}{.space}.op{.hint}.type          d_, [a], b{.hint, policy:b64~}            ; op = and or xor ; type = b32 b64 ; never hint with near ; reads ; writes ; orders
atom{.sem}{.scope}{.space}.exch{.hint}.type        d_, [a], b{.hint, policy:b64~}            ; type = b32 b64 ; never hint with near ; reads ; writes ; orders
atom{.sem}{.scope}{.space}.add{.hint}.type         d_, [a], b{.hint, policy:b64~}            ; type = u32 s32 u64 f32 f64(5.0 sm_60) ; never hint with near ; reads ; writes ; orders
atom{.sem}{.scope}{.space}.op{.hint}.u32           d_, [a], b{.hint, policy:b64~}            ; op = inc dec ; never hint with near ; reads ; writes ; orders
atom{.sem}{.scope}{.space}.op{.hint}.type          d_, [a], b{.hint, policy:b64~}            ; op = min max ; type = u32 s32 u64(3.1 sm_32) s64(3.1 sm_32) ; never hint with near ; reads ; writes ; orders
atom{.sem}{.scope}{.space}.exch{.hint}.b128        d_, [a], b{.hint, policy:b64~}            ; scope = cta cluster gpu sys(8.4) ; since 8.3 sm_90 ; never hint with near ; reads ; writes ; orders
atom{.sem}{.scope}{.space}.cas.b128                d_, [a], b, c                            ; scope = cta cluster gpu sys(8.4) ; since 8.3 sm_90 ; reads ; writes ; orders
atom{.sem}{.scope}{.space}.cas.type                d_, [a], b, c                            ; type = b16(6.3 sm_70) b32 b64 ; reads ; writes ; orders
atom{.sem}{.scope}{.space}.add.noftz{.hint}.type   d_, [a], b{.hint, policy:b64~}            ; type = f16(6.3 sm_70) f16x2(6.2 sm_60) bf16(7.8 sm_90) bf16x2(7.8 sm_90) f32(9.4 sm_90) ; never hint with near ; reads ; writes ; orders
atom{.sem}{.scope}{.global}.add{.hint}.w.f32       d*w, [a], b*w{.hint, policy:b64~}        ; since 8.1 sm_90 ; reads ; writes ; orders ; lets d sink
atom{.sem}{.scope}{.global}.add.noftz{.hint}.w.f32       d*w, [a], b*w{.hint, policy:b64~}        ; since 9.4 sm_90 ; reads ; writes ; orders ; lets d sink
atom{.sem}{.scope}{.global}.op.noftz{.hint}.h.f16 d*h, [a], b*h{.hint, policy:b64~}        ; op = add min max ; since 8.1 sm_90 ; reads ; writes ; orders ; lets d sink
atom{.sem}{.scope}{.global}.op.noftz{.hint}.h.bf16 d*h!, [a], b*h!{.hint, policy:b64~}        ; op = add min max ; since 8.1 sm_90 ; reads ; writes ; orders ; lets d sink
atom{.sem}{.scope}{.global}.op.noftz{.hint}.w.type d*w!, [a], b*w!{.hint, policy:b64~}        ; op = add min max ; type = f16x2 bf16x2 ; since 8.1 sm_90 ; reads ; writes ; orders ; lets d sink
section 9.7.13.6 ; atomic
lets a sink
lets b mixed
red{.rsem}{.scope}{.space}.op{.hint}.type          [a], b{.hint, policy:b64~}               ; op = and or xor ; type = b32 b64 ; never hint with near ; reads ; writes ; orders
red{.rsem}{.scope}{.space}.add{.hint}.type         [a], b{.hint, policy:b64~}               ; type = u32 s32 u64 f32 f64(5.0 sm_60) ; never hint with near ; reads ; writes ; orders
red{.rsem}{.scope}{.space}.op{.hint}.u32           [a], b{.hint, policy:b64~}               ; op = inc dec ; never hint with near ; reads ; writes ; orders
red{.rsem}{.scope}{.space}.op{.hint}.type          [a], b{.hint, policy:b64~}               ; op = min max ; type = u32 s32 u64(3.1 sm_32) s64(3.1 sm_32) ; never hint with near ; reads ; writes ; orders
red{.rsem}{.scope}{.space}.add.noftz{.hint}.type   [a], b{.hint, policy:b64~}               ; type = f16(6.3 sm_70) f16x2(6.2 sm_60) bf16(7.8 sm_90) bf16x2(7.8 sm_90) f32(9.4 sm_90) ; never hint with near ; reads ; writes ; orders
red{.rsem}{.scope}{.global}.add{.hint}.w.f32       [a], b*w{.hint, policy:b64~}             ; since 8.1 sm_90 ; reads ; writes ; orders
red{.rsem}{.scope}{.global}.add.noftz{.hint}.w.f32       [a], b*w{.hint, policy:b64~}             ; since 9.4 sm_90 ; reads ; writes ; orders
red{.rsem}{.scope}{.global}.op.noftz{.hint}.h.f16 [a], b*h{.hint, policy:b64~}             ; op = add min max ; since 8.1 sm_90 ; reads ; writes ; orders
red{.rsem}{.scope}{.global}.op.noftz{.hint}.h.bf16 [a], b*h!{.hint, policy:b64~}             ; op = add min max ; since 8.1 sm_90 ; reads ; writes ; orders
red{.rsem}{.scope}{.global}.op.noftz{.hint}.w.type [a], b*w!{.hint, policy:b64~}             ; op = add min max ; type = f16x2 bf16x2 ; since 8.1 sm_90 ; reads ; writes ; orders

section 9.7.13.8 ; warp
vote.mode.pred                 d, {!}a:pred                     ; mode = all any uni ; until 6.3 sm_70
vote.ballot.b32                d, {!}a:pred                     ; since 2.0 sm_20 ; until 6.3 sm_70
section 9.7.13.9 ; warp
vote.sync.mode.pred            d, {!}a:pred, membermask:u32     ; mode = all any uni ; since 6.0 sm_30 ; converged
vote.sync.ballot.b32           d, {!}a:pred, membermask:u32     ; since 6.0 sm_30 ; converged
section 9.7.13.10 ; warp
match.any.sync.type            d:b32~, a, membermask:u32         ; type = b32 b64 ; since 6.0 sm_70 ; converged
match.all.sync.type            d_:b32~{|p:pred}, a, membermask:u32 ; type = b32 b64 ; since 6.0 sm_70 ; converged
section 9.7.13.11
activemask.b32                 d                                ; since 6.2 sm_30
section 9.7.13.12 ; warp
redux.sync.op.type             d, a, membermask:u32             ; op = add min max ; type = u32 s32 ; since 7.0 sm_80 ; converged
redux.sync.op.b32              d~, a~, membermask:u32             ; op = and or xor ; since 7.0 sm_80 ; converged
redux.sync.op{.abs}{.NaN}.f32  d, a, membermask:u32             ; op = min max ; since 8.6 sm_100a or 8.8 sm_100f ; converged
section 9.7.13.13 ; protocol
griddepcontrol.action          ; action = launch_dependents wait ; since 7.8 sm_90 ; orders
section 9.7.13.14 ; warp ; repeatable
elect.sync                     d_:b32~|p:pred, membermask:u32     ; since 8.0 sm_90 ; converged

section 9.7.13.15 ; protocol
.mss = shared shared::cta(7.8)
.cl = shared::cluster
.all_ctas = multicast::cluster::32b
.any_mss = shared shared::cta shared::cluster
.scope2 = cta cluster(8.0 sm_90)
.arrival = release relaxed(8.6 sm_90)
.wait = acquire relaxed(8.6 sm_90)
mbarrier.init{.mss}.b64        [a], count:u32<1..1048575>!                   ; since 7.0 sm_80 ; writes
mbarrier.init.layout::v0{.mss}.b64  [a], count:u32<1..1048575>!    ; since 9.3 sm_90 ; writes
mbarrier.init.layout::v1{.mss}.b64  [a], count:u32<1..511><1..1048575>!  ; since 9.3 sm_90 ; writes
mbarrier.inval{.mss}.b64       [a]                              ; since 7.0 sm_80 ; writes
mbarrier.expect_tx{.any_mss}.b64                [a], tx:u32     ; since 8.0 sm_90 ; writes
mbarrier.expect_tx.relaxed.scope2{.any_mss}.b64 [a], tx:u32     ; since 8.0 sm_90 ; writes
mbarrier.complete_tx{.any_mss}.b64                [a], tx:u32   ; since 8.0 sm_90 ; writes
mbarrier.complete_tx.relaxed.scope2{.any_mss}.b64 [a], tx:u32   ; since 8.0 sm_90 ; writes
lets count vector
mbarrier.arrive{.mss}.b64   d:b64~, [a] ; since 7.0 sm_80 ; writes ; orders
mbarrier.arrive{.mss}.b64   d:b64~, [a], count:u32<1..1048575><1..>! ; since 7.8 sm_90 ; writes ; orders
mbarrier.arrive{.mss}.b64   _, [a] ; since 7.1 sm_80 ; writes ; orders
mbarrier.arrive{.mss}.b64   _, [a], count:u32<1..1048575><1..>! ; since 7.8 sm_90 ; writes ; orders
mbarrier.arrive.cl.b64   _, [a]{, count:u32<1..1048575><1..>!} ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive.expect_tx{.mss}.b64   d_:b64~, [a], tx:u32 ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive.expect_tx.cl.b64   _, [a], tx:u32 ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive.arrival.scope2{.mss}.b64   d:b64~, [a] ; since 8.0 sm_80 ; writes ; orders
mbarrier.arrive.arrival.scope2{.mss}.b64   d:b64~, [a], count:u32<1..1048575><1..>! ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive.arrival.scope2{.mss}.b64   _, [a] ; since 8.0 sm_80 ; writes ; orders
mbarrier.arrive.arrival.scope2{.mss}.b64   _, [a], count:u32<1..1048575><1..>! ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive.arrival.scope2.cl.b64   _, [a]{, count:u32<1..1048575><1..>!} ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive.expect_tx.arrival.scope2{.mss}.b64   d_:b64~, [a], tx:u32 ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive.expect_tx.arrival.scope2.cl.b64   _, [a], tx:u32 ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive.noComplete{.mss}.b64   d:b64~, [a], count:u32<1..1048575><1..>! ; since 7.0 sm_80 ; writes ; orders
mbarrier.arrive.noComplete{.mss}.b64   _, [a], count:u32<1..1048575><1..>! ; since 7.1 sm_80 ; writes ; orders
mbarrier.arrive.noComplete.release.cta{.mss}.b64   d_:b64~, [a], count:u32<1..1048575><1..>! ; since 8.0 sm_80 ; writes ; orders
mbarrier.arrive_drop{.mss}.b64   d:b64~, [a] ; since 7.0 sm_80 ; writes ; orders
mbarrier.arrive_drop{.mss}.b64   d:b64~, [a], count:u32<1..1048575><1..>! ; since 7.8 sm_90 ; writes ; orders
mbarrier.arrive_drop{.mss}.b64   _, [a] ; since 7.0 sm_80 ; writes ; orders
mbarrier.arrive_drop{.mss}.b64   _, [a], count:u32<1..1048575><1..>! ; since 7.8 sm_90 ; writes ; orders
mbarrier.arrive_drop.cl.b64   _, [a]{, count:u32<1..1048575><1..>!} ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive_drop.expect_tx{.mss}.b64   d_:b64~, [a], tx:u32 ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive_drop.expect_tx.cl.b64   _, [a], tx:u32 ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive_drop.arrival.scope2{.mss}.b64   d:b64~, [a] ; since 8.0 sm_80 ; writes ; orders
mbarrier.arrive_drop.arrival.scope2{.mss}.b64   d:b64~, [a], count:u32<1..1048575><1..>! ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive_drop.arrival.scope2{.mss}.b64   _, [a] ; since 8.0 sm_80 ; writes ; orders
mbarrier.arrive_drop.arrival.scope2{.mss}.b64   _, [a], count:u32<1..1048575><1..>! ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive_drop.arrival.scope2.cl.b64   _, [a]{, count:u32<1..1048575><1..>!} ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive_drop.expect_tx.arrival.scope2{.mss}.b64   d_:b64~, [a], tx:u32 ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive_drop.expect_tx.arrival.scope2.cl.b64   _, [a], tx:u32 ; since 8.0 sm_90 ; writes ; orders
mbarrier.arrive_drop.noComplete{.mss}.b64   d:b64~, [a], count:u32<1..1048575><1..>! ; since 7.0 sm_80 ; writes ; orders
mbarrier.arrive_drop.noComplete{.mss}.b64   _, [a], count:u32<1..1048575><1..>! ; since 7.0 sm_80 ; writes ; orders
mbarrier.arrive_drop.noComplete.release.cta{.mss}.b64   d_:b64~, [a], count:u32<1..1048575><1..>! ; since 8.0 sm_80 ; writes ; orders
mbarrier.test_wait{.mss}.b64   p:pred, [a], state:b64~ ; since 7.0 sm_80 ; reads ; orders
mbarrier.test_wait.parity{.mss}.b64   p:pred, [a], phase:u32<0..1>! ; since 7.1 sm_80 ; reads ; orders
mbarrier.test_wait.wait.scope2{.mss}.b64   p:pred, [a], state:b64~ ; since 8.0 sm_80 ; reads ; orders
mbarrier.test_wait.parity.wait.scope2{.mss}.b64   p:pred, [a], phase:u32<0..1>! ; since 8.0 sm_80 ; reads ; orders
mbarrier.try_wait{.mss}.b64   p:pred, [a], state:b64~{, hint:u32} ; since 7.8 sm_90 ; reads ; orders
mbarrier.try_wait.parity{.mss}.b64   p:pred, [a], phase:u32<0..1>!{, hint:u32} ; since 7.8 sm_90 ; reads ; orders
mbarrier.try_wait.wait.scope2{.mss}.b64   p:pred, [a], state:b64~{, hint:u32} ; since 8.0 sm_90 ; reads ; orders
mbarrier.try_wait.parity.wait.scope2{.mss}.b64   p:pred, [a], phase:u32<0..1>!{, hint:u32} ; since 8.0 sm_90 ; reads ; orders
mbarrier.expect_tx{.cl}.all_ctas.b64   [a], tx:u32, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes
mbarrier.expect_tx.relaxed.scope2{.cl}.all_ctas.b64   [a], tx:u32, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes
mbarrier.complete_tx{.cl}.all_ctas.b64   [a], tx:u32, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes
mbarrier.complete_tx.relaxed.scope2{.cl}.all_ctas.b64   [a], tx:u32, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes
mbarrier.arrive{.cl}.all_ctas.b64   _, [a]{, count:u32<1..1048575><1..>!}, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes ; orders
mbarrier.arrive.expect_tx{.cl}.all_ctas.b64   _, [a], tx:u32, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes ; orders
mbarrier.arrive.arrival.scope2{.cl}.all_ctas.b64   _, [a]{, count:u32<1..1048575><1..>!}, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes ; orders
mbarrier.arrive.expect_tx.arrival.scope2{.cl}.all_ctas.b64   _, [a], tx:u32, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes ; orders
mbarrier.arrive_drop{.cl}.all_ctas.b64   _, [a]{, count:u32<1..1048575><1..>!}, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes ; orders
mbarrier.arrive_drop.expect_tx{.cl}.all_ctas.b64   _, [a], tx:u32, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes ; orders
mbarrier.arrive_drop.arrival.scope2{.cl}.all_ctas.b64   _, [a]{, count:u32<1..1048575><1..>!}, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes ; orders
mbarrier.arrive_drop.expect_tx.arrival.scope2{.cl}.all_ctas.b64   _, [a], tx:u32, mask:b32~<0..4294967295>! ; since 9.4 sm_107f ; writes ; orders
mbarrier.test_wait.phase_type::primary{.mss}.b64   p:pred{|q_:pred}, [a], state:b64~ ; since 9.3 sm_90 ; reads ; orders
mbarrier.test_wait.phase_type::primary{.mss}.b64   p:pred{|q_:pred}, d:b8!, [a], state:b64~ ; since 9.3 sm_90 ; reads ; orders ; lets d constant
mbarrier.test_wait.phase_type::primary.wait.scope2{.mss}.b64   p:pred{|q_:pred}, [a], state:b64~ ; since 9.3 sm_90 ; reads ; orders
mbarrier.test_wait.phase_type::primary.wait.scope2{.mss}.b64   p:pred{|q_:pred}, d:b8!, [a], state:b64~ ; since 9.3 sm_90 ; reads ; orders ; lets d constant
mbarrier.test_wait.parity.phase_type::primary{.mss}.b64   p:pred{|q_:pred}, [a], phase:u32<0..1>! ; since 9.3 sm_90 ; reads ; orders
mbarrier.test_wait.parity.phase_type::primary{.mss}.b64   p:pred{|q_:pred}, d:b8!, [a], phase:u32<0..1> ; since 9.3 sm_90 ; reads ; orders ; lets d constant
mbarrier.test_wait.parity.phase_type::conditional{.mss}.b64   p:pred, [a], phase:u32<0..1>! ; since 9.3 sm_90 ; reads ; orders
mbarrier.test_wait.parity.phase_type::primary.wait.scope2{.mss}.b64   p:pred{|q_:pred}, [a], phase:u32<0..1>! ; since 9.3 sm_90 ; reads ; orders
mbarrier.test_wait.parity.phase_type::primary.wait.scope2{.mss}.b64   p:pred{|q_:pred}, d:b8!, [a], phase:u32<0..1> ; since 9.3 sm_90 ; reads ; orders ; lets d constant
mbarrier.test_wait.parity.phase_type::conditional.wait.scope2{.mss}.b64   p:pred, [a], phase:u32<0..1>! ; since 9.3 sm_90 ; reads ; orders
mbarrier.try_wait.phase_type::primary{.mss}.b64   p:pred{|q_:pred}, [a], state:b64~{, hint:u32} ; since 9.3 sm_90 ; reads ; orders
mbarrier.try_wait.phase_type::primary{.mss}.b64   p:pred{|q_:pred}, d:b8!, [a], state:b64~{, hint:u32} ; since 9.3 sm_90 ; reads ; orders ; lets d constant
mbarrier.try_wait.phase_type::primary.wait.scope2{.mss}.b64   p:pred{|q_:pred}, [a], state:b64~{, hint:u32} ; since 9.3 sm_90 ; reads ; orders
mbarrier.try_wait.phase_type::primary.wait.scope2{.mss}.b64   p:pred{|q_:pred}, d:b8!, [a], state:b64~{, hint:u32} ; since 9.3 sm_90 ; reads ; orders ; lets d constant
mbarrier.try_wait.parity.phase_type::primary{.mss}.b64   p:pred{|q_:pred}, [a], phase:u32<0..1>!{, hint:u32} ; since 9.3 sm_90 ; reads ; orders
mbarrier.try_wait.parity.phase_type::primary{.mss}.b64   p:pred{|q_:pred}, d:b8!, [a], phase:u32<0..1>{, hint:u32} ; since 9.3 sm_90 ; reads ; orders ; lets d constant
mbarrier.try_wait.parity.phase_type::conditional{.mss}.b64   p:pred, [a], phase:u32<0..1>!{, hint:u32} ; since 9.3 sm_90 ; reads ; orders
mbarrier.try_wait.parity.phase_type::primary.wait.scope2{.mss}.b64   p:pred{|q_:pred}, [a], phase:u32<0..1>!{, hint:u32} ; since 9.3 sm_90 ; reads ; orders
mbarrier.try_wait.parity.phase_type::primary.wait.scope2{.mss}.b64   p:pred{|q_:pred}, d:b8!, [a], phase:u32<0..1>{, hint:u32} ; since 9.3 sm_90 ; reads ; orders ; lets d constant
mbarrier.try_wait.parity.phase_type::conditional.wait.scope2{.mss}.b64   p:pred, [a], phase:u32<0..1>!{, hint:u32} ; since 9.3 sm_90 ; reads ; orders
mbarrier.pending_count.b64     d:u32, state:b64~                 ; since 7.0 sm_80
mbarrier.pending_count.layout::v0.b64     d:u32, state:b64~       ; since 9.3 sm_90
mbarrier.check_layout.layout{.mss}.b64    p:pred, [a] ; layout = layout::v0 layout::v1 ; since 9.3 sm_90 ; reads

section 9.7.13.17 ; protocol
clusterlaunchcontrol.try_cancel.async{.cta}.bytes{.multicast}.b128  [a], [mbar@shared] ; cta = shared::cta ; bytes = mbarrier::complete_tx::bytes ; multicast = multicast::cluster::all(8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_120f) ; since 8.6 sm_100 ; writes
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128            p:pred, response:b128     ; since 8.6 sm_100
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128      {d*4:b32}, response:b128  ; lets d mixed ; since 8.6 sm_100
clusterlaunchcontrol.query_cancel.get.b32.b128                     d:b32, response:b128      ; get = get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z ; since 8.6 sm_100
"""
