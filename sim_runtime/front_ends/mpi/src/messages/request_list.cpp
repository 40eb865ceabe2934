#include "request_list.hpp"

#include <algorithm>
#include <utility>

namespace orrery::mpi {
namespace {

std::size_t room_for(int count) {
  return static_cast<std::size_t>(std::max(count, 1)) * sizeof(std::int32_t);
}

}  // namespace

RequestList::RequestList(const Call& call, int count, MPI_Request* requests)
    : call_(call),
      count_(count),
      requests_(requests),
      ids_(call.state.scratch, room_for(count)),
      indices_(call.state.scratch, room_for(count)) {}

int RequestList::check(const char* argument) {
  if (const int error = call_.check_count(nullptr, count_, "count")) return error;
  if (count_ > 0) {
    if (const int error = call_.check_result(requests_, argument)) return error;
  }
  auto* const ids = ids_.array<OrreryRequest>();
  for (int index = 0; index < count_; ++index) {
    Request* request = nullptr;
    if (const int error = check_request(call_, requests_[index], argument, index, request))
      return error;
    ids[index] = request == nullptr ? 0 : request->id;
    if (request == nullptr) {
      requests_[index] = MPI_REQUEST_NULL;
      continue;
    }
    if (!request->active) continue;
    ++active_;
    if (request->id == 0) ++local_;
  }
  return MPI_SUCCESS;
}

std::span<const std::int32_t> RequestList::complete(OrrerySelect mode, bool poll) {
  // Waiting for all of them says nothing of which, and when.
  if (local_ > 0 && (poll || mode != ORRERY_SELECT_ALL)) begin_standing_in();
  auto* const indices = indices_.array<std::int32_t>();
  std::int32_t found = 0;
  if (stands_in_ || active_ > local_) {
    const int offset = poll ? ORRERY_SELECT_POLL_ANY - ORRERY_SELECT_ANY : 0;
    mark_awaited(true);
    found = call_.table.select(ids_.array<OrreryRequest>(), count_,
                               static_cast<OrrerySelect>(mode + offset), indices, call_.pc);
    mark_awaited(false);
  }
  if (stands_in_) end_standing_in();
  if (local_ == 0 || poll || mode != ORRERY_SELECT_ALL)
    return {indices, static_cast<std::size_t>(std::max(found, 0))};
  found = 0;
  for (int index = 0; index < count_; ++index)
    if (is_active(index)) indices[found++] = index;
  return {indices, static_cast<std::size_t>(found)};
}

void RequestList::begin_standing_in() {
  auto* const ids = ids_.array<OrreryRequest>();
  for (int index = 0; index < count_; ++index)
    if (ids[index] == 0 && is_active(index)) ids[index] = start_complete_event(call_);
  stands_in_ = true;
}

void RequestList::end_standing_in() {
  auto* const ids = ids_.array<OrreryRequest>();
  for (int index = 0; index < count_; ++index) {
    if (!is_active(index) || requests_[index]->request->id != 0) continue;
    call_.table.release(std::exchange(ids[index], 0));
  }
  stands_in_ = false;
}

// Other threads must leave them alone meanwhile.
void RequestList::mark_awaited(bool awaited) const {
  if (call_.state.thread_level != MPI_THREAD_MULTIPLE) return;
  for (int index = 0; index < count_; ++index)
    if (requests_[index] != MPI_REQUEST_NULL) requests_[index]->request->awaited = awaited;
}

bool RequestList::is_active(std::int32_t index) const {
  return requests_[index] != MPI_REQUEST_NULL && requests_[index]->request->active;
}

}  // namespace orrery::mpi
