// Warps, groups, asynchronous copies, tensor cores, atomics and memory order.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(int *x, int n) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int v = x[block.thread_rank()];
  v = cg::reduce(tile, v, cg::plus<int>()) + cg::exclusive_scan(tile, v);
  if (v & 1) {
    auto together = cg::coalesced_threads();
    v += together.shfl(v, 0) + together.size();
  }
  block.sync();
  x[block.thread_rank()] = v;
}
extern "C" __global__ void whole_grid(int *x) {
  cg::this_grid().sync();
  x[threadIdx.x] += 1;
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int *x) {
  __shared__ int s[128];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = x[threadIdx.x];
  cluster.sync();
  int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  x[threadIdx.x] = other[threadIdx.x];
  cluster.sync();
}
#endif
extern "C" __global__ void votes(unsigned *x) {
  unsigned v = x[threadIdx.x], all = __activemask();
  x[threadIdx.x] = __ballot_sync(all, v & 1) + __any_sync(all, v > 3) + __match_any_sync(all, v) + __shfl_xor_sync(all, v, 5) + __reduce_max_sync(all, v);
  __nanosleep(10);
}
extern "C" __global__ void staged(const float4 *x, float4 *out, int n) {
  __shared__ float4 s[2][128];
  __pipeline_memcpy_async(&s[0][threadIdx.x], &x[threadIdx.x], 16);
  __pipeline_commit();
  for (int k = 1; k < n; k++) {
    __pipeline_memcpy_async(&s[k & 1][threadIdx.x], &x[k * 128 + threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[k * 128 + threadIdx.x] = s[k & 1 ^ 1][127 - threadIdx.x];
    __syncthreads();
  }
}
extern "C" __global__ void matrices(const half *a, const half *b, float *c, int k) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.f);
  for (int i = 0; i < k; i += 16) {
    load_matrix_sync(fa, a + i, k);
    load_matrix_sync(fb, b + i, k);
    mma_sync(fc, fa, fb, fc);
  }
  store_matrix_sync(c, fc, 16, mem_row_major);
}
extern "C" __global__ void atomics(int *i, unsigned long long *l, float *f, double *d, unsigned short *s, __half2 *h) {
  atomicAdd(i, 1); atomicSub(i + 1, 2); atomicExch(i + 2, 3); atomicMin(i + 3, 4); atomicMax(i + 4, 5); atomicAnd(i + 5, 6);
  atomicOr(i + 6, 7); atomicXor(i + 7, 8); atomicCAS(i + 8, 9, 10); atomicAdd_block(i + 9, 11); atomicAdd_system(i + 10, 12);
  atomicAdd(l, 1ull); atomicMax(l + 1, 2ull); atomicCAS(l + 2, 3ull, 4ull); atomicAdd(f, 1.f); atomicAdd(d, 1.0); atomicCAS(s, 1, 2);
  atomicAdd(h, __floats2half2_rn(1.f, 2.f));
  i[11] = atomicInc((unsigned *)i + 12, 7) + atomicDec((unsigned *)i + 13, 9);
  volatile int *v = i;
  v[14] = v[15];
  __threadfence_block(); __threadfence_system();
  i[16] = __ldg(i + 17) + __ldcg(i + 18) + __ldcs(i + 19);
  __stwt(i + 20, 1);
  if (__isGlobal(i) && !__isShared(i)) i[21] = clock() + (int)clock64();
}
