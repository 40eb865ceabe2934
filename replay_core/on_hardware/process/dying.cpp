#include "dying.hpp"

#include <array>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <orrery/replay_core/last_words.hpp>

#include "loaded_range.hpp"

namespace orrery::on_hardware {
namespace {

using last_words::Words;

struct Dying {
  std::array<char, 4096> path;
  ByteRange program;               ///< its code
  std::uint64_t added_to_program;  ///< to the addresses in its file
  Words words;
};
Dying dying;  // NOLINT: of the process

/// A stack that was written over may lead anywhere, or round.
constexpr int frames_looked_at_max = 512;

struct Walk {
  int looked_at = 0;
};

_Unwind_Reason_Code look_at(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  Words& words = dying.words;
  int is_before = 0;  // the instruction: it was interrupted there
  std::uint64_t address = _Unwind_GetIPInfo(context, &is_before);
  if (is_before == 0) --address;
  if (++walk.looked_at > frames_looked_at_max || words.frame_count == Words::frames_max) {
    return _URC_END_OF_STACK;
  }
  if (dying.program.has(address)) {
    words.frames[words.frame_count++] = address - dying.added_to_program;
  }
  return _URC_NO_REASON;
}

/// Calls of the system: who dies may hold any lock.
void write_words() {
  const auto file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, dying.path.data(),
                                               O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file < 0) return;
  static_cast<void>(::syscall(SYS_write, file, &dying.words, sizeof dying.words));
  ::syscall(SYS_close, file);
}

}  // namespace

void begin_last_words(const char* spool_path) {
  const char* const slash = std::strrchr(spool_path, '/');
  if (slash == nullptr) return;
  const auto directory_bytes = static_cast<int>(slash + 1 - spool_path);
  std::snprintf(dying.path.data(), dying.path.size(), "%.*s%s%s", directory_bytes, spool_path,
                last_words::file_prefix, slash + 1);
  // The first one is the executable.
  dl_iterate_phdr(
      [](dl_phdr_info* file, std::size_t, void*) {
        dying.program = loaded_range(*file, PF_X);
        dying.added_to_program = file->dlpi_addr;
        return 1;
      },
      nullptr);
}

void note_failed_assert(const char* expression, const char* file, unsigned line,
                        const char* function) {
  std::snprintf(static_cast<char*>(dying.words.assertion), sizeof dying.words.assertion,
                "%s (%s:%u, %s)", expression, file, line, function != nullptr ? function : "?");
}

void leave_last_words(int signal, bool is_own) {
  if (dying.path.front() == '\0') return;
  dying.words.signal = static_cast<std::uint32_t>(signal);
  dying.words.is_own = is_own ? 1 : 0;
  dying.words.frame_count = 0;
  write_words();  // a walk over a broken stack may be the end
  Walk walk;
  _Unwind_Backtrace(look_at, &walk);
  write_words();
}

void take_back_last_words() {
  ::syscall(SYS_unlinkat, AT_FDCWD, dying.path.data(), 0);
}

}  // namespace orrery::on_hardware
