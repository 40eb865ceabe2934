// Pipes, event counters and socket pairs between threads of an unchanged program.
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

void build(const WorkingDirectory& here, const std::string& source) {
  build_app(here, source, "-g -O1 -pthread");
}

void check_clean(const WorkingDirectory& here) {
  const CommandResult result = here.orrery("explore --runs 300 ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

TEST_CASE("A pipe holds what was written until it is read, and ends with its last writer") {
  const WorkingDirectory here;
  build(here, R"(#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
static int ends[2];
static char sent[100000], got[100000];
static void *write_all(void *unused) {
  assert(write(ends[1], sent, sizeof sent) == sizeof sent);
  assert(close(ends[1]) == 0);
  return unused;
}
int main(void) {
  pthread_t writer;
  ssize_t count;
  size_t sum = 0;
  for (size_t i = 0; i < sizeof sent; ++i) sent[i] = (char)(i * 7 % 251);
  assert(pipe(ends) == 0);
  assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  assert(read(ends[0], got, 1) == -1 && errno == EAGAIN);
  assert(fcntl(ends[0], F_SETFL, 0) == 0);
  pthread_create(&writer, NULL, write_all, NULL);
  while ((count = read(ends[0], got + sum, sizeof got - sum)) > 0) sum += count;
  assert(count == 0 && sum == sizeof sent && memcmp(sent, got, sum) == 0);
  pthread_join(writer, NULL);
  assert(pipe(ends) == 0 && close(ends[0]) == 0);
  signal(SIGPIPE, SIG_IGN);
  assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);
  return 0;
}
)");
  check_clean(here);
}

TEST_CASE("A pipe that nobody writes to is a deadlock, and one that nobody reads a crash") {
  const WorkingDirectory here;
  build(here, R"(#include <unistd.h>
int main(int argc, char **argv) {
  int ends[2];
  char letter;
  pipe(ends);
  if (argc == 1) return (int)read(ends[0], &letter, 1);
  close(ends[0]);
  return (int)write(ends[1], "x", 1);
}
)");
  const json stuck = json::parse(here.orrery("run --json ./app").out)["findings"].at(0);
  CHECK(stuck["kind"] == "deadlock");
  CHECK(stuck["where"][0]["line"] == 6);
  const json died = json::parse(here.orrery("run --json ./app x").out)["findings"].at(0);
  CHECK(died["kind"] == "crash");
  CHECK(has(died["message"], "SIGPIPE"));
  CHECK(died["where"][0]["line"] == 8);
}

TEST_CASE("poll and select wait for whichever comes first, in virtual time") {
  const WorkingDirectory here;
  build(here, R"(#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static int event, both[2];
static void *answer(void *unused) {
  char text[10];
  assert(read(both[1], text, sizeof text) == 4);
  sleep(5);
  assert(send(both[1], "pong!", 5, 0) == 5);
  assert(eventfd_write(event, 3) == 0);
  return unused;
}
int main(void) {
  pthread_t other;
  char text[10];
  eventfd_t value;
  event = eventfd(0, 0);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
  struct pollfd files[2] = {{event, POLLIN, 0}, {both[0], POLLIN | POLLOUT, 0}};
  assert(poll(files, 1, 1000) == 0);
  assert(poll(files, 2, -1) == 1 && files[1].revents == POLLOUT);
  pthread_create(&other, NULL, answer, NULL);
  time_t begin = time(NULL);
  assert(write(both[0], "ping", 4) == 4);
  files[1].events = POLLIN;
  assert(poll(files, 2, 2000) == 0);
  fd_set in;
  FD_ZERO(&in);
  FD_SET(both[0], &in);
  assert(select(both[0] + 1, &in, NULL, NULL, NULL) == 1 && FD_ISSET(both[0], &in));
  assert(recv(both[0], text, sizeof text, 0) == 5);
  assert(time(NULL) - begin >= 5);
  assert(eventfd_read(event, &value) == 0 && value == 3);
  pthread_join(other, NULL);
  assert(shutdown(both[1], SHUT_WR) == 0 && read(both[0], text, 1) == 0);
  return 0;
}
)");
  const CommandResult result = here.orrery("explore --runs 200 --window 0ns ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

TEST_CASE("What several places are written from or read into goes in one piece") {
  const WorkingDirectory here;
  build(here, R"(#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
static int ends[2];
static void *produce(void *letter) {
  struct iovec parts[2] = {{letter, 1}, {letter, 2}};
  assert(writev(ends[1], parts, 2) == 3);
  return NULL;
}
int main(void) {
  pthread_t producers[2];
  char got[6], more[4];
  struct iovec parts[2] = {{got, 3}, {more, 4}};
  pipe(ends);
  pthread_create(&producers[0], NULL, produce, "aaa");
  pthread_create(&producers[1], NULL, produce, "bbb");
  ssize_t count = readv(ends[0], parts, 2);  // what is there, and does not wait for more
  assert(count == 3 || count == 6);
  assert(got[0] == got[1] && got[1] == got[2]);
  if (count == 6) assert(more[0] != got[0] && more[0] == more[1] && more[1] == more[2]);
  pthread_join(producers[0], NULL);
  pthread_join(producers[1], NULL);
  return 0;
}
)");
  check_clean(here);
}

TEST_CASE("Flags of send and recv mean what they do") {
  const WorkingDirectory here;
  build(here, R"(#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2];
static void *answer(void *unused) {
  assert(send(ends[1], "12", 2, 0) == 2);
  assert(send(ends[1], "345", 3, MSG_NOSIGNAL) == 3);
  return unused;
}
int main(void) {
  pthread_t other;
  char got[8];
  int file = dup(1);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  assert(recv(ends[0], got, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  assert(recv(file, got, 1, 0) == -1 && errno == ENOTSOCK);
  pthread_create(&other, NULL, answer, NULL);
  assert(recv(ends[0], got, 5, MSG_PEEK) >= 2 && got[0] == '1');
  assert(recv(ends[0], got, 5, MSG_WAITALL) == 5 && got[0] == '1' && got[4] == '5');
  pthread_join(other, NULL);
  close(ends[1]);
  assert(send(ends[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  return 0;
}
)");
  check_clean(here);
}

TEST_CASE("Who finds by poll that something was written comes behind that: no race") {
  const WorkingDirectory here;
  build(here, R"(#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
static int event, shared;
static void *produce(void *unused) {
  shared = 7;
  eventfd_write(event, 1);
  return unused;
}
int main(void) {
  pthread_t producer;
  event = eventfd(0, 0);
  struct pollfd file = {event, POLLIN, 0};
  pthread_create(&producer, NULL, produce, NULL);
  poll(&file, 1, -1);
  int found = shared;
  pthread_join(producer, NULL);
  return found == 7 ? 0 : 1;
}
)");
  for (const char* const detector : {"fasttrack", "recplay", "hybrid"}) {
    CAPTURE(detector);
    const CommandResult result =
        here.orrery(std::string("explore --runs 50 --detect ") + detector + " ./app");
    INFO(result.out << result.err);
    CHECK(result.status == 0);
  }
}

TEST_CASE("What goes through a pipe is ordered by it: no race") {
  const WorkingDirectory here;
  build(here, R"(#include <pthread.h>
#include <unistd.h>
static int ends[2], shared;
static void *produce(void *unused) {
  shared = 7;
  write(ends[1], "x", 1);
  return unused;
}
int main(void) {
  pthread_t producer;
  char letter;
  pipe(ends);
  pthread_create(&producer, NULL, produce, NULL);
  read(ends[0], &letter, 1);
  int seen = shared;
  pthread_join(producer, NULL);
  return seen - 7;
}
)");
  const CommandResult result = here.orrery("explore --runs 100 --detect fasttrack ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

}  // namespace
