// Each iteration all warps copy a tile to shared memory and then read it; nothing keeps the next copy from overwriting what other
// warps still read (reported as tile-ai/tilelang issue 2613).
#include <cuda_runtime.h>

extern "C" __global__ void __launch_bounds__(256) row_sums(const float *in, float *out, int tiles) {
    __shared__ float tile[256];
    float sum = 0.0f;
    for (int i = 0; i < tiles; ++i) {
        tile[threadIdx.x] = in[i * 256 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += tile[(threadIdx.x * 16 + j) & 255];
#ifdef MENDED
        __syncthreads();
#endif
    }
    out[threadIdx.x] = sum;
}
