// Programs that were built with AddressSanitizer, under the command.
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

// Rank 0 makes room for what comes first; that of rank 2 is shorter.
constexpr const char* overflows = R"(#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, *values = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; rank == 0 && i < 2; ++i) {
    int size;
    MPI_Recv(&size, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (values == NULL MENDED) values = malloc(size * sizeof *values);
    for (int k = 0; k < size; ++k)
      values[k] = i;
  }
  if (rank > 0) {
    int size = 10 / rank;
    MPI_Send(&size, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  free(values);
  MPI_Finalize();
  return 0;
}
)";

std::string with(std::string text, const std::string& name, const std::string& value) {
  text.replace(text.find(name), name.size(), value);
  return text;
}

/// Is clang here, with the runtime?
bool has_clang(const WorkingDirectory& here) {
  here.write("empty.c", "int main(void) { return 0; }\n");
  return here.shell("clang -fsanitize=address -shared-libsan -o empty empty.c").status == 0;
}

void build(const WorkingDirectory& here, const std::string& source,
           const std::string& compiler = "gcc") {
  here.write("app.c", source);
  const CommandResult built = here.shell(
      "ORRERY_CC=" + compiler + " '" ORRERY_BINARY "' cc -g -fsanitize=address -o app app.c");
  INFO(built.err);
  REQUIRE(built.status == 0);
}

const json& only_finding(const json& report) {
  REQUIRE(report["findings"].size() == 1);
  return report["findings"][0];
}

void check_overflow(const json& finding) {
  CHECK(finding["kind"] == "crash");
  CHECK(finding["message"] == "AddressSanitizer: heap-buffer-overflow (a write of 4 bytes)");
  CHECK(finding["where"][0]["file"] == "app.c");
  CHECK(finding["where"][0]["line"] == 12);
  CHECK(finding["where"][0]["function"] == "main");
  CHECK(finding["where"][0]["task"] == "rank 0");
}

void check_search(const WorkingDirectory& here, const std::string& compiler) {
  build(here, with(overflows, "MENDED", ""), compiler);
  const CommandResult found = here.orrery("explore --json -n 3 ./app");
  INFO(found.err);
  CHECK(found.status == 1);
  CHECK(found.err.empty());
  check_overflow(only_finding(json::parse(found.out)));

  const CommandResult replayed = here.orrery("replay --json app.orr");
  CHECK(replayed.status == 1);
  check_overflow(only_finding(json::parse(replayed.out)));
  // Here the sanitizer's own words are worth their space: they tell where the memory came from.
  CHECK(has(replayed.err, "ERROR: AddressSanitizer: heap-buffer-overflow"));
  CHECK(has(replayed.err, "app.c:10"));

  const CommandResult shrunk = here.orrery("shrink --json app.orr");
  CHECK(shrunk.status == 1);
  CHECK(shrunk.err.empty());
  check_overflow(only_finding(json::parse(shrunk.out)));
}

TEST_CASE("An overflow that only one order shows is found, made small, and replayed") {
  const WorkingDirectory here;
  check_search(here, "gcc");
}

TEST_CASE("Its mended twin has no finding, though it leaks and allocates in every run") {
  const WorkingDirectory here;
  build(here, with(overflows, "MENDED", "|| size > 5"));
  const CommandResult result = here.orrery("explore -n 3 --runs 200 ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  CHECK(here.orrery("run -n 3 ./app").status == 0);
}

TEST_CASE("A program of clang's finds its runtime by itself") {
  const WorkingDirectory here;
  if (!has_clang(here)) {
    WARN("clang with its sanitizers is not installed");
    return;
  }
#ifdef __SANITIZE_ADDRESS__
  build(here, with(overflows, "MENDED", ""), "clang");
  const CommandResult refused = here.orrery("run -n 3 ./app");
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "another runtime of AddressSanitizer's"));
#else
  check_search(here, "clang");
#endif
}

TEST_CASE("In gdb a sanitized program stops where the sanitizer found it") {
  const WorkingDirectory here;
  if (!has(here.shell("gdb -q -batch -ex run --args true").out, "exited normally")) return;
  build(here, with(overflows, "MENDED", ""));
  REQUIRE(here.orrery("explore -n 3 ./app").status == 1);
  const CommandResult session = here.orrery("replay --gdb app.orr", "run\nbacktrace\n");
  INFO(session.out << session.err);
  CHECK(has(session.out, "finding: crash: "));
  CHECK(has(session.out, "heap-buffer-overflow"));
  CHECK(has(session.out, "app.c:12"));
}

// What lies between the variables of such a program may not be touched by memcpy.
constexpr const char* variables = R"(#include <mpi.h>
#include <stdio.h>
static int small[3], other[5] = {7};
static char large[SIZE];
static _Thread_local int local[2] = {3};
int shared[6];
int main(int argc, char **argv) {
  int rank, first;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%d%d%d%d%d\n", small[1]++, other[0]++, large[SIZE - 1]++, local[0]++, shared[5]++);
  if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < 2; ++i) {
    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i == 0 && first == 2 && argc > 1) MPI_Recv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
                                                   MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return small[1] + other[0] + large[SIZE - 1] + local[0] + shared[5] - 15;
}
)";

void check_variables(const WorkingDirectory& here, const std::string& compiler,
                     const std::string& size) {
  build(here, "#define SIZE " + size + "\n" + variables, compiler);
  const CommandResult result = here.orrery("explore -n 3 --runs 30 ./app");
  INFO(compiler << ", " << size << " bytes:\n" << result.out << result.err);
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  // Ranks that are left in the middle of a run are begun anew as well.
  const CommandResult stuck = here.orrery("explore --json --keep-going -n 3 --runs 30 ./app x");
  INFO(stuck.out << stuck.err);
  CHECK(only_finding(json::parse(stuck.out))["kind"] == "deadlock");
}

TEST_CASE("Each run of a sanitized program starts with its variables fresh") {
  const WorkingDirectory here;
  // Copied back, and mapped anew.
  for (const char* const size : {"300", "300000"}) {
    check_variables(here, "gcc", size);
#ifndef __SANITIZE_ADDRESS__
    if (has_clang(here)) check_variables(here, "clang", size);
#endif
  }
}

TEST_CASE("Frames on fibers, freed memory and leaks are judged as in a process of one's own") {
  const WorkingDirectory here;
  build(here, R"(#include <mpi.h>
#include <stdlib.h>
static volatile int *outlived;
static void leave(void) { int local = 1; outlived = &local; }
static int sum(int *values, int count) {
  int copy[count], total = 0;
  for (int i = 0; i < count; ++i) total += copy[i] = values[i];
  return total;
}
int main(int argc, char **argv) {
  int rank, values[4] = {1, 2, 3, 4};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i) {
    int total = sum(values, 4), all = 0;
    MPI_Allreduce(&total, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (malloc(100) == NULL || all != 30) return 1;
  }
  char *gone = malloc(8);
  free(gone);
  leave();
  if (argc == 2) gone[1] = 1;
  if (argc == 3) MPI_Recv(malloc(4), 3, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (argc == 4) return *outlived;
  MPI_Finalize();
  return 0;
}
)");
  CHECK(here.orrery("explore --runs 20 -n 3 ./app").status == 0);
  const CommandResult freed = here.orrery("run -n 3 ./app 1");
  INFO(freed.err);
  CHECK(freed.status == 1);
  CHECK(has(freed.err, "crash: AddressSanitizer: heap-use-after-free (a write of 1 byte)"));
  CHECK(has(freed.err, "app.c:22"));
  const CommandResult outlived = here.shell(
      "ASAN_OPTIONS=detect_stack_use_after_return=1 '" ORRERY_BINARY "' explore -n 3 ./app 1 2 3");
  INFO(outlived.out << outlived.err);
  CHECK(has(outlived.out, "crash: AddressSanitizer: stack-use-after-return"));
  CHECK(has(outlived.out, "app.c:24"));
}

TEST_CASE("What MPI writes beyond a buffer is found at the program's own line") {
  const WorkingDirectory here;
  build(here, R"(#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, three[3] = {1, 2, 3};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) MPI_Send(three, 3, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    int *two = malloc(2 * sizeof *two);
    MPI_Recv(two, 3, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(two);
  }
  MPI_Finalize();
  return 0;
}
)");
  const CommandResult result = here.orrery("explore --json -n 2 ./app");
  INFO(result.out << result.err);
  const json finding = only_finding(json::parse(result.out));
  CHECK(finding["kind"] == "crash");
  CHECK(has(finding["message"], "AddressSanitizer: heap-buffer-overflow (a write of"));
  CHECK(finding["where"][0]["line"] == 10);
}

TEST_CASE("A sanitized program sees the environment that its user made") {
  const WorkingDirectory here;
  build(here, R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
int main(int argc, char **argv) {
  const char *preload = getenv("LD_PRELOAD");
  printf("%s %d\n", preload == NULL ? "none" : preload, argc);
  for (char **one = environ; *one != NULL; ++one)
    if (strstr(*one, "ORRERY_FORMER") != NULL) printf("%s\n", *one);
  return 0;
}
)");
  CHECK(here.orrery("run ./app").out == "none 1\n");
#ifndef __SANITIZE_ADDRESS__  // which wants no other library before its own
  const CommandResult preloaded =
      here.shell("LD_PRELOAD=libm.so.6 '" ORRERY_BINARY "' run ./app 'two words' ''");
  CHECK(preloaded.out == "libm.so.6 3\n");
  CHECK(preloaded.status == 0);
#endif
}

TEST_CASE("A sanitizer that cannot be loaded first is the caller's mistake") {
  const WorkingDirectory here;
  here.write("app.c", "int main(void) { return 0; }\n");
  for (const char* const flag : {"-static-libasan", "-static-libsan"}) {
    const CommandResult refused =
        here.orrery("cc -fsanitize=address " + std::string(flag) + " -o app app.c");
    CHECK(refused.status == 2);
    CHECK(has(refused.err, std::string("hint: leave ") + flag + " out"));
  }
  here.write("app.c", "void __asan_init(void) {}\nint main(void) { return 0; }\n");
  REQUIRE(here.orrery("cc -o app app.c").status == 0);
  const CommandResult within = here.orrery("run ./app");
  CHECK(within.status == 2);
  CHECK(has(within.err, "linked into this program"));
  CHECK(has(within.err, "hint: link it with `orrery cc -fsanitize=address`"));

  here.write("app.c", "void __asan_init(void);\nint main(void) { __asan_init(); return 0; }\n");
  here.write("runtime.c", "void __asan_init(void) {}\n");
  REQUIRE(
      here.shell(
              "gcc -shared -Wl,-soname,libasan.so.99 -o libasan.so.99 runtime.c && '" ORRERY_BINARY
              "' cc -o app app.c ./libasan.so.99 && rm libasan.so.99")
          .status == 0);
  const CommandResult missing = here.orrery("run ./app");
  CHECK(missing.status == 2);
#ifndef __SANITIZE_ADDRESS__
  CHECK(has(missing.err, "needs libasan.so.99, which cannot be loaded"));
  CHECK(has(missing.err, "hint: install it, or name its directory in LD_LIBRARY_PATH"));
#endif
}

}  // namespace
