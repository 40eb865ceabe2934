// What a thread of a real program leaves while it is recorded by `lamport-order`: the layout of its
// file.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
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
  found = 3,   ///< who was the last one at its object: by how much that one's stamp lies behind the
               ///< thread's last (folded), and its number
  access = 5,  ///< in place of stamps: the number of an object that the operation acts on, above
               ///< it in the lowest bit whether it writes, and the version that it met
  polls = 4,   ///< the operation is the last one of several that came to the same: how many besides
  reading = 7,  ///< as `rank_spool::Record::reading`
};

/// What the program has done that the log does not hold, or not as a rule; bits.
enum Gap : std::uint32_t {
  futexes = 1,         ///< waits on words of memory: without its atomics that is little
  cancellation = 2,    ///< cancels threads, which alone is in the log
  shared_objects = 4,  ///< synchronises with another process
  too_many_objects = 8,
  threads_unrecorded = 16,       ///< no file could be made for a thread
  other_processes = 32,          ///< has made processes
  atomics_seen = 128,            ///< it was built by `orrery cc`: the log has its atomics
  memory_of_libraries = 512,     ///< which `orrery cc` has built: not seen, where the program's is
  shared_memory = 1024,          ///< maps files or segments that other processes may write to
  too_many_variables = 256,      ///< words of memory; never in a header
  disk_full = 64,                ///< a thread's file could not grow; never in a header
  tries_to_join = 8192,          ///< looks whether threads have ended
  versions_kept = 4096,          ///< versions of objects are written down, and no stamps
  objects_kept = 2048,           ///< it is written down who was the last one at an object
  addresses_unkept = 16384,      ///< where the blocks of some threads lie
  handlers_ran = 65536,          ///< of signals, in a program of threads
  unseen_cancellation = 131072,  ///< a thread was cancelled in a function that is not recorded
  memory_kept = 262144,          ///< accesses to memory are written down, in files of their own
  memory_unrecorded = 524288,    ///< one of those is gone or damaged; never in a header
  too_many_writes = 1048576,     ///< to one word of memory; never in a header
  openmp_teams = 32768,          ///< threads of gcc's OpenMP, which wait by system calls of its own
};

/// Calls whose results the log does not hold, and at which a replay ends; the last one stands for
/// those of the system's that are made by their numbers.
inline constexpr std::array<std::string_view, 34> unseen_calls = {
    "splice",        "tee",          "vmsplice",    "socket",        "accept",
    "accept4",       "connect",      "getaddrinfo", "gethostbyname", "semop",
    "semtimedop",    "msgrcv",       "msgsnd",      "mq_receive",    "mq_timedreceive",
    "mq_send",       "mq_timedsend", "signalfd",    "inotify_init",  "inotify_init1",
    "fanotify_init", "aio_read",     "aio_read64",  "aio_write",     "aio_write64",
    "aio_fsync",     "aio_fsync64",  "lio_listio",  "lio_listio64",  "getaddrinfo_a",
    "ptrace",        "timer_create", "io_uring",    "syscall"};
static_assert(unseen_calls.size() <= 64, "a bit each in `Header::unseen_calls`");

/// In the environment of the program: keep `Record::found`.
inline constexpr const char* objects_variable = "ORRERY_RECORD_OBJECTS";
/// Likewise: keep `Record::access`, and no stamps.
inline constexpr const char* versions_variable = "ORRERY_RECORD_VERSIONS";

/// One more than the number of a thread that shares its number with others: there are too many.
inline constexpr std::uint64_t many_threads = 0xffff;

/// In place of where a thread was cancelled: that is not known.
inline constexpr std::uint64_t cancelled_elsewhere = UINT64_MAX;

/// A count, and what belongs to it.  The thread may be killed between any two of its instructions:
/// it writes what will belong to the next count beside what belongs to this one, and then counts.
template <typename State>
struct Counted {
  std::uint64_t count;
  State states[2];  ///< by the lowest bit of the count

  [[nodiscard]] const State& state() const { return states[count & 1U]; }
  void advance(const State& next) {
    states[(count + 1) & 1U] = next;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    // What comes after the next count must not be written before this one.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
};

/// Of the operations that a thread has done.
struct Done {
  std::uint64_t last_stamp;
  std::uint32_t kinds_hash;
};

/// Of operations that came to the same, one after the other, and are not written down yet.
struct Polls {
  std::uint64_t stamp;
  std::uint64_t found;  ///< the stamp, or version, that was there before
  std::uint32_t after;  ///< one more than the number of whose it was, 0: nobody's; or of versions
                        ///< the number of the object
  std::uint32_t kinds_hash;  ///< of the operations so far, and of this one
};

struct Header {
  rank_spool::Header common;
  Counted<Done> operations;  ///< that have stamps, and are over
  std::uint64_t handle;      ///< as `pthread_self` has it; 0: it has not begun
  std::uint32_t starter;     ///< the number of the thread that has started it
  // of the process: of the first thread alone
  std::uint32_t gaps;     ///< `Gap`
  std::uint32_t started;  ///< threads besides the first that have a file
  // of this thread
  Counted<Polls> polls;           ///< 0: none
  std::uint32_t has_arena;        ///< its blocks of memory lie in the arena of its number
  std::uint32_t are_blocks_told;  ///< that touches what is free as a program would (`ThreadArena`)
  /// In which of the functions in which it may be cancelled it was: twice how many-th, and one more
  /// if some of that function had been done; 0: in none.
  std::uint64_t cancelled_at;
  std::uint64_t handlers;  ///< of signals that ran between any two instructions, and not in a call
  std::uint64_t system_number;  ///< as `gettid` has it; 0: it has not begun
  // of the process
  std::uint64_t unseen_calls;  ///< a bit for each of these that it has made
};
static_assert(sizeof(Header) <= rank_spool::header_bytes && std::is_trivially_copyable_v<Header>);

}  // namespace orrery::thread_spool
