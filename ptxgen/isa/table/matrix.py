"""Warp-level matrix multiply-accumulate: mma and mma.sp (manual 9.7.14.5 and 9.7.14.6)."""

ROWS = """
where sm120 = 8.7 sm_120a or 8.8 sm_120f
where f8f6f4 = 8.7 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_120f
where f8 = 8.6 sm_100a or 8.8 sm_100f or 9.0 sm_110f or 8.7 sm_120a or 8.8 sm_120f
where sp_fp4 = 8.7 sm_120a or 8.8 sm_121a
where sp_fp4_ue8m0 = 9.1 sm_120a or 9.1 sm_121a
.layout_a = row col
.layout_b = row col
.rnd = rn rz rm rp
.i8a = u8 s8
.i8b = u8 s8
.i4a = u4 s4
.i4b = u4 s4
.f8a = e4m3 e5m2
.f8b = e4m3 e5m2
.f6a = e4m3 e5m2 e3m2(sm120) e2m3(sm120) e2m1(sm120)
.f6b = e4m3 e5m2 e3m2(sm120) e2m3(sm120) e2m1(sm120)
.f4a = e3m2(sm120) e2m3(sm120) e2m1(sm120)
.f4b = e3m2(sm120) e2m3(sm120) e2m1(sm120)

section 9.7.14.5.14 ; matrix
lets scale_a scale_b bits
lets scale_a scale_b vector
lets scale_a scale_b float
# half precision
mma.sync.aligned.m8n8k4.layout_a.layout_b.f16.f16.f16.f16   {d*4:b32!&}, {a*2:b32!&}, {b*2:b32!&}, {c*4:b32!&} ; since 6.4 sm_70 ; converged
mma.sync.aligned.m8n8k4.layout_a.layout_b.f32.f16.f16.f16   {d*8:f32}, {a*2:b32!&}, {b*2:b32!&}, {c*4:b32!&} ; since 6.4 sm_70 ; converged
mma.sync.aligned.m8n8k4.layout_a.layout_b.f32.f16.f16.f32   {d*8:f32}, {a*2:b32!&}, {b*2:b32!&}, {c*8:f32} ; since 6.4 sm_70 ; converged
mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16            {d*2:b32!&}, {a*2:b32!&}, {b*1:b32!&}, {c*2:b32!&} ; since 6.5 sm_75 ; converged
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32            {d*4:f32}, {a*2:b32!&}, {b*1:b32!&}, {c*4:f32} ; since 6.5 sm_75 ; converged
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16           {d*2:b32!&}, {a*4:b32!&}, {b*2:b32!&}, {c*2:b32!&} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32           {d*4:f32}, {a*4:b32!&}, {b*2:b32!&}, {c*4:f32} ; since 7.0 sm_80 ; converged
# alternate formats
mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32          {d*4:f32}, {a*2:b32!}, {b*1:b32!}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32         {d*4:f32}, {a*4:b32!}, {b*2:b32!}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32          {d*4:f32}, {a*2:b32!}, {b*1:b32!}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32          {d*4:f32}, {a*4:b32!}, {b*2:b32!}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k16.row.col.f16.f8a.f8b.f16           {d*2:b32!&}, {a*2:b32=}, {b*1:b32=}, {c*2:b32!&} ; since 8.7 sm_89 ; converged
mma.sync.aligned.m16n8k16.row.col.f32.f8a.f8b.f32           {d*4:f32}, {a*2:b32=}, {b*1:b32=}, {c*4:f32} ; since 8.7 sm_89 ; converged
mma.sync.aligned.m16n8k32.row.col.f16.f8a.f8b.f16           {d*2:b32!&}, {a*4:b32=}, {b*2:b32=}, {c*2:b32!&} ; since 8.7 sm_89 ; converged
mma.sync.aligned.m16n8k32.row.col.f32.f8a.f8b.f32           {d*4:f32}, {a*4:b32=}, {b*2:b32=}, {c*4:f32} ; since 8.4 sm_89 ; converged
mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.f6a.f6b.f16  {d*2:b32!&}, {a*4:b32=}, {b*2:b32=}, {c*2:b32!&} ; since f8f6f4 ; converged
mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.f8a.f8b.f32  {d*4:f32}, {a*4:b32=}, {b*2:b32=}, {c*4:f32} ; since f8 ; converged
mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.f8a.f4b.f32  {d*4:f32}, {a*4:b32=}, {b*2:b32=}, {c*4:f32} ; since f8f6f4 ; converged
mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.f4a.f6b.f32  {d*4:f32}, {a*4:b32=}, {b*2:b32=}, {c*4:f32} ; since f8f6f4 ; converged
# with block scaling
mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0      {d*4:f32}, {a*4:b32!}, {b*2:b32!}, {c*4:f32}, scale_a:b32^, {byte_a:b16<0|2>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0|2>!, thread_b:b16<0..3>!} ; since sm120 ; converged
mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0    {d*4:f32}, {a*4:b32!}, {b*2:b32!}, {c*4:f32}, scale_a:b32^, {byte_a:b16<0|2>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0|2>!, thread_b:b16<0..3>!} ; since sm120 ; converged
mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3    {d*4:f32}, {a*4:b32!}, {b*2:b32!}, {c*4:f32}, scale_a:b32^, {byte_a:b16<0>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0>!, thread_b:b16<0..3>!} ; since sm120 ; converged
mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0    {d*4:f32}, {a*4:b32!}, {b*2:b32!}, {c*4:f32}, scale_a:b32^, {byte_a:b16<0>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0>!, thread_b:b16<0..3>!} ; since 9.1 sm_120f ; converged
mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.f6a.f6b.f32.ue8m0    {d*4:f32}, {a*4:b32!}, {b*2:b32!}, {c*4:f32}, scale_a:b32^, {byte_a:b16<0..3>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0..3>!, thread_b:b16<0..3>!} ; since sm120 ; converged
# double precision
mma.sync.aligned.m8n8k4.row.col{.rnd}.f64.f64.f64.f64       {d*2:f64}, {a*1:f64}, {b*1:f64}, {c*2:f64} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k4.row.col{.rnd}.f64.f64.f64.f64      {d*4:f64}, {a*2:f64}, {b*1:f64}, {c*4:f64} ; since 7.8 sm_90 ; converged
mma.sync.aligned.m16n8k8.row.col{.rnd}.f64.f64.f64.f64      {d*4:f64}, {a*4:f64}, {b*2:f64}, {c*4:f64} ; since 7.8 sm_90 ; converged
mma.sync.aligned.m16n8k16.row.col{.rnd}.f64.f64.f64.f64     {d*4:f64}, {a*8:f64}, {b*4:f64}, {c*4:f64} ; since 7.8 sm_90 ; converged
# integers
mma.sync.aligned.m8n8k16.row.col{.satfinite}.s32.i8a.i8b.s32   {d*2:s32}, {a*1:b32=}, {b*1:b32=}, {c*2:s32} ; since 6.5 sm_75 ; converged
mma.sync.aligned.m16n8k16.row.col{.satfinite}.s32.i8a.i8b.s32  {d*4:s32}, {a*2:b32=}, {b*1:b32=}, {c*4:s32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.i8a.i8b.s32  {d*4:s32}, {a*4:b32=}, {b*2:b32=}, {c*4:s32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m8n8k32.row.col{.satfinite}.s32.i4a.i4b.s32   {d*2:s32}, {a*1:b32=}, {b*1:b32=}, {c*2:s32} ; since 6.5 sm_75 ; converged
mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.i4a.i4b.s32  {d*4:s32}, {a*2:b32=}, {b*1:b32=}, {c*4:s32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k64.row.col{.satfinite}.s32.i4a.i4b.s32  {d*4:s32}, {a*4:b32=}, {b*2:b32=}, {c*4:s32} ; since 7.0 sm_80 ; converged
# assemblers take the operation of single bits for 4-bit integers too; the manual does not have it
mma.sync.aligned.m8n8k32.row.col.s32.i4a.i4b.s32.op.popc    {d*2:s32}, {a*1:b32=}, {b*1:b32=}, {c*2:s32} ; op = xor and ; since 6.5 sm_75 ; converged
mma.sync.aligned.m16n8k32.row.col.s32.i4a.i4b.s32.op.popc   {d*4:s32}, {a*2:b32=}, {b*1:b32=}, {c*4:s32} ; op = xor and ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k64.row.col.s32.i4a.i4b.s32.op.popc   {d*4:s32}, {a*4:b32=}, {b*2:b32=}, {c*4:s32} ; op = xor and ; since 7.0 sm_80 ; converged
mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc    {d*2:s32}, {a*1:b32=}, {b*1:b32=}, {c*2:s32} ; since 7.0 sm_75 ; converged
mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc    {d*2:s32}, {a*1:b32=}, {b*1:b32=}, {c*2:s32} ; since 7.1 sm_80 ; converged
mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.op.popc    {d*4:s32}, {a*2:b32=}, {b*1:b32=}, {c*4:s32} ; op = xor and(7.1) ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.op.popc    {d*4:s32}, {a*4:b32=}, {b*2:b32=}, {c*4:s32} ; op = xor and(7.1) ; since 7.0 sm_80 ; converged

section 9.7.14.6.3 ; matrix
lets e scale_a scale_b float
lets scale_a scale_b bits
lets scale_a scale_b vector
.sp = sp sp::ordered_metadata(8.5)
.sparse = sp::ordered_metadata
# on sm_100a made of other instructions, which take no list of one
mma.sparse.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.f8a.f8b.f32 {d*4:f32}, {a*4:b32=}, {b*4:b32=}, {c*4:f32}, e:b32^~, #f<0..0>! ; since f8 ; converged
lets e single
mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16        {d*2:b32!&}, {a*2:b32!&}, {b*2:b32!&}, {c*2:b32!&}, e:b32^, #f<0..3>! ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16        {d*2:b32!&}, {a*4:b32!&}, {b*4:b32!&}, {c*2:b32!&}, e:b32^, #f<0..1>! ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32      {d*4:f32}, {a*2:b32!&}, {b*2:b32!&}, {c*4:f32}, e:b32^, #f<0..3>!  ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32      {d*4:f32}, {a*4:b32!&}, {b*4:b32!&}, {c*4:f32}, e:b32^, #f<0..1><0..3>!  ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32      {d*4:f32}, {a*2:b32=}, {b*2:b32=}, {c*4:f32}, e:b32^, #f<0..3>!  ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32      {d*4:f32}, {a*4:b32=}, {b*4:b32=}, {c*4:f32}, e:b32^, #f<0..1>!  ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32       {d*4:f32}, {a*2:b32=}, {b*2:b32=}, {c*4:f32}, e:b32^, #f<0..3>! ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32      {d*4:f32}, {a*4:b32=}, {b*4:b32=}, {c*4:f32}, e:b32^, #f<0..1>! ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k64.row.col.f32.f8a.f8b.f32        {d*4:f32}, {a*4:b32=}, {b*4:b32=}, {c*4:f32}, e:b32^~, #f<0..0>! ; since 8.4 sm_89 ; converged
mma.sparse.sync.aligned.m16n8k64.row.col.f16.f8a.f8b.f16    {d*2:b32!&}, {a*4:b32=}, {b*4:b32=}, {c*2:b32!&}, e:b32^, #f<0..0>! ; since sm120 ; converged
mma.sparse.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.f6a.f6b.f16 {d*2:b32!&}, {a*4:b32=}, {b*4:b32=}, {c*2:b32!&}, e:b32^, #f<0..0>! ; since sm120 ; converged
mma.sparse.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.f8a.f4b.f32 {d*4:f32}, {a*4:b32=}, {b*4:b32=}, {c*4:f32}, e:b32^, #f<0..0>! ; since f8f6f4 ; converged
mma.sparse.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.f4a.f6b.f32 {d*4:f32}, {a*4:b32=}, {b*4:b32=}, {c*4:f32}, e:b32^, #f<0..0>! ; since f8f6f4 ; converged
mma.sp.sync.aligned.m16n8k32.row.col{.satfinite}.s32.i8a.i8b.s32   {d*4:s32}, {a*2:b32=}, {b*2:b32=}, {c*4:s32}, e:b32^, #f<0..1>! ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.i8a.i8b.s32   {d*4:s32}, {a*4:b32=}, {b*4:b32=}, {c*4:s32}, e:b32^, #f<0..0>! ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.i4a.i4b.s32   {d*4:s32}, {a*2:b32=}, {b*2:b32=}, {c*4:s32}, e:b32^, #f<0..1>! ; since 7.1 sm_80 ; converged
mma.sp.sync.aligned.m16n8k128.row.col{.satfinite}.s32.i4a.i4b.s32  {d*4:s32}, {a*4:b32=}, {b*4:b32=}, {c*4:s32}, e:b32^, #f<0..0>! ; since 7.1 sm_80 ; converged
mma.sparse.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0      {d*4:f32}, {a*4:b32!}, {b*4:b32!}, {c*4:f32}, e:b32^, #f<0..0>!, scale_a:b32^, {byte_a:b16<0|2>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0|2>!, thread_b:b16<0..3>!} ; since sp_fp4 ; converged
mma.sparse.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0    {d*4:f32}, {a*4:b32!}, {b*4:b32!}, {c*4:f32}, e:b32^, #f<0..0>!, scale_a:b32^, {byte_a:b16<0|2>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0|2>!, thread_b:b16<0..3>!} ; since sp_fp4 ; converged
mma.sparse.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3    {d*4:f32}, {a*4:b32!}, {b*4:b32!}, {c*4:f32}, e:b32^, #f<0..0>!, scale_a:b32^, {byte_a:b16<0>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0>!, thread_b:b16<0..3>!} ; since sp_fp4 ; converged
mma.sparse.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0    {d*4:f32}, {a*4:b32!}, {b*4:b32!}, {c*4:f32}, e:b32^, #f<0..0>!, scale_a:b32^, {byte_a:b16<0>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0>!, thread_b:b16<0..3>!} ; since sp_fp4_ue8m0 ; converged
mma.sparse.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.f6a.f6b.f32.ue8m0     {d*4:f32}, {a*4:b32!}, {b*4:b32!}, {c*4:f32}, e:b32^, #f<0..0>!, scale_a:b32^, {byte_a:b16<0..3>!, thread_a:b16<0..1>!}, scale_b:b32^, {byte_b:b16<0..3>!, thread_b:b16<0..3>!} ; since sm120 ; converged
"""
