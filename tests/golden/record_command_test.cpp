// `orrery record`: jobs that end badly, that cannot be recorded, and what it says of them.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "recorded_job.hpp"

namespace {

using orrery::FindingKind;
using orrery::test::build_with_mpicc;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::has_open_mpi;
using orrery::test::record;
using orrery::test::RecordedLog;
using orrery::test::WorkingDirectory;

constexpr const char* start =
    "#include <assert.h>\n#include <mpi.h>\n#include <pthread.h>\n#include <signal.h>\n#include "
    "<stdio.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n#include <sys/resource.h>\n#include <unistd.h>\n";

// Rank 2 ends as the argument says, after rank 0 has taken a message of each.
const std::string ending =
    std::string(start) +
    "int main(int argc, char** argv) {\n  int rank, in;\n  const char* how = argv[1];\n"
    "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "  if (rank == 1) MPI_Recv(&in, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
    "  if (rank > 0) MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n"
    "  for (int i = 0; rank == 0 && i < 2; ++i)\n"
    "    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
    "  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
    "  MPI_Barrier(MPI_COMM_WORLD);\n"
    "  if (rank == 2) {\n    if (strcmp(how, \"kill\") == 0) raise(SIGKILL);\n"
    "    if (strcmp(how, \"segv\") == 0) *(volatile int*)(argc > 100 ? argv : 0) = 1;\n"
    "    if (strcmp(how, \"abort\") == 0) MPI_Abort(MPI_COMM_WORLD, 5);\n"
    "    if (strcmp(how, \"assert\") == 0) assert(argc > 100);\n"
    "    if (strcmp(how, \"exit\") == 0) exit(4);\n  }\n"
    "  if (rank == 0 && strcmp(how, \"late\") != 0)\n"
    "    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
    "  MPI_Finalize();\n  return rank == 1 ? 3 : 0;\n}\n";

}  // namespace

TEST_CASE("Ranks that end badly leave what they have recorded, and are what is found") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app", ending);
  struct Case {
    const char* how;
    FindingKind kind;
    const char* message;
  };
  for (const Case& one : {Case{"segv", FindingKind::crash, "rank 2 died of SIGSEGV"},
                          Case{"kill", FindingKind::crash,
                               "rank 2 was killed by SIGKILL (Killed), which it sent itself"},
                          Case{"assert", FindingKind::assertion, "assertion failed: argc > 100"},
                          Case{"abort", FindingKind::exit, "rank 2 aborts the job with status 5"},
                          Case{"exit", FindingKind::exit, "rank 2 exits with status 4"},
                          Case{"late", FindingKind::exit, "rank 1 exits with status 3"}}) {
    CAPTURE(one.how);
    const CommandResult run = record(here, "app.orr", 3, std::string("./app ") + one.how);
    INFO(run.out << run.err);
    CHECK(run.status == 1);
    CHECK(has(run.err, one.message));
    const RecordedLog log(here, "app.orr");
    REQUIRE(log.findings.size() == 1);
    CHECK(log.findings[0].kind == one.kind);
    CHECK(has(log.findings[0].message, one.message));
    CHECK(log.log.program.arguments == std::vector<std::string>{one.how});
    std::vector<std::int32_t> sources{2, 1};
    if (one.how != std::string("late")) sources.push_back(-1);  // it waits there until it ends
    CHECK(log.of_rank(0).sources == sources);
    CHECK(here.files() == std::vector<std::string>{"app", "app.c", "app.orr"});
  }
}

TEST_CASE("A disk that fills while ranks record: the program goes on, and the log says where") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  // To a rank this limit looks as a full disk does.
  build_with_mpicc(
      here, "app",
      std::string(start) +
          "int main(int argc, char** argv) {\n  int in = 0;\n"
          "  const struct rlimit limit = {30000, 30000};\n"
          "  MPI_Init(&argc, &argv);\n  setrlimit(RLIMIT_FSIZE, &limit);\n"
          "  for (int i = 0; i < 20000; ++i) {\n    MPI_Request request;\n"
          "    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, "
          "&request);\n"
          "    MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n"
          "    MPI_Wait(&request, MPI_STATUS_IGNORE);\n  }\n"
          "  printf(\"the last was %d\\n\", in);\n  MPI_Finalize();\n  return 0;\n}\n");
  const CommandResult run = record(here, "app.orr", 1, "./app");
  INFO(run.out << run.err);
  CHECK(run.status == 3);
  CHECK(has(run.out, "the last was 19999\n"));
  CHECK(has(run.err, "the log is cut: rank 0: its file could not grow (File too large)"));
  const RecordedLog log(here, "app.orr");
  const auto sources = log.of_rank(0).sources;
  CHECK(sources.size() > 5000);
  CHECK(sources.size() < 20000);
  CHECK(std::count(sources.begin(), sources.end() - 1, 0) == std::ssize(sources) - 1);
}

TEST_CASE("What a second thread receives cannot be recorded, and is refused by name") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "static void* receive(void* at) {\n"
                       "  MPI_Recv(at, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, "
                       "MPI_STATUS_IGNORE);\n  return 0;\n}\n"
                       "int main(int argc, char** argv) {\n  int level, in = 0, out = 7;\n"
                       "  pthread_t thread;\n"
                       "  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);\n"
                       "  pthread_create(&thread, 0, receive, &in);\n"
                       "  MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);\n"
                       "  pthread_join(thread, 0);\n  printf(\"got %d\\n\", in);\n"
                       "  MPI_Finalize();\n  return 0;\n}\n");
  const CommandResult run = record(here, "app.orr", 1, "./app");
  INFO(run.out << run.err);
  CHECK(run.status == 2);
  CHECK(has(run.out, "got 7\n"));
  CHECK(has(run.err, "rank 0: a second thread has called MPI"));
}

TEST_CASE("A program without open choices leaves nothing but the header of its log") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "extern char** environ;\nstatic int is_many(void) {\n"
                       "  for (char** at = environ; *at; ++at)\n"
                       "    if (strcmp(*at, \"MANY=1\") == 0) return 1;\n  return 0;\n}\n"
                       "int main(int argc, char** argv) {\n  int rank, size, in;\n"
                       "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                       "  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
                       "  const int rounds = is_many() ? 900 : 1;\n"
                       "  for (int i = 0; i < rounds; ++i) {\n    MPI_Request both[2];\n"
                       "    MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, "
                       "&both[0]);\n"
                       "    MPI_Isend(&rank, 1, MPI_INT, (rank + size - 1) % size, 0, "
                       "MPI_COMM_WORLD, &both[1]);\n"
                       "    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);\n  }\n"
                       "  printf(\"%d rounds\\n\", rounds);\n  MPI_Finalize();\n  return 0;\n}\n");
  // One command line for both: another argument may compress to another size, and what getenv
  // answers would be kept as an input.
  CHECK(has(record(here, "few.orr", 2, "./app").out, "1 rounds\n"));
  ::setenv("MANY", "1", 1);
  CHECK(has(record(here, "many.orr", 2, "./app").out, "900 rounds\n"));
  ::unsetenv("MANY");
  CHECK(RecordedLog(here, "many.orr").calls.empty());
  CHECK(here.read("few.orr").size() == here.read("many.orr").size());
}

TEST_CASE("A recorder takes nothing from the heap of the program") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  // Where its blocks lie decides how fast a program is, and what one that reads freed memory sees.
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "#include <malloc.h>\n"
                       "int main(int argc, char** argv) {\n  char name[40];\n"
                       "  const size_t first = mallinfo2().uordblks;\n  MPI_Init(&argc, &argv);\n"
                       "  const size_t begin = mallinfo2().uordblks;\n"
                       "  for (int i = 0; i < 500; ++i) {\n"
                       "    sprintf(name, \"a_file_of_the_name_%d\", i);\n"
                       "    FILE* file = fopen(name, \"r\");\n    if (file) fclose(file);\n"
                       "    getenv(name);\n  }\n"
                       "  const size_t end = mallinfo2().uordblks;\n"
                       "  printf(\"%zu before MPI, %zu for files\\n\", first, end - begin);\n"
                       "  MPI_Finalize();\n  return 0;\n}\n");
  const CommandResult bare =
      here.shell("timeout 60 mpirun --allow-run-as-root --oversubscribe -n 1 ./app");
  INFO(bare.out << bare.err);
  REQUIRE(bare.status == 0);
  const CommandResult recorded = record(here, "app.orr", 1, "./app");
  INFO(recorded.out << recorded.err);
  CHECK(recorded.status == 0);
  CHECK(recorded.out == bare.out);
}

TEST_CASE("Two recorders on one file: the second is refused") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n"
                       "  fclose(fopen(\"begun\", \"w\"));\n"
                       "  while (access(\"go\", F_OK) != 0) usleep(1000);\n"
                       "  MPI_Finalize();\n  return 0;\n}\n");
  const std::string words =
      ORRERY_BINARY " record -o app.orr mpirun --allow-run-as-root --oversubscribe -n 1 ./app";
  const CommandResult both =
      here.shell(words + " & while test ! -e begun; do sleep 0.01; done; " + words +
                 "; echo second $?; touch go; wait %1; echo first $?");
  INFO(both.out << both.err);
  CHECK(has(both.out, "second 2\nfirst 0\n"));
  CHECK(has(both.err, "another orrery record is writing this log"));
  CHECK(RecordedLog(here, "app.orr").log.program.ranks == 1);
}

TEST_CASE("What is no recording is one clear error, and leaves nothing behind") {
  const WorkingDirectory here;
  const auto refused = [&here](const std::string& words, const std::string& reason) {
    CAPTURE(words);
    const CommandResult run = here.orrery("record " + words);
    INFO(run.out << run.err);
    CHECK(run.status == 2);
    CHECK(has(run.err, reason));
    CHECK(here.files().empty());
  };
  refused("-o app.orr no-such-mpirun -n 2 ./app", "no-such-mpirun: cannot be started");
  const std::string names = ORRERY_BUILD_DIR "/lib/orrery/bin";
  refused("-o app.orr " + names + "/mpirun -n 2 ./app", "it is Orrery's own, which simulates");
  refused("--method stride -o app.orr /tmp", "/tmp: cannot be started");
  refused("--method leap -o app.orr no-such-program", "no-such-program: cannot be started");
  refused("--method wildcards -o app.orr true", "no rank of the command has begun MPI");
  refused("-o app.orr", "no command is given");
  refused("true", "no file is given for the log");
  refused("--method choices -o app.orr true", "is for simulated runs");
  refused("--method wildcrads -o app.orr true", "there is no recorder 'wildcrads'");
  refused("--seed 1 -o app.orr true", "is for injected delays only");
  refused("--inject-delays=5 -o app.orr true", "--inject-delays: the duration '5' has no unit");
  refused("--inject-delays 50us -o app.orr true", "--inject-delays=50us");
  refused("-o none/app.orr true", "there is no directory 'none'");
}
