// The array of requests of one MPI_Wait... or MPI_Test... call.
#pragma once

#include <span>

#include "requests.hpp"

namespace orrery::mpi {

/// Checks and gathers an array of requests, and asks the machine which of them are complete.
/// Requests of MPI_PROC_NULL are complete from the start and unknown to the machine: where it could
/// report others as well, events that are complete stand for them.
class RequestList {
 public:
  RequestList(const Call& call, int count, MPI_Request* requests);

  /// Is every handle a request?  Also checks the count and the array.
  int check(const char* argument);
  /// How many of them are under way or complete: not MPI_REQUEST_NULL, not
  /// inactive.
  [[nodiscard]] int active() const { return active_; }

  /// The indices of what the machine completes, in ascending order.  `mode` is one of the blocking
  /// modes of `OrrerySelect`; with `poll` nothing may come out.
  std::span<const std::int32_t> complete(OrrerySelect mode, bool poll);

  /// Ends the request at `index`.
  int finish(std::int32_t index, MPI_Status* status) {
    return finish_request(call_, requests_[index], status);
  }

 private:
  void begin_standing_in();
  void end_standing_in();
  [[nodiscard]] bool is_active(std::int32_t index) const;
  void mark_awaited(bool awaited) const;

  const Call& call_;
  int count_;
  MPI_Request* requests_;
  Scratch ids_;
  Scratch indices_;
  int active_ = 0;
  int local_ = 0;  // complete without the machine
  bool stands_in_ = false;
};

}  // namespace orrery::mpi
