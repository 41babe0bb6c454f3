"""What CUDA C++ calls it: its built-in variables and functions with the names of PTX that they stand for.

Names and meanings are those of the CUDA programming guide and of the CUDA math API's reference. A function that is compiled to
several instructions has them all, the one that does the work first.
"""

from __future__ import annotations

import re

from driver_ctypes.typing import NamedTuple
from ptxgen.isa.forms import opcodes_with

__all__ = ["CUDA_NAMES", "CudaName", "cuda_name"]


class CudaName(NamedTuple):
    """A name of CUDA C++. `ptx`: what it stands for, the first is what does the work; `note` is what else to know."""

    name: str
    ptx: tuple[str, ...]
    note: str = ""


# names | what PTX has | a note
_TABLE = """
threadIdx | %tid
blockIdx | %ctaid
blockDim | %ntid
gridDim | %nctaid
warpSize | %laneid | the number itself is the constant WARP_SZ, 32
clock | %clock
clock64 | %clock64
__activemask | activemask.b32
__syncthreads __barrier_sync | barrier.sync bar.sync | all threads of the CTA, barrier 0
__barrier_sync_count | barrier.sync bar.sync | so many threads of the CTA
__syncthreads_count | barrier.red.popc.u32 bar.red.popc.u32
__syncthreads_and | barrier.red.and.pred bar.red.and.pred
__syncthreads_or | barrier.red.or.pred bar.red.or.pred
__syncwarp | bar.warp.sync
__threadfence | membar.gl fence.sc.gpu fence.acq_rel.gpu | membar is fence.sc on sm_70 and newer; fence.acq_rel asks for less
__threadfence_block | membar.cta fence.sc.cta fence.acq_rel.cta | as __threadfence, within the CTA
__threadfence_system | membar.sys fence.sc.sys fence.acq_rel.sys | as __threadfence, with the host and other devices
__shfl_sync __shfl | shfl.sync.idx.b32
__shfl_up_sync __shfl_up | shfl.sync.up.b32
__shfl_down_sync __shfl_down | shfl.sync.down.b32
__shfl_xor_sync __shfl_xor | shfl.sync.bfly.b32
__ballot_sync __ballot | vote.sync.ballot.b32
__any_sync __any | vote.sync.any.pred
__all_sync __all | vote.sync.all.pred
__match_any_sync | match.any.sync.b32
__match_all_sync | match.all.sync.b32
__reduce_add_sync | redux.sync.add.u32
__reduce_min_sync | redux.sync.min.u32
__reduce_max_sync | redux.sync.max.u32
__reduce_and_sync | redux.sync.and.b32
__reduce_or_sync | redux.sync.or.b32
__reduce_xor_sync | redux.sync.xor.b32
atomicAdd | atom.add red.add | red is the one without a result
atomicSub | atom.add neg | PTX adds the negated value
atomicExch | atom.exch
atomicMin | atom.min red.min
atomicMax | atom.max red.max
atomicInc | atom.inc red.inc
atomicDec | atom.dec red.dec
atomicCAS | atom.cas
atomicAnd | atom.and red.and
atomicOr | atom.or red.or
atomicXor | atom.xor red.xor
__ldg | ld.global.nc
__ldca | ld.ca
__ldcg | ld.cg
__ldcs | ld.cs
__ldlu | ld.lu
__ldcv | ld.cv
__stwb | st.wb
__stcg | st.cg
__stcs | st.cs
__stwt | st.wt
__fadd_rn | add.rn.f32
__fsub_rn | sub.rn.f32
__fmul_rn | mul.rn.f32
__fmaf_rn fmaf | fma.rn.f32
__fmaf_rz | fma.rz.f32
__fmaf_ru | fma.rp.f32
__fmaf_rd | fma.rm.f32
__dadd_rn | add.rn.f64
__dmul_rn | mul.rn.f64
__fma_rn fma | fma.rn.f64 | of doubles; __fmaf_rn is that of floats
__fdiv_rn | div.rn.f32
__fdividef | div.approx.f32
__frcp_rn | rcp.rn.f32
__fsqrt_rn sqrtf | sqrt.rn.f32
__frsqrt_rn rsqrtf | rsqrt.approx.f32
__sinf | sin.approx.f32
__cosf | cos.approx.f32
__expf __exp10f | ex2.approx.f32 mul.f32 | the power of 2, of a product
exp2f | ex2.approx.f32
__logf __log10f | lg2.approx.f32 mul.f32 | the logarithm to the base 2, times a constant
__log2f log2f | lg2.approx.f32
__tanhf | tanh.approx.f32
__saturatef | cvt.sat.f32.f32
fabsf | abs.f32
fminf | min.f32
fmaxf | max.f32
__hadd | add.f16
__hmul | mul.f16
__hfma | fma.rn.f16
__hadd2 | add.f16x2
__hmul2 | mul.f16x2
__hfma2 | fma.rn.f16x2
__float2half __float2half_rn | cvt.rn.f16.f32
__half2float | cvt.f32.f16
__float2bfloat16 __float2bfloat16_rn | cvt.rn.bf16.f32
__float2int_rn | cvt.rni.s32.f32
__float2int_rz | cvt.rzi.s32.f32
__int2float_rn | cvt.rn.f32.s32
__float_as_int __float_as_uint __int_as_float __uint_as_float | mov.b32
__popc | popc.b32
__popcll | popc.b64
__clz | clz.b32
__clzll | clz.b64
__brev | brev.b32
__brevll | brev.b64
__ffs | brev.b32 clz.b32 bfind.u32 | the lowest bit that is set: reversed, and its leading zeros counted
__fns | fns.b32
__mul24 | mul24.lo.s32
__umul24 | mul24.lo.u32
__mulhi | mul.hi.s32
__umulhi | mul.hi.u32
__mul64hi | mul.hi.s64
__umul64hi | mul.hi.u64
__sad | sad.s32
__usad | sad.u32
__byte_perm | prmt.b32
__funnelshift_l | shf.l.wrap.b32
__funnelshift_lc | shf.l.clamp.b32
__funnelshift_r | shf.r.wrap.b32
__funnelshift_rc | shf.r.clamp.b32
__dp4a | dp4a.s32.s32
__dp2a_lo | dp2a.lo.s32.s32
__dp2a_hi | dp2a.hi.s32.s32
__nanosleep | nanosleep.u32
__trap | trap
__brkpt | brkpt
__prof_trigger | pmevent
__cvta_generic_to_shared | cvta.to.shared.u64
__cvta_generic_to_global | cvta.to.global.u64
__isShared | isspacep.shared
__isGlobal | isspacep.global
__isLocal | isspacep.local
__isConstant | isspacep.const
alloca | alloca.u64
__pipeline_memcpy_async memcpy_async cooperative_groups::memcpy_async | cp.async cp.async.bulk
__pipeline_commit pipeline_commit producer_commit | cp.async.commit_group
__pipeline_wait_prior pipeline_consumer_wait_prior consumer_wait | cp.async.wait_group cp.async.wait_all
__pipeline_arrive_on | cp.async.mbarrier.arrive
cp_async_bulk memcpy_async_tx device::memcpy_async_tx | cp.async.bulk
barrier_arrive_tx device::barrier_arrive_tx | mbarrier.arrive.expect_tx
barrier | mbarrier.init mbarrier.arrive mbarrier.try_wait
__mbarrier_init | mbarrier.init
__mbarrier_arrive | mbarrier.arrive
__mbarrier_test_wait | mbarrier.test_wait
__mbarrier_try_wait | mbarrier.try_wait
wmma::load_matrix_sync load_matrix_sync | wmma.load
wmma::store_matrix_sync store_matrix_sync | wmma.store
wmma::mma_sync mma_sync | wmma.mma mma.sync
wmma::bmma_sync bmma_sync | wmma.mma mma.sync
wmma::fragment | wmma.load wmma.mma wmma.store | a fragment is so many registers of each lane
wmma::fill_fragment fill_fragment | mov | a fragment's registers are set one by one
cluster.sync cluster_group::sync __cluster_barrier_wait | barrier.cluster.wait barrier.cluster.arrive
__cluster_barrier_arrive | barrier.cluster.arrive
__clusterIdx | %clusterid
__clusterDim | %cluster_nctaid
__clusterRelativeBlockIdx | %cluster_ctaid
__clusterRelativeBlockRank | %cluster_ctarank
cluster.map_shared_rank __cluster_map_shared_rank | mapa
cudaGridDependencySynchronize | griddepcontrol.wait
cudaTriggerProgrammaticLaunchCompletion | griddepcontrol.launch_dependents
__grid_constant__ | .param
__launch_bounds__ | .maxntid .minnctapersm
__maxnreg__ | .maxnreg
__cluster_dims__ | .reqnctapercluster
__shared__ | .shared
__constant__ | .const
__global__ | .entry
__device__ | .func
"""

_SCOPES = {"_block": "cta", "_system": "sys"}


def _build() -> dict[str, CudaName]:
    found: dict[str, CudaName] = {}
    for line in filter(None, _TABLE.split("\n")):
        names, ptx, *note = (part.strip() for part in line.split("|"))
        for name in names.split():
            found[name] = CudaName(name, tuple(ptx.split()), *note)
            if name.startswith("atomic"):
                for suffix, scope in _SCOPES.items():
                    scoped = [
                        p.replace(".", f".{scope}.", 1) if p.partition(".")[0] in opcodes_with("atomic") else p
                        for p in ptx.split()
                    ]
                    found[name + suffix] = CudaName(name + suffix, tuple(scoped), *note)
    return found


CUDA_NAMES: dict[str, CudaName] = _build()
"""Every name of CUDA C++ that has a row."""

_NAMESPACES = re.compile(r"^(?:::)?(?:(?:nvcuda|cuda|cooperative_groups|cg|ptx)::)+")


def cuda_name(text: str) -> CudaName | None:
    """What a name stands for, with or without its namespace, its template's arguments, its call and its component; else None.

    `threadIdx.x`, `__syncthreads()`, `nvcuda::wmma::mma_sync`, `cuda::memcpy_async<...>(...)`.
    """
    name = _NAMESPACES.sub("", re.sub(r"[<(].*", "", text).strip())
    found = CUDA_NAMES.get(name)
    if found is not None:
        return found
    stem, _, component = name.rpartition(".")
    row = CUDA_NAMES.get(stem)
    if row is not None and component in ("x", "y", "z") and row.ptx[0].startswith("%"):
        return CudaName(name, tuple(f"{each}.{component}" for each in row.ptx), row.note)
    return None
