#include "shared_window.hpp"

#include <algorithm>

namespace orrery::mpi {

bool WindowLock::is_free_for(bool exclusive) const {
  if (exclusive) return holders_.empty();
  return std::none_of(holders_.begin(), holders_.end(),
                      [](const Holder& holder) { return holder.is_exclusive; });
}

bool WindowLock::take(const Holder& holder, std::uint64_t call) {
  if (waiters_.empty() && is_free_for(holder.is_exclusive)) {
    holders_.push_back(holder);
    return true;
  }
  waiters_.push_back({holder, call});
  return false;
}

std::vector<WindowLock::Holder> WindowLock::in_the_way_of(std::uint64_t call) const {
  const bool waits = std::any_of(waiters_.begin(), waiters_.end(),
                                 [call](const Waiter& waiter) { return waiter.call == call; });
  return waits ? holders_ : std::vector<Holder>{};
}

std::vector<std::uint64_t> WindowLock::release(std::int32_t origin) {
  std::erase_if(holders_, [&](const Holder& holder) { return holder.origin == origin; });
  std::vector<std::uint64_t> granted;
  while (!waiters_.empty() && is_free_for(waiters_.front().holder.is_exclusive)) {
    holders_.push_back(waiters_.front().holder);
    granted.push_back(waiters_.front().call);
    waiters_.pop_front();
  }
  return granted;
}

std::uint32_t RemoteOperations::add(const RemoteOperation& operation) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(operations_.size()));
    operations_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  operations_[number] = operation;
  operations_[number].serial = ++serial_;
  return number;
}

}  // namespace orrery::mpi
