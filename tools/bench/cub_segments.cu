// CUB's merges and algorithms of segments as C functions: f(scratch, bytes, ..., n, stream). A first call without scratch says how
// many bytes it needs.
// tools/bench/_cub.py compiles this file with nvcc and calls it on arrays of ours, so that both sides read the same memory in the
// same rounds.
#include <cub/cub.cuh>

#define CALL(name, ...) extern "C" cudaError_t name(void *scratch, size_t *bytes, __VA_ARGS__, size_t n, cudaStream_t stream)

using u32 = unsigned;

// Half of the keys are of the first array, half of the second.
CALL(merge_u32, const u32 *a, const u32 *b, u32 *out) {
  return cub::DeviceMerge::MergeKeys(scratch, *bytes, a, int(n / 2), b, int(n - n / 2), out, cuda::std::less<>{}, stream);
}
CALL(merge_pairs_u32, const u32 *a, const u32 *p, const u32 *b, const u32 *q, u32 *out, u32 *moved) {
  return cub::DeviceMerge::MergePairs(scratch, *bytes, a, p, int(n / 2), b, q, int(n - n / 2), out, moved, cuda::std::less<>{}, stream);
}
CALL(scan_by_key_u32, const u32 *keys, const u32 *x, u32 *y) {
  return cub::DeviceScan::InclusiveSumByKey(scratch, *bytes, keys, x, y, n, cuda::std::equal_to<>{}, stream);
}
CALL(segment_sums_u32, const u32 *x, u32 *sums, u32 segments, const u32 *offsets) {
  return cub::DeviceSegmentedReduce::Sum(scratch, *bytes, x, sums, int(segments), offsets, offsets + 1, stream);
}
CALL(segmented_sort_u32, const u32 *keys, u32 *out, u32 segments, const u32 *offsets) {
  return cub::DeviceSegmentedSort::SortKeys(scratch, *bytes, keys, out, n, segments, offsets, offsets + 1, stream);
}
CALL(segmented_radix_sort_u32, const u32 *keys, u32 *out, u32 segments, const u32 *offsets) {
  return cub::DeviceSegmentedRadixSort::SortKeys(scratch, *bytes, keys, out, n, segments, offsets, offsets + 1, 0, 32, stream);
}
