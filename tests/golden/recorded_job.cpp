#include "recorded_job.hpp"

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
  return here.orrery("record " + flags + " -o " + file +
                     " mpirun --allow-run-as-root --oversubscribe -n " + std::to_string(ranks) +
                     " " + words);
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
