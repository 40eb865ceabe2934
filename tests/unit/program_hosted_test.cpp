#include <catch2/catch.hpp>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/program_host/hosted_program.hpp>

#include "program_builder.hpp"

namespace {

using orrery::Finding;
using orrery::FindingKind;
using orrery::Outcome;
using orrery::ProgramImage;
using orrery::test::build_program;
using orrery::test::TemporaryDirectory;

/// Takes the default answer, or, where it is told so, the last one.
class FirstOrLast final : public orrery::Chooser {
 public:
  explicit FirstOrLast(bool takes_last) : takes_last_(takes_last) {}
  void begin_run(const orrery::RunInfo&) override {}
  orrery::Decision choose(const orrery::ChoicePoint& point) override {
    return orrery::Decision::take(takes_last_ ? point.alternatives.size() - 1
                                              : point.default_index());
  }
  std::uint64_t choose_value(const orrery::ValueQuestion& question) override {
    return question.low;
  }
  void end_run(const Outcome&) override {}

 private:
  bool takes_last_;
};

class Host {
 public:
  Host(const std::string& text, std::uint32_t ranks,
       orrery::cli::Language language = orrery::cli::Language::c)
      : image_(std::make_shared<ProgramImage>(
            build_program(directory_, text, language), ranks,
            orrery::ProgramImageOptions{orrery::front_end_beside(ORRERY_BINARY)})),
        simulation_(options()) {}

  Outcome run(std::vector<std::string> arguments = {}, bool takes_last = false) {
    FirstOrLast chooser(takes_last);
    return simulation_.run(orrery::hosted_program(image_, std::move(arguments)), chooser);
  }

 private:
  static orrery::SimulationOptions options() {
    orrery::SimulationOptions result;
    result.window = orrery::any_order;
    result.stack_bytes = orrery::hosted_stack_bytes;
    return result;
  }
  TemporaryDirectory directory_;
  std::shared_ptr<ProgramImage> image_;
  orrery::Simulation simulation_;
};

const Finding& only_finding(const Outcome& outcome) {
  REQUIRE(outcome.findings.size() == 1);
  return outcome.findings.front();
}

}  // namespace

TEST_CASE("the ranks of an MPI program talk to each other, each with globals of its own") {
  Host host(R"(
    #include <mpi.h>
    #include <stdio.h>
    static int rank, size, sum;
    int main(int argc, char** argv) {
      MPI_Init(&argc, &argv);
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      MPI_Comm_size(MPI_COMM_WORLD, &size);
      char large[3000000];
      large[0] = (char)rank;
      sum = rank;
      for (int i = 1; i < size; ++i) {
        int got = 0;
        MPI_Sendrecv(&sum, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = got + rank;
      }
      printf("%d: %d %d\n", rank, sum, large[0]);
      MPI_Finalize();
      return 0;
    })",
            3);
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = host.run();
    CHECK(outcome.is_clean());
    for (const char* line : {"0: 3 0\n", "1: 3 1\n", "2: 3 2\n"}) {
      CHECK(outcome.output.find(line) != std::string::npos);
    }
  }
}

TEST_CASE("findings of a hosted program name its source lines") {
  Host host(R"(#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
static void check(int argc) {
  assert(argc != 2);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check(argc);
  if (argc == 3) exit(4);
  if (argc == 4) {
    int x;
    MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
})",
            1);
  CHECK(host.run().is_clean());
  const Outcome failed = host.run({"1"});
  CHECK(only_finding(failed).kind == FindingKind::assertion);
  REQUIRE_FALSE(only_finding(failed).where.empty());
  CHECK(only_finding(failed).where[0].line == 5);
  CHECK(only_finding(failed).where[0].function == "check");
  CHECK(only_finding(failed).where[0].task == "rank 0");
  const Outcome left = host.run({"1", "2"});
  CHECK(only_finding(left).kind == FindingKind::exit);
  CHECK(only_finding(left).where.at(0).line == 10);
  const Outcome stuck = host.run({"1", "2", "3"});
  CHECK(only_finding(stuck).kind == FindingKind::deadlock);
  CHECK(only_finding(stuck).where.at(0).line == 13);
  CHECK(host.run().is_clean());
}

TEST_CASE("an uncaught exception is found where it was thrown") {
  Host host(R"(#include <stdexcept>
void risky(int argc) {
  if (argc > 1) throw std::out_of_range("too far");
}
int main(int argc, char**) {
  try { throw 1; } catch (int) {}
  risky(argc);
})",
            2, orrery::cli::Language::cplusplus);
  CHECK(host.run().is_clean());
  const Outcome outcome = host.run({"x"});
  CHECK(only_finding(outcome).kind == FindingKind::exception);
  CHECK(only_finding(outcome).message == "uncaught exception: too far (std::out_of_range)");
  CHECK(only_finding(outcome).where.at(0).line == 3);
  CHECK(only_finding(outcome).where.at(0).function == "risky");
}

TEST_CASE("text of ranks that are left in the middle of a run does not reach the next one") {
  Host host(R"(
    #include <mpi.h>
    #include <stdio.h>
    #include <stdlib.h>
    int main(int argc, char** argv) {
      int rank, token = 0;
      MPI_Init(&argc, &argv);
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      printf("half a line");
      if (rank == 0 && argc > 1) exit(1);
      MPI_Barrier(MPI_COMM_WORLD);
      printf(" and the rest\n");
      MPI_Finalize();
      return token;
    })",
            2);
  CHECK(host.run({"x"}).findings.size() == 1);
  CHECK(host.run().output == "half a line and the rest\nhalf a line and the rest\n");
}
