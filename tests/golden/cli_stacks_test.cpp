// How the program came to where a finding is: the calls, with what was inlined, in text and JSON.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* two_receivers = R"(#include <mpi.h>
#include <algorithm>
#include <vector>
template <typename T>
struct Receiver {
  T take(int from) {
    T value{};
    MPI_Recv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
  }
};
static inline int wait_for(int other) {
  Receiver<int> receiver;
  return receiver.take(other);
}
__attribute__((noinline)) int exchange(int other) { return wait_for(other) + 1; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> all{1};
  std::for_each(all.begin(), all.end(), [&](int) { exchange(1 - rank); });
  MPI_Finalize();
}
)";

void build(const WorkingDirectory& here, const std::string& flags, const char* source) {
  build_app(here, source, flags, "cpp");
}

json frame(int line, const std::string& function) {
  return {{"file", "app.cpp"}, {"line", line}, {"function", function}};
}

TEST_CASE("A deadlock shows the calls of every task, inlined ones too, without the libraries'") {
  const std::string level = GENERATE("-O0", "-O2");
  const WorkingDirectory here;
  build(here, "-g " + level, two_receivers);
  const json object = json::parse(here.orrery("run --json -n 2 ./app").out);
  const json& where = object["findings"][0]["where"];
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const json& stack = where[rank]["stack"];
    INFO(stack.dump(1));
    REQUIRE(stack.size() >= 5);
    CHECK(stack[0] == frame(8, "Receiver<int>::take"));
    CHECK(stack[1] == frame(14, "wait_for"));
    CHECK(stack[2] == frame(16, "exchange"));
    CHECK(stack[3]["line"] == 22);
    CHECK(stack.back() == frame(22, "main"));
  }
  const std::string text = here.orrery("run -n 2 ./app").err;
  INFO(text);
  CHECK(has(text, "at app.cpp:8 in Receiver<int>::take\n"));
  CHECK(has(text,
            "\n    called from app.cpp:14 in wait_for\n    called from app.cpp:16 in exchange\n"));
}

TEST_CASE("A program without symbols has names of functions, or where they lie in the file") {
  const WorkingDirectory here;
  build(here, "-O1 -fvisibility=hidden", two_receivers);
  REQUIRE(here.shell("strip app").status == 0);
  const json object = json::parse(here.orrery("run --json -n 2 ./app").out);
  CHECK(object["outcome"] == "finding");
  const json& place = object["findings"][0]["where"][0];
  INFO(place.dump(1));
  CHECK(place["file"] == "");
  CHECK(place["function"].get<std::string>().starts_with("app+0x"));
  CHECK(has(here.orrery("run -n 2 ./app").err, "\n    in app+0x"));
  REQUIRE(here.orrery("explore -n 2 --runs 2 -o bug.orr ./app").status == 1);
  CHECK(here.orrery("replay bug.orr").status == 1);
}

TEST_CASE("A crash shows the calls that led to it") {
  const WorkingDirectory here;
  build(here, "-g -O2", R"(#include <mpi.h>
__attribute__((noinline)) void store(int* where) { *where = 3; }
static inline void middle(int* where) { store(where); asm volatile(""); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  middle(nullptr);
  MPI_Finalize();
}
)");
  const json object = json::parse(here.orrery("run --json ./app").out);
  const json& stack = object["findings"][0]["where"][0]["stack"];
  INFO(stack.dump(1));
  REQUIRE(stack.size() == 3);
  CHECK(stack[0] == frame(2, "store"));
  CHECK(stack[1] == frame(3, "middle"));
  CHECK(stack[2] == frame(6, "main"));
}

}  // namespace
