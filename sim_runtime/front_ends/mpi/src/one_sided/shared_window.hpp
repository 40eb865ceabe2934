// What the ranks of a window have in common (MPI 3.1, chapter 11): all of a job are in one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include <orrery/sim_runtime/runtime_table.h>

#include "access_log.hpp"
#include "communicators/membership.hpp"

struct ompi_datatype_t;
struct ompi_win_t;

namespace orrery::mpi {

/// Who has a lock of one rank's part, and who waits for it, in the order in which they came.
class WindowLock {
 public:
  struct Holder {
    std::int32_t origin = 0;  ///< rank of the job
    bool is_exclusive = false;
  };
  /// Is nobody in the way?
  [[nodiscard]] bool is_free_for(bool exclusive) const;
  /// Takes it now (then true), or waits: the call is answered when its turn comes.
  bool take(const Holder& holder, std::uint64_t call);
  /// Those who have it; empty if this call does not wait for it.
  [[nodiscard]] std::vector<Holder> in_the_way_of(std::uint64_t call) const;
  /// The calls whose turn has come, now that `origin` has let go.
  std::vector<std::uint64_t> release(std::int32_t origin);

 private:
  struct Waiter {
    Holder holder;
    std::uint64_t call = 0;
  };
  std::vector<Holder> holders_;
  std::deque<Waiter> waiters_;
};

/// Memory that can be accessed.
struct WindowMemory {
  std::byte* base = nullptr;
  std::size_t size_bytes = 0;
};

/// One rank's part of a window.
struct WindowPart {
  WindowMemory memory;
  int displacement_unit = 1;
  std::vector<WindowMemory> attached;  ///< of a dynamic window
  WindowLock lock;
  AccessLog accesses;
  std::uint64_t posts = 0;  ///< exposure epochs begun by MPI_Win_post
  bool is_posted = false;   ///< is one of them open?
  /// What those who watch accesses know of an update in a fence or exposure epoch.
  struct Loan {
    AccessPeriod period;
    std::uint64_t number = 0;
  };
  std::vector<Loan> loans;
};

/// A window, as all of its ranks see it.
struct SharedWindow {
  std::vector<WindowPart> parts;  ///< by rank in the window
  SharedMembership group;
  bool is_dynamic = false;
  bool no_op_is_alone = false;  ///< info key `accumulate_ops` is `same_op`
  /// Does MPI_Win_start come back before its targets have called MPI_Win_post?  Section 11.5.2
  /// leaves it open; asked once, since a library does it the one way or the other.
  std::optional<bool> starts_early;
  std::int32_t members_left = 0;  ///< that have not freed it
  std::byte* common = nullptr;    ///< of a shared window: where its parts begin
};

/// Something that is done to the memory of another rank.  It lives from the call that starts it
/// until its origin has completed it at the target, and the program its request.
struct RemoteOperation {
  RemoteKind kind = RemoteKind::put;
  ompi_win_t* window = nullptr;  ///< of the origin
  std::int32_t target = 0;       ///< rank in the window
  OrreryRequest id = 0;
  std::uint64_t serial = 0;  ///< never used again, while numbers are
  const char* call = "";
  std::uintptr_t pc = 0;
  AccessPeriod period;
  // At the target.
  const ompi_datatype_t* target_type = nullptr;
  std::size_t target_count = 0;
  std::ptrdiff_t displacement = 0;
  BuiltinOperation operation = BuiltinOperation::none;
  // At the origin: what is sent and where the result goes; they are the operation's until it is
  // complete there.
  const void* origin = nullptr;
  std::size_t origin_count = 0;
  const ompi_datatype_t* origin_type = nullptr;
  void* result = nullptr;
  std::size_t result_count = 0;
  const ompi_datatype_t* result_type = nullptr;
  std::uint32_t origin_ticket = 0;  ///< of the rank's `OwnedMemory`, as long as they are
  std::uint32_t result_ticket = 0;
  std::uint64_t target_loan = 0;  ///< of an update under a lock, for those who watch accesses
  // Where it is.
  bool has_request = false;   ///< that the program has not completed
  bool is_pending = true;     ///< not completed at the target
  bool is_done = false;       ///< the result has arrived
  bool is_logged = false;     ///< its accesses may meet others
  std::uint32_t waiters = 0;  ///< threads that wait for it, in a flush and the like
  // What the target says.
  enum class Trouble : std::uint8_t { none, outside, conflict };
  Trouble trouble = Trouble::none;
  AccessLog::Conflict conflict;
};

/// The remote operations of a job, by number.
class RemoteOperations {
 public:
  /// Keeps it and gives its number.
  std::uint32_t add(const RemoteOperation& operation);
  void destroy(std::uint32_t number) { free_.push_back(number); }
  RemoteOperation& operator[](std::uint32_t number) { return operations_[number]; }

 private:
  std::deque<RemoteOperation> operations_;
  std::vector<std::uint32_t> free_;
  std::uint64_t serial_ = 0;
};

/// Windows by the first of their contexts.
using SharedWindows = std::map<std::uint32_t, SharedWindow>;

}  // namespace orrery::mpi
