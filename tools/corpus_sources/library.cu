// Kernels of CUB: sort, scan, select, reduce by key, histogram.
#include <cub/cub.cuh>

template <typename T>
void all(T *keys, T *out, int *values, int n, void *room, size_t bytes) {
  cub::DeviceRadixSort::SortPairs(room, bytes, keys, out, values, values, n);
  cub::DeviceScan::ExclusiveSum(room, bytes, keys, out, n);
  cub::DeviceReduce::Max(room, bytes, keys, out, n);
  cub::DeviceSelect::Unique(room, bytes, keys, out, values, n);
  cub::DeviceReduce::ReduceByKey(room, bytes, keys, out, values, values, values, ::cuda::std::plus<>{}, n);
  cub::DeviceMergeSort::SortKeys(room, bytes, keys, n, [] __device__(T a, T b) { return a < b; });
}
void instances() {
  all<unsigned>(nullptr, nullptr, nullptr, 1, nullptr, 0);
  all<double>(nullptr, nullptr, nullptr, 1, nullptr, 0);
}
