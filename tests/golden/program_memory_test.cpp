// The memory of programs that `orrery cc` built: the same in every run, and nobody else's.
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

void build(const WorkingDirectory& here, const std::string& source,
           const std::string& language = "c") {
  build_app(here, source, "-g -O1", language);
}

TEST_CASE("A program's blocks have the same addresses in every run and process") {
  const WorkingDirectory here;
  build(here, R"(#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char *text = NULL, *line = strdup("some text");
  void *blocks[20];
  for (int i = 0; i < 20; ++i) blocks[i] = malloc(1u << i);
  asprintf(&text, "%d", 12345);
  for (int i = 0; i < 20; i += 2) free(blocks[i]);
  for (int i = 0; i < 20; ++i) printf("%p %p\n", blocks[i], calloc(i, 100));
  printf("%p %p %p %s %s\n", (void *)text, (void *)line, (void *)getcwd(NULL, 0), text, line);
  return 0;
}
)");
  const std::string once = here.orrery("run ./app").out;
  CHECK(has(once, "12345 some text"));
  CHECK(here.orrery("run --seed 7 ./app").out == once);
  const json many =
      json::parse(here.orrery("explore --json --runs 20 --check-determinism ./app").out);
  CHECK(many["outcome"] == "clean");
  CHECK(many["output"] == once);
}

TEST_CASE("What a run leaves in memory is not there in the next one") {
  const WorkingDirectory here;
  build(here, R"(#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>
int main() {
  std::vector<std::string> kept;
  kept.reserve(300);
  for (int i = 1; i < 200; ++i) {
    char *block = static_cast<char *>(malloc(i * i));
    for (int k = 0; k < i * i; ++k) assert(block[k] == 0);
    memset(block, 0x5a, i * i);
    kept.push_back(std::string(i, 'x'));
  }
  _Exit(0);
}
)",
        "cpp");
  const CommandResult result = here.orrery("explore --runs 50 ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

TEST_CASE("A block that is freed twice, or is none, is a finding at the line") {
  const WorkingDirectory here;
  build(here, R"(#include <stdlib.h>
static volatile int zero;
int main(int argc, char **argv) {
  char *block = malloc(100), *other = malloc(100);
  free(block);
  if (argc == 2) free(block + zero);
  if (argc == 3) free(other + 16);
  return 0;
}
)");
  CHECK(here.orrery("run ./app").status == 0);
  const auto finding = [&](const std::string& words) {
    return json::parse(here.orrery("run --json ./app " + words).out)["findings"].at(0);
  };
  const json twice = finding("1");
  CHECK(twice["kind"] == "crash");
  CHECK(has(twice["message"], "is freed a second time"));
  CHECK(twice["where"][0]["line"] == 6);
  const json wrong = finding("1 2");
  CHECK(has(wrong["message"], "is freed, which no allocation has given"));
  CHECK(wrong["where"][0]["line"] == 7);
}

TEST_CASE("A program's variables and those of its libraries are as new in every run") {
  const WorkingDirectory here;
  here.write("part.c", R"(#include <stdlib.h>
#include <string.h>
static char *kept, large[3 << 20], text[2 << 20] = "begins so";
static int count;
int part(void) {
  if (kept == NULL) kept = strdup("kept by the library");
  if (strlen(kept) != 19 || large[2 << 20] != 0 || strcmp(text, "begins so") != 0) abort();
  large[2 << 20] = 1;
  text[3] = 'x';
  kept[3] = 'x';
  return ++count;
}
)");
  REQUIRE(here.shell("gcc -g -shared -fPIC -o libpart.so part.c").status == 0);
  here.write("app.c", R"(#include <assert.h>
#include <string.h>
int part(void);
static char zero[5 << 20], letters[3 << 20] = {'a', 'b'};
static int small = 7;
int main(void) {
  assert(part() == 1 && small == 7);
  for (int i = 0; i < 5 << 20; i += 5000) {
    assert(zero[i] == 0);
    zero[i] = 1;
  }
  assert(letters[0] == 'a' && letters[1] == 'b' && letters[1 << 20] == 0);
  memset(letters, 'x', sizeof letters);
  small = 8;
  return 0;
}
)");
  const CommandResult built =
      here.orrery("cc -g -o app app.c -L. -lpart -Wl,-rpath," + here.path().string());
  INFO(built.err);
  REQUIRE(built.status == 0);
  const CommandResult result = here.orrery("explore --runs 20 ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

TEST_CASE("A program has as much memory as --memory-limit says") {
  const WorkingDirectory here;
  build(here, R"(#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
int main() {
  void *large = malloc(6 << 20);
  errno = 0;
  void *more = malloc(6 << 20);
  printf("%d %d %d", large != nullptr, more != nullptr, errno == ENOMEM);
  void *mapped = mmap(nullptr, 6 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf(" %d", mapped != MAP_FAILED);
  try {
    ::operator delete(::operator new(5 << 20));
    printf(" new");
  } catch (const std::bad_alloc &) {
    printf(" bad_alloc");
  }
  free(large);
  printf(" %d\n", malloc(6 << 20) != nullptr);
}
)",
        "cpp");
  CHECK(here.orrery("run ./app").out == "1 1 0 1 new 1\n");
  CHECK(here.orrery("run --memory-limit 10MiB --record m.orr ./app").out ==
        "1 0 1 0 bad_alloc 1\n");
  CHECK(here.orrery("replay m.orr").out == "1 0 1 0 bad_alloc 1\n");
  const CommandResult small = here.orrery("run --memory-limit 100KiB ./app");
  CHECK(small.status == 2);
  CHECK(has(small.err, "--memory-limit"));
}

TEST_CASE("A program's mappings lie at the same addresses in every run, and end with it") {
  const WorkingDirectory here;
  build(here, R"(#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static char *map(size_t bytes) {
  return mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int main(void) {
  char *a = map(100000), *b = map(5000), *c = map(1 << 20);
  for (int i = 0; i < 100000; ++i) assert(a[i] == 0);
  a[5] = b[5] = c[5] = 1;
  assert(munmap(b, 5000) == 0);
  char *d = map(8192), *e = mremap(a, 100000, 3 << 20, MREMAP_MAYMOVE);
  assert(d == b && e != MAP_FAILED && e[5] == 1 && e[2 << 20] == 0);
  char *top = sbrk(5000);
  assert(top != (void *)-1 && top[4999] == 0 && sbrk(0) == top + 5000);
  top[4999] = 1;
  assert(brk(top) == 0);
  printf("%p %p %p %p %p\n", a, b, c, e, top);
  return 0;
}
)");
  const CommandResult once = here.orrery("run ./app");
  INFO(once.out << once.err);
  CHECK(once.status == 0);
  CHECK(here.orrery("run --seed 3 ./app").out == once.out);
  CHECK(here.orrery("explore --runs 20 --check-determinism ./app").status == 0);
}

TEST_CASE(
    "Memory that one thread gives back and another one gets is no race, but what they share is") {
  const WorkingDirectory here;
  here.write("app.c", R"(#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *work(void *unused) {
  for (int i = 0; i < 3; ++i) {
    int *block = malloc(64);
    volatile int local[10];
    for (int k = 0; k < 10; ++k) local[k] = block[k] = k;
    free(block);
  }
  if (shared != NULL) shared[1] = 1;
  return unused;
}
int main(int argc, char **argv) {
  pthread_t threads[2];
  if (argc > 1) shared = malloc(64);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_create(&threads[0], NULL, work, NULL);
  pthread_join(threads[0], NULL);
  return 0;
}
)");
  REQUIRE(here.orrery("cc -g -O1 -pthread -o app app.c").status == 0);
  const CommandResult clean = here.orrery("explore --runs 50 --detect fasttrack ./app");
  INFO(clean.out << clean.err);
  CHECK(clean.status == 0);
  const json racy = json::parse(here.orrery("explore --json --detect fasttrack ./app x").out);
  CHECK(racy["findings"].at(0)["kind"] == "data_race");
  CHECK(racy["findings"].at(0)["where"][0]["line"] == 11);
}

}  // namespace
