// CUB's algorithms for groups of equal keys as C functions: f(scratch, bytes, ..., n, stream). A first call without scratch says
// how many bytes it needs.
// tools/bench/_cub.py compiles this file with nvcc and calls it on arrays of ours, so that both sides read the same memory in the
// same rounds.
#include <cub/cub.cuh>

#include <algorithm>

#define CALL(name, ...) extern "C" cudaError_t name(void *scratch, size_t *bytes, __VA_ARGS__, size_t n, cudaStream_t stream)

using u32 = unsigned;
using u64 = unsigned long long;

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
