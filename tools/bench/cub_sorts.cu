// CUB's sorts as C functions: f(scratch, bytes, ..., n, stream). A first call without scratch says how many bytes it needs.
// tools/bench/_cub.py compiles this file with nvcc and calls it on arrays of ours, so that both sides read the same memory in the
// same rounds.
#include <cub/cub.cuh>

#define CALL(name, ...) extern "C" cudaError_t name(void *scratch, size_t *bytes, __VA_ARGS__, size_t n, cudaStream_t stream)

using u32 = unsigned;
using u64 = unsigned long long;

CALL(sort_u32, const u32 *keys, u32 *out) { return cub::DeviceRadixSort::SortKeys(scratch, *bytes, keys, out, n, 0, 32, stream); }
CALL(sort_u64, const u64 *keys, u64 *out) { return cub::DeviceRadixSort::SortKeys(scratch, *bytes, keys, out, n, 0, 64, stream); }
CALL(sort_pairs_u32, const u32 *keys, u32 *out, const u32 *payload, u32 *moved) {
  return cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys, out, payload, moved, n, 0, 32, stream);
}
CALL(sort_pairs_u64, const u64 *keys, u64 *out, const u32 *payload, u32 *moved) {
  return cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys, out, payload, moved, n, 0, 64, stream);
}
