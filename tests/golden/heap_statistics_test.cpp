// What a program asks about its heap.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

TEST_CASE("A program in simulation is told of its own heap, and prints that without hanging") {
  const WorkingDirectory here;
  build_app(here, R"(#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *print(void *unused) {
  malloc_stats();
  return unused;
}
int main(void) {
  pthread_t other;
  const size_t before = mallinfo2().uordblks;
  char *volatile large = malloc(100000), *volatile small = malloc(100);
  const struct mallinfo2 now = mallinfo2();
  assert(now.uordblks >= before + 100100 && now.uordblks < before + 150000);
  assert(now.arena >= now.uordblks && now.fordblks == now.arena - now.uordblks);
  pthread_create(&other, NULL, print, NULL);
  pthread_join(other, NULL);
  malloc_stats();
  assert(malloc_info(1, stdout) == EINVAL && malloc_info(0, stdout) == 0);
  free(large), free(small);
  assert(mallinfo2().uordblks < now.uordblks - 100000);
  malloc_trim(0);
  return 0;
}
)",
            "-g -O1 -pthread");
  const CommandResult run = here.shell("timeout 60 '" ORRERY_BINARY "' run --quiet ./app");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(has(run.out, "<malloc version=\"1\">"));
  CHECK(has(run.err, "in use bytes"));
  CHECK(here.orrery("run --quiet ./app").err == run.err);
}

}  // namespace
