// A C++ program: a kernel in CUDA C++ compiled by NVRTC to a cubin, with shared memory and a barrier.

#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <vector>

static const char *const source = R"(
extern "C" __global__ void scale(float *x, float a, int n) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.f;
  __syncthreads();
  if (i < n) x[i] = a * tile[threadIdx.x];
})";

#define CHECK(call)                                                             \
  do {                                                                          \
    if (int code = static_cast<int>(call)) return std::printf("%s: %d\n", #call, code), 1; \
  } while (0)

int main() {
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  nvrtcProgram program;
  const char *options[] = {"--gpu-architecture=sm_90", "-lineinfo"};
  CHECK(nvrtcCreateProgram(&program, source, "scale.cu", 0, nullptr, nullptr));
  CHECK(nvrtcCompileProgram(program, 2, options));
  size_t size;
  CHECK(nvrtcGetCUBINSize(program, &size));
  std::vector<char> image(size);
  CHECK(nvrtcGetCUBIN(program, image.data()));
  CHECK(nvrtcDestroyProgram(&program));

  CUmodule module;
  CUfunction function;
  CHECK(cuModuleLoadData(&module, image.data()));
  CHECK(cuModuleGetFunction(&function, module, "scale"));

  int n = 1000;
  float a = 3;
  std::vector<float> x(n);
  for (int i = 0; i < n; i++) x[i] = i;
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, n * sizeof(float)));
  CHECK(cuMemcpyHtoD(memory, x.data(), n * sizeof(float)));
  void *arguments[] = {&memory, &a, &n};
  CHECK(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(x.data(), memory, n * sizeof(float)));
  for (int i = 0; i < n; i++)
    if (x[i] != a * i) return std::printf("wrong at %d\n", i), 1;
  std::printf("right\n");
}
