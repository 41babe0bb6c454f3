// What C++ makes of kernels: calls, recursion, function pointers, virtual functions, 128-bit integers, printf, assert, local arrays.
#include <cassert>
#include <cstdint>
#include <cstdio>

struct Shape {
  float a;
  __device__ Shape(float a) : a(a) {}
  __device__ virtual float area() const { return a; }
};
struct Square : Shape {
  using Shape::Shape;
  __device__ float area() const override { return a * a; }
};

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ int (*const table[])(int, int) = {plus, times};
__constant__ float weights[64];
__device__ unsigned counter;
extern __shared__ float dynamic[];

extern "C" __global__ void virtuals(float *out, int n) {
  alignas(Square) char room[sizeof(Square)];
  Shape *s = n & 1 ? new (room) Square(out[0]) : new (room) Shape(out[1]);
  out[threadIdx.x] = s->area();
}
extern "C" __global__ void recursion(unsigned *out, unsigned n) { out[threadIdx.x] = ackermann(2, n); }
extern "C" __global__ void pointers(int *out, int which) { out[threadIdx.x] = table[which](out[threadIdx.x], 3); }
extern "C" __global__ void wide(unsigned __int128 *x, __int128 *y) {
  int i = threadIdx.x;
  x[i] = x[i] / x[i + 1] + x[i] % 10;
  y[i] = y[i] * y[i + 1] - (y[i] >> 3);
}
extern "C" __global__ void says(const float *x, int n) {
  assert(n > 0);
  if (threadIdx.x == 0) printf("%d %f %s\n", n, x[0], "done");
}
extern "C" __global__ void local_array(int *out, int at) {
  int many[64];
  for (int i = 0; i < 64; i++) many[i] = out[i] * i;
  out[threadIdx.x] = many[at & 63] + many[(at + 1) & 63];
}
extern "C" __global__ void dispatch(int *out, int n) {
  switch (n) {
    case 0: out[0] = 3; break;
    case 1: out[1] = out[2] * 5; break;
    case 2: out[2] /= out[3]; break;
    case 3: out[4] = __popc(out[4]); break;
    case 4: out[5] = __brev(out[5]); break;
    case 5: out[6] = __clz(out[6]); break;
    case 7: __trap(); break;
    default: out[7] = __byte_perm(out[0], out[1], n);
  }
}
extern "C" __global__ void __launch_bounds__(256, 2) reduces(const float *x, float *out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * weights[i & 63];
  dynamic[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half >= 32; half /= 2) {
    if (threadIdx.x < half) dynamic[threadIdx.x] += dynamic[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    float v = dynamic[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) {
      atomicAdd(out, v);
      __threadfence();
      atomicInc(&counter, gridDim.x);
    }
  }
}
struct Big {
  double d[9];
  short s;
  char c[3];
};
extern "C" __global__ void structure(const __grid_constant__ Big b, double *out) { out[threadIdx.x] = b.d[threadIdx.x % 9] + b.s + b.c[1]; }
