"""Fifth-generation tensor cores: tensor memory, its loads, stores and copies, commit and waits (manual 9.7.16.7 to 9.7.16.11)."""

ROWS = """
where blackwell = 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f
where shift = 8.6 sm_100a or 8.8 sm_103a or 9.0 sm_110a or 9.4 sm_107a
where reduce = 8.8 sm_103f or 9.0 sm_110f
.cta_group = cta_group::1 cta_group::2
.multicast = multicast::cluster multicast::cluster::16b(9.4 sm_100f or 9.4 sm_110f) multicast::cluster::32b(9.4 sm_107f)
.reads_of_a = sync_restrict::shared::read::mma::a(9.4 sm_107f)
.format = b8x16.b6x16_p32 b8x16.b4x16_p64
.num = x1 x2 x4 x8 x16 x32 x64 x128
.num128 = x1*2 x2*4 x4*8 x8*16 x16*32 x32*64 x64*128
.num256 = x1*4 x2*8 x4*16 x8*32 x16*64 x32*128
.several = x2 x4 x8 x16 x32 x64 x128
.shape = 16x64b 32x32b
.pack = pack::16b
.unpack = unpack::16b
.redop = min max

section 9.7.16.7.1 ; matrix ; protocol
tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32    [a:b32+], columns:u32<32|64|128|256|512>! ; since blackwell ; writes ; converged
tcgen05.dealloc.cta_group.sync.aligned.b32                taddr:b32~, columns:u32<32|64|128|256|512>! ; since blackwell ; converged
tcgen05.alloc.cta_group.sync.aligned.exclusive{.shared::cta}.b32  [a:b32+], columns:u32<32..576/32><32..4294967264/32>! ; since 9.4 sm_100f or 9.4 sm_110f ; writes ; converged
tcgen05.dealloc.cta_group.sync.aligned.exclusive.b32      taddr:b32~, columns:u32<32..576/32><32..4294967264/32>! ; since 9.4 sm_100f or 9.4 sm_110f ; converged
tcgen05.relinquish_alloc_permit.cta_group.sync.aligned    ; since blackwell ; converged

section 9.7.16.8.1 ; matrix ; protocol
tcgen05.ld.sync.aligned.shape.num{.pack}.b32              {d*num:b32=}, [t:u32]                ; since blackwell ; reads ; converged
tcgen05.ld.sync.aligned.16x128b.num128{.pack}.b32         {d*num128:b32=}, [t:u32]             ; since blackwell ; reads ; converged
tcgen05.ld.sync.aligned.16x256b.num256{.pack}.b32         {d*num256:b32=}, [t:u32]             ; since blackwell ; reads ; converged
tcgen05.ld.sync.aligned.16x32bx2.num{.pack}.b32           {d*num:b32=}, [t:u32], #half         ; since blackwell ; reads ; converged
tcgen05.ld.red.sync.aligned.32x32b.several.redop.type     {d*several:b32}, q:b32, [t:u32]     ; type = u32 s32 ; since reduce ; reads ; converged ; lets q single
tcgen05.ld.red.sync.aligned.16x32bx2.several.redop.type   {d*several:b32}, q:b32, [t:u32], #half ; type = u32 s32 ; since reduce ; reads ; converged ; lets q single
tcgen05.ld.red.sync.aligned.32x32b.several.redop{.abs}{.NaN}.f32   {d*several:b32}, q:b32, [t:u32]        ; since reduce ; reads ; converged ; lets q single
tcgen05.ld.red.sync.aligned.16x32bx2.several.redop{.abs}{.NaN}.f32 {d*several:b32}, q:b32, [t:u32], #half ; since reduce ; reads ; converged ; lets q single
# As above, of four elements the two that .redop says, behind 2 bits of metadata each.
.compressed = x4*2 x8*4 x16*8 x32*16
tcgen05.ld.spcompress.sync.aligned.32x32b.compressed.redop.sp::2:4{.abs}.f32.b2  {d2*1:b32}, {d*compressed:b32}, [t:u32] ; since 9.4 sm_107a ; reads ; converged
tcgen05.ld.spcompress.sync.aligned.32x32b.x64.redop.sp::2:4{.abs}.f32.b2         {d2*2:b32}, {d*32:b32}, [t:u32] ; since 9.4 sm_107a ; reads ; converged
tcgen05.ld.spcompress.sync.aligned.32x32b.x128.redop.sp::2:4{.abs}.f32.b2        {d2*4:b32}, {d*64:b32}, [t:u32] ; since 9.4 sm_107a ; reads ; converged
tcgen05.ld.red.spcompress.sync.aligned.32x32b.compressed.redop.sp::2:4{.abs}{.NaN}.f32.b2  {d2*1:b32}, {d*compressed:b32}, q:b32, [t:u32] ; since 9.4 sm_107a ; reads ; converged ; lets q single
tcgen05.ld.red.spcompress.sync.aligned.32x32b.x64.redop.sp::2:4{.abs}{.NaN}.f32.b2         {d2*2:b32}, {d*32:b32}, q:b32, [t:u32] ; since 9.4 sm_107a ; reads ; converged ; lets q single
tcgen05.ld.red.spcompress.sync.aligned.32x32b.x128.redop.sp::2:4{.abs}{.NaN}.f32.b2        {d2*4:b32}, {d*64:b32}, q:b32, [t:u32] ; since 9.4 sm_107a ; reads ; converged ; lets q single
section 9.7.16.8.2 ; matrix ; protocol
tcgen05.st.sync.aligned.shape.num{.unpack}.b32            [t:u32], {r*num:b32=}                ; since blackwell ; writes ; converged
tcgen05.st.sync.aligned.16x128b.num128{.unpack}.b32       [t:u32], {r*num128:b32=}             ; since blackwell ; writes ; converged
tcgen05.st.sync.aligned.16x256b.num256{.unpack}.b32       [t:u32], {r*num256:b32=}             ; since blackwell ; writes ; converged
tcgen05.st.sync.aligned.16x32bx2.num{.unpack}.b32         [t:u32], #half, {r*num:b32=}         ; since blackwell ; writes ; converged
section 9.7.16.8.3 ; matrix ; protocol
tcgen05.wait::ld.sync.aligned                             ; since blackwell ; orders ; converged
tcgen05.wait::st.sync.aligned                             ; since blackwell ; orders ; converged

section 9.7.16.9.1 ; matrix ; protocol
tcgen05.cp.cta_group.size{.format}                        [t:u32], desc:u64 ; size = 128x256b 4x256b 128x128b ; since blackwell ; reads ; writes
tcgen05.cp.cta_group.64x128b.warps{.format}               [t:u32], desc:u64 ; warps = warpx2::02_13 warpx2::01_23 ; since blackwell ; reads ; writes
tcgen05.cp.cta_group.32x128b.warpx4{.format}              [t:u32], desc:u64 ; since blackwell ; reads ; writes
section 9.7.16.9.2 ; matrix ; protocol
tcgen05.shift.cta_group.down                              [t:u32]            ; since shift ; reads ; writes

section 9.7.16.11.1 ; matrix ; protocol
tcgen05.fence::before_thread_sync                         ; since blackwell ; orders
tcgen05.fence::after_thread_sync                          ; since blackwell ; orders
section 9.7.16.12.1 ; matrix ; protocol
tcgen05.commit.cta_group.mbarrier::arrive::one{.reads_of_a}{.shared::cluster}{.multicast}.b64  [mbar@shared::cluster:b32+]{.multicast::cluster, mask:b16~<0..65535>!}{.multicast::cluster::16b, mask:b16~<0..65535>!}{.multicast::cluster::32b, mask:b32~<0..4294967295>!} ; since blackwell ; writes
"""
