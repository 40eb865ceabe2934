#include "request_list.hpp"

#include <algorithm>

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
  if (local_ > 0 && mode != ORRERY_SELECT_ALL) return complete_with_local(mode);
  auto* const indices = indices_.array<std::int32_t>();
  std::int32_t found = 0;
  if (active_ > local_) {
    const int offset = poll ? ORRERY_SELECT_POLL_ANY - ORRERY_SELECT_ANY : 0;
    mark_awaited(true);
    found = call_.table.select(ids_.array<OrreryRequest>(), count_,
                               static_cast<OrrerySelect>(mode + offset), indices, call_.pc);
    mark_awaited(false);
    if (found <= 0) return {};
  }
  if (local_ > 0) {  // of all: every one that is active
    found = 0;
    for (int index = 0; index < count_; ++index)
      if (is_active(index)) indices[found++] = index;
  }
  return {indices, static_cast<std::size_t>(found)};
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

// One is complete already, so there is nothing to wait for: the answer is among those that are
// complete now, and which of several it is stays a choice.
std::span<const std::int32_t> RequestList::complete_with_local(OrrerySelect mode) {
  auto* const indices = indices_.array<std::int32_t>();
  const auto* const ids = ids_.array<OrreryRequest>();
  std::size_t found = 0;
  for (int index = 0; index < count_; ++index) {
    if (!is_active(index)) continue;
    OrreryEnvelope ignored{};
    if (ids[index] == 0 ||
        (call_.table.inspect(ids[index], &ignored) & ORRERY_REQUEST_COMPLETE) != 0)
      indices[found++] = index;
  }
  if (mode == ORRERY_SELECT_SOME || found == 1) return {indices, found};
  indices[0] = indices[call_.table.draw(found, call_.pc)];
  return {indices, 1};
}

}  // namespace orrery::mpi
