#include "request_table.hpp"

#include <utility>

namespace orrery::on_hardware {

TrackedRequest& RequestTable::add(MPI_Request handle) {
  if (TrackedRequest* const known = find(handle)) {
    *known = TrackedRequest{};
    known->handle = handle;
    return *known;
  }
  if (slots_.size() < 2 * (count_ + 1)) grow();
  std::size_t at = home(handle);
  while (slots_[at].handle != nullptr) at = next(at);
  ++count_;
  slots_[at] = TrackedRequest{};
  slots_[at].handle = handle;
  return slots_[at];
}

void RequestTable::remove(TrackedRequest& request) {
  auto hole = static_cast<std::size_t>(&request - slots_.data());
  --count_;
  // Whoever would not be found across the hole moves into it.
  for (std::size_t at = next(hole); slots_[at].handle != nullptr; at = next(at)) {
    const std::size_t mask = slots_.size() - 1;
    const std::size_t from_home = (at - home(slots_[at].handle)) & mask;
    const std::size_t from_hole = (at - hole) & mask;
    if (from_home < from_hole) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = TrackedRequest{};
}

void RequestTable::grow() {
  constexpr std::size_t first_size = 64;
  std::vector<TrackedRequest> old(slots_.empty() ? first_size : slots_.size() * 2);
  std::swap(old, slots_);
  for (const TrackedRequest& request : old) {
    if (request.handle == nullptr) continue;
    std::size_t at = home(request.handle);
    while (slots_[at].handle != nullptr) at = next(at);
    slots_[at] = request;
  }
}

}  // namespace orrery::on_hardware
