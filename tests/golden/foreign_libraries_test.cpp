// What libraries that were not built for Orrery keep for each thread, under programs of both kinds.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_plainly;
using orrery::test::WorkingDirectory;

// A build with AddressSanitizer has nothing to preload, and leaves libraries' memory alone.
#ifndef __SANITIZE_ADDRESS__

TEST_CASE("Thread-local variables with a fixed place are each thread's own, in libraries too") {
  const WorkingDirectory here;
  here.write("fixed.c", R"(
static __thread int one __attribute__((tls_model("initial-exec"))) = 5;
static __thread int other = 6;
int bump(int by) { one += by; other += 2 * by; return one * 1000 + other; }
)");
  const std::string program = R"(#include <pthread.h>
#include <stdio.h>
int bump(int);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *by) {
  long result = 0;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&mutex);
    result = bump((int)(long)by);
    pthread_mutex_unlock(&mutex);
  }
  return (void *)result;
}
int main(void) {
  pthread_t threads[3];
  void *result;
  bump(1);
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
  for (int i = 0; i < 3; ++i) { pthread_join(threads[i], &result); printf("%ld ", (long)result); }
  printf("%d\n", bump(0));
}
)";
  REQUIRE(
      here.shell("gcc -O1 -shared -fPIC fixed.c -Wl,-soname,libfixed.so -o libfixed.so").status ==
      0);
  here.write("expected.txt", "8012 11018 14024 6008\n");
  const std::string libraries = " -L. -lfixed -Wl,-rpath,'$ORIGIN'";
  build_plainly(here, "gcc", program, libraries);
  REQUIRE(here.shell("./app").out == here.read("expected.txt"));
  const std::string search = "explore --runs 100 --expect-output expected.txt ";
  CHECK(here.orrery(search + "--threads ./app").status == 0);
  here.write("app.c", program);
  REQUIRE(here.orrery("cc -pthread app.c -o app" + libraries).status == 0);
  CHECK(here.orrery(search + "./app").status == 0);

  // The same, opened by the program.
  std::string opening = program;
  opening.replace(opening.find("int bump(int);"), 14,
                  "#include <dlfcn.h>\nstatic int (*bump)(int);");
  opening.replace(
      opening.find("  bump(1);"), 10,
      "  bump = (int (*)(int))dlsym(dlopen(\"./libfixed.so\", RTLD_NOW), \"bump\");\n  bump(1);");
  build_plainly(here, "gcc", opening);
  REQUIRE(here.shell("./app").out == here.read("expected.txt"));
  CHECK(here.orrery(search + "--threads ./app").status == 0);
  REQUIRE(here.orrery("cc -pthread app.c -o app").status == 0);
  CHECK(here.orrery(search + "./app").status == 0);
}

#endif

TEST_CASE("Keys that a library makes while it is loaded have a value for each thread") {
  const WorkingDirectory here;
  here.write("keyed.c", R"(#include <pthread.h>
static pthread_key_t key;
__attribute__((constructor)) static void begin(void) {
  pthread_key_create(&key, NULL);
  pthread_setspecific(key, (void *)5);
}
long bump(long by) {
  pthread_setspecific(key, (char *)pthread_getspecific(key) + by);
  return (long)pthread_getspecific(key);
}
)");
  REQUIRE(here.shell("gcc -shared -fPIC keyed.c -Wl,-soname,libkeyed.so -o libkeyed.so").status ==
          0);
  const std::string program = R"(#include <pthread.h>
#include <stdio.h>
long bump(long);
static void *work(void *by) { bump((long)by); return (void *)bump((long)by); }
int main(void) {
  pthread_t threads[2];
  void *result;
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
  for (int i = 0; i < 2; ++i) { pthread_join(threads[i], &result); printf("%ld ", (long)result); }
  printf("%ld\n", bump(1));
}
)";
  here.write("expected.txt", "2 4 6\n");
  const std::string flags = "-L. -lkeyed -Wl,-rpath,'$ORIGIN'";
  build_plainly(here, "gcc", program, flags);
  REQUIRE(here.shell("./app").out == here.read("expected.txt"));
  const std::string search = "explore --runs 100 --expect-output expected.txt ";
#ifndef __SANITIZE_ADDRESS__
  CHECK(here.orrery(search + "--threads ./app").status == 0);
#endif
  REQUIRE(here.orrery("cc -pthread app.c -o app " + flags).status == 0);
  CHECK(here.orrery(search + "./app").status == 0);
}

TEST_CASE("A library's variables and values of a thread's own are ended with each thread") {
  const WorkingDirectory here;
  here.write("ending.cpp", R"(#include <cstdio>
#include <pthread.h>
struct Local {
  const char *name = "nobody";
  ~Local() { std::printf("variable of %s\n", name); }
};
static thread_local Local local;
static pthread_key_t early, late;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void end_early(void *name) { std::printf("early value of %s\n", (const char *)name); }
static void end_late(void *name) { std::printf("late value of %s\n", (const char *)name); }
static void make_late() { pthread_key_create(&late, end_late); }
__attribute__((constructor)) static void begin() { pthread_key_create(&early, end_early); }
void use(const char *name) {
  local.name = name;
  pthread_once(&once, make_late);
  pthread_setspecific(early, name);
  pthread_setspecific(late, name);
}
)");
  REQUIRE(
      here.shell("g++ -shared -fPIC ending.cpp -Wl,-soname,libending.so -o libending.so").status ==
      0);
  const std::string program = R"(#include <pthread.h>
#include <thread>
void use(const char *);
int main() {
  std::thread([] { use("one"); }).join();
  std::thread([] { use("other"); }).join();
  use("main");
  pthread_exit(nullptr);
}
)";
  here.write("expected.txt",
             "variable of one\nearly value of one\nlate value of one\n"
             "variable of other\nearly value of other\nlate value of other\n"
             "early value of main\nlate value of main\nvariable of main\n");
  const std::string flags = "-L. -lending -Wl,-rpath,'$ORIGIN'";
  build_plainly(here, "g++", program, flags);
  REQUIRE(here.shell("./app").out == here.read("expected.txt"));
  const std::string search = "explore --runs 20 --expect-output expected.txt ";
#ifndef __SANITIZE_ADDRESS__
  CHECK(here.orrery(search + "--threads ./app").status == 0);
#endif
  REQUIRE(here.orrery("c++ -pthread app.cpp -o app " + flags).status == 0);
  CHECK(here.orrery(search + "./app").status == 0);
}

}  // namespace
