// What the method `lamport-order` keeps of a run: time stamps of synchronisation operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/operation.hpp>

namespace orrery {

/// ROLT (Levrouw, Audenaert and Van Campenhout 1994; Ronsse and others 2000): each operation of a
/// task on an object gets a Lamport time stamp, one more than the larger of the task's last and the
/// object's last.  A replay counts them anew; only what it cannot count is kept: where the object
/// was ahead of the task.  A value type.
struct LamportRecords {
  /// What a task's operation found: operations are counted from 0, of those that have stamps.
  struct Mark {
    std::uint64_t operation = 0;
    /// By how much the object's last stamp lies before or behind the task's last.
    std::int64_t ahead = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  /// Of a run by real threads, where another one was the last at the object: whose operation that
  /// was, and how far its stamp lies before or behind the task's last.
  struct Found {
    /// Stands for all others: the operation comes behind whatever has a smaller stamp.
    static constexpr TaskId all{0xffff};

    std::uint64_t operation = 0;
    std::int64_t ahead = 0;
    TaskId last;
    friend bool operator==(const Found&, const Found&) = default;
  };
  /// An operation that is several: tries that failed, or looks at an atomic that had not changed,
  /// one after the other, with nothing that is recorded in between.  They might as well all have
  /// come where the last one did.
  struct Polls {
    std::uint64_t operation = 0;
    std::uint64_t repeats = 0;  ///< besides the last one
    friend bool operator==(const Polls&, const Polls&) = default;
  };
  /// Instead of stamps: an object that an operation acted on, by its number among all, and which
  /// version it met.  Writes raise the version.
  struct Access {
    std::uint64_t operation = 0;
    std::uint32_t object = 0;
    std::uint64_t version = 0;
    bool writes = false;
    friend bool operator==(const Access&, const Access&) = default;
  };
  struct Task {
    TaskId task;
    std::uint64_t operations = 0;  ///< that have stamps
    /// Of their kinds, in order: tells a program that does something else.
    std::uint32_t kinds_hash = 0;
    std::vector<Mark> marks;
    std::vector<std::uint64_t> timeouts = {};  ///< operations that ended by their deadline
    /// Operations that began what is done once; of runs by real threads.
    std::vector<std::uint64_t> onces = {};
    std::vector<Found> found = {};      ///< likewise, for the rule by objects
    std::vector<Polls> polls = {};      ///< likewise
    std::vector<Access> accesses = {};  ///< likewise, of `instant-replay`
    friend bool operator==(const Task&, const Task&) = default;
  };

  /// False: marks where the object is ahead, as the papers have it.  True: a mark wherever another
  /// task was the last at the object, so that a replay can wait for that one alone; of real threads
  /// that is in `found`.
  bool has_objects = false;
  /// True: of a run by real threads.  Operations are those that a library sees which stands between
  /// the program and the C library (`is_library_operation`), and stamps are whatever objects had.
  bool is_of_library = false;
  /// Of those: versions of objects, and no stamps (`instant-replay`).
  bool has_versions = false;
  /// Of those: were the program's atomics seen, too?
  bool has_atomics = false;
  std::vector<Task> tasks;  ///< ascending

  [[nodiscard]] std::uint64_t operation_count() const;
  [[nodiscard]] std::uint64_t mark_count() const;
  [[nodiscard]] std::uint64_t found_count() const;
  /// Of all polls, those that are no operation of their own.
  [[nodiscard]] std::uint64_t repeat_count() const;
  /// Of runs by real threads: without what the rule by objects needs.
  [[nodiscard]] LamportRecords without_objects() const;
  friend bool operator==(const LamportRecords&, const LamportRecords&) = default;
};

/// Is an operation of this kind one of those that get stamps when real threads are recorded: a call
/// of the C library that another thread's can come before?
[[nodiscard]] bool is_library_operation(OperationKind kind);
/// Or an access to an atomic variable?
[[nodiscard]] bool is_atomic_operation(OperationKind kind);

/// The content of a block `lamport_stamps` (of a run by real threads `thread_stamps`), and back.
/// `where` names the source in errors; decoding throws `UsageError` with the offset.
[[nodiscard]] std::vector<std::byte> encode_lamport_records(const LamportRecords& records);
[[nodiscard]] LamportRecords decode_lamport_records(std::span<const std::byte> bytes,
                                                    std::string_view where,
                                                    bool is_of_library = false);

}  // namespace orrery
