// The CTAs of a cluster count into the bins of the first one. Atomics of the scope of a CTA are atomic among its own threads alone.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#ifdef MENDED
#define ADD atomicAdd
#else
#define ADD atomicAdd_block
#endif

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) count(const unsigned *keys, unsigned *out, unsigned n) {
    __shared__ unsigned bins[32];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 32) bins[threadIdx.x] = 0;
    cluster.sync();
    unsigned *first = cluster.map_shared_rank(bins, 0);
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ADD(&first[keys[i] & 31], 1u);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
