// CUB's device algorithms as C functions: f(scratch, bytes, ..., n, stream). A first call without scratch says how many bytes it needs.
// tools/bench/_cub.py compiles this file with nvcc and calls it on arrays of ours, so that both sides read the same memory in the
// same rounds.
#include <cub/cub.cuh>

#include <algorithm>

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

CALL(sort_u32, const u32 *keys, u32 *out) { return cub::DeviceRadixSort::SortKeys(scratch, *bytes, keys, out, n, 0, 32, stream); }
CALL(sort_u64, const u64 *keys, u64 *out) { return cub::DeviceRadixSort::SortKeys(scratch, *bytes, keys, out, n, 0, 64, stream); }
CALL(sort_pairs_u32, const u32 *keys, u32 *out, const u32 *payload, u32 *moved) {
  return cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys, out, payload, moved, n, 0, 32, stream);
}
CALL(sort_pairs_u64, const u64 *keys, u64 *out, const u32 *payload, u32 *moved) {
  return cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys, out, payload, moved, n, 0, 64, stream);
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

// Two algorithms one after the other share the larger scratch.
template <class First, class Second> static cudaError_t both(void *scratch, size_t *bytes, First first, Second second) {
  size_t one = 0, other = 0;
  cudaError_t error = first(nullptr, one);
  if (error == cudaSuccess) error = second(nullptr, other);
  if (error != cudaSuccess || !scratch) {
    *bytes = std::max(one, other);
    return error;
  }
  error = first(scratch, one);
  return error == cudaSuccess ? second(scratch, other) : error;
}

CALL(distinct_u32, const u32 *keys, u32 *sorted, u32 *out, u32 *total) {
  return both(
      scratch, bytes, [&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, keys, sorted, n, 0, 32, stream); },
      [&](void *s, size_t &b) { return cub::DeviceSelect::Unique(s, b, sorted, out, total, n, stream); });
}

CALL(group_sum_u32, const u32 *keys, u32 *sorted, const u64 *values, u64 *moved, u32 *out, u64 *sums, u32 *total) {
  return both(
      scratch, bytes,
      [&](void *s, size_t &b) { return cub::DeviceRadixSort::SortPairs(s, b, keys, sorted, values, moved, n, 0, 32, stream); },
      [&](void *s, size_t &b) {
        return cub::DeviceReduce::ReduceByKey(s, b, sorted, out, moved, sums, total, cuda::std::plus<>{}, n, stream);
      });
}
