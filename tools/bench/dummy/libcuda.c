/* A libcuda that does nothing, quickly: enough of one for our binding, cuda-bindings and cuda-core to open a device with the
 * limits of an H200, load a kernel and launch it, so that what is timed is the binding alone. Kernels do nothing; memory is the
 * host's, zeros at first, and copies between host and device copy. __init__.py builds it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Thread_local void *current = (void *)0xC0;
static uint64_t next_handle = 0x1000;
static size_t parameter_sizes[] = {8, 8, 8, 4};

typedef int result;

result nothing(void) { return 0; }
result version(int *out) { *out = 13000; return 0; }
result one(int *out) { *out = 1; return 0; }
result device(int *out, int ordinal) { *out = ordinal; return 0; }
result name(char *out, int size, int device) { strncpy(out, "Dummy", size); return 0; }
result attribute(int *out, int attribute, int device) {
    switch (attribute) {
    case 1: case 2: case 3: *out = 1024; break;      /* threads of a block */
    case 4: *out = 64; break;
    case 75: *out = 9; break;                        /* compute capability 9.0 */
    case 76: *out = 0; break;
    case 5: *out = 0x7fffffff; break;                /* blocks of a grid */
    case 6: case 7: *out = 65535; break;
    case 8: *out = 49152; break;                     /* bytes of shared memory */
    case 97: *out = 232448; break;                   /* the same, where a kernel asks for it */
    case 12: case 82: *out = 65536; break;           /* registers of a block, and of a multiprocessor */
    case 16: *out = 132; break;                      /* multiprocessors */
    case 38: *out = 60 << 20; break;                 /* bytes of L2 cache */
    case 39: *out = 2048; break;                     /* threads of a multiprocessor */
    case 81: *out = 233472; break;                   /* bytes of shared memory of a multiprocessor */
    case 106: *out = 32; break;                      /* blocks of a multiprocessor */
    default: *out = 1;
    }
    return 0;
}
result function_attribute(int *out, int attribute, void *function) { *out = attribute == 0 ? 1024 : 0; return 0; }
result kernel_attribute(int *out, int attribute, void *kernel, int device) { return function_attribute(out, attribute, kernel); }
result handle(void **out) { *out = (void *)(next_handle += 0x100); return 0; }
result load(void **out) {                            /* as long as a driver's compiler would take */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const char *given = getenv("DUMMYCUDA_LOAD_MS");
    uint64_t end = now.tv_sec * 1000000000ull + now.tv_nsec + (given ? strtoul(given, NULL, 10) : 0) * 1000000;
    while (now.tv_sec * 1000000000ull + now.tv_nsec < end) clock_gettime(CLOCK_MONOTONIC, &now);
    return handle(out);
}
result get_current(void **out) { *out = current; return 0; }
result set_current(void *context) { current = context; return 0; }
result retain(void **out, int device) { *out = (void *)0xC0; return 0; }
result context_device(int *out) { *out = 0; return 0; }
result text(int code, const char **out) { *out = "CUDA_ERROR_DUMMY"; return 0; }
result parameter(void *function, size_t index, size_t *offset, size_t *size) {
    const char *pointers = getenv("DUMMYCUDA_POINTERS"); /* kernels of so many pointers, instead */
    if (index >= (pointers ? strtoul(pointers, NULL, 10) : 4)) return 1;
    *offset = 8 * index;
    *size = pointers ? 8 : parameter_sizes[index];
    return 0;
}
result stream_context(void *stream, void **out, void **green) { *out = (void *)0xC0; if (green) *green = NULL; return 0; }
result uuid(char out[16], int device) { memset(out, 7, 16); return 0; }
result zero_i32(int *out) { *out = 0; return 0; }
result on_stream(void *stream, int *out) { *out = 0; return 0; }
result bytes(size_t *out) { *out = (size_t)140 << 30; return 0; }
result memory_info(size_t *unused, size_t *total) { *unused = *total = (size_t)140 << 30; return 0; }
result allocate(void **out, size_t size) {
    char *whole = calloc(1, size + 512);             /* the block, and where it begins just before it */
    if (!whole) return 2;
    void **begin = (void **)(((uintptr_t)whole + 511) & ~(uintptr_t)255);
    begin[-1] = whole;
    *out = begin;
    return 0;
}
result release(void **begin) { if (begin) free(begin[-1]); return 0; }
result same_pointer(void **out, void *pointer) { *out = pointer; return 0; }
result copy(void *to, const void *from, size_t size) { memmove(to, from, size); return 0; }
result pointer_attributes(unsigned n, int *which, void **out, uint64_t pointer) {
    for (unsigned i = 0; i < n; i++) memset(out[i], 0, 4);
    return 0;
}

static const struct { const char *symbol; void *function; } table[] = {
    {"cuDriverGetVersion", version}, {"cuDeviceGetCount", one}, {"cuDeviceGet", device}, {"cuDeviceGetName", name},
    {"cuDeviceGetAttribute", attribute}, {"cuFuncGetAttribute", function_attribute}, {"cuKernelGetAttribute", kernel_attribute},
    {"cuStreamCreate", handle}, {"cuStreamCreateWithPriority", handle}, {"cuModuleLoadDataEx", load}, {"cuModuleLoadData", load},
    {"cuLibraryLoadData", load}, {"cuLibraryGetKernel", handle}, {"cuModuleGetFunction", handle}, {"cuKernelGetFunction", handle},
    {"cuCtxGetCurrent", get_current}, {"cuCtxSetCurrent", set_current}, {"cuDevicePrimaryCtxRetain", retain}, {"cuCtxGetDevice", context_device},
    {"cuGetErrorName", text}, {"cuGetErrorString", text}, {"cuFuncGetParamInfo", parameter}, {"cuKernelGetParamInfo", parameter},
    {"cuStreamGetCtx", stream_context}, {"cuDeviceGetUuid", uuid}, {"cuDeviceTotalMem", bytes}, {"cuMemAlloc", allocate}, {"cuMemAllocAsync", allocate},
    {"cuMemAllocFromPoolAsync", allocate}, {"cuMemFree", release}, {"cuMemFreeAsync", release}, {"cuMemFreeHost", release},
    {"cuMemHostAlloc", allocate}, {"cuMemHostGetDevicePointer", same_pointer}, {"cuMemcpyHtoDAsync", copy}, {"cuMemcpyDtoHAsync", copy},
    {"cuMemcpyHtoD", copy}, {"cuMemcpyDtoH", copy},
    {"cuMemPoolCreate", handle}, {"cuDeviceGetDefaultMemPool", handle}, {"cuDeviceGetMemPool", handle},
    {"cuEventCreate", handle}, {"cuCtxGetStreamPriorityRange", zero_i32}, {"cuPointerGetAttributes", pointer_attributes},
    {"cuStreamIsCapturing", on_stream}, {"cuStreamGetCaptureInfo", on_stream}, {"cuMemGetMemPool", handle}, {"cuStreamGetDevice", NULL}, {"cuLogsCurrent", zero_i32},
    {"cuMemGetInfo", memory_info},
};

result cuLaunchKernelEx(const void *config, void *function, void **parameters, void **extra) { return 0; }
result cuLaunchKernel(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned shared, void *stream, void **parameters, void **extra) { return 0; }
result cuInit(unsigned flags) { return 0; }

result cuGetProcAddress_v2(const char *symbol, void **out, int wanted, uint64_t flags, int *status) {
    size_t length = strlen(symbol);
    if (length > 3 && !strcmp(symbol + length - 3, "_v2")) length -= 3;
    if (status) *status = 0;
    *out = (void *)nothing;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].symbol) == length && !strncmp(table[i].symbol, symbol, length)) *out = table[i].function;
    if (!strncmp(symbol, "cuLaunchKernelEx", 16)) *out = (void *)cuLaunchKernelEx;
    else if (!strcmp(symbol, "cuLaunchKernel")) *out = (void *)cuLaunchKernel;
    else if (!strncmp(symbol, "cuFuncGetParamInfo", 18) && getenv("DUMMYCUDA_ANY_KERNEL")) *out = NULL; /* signatures are believed */
    else if (!strncmp(symbol, "cuGetProcAddress", 16)) *out = (void *)cuGetProcAddress_v2;
    return *out ? 0 : 500;
}
result cuGetProcAddress(const char *symbol, void **out, int wanted, uint64_t flags) { return cuGetProcAddress_v2(symbol, out, wanted, flags, NULL); }
