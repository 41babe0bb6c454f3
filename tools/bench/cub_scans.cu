// CUB's scans, reductions, selections and histograms as C functions: f(scratch, bytes, ..., n, stream). A first call without
// scratch says how many bytes it needs.
// tools/bench/_cub.py compiles this file with nvcc and calls it on arrays of ours, so that both sides read the same memory in the
// same rounds.
#include <cub/cub.cuh>

#define CALL(name, ...) extern "C" cudaError_t name(void *scratch, size_t *bytes, __VA_ARGS__, size_t n, cudaStream_t stream)

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;

CALL(scan_f32, const float *x, float *y) { return cub::DeviceScan::InclusiveSum(scratch, *bytes, x, y, n, stream); }
CALL(scan_u64, const u64 *x, u64 *y) { return cub::DeviceScan::InclusiveSum(scratch, *bytes, x, y, n, stream); }
CALL(sum_f32, const float *x, float *y) { return cub::DeviceReduce::Sum(scratch, *bytes, x, y, n, stream); }

CALL(transform_f32, const float *x, float *y) {
  if (!scratch) {
    *bytes = 1;
    return cudaSuccess;
  }
  return cub::DeviceTransform::Transform(x, y, n, [] __device__(float a) { return a < 0.0f ? 0.0f : a; }, stream);
}

CALL(select_less_u32, const u32 *x, u32 *y, u32 *total, u32 limit) {
  auto less = [limit] __device__(u32 a) { return a < limit; };
  return cub::DeviceSelect::If(scratch, *bytes, x, y, total, n, less, stream);
}

template <class T> static cudaError_t count(void *scratch, size_t *bytes, const T *x, u32 *counts, u32 bins, size_t n, cudaStream_t stream) {
  return cub::DeviceHistogram::HistogramEven(scratch, *bytes, x, counts, int(bins) + 1, u32(0), bins, n, stream);
}
CALL(histogram_u8, const u8 *x, u32 *counts, u32 bins) { return count(scratch, bytes, x, counts, bins, n, stream); }
CALL(histogram_u16, const u16 *x, u32 *counts, u32 bins) { return count(scratch, bytes, x, counts, bins, n, stream); }
CALL(histogram_u32, const u32 *x, u32 *counts, u32 bins) { return count(scratch, bytes, x, counts, bins, n, stream); }

CALL(histogram_ranges_f32, const float *x, u32 *counts, const float *edges, u32 bins) {
  return cub::DeviceHistogram::HistogramRange(scratch, *bytes, x, counts, int(bins) + 1, edges, n, stream);
}
