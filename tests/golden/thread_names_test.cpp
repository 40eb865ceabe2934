// What threads and locks of a program are called where a user reads about them.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* named = R"(#define _GNU_SOURCE
#include <pthread.h>
static struct { long length; struct { long first; pthread_mutex_t lock; } inner; } queue;
static struct bucket { int count; pthread_mutex_t lock; } buckets[5][2];
static void *worker(void *name) {
  static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  if (name != NULL) pthread_setname_np(pthread_self(), name);
  pthread_mutex_lock(&queue.inner.lock);
  pthread_mutex_lock(&buckets[3][1].lock);
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
  pthread_mutex_unlock(&buckets[3][1].lock);
  pthread_mutex_unlock(&queue.inner.lock);
  return NULL;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, worker, "teller");
  pthread_create(&two, NULL, worker, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
)";

TEST_CASE("A timeline calls threads as they are called in the end, and locks by their variables") {
  const WorkingDirectory here;
  build_app(here, named, "-g -pthread");
  const std::string text = here.orrery("run --seed 3 --timeline ./app").err;
  INFO(text);
  CHECK(has(text, "starts teller"));
  CHECK(has(text, "starts worker#2"));
  CHECK(has(text, "joins teller"));
  CHECK(has(text, "locks mutex queue.inner.lock"));
  CHECK(has(text, "locks mutex buckets[3][1].lock"));
  CHECK(has(text, "locks mutex own"));
  CHECK_FALSE(has(text, "worker#1"));
  CHECK_FALSE(has(text, "task "));
}

TEST_CASE(
    "Without debug information a lock is so far into its variable; stripped, it has a number") {
  const WorkingDirectory here;
  build_app(here, named, "-pthread");
  const std::string text = here.orrery("run --timeline ./app").err;
  INFO(text);
  CHECK(has(text, "locks mutex queue+16"));
  CHECK(has(text, "locks mutex own"));
  REQUIRE(here.shell("strip app").status == 0);
  CHECK(has(here.orrery("run --timeline ./app").err, "locks mutex 3.1"));
}

}  // namespace
