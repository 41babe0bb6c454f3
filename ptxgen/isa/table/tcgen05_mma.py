"""Fifth-generation tensor cores: tcgen05.mma in all its variants (manual 9.7.16.10)."""

ROWS = """
where blackwell = 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f
where scale_d = 8.6 sm_100a or 8.8 sm_100f
where integer = 8.6 sm_100a or 9.0 sm_110a
where arch = 8.6 sm_100a or 8.8 sm_103a or 9.0 sm_110a or 9.4 sm_107a
where arch87 = 8.7 sm_100a or 8.8 sm_103a or 9.0 sm_110a or 9.4 sm_107a
where rubin = 9.4 sm_107f
where blocks = 8.8 sm_100f or 9.0 sm_110f
# The mask of output lanes has 4 registers for one CTA, 8 for a pair.
.cta_group = cta_group::1*4 cta_group::2*8
.kind = kind::f16 kind::tf32 kind::f8f6f4 kind::ti16(rubin)
.scaled_kind = kind::f16 kind::tf32
.collector = collector::a::fill collector::a::use collector::a::lastuse collector::a::discard
.collect_b = collector::b::fill(rubin) collector::b::use(rubin) collector::b::lastuse(rubin) collector::b::discard(rubin)
.fill_use = collector::a::fill collector::a::use
.collector_b = collector::b0::fill collector::b0::use collector::b0::lastuse collector::b0::discard collector::b1::fill collector::b1::use collector::b1::lastuse collector::b1::discard collector::b2::fill collector::b2::use collector::b2::lastuse collector::b2::discard collector::b3::fill collector::b3::use collector::b3::lastuse collector::b3::discard
.mx8 = scale_vec::1X(arch) block32(blocks)
.mx4 = scale_vec::2X(arch) block32(blocks)
.nv4 = scale_vec::2X(arch87) scale_vec::4X(arch87) block16(blocks) block32(blocks)

section 9.7.16.10.9.1 ; matrix ; protocol
tcgen05.mma.cta_group.kind{.collector}{.collect_b}            [d:b32!], a:u64, b:u64, idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.cta_group.scaled_kind{.collector}{.collect_b}     [d:b32!], a:u64, b:u64, idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred, #scale_d<0..15>! ; since scale_d ; reads ; writes
tcgen05.mma.cta_group.kind::i8{.collector}        [d:b32!], a:u64, b:u64, idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; since integer ; reads ; writes
tcgen05.mma.cta_group.kind::mxf8f6f4.block_scale{.mx8}{.collector}{.collect_b}  [d:b32!], a:u64, b:u64, idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.cta_group.kind::mxf4.block_scale{.mx4}{.collector}{.collect_b}  [d:b32!], a:u64, b:u64, idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.cta_group.kind::mxf4nvf4.block_scale.nv4{.collector}{.collect_b}  [d:b32!], a:u64, b:u64, idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.cta_group.kind{.ashift}{.collector}{.collect_b}            [d:b32!], [a:b32!], b:u64, idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; never ashift with fill_use ; since blackwell ; reads ; writes
tcgen05.mma.cta_group.scaled_kind{.ashift}{.collector}{.collect_b}     [d:b32!], [a:b32!], b:u64, idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred, #scale_d<0..15>! ; never ashift with fill_use ; since scale_d ; reads ; writes
tcgen05.mma.cta_group.kind::i8{.ashift}{.collector}        [d:b32!], [a:b32!], b:u64, idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; never ashift with fill_use ; since integer ; reads ; writes
tcgen05.mma.cta_group.kind::mxf8f6f4.block_scale{.mx8}{.collector}{.collect_b}  [d:b32!], [a:b32!], b:u64, idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.cta_group.kind::mxf4.block_scale{.mx4}{.collector}{.collect_b}  [d:b32!], [a:b32!], b:u64, idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.cta_group.kind::mxf4nvf4.block_scale.nv4{.collector}{.collect_b}  [d:b32!], [a:b32!], b:u64, idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since blackwell ; reads ; writes
# B is looked up: indices of three bits, and tables of eight values in tensor memory
tcgen05.mma.cta_group.kind::f8f6f4.decompress::lut::b{.collector}{.collect_b}  [d:b32!], a:u64, b:u64, [lut:b32!], idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; since rubin ; reads ; writes
tcgen05.mma.cta_group.kind::mxf8f6f4.block_scale.decompress::lut::b{.mx8}{.collector}{.collect_b}  [d:b32!], a:u64, b:u64, [lut:b32!], idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since rubin ; reads ; writes
tcgen05.mma.cta_group.kind::f8f6f4.decompress::lut::b{.collector}{.collect_b}  [d:b32!], [a:b32!], b:u64, [lut:b32!], idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; since rubin ; reads ; writes
tcgen05.mma.cta_group.kind::mxf8f6f4.block_scale.decompress::lut::b{.mx8}{.collector}{.collect_b}  [d:b32!], [a:b32!], b:u64, [lut:b32!], idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since rubin ; reads ; writes

section 9.7.16.10.9.2 ; matrix ; protocol
tcgen05.mma.sp.cta_group.kind{.collector}{.collect_b}            [d:b32!], a:u64, b:u64, [meta:b32!], idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.sp.cta_group.scaled_kind{.collector}{.collect_b}     [d:b32!], a:u64, b:u64, [meta:b32!], idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred, #scale_d<0..15>! ; since scale_d ; reads ; writes
tcgen05.mma.sp.cta_group.kind::i8{.collector}        [d:b32!], a:u64, b:u64, [meta:b32!], idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; since integer ; reads ; writes
tcgen05.mma.sp.cta_group.kind::mxf8f6f4.block_scale{.mx8}{.collector}{.collect_b}  [d:b32!], a:u64, b:u64, [meta:b32!], idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.sp.cta_group.kind::mxf4.block_scale{.mx4}{.collector}{.collect_b}  [d:b32!], a:u64, b:u64, [meta:b32!], idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since arch ; reads ; writes
tcgen05.mma.sp.cta_group.kind::mxf4nvf4.block_scale.nv4{.collector}{.collect_b}  [d:b32!], a:u64, b:u64, [meta:b32!], idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since arch ; reads ; writes
tcgen05.mma.sp.cta_group.kind{.ashift}{.collector}{.collect_b}            [d:b32!], [a:b32!], b:u64, [meta:b32!], idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; never ashift with fill_use ; since blackwell ; reads ; writes
tcgen05.mma.sp.cta_group.scaled_kind{.ashift}{.collector}{.collect_b}     [d:b32!], [a:b32!], b:u64, [meta:b32!], idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred, #scale_d<0..15>! ; never ashift with fill_use ; since scale_d ; reads ; writes
tcgen05.mma.sp.cta_group.kind::i8{.ashift}{.collector}        [d:b32!], [a:b32!], b:u64, [meta:b32!], idesc:u32{, {mask*cta_group:b32=}}, {!}enable:pred ; never ashift with fill_use ; since integer ; reads ; writes
tcgen05.mma.sp.cta_group.kind::mxf8f6f4.block_scale{.mx8}{.collector}{.collect_b}  [d:b32!], [a:b32!], b:u64, [meta:b32!], idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since blackwell ; reads ; writes
tcgen05.mma.sp.cta_group.kind::mxf4.block_scale{.mx4}{.collector}{.collect_b}  [d:b32!], [a:b32!], b:u64, [meta:b32!], idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since arch ; reads ; writes
tcgen05.mma.sp.cta_group.kind::mxf4nvf4.block_scale.nv4{.collector}{.collect_b}  [d:b32!], [a:b32!], b:u64, [meta:b32!], idesc:u32, [scale_a:b32!], [scale_b:b32!], {!}enable:pred ; since arch ; reads ; writes

section 9.7.16.10.9.3 ; matrix ; protocol
tcgen05.mma.ws.cta_group::1.kind{.collector_b}       [d:b32!], a:u64, b:u64, idesc:u32, {!}enable:pred{, mask:u64} ; since blackwell ; reads ; writes
tcgen05.mma.ws.cta_group::1.kind::i8{.collector_b}   [d:b32!], a:u64, b:u64, idesc:u32, {!}enable:pred{, mask:u64} ; since integer ; reads ; writes
tcgen05.mma.ws.cta_group::1.kind{.collector_b}       [d:b32!], [a:b32!], b:u64, idesc:u32, {!}enable:pred{, mask:u64} ; since blackwell ; reads ; writes
tcgen05.mma.ws.cta_group::1.kind::i8{.collector_b}   [d:b32!], [a:b32!], b:u64, idesc:u32, {!}enable:pred{, mask:u64} ; since integer ; reads ; writes

section 9.7.16.10.9.4 ; matrix ; protocol
tcgen05.mma.ws.sp.cta_group::1.kind{.collector_b}       [d:b32!], a:u64, b:u64, [meta:b32!], idesc:u32, {!}enable:pred{, mask:u64} ; since blackwell ; reads ; writes
tcgen05.mma.ws.sp.cta_group::1.kind::i8{.collector_b}   [d:b32!], a:u64, b:u64, [meta:b32!], idesc:u32, {!}enable:pred{, mask:u64} ; since integer ; reads ; writes
tcgen05.mma.ws.sp.cta_group::1.kind{.collector_b}       [d:b32!], [a:b32!], b:u64, [meta:b32!], idesc:u32, {!}enable:pred{, mask:u64} ; since blackwell ; reads ; writes
tcgen05.mma.ws.sp.cta_group::1.kind::i8{.collector_b}   [d:b32!], [a:b32!], b:u64, [meta:b32!], idesc:u32, {!}enable:pred{, mask:u64} ; since integer ; reads ; writes
"""
