"""Warp-level matrix multiply-accumulate on fragments (manual 9.7.14.4)."""

ROWS = """
.layout = row col
.layout_a = row col
.layout_b = row col
.ss = global shared shared::cta(7.8)
.shape = m16n16k16 m8n32k16(6.1) m32n8k16(6.1)
.ints = m16n16k16*2 m8n32k16*1 m32n8k16*4
.ints_b = m16n16k16*2 m8n32k16*4 m32n8k16*1
.bf = m16n16k16*4 m8n32k16*2 m32n8k16*8
.bf_b = m16n16k16*4 m8n32k16*8 m32n8k16*2
.i8 = s8 u8
.i4 = s4 u4
.rnd = rn rz rm rp
.op = xor and(7.1 sm_80)

section 9.7.14.4.3 ; matrix
wmma.load.a.sync.aligned.layout.shape{.ss}.f16     {d*8:b32!&}, [p:b32+]{, stride:u32}   ; since 6.0 sm_70 ; reads ; converged
wmma.load.b.sync.aligned.layout.shape{.ss}.f16     {d*8:b32!&}, [p:b32+]{, stride:u32}   ; since 6.0 sm_70 ; reads ; converged
wmma.load.c.sync.aligned.layout.shape{.ss}.f16     {d*4:b32!&}, [p:b32+]{, stride:u32}   ; since 6.0 sm_70 ; reads ; converged
wmma.load.c.sync.aligned.layout.shape{.ss}.f32     {d*8:f32}, [p:b32+]{, stride:u32}   ; since 6.0 sm_70 ; reads ; converged
wmma.load.a.sync.aligned.layout.ints{.ss}.i8       {d*ints:b32~}, [p:b32+]{, stride:u32}    ; since 6.3 sm_72 ; reads ; converged
wmma.load.b.sync.aligned.layout.ints_b{.ss}.i8     {d*ints_b:b32~}, [p:b32+]{, stride:u32}  ; since 6.3 sm_72 ; reads ; converged
wmma.load.c.sync.aligned.layout.shape{.ss}.s32     {d*8:s32}, [p:b32+]{, stride:u32}   ; since 6.3 sm_72 ; reads ; converged
wmma.load.a.sync.aligned.layout.bf{.ss}.bf16       {d*bf:b32!}, [p:b32+]{, stride:u32}      ; since 7.0 sm_80 ; reads ; converged
wmma.load.b.sync.aligned.layout.bf_b{.ss}.bf16     {d*bf_b:b32!}, [p:b32+]{, stride:u32}    ; since 7.0 sm_80 ; reads ; converged
wmma.load.a.sync.aligned.layout.m16n16k8{.ss}.tf32 {d*4:b32!}, [p:b32+]{, stride:u32}   ; since 7.0 sm_80 ; reads ; converged
wmma.load.b.sync.aligned.layout.m16n16k8{.ss}.tf32 {d*4:b32!}, [p:b32+]{, stride:u32}   ; since 7.0 sm_80 ; reads ; converged
wmma.load.c.sync.aligned.layout.m16n16k8{.ss}.f32  {d*8:f32}, [p:b32+]{, stride:u32}   ; since 7.0 sm_80 ; reads ; converged
wmma.load.a.sync.aligned.layout.m8n8k4{.ss}.f64    {d*1:f64=}, [p:b32+]{, stride:u32}   ; since 7.0 sm_80 ; reads ; converged
wmma.load.b.sync.aligned.layout.m8n8k4{.ss}.f64    {d*1:f64=}, [p:b32+]{, stride:u32}   ; since 7.0 sm_80 ; reads ; converged
wmma.load.c.sync.aligned.layout.m8n8k4{.ss}.f64    {d*2:f64}, [p:b32+]{, stride:u32}   ; since 7.0 sm_80 ; reads ; converged
wmma.load.a.sync.aligned.row.m8n8k32{.ss}.i4       {d*1:b32=}, [p:b32+]{, stride:u32}   ; since 6.3 sm_75 ; reads ; converged
wmma.load.b.sync.aligned.col.m8n8k32{.ss}.i4       {d*1:b32=}, [p:b32+]{, stride:u32}   ; since 6.3 sm_75 ; reads ; converged
wmma.load.c.sync.aligned.layout.m8n8k32{.ss}.s32   {d*2:s32}, [p:b32+]{, stride:u32}   ; since 6.3 sm_75 ; reads ; converged
wmma.load.a.sync.aligned.row.m8n8k128{.ss}.b1      {d*1:b32=}, [p:b32+]{, stride:u32}   ; since 6.3 sm_75 ; reads ; converged
wmma.load.b.sync.aligned.col.m8n8k128{.ss}.b1      {d*1:b32=}, [p:b32+]{, stride:u32}   ; since 6.3 sm_75 ; reads ; converged
wmma.load.c.sync.aligned.layout.m8n8k128{.ss}.s32  {d*2:s32}, [p:b32+]{, stride:u32}   ; since 6.3 sm_75 ; reads ; converged

section 9.7.14.4.4 ; matrix
wmma.store.d.sync.aligned.layout.shape{.ss}.f16    [p:b32+], {r*4:b32!&}{, stride:u32}   ; since 6.0 sm_70 ; writes ; converged
wmma.store.d.sync.aligned.layout.shape{.ss}.f32    [p:b32+], {r*8:f32}{, stride:u32}   ; since 6.0 sm_70 ; writes ; converged
wmma.store.d.sync.aligned.layout.shape{.ss}.s32    [p:b32+], {r*8:s32}{, stride:u32}   ; since 6.3 sm_72 ; writes ; converged
wmma.store.d.sync.aligned.layout.small{.ss}.s32    [p:b32+], {r*2:s32}{, stride:u32}   ; small = m8n8k32 m8n8k128 ; since 6.3 sm_75 ; writes ; converged
wmma.store.d.sync.aligned.layout.m16n16k8{.ss}.f32 [p:b32+], {r*8:f32}{, stride:u32}   ; since 7.0 sm_80 ; writes ; converged
wmma.store.d.sync.aligned.layout.m8n8k4{.ss}.f64   [p:b32+], {r*2:f64}{, stride:u32}   ; since 7.0 sm_80 ; writes ; converged

section 9.7.14.4.5 ; matrix
wmma.mma.sync.aligned.layout_a.layout_b.shape.f16.f16  {d*4:b32!&}, {a*8:b32!&}, {b*8:b32!&}, {c*4:b32!&} ; since 6.0 sm_70 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.shape.f16.f32  {d*4:b32!&}, {a*8:b32!&}, {b*8:b32!&}, {c*8:f32} ; since 6.0 sm_70 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.shape.f32.f16  {d*8:f32}, {a*8:b32!&}, {b*8:b32!&}, {c*4:b32!&} ; since 6.0 sm_70 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.shape.f32.f32  {d*8:f32}, {a*8:b32!&}, {b*8:b32!&}, {c*8:f32} ; since 6.0 sm_70 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.shape.f16.f16.satfinite  {d*4:b32!&}, {a*8:b32!&}, {b*8:b32!&}, {c*4:b32!&} ; since 6.0 sm_70 ; until 6.4 sm_70 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.shape.f16.f32.satfinite  {d*4:b32!&}, {a*8:b32!&}, {b*8:b32!&}, {c*8:f32} ; since 6.0 sm_70 ; until 6.4 sm_70 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.shape.f32.f16.satfinite  {d*8:f32}, {a*8:b32!&}, {b*8:b32!&}, {c*4:b32!&} ; since 6.0 sm_70 ; until 6.4 sm_70 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.shape.f32.f32.satfinite  {d*8:f32}, {a*8:b32!&}, {b*8:b32!&}, {c*8:f32} ; since 6.0 sm_70 ; until 6.4 sm_70 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m16n16k16.s32.s8.s8.s32{.satfinite}  {d*8:s32}, {a*2:b32~}, {b*2:b32~}, {c*8:s32} ; since 6.3 sm_72 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m8n32k16.s32.s8.s8.s32{.satfinite}  {d*8:s32}, {a*1:b32~}, {b*4:b32~}, {c*8:s32} ; since 6.3 sm_72 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m32n8k16.s32.s8.s8.s32{.satfinite}  {d*8:s32}, {a*4:b32~}, {b*1:b32~}, {c*8:s32} ; since 6.3 sm_72 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m16n16k16.s32.u8.u8.s32{.satfinite}  {d*8:s32}, {a*2:b32~}, {b*2:b32~}, {c*8:s32} ; since 6.3 sm_72 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m8n32k16.s32.u8.u8.s32{.satfinite}  {d*8:s32}, {a*1:b32~}, {b*4:b32~}, {c*8:s32} ; since 6.3 sm_72 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m32n8k16.s32.u8.u8.s32{.satfinite}  {d*8:s32}, {a*4:b32~}, {b*1:b32~}, {c*8:s32} ; since 6.3 sm_72 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m16n16k16.f32.bf16.bf16.f32  {d*8:f32}, {a*4:b32!}, {b*4:b32!}, {c*8:f32} ; since 7.0 sm_80 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m8n32k16.f32.bf16.bf16.f32  {d*8:f32}, {a*2:b32!}, {b*8:b32!}, {c*8:f32} ; since 7.0 sm_80 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m32n8k16.f32.bf16.bf16.f32  {d*8:f32}, {a*8:b32!}, {b*2:b32!}, {c*8:f32} ; since 7.0 sm_80 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m16n16k8.f32.tf32.tf32.f32  {d*8:f32}, {a*4:b32!}, {b*4:b32!}, {c*8:f32} ; since 7.0 sm_80 ; converged
wmma.mma.sync.aligned.layout_a.layout_b.m8n8k4{.rnd}.f64.f64.f64.f64  {d*2:f64}, {a*1:f64}, {b*1:f64}, {c*2:f64} ; since 7.0 sm_80 ; converged
wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32{.satfinite}  {d*2:s32}, {a*1:b32~}, {b*1:b32~}, {c*2:s32} ; since 6.3 sm_75 ; converged
wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32{.satfinite}  {d*2:s32}, {a*1:b32~}, {b*1:b32~}, {c*2:s32} ; since 6.3 sm_75 ; converged
wmma.mma.op.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32     {d*2:s32}, {a*1:b32~}, {b*1:b32~}, {c*2:s32} ; since 6.3 sm_75 ; converged
"""
