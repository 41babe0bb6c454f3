"""Asynchronous warpgroup matrix multiply-accumulate (manual 9.7.15)."""


def _shapes(name: str, k: int, columns: int, widths: range | list[int]) -> str:
    """A set of shapes m64nNkK; a thread holds N / `columns` registers of the result."""
    return f".{name} = " + " ".join(f"m64n{n}k{k}*{n // columns}" for n in widths)


_ALL = range(8, 257, 8)
_INTEGER = [8, 16, 24, *range(32, 257, 16)]

_SETS = "\n".join(
    _shapes(f"{name}{k}", k, columns, widths)
    for k, widths in ((8, _ALL), (16, _ALL), (32, _ALL), (64, _ALL))
    for name, columns in (("f32k", 2), ("f16k", 4))
) + "\n" + "\n".join(_shapes(f"s32k{k}", k, 2, _INTEGER) for k in (32, 64, 256))  # fmt: skip

ROWS = (
    _SETS
    + """
where hopper = 8.0 sm_90a
where sparse = 8.2 sm_90a
where mixed = 8.4 sm_90a
.f8a = e4m3 e5m2
.f8b = e4m3 e5m2

section 9.7.15.5.1 ; matrix ; protocol
lets aligned absent
wgmma.fence.sync.aligned                                ; since hopper ; orders ; converged
section 9.7.15.7.1 ; matrix ; protocol
lets aligned absent
wgmma.commit_group.sync.aligned                         ; since hopper ; converged
section 9.7.15.7.2 ; matrix ; protocol
lets aligned absent
wgmma.wait_group.sync.aligned  #n<0..7><0..>!                 ; since hopper ; orders ; converged

section 9.7.15.5.2 ; matrix ; protocol
lets d a mixed
lets aligned absent
wgmma.mma_async.sync.aligned.f16k16.f16.f16.f16  {d*f16k16:b32!&=}, a:u64, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_a<0|1>!, #trans_b<0|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f16k16.f16.f16.f16  {d*f16k16:b32!&=}, {a*4:b32!&}, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_b<0|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f32k16.f32.f16.f16  {d*f32k16:f32=}, a:u64, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_a<0|1>!, #trans_b<0|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f32k16.f32.f16.f16  {d*f32k16:f32=}, {a*4:b32!&}, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_b<0|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f32k16.f32.bf16.bf16  {d*f32k16:f32=}, a:u64, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_a<0|1>!, #trans_b<0|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f32k16.f32.bf16.bf16  {d*f32k16:f32=}, {a*4:b32!&}, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_b<0|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f32k8.f32.tf32.tf32  {d*f32k8:f32=}, a:u64, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f32k8.f32.tf32.tf32  {d*f32k8:f32=}, {a*4:b32!&}, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f16k32.f16.f8a.f8b  {d*f16k32:b32!&=}, a:u64, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f16k32.f16.f8a.f8b  {d*f16k32:b32!&=}, {a*4:b32!&}, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f32k32.f32.f8a.f8b  {d*f32k32:f32=}, a:u64, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.f32k32.f32.f8a.f8b  {d*f32k32:f32=}, {a*4:b32!&}, b:u64, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.s8.s8  {d*s32k32:s32=}, a:u64, b:u64, scale_d:pred<0..1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.u8.u8  {d*s32k32:s32=}, a:u64, b:u64, scale_d:pred<0..1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.s8.u8  {d*s32k32:s32=}, a:u64, b:u64, scale_d:pred<0..1>! ; since mixed ; reads ; converged
wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.u8.s8  {d*s32k32:s32=}, a:u64, b:u64, scale_d:pred<0..1>! ; since mixed ; reads ; converged
wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.s8.s8  {d*s32k32:s32=}, {a*4:b32=}, b:u64, scale_d:pred<0..1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.u8.u8  {d*s32k32:s32=}, {a*4:b32=}, b:u64, scale_d:pred<0..1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.s8.u8  {d*s32k32:s32=}, {a*4:b32=}, b:u64, scale_d:pred<0..1>! ; since mixed ; reads ; converged
wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.u8.s8  {d*s32k32:s32=}, {a*4:b32=}, b:u64, scale_d:pred<0..1>! ; since mixed ; reads ; converged
wgmma.mma_async.sync.aligned.s32k256.s32.b1.b1.and.popc  {d*s32k256:s32=}, a:u64, b:u64, scale_d:pred<0..1>! ; since hopper ; reads ; converged
wgmma.mma_async.sync.aligned.s32k256.s32.b1.b1.and.popc  {d*s32k256:s32=}, {a*4:b32=}, b:u64, scale_d:pred<0..1>! ; since hopper ; reads ; converged

section 9.7.15.6.4 ; matrix ; protocol
lets d a mixed
lets aligned absent
lets meta bits
lets meta vector
lets meta float
wgmma.mma_async.sp.sync.aligned.f16k32.f16.f16.f16  {d*f16k32:b32!&=}, a:u64, b:u64, meta:b32^, #sel<0|1>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_a<0|1>!, #trans_b<0|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f16k32.f16.f16.f16  {d*f16k32:b32!&=}, {a*4:b32!&}, b:u64, meta:b32^, #sel<0|1>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_b<0|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f32k32.f32.f16.f16  {d*f32k32:f32=}, a:u64, b:u64, meta:b32^, #sel<0|1>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_a<0|1>!, #trans_b<0|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f32k32.f32.f16.f16  {d*f32k32:f32=}, {a*4:b32!&}, b:u64, meta:b32^, #sel<0|1>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_b<0|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f32k32.f32.bf16.bf16  {d*f32k32:f32=}, a:u64, b:u64, meta:b32^, #sel<0|1>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_a<0|1>!, #trans_b<0|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f32k32.f32.bf16.bf16  {d*f32k32:f32=}, {a*4:b32!&}, b:u64, meta:b32^, #sel<0|1>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>!, #trans_b<0|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f32k16.f32.tf32.tf32  {d*f32k16:f32=}, a:u64, b:u64, meta:b32^, #sel<0|1>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f32k16.f32.tf32.tf32  {d*f32k16:f32=}, {a*4:b32!&}, b:u64, meta:b32^, #sel<0|1>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f16k64.f16.f8a.f8b  {d*f16k64:b32!&=}, a:u64, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f16k64.f16.f8a.f8b  {d*f16k64:b32!&=}, {a*4:b32!&}, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f32k64.f32.f8a.f8b  {d*f32k64:f32=}, a:u64, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.f32k64.f32.f8a.f8b  {d*f32k64:f32=}, {a*4:b32!&}, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>!, #scale_a<-1|1>!, #scale_b<-1|1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.s8.s8  {d*s32k64:s32=}, a:u64, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.u8.u8  {d*s32k64:s32=}, a:u64, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.s8.u8  {d*s32k64:s32=}, a:u64, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>! ; since mixed ; reads ; converged
wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.u8.s8  {d*s32k64:s32=}, a:u64, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>! ; since mixed ; reads ; converged
wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.s8.s8  {d*s32k64:s32=}, {a*4:b32=}, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.u8.u8  {d*s32k64:s32=}, {a*4:b32=}, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>! ; since sparse ; reads ; converged
wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.s8.u8  {d*s32k64:s32=}, {a*4:b32=}, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>! ; since mixed ; reads ; converged
wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.u8.s8  {d*s32k64:s32=}, {a*4:b32=}, b:u64, meta:b32^, #sel<0>!, scale_d:pred<0..1>! ; since mixed ; reads ; converged
"""
)
