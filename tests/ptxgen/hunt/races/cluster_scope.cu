// A producer CTA stores into a consumer CTA's shared memory and arrives on the consumer's mbarrier. Without a scope an arrival and a
// wait are of the scope .cta, which orders nothing between the two CTAs (reported as triton-lang/triton pull request 10922).
#include <cuda_runtime.h>

#ifdef MENDED
#define RELEASE ".release.cluster"
#define ACQUIRE ".acquire.cluster"
#else
#define RELEASE ""
#define ACQUIRE ""
#endif

__device__ unsigned address_of(const void *shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__device__ unsigned in_cta(unsigned address, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ void wait(unsigned barrier, unsigned parity) {
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity" ACQUIRE ".shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}"
                 :: "r"(barrier), "r"(parity) : "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) pass_tiles(const float *in, float *out, int tiles) {
    __shared__ alignas(16) float tile[128];
    __shared__ alignas(8) unsigned long long full, empty;
    unsigned rank, thread = threadIdx.x;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (thread == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" :: "r"(address_of(&full)) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" :: "r"(address_of(&empty)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_barrier();
    unsigned other_full = in_cta(address_of(&full), 1), other_empty = in_cta(address_of(&empty), 0);
    unsigned other_tile = in_cta(address_of(&tile[thread]), 1);
    for (int i = 0; i < tiles; ++i) {
        if (rank == 0) {
            if (i > 0) wait(address_of(&empty), (i - 1) & 1);
            asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(other_tile), "f"(in[i * 128 + thread]) : "memory");
            asm volatile("mbarrier.arrive" RELEASE ".shared::cluster.b64 _, [%0];" :: "r"(other_full) : "memory");
        } else {
            wait(address_of(&full), i & 1);
            out[i * 128 + thread] = tile[127 - thread];
            asm volatile("mbarrier.arrive" RELEASE ".shared::cluster.b64 _, [%0];" :: "r"(other_empty) : "memory");
        }
    }
    cluster_barrier();
}
