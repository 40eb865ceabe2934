// `orrery run --checkpoint-every`: what it keeps, when, and what it refuses.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/process_image.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "command_runner.hpp"

#if !defined(__SANITIZE_ADDRESS__)
namespace {

using orrery::Interval;
using orrery::IntervalId;
using orrery::LogExtent;
using orrery::SavedRun;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Messages go round, with wildcards, probes, requests and collective operations.
constexpr const char* ring = R"(#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
void orrery_checkpoint(void) __attribute__((weak));
int main(int argc, char** argv) {
  int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 30;
  unsigned long sum = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 1; round <= rounds; ++round) {
    unsigned long in, all, *list = malloc(round % 50 * sizeof *list + 8);
    MPI_Request r[2];
    MPI_Status s;
    MPI_Irecv(&in, 1, MPI_UNSIGNED_LONG, MPI_ANY_SOURCE, 2 * round, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&sum, 1, MPI_UNSIGNED_LONG, (rank + round) % size, 2 * round, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    sum = sum * 31 + in + rank;
    MPI_Send(&sum, 1, MPI_UNSIGNED_LONG, (rank + 1) % size, 2 * round + 1, MPI_COMM_WORLD);
    MPI_Probe(MPI_ANY_SOURCE, 2 * round + 1, MPI_COMM_WORLD, &s);
    MPI_Recv(list, 1, MPI_UNSIGNED_LONG, s.MPI_SOURCE, 2 * round + 1, MPI_COMM_WORLD, &s);
    sum += list[0];
    if (round % 10 == 0) {
      MPI_Iallreduce(&sum, &all, 1, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD, r);
      MPI_Wait(r, &s);
      sum ^= all + round;
      if (orrery_checkpoint && rank == 1) orrery_checkpoint();
    }
    free(list);
  }
  printf("rank %d: %lu\n", rank, sum);
  MPI_Finalize();
  return 0;
}
)";

SavedRun load(const WorkingDirectory& here, const std::string& name,
              LogExtent extent = LogExtent::whole) {
  return orrery::load_run((here.path() / name).string(), extent);
}

SavedRun record(const WorkingDirectory& here, const std::string& flags,
                const std::string& arguments = {}) {
  const CommandResult run =
      here.orrery("run -n 4 --record a.orr --quiet " + flags + " ./app " + arguments);
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  return load(here, "a.orr");
}

std::vector<Interval> of_rank(const SavedRun& run, std::int32_t rank) {
  std::vector<Interval> own;
  for (const Interval& interval : run.checkpoints->intervals) {
    if (interval.id.rank == rank) own.push_back(interval);
  }
  return own;
}

std::string sorted(std::string text) {
  std::sort(text.begin(), text.end());
  return text;
}

/// Each says where the next one begins, and needs nothing that leads back to its own rank.
void check_intervals(const SavedRun& run) {
  REQUIRE(run.checkpoints);
  std::set<std::pair<IntervalId, IntervalId>> logged;
  for (const auto& message : run.checkpoints->logged_messages.all()) {
    logged.insert({message.sender, message.receiver});
    CHECK(message.content.size() == sizeof(unsigned long));
  }
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    const std::vector<Interval> own = of_rank(run, rank);
    REQUIRE(!own.empty());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Interval& interval = own[i];
      INFO("interval " << rank << ":" << i);
      CHECK(interval.id.number == i);
      CHECK(interval.has_ended);
      CHECK(interval.is_last == (i + 1 == own.size()));
      if (!interval.is_last) CHECK(interval.end == own[i + 1].begin.next);
      CHECK(interval.events != 0);
      const auto& needed = interval.depends_on;
      CHECK(std::none_of(needed.begin(), needed.end(),
                         [&](const IntervalId& id) { return id.rank == rank; }));
      for (const auto& taken : interval.taken) {
        const bool is_needed =
            std::find(needed.begin(), needed.end(), taken.sender) != needed.end();
        CHECK((is_needed || logged.contains({taken.sender, interval.id})));
      }
    }
  }
}

}  // namespace

TEST_CASE("Each rank is saved after so many operations, by whatever method messages are followed") {
  const WorkingDirectory here;
  build_app(here, ring, "-g");
  const SavedRun first = record(here, "--method wildcards --checkpoint-every 8");
  check_intervals(first);
  CHECK(first.checkpoints->intervals.size() > 60);
  CHECK(first.checkpoints->logged_messages.count() > 0);
  CHECK(first.messages == first.checkpoints->records);
  const orrery::ImageStore images((here.path() / "a.orr.images").string());
  CHECK(images.images().size() == first.checkpoints->intervals.size());
  for (const auto& image : images.images()) {
    const Interval* const interval =
        first.checkpoints->find({image.label.rank, image.label.interval});
    REQUIRE(interval != nullptr);
    CHECK(interval->begin.image == image.number);
  }
  for (const char* const method : {"orders", "racing-messages", "racing-messages-tight"}) {
    INFO(method);
    const SavedRun other =
        record(here, std::string("--method ") + method + " --checkpoint-every 8");
    CHECK(other.method == method);
    CHECK(other.checkpoints->intervals == first.checkpoints->intervals);
    CHECK(other.checkpoints->records == first.checkpoints->records);
    CHECK((other.checkpoints->logged_messages.all() == first.checkpoints->logged_messages.all()));
    // The rest of the log is what it is without checkpoints.
    CHECK(other.messages == record(here, std::string("--method ") + method).messages);
  }
}

TEST_CASE("Each rank is saved after so much time, or where the program asks for it") {
  const WorkingDirectory here;
  build_app(here, ring, "-g");
  const SavedRun timed = record(here, "--method wildcards --checkpoint-every 300us");
  check_intervals(timed);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    const std::vector<Interval> own = of_rank(timed, rank);
    CHECK(own.size() > 2);
    if (rank == 1) continue;  // asks besides
    for (std::size_t i = 1; i < own.size(); ++i) {
      CHECK(own[i].begin.date - own[i - 1].begin.date >= std::chrono::microseconds(300));
    }
  }
  const SavedRun asked = record(here, "--method wildcards --checkpoint-every asked");
  check_intervals(asked);
  CHECK(of_rank(asked, 0).size() == 1);
  CHECK(of_rank(asked, 1).size() == 3);  // after rounds 10 and 20; after 30 nothing is to come
}

TEST_CASE("The log of a run with checkpoints replays, is shown, and counts what was kept") {
  const WorkingDirectory here;
  build_app(here, ring, "-g");
  const CommandResult run = here.orrery(
      "run -n 4 --record a.orr --method racing-messages-tight --checkpoint-every 8 "
      "--keep-checkpoints 20 --stats ./app");
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  for (const char* const part :
       {"checkpoints: checkpoints ", "logged_messages ", "piggybacked_bytes ",
        "image_bytes_on_disk ", "dropped to keep within the budget"}) {
    CHECK(has(run.err, part));
  }
  const orrery::ImageStore images((here.path() / "a.orr.images").string());
  CHECK(images.images().size() <= 20);
  CHECK(images.dropped() + images.images().size() ==
        load(here, "a.orr").checkpoints->intervals.size());
  const CommandResult replay = here.orrery("replay --seed 7 --platform ethernet-1g a.orr");
  CHECK(replay.status == 0);
  CHECK(sorted(replay.out) == sorted(run.out));  // elsewhere another rank may be the first to print
  const CommandResult show = here.orrery("show a.orr");
  CHECK(has(show.out, " logged\n  0:0  from 0, "));
  CHECK(has(show.out, "events, needs "));
  CHECK(has(here.orrery("show --json a.orr").out, "\"interval\": \"3:2\""));
}

TEST_CASE("Whatever kills a recording, the intervals that had ended are on disk") {
  const WorkingDirectory here;
  build_app(here, ring, "-g");
  const SavedRun whole = record(here, "--method racing-messages --checkpoint-every 8", "400");
  bool had_some = false;
  bool had_not_all = false;
  for (const char* const delay : {"0.05", "0.15", "0.3", "0.5", "0.8", "1.3"}) {
    INFO(delay);
    std::filesystem::remove(here.path() / "b.orr.part");
    const CommandResult killed = here.shell(
        std::string("timeout -s KILL ") + delay +
        " " ORRERY_BINARY
        " run -n 4 --record b.orr --method racing-messages --checkpoint-every 8 ./app 400");
    if (killed.status == 0 || !std::filesystem::exists(here.path() / "b.orr.part")) continue;
    SavedRun part;
    try {
      part = load(here, "b.orr.part", LogExtent::valid_prefix);
    } catch (const orrery::UsageError&) {
      continue;  // not even the first interval had begun
    }
    REQUIRE(part.checkpoints);
    CHECK(part.method == "wildcards");
    CHECK_FALSE(part.is_whole);
    for (const Interval& interval : part.checkpoints->intervals) {
      const Interval* const same = whole.checkpoints->find(interval.id);
      REQUIRE(same != nullptr);
      CHECK(interval.begin == same->begin);
      if (interval.has_ended) CHECK(interval == *same);
      had_some = had_some || interval.has_ended;
    }
    had_not_all =
        had_not_all || part.checkpoints->intervals.size() < whole.checkpoints->intervals.size();
  }
  CHECK(had_some);
  CHECK(had_not_all);
}

TEST_CASE("Two recordings into one file: the second one is refused, the first one is whole") {
  const WorkingDirectory here;
  build_app(here, ring, "-g");
  const CommandResult both = here.shell(
      "run() { " ORRERY_BINARY
      " run -n 4 --record a.orr --method orders --checkpoint-every 8 --quiet ./app 300 2>&1; }\n"
      "run > first & while ! [ -e a.orr.part ]; do sleep 0.02; done\n"
      "run; echo \"second $?\"; wait $!; echo \"first $?\"");
  INFO(both.out << both.err);
  CHECK(has(both.out, "another run keeps its checkpoints there"));
  CHECK(has(both.out, "second 2\nfirst 0\n"));
  check_intervals(load(here, "a.orr"));
}

TEST_CASE("A disk that fills ends the log, and not the program") {
  const WorkingDirectory here;
  build_app(here, ring, "-g");
  const CommandResult run =
      here.shell("trap '' XFSZ; ulimit -f 600; " ORRERY_BINARY
                 " run -n 4 --record a.orr --method wildcards --checkpoint-every 8 ./app 1500");
  INFO(run.out << run.err);
  CHECK(run.status == 2);
  CHECK(has(run.out, "rank 3: "));
  CHECK(has(run.err, "not all checkpoints were saved"));
  CHECK(has(run.err, "the log ends there"));
  const SavedRun part = load(here, "a.orr.part", LogExtent::valid_prefix);
  REQUIRE(part.checkpoints);
  CHECK(part.checkpoints->intervals.size() > 10);
}

TEST_CASE("A program that crashes leaves a log with all intervals up to there") {
  const WorkingDirectory here;
  build_app(here, R"(#include <mpi.h>
#include <stddef.h>
int main(int argc, char** argv) {
  int rank, in = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 20; ++round) {
    MPI_Sendrecv(&round, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, MPI_ANY_SOURCE, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (round == 17 && rank == 1) *(volatile int*)NULL = in;
  }
  MPI_Finalize();
}
)",
            "-g");
  const CommandResult run =
      here.orrery("run -n 2 --record a.orr --method orders --checkpoint-every 5 ./app");
  CHECK(run.status == 1);
  const SavedRun saved = load(here, "a.orr");
  CHECK(saved.method == "orders");
  CHECK(saved.findings.size() == 1);
  const std::vector<Interval> own = of_rank(saved, 1);
  CHECK(own.size() > 5);
  for (const Interval& interval : own) {
    CHECK(interval.has_ended == (interval.id.number + 1 < own.size()));
  }
  CHECK_FALSE(own.back().depends_on.empty());
  CHECK(here.orrery("replay a.orr").status == 1);
}

TEST_CASE("What cannot be saved, or replayed in part, is refused by name") {
  const WorkingDirectory here;
  build_app(here, R"(#include <mpi.h>
int main(int argc, char** argv) {
  int cell = 0;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Win_create(&cell, sizeof cell, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&argc, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Finalize();
}
)",
            "-g");
  struct Case {
    const char* words;
    const char* what;
  };
  constexpr Case cases[] = {
      {"-n 2 --method orders --checkpoint-every 8 ./app", "--record FILE"},
      {"-n 2 --record a.orr --checkpoint-every 8 ./app", "--method wildcards"},
      {"-n 2 --record a.orr --method choices --checkpoint-every 8 ./app", "--method wildcards"},
      {"-n 2 --record a.orr --method orders --checkpoint-every 0 ./app", "every 0th operation"},
      {"-n 2 --record a.orr --method orders --checkpoint-every 0ms ./app", "no period"},
      {"-n 2 --record a.orr --method orders --checkpoint-every often ./app", "'often'"},
      {"-n 2 --record a.orr --method orders --checkpoint-every 99999999999999999999 ./app",
       "too many"},
      {"-n 2 --record a.orr --method orders --keep-checkpoints 9 ./app", "--checkpoint-every N"},
      {"-n 2 --record a.orr --method orders --checkpoint-every 8 --keep-checkpoints 0 ./app",
       "--keep-checkpoints"},
      {"-n 2 --record a.orr --method orders --checkpoint-every 8 --keep-checkpoints some ./app",
       "--keep-checkpoints"},
      {"-n 2 --record a.orr --method orders --checkpoint-every 8 --check-determinism ./app",
       "--check-determinism"},
      {"--record a.orr --method orders --checkpoint-every 8 wildcard_race", "orrery cc"},
      {"-n 2 --record a.orr --method orders --checkpoint-every 8 ./app", "one-sided communication"},
  };
  for (const auto& [words, what] : cases) {
    const CommandResult run = here.orrery(std::string("run ") + words);
    INFO(words << "\n" << run.err);
    CHECK(run.status == 2);
    CHECK(has(run.err, what));
    CHECK_FALSE(std::filesystem::exists(here.path() / "a.orr"));
    CHECK_FALSE(std::filesystem::exists(here.path() / "a.orr.part"));
    CHECK_FALSE(std::filesystem::exists(here.path() / "a.orr.images"));
  }
}
#endif
