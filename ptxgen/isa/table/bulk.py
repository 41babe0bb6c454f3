"""Asynchronous stores, reductions and copies in bulk, tensor copies and maps, multimem (manual 9.7.9.12 to 9.7.9.27, 9.7.13.7)."""

ROWS = """
where blackwell = 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f
where tensormap = 8.3 sm_90a or 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_120f
where elemtype13 = 8.7 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_120f
where swizzle_atomicity = 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_120f
where fp8 = 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_121a
.hint = L2::cache_hint
.cta = shared::cta
.cluster = shared::cluster
.bytes = mbarrier::complete_tx::bytes
where rubin = 9.4 sm_107f
where strong = 9.3 sm_90a or 9.3 sm_100f or 9.3 sm_110f
.plain = weak(9.3)
.scope = cta cluster gpu sys
# The mask of CTAs has 16 bits, with ::32b as many as that.
.multicast = multicast::cluster multicast::cluster::16b(9.4 sm_90) multicast::cluster::32b(rubin)
.wide_multicast = multicast::cluster::32b
.report = mbarrier::report::disabled(rubin) mbarrier::report::validity::per_16bytes::80000000(rubin) mbarrier::report::validity::per_16bytes::8000(rubin) mbarrier::report::validity::per_16bytes::80(rubin) mbarrier::report::validity::per_16bytes::8(rubin) mbarrier::report::validity::per_element::ff(rubin)
.unreported = mbarrier::report::disabled(rubin)
# What stands in the instruction instead of the tensor map.
.over = override::global_address(rubin)
.dim = 1d 2d 3d 4d 5d
.strided_dim = 2d 3d 4d 5d
.im_dim = 3d 4d 5d
.cta_group = cta_group::1(blackwell) cta_group::2(blackwell)

section 9.7.9.12 ; protocol
lets b mixed
st.async{.weak}{.cluster}.bytes.type       [a@shared::cluster:b32+], b, [mbar@shared::cluster:b32+]       ; type = b32 b64 u32 u64 s32 s64 f32 f64 b128(9.2) ; since 8.1 sm_90 ; writes ; lets shared shared::cta extra
st.async{.weak}{.cluster}.bytes.vec.type   [a@shared::cluster:b32+], b*vec, [mbar@shared::cluster:b32+]   ; vec = v2 v4 ; type = b32 u32 s32 f32 ; since 8.1 sm_90 ; writes ; lets shared shared::cta extra
st.async{.weak}{.cluster}.bytes.v2.type    [a@shared::cluster:b32+], b*2, [mbar@shared::cluster:b32+]     ; type = b64 u64 s64 f64 ; since 8.1 sm_90 ; writes ; lets shared shared::cta extra
st.async{.mmio}.release.scope{.global}.type  [a@global:b32+], b        ; scope = gpu sys ; type = b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 ; since 8.7 sm_100 ; never mmio with gpu ; writes ; orders ; lets release absent
section 9.7.9.13 ; protocol
st.bulk{.weak}{.cta}           [a:b32+], size:u64<0..16777216><0..16777216/8>!, #zero<0>!   ; since 8.6 sm_100 ; writes
st.bulk{.weak}{.cta}           [a:b32+], size:u32<0..16777216><0..16777216/8>!, #zero<0>!   ; since 9.0 sm_100 ; writes
section 9.7.13.7 ; protocol
red.async.relaxed.cluster{.cl}.bytes.op.u32     [a@shared::cluster:b32+], b, [mbar@shared::cluster:b32+]    ; cl = shared::cluster ; cluster = cluster ; op = inc dec ; since 8.1 sm_90 ; reads ; writes
red.async.relaxed.cluster{.cl}.bytes.op.type    [a@shared::cluster:b32+], b, [mbar@shared::cluster:b32+]    ; cl = shared::cluster ; cluster = cluster ; op = min max ; type = u32 s32 ; since 8.1 sm_90 ; reads ; writes
red.async.relaxed.cluster{.cl}.bytes.op.b32     [a@shared::cluster:b32+], b, [mbar@shared::cluster:b32+]    ; cl = shared::cluster ; cluster = cluster ; op = and or xor ; since 8.1 sm_90 ; reads ; writes
red.async.relaxed.cluster{.cl}.bytes.add.type   [a@shared::cluster:b32+], b, [mbar@shared::cluster:b32+]    ; cl = shared::cluster ; cluster = cluster ; type = u32 s32 u64 s64 ; since 8.1 sm_90 ; reads ; writes
red.async{.mmio}.release.scope{.global}.add.type [a@global:b32+], b    ; scope = gpu sys ; type = u32 s32 u64 s64 ; since 8.7 sm_100 ; never mmio with gpu ; reads ; writes ; orders
red.async{.mmio}.release.scope{.global}.op.type  [a@global:b32+], b    ; scope = gpu sys ; op = min max ; type = u32 s32 ; since 8.7 sm_100 ; never mmio with gpu ; reads ; writes ; orders
red.async{.mmio}.release.scope{.global}.op.u32   [a@global:b32+], b    ; scope = gpu sys ; op = inc dec ; since 8.7 sm_100 ; never mmio with gpu ; reads ; writes ; orders
red.async{.mmio}.release.scope{.global}.op.b32   [a@global:b32+], b:b32~ ; scope = gpu sys ; op = and or xor ; since 8.7 sm_100 ; never mmio with gpu ; reads ; writes ; orders

section 9.7.9.25.4 ; protocol
lets mbar constant
lets mask single
cp.async.bulk{.plain}.cta.global.bytes{.report}{.hint}   [a@cta], [b@global], size:u32<0..1048560/16>!, [mbar@shared:b32+]{.hint, policy:b64~} ; since 8.6 sm_90 ; reads ; writes
cp.async.bulk{.plain}.cta.global.bytes{.unreported}{.hint}.ignore_oob   [a@cta], [b@global], size:u32<0..1048560/16>!, left:u32<0..15>!, right:u32<0..15>!, [bar@shared:b32+]{.hint, policy:b64~} ; since 9.2 sm_90 ; reads ; writes
cp.async.bulk.relaxed.scope.cta.global.bytes{.report}{.hint}.b128   [a@cta], [b@global], size:u32<0..1048560/16>!, [mbar@shared:b32+]{.hint, policy:b64~} ; since 9.3 sm_90 ; reads ; writes
cp.async.bulk.relaxed.scope.cta.global.bytes{.unreported}{.hint}.ignore_oob.b128   [a@cta], [b@global], size:u32<0..1048560/16>!, left:u32<0..15>!, right:u32<0..15>!, [bar@shared:b32+]{.hint, policy:b64~} ; since 9.3 sm_90 ; reads ; writes
cp.async.bulk{.plain}.cluster.global.bytes{.report}{.multicast}{.hint} [a@cluster], [b@global], size:u32<0..1048560/16>!, [mbar@shared:b32+]{.multicast::cluster, mask:b16~<0..65535>!}{.multicast::cluster::16b, mask:b16~<0..65535>!}{.multicast::cluster::32b, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; since 8.0 sm_90 ; reads ; writes
cp.async.bulk.relaxed.scope.cluster.global.bytes{.report}{.multicast}{.hint}.b128 [a@cluster], [b@global], size:u32<0..1048560/16>!, [mbar@shared:b32+]{.multicast::cluster, mask:b16~<0..65535>!}{.multicast::cluster::16b, mask:b16~<0..65535>!}{.multicast::cluster::32b, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; since strong ; reads ; writes
cp.async.bulk{.plain}.cluster.cta.bytes   [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster:b32+]  ; since 8.0 sm_90 ; reads ; writes
cp.async.bulk.relaxed.scope.cluster.cta.bytes.b128   [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster:b32+]  ; scope = cta cluster ; since 9.3 sm_90 ; reads ; writes
cp.async.bulk{.plain}.global.cta.bulk_group{.hint}   [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~} ; since 8.0 sm_90 ; reads ; writes
cp.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.b128   [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~} ; since 9.3 sm_90 ; reads ; writes
cp.async.bulk{.plain}.global.cta.bulk_group{.hint}.cp_mask [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~}, mask:b16~ ; since 8.6 sm_100 ; reads ; writes
cp.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.cp_mask.b128 [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~}, mask:b16~ ; since 9.3 sm_100 ; reads ; writes
cp.reduce.async.bulk.cluster.cta.bytes.op.b32   [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster]  ; op = and or xor ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.cluster.cta.bytes.op.b32   [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster]  ; op = and or xor ; scope = cta cluster ; since 9.3 sm_90 ; reads ; writes
cp.reduce.async.bulk.cluster.cta.bytes.op.type  [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster]  ; op = add min max ; type = u32 s32 ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.cluster.cta.bytes.op.type  [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster]  ; op = add min max ; type = u32 s32 ; scope = cta cluster ; since 9.3 sm_90 ; reads ; writes
cp.reduce.async.bulk.cluster.cta.bytes.op.u32   [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster]  ; op = inc dec ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.cluster.cta.bytes.op.u32   [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster]  ; op = inc dec ; scope = cta cluster ; since 9.3 sm_90 ; reads ; writes
cp.reduce.async.bulk.cluster.cta.bytes.add.u64  [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster]   ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.cluster.cta.bytes.add.u64  [a@cluster], [b@cta], size:u32<0..1048560/16>!, [mbar@cluster]   ; scope = cta cluster ; since 9.3 sm_90 ; reads ; writes
cp.reduce.async.bulk.global.cta.bulk_group{.hint}.op.type [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~} ; op = and or xor ; type = b32 b64 ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.op.type [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~} ; op = and or xor ; type = b32 b64 ; since 9.3 sm_90 ; reads ; writes
cp.reduce.async.bulk.global.cta.bulk_group{.hint}.op.type [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~} ; op = min max ; type = u32 s32 u64 s64 f16 bf16 ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.op.type [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~} ; op = min max ; type = u32 s32 u64 s64 f16 bf16 ; since 9.3 sm_90 ; reads ; writes
cp.reduce.async.bulk.global.cta.bulk_group{.hint}.add.type [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~}  ; type = u32 s32 u64 f32 f64 ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.add.type [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~}  ; type = u32 s32 u64 f32 f64 ; since 9.3 sm_90 ; reads ; writes
cp.reduce.async.bulk.global.cta.bulk_group{.hint}.op.u32  [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~} ; op = inc dec ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.op.u32  [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~} ; op = inc dec ; since 9.3 sm_90 ; reads ; writes
cp.reduce.async.bulk.global.cta.bulk_group{.hint}.add.noftz.type [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~}  ; type = f16 bf16 f32(9.4) ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.add.noftz.type [a@global], [b@cta], size:u32<0..1048560/16>!{.hint, policy:b64~}  ; type = f16 bf16 f32(9.4) ; since 9.3 sm_90 ; reads ; writes
cp.async.bulk.prefetch.L2.global{.hint}         [a@global], size:u32<0..1048560/16>!{.hint, policy:b64~}  ; since 8.0 sm_90
cp.async.bulk.prefetch.L2.global.L2::evict_last [a@global], size:u32<0..1048560/16>!  ; since rubin
applypriority.async.bulk{.global}.bulk_group.L2::evict_normal [a], size:u32<0..1048560/16>!  ; since rubin

section 9.7.9.25.5 ; protocol
lets map bits
lets c mixed
.op = add min max inc dec and or xor
cp.async.bulk.tensor.dim.cta.global{.tile}.bytes{.report}{.cta_group}{.hint}{.over} [a@cta], [map@generic{.over, g:b64~^}, {c*dim:s32}], [mbar@shared]{.hint, policy:b64~} ; since 8.6 sm_90 ; reads ; writes
cp.async.bulk.tensor.2d.cta.global.mode.bytes{.report}{.cta_group}{.hint}{.over} [a@cta], [map@generic{.over, g:b64~^}, {c*5:s32}], [mbar@shared]{.hint, policy:b64~} ; mode = tile::gather4 ; since 8.6 sm_100 ; reads ; writes
cp.async.bulk.tensor.im_dim.cta.global.im2col.bytes{.report}{.cta_group}{.hint}{.over} [a@cta], [map@generic{.over, g:b64~^}, {c*im_dim:s32}], [mbar@shared], {o*im_dim-2:u16}{.hint, policy:b64~} ; since 8.6 sm_90 ; reads ; writes
cp.async.bulk.tensor.im_dim.cta.global.mode.bytes{.report}{.cta_group}{.hint}{.over} [a@cta], [map@generic{.over, g:b64~^}, {c*im_dim:s32}], [mbar@shared], {o*2:u16}{.hint, policy:b64~} ; mode = im2col::w ; since 8.6 sm_100 ; reads ; writes
cp.async.bulk.tensor.im_dim.cta.global.mode.bytes{.report}{.cta_group}{.hint}{.over} [a@cta], [map@generic{.over, g:b64~^}, {c*im_dim:s32}], [mbar@shared], {o*2:u16}{.hint, policy:b64~} ; mode = im2col::w::128 ; since blackwell ; reads ; writes
cp.async.bulk.tensor.dim.cluster.global{.tile}.bytes{.report}{.multicast}{.cta_group}{.hint}{.over} [a@cluster], [map@generic{.over, g:b64~^}, {c*dim:s32}], [mbar@shared]{.multicast::cluster, mask:b16~<0..65535>!}{.multicast::cluster::16b, mask:b16~<0..65535>!}{.multicast::cluster::32b, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; since 8.0 sm_90 ; reads ; writes
cp.async.bulk.tensor.2d.cluster.global.mode.bytes{.report}{.multicast}{.cta_group}{.hint}{.over} [a@cluster], [map@generic{.over, g:b64~^}, {c*5:s32}], [mbar@shared]{.multicast::cluster, mask:b16~<0..65535>!}{.multicast::cluster::16b, mask:b16~<0..65535>!}{.multicast::cluster::32b, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; mode = tile::gather4 ; since blackwell ; reads ; writes
cp.async.bulk.tensor.im_dim.cluster.global.im2col.bytes{.report}{.multicast}{.cta_group}{.hint}{.over} [a@cluster], [map@generic{.over, g:b64~^}, {c*im_dim:s32}], [mbar@shared], {o*im_dim-2:u16}{.multicast::cluster, mask:b16~<0..65535>!}{.multicast::cluster::16b, mask:b16~<0..65535>!}{.multicast::cluster::32b, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; since 8.0 sm_90 ; reads ; writes
cp.async.bulk.tensor.im_dim.cluster.global.mode.bytes{.report}{.multicast}{.cta_group}{.hint}{.over} [a@cluster], [map@generic{.over, g:b64~^}, {c*im_dim:s32}], [mbar@shared], {o*2:u16}{.multicast::cluster, mask:b16~<0..65535>!}{.multicast::cluster::16b, mask:b16~<0..65535>!}{.multicast::cluster::32b, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; mode = im2col::w im2col::w::128 ; since blackwell ; reads ; writes
cp.async.bulk.tensor.dim.global.cta{.tile}.bulk_group{.hint}{.over} [map@generic{.over, g:b64~^}, {c*dim:s32}], [b@cta]{.hint, policy:b64~} ; since 8.0 sm_90 ; reads ; writes
cp.async.bulk.tensor.2d.global.cta.mode.bulk_group{.hint}{.over} [map@generic{.over, g:b64~^}, {c*5:s32}], [b@cta]{.hint, policy:b64~} ; mode = tile::scatter4 ; since blackwell ; reads ; writes
cp.async.bulk.tensor.im_dim.global.cta.no_offs.bulk_group{.hint}{.over} [map@generic{.over, g:b64~^}, {c*im_dim:s32}], [b@cta]{.hint, policy:b64~} ; no_offs = im2col_no_offs im2col_no_offs::w(rubin) ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.tensor.dim.global.cta.op{.tile}.bulk_group{.hint}{.over} [map@generic{.over, g:b64~^}, {c*dim:s32}], [b@cta]{.hint, policy:b64~} ; since 8.0 sm_90 ; reads ; writes
cp.reduce.async.bulk.tensor.im_dim.global.cta.op.no_offs.bulk_group{.hint}{.over} [map@generic{.over, g:b64~^}, {c*im_dim:s32}], [b@cta]{.hint, policy:b64~} ; no_offs = im2col_no_offs im2col_no_offs::w(rubin) ; since 8.0 sm_90 ; reads ; writes
cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}{.hint}{.over} [map@generic{.over, g:b64~^}, {c*dim:s32}]{.hint, policy:b64~} ; since 8.0 sm_90
cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}.L2::evict_last{.over} [map@generic{.over, g:b64~^}, {c*dim:s32}] ; since rubin
applypriority.async.bulk.tensor.dim{.global}.bulk_group{.tile}.L2::evict_normal{.over} [map@generic{.over, g:b64~^}, {c*dim:s32}] ; since rubin
cp.async.bulk.prefetch.tensor.2d.L2.global.mode{.hint}{.over} [map@generic{.over, g:b64~^}, {c*5:s32}]{.hint, policy:b64~} ; mode = tile::gather4 ; since blackwell
cp.async.bulk.prefetch.tensor.2d.L2.global.mode.L2::evict_last{.over} [map@generic{.over, g:b64~^}, {c*5:s32}] ; mode = tile::gather4 ; since rubin
applypriority.async.bulk.tensor.2d{.global}.bulk_group.mode.L2::evict_normal{.over} [map@generic{.over, g:b64~^}, {c*5:s32}] ; mode = tile::gather4 ; since rubin
cp.async.bulk.prefetch.tensor.im_dim.L2.global.im2col{.hint}{.over} [map@generic{.over, g:b64~^}, {c*im_dim:s32}], {o*im_dim-2:u16}{.hint, policy:b64~} ; since 8.0 sm_90
cp.async.bulk.prefetch.tensor.im_dim.L2.global.im2col.L2::evict_last{.over} [map@generic{.over, g:b64~^}, {c*im_dim:s32}], {o*im_dim-2:u16} ; since rubin
applypriority.async.bulk.tensor.im_dim{.global}.bulk_group.im2col.L2::evict_normal{.over} [map@generic{.over, g:b64~^}, {c*im_dim:s32}], {o*im_dim-2:u16} ; since rubin
cp.async.bulk.prefetch.tensor.im_dim.L2.global.mode{.hint}{.over} [map@generic{.over, g:b64~^}, {c*im_dim:s32}], {o*2:u16}{.hint, policy:b64~} ; mode = im2col::w im2col::w::128 ; since blackwell
cp.async.bulk.prefetch.tensor.im_dim.L2.global.mode.L2::evict_last{.over} [map@generic{.over, g:b64~^}, {c*im_dim:s32}], {o*2:u16} ; mode = im2col::w im2col::w::128 ; since rubin
applypriority.async.bulk.tensor.im_dim{.global}.bulk_group.mode.L2::evict_normal{.over} [map@generic{.over, g:b64~^}, {c*im_dim:s32}], {o*2:u16} ; mode = im2col::w im2col::w::128 ; since rubin
# With the sizes of the tensor, and from two dimensions on its strides: 32 bits each, and four more bits each together.
cp.async.bulk.tensor.dim.cta.global{.tile}.bytes{.report}{.cta_group}{.hint}.over.override::global_dim [a@cta], [map@generic, g:b64~^, {z*dim:b16}, {c*dim:s32}], [mbar@shared]{.hint, policy:b64~} ; dim = 1d ; since rubin ; reads ; writes
cp.async.bulk.tensor.dim.cluster.global{.tile}.bytes{.report}{.wide_multicast}{.cta_group}{.hint}.over.override::global_dim [a@cluster], [map@generic, g:b64~^, {z*dim:b16}, {c*dim:s32}], [mbar@shared]{.wide_multicast, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; dim = 1d ; since rubin ; reads ; writes
cp.async.bulk.tensor.dim.global.cta{.tile}.bulk_group{.hint}.over.override::global_dim [map@generic, g:b64~^, {z*dim:b16}, {c*dim:s32}], [b@cta]{.hint, policy:b64~} ; dim = 1d ; since rubin ; reads ; writes
cp.reduce.async.bulk.tensor.dim.global.cta.op{.tile}.bulk_group{.hint}.over.override::global_dim [map@generic, g:b64~^, {z*dim:b16}, {c*dim:s32}], [b@cta]{.hint, policy:b64~} ; dim = 1d ; since rubin ; reads ; writes
cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}{.hint}.over.override::global_dim [map@generic, g:b64~^, {z*dim:b16}, {c*dim:s32}]{.hint, policy:b64~} ; dim = 1d ; since rubin
cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}.L2::evict_last.over.override::global_dim [map@generic, g:b64~^, {z*dim:b16}, {c*dim:s32}] ; dim = 1d ; since rubin
applypriority.async.bulk.tensor.dim{.global}.bulk_group{.tile}.L2::evict_normal.over.override::global_dim [map@generic, g:b64~^, {z*dim:b16}, {c*dim:s32}] ; dim = 1d ; since rubin
cp.async.bulk.tensor.strided_dim.cta.global{.tile}.bytes{.report}{.cta_group}{.hint}.over.override::global_dim_stride [a@cta], [map@generic, g:b64~^, {z*strided_dim:b16}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}], [mbar@shared]{.hint, policy:b64~} ; since rubin ; reads ; writes
cp.async.bulk.tensor.strided_dim.cluster.global{.tile}.bytes{.report}{.wide_multicast}{.cta_group}{.hint}.over.override::global_dim_stride [a@cluster], [map@generic, g:b64~^, {z*strided_dim:b16}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}], [mbar@shared]{.wide_multicast, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; since rubin ; reads ; writes
cp.async.bulk.tensor.strided_dim.global.cta{.tile}.bulk_group{.hint}.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b16}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}], [b@cta]{.hint, policy:b64~} ; since rubin ; reads ; writes
cp.reduce.async.bulk.tensor.strided_dim.global.cta.op{.tile}.bulk_group{.hint}.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b16}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}], [b@cta]{.hint, policy:b64~} ; since rubin ; reads ; writes
cp.async.bulk.prefetch.tensor.strided_dim.L2.global{.tile}{.hint}.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b16}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}]{.hint, policy:b64~} ; since rubin
cp.async.bulk.prefetch.tensor.strided_dim.L2.global{.tile}.L2::evict_last.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b16}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}] ; since rubin
applypriority.async.bulk.tensor.strided_dim{.global}.bulk_group{.tile}.L2::evict_normal.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b16}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}] ; since rubin
cp.async.bulk.tensor.dim.cta.global{.tile}.bytes{.report}{.cta_group}{.hint}.over.override::global_dim [a@cta], [map@generic, g:b64~^, {z*dim:b8}, {c*dim:s32}], [mbar@shared]{.hint, policy:b64~} ; dim = 1d ; since rubin ; reads ; writes
cp.async.bulk.tensor.dim.cluster.global{.tile}.bytes{.report}{.wide_multicast}{.cta_group}{.hint}.over.override::global_dim [a@cluster], [map@generic, g:b64~^, {z*dim:b8}, {c*dim:s32}], [mbar@shared]{.wide_multicast, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; dim = 1d ; since rubin ; reads ; writes
cp.async.bulk.tensor.dim.global.cta{.tile}.bulk_group{.hint}.over.override::global_dim [map@generic, g:b64~^, {z*dim:b8}, {c*dim:s32}], [b@cta]{.hint, policy:b64~} ; dim = 1d ; since rubin ; reads ; writes
cp.reduce.async.bulk.tensor.dim.global.cta.op{.tile}.bulk_group{.hint}.over.override::global_dim [map@generic, g:b64~^, {z*dim:b8}, {c*dim:s32}], [b@cta]{.hint, policy:b64~} ; dim = 1d ; since rubin ; reads ; writes
cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}{.hint}.over.override::global_dim [map@generic, g:b64~^, {z*dim:b8}, {c*dim:s32}]{.hint, policy:b64~} ; dim = 1d ; since rubin
cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}.L2::evict_last.over.override::global_dim [map@generic, g:b64~^, {z*dim:b8}, {c*dim:s32}] ; dim = 1d ; since rubin
applypriority.async.bulk.tensor.dim{.global}.bulk_group{.tile}.L2::evict_normal.over.override::global_dim [map@generic, g:b64~^, {z*dim:b8}, {c*dim:s32}] ; dim = 1d ; since rubin
cp.async.bulk.tensor.strided_dim.cta.global{.tile}.bytes{.report}{.cta_group}{.hint}.over.override::global_dim_stride [a@cta], [map@generic, g:b64~^, {z*strided_dim:b8}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}], [mbar@shared]{.hint, policy:b64~} ; since rubin ; reads ; writes
cp.async.bulk.tensor.strided_dim.cluster.global{.tile}.bytes{.report}{.wide_multicast}{.cta_group}{.hint}.over.override::global_dim_stride [a@cluster], [map@generic, g:b64~^, {z*strided_dim:b8}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}], [mbar@shared]{.wide_multicast, mask:b32~<0..4294967295>!}{.hint, policy:b64~} ; since rubin ; reads ; writes
cp.async.bulk.tensor.strided_dim.global.cta{.tile}.bulk_group{.hint}.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b8}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}], [b@cta]{.hint, policy:b64~} ; since rubin ; reads ; writes
cp.reduce.async.bulk.tensor.strided_dim.global.cta.op{.tile}.bulk_group{.hint}.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b8}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}], [b@cta]{.hint, policy:b64~} ; since rubin ; reads ; writes
cp.async.bulk.prefetch.tensor.strided_dim.L2.global{.tile}{.hint}.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b8}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}]{.hint, policy:b64~} ; since rubin
cp.async.bulk.prefetch.tensor.strided_dim.L2.global{.tile}.L2::evict_last.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b8}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}] ; since rubin
applypriority.async.bulk.tensor.strided_dim{.global}.bulk_group{.tile}.L2::evict_normal.over.override::global_dim_stride [map@generic, g:b64~^, {z*strided_dim:b8}, {s*strided_dim-1:b32~}, high:b16~^, {c*strided_dim:s32}] ; since rubin
section 9.7.9.25.6 ; protocol
cp.async.bulk.commit_group                                          ; since 8.0 sm_90
cp.async.bulk.wait_group{.read}  #n<0..2147483647>                  ; since 8.0 sm_90 ; orders

section 9.7.9.26 ; protocol
.ss = global shared::cta
tensormap.replace.tile.global_address{.ss}.b1024.b64   [a:b32+], v:b64          ; since tensormap ; writes
tensormap.replace.tile.rank{.ss}.b1024.b32             [a:b32+], v:b32          ; since tensormap ; writes
tensormap.replace.tile.field{.ss}.b1024.b32            [a:b32+], #ord<0..4>!, v:b32~ ; field = box_dim global_dim element_stride ; since tensormap ; writes
tensormap.replace.tile.global_stride{.ss}.b1024.b64    [a:b32+], #ord<0..3><0..4>!, v:b64 ; since tensormap ; writes
tensormap.replace.tile.elemtype{.ss}.b1024.b32         [a:b32+], #v<0..12>!     ; since tensormap ; writes
tensormap.replace.tile.elemtype{.ss}.b1024.b32         [a:b32+], #v<13..15>!     ; since elemtype13 ; writes
tensormap.replace.tile.interleave_layout{.ss}.b1024.b32 [a:b32+], #v<0..2>!     ; since tensormap ; writes
tensormap.replace.tile.swizzle_mode{.ss}.b1024.b32     [a:b32+], #v<0..3>!      ; since tensormap ; writes
tensormap.replace.tile.swizzle_atomicity{.ss}.b1024.b32 [a:b32+], #v<0..3>!     ; since swizzle_atomicity ; writes
tensormap.replace.tile.fill_mode{.ss}.b1024.b32        [a:b32+], #v<0..1>!      ; since tensormap ; writes
where query = 9.5 sm_90a or 9.5 sm_100f or 9.5 sm_110f or 9.5 sm_120f
tensormap.query.alloc_class_large{.qss}.b1024   p:pred, [a:b64] ; qss = global const param shared::cta ; since query ; reads ; field = global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode ; lets field extra
section 9.7.13.16 ; protocol
.scope = cta cluster gpu sys
tensormap.cp_fenceproxy.global.cta.tensormap::generic.release.scope.sync.aligned [a@global], [b@cta], #size<128>! ; since 8.3 sm_90 ; reads ; writes ; orders ; converged ; field = global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode ; lets field extra

section 9.7.9.14
lets d b mixed
.int_add = u32 s32 u64
.int_mm = u32 s32 u64 s64
.bits = b32 b64
.sem_ld = relaxed acquire
.sem_st = relaxed release
.half8 = f16 bf16
.half4 = f16x2 bf16x2
.e4 = e4m3(fp8) e5m2(fp8)
.e8 = e4m3x2(fp8) e5m2x2(fp8)
.e16 = e4m3x4(fp8) e5m2x4(fp8)
.minmax = min max
.logic = and or xor
.h = v2 v4 v8
.w = v2 v4
.acc32 = acc::f32(8.2)
.acc16 = acc::f16(8.6)
.b = v4 v8
multimem.ld_reduce.sem_ld.scope{.global}.add.int_add   d, [a@global] ; since 8.1 sm_90 ; reads ; orders
multimem.ld_reduce{.weak}{.global}.add.int_add   d, [a@global] ; since 8.1 sm_90 ; reads
multimem.ld_reduce.sem_ld.scope{.global}.minmax.int_mm   d, [a@global] ; since 8.1 sm_90 ; reads ; orders
multimem.ld_reduce{.weak}{.global}.minmax.int_mm   d, [a@global] ; since 8.1 sm_90 ; reads
multimem.ld_reduce.sem_ld.scope{.global}.logic.bits   d, [a@global] ; since 8.1 sm_90 ; reads ; orders
multimem.ld_reduce{.weak}{.global}.logic.bits   d, [a@global] ; since 8.1 sm_90 ; reads
multimem.ld_reduce.sem_ld.scope{.global}.add.type   d, [a@global] ; since 8.1 sm_90 ; type = f32 f64 ; reads ; orders ; lets d single
multimem.ld_reduce{.weak}{.global}.add.type   d, [a@global] ; since 8.1 sm_90 ; type = f32 f64 ; reads ; lets d single
multimem.ld_reduce.sem_ld.scope{.global}.add.w.f32   d*w, [a@global] ; since 8.1 sm_90 ; reads ; orders
multimem.ld_reduce{.weak}{.global}.add.w.f32   d*w, [a@global] ; since 8.1 sm_90 ; reads
multimem.ld_reduce.sem_ld.scope{.global}.op{.acc32}.h.f16   d*h, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc32 with min max ; reads ; orders
multimem.ld_reduce.sem_ld.scope{.global}.op{.acc32}.h.bf16   d*h!, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc32 with min max ; reads ; orders
multimem.ld_reduce{.weak}{.global}.op{.acc32}.h.f16   d*h, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc32 with min max ; reads
multimem.ld_reduce{.weak}{.global}.op{.acc32}.h.bf16   d*h!, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc32 with min max ; reads
multimem.ld_reduce.sem_ld.scope{.global}.op{.acc32}.half4   d!, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc32 with min max ; reads ; orders ; lets d single
multimem.ld_reduce{.weak}{.global}.op{.acc32}.half4   d!, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc32 with min max ; reads ; lets d single
multimem.ld_reduce.sem_ld.scope{.global}.op{.acc32}.w.half4   d*w!, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc32 with min max ; reads ; orders
multimem.ld_reduce{.weak}{.global}.op{.acc32}.w.half4   d*w!, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc32 with min max ; reads
multimem.ld_reduce.sem_ld.scope{.global}.op{.acc16}.b.e4   d*b, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc16 with min max ; reads ; orders
multimem.ld_reduce{.weak}{.global}.op{.acc16}.b.e4   d*b, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc16 with min max ; reads
multimem.ld_reduce.sem_ld.scope{.global}.op{.acc16}.h.e8   d*h, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc16 with min max ; reads ; orders ; lets d bits
multimem.ld_reduce{.weak}{.global}.op{.acc16}.h.e8   d*h, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc16 with min max ; reads ; lets d bits
multimem.ld_reduce.sem_ld.scope{.global}.op{.acc16}.e16   d, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc16 with min max ; reads ; orders ; lets d bits ; lets d single
multimem.ld_reduce{.weak}{.global}.op{.acc16}.e16   d, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc16 with min max ; reads ; lets d bits ; lets d single
multimem.ld_reduce.sem_ld.scope{.global}.op{.acc16}.w.e16   d*w, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc16 with min max ; reads ; orders ; lets d bits
multimem.ld_reduce{.weak}{.global}.op{.acc16}.w.e16   d*w, [a@global] ; since 8.1 sm_90 ; op = add min max ; never acc16 with min max ; reads ; lets d bits
multimem.st.sem_st.scope{.global}.type   [a@global], b ; since 8.1 sm_90 ; type = b32 b64 u32 u64 s32 s64 ; writes ; orders ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.type   [a@global], b ; since 8.1 sm_90 ; type = f32 f64 ; writes ; orders ; lets b single ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.type   [a@global], b! ; since 8.1 sm_90 ; type = f16x2 bf16x2 ; writes ; orders ; lets b single ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.type   [a@global], b ; since 8.1 sm_90 ; type = b32 b64 u32 u64 s32 s64 ; writes ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.type   [a@global], b ; since 8.1 sm_90 ; type = f32 f64 ; writes ; lets b single ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.type   [a@global], b! ; since 8.1 sm_90 ; type = f16x2 bf16x2 ; writes ; lets b single ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.w.type   [a@global], b*w ; since 8.1 sm_90 ; type = f32 ; writes ; orders ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.w.type   [a@global], b*w! ; since 8.1 sm_90 ; type = f16x2 bf16x2 ; writes ; orders ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.w.type   [a@global], b*w ; since 8.1 sm_90 ; type = f32 ; writes ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.w.type   [a@global], b*w! ; since 8.1 sm_90 ; type = f16x2 bf16x2 ; writes ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.h.f16   [a@global], b*h ; since 8.1 sm_90 ; writes ; orders ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.h.bf16   [a@global], b*h! ; since 8.1 sm_90 ; writes ; orders ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.h.f16   [a@global], b*h ; since 8.1 sm_90 ; writes ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.h.bf16   [a@global], b*h! ; since 8.1 sm_90 ; writes ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.b.e4   [a@global], b*b ; since 8.1 sm_90 ; writes ; orders ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.b.e4   [a@global], b*b ; since 8.1 sm_90 ; writes ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.h.e8   [a@global], b*h ; since 8.1 sm_90 ; writes ; orders ; lets b bits ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.h.e8   [a@global], b*h ; since 8.1 sm_90 ; writes ; lets b bits ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.e16   [a@global], b ; since 8.1 sm_90 ; writes ; orders ; lets b bits ; lets b single ; lets b constant ; lets b float ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.e16   [a@global], b ; since 8.1 sm_90 ; writes ; lets b bits ; lets b single ; lets b constant ; lets b float ; lets acc32 acc16 extra
multimem.st.sem_st.scope{.global}.w.e16   [a@global], b*w ; since 8.1 sm_90 ; writes ; orders ; lets b bits ; lets acc32 acc16 extra
multimem.st{.weak}{.global}.w.e16   [a@global], b*w ; since 8.1 sm_90 ; writes ; lets b bits ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.add.int_add   [a@global:b64], b ; since 8.1 sm_90 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red{.global}.add.int_add   [a@global:b64], b ; since 8.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.minmax.int_mm   [a@global:b64], b ; since 8.1 sm_90 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red{.global}.minmax.int_mm   [a@global:b64], b ; since 8.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.logic.bits   [a@global:b64], b ; since 8.1 sm_90 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red{.global}.logic.bits   [a@global:b64], b ; since 8.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.add.type   [a@global:b64], b ; since 8.1 sm_90 ; type = f32 f64 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.add.type   [a@global:b64], b! ; since 8.1 sm_90 ; type = f16x2 bf16x2 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red{.global}.add.type   [a@global:b64], b ; since 8.1 sm_90 ; type = f32 f64 ; reads ; writes ; lets acc32 acc16 extra
multimem.red{.global}.add.type   [a@global:b64], b! ; since 8.1 sm_90 ; type = f16x2 bf16x2 ; reads ; writes ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.add.w.type   [a@global:b64], b*w ; since 8.1 sm_90 ; type = f32 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.add.w.type   [a@global:b64], b*w! ; since 8.1 sm_90 ; type = f16x2 bf16x2 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red{.global}.add.w.type   [a@global:b64], b*w ; since 8.1 sm_90 ; type = f32 ; reads ; writes ; lets acc32 acc16 extra
multimem.red{.global}.add.w.type   [a@global:b64], b*w! ; since 8.1 sm_90 ; type = f16x2 bf16x2 ; reads ; writes ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.add.h.f16   [a@global:b64], b*h ; since 8.1 sm_90 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red.sem_st.scope{.global}.add.h.bf16   [a@global:b64], b*h! ; since 8.1 sm_90 ; reads ; writes ; orders ; lets acc32 acc16 extra
multimem.red{.global}.add.h.f16   [a@global:b64], b*h ; since 8.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.red{.global}.add.h.bf16   [a@global:b64], b*h! ; since 8.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.st.async.release.scope{.global}.type   [a@global:b32+], b:type+ ; scope = gpu sys ; since 9.3 sm_100 ; type = b32 b64 u32 u64 s32 s64 f32 f64 ; writes ; orders ; lets acc32 acc16 extra ; protocol
multimem.st.async.release.scope{.global}.type   [a@global:b32+], b:type+~ ; scope = gpu sys ; since 9.3 sm_100 ; type = b8 b16 u8 u16 s8 s16 ; writes ; orders ; lets b constant ; lets acc32 acc16 extra ; protocol
multimem.red.async.release.scope{.global}.add.int_add   [a@global:b32+], b ; scope = gpu sys ; since 9.3 sm_100 ; reads ; writes ; orders ; lets acc32 acc16 extra ; protocol
section 9.7.9.25.4 ; protocol
lets mask single
multimem.cp.async.bulk{.plain}.global.cta.bulk_group           [a@global], [b@cta], size:u32<0..1048560/16>!  ; since 9.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.async.bulk.relaxed.scope.global.cta.bulk_group.b128 [a@global], [b@cta], size:u32<0..1048560/16>!  ; since 9.3 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.async.bulk{.plain}.global.cta.bulk_group.cp_mask   [a@global], [b@cta], size:u32<0..1048560/16>!, mask:b16~  ; since 9.1 sm_100 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.async.bulk.relaxed.scope.global.cta.bulk_group.cp_mask.b128 [a@global], [b@cta], size:u32<0..1048560/16>!, mask:b16~  ; since 9.3 sm_100 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.global.cta.bulk_group.op.type [a@global], [b@cta], size:u32<0..1048560/16>! ; op = and or xor ; type = b32 b64 ; since 9.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.op.type [a@global], [b@cta], size:u32<0..1048560/16>! ; op = and or xor ; type = b32 b64 ; since 9.3 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.global.cta.bulk_group.op.type [a@global], [b@cta], size:u32<0..1048560/16>! ; op = min max ; type = u32 s32 u64 s64 f16 bf16 ; since 9.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.op.type [a@global], [b@cta], size:u32<0..1048560/16>! ; op = min max ; type = u32 s32 u64 s64 f16 bf16 ; since 9.3 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.global.cta.bulk_group.add.type [a@global], [b@cta], size:u32<0..1048560/16>! ; type = u32 s32 u64 f32 f64 ; since 9.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.add.type [a@global], [b@cta], size:u32<0..1048560/16>! ; type = u32 s32 u64 f32 f64 ; since 9.3 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.global.cta.bulk_group.op.u32  [a@global], [b@cta], size:u32<0..1048560/16>! ; op = inc dec ; since 9.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.op.u32  [a@global], [b@cta], size:u32<0..1048560/16>! ; op = inc dec ; since 9.3 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.global.cta.bulk_group.add.noftz.type [a@global], [b@cta], size:u32<0..1048560/16>! ; type = f16 bf16 f32(9.4) ; since 9.1 sm_90 ; reads ; writes ; lets acc32 acc16 extra
multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.add.noftz.type [a@global], [b@cta], size:u32<0..1048560/16>! ; type = f16 bf16 f32(9.4) ; since 9.3 sm_90 ; reads ; writes ; lets acc32 acc16 extra
"""
