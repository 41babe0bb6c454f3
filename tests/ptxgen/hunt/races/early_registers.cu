// What tcgen05.ld loads is there when tcgen05.wait::ld has waited for it, not before.
#include <cuda_runtime.h>

extern "C" __global__ void __launch_bounds__(128) through_tensor_memory(const unsigned *in, unsigned *out) {
    __shared__ unsigned place;
    unsigned where = static_cast<unsigned>(__cvta_generic_to_shared(&place)), warp = threadIdx.x / 32;
    if (warp == 0)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" :: "r"(where) : "memory");
    __syncthreads();
    unsigned tensor = place + (warp << 21);
    unsigned given[4], found[4];
    for (int i = 0; i < 4; ++i) given[i] = in[threadIdx.x * 4 + i];
    asm volatile("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %2, %3, %4};"
                 :: "r"(tensor), "r"(given[0]), "r"(given[1]), "r"(given[2]), "r"(given[3]) : "memory");
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(found[0]), "=r"(found[1]), "=r"(found[2]), "=r"(found[3]) : "r"(tensor) : "memory");
#ifdef MENDED
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#endif
    for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = found[i] + 1;
#ifndef MENDED
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#endif
    __syncthreads();
    if (warp == 0) {
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" :: "r"(tensor));
    }
}
