// Searches under the command that end otherwise than by their budget in runs, and go on later; and
// logs that were cut.
#include <chrono>
#include <cstdint>
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

TEST_CASE(
    "A budget in time is used up by a search that finds nothing, and cut short by a finding") {
  const WorkingDirectory here;
  const auto start = std::chrono::steady_clock::now();
  const CommandResult clean = here.orrery("explore --json --for 700ms --jobs 2 lost_update:mended");
  const auto elapsed = std::chrono::steady_clock::now() - start;
  CHECK(clean.status == 0);
  CHECK(elapsed >= std::chrono::milliseconds(700));
  CHECK(elapsed < std::chrono::seconds(20));
  CHECK(json::parse(clean.out)["runs"] > 100);

  const CommandResult found = here.orrery("explore --json --for 1000s lost_update");
  CHECK(found.status == 1);
  CHECK(json::parse(found.out)["findings"].size() == 1);
}

/// Begins a search, and stops it as Ctrl-C does: on a machine that is busy not so soon that the
/// command has not begun yet, which is then just killed.
CommandResult stopped_search(const WorkingDirectory& here, const std::string& search) {
  CommandResult stopped;
  for (double seconds = 0.4; stopped.out.empty() && seconds < 20; seconds *= 2) {
    stopped = here.shell(fmt::format("timeout --preserve-status -s INT {} '" ORRERY_BINARY
                                     "' explore --json --resume -o s.orr --for 1000s {}",
                                     seconds, search));
  }
  return stopped;
}

/// Begins a search, stops it, lets it go on to some runs more, and compares with one
/// that was not stopped.
void check_resume(const std::string& search, const std::string& program) {
  CAPTURE(search, program);
  const WorkingDirectory here;
  const WorkingDirectory elsewhere;
  for (const WorkingDirectory* const place : {&here, &elsewhere}) {
    const std::string source = ORRERY_SOURCE_DIR "/scenarios/mpi/master_worker/master_worker.c";
    REQUIRE(place->orrery("cc -g -o app '" + source + "'").status == 0);
  }
  const CommandResult stopped = stopped_search(here, search + program);
  INFO(stopped.out << stopped.err);
  const json before = json::parse(stopped.out);
  REQUIRE(before["stats"]["interrupted"] == true);
  const std::uint64_t runs = before["runs"].get<std::uint64_t>() + 150;

  const std::string rest = " -o s.orr --runs " + std::to_string(runs) + " " + search + program;
  const CommandResult resumed = here.orrery("explore --json --resume" + rest);
  const CommandResult whole = elsewhere.orrery("explore --json" + rest);
  CHECK(resumed.status == whole.status);
  CHECK(json::parse(resumed.out) == json::parse(whole.out));
  CHECK(here.read("s.orr") == elsewhere.read("s.orr"));
}

TEST_CASE("A search that was stopped goes on, and reports what one reports that was not stopped") {
  check_resume("", "bounded_buffer:mended");
  check_resume("--keep-going --jobs 2 ", "lost_update");
  check_resume("--keep-going --strategy pct ", "dining_philosophers");
  check_resume("--strategy exhaustive -n 4 ", "./app");
}

TEST_CASE("A stopped search does not go on as another one") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("explore --resume -o s.orr --runs 20 lost_update:mended").status == 0);
  const CommandResult other =
      here.orrery("explore --resume -o s.orr --runs 40 --seed 5 lost_update:mended");
  CHECK(other.status == 2);
  CHECK(has(other.err, "s.orr.search: is of another search: seed is 5"));
  const CommandResult watched =
      here.orrery("explore --resume -o s.orr --runs 40 --detect fasttrack lost_update:mended");
  CHECK(watched.status == 2);
  CHECK(has(watched.err, "is of another search: detector is \"fasttrack\""));
}

constexpr const char* many_messages = R"(#include <mpi.h>
int main(int argc, char **argv) {
  int rank, x;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 400000; ++i) {
    if (rank == 0) MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
)";

TEST_CASE("What a killed recording leaves is refused, and replayed as far as it goes on demand") {
  const WorkingDirectory here;
  here.write("app.c", many_messages);
  // So many that the log is larger than the program, of which copies are made.
  REQUIRE(here.orrery("cc -O1 -s -o app app.c").status == 0);
  const std::string run = "run -n 2 --window inf --step-limit 4000000 --record ";
  REQUIRE(here.orrery(run + "whole.orr ./app").status == 0);
  const std::string whole = here.read("whole.orr");
  // A disk without room for all of it: nothing half-written stays.
  const std::string limit = std::to_string(whole.size() * 3 / 4);
  const CommandResult full =
      here.shell("prlimit --fsize=" + limit + " '" ORRERY_BINARY "' " + run + "cut.orr ./app");
  CHECK(full.status == 2);
  CHECK(has(full.err, "the log cannot be written"));
  REQUIRE(here.files() == std::vector<std::string>{"app", "app.c", "whole.orr"});

  // As a command leaves it that is killed while it writes.
  here.write("cut.orr.part", whole.substr(0, whole.size() * 3 / 4));
  const CommandResult refused = here.orrery("replay cut.orr.part");
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "orrery replay --partial replays what is there"));
  const CommandResult replayed = here.orrery("replay --partial cut.orr.part");
  INFO(replayed.err);
  CHECK(replayed.status == 0);
  CHECK(has(replayed.err, "the log was cut"));
  CHECK(json::parse(here.orrery("replay --json --partial cut.orr.part").out)["outcome"] == "clean");
}

TEST_CASE("A shrinking in limited time keeps what it has found, and says that the time ended it") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("explore --no-shrink --strategy pct -o bug.orr bounded_buffer").status == 1);
  const CommandResult cut = here.orrery("shrink --for 1ns bug.orr -o cut.orr");
  INFO(cut.out << cut.err);
  CHECK(cut.status == 1);
  CHECK(has(cut.out, "then its time was over: --for gives more than 1ns"));
  CHECK(here.orrery("replay cut.orr").status == 1);
  const CommandResult whole = here.orrery("shrink --for 10min --json bug.orr -o small.orr");
  REQUIRE(whole.status == 1);
  CHECK(json::parse(whole.out)["stats"]["was_cut_short"] == false);
  CHECK(has(here.orrery("shrink --for 1s --runs 9 bug.orr").err, "give --for or --runs"));
  CHECK(has(here.orrery("shrink --for 0s bug.orr").err, "no time for a single run"));
}

TEST_CASE("Of a log that was cut in its first choices too little is left, and that is said") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("explore -o bug.orr lost_update").status == 1);
  const std::string log = here.read("bug.orr");
  here.write("end.orr", log.substr(0, log.size() - 5));
  const CommandResult whole_run = here.orrery("replay --partial end.orr");
  CHECK(whole_run.status == 1);  // only the end is gone
  CHECK(has(whole_run.err, "a deposit is lost"));
  here.write("cut.orr", log.substr(0, log.size() - 25));
  const CommandResult nothing = here.orrery("replay --partial cut.orr");
  CHECK(nothing.status == 2);
  CHECK(has(nothing.err, "too little of it is left"));
}

/// Waits for 2 ms at most, for who comes after so long.
std::string timed_wait(const std::string& microseconds) {
  return "#include <pthread.h>\n#include <time.h>\n#include <unistd.h>\n"
         "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
         "static pthread_cond_t sets = PTHREAD_COND_INITIALIZER;\nstatic int flag;\n"
         "static void *set(void *argument) {\n  usleep(" +
         microseconds +
         ");\n  pthread_mutex_lock(&mutex);\n  flag = 1;\n  pthread_cond_signal(&sets);\n"
         "  pthread_mutex_unlock(&mutex);\n  return argument;\n}\n"
         "int main(void) {\n  pthread_t other;\n  struct timespec date;\n  int status = 0;\n"
         "  clock_gettime(CLOCK_REALTIME, &date);\n  date.tv_nsec += 2000000;\n"
         "  pthread_create(&other, NULL, set, NULL);\n  pthread_mutex_lock(&mutex);\n"
         "  while (!flag && !status) status = pthread_cond_timedwait(&sets, &mutex, &date);\n"
         "  pthread_mutex_unlock(&mutex);\n  pthread_join(other, NULL);\n"
         "  return status != 0;\n}\n";
}

TEST_CASE("A timed wait that is over before what was due earlier is told, with the flag for it") {
  const WorkingDirectory here;
  build_app(here, timed_wait("500"), "-g -O1 -pthread");
  const CommandResult any_order = here.orrery("explore ./app");
  INFO(any_order.out << any_order.err);
  REQUIRE(any_order.status == 1);
  CHECK(has(any_order.out, "the timed wait of main was over"));
  CHECK(has(any_order.out, "--window DURATION says how late they may be"));
  const CommandResult by_dates = here.orrery("explore --window 0 ./app");
  INFO(by_dates.out << by_dates.err);
  CHECK(by_dates.status == 0);

  // Of two that are due at one date either may be first, and nobody is late.
  build_app(here, timed_wait("2000"), "-g -O1 -pthread");
  const CommandResult tie = here.orrery("explore --window 0 ./app");
  INFO(tie.out << tie.err);
  REQUIRE(tie.status == 1);
  CHECK_FALSE(has(tie.out, "--window DURATION"));
}

TEST_CASE("A wait without a date that ends because its thread is cancelled is no timed wait") {
  const WorkingDirectory here;
  build_app(here, R"(#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static void give_back(void *lock) { pthread_mutex_unlock(lock); }
static void *work(void *argument) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(give_back, &mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
  return argument;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  pthread_cancel(other);
  pthread_join(other, NULL);
  return 1;
}
)",
            "-g -O1 -pthread");
  for (const char* const seed : {"1", "2", "3", "4"}) {
    const CommandResult found = here.orrery(std::string("explore --seed ") + seed + " ./app");
    INFO(found.out << found.err);
    CHECK(found.status == 1);
    CHECK_FALSE(has(found.out, "late by"));
  }
}

}  // namespace
