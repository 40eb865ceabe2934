// Libraries that a program opens itself.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void must(const CommandResult& result) {
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
}

/// A plugin that calls the program and a library of its project while it is loaded, with variables
/// of every kind; the program opens it twice and has two threads work in it.
void write_project(const WorkingDirectory& here) {
  here.write("core.cpp", "static int uses;\nint use_core() { return ++uses; }\n");
  here.write("plugin.cpp", R"(#include <cstdio>
#include <string>
extern "C" int registered(const char* name);
int use_core();
static thread_local int calls = 10;
static std::string name = "a plugin with a long enough name";
static int value = 40;
struct AtEnd { ~AtEnd() { std::printf("closed %d\n", value); } } at_end;
static const int number = registered("plugin");
extern "C" int work() {
  ++value;  // unlocked
  return value + ++calls + (int)name.size() + number + use_core();
}
)");
  here.write("main.cpp", R"(#include <dlfcn.h>
#include <cstdio>
#include <mutex>
#include <thread>
static int count;
static std::mutex mutex;
int use_core();
extern "C" int registered(const char*) { return ++count; }
int main(int argc, char**) {
  use_core();
  for (int i = 0; i < 2; ++i) {
    void* const plugin = dlopen("./plugin.so", RTLD_NOW);
    if (plugin == nullptr) return std::printf("%s\n", dlerror());
    const bool is_same = dlopen("plugins/../plugin.so", RTLD_NOW) == plugin;
    const auto work = (int (*)())dlsym(plugin, "work");
    int results[2];
    const auto call = [&](int& result) {
      std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
      if (argc == 1) lock.lock();
      result = work();
    };
    std::thread other([&] { call(results[0]); });
    call(results[1]);
    other.join();
    std::printf("%d %d %d\n", results[0] + results[1], is_same, count);
    dlclose(plugin);
    dlclose(plugin);
    std::printf("%d\n", dlopen("./plugin.so", RTLD_NOW | RTLD_NOLOAD) != nullptr);
  }
  dlopen("./plugin.so", RTLD_NOW);
  std::printf("%s\n", dlopen("./none.so", RTLD_NOW) ? "?" : dlerror());
  std::printf("%d\n", dlsym(dlopen(nullptr, RTLD_NOW), "registered") != nullptr);
}
)");
  must(here.shell("mkdir plugins"));
}

TEST_CASE("A plugin begins anew in each run, and whenever it is opened again, as natively") {
  for (const std::string kind : {"gcc", "clang", "foreign"}) {
    CAPTURE(kind);
    const WorkingDirectory here;
    write_project(here);
    const std::string orrery = kind == "clang" ? "ORRERY_CXX=clang++ " ORRERY_BINARY " c++"
                                               : std::string(ORRERY_BINARY " c++");
    must(here.shell(orrery + " -O2 -g -fPIC -shared core.cpp -o libcore.so"));
    must(here.shell(orrery +
                    " -O2 -g -pthread -rdynamic main.cpp -L. -lcore -Wl,-rpath,'$ORIGIN' -o app"));
    // Built without Orrery it has nothing of the core that it could share with the program's copy.
    must(kind == "foreign"
             ? here.shell("g++ -O2 -g -fPIC -shared plugin.cpp -o plugin.so && chmod 644 plugin.so")
             : here.shell(orrery + " -O2 -g -fPIC -shared plugin.cpp -L. -lcore "
                                   "-Wl,-rpath,'$ORIGIN' -o plugin.so"));
    const CommandResult natively = here.shell("./app > native.txt");
    must(natively);
    const std::string native = here.read("native.txt");
    CHECK(has(native, "closed 42\n0\n"));
    for (const std::string flags : {"", "--preempt all ", "--detect fasttrack "}) {
      const CommandResult simulated =
          here.orrery("run " + flags + "--expect-output native.txt ./app");
      INFO(simulated.out << simulated.err);
      CHECK(simulated.status == 0);
      CHECK(simulated.out == native);
    }
    const CommandResult explored =
        here.orrery("explore --runs 50 --expect-output native.txt ./app");
    INFO(explored.out << explored.err);
    CHECK(explored.status == 0);
  }
}

TEST_CASE("A race within a plugin has its lines, and the log of it replays") {
  const WorkingDirectory here;
  write_project(here);
  must(here.orrery("c++ -O2 -g -fPIC -shared core.cpp -o libcore.so"));
  must(here.orrery("c++ -O2 -g -pthread main.cpp -L. -lcore -Wl,-rpath,'$ORIGIN' -o app"));
  must(here.orrery(
      "c++ -O2 -g -fPIC -shared plugin.cpp -L. -lcore -Wl,-rpath,'$ORIGIN' -o plugin.so"));
  const CommandResult run = here.orrery("run --detect fasttrack --record race.orr ./app unlocked");
  CHECK(run.status == 1);
  CHECK(has(run.err, "plugin.cpp:11 in work"));
  CHECK(here.orrery("replay --detect fasttrack race.orr").status == 1);
}

TEST_CASE("Each rank has its own copy of a plugin") {
  const WorkingDirectory here;
  here.write("plugin.c", "static int value; int next(void) { return ++value; }\n");
  here.write("app.c", R"(#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int (*next)(void) = (int (*)(void))dlsym(dlopen("./plugin.so", RTLD_NOW), "next");
  for (int i = 0; i < rank; ++i) next();
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d", next() - rank);
  MPI_Finalize();
  return 0;
})");
  must(here.orrery("cc -shared -fPIC plugin.c -o plugin.so"));
  must(here.orrery("cc app.c -o app"));
  CHECK(here.orrery("run -n 3 ./app").out == "111");
}

}  // namespace
