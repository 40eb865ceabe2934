#include "orrery/network_model/usage_error.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace orrery::detail {
namespace {

// Not strings: whoever aborts can no longer allocate.
std::array<char, 512> command_text{};
char* sink_text = nullptr;
std::size_t sink_bytes = 0;

struct Run {
  std::uint64_t seed = 0;
  std::uint64_t index_plus_one = 0;  // 0: there was none
};
thread_local Run run;

}  // namespace

void set_invariant_run(std::uint64_t seed, std::uint64_t run_index) {
  run = {seed, run_index + 1};
}

void set_invariant_command(const std::string& command) {
  command_text.fill('\0');
  command.copy(command_text.data(), command_text.size() - 1);
}

void set_invariant_sink(char* text, std::size_t bytes) {
  sink_text = text;
  sink_bytes = bytes;
}

void invariant_broken(const char* what, const char* file, unsigned line, long long left,
                      long long right) {
  std::array<char, 96> where{};
  if (run.index_plus_one != 0) {
    std::snprintf(where.data(), where.size(), " in run %" PRIu64 " of seed %" PRIu64,
                  run.index_plus_one - 1, run.seed);
  }
  const bool has_command = command_text[0] != '\0';
  std::array<char, 2048> text{};
  std::snprintf(
      text.data(), text.size(),
      "a bug in Orrery: \"%s\" does not hold (%lld, %lld) at %s:%u%s; please report it%s%s", what,
      left, right, file, line, where.data(), has_command ? " with: " : "", command_text.data());
  if (sink_text != nullptr) {
    std::snprintf(sink_text, sink_bytes, "%s", text.data());
  } else {
    std::fprintf(stderr, "orrery: %s\n", text.data());
  }
  std::abort();
}

}  // namespace orrery::detail
