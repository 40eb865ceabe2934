// `--threads`: programs that were not built with `orrery cc`, as plain compilers leave them, and
// tools of the machine as they are.
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "plain_program.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

[[maybe_unused]] const std::string litmus = ORRERY_SOURCE_DIR "/tests/golden/thread_litmus";

#ifndef __SANITIZE_ADDRESS__

/// Two threads take two locks; without the bug in the same order.
std::string two_locks(const std::string& first_of_right, const std::string& second_of_right) {
  return R"(#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static __thread int mine = 7;
static void *left(void *x) {
  pthread_setname_np(pthread_self(), "left");
  mine += 1;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  counter += mine;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return x;
}
static void *right(void *x) {
  mine += 10;
  pthread_mutex_lock(&)" +
         first_of_right + R"();
  pthread_mutex_lock(&)" +
         second_of_right + R"();
  counter += mine;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return x;
}
int main(int argc, char **argv) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, left, NULL);
  pthread_create(&threads[1], NULL, right, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  printf("%s %d: %d %d\n", argv[0], argc, counter, mine);
  return 0;
}
)";
}

/// A worker waits until it is told; without the bug it looks first whether it has been.
std::string told_once(const std::string& wait) {
  return R"(#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
static std::mutex mutex;
static std::condition_variable told;
static bool is_told = false;
static std::string text = "a text that is too long to lie within the object";
static thread_local std::string own = text + ", and one of each thread";
struct Goodbye { ~Goodbye() { std::printf("%zu %zu\n", text.size(), own.size()); } } goodbye;
int main() {
  text += "!";
  std::thread worker([] {
    own += "?";
    std::unique_lock lock(mutex);
    )" + wait +
         R"(
    try { throw std::runtime_error("thrown"); } catch (const std::exception &error) { text += error.what(); }
  });
  {
    const std::lock_guard lock(mutex);
    is_told = true;
  }
  told.notify_one();
  worker.join();
}
)";
}
const std::string without_look = "told.wait(lock);";
const std::string with_look = "told.wait(lock, [] { return is_told; });";

TEST_CASE("A deadlock in a program that gcc or clang built is found, kept, replayed, made small") {
  const std::string compiler = GENERATE("gcc", "clang");
  const std::string flags = GENERATE("", "-no-pie");
  CAPTURE(compiler, flags);
  const WorkingDirectory here;
  build_plainly(here, compiler, two_locks("b", "a"), flags);
  const CommandResult found = here.orrery("explore --json --no-shrink --threads -o bug.orr ./app");
  INFO(found.out << found.err);
  REQUIRE(found.status == 1);
  const json finding = json::parse(found.out)["findings"].at(0);
  CHECK(finding["kind"] == "deadlock");
  CHECK(has(finding["message"], "left waits for mutex b"));
  CHECK(has(finding["message"], "held by right#1 since app.c:19"));
  CHECK(finding["where"].at(0)["line"] == 11);
  CHECK(has(found.err, "not built with orrery cc"));
  CHECK(has(found.err, "thread_local"));

  const CommandResult replayed = here.orrery("replay --timeline bug.orr");
  CHECK(replayed.status == 1);
  CHECK(has(replayed.err, "deadlock: nobody can go on: left waits for mutex b"));
  CHECK(here.orrery("replay --timeline bug.orr").err == replayed.err);
  CHECK(here.orrery("shrink bug.orr -o small.orr").status == 1);
  CHECK(here.orrery("replay small.orr").status == 1);
  CHECK(has(here.orrery("show --timeline small.orr").out, "right#1  locks mutex"));

  build_plainly(here, compiler, two_locks("a", "b"), flags);
  const CommandResult other = here.orrery("replay bug.orr");
  CHECK(other.status == 2);
  CHECK(has(other.err, "not the build that the log was made with"));
  here.write("expected.txt", "./app 3: 25 7\n");
  const CommandResult mended =
      here.orrery("explore --runs 300 --threads --expect-output expected.txt ./app one two");
  INFO(mended.out << mended.err);
  CHECK(mended.status == 0);
}

TEST_CASE(
    "A lost wake-up in C++ is found; each run begins with constructors and ends without a trace") {
  const std::string compiler = GENERATE("g++", "clang++");
  const std::string flags = GENERATE("", "-no-pie", "-static-libstdc++ -static-libgcc");
  CAPTURE(compiler, flags);
  const WorkingDirectory here;
  build_plainly(here, compiler, told_once(without_look), flags);
  const CommandResult found = here.orrery("explore --no-shrink --threads ./app");
  INFO(found.out << found.err);
  CHECK(found.status == 1);
  CHECK(has(found.out, "deadlock"));
  CHECK(has(found.out, "app.cpp:17"));

  build_plainly(here, compiler, told_once(with_look), flags);
  here.write("expected.txt", here.shell("./app").out);
  const CommandResult mended =
      here.orrery("explore --runs 300 --threads --expect-output expected.txt ./app");
  INFO(mended.out << mended.err);
  CHECK(mended.status == 0);
}

TEST_CASE("Threads of C and C++ do in a plain program nothing that they must not do") {
  const WorkingDirectory here;
  REQUIRE(here.shell("gcc -std=gnu11 -O2 -g -pthread '" + litmus + "'/*.c -o app_c").status == 0);
  REQUIRE(here.shell("gcc -O2 -c '" + litmus + "/litmus.c' && g++ -std=c++20 -O2 -g -pthread '" +
                     litmus + "'/*.cpp litmus.o -o app_cpp")
              .status == 0);
  const std::vector<std::string> always{
      "app_c kept_increment within 2",
      "app_c cancelled within 3 11 12 13",
      "app_c key_destructors within 6",
      "app_c thread_local_values within 25",
      "app_c robust_mutex within 11",
      "app_c main_exits_first within",
      "app_c raw_futex within 1 2",
      "app_c through_pipe within 2 3",
      "app_c own_signal within 11",
      "app_cpp called_until_done within 12",
      "app_cpp static_local within 1",
      "app_cpp thread_local_objects within 22",
      "app_cpp asynchronous within 16",
      "app_cpp std_condition_times_out within 111",
      "app_cpp std_barrier within 2",
      "app_cpp atomic_wait within 3",
      "app_cpp counting_semaphore within 211",
  };
  for (const std::string& program : always) {
    const CommandResult result =
        here.orrery("explore --threads --no-shrink --runs 100 ./" + program);
    INFO(program << "\n" << result.out << result.err);
    CHECK(result.status == 0);
  }
  for (const std::string program :
       {"app_c first_of_two is 1", "app_c first_of_two is 2", "app_c signal_too_soon is 2",
        "app_cpp promised is 50", "app_cpp promised is 51"}) {
    const CommandResult result =
        here.orrery("explore --threads --no-shrink --runs 1000 ./" + program);
    INFO(program << "\n" << result.out << result.err);
    CHECK(result.status == 1);
  }
}

TEST_CASE("OpenMP as gcc compiles it runs, with Orrery's own threads") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", R"(#include <stdio.h>
#include <omp.h>
static int own;
#pragma omp threadprivate(own)
int main(void) {
  int sum = 0, wrong = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 3)
  for (int i = 0; i < 100; ++i) sum += i;
#pragma omp parallel num_threads(3)
  {
    own = omp_get_thread_num();
#pragma omp barrier
    if (own != omp_get_thread_num())
#pragma omp critical
      ++wrong;
  }
  printf("%d %d\n", sum, wrong);
}
)",
                "-fopenmp");
  here.write("expected.txt", "4950 0\n");
  const CommandResult result =
      here.orrery("explore --runs 100 --threads --expect-output expected.txt ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

TEST_CASE("How a plain program ends, with the line, and what it writes") {
  struct End {
    std::string statement;
    int status;
    std::string said;
  };
  const std::vector<End> ends{
      {"return 3;", 1, "exit: the program exits with status 3"},
      {"exit(4);", 1, "app.c:7 in main"},
      {"int *nowhere = 0; *(volatile int *)nowhere = 1;", 1, "app.c:7 in main"},
      {"abort();", 1, "crash: abort() was called"},
      {"assert(getpid() == 0);", 1, "assertion failed: getpid() == 0 (app.c:7, main)"},
      {"if (fork() == 0) _exit(0);", 2, "app.c:7 in main: fork() starts a process"},
      {"for (volatile int on = 1; on;) {}", 3, "limit"},
      {"char *text = strdup(\"x\"); free(text); free(text);", 1, "is freed a second time"},
      {"puts(getenv(\"LD_PRELOAD\"));", 0, "no finding"},
  };
  for (const End& end : ends) {
    const WorkingDirectory here;
    CAPTURE(end.statement);
    build_plainly(here, "gcc",
                  "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include "
                  "<unistd.h>\n#include <string.h>\nint main(void) {\n" +
                      end.statement + "\nreturn 0;\n}\n");
    const CommandResult result =
        here.shell("LD_PRELOAD=libm.so.6 '" ORRERY_BINARY "' run --wall-limit 1s --threads ./app");
    INFO(result.out << result.err);
    CHECK(result.status == end.status);
    CHECK(has(result.err, end.said));
    if (end.status == 0) CHECK(result.out == "libm.so.6\n");
  }
}

TEST_CASE("What the C library says before it ends a process ends the program alone") {
  const std::string how = GENERATE("", "--threads ");
  const WorkingDirectory here;
  const std::string program = R"(#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <stdlib.h>
static void bye(void) { printf("%s %u\n", program_invocation_name, error_message_count); }
int main(int argc, char **argv) {
  atexit(bye);
  errno = ENOENT;
  warn("%s", "careful");
  if (argc == 1) err(3, "no %s", "file");
  if (argc == 2) errx(4, "no %s", argv[1]);
  error_one_per_line = 1;
  error(0, ENOENT, "bad %d", 1);
  error_at_line(0, 0, "in.txt", 17, "bad %d", 2);
  error_at_line(0, 0, "in.txt", 17, "bad %d", 3);
  if (argc == 3) error(5, 0, "bad %d", 4);
  error_at_line(6, ENOENT, "in.txt", 18, "bad %d", 5);
}
)";
  build_plainly(here, "gcc", program);
  REQUIRE(here.shell("cp app native").status == 0);
  if (how.empty()) build_app(here, program, "-g");
  for (const std::string words : {"", " one", " one two", " one two three"}) {
    CAPTURE(how, words);
    const CommandResult native = here.shell("mv app other; mv native app; ./app" + words +
                                            "; s=$?; mv app native; mv other app; exit $s");
    const CommandResult run = here.orrery("run " + how + "./app" + words);
    INFO(run.err);
    CHECK(run.status == 1);
    CHECK(run.out == native.out);
    CHECK(has(run.err, native.err));
    CHECK(has(run.err, "exits with status " + std::to_string(native.status)));
  }
}

TEST_CASE("Tools of the machine as they are: the same output whatever the seed") {
  const WorkingDirectory here;
  REQUIRE(here.shell("seq 1 300000 >numbers && sort -R numbers >mixed").status == 0);
  for (const std::string command : {"/usr/bin/xz -0 -T4 --block-size=500000 -k -c numbers",
                                    "/usr/bin/sort --parallel=4 -n mixed"}) {
    CAPTURE(command);
    if (!std::filesystem::exists(command.substr(0, command.find(' ')))) continue;
    const CommandResult alone = here.shell(command + " >native");
    REQUIRE(alone.status == 0);
    for (const std::string seed : {"1", "2", "3"}) {
      const CommandResult result = here.orrery("run --threads --seed " + seed + " " + command);
      INFO(result.err);
      CHECK(result.status == 0);
      CHECK(result.out == here.read("native"));
      // It has threads there, and they take turns.
      CHECK(!has(result.err, " 0 preemptions"));
    }
  }
}

TEST_CASE("A plain program that waits with atomics of its own is told what would let it end") {
  const WorkingDirectory here;
  build_plainly(here, "g++", R"(#include <atomic>
#include <thread>
std::atomic<bool> is_set;
int main() {
  std::thread setter([] { is_set = true; });
  while (!is_set) {}
  setter.join();
}
)");
  const CommandResult result = here.orrery("run --threads --wall-limit 200ms ./app");
  INFO(result.err);
  CHECK(result.status == 3);
  CHECK(has(result.err, "app.cpp:6"));
  CHECK(has(result.err, "build it with orrery cc, and --preempt all lets that task go on"));
}

TEST_CASE("What --threads cannot be used for is said") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", "int main(void) { return 0; }\n");
  const std::string more =
      "gcc -static app.c -o static; gcc -shared -fPIC app.c -o library; gcc -c app.c -o object;"
      "gcc -fsanitize=address app.c -o watched; cp app other_user; chmod u+s other_user;"
      "printf '#!/bin/sh\\n' >script; printf text >text; chmod +x object script text;"
      "echo 'int f(void) { return 0; }' | gcc -shared -xc - -o libmissing.so;"
      "gcc app.c -Wl,--no-as-needed -L. -lmissing -o misses; rm libmissing.so;"
      "echo '#include <stdlib.h>\nvoid *malloc(size_t n) { return NULL; } int main(void) { return "
      "malloc(1) != 0; }' | gcc -fno-builtin -xc - -o allocates;"
      "echo 'void _start(void) { for (;;); }' | gcc -nostartfiles -xc - -o alone;"
      "(head -c 4 app; printf '\\001'; tail -c +6 app) >narrow; chmod +x narrow;"
      "'" ORRERY_BINARY "' cc app.c -o own";
  REQUIRE(here.shell(more).status == 0);
  const std::vector<std::vector<std::string>> refused{
      {"--threads ./static", "it is linked statically"},
      {"--threads ./library", "or is a library"},
      {"--threads ./object", "this is an object"},
      {"--threads ./watched", "-fsanitize=address"},
      {"--threads ./other_user", "with the rights of another user"},
      {"--threads ./script", "this is a script"},
      {"--threads ./text", "this is not a compiled program"},
      {"--threads ./misses", "a library is missing: libmissing.so"},
      {"--threads ./allocates", "it has a `malloc` of its own"},
      {"--threads ./alone", "it does not begin as programs of the C library do"},
      {"--threads ./narrow", "this program is not for 64-bit x86 processors"},
      {"--threads --preempt shared ./app", "its accesses to memory are not seen"},
      {"--threads --detect fasttrack ./app", "its accesses to memory are not seen"},
      {"--threads -n 2 ./app", "a program that was not built for Orrery is one process"},
      {"--threads bounded_buffer", "is a built-in scenario"},
      {"./app", "run it as it is, if it has threads and no MPI: --threads"},
  };
  for (const auto& words : refused) {
    const CommandResult result = here.orrery("run " + words[0]);
    INFO(words[0] << "\n" << result.out << result.err);
    CHECK(result.status == 2);
    CHECK(has(result.err, words[1]));
  }
  const CommandResult own = here.orrery("run --threads ./own");
  CHECK(own.status == 0);
  CHECK(has(own.err, "built with orrery cc: --threads is not needed"));
}

#else

TEST_CASE("A build with AddressSanitizer says that it cannot be preloaded") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", "int main(void) { return 0; }\n");
  const CommandResult result = here.orrery("run --threads ./app");
  CHECK(result.status == 2);
  CHECK(has(result.err, "a build with AddressSanitizer has none"));
}

#endif

}  // namespace
