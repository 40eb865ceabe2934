// Files that are no programs, and a surrounding that is not as usual: said in one line, or no
// matter at all.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* hello = R"(#include <stdio.h>
int main(void) {
  puts("hello");
  return 0;
}
)";

struct BadFile {
  const char* made_by;  ///< a shell command; there is a program `app`
  const char* path;
  const char* what;
};

constexpr BadFile bad_files[] = {
    {"true", "./missing", "no such file"},
    {"mkdir folder", "./folder", "is a directory"},
    {"ln -s nowhere dangling", "./dangling", "no such file"},
    {": > empty && chmod +x empty", "./empty", "this is not a compiled program"},
    {"printf '#!/bin/sh\\n' > script && chmod +x script", "./script", "this is a script"},
    {"printf '\\177ELF' > short && chmod +x short", "./short", "this is not a compiled program"},
    {"head -c 3000 app > cut && chmod +x cut", "./cut", "the file is damaged at byte"},
    {"cp app locked && chmod -x locked", "./locked", "is not executable"},
    {"gcc app.c -o plain", "./plain", "this program was not built for Orrery"},
    {"gcc -static app.c -o whole", "./whole", "this program was not built for Orrery"},
    {"gcc -c app.c -o app.o && chmod +x app.o", "./app.o", "this is an object file"},
    // The note that says how it was linked.
    {"LC_ALL=C sed 's/\\(Orrery\\x00\\x00\\)\\x02/\\1\\x63/' app > other && chmod +x other",
     "./other", "99, and this Orrery knows"},
    // Bytes of the header: the type (4: a core file), the machine (183: ARM), the class (32 bits).
    {"cp app core && printf '\\004' | dd of=core bs=1 seek=16 conv=notrunc 2>/dev/null", "./core",
     "this is what a crash has left behind"},
    {"cp app arm && printf '\\267' | dd of=arm bs=1 seek=18 conv=notrunc 2>/dev/null", "./arm",
     "this program is not for 64-bit x86 processors"},
    {"cp app narrow && printf '\\001' | dd of=narrow bs=1 seek=4 conv=notrunc 2>/dev/null",
     "./narrow", "this program is not for 64-bit x86 processors"},
};

TEST_CASE("What is no program is refused in one line, with what to do") {
  const WorkingDirectory here;
  build_app(here, hello, "-g");
  for (const BadFile& one : bad_files) {
    INFO(one.made_by);
    REQUIRE(here.shell(one.made_by).status == 0);
    const CommandResult run = here.orrery(std::string("run --json ") + one.path);
    INFO(run.out << run.err);
    CHECK(run.status == 2);
    const json report = json::parse(run.out, nullptr, false);
    REQUIRE(report.is_object());
    CHECK(report["outcome"] == "error");
    CHECK(has(report["error"]["what"], one.what));
    CHECK(report["error"]["where"] == one.path);
    CHECK_FALSE(report["error"]["hint"].get<std::string>().empty());
    CHECK(here.orrery(std::string("explore --runs 2 ") + one.path).status == 2);
  }
}

TEST_CASE("A program whose standard streams are closed, by itself or by others, runs on") {
  const WorkingDirectory here;
  build_app(here, R"(#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void close_all(void) {
  if (fclose(stdout) != 0 || fclose(stderr) != 0) _Exit(7);
}
int main(int count, char **words) {
  atexit(close_all);
  int c = getchar();
  puts("hello");
  if (count == 1) return 0;
  fclose(stdout);
  int after = puts("more");
  FILE *said = fopen("said", "w");
  fprintf(said, "%d %d %d", c, after, (int)write(1, "x", 1));
  return fclose(said);
}
)",
            "-g");
  CHECK(here.orrery("run ./app").out == "hello\n");
  CHECK(here.shell("'" ORRERY_BINARY "' run ./app 0<&-").out == "hello\n");
  CHECK(here.shell("'" ORRERY_BINARY "' run ./app 2>&-").out == "hello\n");
  CHECK(here.shell("'" ORRERY_BINARY "' run ./app 1>&-").status == 0);
  REQUIRE(here.shell("./app more </dev/null; mv said natively").status == 0);
  CHECK(here.orrery("run --keep-files kept ./app more").out == "hello\n");
  CHECK(here.shell("find kept -name said | xargs cat").out == here.read("natively"));
}

TEST_CASE("A program that sets limits for itself gets the machine's, and is not in the way of it") {
  const WorkingDirectory here;
  build_app(here, R"(#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static void *worker(void *argument) { return malloc(10 << 20); }
int main(void) {
  struct rlimit small = {1 << 20, 1 << 20};
  int first = setrlimit(RLIMIT_AS, &small), second = setrlimit(RLIMIT_STACK, &small);
  pthread_t id;
  void *block;
  pthread_create(&id, NULL, worker, NULL);
  pthread_join(id, &block);
  printf("%d %d %d\n", first, second, block != NULL);
  return 0;
}
)",
            "-g -pthread");
  const CommandResult run = here.orrery("run ./app");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(run.out == "0 0 1\n");
}

TEST_CASE("What is written never takes the place of a device or a pipe") {
  const WorkingDirectory here;
  build_app(here, hello, "-g");
  REQUIRE(here.shell("mkfifo pipe && ln -s pipe link").status == 0);
  for (const char* const command :
       {"run --record pipe ./app", "record -o pipe ./app", "record -o link ./app",
        "run --detect recplay:series=pipe ./app", "explore -o pipe lost_update",
        "explore --junit pipe lost_update"}) {
    CAPTURE(command);
    const CommandResult refused = here.orrery(command);
    INFO(refused.err);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "is there, and no plain file"));
    CHECK(has(refused.err, "hint: give the name of a file"));
    CHECK(here.shell("test -p pipe && test -L link").status == 0);
  }
}

}  // namespace
