#include "recorded_job.hpp"

#include <chrono>
#include <thread>

#include <catch2/catch.hpp>

namespace orrery::test {

bool has_open_mpi() {
  const WorkingDirectory here;
  const CommandResult found = here.shell("mpirun --version && command -v mpicc");
  if (found.status == 0 && has(found.out, "Open MPI")) return true;
  WARN("skipped: Open MPI is not here (apt-get install openmpi-bin libopenmpi-dev)");
  return false;
}

void build_with_mpicc(const WorkingDirectory& here, const std::string& name,
                      const std::string& source) {
  here.write(name + ".c", source);
  const CommandResult built = here.shell("env -u OMPI_CC mpicc -g " + name + ".c -o " + name);
  INFO(built.out << built.err);
  REQUIRE(built.status == 0);
}

CommandResult record(const WorkingDirectory& here, const std::string& file, int ranks,
                     const std::string& words, const std::string& flags) {
  const std::string command = "timeout -k 5 60 " ORRERY_BINARY " record " + flags + " -o " + file +
                              " mpirun --allow-run-as-root --oversubscribe -n " +
                              std::to_string(ranks) + " " + words;
  // Open MPI 4.1's mpirun, with a recorder and without, waits for ever now and then when a job ends
  // badly on a machine that is busy.
  constexpr int timed_out = 124;
  constexpr int killed = 137;
  CommandResult result;
  for (int attempts_left = 3; attempts_left > 0; --attempts_left) {
    result = here.shell(command);
    if (result.status != timed_out && result.status != killed) break;
    // What was killed may hold its log for a moment longer.
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }
  return result;
}

RecordedLog::RecordedLog(const WorkingDirectory& here, const std::string& file)
    : log(read_log((here.path() / file).string())) {
  for (const LogBlock& block : log.blocks) {
    if (block.kind == BlockKind::findings) findings = decode_findings(block.content);
    if (block.kind != BlockKind::open_calls) continue;
    for (OpenCalls& part : decode_open_calls(block.content)) {
      if (!calls.empty() && calls.back().task == part.task) {
        calls.back().append(part);
      } else {
        calls.push_back(std::move(part));
      }
    }
  }
}

OpenCalls RecordedLog::of_rank(std::uint32_t rank) const {
  for (const OpenCalls& one : calls) {
    if (one.task.value == rank + 1) return one;
  }
  return {};
}

}  // namespace orrery::test
