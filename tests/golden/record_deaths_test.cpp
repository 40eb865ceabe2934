// Processes that die on real cores while their other threads are in the midst of accesses.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* dies_of_what_it_reads = R"(#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct triple { long a, b, c; };
static long words[8];
static char texts[2][256];
static struct triple triples[4];
static pthread_barrier_t gate;
static int looks, dies_by_signal;
static void *work(void *number) {
  const long own = (long)number;
  char text[256];
  pthread_barrier_wait(&gate);
  for (long i = 0;; ++i) {
    words[(i + own) % 8] += i;
    memset(text, 'a' + (i + own) % 26, sizeof text);
    memcpy(texts[i % 2], text, sizeof text);
    memmove(texts[(i + 1) % 2] + 8, texts[i % 2], 64);
    triples[(i + own) % 4] = triples[(3 * i + own) % 4];
  }
  return NULL;
}
static void *look(void *argument) {
  long sum = 0;
  char text[256];
  pthread_barrier_wait(&gate);
  for (int i = 0; i < looks; ++i) {
    sum += words[i % 8];
    sum += triples[i % 4].b;
  }
  memcpy(text, texts[0], sizeof text);
  printf("%ld %.256s\n", sum, text);
  fflush(stdout);
  if (dies_by_signal) *(volatile long *)(sum % 512 * 8) = 1;
  abort();
}
int main(int count, char **words_of_call) {
  const long workers = atoi(words_of_call[1]);
  looks = atoi(words_of_call[2]);
  dies_by_signal = atoi(words_of_call[3]);
  pthread_t threads[8];
  pthread_barrier_init(&gate, NULL, workers + 1);
  for (long i = 0; i < workers; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
  pthread_create(&threads[workers], NULL, look, NULL);
  pthread_join(threads[workers], NULL);
}
)";

}  // namespace

TEST_CASE("A process that dies while others copy, assign and count dies so again") {
  const WorkingDirectory here;
  build_app(here, dies_of_what_it_reads, "-g -O1 -w -pthread");
  for (const char* const method :
       {"leap", "stride", "stride:group=block:64", "stride:group=site", "global-writes"}) {
    for (int death = 0; death < 10; ++death) {
      const bool is_by_signal = death % 3 == 2;
      const std::string delays =
          death % 2 == 0 ? "" : fmt::format("--inject-delays=50us --seed {}", death);
      const CommandResult real =
          here.orrery(fmt::format("record --method {} {} -o run.orr ./app {} {} {}", method, delays,
                                  2 + death % 4, 20 + death * 17, is_by_signal ? 1 : 0));
      CAPTURE(method, death, real.err);
      REQUIRE(real.status == 1);
      const CommandResult again = here.orrery("replay run.orr");
      CAPTURE(again.err);
      CHECK(again.status == 1);
      CHECK(again.out == real.out);
      CHECK(has(again.err, is_by_signal ? "died of SIGSEGV" : "abort() was called"));
    }
  }
}
