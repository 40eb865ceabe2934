// `show --export`: a log for other tools, read by these where they are installed.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "recorded_job.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Rank 0 takes what comes from the others, all meet, and the last one fails if it is told to.
const std::string gathering = R"(
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size, got = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  if (rank == 0)
    for (int i = 1; i < size; ++i)
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && rank == size - 1) abort();
  MPI_Finalize();
  return 0;
}
)";

const std::string threads = R"(
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *hold(void *unused) {
  pthread_mutex_lock(&lock);
  usleep(100);
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, hold, 0);
  pthread_create(&b, 0, hold, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
)";

CommandResult exported(const WorkingDirectory& here, const std::string& words) {
  CommandResult result = here.orrery("show --export " + words);
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
  return result;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// The rows of this kind, in a table without quotes.
std::size_t rows(const std::string& csv, const std::string& kind) {
  return count(csv, "\n" + kind + ",");
}

bool is_here(const WorkingDirectory& here, const std::string& tool, const std::string& package) {
  if (here.shell("command -v " + tool).status == 0) return true;
  WARN("skipped: " << tool << " is not here (apt-get install " << package << ")");
  return false;
}

}  // namespace

TEST_CASE("A log of each method is exported, with the calls, lines and messages of its run") {
  const WorkingDirectory here;
  build_app(here, gathering, "-g");
  for (const char* const method :
       {"choices", "contents", "orders", "wildcards", "racing-messages", "racing-messages-tight"}) {
    INFO(method);
    REQUIRE(here.orrery(std::string("run -n 3 --record app.orr --method ") + method + " ./app")
                .status == 0);
    const std::string csv = exported(here, "csv app.orr").out;
    CHECK(csv.starts_with("row,id,task,process,kind,call,object,file,line,function,"));
    CHECK(has(csv, ",rank 0,1,receive,MPI_Recv,mailbox of rank 0,app.c,12,main,"));
    CHECK(has(csv, ",rank 1,2,send,MPI_Send,mailbox of rank 0,app.c,9,main,0,4,4,"));
    // Two messages of the program's, which race, and those of the barrier.
    CHECK(count(csv, ",0,1\n") == 2);
    CHECK(rows(csv, "message") == 2 + count(csv, ",1,0\n"));
    CHECK(count(csv, ",send,MPI_Barrier,") == count(csv, ",1,0\n"));
    exported(here, "csv -o app.csv app.orr");
    CHECK(here.read("app.csv") == csv);
  }
}

TEST_CASE("Logs of threads and of a run that died are exported") {
  const WorkingDirectory here;
  build_app(here, threads, "-g -pthread");
  REQUIRE(here.orrery("run --record threads.orr ./app").status == 0);
  const std::string csv = exported(here, "csv threads.orr").out;
  CHECK(has(csv, ",hold#1,1,mutex_lock,,mutex lock,app.c,6,hold,"));
  CHECK(has(csv, ",main,1,join,,"));

  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --record died.orr ./app die").status == 1);
  exported(here, "chrome -o died.json died.orr");
  const json trace = json::parse(here.read("died.json"));
  bool has_death = false;
  bool has_barrier = false;
  for (const json& event : trace.at("traceEvents")) {
    has_death = has_death || event.at("ph") == "i";
    has_barrier = has_barrier || event.at("name") == "MPI_Barrier";
  }
  CHECK(has_death);
  CHECK(has_barrier);
}

TEST_CASE("A log of a real MPI job is exported") {
  if (!orrery::test::has_open_mpi()) return;
  const WorkingDirectory here;
  orrery::test::build_with_mpicc(here, "app", gathering);
  const CommandResult recorded = orrery::test::record(here, "job.orr", 3, "./app");
  INFO(recorded.out << recorded.err);
  REQUIRE(recorded.status == 0);
  const std::string csv = exported(here, "csv job.orr").out;
  CHECK(count(csv, ",0,1\n") == 2);
  CHECK(has(csv, ",receive,MPI_Recv,"));
}

TEST_CASE("pj_dump reads an export to Paje, and finds all of the time and the messages") {
  const WorkingDirectory here;
  if (!is_here(here, "pj_dump", "pajeng")) return;
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --record app.orr ./app").status == 0);
  exported(here, "paje -o app.paje app.orr");
  const CommandResult read = here.shell("pj_dump --float-precision 12 app.paje");
  INFO(read.out << read.err);
  REQUIRE(read.status == 0);
  std::map<std::string, double> states;
  std::map<std::string, double> tasks;
  std::istringstream text(read.out);
  for (std::string line; std::getline(text, line);) {
    std::vector<std::string> fields;
    std::istringstream words(line);
    for (std::string field; std::getline(words >> std::ws, field, ',');) fields.push_back(field);
    if (fields[0] == "State") states[fields[1]] += std::stod(fields[5]);
    if (fields[0] == "Container" && fields[2] == "task") tasks[fields[6]] = std::stod(fields[5]);
  }
  REQUIRE(tasks.size() == 4);
  for (const auto& [task, length] : tasks) {
    if (task == "root") CHECK(states[task] == Approx(length));
    CHECK(states[task] <= length + 1e-9);
  }
  CHECK(count(read.out, "Link, run, message") ==
        rows(exported(here, "csv app.orr").out, "message"));
  CHECK(count(read.out, "racing message") == 2);
}

TEST_CASE("ViTE draws an export to Paje") {
  const WorkingDirectory here;
  if (!is_here(here, "vite", "vite")) return;
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --record app.orr ./app").status == 0);
  exported(here, "paje -o app.paje app.orr");
  const CommandResult drawn =
      here.shell("QT_QPA_PLATFORM=offscreen timeout 60 vite -e app.svg app.paje");
  INFO(drawn.out << drawn.err);
  REQUIRE(drawn.status == 0);
  CHECK(has(drawn.err, "0 errors and 0 warnings"));
  CHECK(has(here.read("app.svg"), "rank 2"));
}

TEST_CASE("otf2-print reads an export to OTF2, and finds all messages") {
  const WorkingDirectory here;
  if (!is_here(here, "otf2-print", "otf2-tools")) return;
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --record app.orr ./app").status == 0);
  const std::vector<std::string> before = here.files();
  exported(here, "otf2 -o traces app.orr");
  for (const std::string& file : here.files()) {
    CHECK((file.starts_with("traces") || std::ranges::count(before, file) == 1));
    CHECK_FALSE(has(file, ".part"));
  }
  const CommandResult read = here.shell("otf2-print traces/traces.otf2");
  INFO(read.out << read.err);
  REQUIRE(read.status == 0);
  CHECK(read.err.empty());
  const std::size_t messages = rows(exported(here, "csv app.orr").out, "message");
  CHECK(count(read.out, "\nMPI_SEND ") == messages);
  CHECK(count(read.out, "\nMPI_RECV ") == messages);
  CHECK(count(read.out, "\nENTER ") == count(read.out, "\nLEAVE "));
  CHECK(count(read.out, "\nENTER ") == rows(exported(here, "csv app.orr").out, "operation"));
  CHECK(has(read.out, "Region: \"MPI_Barrier\""));

  const CommandResult again = here.orrery("show --export otf2 -o traces app.orr");
  CHECK(again.status == 2);
  CHECK(has(again.err, "'traces' is there already"));
}

TEST_CASE("An export that finds no room leaves nothing, and says so once") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("run --record good.orr wildcard_race:mended").status == 0);
  here.write("old.csv", "before\n");
  for (const char* const words :
       {"csv -o new.csv", "csv -o old.csv", "csv", "otf2 -o traces", "csv -o /dev/full"}) {
    INFO(words);
    // A limit on the size of files stands for the disk.
    const bool is_device = has(words, "/dev/full");
    const CommandResult result = here.shell(
        std::string("(trap '' XFSZ; ") + (is_device ? "" : "ulimit -f 0; ") +
        "'" ORRERY_BINARY "' show --export " + words + " good.orr; echo status $?) 2>&1 | cat");
    INFO(result.out);
    CHECK(has(result.out, "status 2"));
    CHECK(has(result.out, "cannot be written"));
    CHECK(count(result.out, "orrery: ") == 1);
    CHECK(here.read("old.csv") == "before\n");
    CHECK(here.files() == std::vector<std::string>{"good.orr", "old.csv"});
  }
}

TEST_CASE("An export to a file comes with what show says, and to standard output alone") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("run --record good.orr wildcard_race:mended").status == 0);
  CHECK(has(exported(here, "shiviz -o out.txt good.orr").out, "program:"));
  CHECK_FALSE(has(exported(here, "shiviz good.orr").out, "program:"));
  const CommandResult told = exported(here, "shiviz --json -o out.txt good.orr");
  CHECK(json::parse(told.out).at("stats").at("method") == "choices");
  const CommandResult both = here.orrery("show --export shiviz --json good.orr");
  CHECK(both.status == 2);
  CHECK(has(json::parse(both.out).at("error").at("hint"), "-o"));
  const CommandResult listed = here.orrery("list exports");
  for (const char* const format : {"chrome", "paje", "shiviz", "otf2", "csv"}) {
    CHECK(has(listed.out, format));
  }
}
