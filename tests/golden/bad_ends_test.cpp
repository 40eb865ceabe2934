// How a thread may come to a bad end, and what is said of it: crashes, memory that is given back
// twice, exceptions that nobody catches, threads that nobody joins.
#include <catch2/catch.hpp>

#include "misuse_program.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::Misuse;
using orrery::test::MisuseProgram;
using orrery::test::WorkingDirectory;

constexpr const char* c_prelude = R"(#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int zero;
static int table[100];
static long depth(long n) { volatile char frame[1 << 16]; frame[0] = 1; return depth(n + 1) + frame[0]; }
static void handler(int number) { write(1, "caught\n", 7); _exit(3); }
)";

const std::vector<Misuse>& of_c() {
  static const std::vector<Misuse> all{
      {"*(volatile int *)8 = 1;", "crash",
       "the program died of SIGSEGV (Segmentation fault) at address 0x8"},
      {"*(volatile int *)0x8000000000000000 = 1;", "crash",
       "the program died of SIGSEGV (Segmentation fault) at an address that cannot be: not "
       "canonical, or not aligned"},
      {"void (*function)(void) = 0; function();", "crash",
       "the program died of SIGSEGV (Segmentation fault) by a jump to address 0x0"},
      {"printf(\"%d\", 100 / zero);", "crash", "the program died of SIGFPE"},
      {"__builtin_trap();", "crash", "the program died of SIGILL"},
      {"char *p = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *p = 1;", "crash",
       "the program died of SIGSEGV"},
      {"depth(0);", "crash", "stack overflow of worker#1: its stack has 8192 KiB", "depth"},
      {"abort();", "crash", "abort() was called"},
      {"assert(zero == 1);", "assertion", "assertion failed: zero == 1 (app.c:"},
      {"raise(SIGKILL);", "crash", "killed by SIGKILL (Killed), which it sent itself"},
      {"kill(getpid(), SIGTERM);", "crash", "killed by SIGTERM (Terminated), which it sent itself"},
      {"exit(3);", "exit", "the program exits with status 3"},
      {"_exit(4);", "exit", "the program exits with status 4"},
      {"quick_exit(5);", "exit", "the program exits with status 5"},
      {"signal(SIGSEGV, handler); *(volatile int *)0 = 1;", "exit",
       "the program exits with status 3", "handler"},
      {"char *p = malloc(10); free(p); free(p);", "crash", "is freed a second time"},
      {"char *p = malloc(1 << 20); free(p); free(p);", "crash", "is freed a second time"},
      {"char *p = malloc(10); free(p + 4);", "crash", "is freed, which no allocation has given"},
      {"int x; int *p = &x; free(p);", "crash", "is freed, and lies on the thread's stack"},
      {"int *p = table; free(p);", "crash", "is freed, and is a variable"},
      {"char *p = malloc(10); free(p); p = realloc(p, 100);", "crash",
       "is given another size, and has been freed"},
      {"char *p = malloc(10); p = realloc(p + 16, 100);", "crash",
       "is freed, which no allocation has given"},
  };
  return all;
}

constexpr const char* cpp_prelude = R"(#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>
#include <pthread.h>
#include <unistd.h>
namespace app {
struct Error : std::runtime_error { using runtime_error::runtime_error; };
}
static void inner() { throw app::Error("too bad"); }
static void calls() noexcept { inner(); }
static void leaves() noexcept { pthread_exit(nullptr); }
struct Stack { int size = 0; int pop() { assert(size > 0); return size--; } };
struct Base { virtual void name() = 0; Base() { call(); } void call() { name(); } };
struct Derived : Base { void name() override {} };
struct Guard { ~Guard() { throw 1; } };
static void nothing() {}
)";

const std::vector<Misuse>& of_cpp() {
  static const std::vector<Misuse> all{
      {"throw app::Error(\"no\");", "exception", "uncaught exception: no (app::Error)"},
      {"throw 7;", "exception", "uncaught exception that is not a std::exception (int)"},
      {"calls();", "exception", "uncaught exception: too bad (app::Error)", "inner"},
      {"Guard one;", "exception", "uncaught exception that is not a std::exception (int)",
       "Guard::~Guard"},
      {"std::vector<int>().at(3);", "exception", "vector::_M_range_check"},
      {"std::async(std::launch::async, inner).get();", "exception", "too bad (app::Error)",
       "inner"},
      {"std::thread one(nothing); one.join(); one.join();", "exception", "Invalid argument"},
      {"{ std::thread one(nothing); }", "crash",
       "std::terminate() was called: by the program itself, or since a std::thread that nobody"},
      {"std::terminate();", "crash", "std::terminate() was called"},
      {"leaves();", "crash",
       "std::terminate() was called: a thread ends by pthread_exit, or is cancelled, in a function "
       "that is noexcept",
       "leaves"},
      {"try { pthread_exit(nullptr); } catch (...) { std::puts(\"caught\"); }", "crash",
       "the end of a thread was caught (pthread_exit, or cancellation), and not thrown on"},
      {"Stack().pop();", "assertion", "assertion failed: size > 0 (app.cpp:", "Stack::pop"},
      {"int* p = new int; delete p; delete p;", "crash", "is freed a second time"},
      {"std::string* p = new std::string[3]; delete p;", "crash",
       "is freed, which no allocation has given"},
      {"Derived one;", "crash", "std::terminate() was called", "Base::call"},
  };
  return all;
}

TEST_CASE("The bad end of a thread of C is found, where it comes to it") {
  const char* const compiler = GENERATE("gcc", "clang");
  INFO(compiler);
  MisuseProgram(c_prelude, of_c(), "c", compiler).check_findings();
}

TEST_CASE("The bad end of a thread of C++ is found, where it comes to it") {
  const char* const compiler = GENERATE("g++", "clang++");
  INFO(compiler);
  MisuseProgram(cpp_prelude, of_cpp(), "cpp", compiler).check_findings();
}

TEST_CASE("Two threads may leave their frames at the same time, and each leaves its own") {
  const WorkingDirectory here;
  build_app(here, R"(#include <atomic>
#include <cstdio>
#include <mutex>
#include <pthread.h>
static std::mutex lock;
static std::atomic<int> left;
struct Guard {
  int weight;
  ~Guard() {
    std::lock_guard own(lock);
    left += weight;
  }
};
static void* worker(void* argument) {
  Guard first{1};
  Guard second{10};
  pthread_exit(argument);
}
int main() {
  pthread_t threads[3];
  long sum = 0;
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], nullptr, worker, (void*)(i + 1));
  for (pthread_t one : threads) {
    void* result;
    pthread_join(one, &result);
    sum += (long)result;
  }
  std::printf("%d %ld\n", left.load(), sum);
}
)",
            "-g -O1 -pthread", "cpp");
  here.write("expected", "33 6\n");
  const CommandResult result = here.orrery("explore --runs 300 --expect-output expected ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

}  // namespace
