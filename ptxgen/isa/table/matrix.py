"""Matrix multiply-accumulate (manual 9.7.14 and 9.7.15)."""

ROWS = """
section 9.7.14.5.14
mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16        {d*2:b32}, {a*2:b32}, {b*1:b32}, {c*2:b32} ; since 6.5 sm_75 ; converged
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32        {d*4:f32}, {a*2:b32}, {b*1:b32}, {c*4:f32} ; since 6.5 sm_75 ; converged
mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32      {d*4:f32}, {a*2:b32}, {b*1:b32}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16       {d*2:b32}, {a*4:b32}, {b*2:b32}, {c*2:b32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32       {d*4:f32}, {a*4:b32}, {b*2:b32}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32     {d*4:f32}, {a*4:b32}, {b*2:b32}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32      {d*4:f32}, {a*2:b32}, {b*1:b32}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32      {d*4:f32}, {a*4:b32}, {b*2:b32}, {c*4:f32} ; since 7.0 sm_80 ; converged
mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.atype.btype.s32  {d*4:s32}, {a*4:b32}, {b*2:b32}, {c*4:s32} ; atype = u8 s8 ; btype = u8 s8 ; since 7.0 sm_80 ; converged
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64         {d*2:f64}, {a*1:f64}, {b*1:f64}, {c*2:f64} ; since 7.0 sm_80 ; converged

section 9.7.15.7
wgmma.fence.sync.aligned                                ; since 8.0 sm_90a ; orders ; converged
wgmma.commit_group.sync.aligned                         ; since 8.0 sm_90a ; converged
wgmma.wait_group.sync.aligned  #n<0..7>                 ; since 8.0 sm_90a ; orders ; converged
"""
