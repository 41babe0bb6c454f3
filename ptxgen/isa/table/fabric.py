"""Fabric instructions: copies and reductions between this CTA's shared memory and a logical endpoint (PTX ISA 9.3).

The PTX 9.0 manual lacks them; they stand with the bulk copies, whose completion they share.
"""

ROWS = """
.cta = shared::cta
.bytes = mbarrier::complete_tx::bytes
.chunks = mbarrier::complete_tx::16B
.report = mbarrier::report::fabric
.counted = counted::bytes
.hint = L2::cache_hint
.b128 = b128
.acc = acc::f16 acc::f32
where narrow = 9.3 sm_100f or 9.3 sm_110f or 9.3 sm_120f

every protocol
section 9.7.9.25.4
lets relaxed absent
fabric.try_get.async.cta.bytes.report{.hint}.relaxed.sys.b128                      [a@cta:b32+], [e:b32, o:b64~^], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; since 9.3 sm_100 ; reads ; writes
fabric.try_put.async{.multimem}.cta.chunks.report{.hint}.relaxed.sys.b128          [e:b32, o:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; since 9.3 sm_100 ; reads ; writes
fabric.try_put.async{.multimem}.cta.chunks.report.cp_mask{.hint}.relaxed.sys.b128  [e:b32, o:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+], mask:b16~{.hint, policy:b64~} ; since 9.3 sm_100 ; reads ; writes
fabric.try_put.async{.multimem}.cta.chunks.report.counted{.hint}.relaxed.sys.b128  [e:b32, o:b64~^, c:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; since 9.3 sm_100 ; reads ; writes
fabric.try_red.async{.multimem}.cta.chunks.report{.hint}.relaxed.sys.op.type       [e:b32, o:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; op = and or xor ; type = b32 b64 ; since 9.3 sm_100 ; reads ; writes ; lets acc extra
fabric.try_red.async{.multimem}.cta.chunks.report{.hint}.relaxed.sys.op.type       [e:b32, o:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; op = min max ; type = u32 s32 u64 s64 f16 bf16 ; since 9.3 sm_100 ; reads ; writes ; lets acc extra
fabric.try_red.async{.multimem}.cta.chunks.report{.hint}.relaxed.sys.add.type      [e:b32, o:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; type = u32 u64 f16 bf16 f32 f64 ; since 9.3 sm_100 ; reads ; writes ; lets acc extra
fabric.try_red.async{.multimem}.cta.chunks.report.counted{.hint}.relaxed.sys.op.type   [e:b32, o:b64~^, c:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; op = and or xor ; type = b32 b64 ; since 9.3 sm_100 ; reads ; writes ; lets acc extra
fabric.try_red.async{.multimem}.cta.chunks.report.counted{.hint}.relaxed.sys.op.type   [e:b32, o:b64~^, c:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; op = min max ; type = u32 s32 u64 s64 f16 bf16 ; since 9.3 sm_100 ; reads ; writes ; lets acc extra
fabric.try_red.async{.multimem}.cta.chunks.report.counted{.hint}.relaxed.sys.add.type  [e:b32, o:b64~^, c:b64~^], [b@cta:b32+], size:u32, [mbar@shared:b32+]{.hint, policy:b64~} ; type = u32 u64 f16 bf16 f32 f64 ; since 9.3 sm_100 ; reads ; writes ; lets acc extra
fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.op.type.sync        [a@cta:b32+], [e:b32, o:b64~^], size:u32, [mbar@shared], #membermask<4294967295|-1|18446744073709551615>! ; op = and or xor ; type = b32 b64 ; since 9.3 sm_100 ; reads ; writes ; converged
fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.op.type.sync        [a@cta:b32+], [e:b32, o:b64~^], size:u32, [mbar@shared], #membermask<4294967295|-1|18446744073709551615>! ; op = min max ; type = u32 s32 u64 s64 f16 bf16 e4m3(narrow) e5m2(narrow) ; since 9.3 sm_100 ; reads ; writes ; converged
fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.add.type.sync       [a@cta:b32+], [e:b32, o:b64~^], size:u32, [mbar@shared], #membermask<4294967295|-1|18446744073709551615>! ; type = u32 u64 f16 bf16 f32 ; since 9.3 sm_100 ; reads ; writes ; converged
fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.add.acc::f16.type.sync  [a@cta:b32+], [e:b32, o:b64~^], size:u32, [mbar@shared], #membermask<4294967295|-1|18446744073709551615>! ; type = e4m3 e5m2 ; since narrow ; reads ; writes ; converged
fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.add.acc::f32.type.sync  [a@cta:b32+], [e:b32, o:b64~^], size:u32, [mbar@shared], #membermask<4294967295|-1|18446744073709551615>! ; type = f16 bf16 ; since narrow ; reads ; writes ; converged
section 9.7.9.25.4
# the old value goes to shared memory; for cas, both operands come from there
fabric.try_atom.async.cta.chunks.report{.hint}.relaxed.sys.op.type                 [e:b32, o:b64~^], [a@cta:b32+], [b@cta:b32+], [mbar@shared]{.hint, policy:b64~} ; op = and or xor ; type = b32 b64 ; since 9.4 sm_100 ; reads ; writes
fabric.try_atom.async.cta.chunks.report{.hint}.relaxed.sys.op.type                 [e:b32, o:b64~^], [a@cta:b32+], [b@cta:b32+], [mbar@shared]{.hint, policy:b64~} ; op = min max ; type = u32 s32 u64 s64 f16x2 bf16x2 ; since 9.4 sm_100 ; reads ; writes
fabric.try_atom.async.cta.chunks.report{.hint}.relaxed.sys.add.type                [e:b32, o:b64~^], [a@cta:b32+], [b@cta:b32+], [mbar@shared]{.hint, policy:b64~} ; type = u32 u64 f32 f64 f16x2 bf16x2 ; since 9.4 sm_100 ; reads ; writes ; lets acc extra
fabric.try_atom.async.cta.chunks.report{.hint}.relaxed.sys.op.type                 [e:b32, o:b64~^], [a@cta:b32+], [b@cta:b32+], [mbar@shared]{.hint, policy:b64~} ; op = exch cas ; type = b32 b64 b128 ; since 9.4 sm_100 ; reads ; writes
fabric.submit{.op_restrict::fetching}       ; since 9.3 sm_100 ; orders
fabric.submit.commit_group                  ; since 9.5 sm_100 ; orders
fabric.wait.sync_restrict::reads            ; since 9.3 sm_100 ; orders
fabric.wait.sync_restrict::reads  #n        ; since 9.3 sm_100 ; orders
fabric.wait.sync_restrict::read   #n        ; since 9.5 sm_100 ; orders
"""
