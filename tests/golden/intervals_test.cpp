// `orrery replay --interval` and its kin: what is printed, and what is refused.
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Rank 0 gets a number from everybody in each round, in any order, and sends back the sum; with an
/// argument rank 1 dies in that round.
constexpr const char* rounds = R"(
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size;
  long sum = 0;
  const int last = argc > 1 ? atoi(argv[1]) : -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 20; ++round) {
    long mine = sum * 31 + rank;
    if (rank == 1 && round == last) *(volatile int *)8 = 1;
    if (rank == 0) {
      for (int i = 1; i < size; ++i) {
        long other;
        MPI_Status status;
        MPI_Recv(&other, 1, MPI_LONG, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
        sum = sum * 3 + other * status.MPI_SOURCE;
      }
      printf("round %d: %ld\n", round, sum);
      for (int i = 1; i < size; ++i) MPI_Send(&sum, 1, MPI_LONG, i, 8, MPI_COMM_WORLD);
    } else {
      MPI_Send(&mine, 1, MPI_LONG, 0, 7, MPI_COMM_WORLD);
      MPI_Recv(&sum, 1, MPI_LONG, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
)";

/// What ranks know of each other otherwise than by messages of the program's own: hosts,
/// communicators, buffered messages; and a communicator is not freed, which is found when the ranks
/// end.
constexpr const char* together = R"(
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  static char buffer[10000];
  int rank, size, sum;
  MPI_Comm node, half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int i = 0; i < 6; ++i) {
    MPI_Request request;
    MPI_Comm other;
    int got, all, bytes;
    void *old;
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend(&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
    MPI_Iallreduce(&rank, &all, 1, MPI_INT, MPI_SUM, half, &request);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_dup(half, &other);
    MPI_Barrier(other);
    MPI_Comm_free(&other);
    MPI_Buffer_detach(&old, &bytes);
  }
  printf("rank %d: %d %f\n", rank, sum, MPI_Wtime());
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
)";

CommandResult record(const WorkingDirectory& here, const std::string& flags,
                     const std::string& arguments = {}) {
  return here.orrery("run -n 3 --record a.orr --method racing-messages " + flags + " ./app " +
                     arguments);
}

/// Refused, with status 2, by that error.
void check_refused(const WorkingDirectory& here, const std::string& words, const std::string& what,
                   const std::string& where) {
  CAPTURE(words);
  const CommandResult result = here.orrery("replay --json " + words);
  INFO(result.out << result.err);
  CHECK(result.status == 2);
  const json error = json::parse(result.out).at("error");
  CHECK(has(error.at("what").get<std::string>(), what));
  CHECK(has(error.at("where").get<std::string>(), where));
  CHECK_FALSE(error.at("hint").get<std::string>().empty());
}

}  // namespace

TEST_CASE("An interval is executed again with what it depends on, and says what it was") {
  const WorkingDirectory here;
  build_app(here, rounds, "");
  REQUIRE(record(here, "--checkpoint-every 8").status == 0);
  const CommandResult one = here.orrery("replay a.orr --interval 0:1");
  INFO(one.err);
  CHECK(one.status == 0);
  CHECK(has(one.out, "round 2: "));
  CHECK_FALSE(has(one.out, "round 0: "));
  CHECK_FALSE(has(one.out, "round 19: "));
  CHECK(has(one.err, "no finding"));
  CHECK(has(one.err, "interval 1 of rank 0: from operation "));
  CHECK(has(one.err, "executed again: "));
  CHECK(has(one.err, " as recorded; memory at its end: as recorded"));
  // The first and the last; by a date, and by an operation.
  CHECK(here.orrery("replay a.orr --interval 2:0").status == 0);
  const CommandResult last = here.orrery("replay a.orr --json --at 1h --rank 0");
  INFO(last.out);
  const json stats = json::parse(last.out).at("stats");
  CHECK(stats.at("memory_matches") == true);
  CHECK(stats.at("events_match") == true);
  CHECK(stats.at("intervals_total").get<int>() > 10);
  const std::string hint = "its last one is ";
  const std::string refused = here.orrery("replay a.orr --event 0:100000").err;
  REQUIRE(has(refused, hint));
  const int last_operation = std::stoi(refused.substr(refused.find(hint) + hint.size()));
  const CommandResult same =
      here.orrery("replay a.orr --json --event 0:" + std::to_string(last_operation));
  CHECK(json::parse(same.out).at("stats") == stats);
  CHECK(has(json::parse(last.out).at("output").get<std::string>(), "round 19: "));
}

TEST_CASE("A run that a rank has ended is replayed though another one gets further meanwhile") {
  const WorkingDirectory here;
  build_app(here, rounds, "-g");
  for (const std::string method : {"orders", "wildcards", "racing-messages-tight"}) {
    for (const char* const machine : {"", "--seed 5 --window inf", "--platform ethernet-1g"}) {
      CAPTURE(method, machine);
      REQUIRE(here.orrery("run -n 3 --record b.orr --method " + method + " ./app 13").status == 1);
      const CommandResult again = here.orrery("replay b.orr --json " + std::string(machine));
      INFO(again.out);
      CHECK(again.status == 1);
      CHECK(json::parse(again.out).at("findings").at(0).at("kind") == "crash");
    }
  }
}

TEST_CASE("An interval in which the program dies dies again, and is executed from its beginning") {
  const WorkingDirectory here;
  build_app(here, rounds, "-g");
  REQUIRE(record(here, "--checkpoint-every 8", "13").status == 1);
  const CommandResult again = here.orrery("replay a.orr --json --at 1h --rank 1");
  INFO(again.out << again.err);
  CHECK(again.status == 1);
  const json report = json::parse(again.out);
  const json& found = report.at("findings").at(0);
  CHECK(found.at("kind") == "crash");
  CHECK(found.at("where").at(0).at("line") == 14);  // as in the whole run
  CHECK_FALSE(report.at("stats").contains("memory_matches"));
}

TEST_CASE("A crash in an interval has its line, wherever the program would be loaded now") {
  const WorkingDirectory here;
  // Of these sizes, one at least fits into a hole that the memory of the recording had, and that of
  // the replay has not, or the other way round.
  for (const int kibibytes : {100, 200, 400, 800}) {
    here.write("data.c", fmt::format("char data[{} * 1024] = {{1}};\n", kibibytes));
    REQUIRE(here.shell("gcc -shared -fPIC -o libdata.so data.c").status == 0);
    build_app(here, rounds, "-g -Wl,-rpath,. -Wl,--no-as-needed ./libdata.so");
    REQUIRE(record(here, "--checkpoint-every 8", "13").status == 1);
    const CommandResult again = here.orrery("replay a.orr --json --at 1h --rank 1");
    INFO(again.out << again.err);
    CHECK(json::parse(again.out).at("findings").at(0).at("where").at(0).at("line") == 14);
  }
}

TEST_CASE("A rank is executed alone from the contents of the messages that it got") {
  const WorkingDirectory here;
  build_app(here, rounds, "-g");
  const std::string flags = "run -n 3 --seed 4 --window inf --record c.orr --method contents ";
  const CommandResult recorded = here.orrery(flags + "--stats ./app");
  INFO(recorded.err);
  REQUIRE(recorded.status == 0);
  CHECK(has(recorded.err, "messages_between_ranks 80, message_bytes 640, logged_messages 80, "));
  CHECK_FALSE(std::filesystem::exists(here.path() / "c.orr.images"));
  CHECK(has(here.orrery("show c.orr").out, "3 intervals, 80 messages logged"));
  const CommandResult rank = here.orrery("replay c.orr --platform ethernet-1g --rank 0");
  INFO(rank.err);
  CHECK(rank.status == 0);
  CHECK(rank.out == recorded.out);  // only rank 0 prints
  CHECK(has(rank.err, "rank 0 alone: from its beginning to its end, operation "));
  CHECK(has(rank.err, " as recorded; memory at its end: as recorded"));
  const CommandResult other = here.orrery("replay c.orr --json --rank 2");
  CHECK(json::parse(other.out).at("output") == "");
  CHECK(json::parse(other.out).at("stats").at("rank") == 2);
  CHECK(here.orrery("replay c.orr --seed 3").out == recorded.out);
  check_refused(here, "c.orr --rank 3", "the log has no rank 3", "");
  check_refused(here, "c.orr --rank 1 --timeline", "together with --rank", "--timeline");
  check_refused(here, "c.orr --interval 1:0", "no checkpoints", "c.orr");
  // Dies where it died.
  REQUIRE(here.orrery(flags + "./app 13").status == 1);
  const CommandResult dead = here.orrery("replay c.orr --json --rank 1");
  INFO(dead.out << dead.err);
  CHECK(dead.status == 1);
  CHECK(json::parse(dead.out).at("findings").at(0).at("where").at(0).at("line") == 14);
}

TEST_CASE("A lone rank leaves the same memory, wherever its program is loaded") {
  const WorkingDirectory here;
  // A log of so many bytes lies where the program did, so that it comes to lie elsewhere.
  build_app(here, R"(
#include <mpi.h>
static char buffer[100000];
static char *within = buffer + 1000;
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; ++i) {
    within[i] = (char)(rank * i);
    if (rank == 0) {
      MPI_Recv(buffer, sizeof buffer, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(buffer, sizeof buffer, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
)",
            "");
  REQUIRE(here.orrery("run -n 2 --record c.orr --method contents ./app").status == 0);
  for (const char* const rank : {"0", "1"}) {
    const CommandResult again = here.orrery(std::string("replay c.orr --json --rank ") + rank);
    INFO(again.out << again.err);
    CHECK(again.status == 0);
    CHECK(json::parse(again.out).at("stats").at("memory_matches") == true);
  }
}

TEST_CASE("The contents of messages are kept for MPI programs whose ranks meet in messages only") {
  const WorkingDirectory here;
  const CommandResult scenario =
      here.orrery("run --json --record c.orr --method contents lost_update");
  CHECK(scenario.status == 2);
  CHECK(has(scenario.out, "the method 'contents' is for MPI programs in a file"));
  build_app(here, R"(
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, value = 3, *memory;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
)",
            "");
  const CommandResult refused =
      here.orrery("run --json -n 2 --record c.orr --method contents ./app");
  CHECK(refused.status == 2);
  const json error = json::parse(refused.out).at("error");
  CHECK(has(error.at("what").get<std::string>(), "one-sided"));
  CHECK(error.at("where") == "--method");
  CHECK_FALSE(std::filesystem::exists(here.path() / "c.orr"));
}

TEST_CASE(
    "Each interval is the same with communicators, buffers and collectives, and at a finding") {
  const WorkingDirectory here;
  build_app(here, together, "");
  REQUIRE(record(here, "--checkpoint-every 9").status == 1);  // a leak
  const CommandResult first = here.orrery("replay a.orr --json --interval 0:0");
  const int total = json::parse(first.out).at("stats").at("intervals_total").get<int>();
  CHECK(total > 20);
  int replayed = 0;
  for (int rank = 0; rank < 3; ++rank) {
    for (int number = 0;; ++number, ++replayed) {
      CAPTURE(rank, number);
      const CommandResult again = here.orrery("replay a.orr --json --interval " +
                                              std::to_string(rank) + ":" + std::to_string(number));
      if (again.status == 2) break;
      INFO(again.out << again.err);
      CHECK(again.status == 0);
      const json stats = json::parse(again.out).at("stats");
      CHECK(stats.at("memory_matches") == true);
      CHECK(stats.at("events_match") == true);
    }
  }
  CHECK(replayed == total);
}

TEST_CASE("Which interval is wanted must be clear, and there") {
  const WorkingDirectory here;
  build_app(here, rounds, "");
  REQUIRE(record(here, "--checkpoint-every 8").status == 0);
  for (const char* const wrong : {"3", "3:", ":3", "a:b", "1:2:3", "-1:0", "0:x"}) {
    check_refused(here, "a.orr --interval=" + std::string(wrong), "not two numbers", "--interval");
  }
  check_refused(here, "a.orr --interval 3:0", "the log has no rank 3", "--interval");
  check_refused(here, "a.orr --interval 1:1000", "rank 1 has no interval 1000", "--interval");
  check_refused(here, "a.orr --event 3:1", "the log has no rank 3", "--event");
  check_refused(here, "a.orr --event 0:0", "had done nothing by then", "--event");
  check_refused(here, "a.orr --event 1:100000", "rank 1 has no operation 100000", "--event");
  check_refused(here, "a.orr --at 1ms", "each rank has intervals of its own", "--at");
  check_refused(here, "a.orr --rank 1", "does not hold what messages held", "--rank");
  check_refused(here, "a.orr --interval 1:0 --rank 1", "together with --interval", "--rank");
  check_refused(here, "a.orr --at 1ms --rank 7", "the log has no rank 7", "--at");
  check_refused(here, "a.orr --interval 0:0 --event 0:3", "together with another interval",
                "--interval");
  for (const char* const other : {"--timeline", "--stats", "--best-effort", "--keep-files d"}) {
    check_refused(here, std::string("a.orr --interval 0:0 ") + other, "cannot be used together",
                  std::string(other).substr(0, std::string(other).find(' ')));
  }
}

TEST_CASE("Without its images, or with a part of them, an interval is refused by name") {
  const WorkingDirectory here;
  build_app(here, rounds, "");
  REQUIRE(record(here, "").status == 0);
  check_refused(here, "a.orr --interval 0:0", "no checkpoints", "a.orr");
  REQUIRE(record(here, "--checkpoint-every 4 --keep-checkpoints 8").status == 0);
  check_refused(here, "a.orr --interval 0:0", "it was dropped to keep within the budget",
                "--interval");
  CHECK(here.orrery("replay a.orr --at 1h --rank 0").status == 0);
  // Cut in the middle of the last image.
  std::filesystem::path newest;
  for (const auto& entry : std::filesystem::directory_iterator(here.path() / "a.orr.images")) {
    if (has(entry.path().filename().string(), "group") && entry.path() > newest) {
      newest = entry.path();
    }
  }
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 100);
  bool is_torn = false;
  for (const char* const rank : {"0", "1", "2"}) {
    const CommandResult result = here.orrery(std::string("replay a.orr --at 1h --rank ") + rank);
    is_torn = is_torn || (result.status == 2 && has(result.err, "its file is torn"));
  }
  CHECK(is_torn);
  std::filesystem::remove_all(here.path() / "a.orr.images");
  CHECK(here.orrery("replay a.orr --at 1h --rank 0").status == 2);
}
