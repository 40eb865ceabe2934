// What a real process that is recorded leaves when a signal ends it.
#pragma once

#include <cstdint>
#include <type_traits>

namespace orrery::last_words {

/// In the directory of the recording, behind the name of the rank's file, or of the first thread's:
/// `last-words-rank-3`.
inline constexpr const char* file_prefix = "last-words-";

/// All of the file, written by the process in its last moment.  As with the other files of a
/// recording, one version writes and reads it.
struct Words {
  static constexpr std::uint32_t frames_max = 64;
  std::uint32_t signal;
  std::uint32_t is_own;  ///< the process has sent it to itself, and has not called `abort`
  std::uint32_t frame_count;
  /// Calls that were under way, the innermost first: addresses in the program's file.  Those of
  /// libraries are left out.
  std::uint64_t frames[frames_max];
  char assertion[1024];  ///< what a failed `assert` says; empty: none failed
};
static_assert(std::is_trivially_copyable_v<Words>);

}  // namespace orrery::last_words
