// The requests of a rank of which more has to be known than that they are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

namespace orrery::on_hardware {

/// What is known of a request that is in the table.
struct TrackedRequest {
  MPI_Request handle = nullptr;         ///< null: nothing is here
  const std::int32_t* ranks = nullptr;  ///< of its communicator; null: as in MPI_COMM_WORLD
  std::uint64_t begun_number = 0;       ///< among the sources, while `is_under_way`
  std::uint64_t cancel_number = 0;      ///< among the cancellations, while `is_cancelled`
  bool is_wildcard = false;
  bool is_under_way = false;  ///< a wildcard receive whose source is not known yet
  bool is_cancelled = false;  ///< whether in time is not known yet
  bool is_persistent = false;
  bool is_receive = false;  ///< of a persistent one
  bool is_active = true;
  bool is_generalized = false;
};

/// Requests by their handles.  Pointers to what is in it hold until the next `add` or `remove`.
class RequestTable {
 public:
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  [[nodiscard]] TrackedRequest* find(MPI_Request handle) {
    if (count_ == 0) return nullptr;
    for (std::size_t at = home(handle);; at = next(at)) {
      if (slots_[at].handle == handle) return &slots_[at];
      if (slots_[at].handle == nullptr) return nullptr;
    }
  }
  /// One that is new; what was known by the handle is forgotten.
  TrackedRequest& add(MPI_Request handle);
  void remove(TrackedRequest& request);

 private:
  [[nodiscard]] std::size_t home(MPI_Request handle) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(handle) >> 4U;
    return (bits ^ bits >> 9U) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void grow();

  std::vector<TrackedRequest> slots_;  ///< a power of two, at most half of them in use
  std::size_t count_ = 0;
};

}  // namespace orrery::on_hardware
