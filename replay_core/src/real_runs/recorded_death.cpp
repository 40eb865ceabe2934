#include "recorded_death.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include <orrery/replay_core/last_words.hpp>
#include <orrery/replay_core/memory_spool.hpp>
#include <orrery/sim_runtime/signal_text.hpp>
#include <orrery/sim_runtime/user_frames.hpp>

#include "log/whole_file.hpp"

namespace orrery::detail {

using last_words::Words;

std::optional<RecordedDeath> read_last_words(const std::string& spool_path,
                                             const std::string& program_path) {
  namespace fs = std::filesystem;
  const fs::path spool(spool_path);
  const fs::path path = spool.parent_path() / (last_words::file_prefix + spool.filename().string());
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  const std::vector<std::byte> bytes = read_whole_file(path.string());
  Words words{};
  if (bytes.size() < sizeof words) return std::nullopt;
  std::memcpy(&words, bytes.data(), sizeof words);
  RecordedDeath death;
  death.signal = static_cast<std::int32_t>(words.signal);
  death.is_own = words.is_own != 0;
  const char* const text = std::begin(words.assertion);
  death.assertion.assign(text, strnlen(text, sizeof words.assertion));
  // What has run in the program's place lies there until the log is written.
  const fs::path image = spool.parent_path() / memory_spool::image_file;
  const std::size_t count = std::min(words.frame_count, Words::frames_max);
  death.stack = user_frames_in(fs::exists(image, error) ? image.string() : program_path,
                               fs::path(program_path).filename().string(),
                               std::span<const std::uint64_t>(std::begin(words.frames), count));
  return death;
}

Finding finding_of_death(const RecordedDeath& death, const std::string& who,
                         const std::string& process) {
  Finding finding;
  finding.kind = FindingKind::crash;
  FindingPlace place;
  place.task = who;
  place.role = "failed here";
  place.stack = death.stack;
  if (!place.stack.empty()) {
    place.file = place.stack.front().file;
    place.line = place.stack.front().line;
    place.function = place.stack.front().function;
    if (place.stack.size() == 1) place.stack.clear();  // it says nothing that the place does not
  }
  const bool has_aborted = death.signal == SIGABRT && !death.is_own;
  if (has_aborted && !death.assertion.empty()) {
    finding.kind = FindingKind::assertion;
    finding.message = "assertion failed: " + death.assertion;
  } else if (has_aborted) {
    finding.message = "abort() was called";
  } else if (death.is_own) {
    finding.message = fmt::format("{} was killed by {}, which it sent itself", process,
                                  signal_text(death.signal));
  } else {
    finding.message =
        fmt::format("{} died of {} on the real machine", who, signal_text(death.signal));
    place.role = "crashed here";
  }
  finding.where = {std::move(place)};
  return finding;
}

Finding finding_of_silent_program(int command_status) {
  constexpr int signal_base = 128;
  Finding finding;
  finding.kind = FindingKind::crash;
  const int signal = command_status - signal_base;
  if (command_status < signal_base || signal > SIGRTMAX) {
    // `_exit`, in a handler of signals perhaps.
    finding.kind = FindingKind::exit;
    finding.exit_code = command_status;
    finding.message = fmt::format("the program exits with status {}", command_status);
  } else if (signal == SIGSEGV || signal == SIGBUS) {
    finding.message = fmt::format(
        "the program died of {} on the real machine, without room on its stack for a word",
        signal_text(signal));
  } else {
    finding.class_name = ended_from_outside;
    finding.message = "the program was ended by " + signal_text(signal);
  }
  return finding;
}

}  // namespace orrery::detail
