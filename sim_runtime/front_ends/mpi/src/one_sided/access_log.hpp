// Which bytes of a window are accessed by whom at the same time (MPI 3.1, section 11.7).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "types/builtins.hpp"

namespace orrery::mpi {

enum class RemoteKind : std::uint8_t {
  put,
  get,
  accumulate,
  get_accumulate,
  fetch_and_op,
  compare_and_swap
};

/// The epoch in which something is accessed.  Of fences, all ranks count the same number; of
/// MPI_Win_post, the target counts.
struct AccessPeriod {
  enum class Kind : std::uint8_t { fence, post, lock };
  Kind kind = Kind::lock;
  std::uint64_t number = 0;
  bool operator==(const AccessPeriod&) const = default;
};

/// An access to a run of bytes of one rank's memory.
struct Access {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  RemoteKind kind = RemoteKind::put;
  BuiltinOperation operation = BuiltinOperation::none;  ///< of those that are atomic
  Builtin basic = Builtin::none;                        ///< what these work on
  AccessPeriod period;
  std::int32_t origin = 0;   ///< rank of the job
  std::uint64_t serial = 0;  ///< of the remote operation that it belongs to: never used again
  const char* call = "";
  std::uintptr_t pc = 0;
  std::uint32_t times = 1;  ///< how often it was noted and is not complete

  /// Do both meet the same others?
  [[nodiscard]] bool is_like(const Access& other) const {
    return begin == other.begin && end == other.end && kind == other.kind &&
           operation == other.operation && basic == other.basic && period == other.period &&
           origin == other.origin;
  }
};

/// The accesses to the memory of one rank that may still meet others.
///
/// Two that overlap are concurrent if they are of one fence or exposure epoch, or if the first one
/// is still under way: its origin has not completed it at the target by a flush or unlock.  So what
/// is called concurrent is never ordered by the program; and what is, in this run, completed before
/// the other one begins, another order of events will show.
class AccessLog {
 public:
  struct Conflict {
    Access earlier;
    std::uintptr_t begin = 0;  ///< the bytes that both access
    std::uintptr_t end = 0;
  };
  /// Notes the access; says which earlier one it conflicts with.  `no_op_is_alone`: the program has
  /// said (info key `accumulate_ops` is `same_op`) that not even MPI_NO_OP goes with others.
  std::optional<Conflict> add(const Access& access, bool no_op_is_alone);
  /// One that was noted is complete.
  void complete(const Access& access);
  /// An exposure epoch is over.
  void end_period(AccessPeriod period);

 private:
  std::multimap<std::uintptr_t, Access> accesses_;  // by where they begin
  std::uintptr_t longest_bytes_ = 0;                // of the accesses that are there, or were
  std::uint64_t fence_ = 0;                         // the last one that an access belonged to
};

}  // namespace orrery::mpi
