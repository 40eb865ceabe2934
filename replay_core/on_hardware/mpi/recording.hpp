// The recording of one rank: what its calls are told to.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "request_table.hpp"
#include "spool_writer.hpp"
#include "world_ranks.hpp"

namespace orrery::on_hardware {

/// What the calls of a rank came to, as `OpenCalls` wants it: sources of wildcard receives and
/// probes, polls, selections, cancellations.  For one thread.
class Recording {
 public:
  [[nodiscard]] SpoolWriter& spool() { return spool_; }
  [[nodiscard]] RequestTable& requests() { return requests_; }
  [[nodiscard]] WorldRanks& world_ranks() { return world_ranks_; }

  /// A blocking receive or probe from anybody begins, and ends.  An error before it began: it did
  /// not.
  void enter_receive() { spool_.header().is_in_receive = 1; }
  void leave_receive(MPI_Comm communicator, const MPI_Status& status) {
    spool_.header().is_in_receive = 0;
    if (status.MPI_SOURCE == not_told) return;
    took(world_rank(world_ranks_.of(communicator), status.MPI_SOURCE));
  }
  /// The source in a status before MPI has filled it in.
  static constexpr int not_told = -32766;

  /// A receive or probe from anybody took or saw a message of this rank.
  void took(std::int32_t source) {
    ++begun_;
    spool_.begin(rank_spool::Record::source, static_cast<std::uint64_t>(source + 1));
    spool_.end();
  }
  void took(MPI_Comm communicator, const MPI_Status& status) {
    took(world_rank(world_ranks_.of(communicator), status.MPI_SOURCE));
  }
  /// A receive that does not block is under way, whoever it is from.  Of those in `MPI_Sendrecv`,
  /// which nobody can cancel, only the number counts.
  void count_receive(MPI_Request handle) {
    recent_receives_[receives_++ % recent_receives_.size()] = handle;
  }
  /// A receive from anybody is under way.
  void begin(TrackedRequest& request);
  /// A request that is in the table is complete.
  void complete(TrackedRequest& request, const MPI_Status& status);
  /// What is still open of it is known now.
  void resolve(TrackedRequest& request, const MPI_Status& status);

  void poll_failed() { ++spool_.header().failed_polls; }
  void poll_succeeded() {
    spool_.begin(rank_spool::Record::poll_succeeded, spool_.header().failed_polls);
    spool_.header().failed_polls = 0;
    spool_.end();
  }
  /// A call for any or some of `among` requests has reported these.
  void selected(std::uint64_t among, const std::uint32_t* reported, std::size_t count);
  void cancel(MPI_Request handle);

  /// Is an operation under way behind the handle, or over without the program knowing?
  [[nodiscard]] bool is_active(MPI_Request handle, MPI_Request no_request) {
    if (handle == no_request) return false;
    const TrackedRequest* const known = requests_.find(handle);
    return known == nullptr || known->is_active;
  }
  /// How many of these are.
  [[nodiscard]] std::uint32_t count_active(const MPI_Request* requests, int count);

  /// Takes over a receive that the program frees while it is under way: who its message was from
  /// is known when it is complete.
  void adopt(MPI_Request handle) { orphans_.push_back(handle); }
  /// Asks for those; of those that are not complete at the end nothing is known.
  void collect_orphans();

  /// The requests of a call before it has changed them.
  [[nodiscard]] const std::vector<MPI_Request>& keep(const MPI_Request* requests, int count) {
    kept_.assign(requests, requests + count);
    return kept_;
  }
  /// For `selected`.
  [[nodiscard]] std::vector<std::uint32_t>& places() { return places_; }
  /// Where a call puts statuses that the program does not want.
  [[nodiscard]] MPI_Status* statuses(int count) {
    if (statuses_.size() < static_cast<std::size_t>(count)) {
      statuses_.resize(static_cast<std::size_t>(count));
    }
    return statuses_.data();
  }

 private:
  static std::int32_t world_rank(const std::int32_t* ranks, int source) {
    return source < 0 || ranks == nullptr ? source : ranks[source];
  }

  SpoolWriter spool_;
  RequestTable requests_;
  WorldRanks world_ranks_;
  /// The how many-th receive that does not block is behind the handle, counted from 1; 0: it is
  /// none, or it began long ago.
  [[nodiscard]] std::uint64_t receive_number(MPI_Request handle) const;

  std::array<MPI_Request, 512> recent_receives_{};  ///< by number
  std::uint64_t receives_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t cancelled_ = 0;
  std::vector<MPI_Request> orphans_;
  std::vector<MPI_Request> kept_;
  std::vector<std::uint32_t> places_;
  std::vector<MPI_Status> statuses_;
};

/// Of this process; null before MPI begins, after it has ended, and where nothing is recorded.
extern std::atomic<Recording*> recording_of_process;
extern thread_local bool is_first_thread __attribute__((tls_model("initial-exec")));

/// For the calls of the thread that makes one now.  A second thread ends the recording.
inline Recording* recording() {
  Recording* const found = recording_of_process.load(std::memory_order_relaxed);
  if (found == nullptr) return nullptr;
  if (__builtin_expect(!is_first_thread, 0)) {
    found->spool().cut(rank_spool::Cut::threads);
    return nullptr;
  }
  return __builtin_expect(found->spool().header().cut != 0, 0) ? nullptr : found;
}

}  // namespace orrery::on_hardware
