#include "recording.hpp"

#include <algorithm>

#include "real_mpi.hpp"

namespace orrery::on_hardware {

std::atomic<Recording*> recording_of_process = nullptr;
thread_local bool is_first_thread = false;

void Recording::begin(TrackedRequest& request) {
  request.begun_number = begun_++;
  request.is_under_way = true;
  spool_.begin(rank_spool::Record::begun, 0);
  spool_.end();
}

void Recording::resolve(TrackedRequest& request, const MPI_Status& status) {
  const bool was_in_time = status._cancelled != 0;
  if (request.is_under_way) {
    request.is_under_way = false;
    const std::int32_t source = was_in_time ? -1 : world_rank(request.ranks, status.MPI_SOURCE);
    spool_.begin(rank_spool::Record::resolved, begun_ - 1 - request.begun_number);
    spool_.append(static_cast<std::uint64_t>(std::max(source, -1) + 1));
    spool_.end();
  }
  if (request.is_cancelled) {
    request.is_cancelled = false;
    spool_.begin(rank_spool::Record::cancel_resolved, cancelled_ - 1 - request.cancel_number);
    spool_.append(was_in_time ? 1 : 0);
    spool_.end();
  }
}

void Recording::complete(TrackedRequest& request, const MPI_Status& status) {
  resolve(request, status);
  if (request.is_persistent) {
    request.is_active = false;
  } else {
    requests_.remove(request);
  }
}

void Recording::selected(std::uint64_t among, const std::uint32_t* reported, std::size_t count) {
  spool_.begin(rank_spool::Record::selection, among);
  spool_.append(count);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    spool_.append(reported[i] - next);
    next = reported[i] + 1;
  }
  spool_.end();
}

std::uint64_t Recording::receive_number(MPI_Request handle) const {
  const std::uint64_t known = std::min<std::uint64_t>(receives_, recent_receives_.size());
  // Handles are used again, so it is the last one.
  for (std::uint64_t number = receives_; number > receives_ - known; --number) {
    if (recent_receives_[(number - 1) % recent_receives_.size()] == handle) return number;
  }
  return 0;
}

void Recording::cancel(MPI_Request handle) {
  TrackedRequest* known = requests_.find(handle);
  if (known != nullptr && known->is_generalized) return;  // the program's own business
  // Who is asked for by name gets no source below: a replay has to know which one it is.
  const bool is_wildcard = known != nullptr && known->is_wildcard;
  spool_.begin(rank_spool::Record::cancelled, is_wildcard ? 0 : receive_number(handle));
  spool_.end();
  ++cancelled_;
  const bool is_too_late =
      handle == real().empty_request || (known != nullptr && known->is_cancelled);
  if (is_too_late) {
    spool_.begin(rank_spool::Record::cancel_resolved, 0);
    spool_.append(0);
    spool_.end();
    return;
  }
  if (known == nullptr) known = &requests_.add(handle);
  known->is_cancelled = true;
  known->cancel_number = cancelled_ - 1;
}

std::uint32_t Recording::count_active(const MPI_Request* requests, int count) {
  const MPI_Request none = real().no_request;
  std::uint32_t active = 0;
  if (requests_.is_empty()) {
    for (int i = 0; i < count; ++i) active += requests[i] != none ? 1U : 0U;
  } else {
    for (int i = 0; i < count; ++i) active += is_active(requests[i], none) ? 1U : 0U;
  }
  return active;
}

void Recording::collect_orphans() {
  const auto is_over = [this](MPI_Request handle) {
    const MPI_Request before = handle;
    int flag = 0;
    MPI_Status status{};
    real().test(&handle, &flag, &status);
    TrackedRequest* const known = requests_.find(before);
    if (flag == 0 || known == nullptr) return false;
    resolve(*known, status);
    requests_.remove(*known);
    if (handle != real().no_request) real().request_free(&handle);
    return true;
  };
  orphans_.erase(std::remove_if(orphans_.begin(), orphans_.end(), is_over), orphans_.end());
}

}  // namespace orrery::on_hardware
