// The mathematical library and the narrow formats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#define EACH(F) extern "C" __global__ void F##_single(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] = F##f(x[i]); } \
                extern "C" __global__ void F##_double(double *x, int n) { int i = threadIdx.x; if (i < n) x[i] = F(x[i]); }
EACH(sin) EACH(cos) EACH(tan) EACH(exp) EACH(log) EACH(erf) EACH(tgamma) EACH(cbrt) EACH(asinh) EACH(rsqrt) EACH(expm1) EACH(j0) EACH(sqrt)

extern "C" __global__ void two(double *x, float *y) {
  int i = threadIdx.x;
  x[i] = pow(x[i], x[i + 1]) + fmod(x[i], 3.0) + remainder(x[i], 7.0) + atan2(x[i], x[i + 2]) + fma(x[i], x[i], 1.0);
  y[i] = powf(y[i], 2.5f) / __fdividef(y[i], 3.f) + __fmaf_rz(y[i], y[i], 1.f) + fmodf(y[i], 1.5f) + ldexpf(y[i], 3) + rintf(y[i]);
}
extern "C" __global__ void narrow(__half2 *h, __nv_bfloat162 *b, __nv_fp8_e4m3 *f, float *out) {
  int i = threadIdx.x;
  h[i] = __hfma2(h[i], h[i + 1], __hmul2(h[i], h[i]));
  b[i] = __hfma2_relu(b[i], b[i + 1], b[i + 2]);
  out[i] = float(f[i]) + __half2float(hexp(__low2half(h[i]))) + __bfloat162float(__hmax(b[i].x, b[i].y));
  f[i] = __nv_fp8_e4m3(out[i]);
}
extern "C" __global__ void integers(long long *x, unsigned *y) {
  int i = threadIdx.x;
  x[i] = x[i] / x[i + 1] + x[i] % 17 + __mul64hi(x[i], 77) + __ffsll(x[i]) + llabs(x[i]);
  y[i] = __umulhi(y[i], 12345u) + __vadd4(y[i], y[i + 1]) + __dp4a(y[i], y[i + 1], 7u) + __funnelshift_l(y[i], y[i + 1], y[i + 2]) + __vabsdiffu2(y[i], 3) + y[i] / 7 + __usad(y[i], 1, 2);
}
