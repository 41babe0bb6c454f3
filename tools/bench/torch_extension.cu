// What an expert writes by hand for PyTorch: y = a x + b elementwise, as an operator in C++ (tools/bench/torch_calls.py builds it).
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

__global__ void scale_add(unsigned n, float a, const float *x, const float *b, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b[i];
}

at::Tensor on_gpu(const at::Tensor &x, const at::Tensor &b, double a) {
    TORCH_CHECK(x.is_contiguous() && b.is_contiguous() && x.sizes() == b.sizes() && x.scalar_type() == at::kFloat && b.scalar_type() == at::kFloat);
    at::Tensor y = at::empty_like(x);
    unsigned n = x.numel();
    scale_add<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        n, float(a), x.const_data_ptr<float>(), b.const_data_ptr<float>(), y.mutable_data_ptr<float>());
    return y;
}

TORCH_LIBRARY(bench_extension, m) { m.def("scale_add(Tensor x, Tensor b, float a) -> Tensor"); }
TORCH_LIBRARY_IMPL(bench_extension, CUDA, m) { m.impl("scale_add", &on_gpu); }
