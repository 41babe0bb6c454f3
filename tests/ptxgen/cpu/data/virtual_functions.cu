// Compiled by nvcc 13.0 to tests/ptxgen/cpu/data/virtual_functions.ptx: nvcc -arch=sm_80 -ptx
struct Shape { __device__ virtual ~Shape() {} __device__ virtual float area(float scale) const = 0; };
struct Square : Shape { float side; __device__ Square(float s) : side(s) {} __device__ float area(float k) const override { return side * side * k; } };
struct Disc : Shape { float radius; __device__ Disc(float r) : radius(r) {} __device__ float area(float k) const override { return 3.0f * radius * radius * k; } };
extern "C" __global__ void areas(float* out) {
    int i = threadIdx.x;
    Shape* shape = i % 2 ? static_cast<Shape*>(new Square(i)) : static_cast<Shape*>(new Disc(i));
    out[i] = shape->area(2.0f);
    delete shape;
}
__device__ __noinline__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
extern "C" __global__ void ackermanns(int* out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x % 4); }
