// What MPI programs do wrong, and how they are started wrongly: what is printed, and the exit
// status.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// What the ranks of a program do between MPI_Init and MPI_Finalize, and what is said of it.
struct Row {
  std::string statement;
  int status = 1;
  std::string kind;     ///< of the finding; empty: none
  std::string message;  ///< a part of it, or of what the program prints
  std::string flags = "-n 2";
};

std::string program_of(const std::vector<Row>& rows) {
  std::string text = R"(#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int rank, size, numbers[8];
static volatile int zero;
static volatile int forever = 1;
static void quits(void *in, void *out, int *count, MPI_Datatype *type) {
  (void)in, (void)out, (void)count, (void)type;
  MPI_Abort(MPI_COMM_SELF, 9);
}
static void overlap(MPI_Datatype *type) {
  int lengths[2] = {2, 2}, places[2] = {0, 1};
  MPI_Type_indexed(2, lengths, places, MPI_INT, type);
  MPI_Type_commit(type);
}
int main(int argc, char **argv) {
  int which = argc > 1 ? atoi(argv[1]) : -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  switch (which) {
)";
  for (std::size_t index = 0; index < rows.size(); ++index) {
    text +=
        "    case " + std::to_string(index) + ": {\n" + rows[index].statement + "\n    } break;\n";
  }
  return text + "  }\n  MPI_Finalize();\n  return 0;\n}\n";
}

void check_rows(const std::vector<Row>& rows) {
  const WorkingDirectory here;
  build_app(here, program_of(rows), "-g -O1");
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const Row& row = rows[index];
    const CommandResult result =
        here.orrery("run --json " + row.flags + " ./app " + std::to_string(index));
    INFO(row.statement << "\n" << result.out << result.err);
    CHECK(result.status == row.status);
    const json report = json::parse(result.out);
    if (row.kind.empty()) {
      CHECK(report["findings"].empty());
      CHECK(has(report["output"].get<std::string>() + result.err + report.dump(), row.message));
      continue;
    }
    REQUIRE(report["findings"].size() == 1);
    CHECK(report["findings"][0]["kind"] == row.kind);
    CHECK_THAT(report["findings"][0]["message"].get<std::string>(), Catch::Contains(row.message));
  }
}

}  // namespace

TEST_CASE("How ranks end: by exit codes, crashes, MPI_Abort, or never") {
  check_rows({
      {"if (rank == 1) exit(3);", 1, "exit", "rank 1 exits with status 3"},
      {"if (rank == 0) _exit(4);", 1, "exit", "rank 0 exits with status 4"},
      {"MPI_Finalize(); exit(rank);", 1, "exit", "rank 1 exits with status 1"},
      {"if (rank == 1) return 5;", 1, "exit", "rank 1 exits with status 5"},
      {"if (rank == 1) exit(0);", 1, "mpi_usage", "rank 1 ends without it"},
      {"if (rank == 1) *(volatile int *)8 = 1;", 1, "crash", "SIGSEGV"},
      {"numbers[0] = 100 / zero; printf(\"%d\", numbers[0]);", 1, "crash", "SIGFPE"},
      {"if (rank == 1) abort();", 1, "crash", "abort() was called"},
      {"if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7); MPI_Barrier(MPI_COMM_WORLD);", 1, "exit",
       "rank 1 aborts the job with status 7"},
      {"if (rank == 0) MPI_Abort(MPI_COMM_SELF, 8); MPI_Barrier(MPI_COMM_WORLD);", 1, "exit",
       "rank 0 aborts the job with status 8"},
      {"MPI_Op op; MPI_Op_create(quits, 1, &op); MPI_Allreduce(&rank, numbers, 1, MPI_INT, op, "
       "MPI_COMM_WORLD);",
       1, "exit", "aborts the job with status 9"},
      {"MPI_Abort(MPI_COMM_WORLD, 0);", 1, "exit", "aborts the job with status 0"},
      {"if (rank == 1) while (forever) { }", 3, "", "spins_at", "-n 2 --wall-limit 1s"},
      {"int flag = 0; while (!flag) MPI_Iprobe(1 - rank, 1, MPI_COMM_WORLD, &flag, "
       "MPI_STATUS_IGNORE);",
       1, "livelock", "no progress: rank 0 repeats try_probe", "-n 2 --step-limit 10000"},
      {"MPI_Init(NULL, NULL);", 1, "mpi_usage", "MPI was initialised before"},
      {"MPI_Finalize(); MPI_Finalize();", 1, "mpi_usage", "called after MPI_Finalize"},
      {"MPI_Finalize(); MPI_Barrier(MPI_COMM_WORLD);", 1, "mpi_usage", "called after MPI_Finalize"},
  });
}

TEST_CASE("The code that ends a run is a number in JSON, in a search, a log and a replay, too") {
  const std::vector<std::pair<Row, int>> rows = {
      {{"if (rank == 1) exit(3);", 1, "exit", ""}, 3},
      {{"if (rank == 0) return 200;", 1, "exit", ""}, 200},
      {{"MPI_Abort(MPI_COMM_WORLD, 0);", 1, "exit", ""}, 0},
      {{"MPI_Abort(MPI_COMM_WORLD, -5);", 1, "exit", ""}, -5},
  };
  const WorkingDirectory here;
  std::vector<Row> programs;
  for (const auto& [row, code] : rows) programs.push_back(row);
  programs.push_back({"abort();", 1, "crash", ""});
  build_app(here, program_of(programs), "-g -O1");
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const std::string app = " ./app " + std::to_string(index);
    for (const std::string& command : {"run -n 2" + app, "explore -n 2 --runs 2 -o a.orr" + app,
                                       std::string("show a.orr"), std::string("replay a.orr")}) {
      const std::size_t verb = command.find(' ');
      const CommandResult result =
          here.orrery(command.substr(0, verb) + " --json" + command.substr(verb));
      INFO(command << "\n" << result.out << result.err);
      const json finding = json::parse(result.out)["findings"].at(0);
      CHECK(finding["kind"] == "exit");
      CHECK(finding["exit_code"] == rows[index].second);
    }
  }
  const CommandResult crash = here.orrery("run --json -n 2 ./app " + std::to_string(rows.size()));
  const json finding = json::parse(crash.out)["findings"].at(0);
  CHECK(finding["kind"] == "crash");
  CHECK_FALSE(finding.contains("exit_code"));
}

TEST_CASE("Arguments that no call may have, and some that it may") {
  check_rows({
      {"unsigned tag = INT_MAX; MPI_Send(numbers, 1, MPI_INT, 0, (int)(tag + 1), MPI_COMM_WORLD);",
       1, "mpi_usage", "argument tag is -2147483648"},
      {"unsigned count = 3000000000u; MPI_Send(numbers, (int)count, MPI_INT, 0, 0, "
       "MPI_COMM_WORLD);",
       1, "mpi_usage", "argument count is -1294967296"},
      {"MPI_Datatype type; overlap(&type); MPI_Recv(numbers, 1, type, 0, 0, MPI_COMM_WORLD, "
       "MPI_STATUS_IGNORE);",
       1, "mpi_usage", "lie over each other"},
      {"MPI_Datatype type; MPI_Type_vector(2, 1, 2, MPI_INT, &type); MPI_Type_commit(&type); "
       "MPI_Request requests[2]; int in[2]; MPI_Irecv(in, 2, MPI_INT, 1 - rank, 0, "
       "MPI_COMM_WORLD, requests); numbers[0] = rank; MPI_Isend(numbers, 1, type, 1 - rank, 0, "
       "MPI_COMM_WORLD, requests + 1); MPI_Type_free(&type); MPI_Waitall(2, requests, "
       "MPI_STATUSES_IGNORE); printf(\"legal %d\\n\", in[0]);",
       0, "", "legal 1"},
      {"MPI_File file; int code = MPI_File_open(MPI_COMM_WORLD, \"absent\", MPI_MODE_RDONLY, "
       "MPI_INFO_NULL, &file); if (code == MPI_ERR_NO_SUCH_FILE) printf(\"no such file\\n\");",
       0, "", "no such file"},
      {"MPI_File file; MPI_File_open(MPI_COMM_WORLD, \"new\", MPI_MODE_RDWR | MPI_MODE_CREATE, "
       "MPI_INFO_NULL, &file); MPI_Request request; MPI_File_iwrite(file, numbers, 1, MPI_INT, "
       "&request); MPI_File_close(&file);",
       1, "mpi_usage", "still under way"},
      {"MPI_Bcast(numbers, 1, MPI_INT, rank, MPI_COMM_WORLD);", 1, "mpi_usage", "another root"},
      {"MPI_Recv(numbers, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);", 1,
       "deadlock", "nobody can go on"},
  });
}

TEST_CASE("Ranks and streams that cannot be had are refused") {
  const WorkingDirectory here;
  build_app(here, program_of({}), "-g");
  here.write("file", "text");
  std::filesystem::create_directory(here.path() / "taken");
  here.write("taken/rank-0.out", "text");
  const auto refused = [&here](const std::string& words, const std::string& message) {
    const CommandResult result = here.orrery(words);
    INFO(words << "\n" << result.out << result.err);
    CHECK(result.status == 2);
    CHECK(has(result.err, message));
  };
  refused("run -n 0 ./app", "-n");
  refused("run -n 1000000 ./app", "-n");
  refused("run -n many ./app", "-n");
  refused("run -n 2 --map host-0,nowhere ./app", "nowhere");
  refused("run -n 2 --output-per-rank file ./app", "this is no directory");
  refused("run -n 4 --stdin-to 9 ./app", "'9' is no rank of this run");
  refused("run -n 4 --stdin-to some ./app", "give a rank from 0 to 3, none or all");
  refused("run -n 2 --output-per-rank file/below ./app", "cannot be made");
  refused("run -n 2 --output-per-rank taken ./app", "already holds output: rank-0.out");
}

TEST_CASE("What Orrery's MPI does not have is missed by name when a program is built") {
  const WorkingDirectory here;
  here.write("tool.c",
             "#include <mpi.h>\nint MPI_T_init_thread(int, int *);\n"
             "int main(void) { int got; return MPI_T_init_thread(0, &got); }\n");
  CommandResult result = here.orrery("cc -o tool tool.c");
  CHECK(result.status != 0);
  CHECK(has(result.err, "orrery: this MPI has no MPI_T_init_thread yet: see docs/mpi.md"));
  here.write("old.f90", "program old\n  include 'mpif.h'\nend program\n");
  result = here.orrery("cc -o old old.f90");
  INFO(result.err);
  CHECK(result.status == 2);
  CHECK(has(result.err, "C and C++"));
}

TEST_CASE("Programs that were built for another MPI are refused by its name") {
  const WorkingDirectory here;
  here.write("mpich.c", "int MPI_Init(int *a, char ***b) { (void)a, (void)b; return 0; }\n");
  here.write("app.c",
             "int MPI_Init(int *, char ***);\nint main(void) { return MPI_Init(0, 0); }\n");
  here.write("plain.c", "#include <stdio.h>\nint main(void) { return puts(\"plain\") < 0; }\n");
  REQUIRE(here.shell("cc -shared -fPIC -Wl,-soname,libmpi.so.12 -o libmpi.so.12 mpich.c && "
                     "cc -o app app.c ./libmpi.so.12 -Wl,-rpath,'$ORIGIN'")
              .status == 0);
  CommandResult result = here.orrery("run -n 2 ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 2);
  CHECK(has(result.err, "it was linked with another MPI, libmpi.so.12"));
  result = here.orrery("run --threads ./app");
  CHECK(result.status == 2);
  CHECK(has(result.err, "MPI"));
  // A program without MPI is started so often, as job launchers do it.
  REQUIRE(here.orrery("cc -o plain plain.c").status == 0);
  CHECK(here.orrery("run --quiet -n 4 ./plain").out == "plain\nplain\nplain\nplain\n");
}
