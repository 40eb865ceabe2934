// MPI 3.1, section 3.7: waiting, testing, cancelling and freeing.
#include <algorithm>
#include <vector>

#include "calls.hpp"

using namespace orrery::on_hardware;

namespace {

/// Ends what is known of `handle`, which a call has completed.
void complete(Recording& recording, MPI_Request handle, const MPI_Status& status) {
  if (TrackedRequest* const known = recording.requests().find(handle)) {
    recording.complete(*known, status);
  }
}

/// A request and its status, for calls about one.
class OneRequest {
 public:
  OneRequest(Recording* recording, const MPI_Request* request, MPI_Status* wanted)
      : recording_(recording), status_(wanted) {
    if (recording == nullptr || request == nullptr) return;
    before_ = *request;
    is_active_ = recording->is_active(before_, real().no_request);
    is_known_ = is_active_ && recording->requests().find(before_) != nullptr;
    if (is_known_ && wanted == nullptr) status_ = &own_;
  }
  [[nodiscard]] MPI_Status* status() { return status_; }
  /// Does the call have an outcome that is kept?
  [[nodiscard]] bool is_active() const { return is_active_; }
  void complete() {
    if (is_known_) ::complete(*recording_, before_, *status_);
  }
  void resolve() {
    if (is_known_) recording_->resolve(*recording_->requests().find(before_), *status_);
  }

 private:
  Recording* recording_;
  MPI_Request before_ = nullptr;
  MPI_Status own_{};
  MPI_Status* status_;
  bool is_active_ = false;
  bool is_known_ = false;
};

/// The requests of a call for several, as they were before it.
class SeveralRequests {
 public:
  SeveralRequests(Recording& recording, int count, const MPI_Request* requests)
      : recording_(recording),
        has_known_(!recording.requests().is_empty()),
        active_(recording.count_active(requests, count)) {
    if (has_known_ || active_ >= 2) before_ = recording.keep(requests, count).data();
  }
  /// How many are under way.
  [[nodiscard]] std::uint32_t active() const { return active_; }
  [[nodiscard]] bool has_known() const { return has_known_; }
  [[nodiscard]] bool is_active(int index) const {
    return recording_.is_active(before_[index], real().no_request);
  }
  /// Says which of them a call for any or some has reported.  Before one of them is `complete`.
  void report(int count, const int* indices) const {
    if (active_ < 2) return;
    std::vector<std::uint32_t>& places = recording_.places();
    places.assign(indices, indices + count);
    std::sort(places.begin(), places.end());
    std::uint32_t active = 0;
    int next = 0;
    for (std::uint32_t& place : places) {
      const auto index = static_cast<int>(place);
      for (; next < index; ++next) active += is_active(next) ? 1U : 0U;
      place = active;
    }
    recording_.selected(active_, places.data(), places.size());
  }
  void complete(int index, const MPI_Status* status) const {
    if (has_known_) ::complete(recording_, before_[index], *status);
  }

 private:
  Recording& recording_;
  const MPI_Request* before_ = nullptr;
  bool has_known_;
  std::uint32_t active_;
};

/// After a call for any of them, which reports the one at `index`.
void note_any(const SeveralRequests& requests, int index, const MPI_Status* status) {
  requests.report(1, &index);
  requests.complete(index, status);
}

int wait_for_some(Recording& recording, bool polls, int count, MPI_Request* requests, int* outcount,
                  int* indices, MPI_Status* wanted) {
  const SeveralRequests before(recording, count, requests);
  MPI_Status* const statuses =
      wanted == nullptr && before.has_known() ? recording.statuses(count) : wanted;
  const auto call = polls ? real().testsome : real().waitsome;
  const int error = call(count, requests, outcount, indices, statuses);
  const bool is_over = error == MPI_SUCCESS || error == MPI_ERR_IN_STATUS;
  if (before.active() == 0 || !is_over) return error;
  if (polls && *outcount == 0) recording.poll_failed();
  if (*outcount <= 0) return error;
  if (polls) recording.poll_succeeded();
  before.report(*outcount, indices);
  if (!before.has_known()) return error;
  for (int i = 0; i < *outcount; ++i) before.complete(indices[i], &statuses[i]);
  return error;
}

/// The receive goes on without the program: who its message is from is still wanted.
bool keeps_freed(Recording& recording, MPI_Request handle) {
  const TrackedRequest* const known = recording.requests().find(handle);
  if (known == nullptr || !(known->is_under_way || known->is_cancelled)) return false;
  recording.adopt(handle);
  recording.collect_orphans();
  return true;
}

}  // namespace

ORRERY_RECORDED int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  Recording* const found = recording();
  if (found == nullptr || found->requests().is_empty()) return real().wait(request, status);
  OneRequest one(found, request, status);
  const int error = real().wait(request, one.status());
  one.complete();
  return error;
}

ORRERY_RECORDED int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  Recording* const found = recording();
  OneRequest one(found, request, status);
  if (!one.is_active()) return real().test(request, flag, status);
  *flag = 0;
  const int error = real().test(request, flag, one.status());
  if (*flag == 0) {
    found->poll_failed();
    return error;
  }
  found->poll_succeeded();
  one.complete();
  return error;
}

ORRERY_RECORDED int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  Recording* const found = recording();
  OneRequest one(found, &request, status);
  if (!one.is_active()) return real().request_get_status(request, flag, status);
  *flag = 0;
  const int error = real().request_get_status(request, flag, one.status());
  if (*flag == 0) {
    found->poll_failed();
    return error;
  }
  found->poll_succeeded();
  one.resolve();
  return error;
}

ORRERY_RECORDED int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  Recording* const found = recording();
  if (found == nullptr || count <= 0) return real().waitany(count, requests, index, status);
  const SeveralRequests before(*found, count, requests);
  MPI_Status own{};
  MPI_Status* const told = status == nullptr && before.has_known() ? &own : status;
  *index = MPI_UNDEFINED;
  const int error = real().waitany(count, requests, index, told);
  if (*index >= 0 && *index < count) note_any(before, *index, told);
  return error;
}

ORRERY_RECORDED int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                                MPI_Status* status) {
  Recording* const found = recording();
  if (found == nullptr || count <= 0) return real().testany(count, requests, index, flag, status);
  const SeveralRequests before(*found, count, requests);
  MPI_Status own{};
  MPI_Status* const told = status == nullptr && before.has_known() ? &own : status;
  *index = MPI_UNDEFINED;
  *flag = 0;
  const int error = real().testany(count, requests, index, flag, told);
  if (before.active() == 0) return error;
  if (*flag == 0) {
    found->poll_failed();
    return error;
  }
  found->poll_succeeded();
  if (*index >= 0 && *index < count) note_any(before, *index, told);
  return error;
}

ORRERY_RECORDED int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  Recording* const found = recording();
  if (found == nullptr || count <= 0 || found->requests().is_empty())
    return real().waitall(count, requests, statuses);
  const SeveralRequests before(*found, count, requests);
  MPI_Status* const told = statuses == nullptr ? found->statuses(count) : statuses;
  const int error = real().waitall(count, requests, told);
  for (int i = 0; i < count; ++i) {
    const bool is_pending = error == MPI_ERR_IN_STATUS && told[i].MPI_ERROR == MPI_ERR_PENDING;
    if (!is_pending && before.is_active(i)) before.complete(i, &told[i]);
  }
  return error;
}

ORRERY_RECORDED int MPI_Testall(int count, MPI_Request requests[], int* flag,
                                MPI_Status statuses[]) {
  Recording* const found = recording();
  if (found == nullptr || count <= 0) return real().testall(count, requests, flag, statuses);
  const SeveralRequests before(*found, count, requests);
  MPI_Status* const told =
      statuses == nullptr && before.has_known() ? found->statuses(count) : statuses;
  *flag = 0;
  const int error = real().testall(count, requests, flag, told);
  if (before.active() == 0) return error;
  if (*flag == 0) {
    found->poll_failed();
    return error;
  }
  found->poll_succeeded();
  if (!before.has_known()) return error;
  for (int i = 0; i < count; ++i) {
    if (before.is_active(i)) before.complete(i, &told[i]);
  }
  return error;
}

ORRERY_RECORDED int MPI_Waitsome(int count, MPI_Request requests[], int* outcount, int indices[],
                                 MPI_Status statuses[]) {
  Recording* const found = recording();
  if (found == nullptr || count <= 0)
    return real().waitsome(count, requests, outcount, indices, statuses);
  return wait_for_some(*found, false, count, requests, outcount, indices, statuses);
}

ORRERY_RECORDED int MPI_Testsome(int count, MPI_Request requests[], int* outcount, int indices[],
                                 MPI_Status statuses[]) {
  Recording* const found = recording();
  if (found == nullptr || count <= 0)
    return real().testsome(count, requests, outcount, indices, statuses);
  return wait_for_some(*found, true, count, requests, outcount, indices, statuses);
}

ORRERY_RECORDED int MPI_Request_free(MPI_Request* request) {
  Recording* const found = recording();
  if (found == nullptr || request == nullptr) return real().request_free(request);
  const MPI_Request before = *request;
  if (keeps_freed(*found, before)) {
    *request = real().no_request;
    return MPI_SUCCESS;
  }
  const int error = real().request_free(request);
  TrackedRequest* const known = found->requests().find(before);
  if (error == MPI_SUCCESS && known != nullptr) found->requests().remove(*known);
  return error;
}

ORRERY_RECORDED int MPI_Cancel(MPI_Request* request) {
  const int error = real().cancel(request);
  Recording* const found = recording();
  if (found != nullptr && error == MPI_SUCCESS) found->cancel(*request);
  return error;
}
