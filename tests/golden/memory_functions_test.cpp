// What the C library does with a program's memory counts as the program's own accesses, whether a
// compiler calls it or writes it out.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::has;
using orrery::test::WorkingDirectory;

/// A statement about `shared`, and a byte of it that the other thread writes.
struct Touch {
  std::string statement;
  int byte;
};

const std::vector<Touch>& touches() {
  static const std::vector<Touch> all{
      {"memcpy(shared, source, 4)", 3},
      {"memcpy(shared, source, 24)", 20},
      {"memcpy(shared, source, 200)", 199},
      {"__builtin_memcpy(shared, source, 24)", 20},
      {"memmove(shared + 1, shared, 24)", 24},
      {"memset(shared, 0, 40)", 39},
      {"memset(shared, 0, 256)", 200},
      {"sink = memcmp(shared, source, 24)", 20},
      {"sink = memchr(shared, 1, 24) != 0", 20},
      {"strcpy(shared, \"hello\")", 5},
      {"strcpy(shared, \"a text that is longer\")", 20},
      {"strncpy(shared, \"hello\", 16)", 9},
      {"strcat(shared, \"hello hello\")", 7},
      {"sink = (int)strlen(shared)", 0},
      {"sink = strcmp(shared, source)", 0},
      {"sink = strcmp(shared, \"ab\") == 0", 0},
      {"sink = strchr(shared, 'x') != 0", 0},
      {"sink = atoi(shared)", 0},
      {"copy = strdup(shared)", 0},
      {"snprintf(shared, sizeof shared, \"hello %d\", 5)", 7},
      {"sprintf(shared, \"hello\")", 5},
      {"qsort(shared, 32, 1, compare)", 20},
      {"fwrite(shared, 1, 10, stdout)", 2},
      {"puts(shared)", 0},
      {"sink = (int)write(1, shared, 10)", 2},
      {"sink = (int)read(0, shared, 4)", 2},
      {"sink = fgets(shared, sizeof shared, stdin) != 0", 2},
      {"sink = (int)fread(shared, 1, 4, stdin)", 2},
      {"structure = *(struct Large*)source", -1},
  };
  return all;
}

/// `app NUMBER LOCKED`: two threads, one of which executes the statement, each on a line of its
/// own.
std::string source_of_all() {
  std::ostringstream text;
  text << R"(#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct Large { char bytes[200]; };
static char shared[256], source[256] = "another text of some length";
static struct Large structure;
char* copy;
int sink;
static int number, is_locked;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock(void) { if (is_locked) pthread_mutex_lock(&mutex); }
static void unlock(void) { if (is_locked) pthread_mutex_unlock(&mutex); }
static int compare(const void* one, const void* other) {
  return *(const char*)one - *(const char*)other;
}
static volatile char* place_of(int number) {
  switch (number) {
)";
  for (std::size_t i = 0; i < touches().size(); ++i) {
    const int byte = touches()[i].byte;
    text << "    case " << i << ": return "
         << (byte < 0 ? "structure.bytes + 7" : "shared + " + std::to_string(byte)) << ";\n";
  }
  text << R"(  }
  return source;
}
static void* other(void* argument) {
  lock();
  *place_of(number) = 'z';  // other
  unlock();
  return argument;
}
)";
  for (std::size_t i = 0; i < touches().size(); ++i) {
    text << "__attribute__((noinline)) static void touch" << i << "(void) {\n  "
         << touches()[i].statement << ";  // touch " << i << "\n}\n";
  }
  text << "int main(int argc, char** argv) {\n  pthread_t thread;\n  number = atoi(argv[1]);\n"
          "  is_locked = argc > 2;\n  pthread_create(&thread, 0, other, 0);\n  lock();\n"
          "  switch (number) {\n";
  for (std::size_t i = 0; i < touches().size(); ++i) {
    text << "    case " << i << ": touch" << i << "(); break;\n";
  }
  text << "  }\n  unlock();\n  pthread_join(thread, 0);\n  return 0;\n}\n";
  return text.str();
}

std::string place_of(const std::string& source, const std::string& mark) {
  const std::size_t at = source.find("// " + mark + "\n");
  REQUIRE(at != std::string::npos);
  const auto newlines = std::count(source.begin(), source.begin() + static_cast<long>(at), '\n');
  return "app.c:" + std::to_string(newlines + 1);
}

TEST_CASE("What the C library does with shared memory is a race like any other, with its line") {
  for (const std::string compiler : {"gcc -O2", "gcc -O0", "clang -O2"}) {
    const WorkingDirectory here;
    const std::string source = source_of_all();
    here.write("app.c", source);
    const std::string name = compiler.substr(0, compiler.find(' '));
    const auto built = here.shell("ORRERY_CC=" + name + " " ORRERY_BINARY " cc -g -pthread " +
                                  compiler.substr(name.size()) + " app.c -o app");
    INFO(built.err);
    REQUIRE(built.status == 0);
    const std::string other = place_of(source, "other");
    for (std::size_t i = 0; i < touches().size(); ++i) {
      CAPTURE(compiler, touches()[i].statement);
      const std::string number = std::to_string(i);
      const auto race = here.orrery("run --detect fasttrack ./app " + number, "some input\n");
      INFO(race.err);
      CHECK(race.status == 1);
      CHECK(has(race.err, other));
      CHECK(has(race.err, place_of(source, "touch " + number)));
      CHECK(here.orrery("run --detect fasttrack ./app " + number + " locked", "some input\n")
                .status == 0);
    }
  }
}

TEST_CASE("The functions that others stand for are those that the linker is told of") {
  const WorkingDirectory here;
  const std::string runtime = "\"$(dirname " ORRERY_BINARY ")\"/../lib/orrery/";
  const std::pair<const char*, const char*> parts[] = {
      {"liborrery_memory_hooks.a", "wrapped.list"}, {"liborrery_cxx_hooks.a", "wrapped_cxx.list"}};
  for (const auto& [archive, list] : parts) {
    CAPTURE(archive);
    const std::string defined =
        "nm -g --defined-only " + runtime + archive + " | sed -n 's/.* T __wrap_/--wrap=/p' | sort";
    CHECK(here.shell(defined).out == here.shell("sort " + runtime + list).out);
    CHECK_FALSE(here.shell(defined).out.empty());
  }
}

TEST_CASE("What a std::string does with its text is seen, also in C++17") {
  for (const std::string standard : {"17", "20"}) {
    const WorkingDirectory here;
    orrery::test::build_app(here, R"(
      #include <string>
      #include <thread>
      std::string shared;
      int main() {
        std::thread other([] { shared.append(100, 'x'); });
        shared.assign("a text that is too long for the short form");
        other.join();
      })",
                            "-O2 -g -pthread -std=c++" + standard, "cpp");
    CHECK(here.orrery("run --detect fasttrack ./app").status == 1);
  }
}

TEST_CASE("A program's own function of such a name is the one that runs") {
  const WorkingDirectory here;
  here.write("own.c",
             "char* strchr(const char* text, int letter) { (void)letter; return "
             "(char*)text + 3; }\n");
  here.write("app.c", R"(#include <stdio.h>
    char* strchr(const char*, int);
    int main(int argc, char** argv) { (void)argc; puts(strchr("abcdef", argv[0][0])); })");
  REQUIRE(here.orrery("cc -O1 -fno-builtin own.c app.c -o app").status == 0);
  CHECK(here.shell("./app").out == "def\n");
  CHECK(here.orrery("run --preempt all ./app").out == "def\n");
}

}  // namespace
