/* Times calls of libcuda.so.1, which is linked in: nanoseconds of one call, the least of some rounds, one line each. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void *P;
typedef unsigned long long D;
int cuInit(unsigned), cuDevicePrimaryCtxRetain(P *, int), cuCtxSetCurrent(P), cuCtxGetCurrent(P *), cuDriverGetVersion(int *);
int cuDeviceGetAttribute(int *, int, int), cuStreamCreate(P *, unsigned), cuStreamQuery(P), cuStreamSynchronize(P);
int cuEventCreate(P *, unsigned), cuEventQuery(P), cuEventRecord(P, P), cuModuleLoadData(P *, const void *);
int cuModuleGetFunction(P *, P, const char *), cuMemAlloc_v2(D *, size_t), cuMemFree_v2(D), cuMemcpyHtoD_v2(D, const void *, size_t);
int cuMemcpyDtoH_v2(void *, D, size_t), cuGetErrorName(int, const char **);
int cuLaunchKernel(P, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, P, P *, P *);

static const char *idle =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry idle(.param .u64 a, .param .u64 b, .param .u32 n) { ret; }\n";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void checked(int code) {
  if (code) {
    fprintf(stderr, "a call answers %d\n", code);
    exit(1);
  }
}

#define TIME(name, call)                                      \
  do {                                                        \
    double least = 1e18;                                      \
    for (int round = 0; round < rounds; round++) {            \
      double began = now();                                   \
      for (int turn = 0; turn < turns; turn++) checked(call); \
      double each = (now() - began) / turns;                  \
      if (each < least) least = each;                         \
    }                                                         \
    printf("%s\t%.1f\n", name, least);                        \
  } while (0)

int main(int count, char **given) {
  int rounds = count > 1 ? atoi(given[1]) : 100, turns = count > 2 ? atoi(given[2]) : 50, number;
  P context, stream, event, module, function, seen;
  D memory, other;
  unsigned word = 5, n = 1;
  const char *text;
  checked(cuInit(0));
  checked(cuDevicePrimaryCtxRetain(&context, 0));
  checked(cuCtxSetCurrent(context));
  checked(cuModuleLoadData(&module, idle));
  checked(cuModuleGetFunction(&function, module, "idle"));
  checked(cuStreamCreate(&stream, 1));
  checked(cuEventCreate(&event, 0));
  checked(cuMemAlloc_v2(&memory, 256));
  P arguments[] = {&memory, &memory, &n};
  TIME("driver version", cuDriverGetVersion(&number));
  TIME("error name", cuGetErrorName(1, &text));
  TIME("device attribute", cuDeviceGetAttribute(&number, 16, 0));
  TIME("current context", cuCtxGetCurrent(&seen));
  TIME("set current context", cuCtxSetCurrent(context));
  TIME("stream query", cuStreamQuery(stream));
  TIME("event query", cuEventQuery(event));
  TIME("event record", cuEventRecord(event, stream));
  TIME("stream synchronise", cuStreamSynchronize(stream));
  TIME("empty launch", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0));
  TIME("copy of 4 bytes to the device", cuMemcpyHtoD_v2(memory, &word, 4));
  TIME("copy of 4 bytes to the host", cuMemcpyDtoH_v2(&word, memory, 4));
  TIME("allocation and free", (cuMemAlloc_v2(&other, 1024) ? 1 : cuMemFree_v2(other)));
  return 0;
}
