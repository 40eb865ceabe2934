// `orrery/threads/crew_object.hpp`: coarse objects of programs of real threads, whose entries are
// the versions of Instant Replay.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "every_method.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::build_plainly;
using orrery::test::check_replay;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

// Each reader prints all that it has read, in order; the last one waits for a value.
const std::string source =
    "#include <orrery/threads/crew_object.hpp>\n#include <array>\n#include <cstdio>\n"
    "#include <map>\n#include <stdexcept>\n#include <string>\n#include <thread>\n"
    "#include <vector>\n"
    "struct Rates { std::array<long, 3> values{}; long changes = 0; };\n"
    "static orrery::threads::CrewObject<Rates> rates;\n"
    "static orrery::threads::CrewProtocol names_lock;\nstatic std::map<long, long> names;\n"
    "static std::array<std::string, 5> seen;\n"
    "static void change(long me) {\n  for (long i = 0; i < 40; ++i) {\n"
    "    rates.write([&](Rates& all) { all.values[i % 3] = me * 100 + i; ++all.changes; });\n"
    "    names_lock.writer_entry();\n    names[i % 7] = me;\n    names_lock.writer_exit();\n"
    "    try { rates.write([](Rates&) { throw std::runtime_error(\"no\"); }); }\n"
    "    catch (const std::runtime_error&) {}\n  }\n}\n"
    "static void look(long me) {\n  for (long i = 0; i < 60; ++i) {\n"
    "    seen[me] += std::to_string(rates.read([&](const Rates& all) {\n"
    "      return all.values[i % 3] * 1000 + all.changes; })) + ' ';\n"
    "    names_lock.reader_entry();\n    long sum = 0;\n"
    "    for (const auto& [key, value] : names) sum = sum * 3 + value;\n"
    "    names_lock.reader_exit();\n    seen[me] += std::to_string(sum) + ' ';\n  }\n}\n"
    "static void wait() {\n  for (long i = 10; i <= 80; i += 10) {\n"
    "    rates.wait_until([&](const Rates& all) { return all.changes >= i; });\n"
    "    seen[4] += std::to_string(rates.read([](const Rates& all) { return all.changes; })) + ' "
    "';\n"
    "  }\n}\n"
    "int main() {\n  std::vector<std::thread> all;\n  all.emplace_back(wait);\n"
    "  for (long i = 0; i < 2; ++i) { all.emplace_back(change, i + 1); all.emplace_back(look, i); "
    "}\n"
    "  for (auto& one : all) one.join();\n"
    "  for (const auto& one : seen) std::printf(\"%s\\n\", one.c_str());\n}\n";

/// Recorded on real cores, with delays, the same reads come under any seed and window.
void check_reads(const WorkingDirectory& here) {
  std::string first;
  bool differs = false;
  for (int seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    const CommandResult real =
        here.orrery(fmt::format("record --method instant-replay --inject-delays=50us --seed {} "
                                "-o run.orr ./app",
                                seed));
    check_replay(here, real);
    for (const char* const machine : {"--seed 7 --window 40us", "--seed 8 --window inf"}) {
      const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
      INFO(again.err);
      CHECK(again.status == 0);
      CHECK(again.out == real.out);
    }
    if (first.empty()) first = real.out;
    differs = differs || real.out != first;
  }
  CHECK(differs);  // else there was nothing to replay
}

}  // namespace

TEST_CASE("Objects with readers and writers are read by real threads as their tapes say") {
  const WorkingDirectory here;
  SECTION("in a program that another compiler has built") {
    build_plainly(here, ORRERY_CXX_COMPILER, source,
                  "-I" ORRERY_SOURCE_DIR "/sim_runtime/front_ends/programs/include");
    check_reads(here);
  }
  SECTION("in one by orrery c++, which finds the header by itself") {
    build_app(here, source, "-std=c++20 -g -O1 -pthread", "cpp");
    check_reads(here);
  }
}

TEST_CASE("Objects with readers and writers are recorded in simulation, too, by any method") {
  const WorkingDirectory here;
  build_app(here, source, "-std=c++20 -g -O1 -pthread", "cpp");
  orrery::test::check_simulated_recordings(here, "inf", {1, 2});
}
