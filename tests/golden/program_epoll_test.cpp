// Programs that wait by epoll, or read timers from a descriptor.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::outputs_of_replays;
using orrery::test::WorkingDirectory;

TEST_CASE("epoll and timers do in simulation, and in replays of real runs, what Linux does") {
  const WorkingDirectory here;
  REQUIRE(
      here.orrery("cc -g -O1 -pthread " ORRERY_SOURCE_DIR "/tests/programs/as_linux/epoll.c -o app")
          .status == 0);
  REQUIRE(here.shell("./app").out == "good\n");
  const CommandResult search = here.orrery("explore --runs 30 --window 0ns ./app");
  INFO(search.out << search.err);
  CHECK(search.status == 0);
  for (const char* const method : {"lamport-order", "instant-replay", "stride"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    REQUIRE(real.out == "good\n");
    CHECK(outputs_of_replays(here) == "good\nno finding");
  }
}

TEST_CASE("Who waits for files to which nothing happens is stuck, and a timer that is set is not") {
  const WorkingDirectory here;
  build_app(here, R"(#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct epoll_event event = {.events = EPOLLIN};
  struct itimerspec day = {.it_value = {86400, 0}};
  int list = epoll_create1(0), counter = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
  epoll_ctl(list, EPOLL_CTL_ADD, counter, &event);
  epoll_ctl(list, EPOLL_CTL_ADD, timer, &event);
  if (argc > 1) timerfd_settime(timer, 0, &day, NULL);
  return epoll_wait(list, &event, 1, -1) - 1;
}
)",
            "-g -O1 -pthread");
  const json stuck = json::parse(here.orrery("run --json ./app").out)["findings"].at(0);
  CHECK(stuck["kind"] == "deadlock");
  CHECK(stuck["where"][0]["line"] == 13);
  CHECK(here.orrery("run ./app x").status == 0);
}

TEST_CASE("Who finds by epoll that something was written comes behind that: no race") {
  const WorkingDirectory here;
  build_app(here, R"(#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
static int counter, shared;
static void *produce(void *unused) {
  shared = 7;
  eventfd_write(counter, 1);
  return unused;
}
int main(void) {
  pthread_t producer;
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};
  int list = epoll_create1(0);
  counter = eventfd(0, 0);
  epoll_ctl(list, EPOLL_CTL_ADD, counter, &event);
  pthread_create(&producer, NULL, produce, NULL);
  epoll_wait(list, &event, 1, -1);
  int found = shared;
  pthread_join(producer, NULL);
  return found == 7 ? 0 : 1;
}
)",
            "-g -O1 -pthread");
  const CommandResult search = here.orrery("explore --runs 50 --detect fasttrack ./app");
  INFO(search.out << search.err);
  CHECK(search.status == 0);
  REQUIRE(here.orrery("record --quiet -o run.orr ./app").status == 0);
  CHECK(here.orrery("replay --detect recplay run.orr").status == 0);
}

TEST_CASE("A thread that waits by epoll is woken when somebody else closes what it waits for") {
  const WorkingDirectory here;
  build_app(here, R"(#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>
static int ends[2];
static void *look(void *unused) {
  struct pollfd own = {ends[1], 0, 0};
  poll(&own, 1, 1);
  return unused;
}
static void *end(void *unused) {
  close(ends[1]);
  return unused;
}
int main(void) {
  pthread_t looker, ender;
  struct epoll_event event = {.events = EPOLLIN};
  int list = epoll_create1(0);
  assert(pipe(ends) == 0 && epoll_ctl(list, EPOLL_CTL_ADD, ends[0], &event) == 0);
  pthread_create(&looker, NULL, look, NULL);
  pthread_create(&ender, NULL, end, NULL);
  assert(epoll_wait(list, &event, 1, -1) == 1 && event.events == EPOLLHUP);
  pthread_join(looker, NULL);
  pthread_join(ender, NULL);
  return 0;
}
)",
            "-g -O1 -pthread");
  const CommandResult search = here.orrery("explore --runs 200 ./app");
  INFO(search.out << search.err);
  CHECK(search.status == 0);
}

}  // namespace
