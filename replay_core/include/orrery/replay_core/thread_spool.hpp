// What a thread of a real program leaves while it is recorded by `lamport-order`: the layout of its
// file.
#pragma once

#include <cstdint>
#include <type_traits>

#include <orrery/replay_core/rank_spool.hpp>

namespace orrery::thread_spool {

/// In the directory of the recording; the file of the N-th thread that came to be is `thread-N`,
/// and the first one, `main`'s, tells of the process too.  As the file of a rank it is mapped, so
/// that nothing is lost however the process ends.
inline constexpr const char* thread_file_prefix = "thread-";

/// What a record says.  It begins with a number: the kind in the low three bits, above them how
/// many operations with stamps lie between it and the last record that is about one.
enum class Record : std::uint8_t {
  ahead = 0,    ///< by how much the object was ahead of the thread
  timeout = 1,  ///< the operation ended by its deadline: nothing
  once = 2,     ///< the operation began what is done once: nothing
  reading = 7,  ///< as `rank_spool::Record::reading`
};

/// What the program has done that the log does not hold, or not as a rule; bits.
enum Gap : std::uint32_t {
  futexes = 1,         ///< waits on words of memory: without its atomics that is little
  cancellation = 2,    ///< ends threads from outside
  shared_objects = 4,  ///< synchronises with another process
  too_many_objects = 8,
  threads_unrecorded = 16,    ///< no file could be made for a thread
  other_processes = 32,       ///< has made processes
  atomics_seen = 128,         ///< it was built by `orrery cc`: the log has its atomics
  memory_of_libraries = 512,  ///< which `orrery cc` has built: not seen, where the program's is
  shared_memory = 1024,       ///< maps files or segments that other processes may write to
  too_many_variables = 256,   ///< words of memory; never in a header
  disk_full = 64,             ///< a thread's file could not grow; never in a header
  addresses_unkept = 4096,    ///< where the blocks of some threads lie
};

struct Header {
  rank_spool::Header common;
  std::uint64_t operations;  ///< that have stamps, and are over
  std::uint32_t kinds_hash;  ///< of those
  std::uint32_t starter;     ///< the number of the thread that has started it
  std::uint64_t last_stamp;
  std::uint64_t handle;  ///< as `pthread_self` has it; 0: it has not begun
  // of the process: of the first thread alone
  std::uint32_t gaps;     ///< `Gap`
  std::uint32_t started;  ///< threads besides the first that have a file
  // of this thread
  std::uint32_t has_arena;  ///< its blocks of memory lie in the arena of its number
};
static_assert(sizeof(Header) <= rank_spool::header_bytes && std::is_trivially_copyable_v<Header>);

}  // namespace orrery::thread_spool
