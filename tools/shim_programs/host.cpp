// Hosts of our libcuda.so.1 that are not Python, one for each name below: what they do with threads, processes and their end.
// Built twice: as a program, and as a library whose `work_from` a Python program calls. Status 0 is right; a line says what is not.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

typedef void *P;
typedef unsigned long long D;
extern "C" {
int cuInit(unsigned), cuDevicePrimaryCtxRetain(P *, int), cuCtxSetCurrent(P), cuCtxGetCurrent(P *), cuCtxSynchronize();
int cuModuleLoadData(P *, const void *), cuModuleGetFunction(P *, P, const char *), cuMemAlloc_v2(D *, size_t), cuMemFree_v2(D);
int cuMemcpyHtoD_v2(D, const void *, size_t), cuMemcpyDtoH_v2(void *, D, size_t), cuStreamCreate(P *, unsigned);
int cuLaunchKernel(P, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, P, P *, P *), cuStreamDestroy_v2(P);
}

static const char *text = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a) {
  .reg .b32 %r<3>; .reg .b64 %d<3>;
  ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
  ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 1; st.global.u32 [%d1], %r2; ret;
}
.visible .entry spin(.param .u64 a, .param .u32 turns) {
  .reg .b32 %r<3>; .reg .pred %p; ld.param.u32 %r1, [turns];
L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L; ret;
})";

static P context, add_function, spin_function;
static std::atomic<int> wrong{0};

static void check(bool right, const char *what) {
  if (right) return;
  wrong++;
  fprintf(stderr, "wrong: %s\n", what);
}

static void load() {
  P module;
  check(!cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context), "a context");
  check(!cuModuleLoadData(&module, text), "a module");
  check(!cuModuleGetFunction(&add_function, module, "add") && !cuModuleGetFunction(&spin_function, module, "spin"), "kernels");
}

// Copies, launches and frees; the answers of a driver that has ended are right too where `may_end`.
static void work(int turns, bool may_end = false) {
  auto right = [&](int code) { return code == 0 || (may_end && code == 4); };
  unsigned numbers[64];
  check(right(cuCtxSetCurrent(context)), "set current");
  for (int turn = 0; turn < turns; turn++) {
    D memory = 0;
    P seen = nullptr, stream = nullptr, arguments[] = {&memory};
    int code = cuMemAlloc_v2(&memory, sizeof numbers);
    check(right(code), "allocate");
    if (code) return;
    for (unsigned i = 0; i < 64; i++) numbers[i] = i;
    int codes[] = {cuCtxGetCurrent(&seen), cuStreamCreate(&stream, 1), cuMemcpyHtoD_v2(memory, numbers, sizeof numbers),
                   cuLaunchKernel(add_function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr),
                   cuMemcpyDtoH_v2(numbers, memory, sizeof numbers), cuStreamDestroy_v2(stream), cuMemFree_v2(memory)};
    bool ended = false;
    for (int each : codes) check(right(each), "a call"), ended |= each != 0;
    if (ended) return;
    check(seen == context, "the current context");
    for (unsigned i = 0; i < 64; i++)
      if (numbers[i] != i + 1) return check(false, "a sum");
  }
}

static void spin(unsigned turns) {
  D none = 0;
  P arguments[] = {&none, &turns};
  cuCtxSetCurrent(context);
  cuLaunchKernel(spin_function, 4, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
}

static std::vector<std::thread> workers(int count, int turns, bool may_end = false) {
  std::vector<std::thread> made;
  for (int i = 0; i < count; i++) made.emplace_back(work, turns, may_end);
  return made;
}

static void join(std::vector<std::thread> &threads) {
  for (auto &each : threads) each.join();
}

// Called by Python, whose own threads call the driver too.
extern "C" int work_from(int count, int turns, int stay) {
  load();
  auto threads = workers(count, turns, stay);
  if (!stay) join(threads);
  for (auto &each : threads)
    if (each.joinable()) each.detach();
  return wrong;
}

#ifndef LIBRARY
static int threads_16() {
  load();
  auto made = workers(16, 5);
  join(made);
  return wrong;
}

static int first_calls() {  // of many threads at once: one of them starts Python
  std::vector<std::thread> made;
  for (int i = 0; i < 16; i++) made.emplace_back([] {
      P mine;
      check(!cuInit(0) && !cuDevicePrimaryCtxRetain(&mine, 0) && !cuCtxSetCurrent(mine), "a first call");
    });
  join(made);
  return wrong;
}

static int forks() {  // a child of C code is told that it may not call; its parent goes on
  load();
  auto made = workers(4, 10);
  for (int i = 0; i < 5; i++) {
    pid_t child = fork();
    if (!child) _exit(cuCtxSetCurrent(context) == 3 && cuMemFree_v2(1) == 3 ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child");
  }
  join(made);
  return wrong;
}

static int exit_in_launch() {
  load();
  std::thread(spin, 1u << 30).detach();
  auto made = workers(4, 1000, true);
  for (auto &each : made) each.detach();
  usleep(rand() % 20000);
  exit(wrong);
}

static int quick_exit_in_launch() {
  load();
  std::thread(spin, 1u << 30).detach();
  auto made = workers(2, 1000, true);
  for (auto &each : made) each.detach();
  usleep(rand() % 20000);
  _exit(wrong);
}

static const char *self;

static int execs() {  // another program takes the place of one in the middle of launches
  load();
  std::thread(spin, 1u << 30).detach();
  usleep(rand() % 10000);
  execl(self, self, "threads", nullptr);
  return 9;
}

static std::atomic<int> beats{0};

static int signals() {  // that come all the time, in any thread; and Python has taken none of them
  struct sigaction ours = {};
  ours.sa_handler = [](int) { beats++; };
  sigaction(SIGALRM, &ours, nullptr);
  signal(SIGINT, SIG_DFL);
  itimerval often = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  load();
  check(signal(SIGINT, SIG_DFL) == SIG_DFL, "SIGINT");
  auto made = workers(4, 10);
  join(made);
  check(beats > 0, "no signal came");
  return wrong;
}

static int interrupted() {  // by Ctrl-C, which ends a program that has not taken it
  signal(SIGINT, SIG_DFL);
  load();
  auto made = workers(4, 1000, true);
  for (auto &each : made) each.detach();
  usleep(rand() % 20000);
  kill(getpid(), SIGINT);
  pause();
  return 9;
}

static int closes() {  // the library is unloaded, as far as it may be, and loaded again
  for (int i = 0; i < 3; i++) {
    P library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
    check(library && init && !init(0), "a library");
    dlclose(library);
  }
  return threads_16();
}

static struct Late {  // its destructor runs when Python has gone
  D memory = 0;
  ~Late() {
    if (!memory) return;
    P seen;
    for (int code : {cuMemFree_v2(memory), cuCtxSynchronize(), cuCtxGetCurrent(&seen)})
      if (code != 4 && code != 0) _exit(8);
  }
} late;

static int statics() {
  load();
  check(!cuMemAlloc_v2(&late.memory, 64), "allocate");
  atexit([] { cuCtxSynchronize(); });
  return wrong;
}

static int endless() {  // threads that never return
  load();
  for (int i = 0; i < 4; i++) std::thread([] { for (P seen;;) cuCtxGetCurrent(&seen), work(1, true); }).detach();
  usleep(rand() % 20000);
  return wrong;
}

static int short_threads() {  // many, each with a first call of its own
  load();
  for (int i = 0; i < 20; i++) {
    auto made = workers(4, 1);
    join(made);
  }
  return wrong;
}

int main(int count, char **given) {
  static const std::map<std::string, int (*)()> hosts = {
      {"threads", threads_16}, {"first", first_calls}, {"fork", forks}, {"exit", exit_in_launch}, {"_exit", quick_exit_in_launch},
      {"exec", execs}, {"signals", signals}, {"interrupt", interrupted}, {"dlclose", closes}, {"statics", statics},
      {"endless", endless}, {"short", short_threads}};
  auto found = count > 1 ? hosts.find(given[1]) : hosts.end();
  if (found == hosts.end()) return 64;
  self = given[0];
  srand(getpid());
  return found->second();
}
#endif
