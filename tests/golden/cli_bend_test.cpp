// `replay --swap` and `--order`: a bug that shows when two messages come the other way round, its
// mended twin, and what cannot be bent.
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

/// Rank 0 takes a message of each of the others; it relies on that of rank 1 coming before that of
/// rank 2, or sorts them if it is told to.
const std::string collecting = R"(#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size, got, sum = 0;
  MPI_Status from;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 2) MPI_Recv(&got, 1, MPI_INT, 3, 5, MPI_COMM_WORLD, &from);
  if (rank == 3) MPI_Send(&rank, 1, MPI_INT, 2, 5, MPI_COMM_WORLD);
  if (rank == 1 || rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < 3; ++i) {
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &from);
    sum += atoi(argv[1]) ? got * i : got * from.MPI_SOURCE;
    printf("%d from %d\n", i, from.MPI_SOURCE);
  }
  if (rank == 0 && sum != 5) {
    fflush(stdout);
    abort();
  }
  MPI_Finalize();
  return 0;
}
)";

json bent(const WorkingDirectory& here, const std::string& arguments, int status) {
  const CommandResult result = here.orrery("replay --json " + arguments);
  INFO(result.out << result.err);
  REQUIRE(result.status == status);
  return json::parse(result.out);
}

}  // namespace

TEST_CASE("Swapping the messages shows the bug, and shows none in the mended twin") {
  const WorkingDirectory here;
  build_app(here, collecting, "-g");
  REQUIRE(here.orrery("run -n 4 --record buggy.orr ./app 1").status == 0);
  REQUIRE(here.orrery("run -n 4 --record mended.orr ./app 0").status == 0);

  const json found = bent(here, "buggy.orr --swap 1 --record bad.orr", 1);
  CHECK(found.at("outcome") == "finding");
  CHECK(found.at("output") == "1 from 2\n2 from 1\n");
  CHECK(found.at("findings").at(0).at("kind") == "crash");
  CHECK(found.at("findings").at(0).at("log") == "bad.orr");
  const json& stats = found.at("stats").at("bent");
  CHECK(stats.at("bends").at(0).at("receive") == "rank 0 (MPI_Recv, app.c:15)");
  CHECK(stats.at("was").at("outcome") == "clean");
  CHECK(stats.at("steps_followed") > 5);
  bool has_received = false;
  for (const json& change : stats.at("changes")) {
    if (change.at("kind") != "received" || change.at("line") != 15) continue;
    has_received = true;
    CHECK(change.at("was") == "4 bytes of rank 1, tag 4 (MPI_Send, app.c:13)");
    CHECK(change.at("now") == "4 bytes of rank 2, tag 4 (MPI_Send, app.c:13)");
    CHECK(change.at("count") == 2);
  }
  CHECK(has_received);
  CHECK(stats.at("output").at(0).at("was") == "1 from 1");
  CHECK(stats.at("output").at(0).at("now") == "1 from 2");

  // The bent run is a run like others.
  const CommandResult again = here.orrery("replay bad.orr");
  CHECK(again.status == 1);
  CHECK(again.out == "1 from 2\n2 from 1\n");
  CHECK(here.orrery("show --races bad.orr").status == 0);

  const json clean = bent(here, "mended.orr --swap 1", 0);
  CHECK(clean.at("outcome") == "clean");
  CHECK(clean.at("output") == "1 from 2\n2 from 1\n");

  const CommandResult told = here.orrery("replay buggy.orr --swap 1");
  INFO(told.err);
  CHECK(told.status == 1);
  CHECK(has(told.err,
            "bent:      rank 0 (MPI_Recv, app.c:15) takes the message of rank 2 "
            "(MPI_Send, app.c:13), not that of rank 1 (MPI_Send, app.c:13)\n"));
  CHECK(has(told.err, "output:    rank 0 writes \"1 from 2\"; was \"1 from 1\" (line 1)\n"));
  CHECK(has(told.err, "was:       clean\n"));
  CHECK(has(told.err, "crash: abort() was called"));
}

TEST_CASE("A run that failed is bent, and goes on where it had ended") {
  const WorkingDirectory here;
  build_app(here, collecting, "-g");
  REQUIRE(here.orrery("run -n 4 --record buggy.orr ./app 1").status == 0);
  REQUIRE(bent(here, "buggy.orr --swap 1 --record bad.orr", 1).at("outcome") == "finding");
  const json back = bent(here, "bad.orr --swap 1", 0);
  CHECK(back.at("output") == "1 from 1\n2 from 2\n");
  const json& stats = back.at("stats").at("bent");
  CHECK(stats.at("was").at("findings").at(0).at("kind") == "crash");
  CHECK(!stats.at("further").empty());
}

TEST_CASE("Logs of each method, and of a real run's kind, are bent alike") {
  const WorkingDirectory here;
  build_app(here, collecting, "-g");
  for (const char* const method :
       {"choices", "contents", "orders", "wildcards", "racing-messages", "racing-messages-tight"}) {
    INFO(method);
    const std::string log = std::string(method) + ".orr";
    REQUIRE(here.orrery("run -n 4 --record " + log + " --method " + method + " ./app 1").status ==
            0);
    const json found = bent(here, log + " --swap 1", 1);
    CHECK(found.at("output") == "1 from 2\n2 from 1\n");
  }
  REQUIRE(here.orrery("run -n 4 --platform myrinet-pcixd --record nic.orr --method nic ./app 1")
              .status == 0);
  CHECK(bent(here, "nic.orr --swap 1", 1).at("output") == "1 from 2\n2 from 1\n");
}

TEST_CASE("An order is taken from a file that is written by copying") {
  const WorkingDirectory here;
  build_app(here, collecting, "-g");
  REQUIRE(here.orrery("run -n 4 --record log.orr ./app 1").status == 0);
  const json shown = json::parse(here.orrery("show --json --races log.orr").out);
  const json& race = shown.at("stats").at("races").at(0);
  const auto receive = race.at("receive").at("operation").get<std::string>();
  const auto other = race.at("other").at("operation").get<std::string>();
  CHECK(race.at("bend") == "receive " + receive + " takes " + other);
  CHECK(has(here.orrery("show --races log.orr").out, "\n      receive " + receive + " takes "));
  here.write("order.txt", "# the other way\n" + race.at("bend").get<std::string>() + "\n");
  CHECK(bent(here, "log.orr --order order.txt", 1).at("output") == "1 from 2\n2 from 1\n");
}

TEST_CASE("Threads of an unchanged program take a lock in the order that is asked for") {
  const WorkingDirectory here;
  build_app(here, R"(#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last;
static void *work(void *who) {
  pthread_mutex_lock(&lock);
  last = *(int *)who;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t threads[2];
  int names[2] = {1, 2};
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, &names[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  printf("last %d\n", last);
  return 0;
}
)",
            "-g -pthread");
  REQUIRE(here.orrery("run --record log.orr ./app").status == 0);
  for (const char* const order : {"2.2 before 3.2", "3.2 before 2.2"}) {
    here.write("order.txt", order);
    const json run = bent(here, "log.orr --order order.txt", 0);
    CHECK(run.at("output") == (order[0] == '2' ? "last 2\n" : "last 1\n"));
    CHECK(run.at("stats").at("bent").at("bends").at(0).at("first").get<std::string>().find(
              "mutex_lock, app.c:6") != std::string::npos);
  }
  here.write("order.txt", "2.2 before 1.2");
  const CommandResult refused = here.orrery("replay log.orr --order order.txt");
  INFO(refused.err);
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "2.1 work#1 is begun by that"));
}

TEST_CASE("What cannot be bent is refused with what, where, and what to do") {
  const WorkingDirectory here;
  build_app(here, collecting, "-g");
  REQUIRE(here.orrery("run -n 4 --record log.orr ./app 1").status == 0);
  const json shown = json::parse(here.orrery("show --json --races log.orr").out);
  const json& race = shown.at("stats").at("races").at(0);
  const auto receive = race.at("receive").at("operation").get<std::string>();
  const auto got = race.at("got").at("operation").get<std::string>();
  const auto other = race.at("other").at("operation").get<std::string>();
  const auto next = receive.substr(0, receive.find('.') + 1) +
                    std::to_string(std::stoi(receive.substr(receive.find('.') + 1)) + 1);
  struct Row {
    std::string flags;
    std::string order;
    std::string expected;
  };
  const Row rows[] = {
      {"--swap 7", "", "--swap: there is no race 7: this run has those from 1 to 1"},
      {"--swap 0", "", "--swap"},
      {"--swap x", "", "--swap"},
      {"--swap 1 --order o.txt", "receive 1.1 takes 1.1", "cannot be used together with --swap"},
      {"--order missing.txt", "", "missing.txt"},
      {"--order .", "", "--order"},
      {"--order o.txt", "# nothing\n", "o.txt: the file asks for no other order"},
      {"--order o.txt", "\nswap 1 and 2\n", "o.txt:2: 'swap 1 and 2' says nothing about an order"},
      {"--order o.txt", "receive 1 takes 2.2", "o.txt:1: '1' is no operation"},
      {"--order o.txt", "receive 99.1 takes " + other, "the run has no task 99"},
      {"--order o.txt", "receive " + receive + " takes 2.999", "has no operation 999"},
      {"--order o.txt", "receive " + other + " takes " + got, "is no receive or probe that got"},
      {"--order o.txt", "receive " + receive + " takes " + next, "sends no message"},
      {"--order o.txt", "receive " + receive + " takes 4.2", "that message goes to rank 2"},
      {"--order o.txt",
       "receive " + receive + " takes " + other + "\nreceive " + next + " takes " + other,
       "o.txt:2"},
      {"--order o.txt", next + " before " + receive,
       "comes after that in its task; and " + next + " is to come first"},
      {"--order o.txt", receive + " before " + receive, "does not come before itself"},
      {"--order o.txt",
       "receive " + receive + " takes " + other + "\n" + got + " before " + other + "\n" + receive +
           " before " + got,
       "is to wait"},
      {"--swap 1 --timeline", "", "keep the bent run with --record FILE, and replay that"},
      {"--swap 1 --gdb", "", "--gdb"},
      {"--swap 1 --best-effort", "", "--best-effort"},
      {"--swap 1 --interval 1:1", "", "cannot be used together with --swap"},
      {"--swap 1 --record log.orr", "", "the log that is replayed would be lost"},
  };
  for (const Row& row : rows) {
    here.write("o.txt", row.order);
    const CommandResult result = here.orrery("replay log.orr " + row.flags);
    INFO(row.flags << " | " << row.order << "\n" << result.out << result.err);
    CHECK(result.status == 2);
    CHECK(has(result.err, row.expected));
    CHECK(has(result.err, "hint: "));
    CHECK(result.out.empty());
  }
}
