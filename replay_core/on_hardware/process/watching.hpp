// Is what this process takes in from outside recorded?
#pragma once

#include <cstdint>

#include <orrery/replay_core/rank_spool.hpp>

#include "program_callers.hpp"
#include "readings.hpp"
#include "spool_writer.hpp"

namespace orrery::on_hardware {

/// Of a process, from its first instruction on; one that has no MPI library is none of ours.
struct Watching {
  bool is_on = false;
  bool is_launcher = false;              ///< hands its standard input on to a rank
  rank_spool::Header* header = nullptr;  ///< once there is a file
  std::uint32_t uses = 0;                ///< until then
  rank_spool::StandardInput standard_input = rank_spool::StandardInput::none;
  bool has_read_standard_input = false;
};
extern Watching watching;
/// Whose readings are kept: the first thread's of a rank, each one's of a program of threads; but
/// not within a function that is one reading.
enum class Reader : std::uint8_t { not_kept, kept, within_one };
extern thread_local Reader reader __attribute__((tls_model("initial-exec")));

/// The program has not begun: what it takes in is in memory.
void begin_watching(const char* directory);
/// The file of the process is there (of a rank: MPI has begun).
void watch_rank(SpoolWriter& spool);
/// The program has been told what its host is called.
void note_host(const void* caller, const char* name);
/// The process ends, or MPI does.
void note_standard_input();
void note_thread_use();

/// Does the program itself make the call that returns to `caller`?
inline bool is_watched(const void* caller) {
  return watching.is_on && program_callers().is_program(caller);
}

/// The program has been told something that stands in the header anyway.
inline void note_asked(const void* caller, rank_spool::Use what) {
  if (!is_watched(caller)) return;
  (watching.header == nullptr ? watching.uses : watching.header->uses) |= what;
}

/// Is the call one of which the result is kept, in the order of the thread's calls?
inline bool is_read(const void* caller) {
  if (__builtin_expect(reader == Reader::kept, 1)) return is_watched(caller);
  if (reader == Reader::not_kept && is_watched(caller)) note_thread_use();
  return false;
}

/// What is called meanwhile is part of one reading.
class WithinOne {
 public:
  WithinOne() : before_(reader) { reader = Reader::within_one; }
  ~WithinOne() { reader = before_; }
  WithinOne(const WithinOne&) = delete;
  WithinOne& operator=(const WithinOne&) = delete;

 private:
  Reader before_;
};

}  // namespace orrery::on_hardware
