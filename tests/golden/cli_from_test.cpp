// `explore --from LOG`: a search around a run that was recorded.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Rank 0 trusts that rank 1 comes first, if `trusts`.
std::string receiver(bool trusts) {
  return "#include <assert.h>\n#include <mpi.h>\n#include <stdlib.h>\n"
         "int main(int argc, char** argv) {\n  int rank, first, next;\n"
         "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
         "  if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, atoi(argv[1]), MPI_COMM_WORLD);\n"
         "  if (rank == 0) {\n"
         "    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
         "    MPI_Recv(&next, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, "
         "MPI_STATUS_IGNORE);\n" +
         std::string(trusts ? "    assert(first < next);\n" : "    assert(first != next);\n") +
         "  }\n  MPI_Finalize();\n  return 0;\n}\n";
}

/// A run in which rank 1 came first.
void record_clean(const WorkingDirectory& here, const std::string& method) {
  CommandResult run;
  for (int seed = 0; seed < 20; ++seed) {
    run = here.orrery("run -n 3 --record app.orr --method " + method + " --seed " +
                      std::to_string(seed) + " ./app 7");
    if (run.status == 0) return;
  }
  FAIL(run.err);
}

}  // namespace

TEST_CASE(
    "A search around a clean run finds what nearly happened, by whatever method it was kept") {
  for (const std::string method : {"choices", "wildcards", "racing-messages-tight"}) {
    CAPTURE(method);
    const WorkingDirectory here;
    orrery::test::build_app(here, receiver(true), "");
    record_clean(here, method);
    const std::string log = here.read("app.orr");
    const CommandResult search = here.orrery("explore --from app.orr --runs 50");
    INFO(search.out << search.err);
    CHECK(search.status == 1);
    CHECK(has(search.out, "first < next"));
    CHECK(has(search.out, "under around:file=app.orr"));
    CHECK(has(search.out, "saved: app-near.orr"));
    CHECK(here.read("app.orr") == log);
    CHECK(here.orrery("replay app-near.orr").status == 1);

    // Its own finding is the first.
    const CommandResult again = here.orrery("explore --from app-near.orr --runs 1 -o x.orr");
    CHECK(again.status == 1);
  }
}

TEST_CASE("Around a run of the mended program there is nothing to find") {
  const WorkingDirectory here;
  orrery::test::build_app(here, receiver(false), "");
  record_clean(here, "choices");
  const CommandResult search = here.orrery("explore --from app.orr --runs 300 --json");
  CHECK(search.status == 0);
  CHECK(has(search.out, "\"runs\": 300"));
}

TEST_CASE("What cannot be searched around is one clear error") {
  const WorkingDirectory here;
  orrery::test::build_app(here, receiver(true), "");
  record_clean(here, "choices");
  here.write("text.orr", "no log\n");
  struct Case {
    const char* words;
    const char* error;
  };
  for (const Case& one : {Case{"--from app.orr ./app 7", "leave out './app'"},
                          Case{"--from app.orr --strategy pct", "together with --from"},
                          Case{"--from app.orr -o app.orr", "would be lost"},
                          Case{"--from app.orr -n 5", "the log has 3 ranks"},
                          Case{"--program ./app", "add --from LOG"},
                          Case{"--from text.orr", "this is not an Orrery log"},
                          Case{"--from none.orr", "cannot be read"},
                          Case{"--strategy around ./app 7", "around:file=bug.orr"}}) {
    CAPTURE(one.words);
    const CommandResult search = here.orrery("explore " + std::string(one.words));
    CHECK(search.status == 2);
    CHECK(has(search.err, one.error));
  }
  orrery::test::build_app(here, receiver(false), "");
  const CommandResult other = here.orrery("explore --from app.orr");
  CHECK(other.status == 2);
  CHECK(has(other.err, "build"));
}
