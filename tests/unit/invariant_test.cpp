// A broken invariant of our own: what the user is told, so that it can be reported and done again.
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/explorers/explorer.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "run_undisturbed.hpp"

namespace {

using orrery::World;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Death {
  int signal = 0;
  std::string err;
};

/// What becomes of a process that does this.
Death death_of(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);  // Catch2 has a handler of its own
    body();
    _exit(0);
  }
  close(ends[1]);
  Death death;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    death.err.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) death.signal = WTERMSIG(status);
  return death;
}

void break_it() {
  orrery::detail::ensure(false, "two is three", 2, 3);
}

/// Breaks it in about half of the runs: in those where the draw says so.
void break_it_sometimes(World& world) {
  if (world.random().below(2) == 1) break_it();
}

TEST_CASE("A broken invariant aborts with its operands, its line and the command to repeat it") {
  const Death death = death_of([] {
    orrery::detail::set_invariant_command("orrery run --seed 9 'a program'");
    break_it();
  });
  INFO(death.err);
  CHECK(death.signal == SIGABRT);
  CHECK(has(death.err, "a bug in Orrery: \"two is three\" does not hold (2, 3)"));
  CHECK(has(death.err, "invariant_test.cpp:"));
  CHECK(has(death.err, "orrery run --seed 9 'a program'"));
}

TEST_CASE("A broken invariant of a run names the run and its seed") {
  const Death death = death_of([] {
    orrery::SimulationOptions options;
    options.seed = 7;
    options.run_index = 41;
    (void)orrery::test::run_undisturbed([](World&) { break_it(); }, options);
  });
  INFO(death.err);
  CHECK(death.signal == SIGABRT);
  CHECK(has(death.err, "in run 41 of seed 7"));
}

TEST_CASE("A broken invariant in a search is told once, with the run, the seed and a replay") {
  const std::string log =
      (std::filesystem::temp_directory_path() / ("invariant-" + std::to_string(getpid()) + ".orr"))
          .string();
  orrery::ExploreOptions options;
  options.name = "invariant test";
  options.seed = 7;
  options.runs = 50;
  options.save_path = log;
  const orrery::Report report = orrery::explore(options, break_it_sometimes);
  REQUIRE(report.findings.size() == 1);
  const orrery::FoundRun& found = report.findings[0];
  INFO(found.finding.message);
  CHECK(found.finding.kind == orrery::FindingKind::crash);
  CHECK(has(found.finding.message, "a bug in Orrery: \"two is three\" does not hold (2, 3)"));
  CHECK(has(found.finding.message,
            "in run " + std::to_string(found.run_index) + " of seed 7; please report it"));
  CHECK(has(found.replay_command, log));
  std::filesystem::remove(log);
}

}  // namespace
