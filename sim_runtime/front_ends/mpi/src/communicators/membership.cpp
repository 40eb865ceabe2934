#include "membership.hpp"

#include <algorithm>
#include <numeric>

namespace orrery::mpi {
namespace {

std::uint64_t hash_of(std::span<const std::int32_t> ranks) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, a rank at a time
  for (const std::int32_t rank : ranks)
    hash = (hash ^ static_cast<std::uint32_t>(rank)) * 0x100000001b3U;
  return hash;
}

bool is_sequence(std::span<const std::int32_t> ranks) {
  if (ranks.size() < 3) return true;
  const std::int32_t stride = ranks[1] - ranks[0];
  for (std::size_t index = 2; index < ranks.size(); ++index)
    if (ranks[index] - ranks[index - 1] != stride) return false;
  return true;
}

}  // namespace

Membership::Membership(std::span<const std::int32_t> ranks)
    : size_(static_cast<std::int32_t>(ranks.size())) {
  if (!ranks.empty()) first_ = ranks[0];
  if (ranks.size() > 1) stride_ = ranks[1] - ranks[0];
  if (is_sequence(ranks)) return;
  ranks_.assign(ranks.begin(), ranks.end());
  order_.resize(ranks.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(),
            [&](std::int32_t a, std::int32_t b) { return world_rank(a) < world_rank(b); });
}

std::int32_t Membership::rank_of(std::int32_t world) const {
  if (ranks_.empty()) {
    const std::int32_t distance = world - first_;
    if (size_ == 0 || distance % stride_ != 0) return -1;
    const std::int32_t rank = distance / stride_;
    return rank >= 0 && rank < size_ ? rank : -1;
  }
  const auto found =
      std::lower_bound(order_.begin(), order_.end(), world,
                       [&](std::int32_t rank, std::int32_t w) { return world_rank(rank) < w; });
  return found != order_.end() && world_rank(*found) == world ? *found : -1;
}

bool Membership::is(std::span<const std::int32_t> ranks) const {
  if (ranks.size() != static_cast<std::size_t>(size_)) return false;
  for (std::int32_t rank = 0; rank < size_; ++rank)
    if (world_rank(rank) != ranks[static_cast<std::size_t>(rank)]) return false;
  return true;
}

SharedMembership Memberships::share(std::span<const std::int32_t> ranks) {
  const std::uint64_t hash = hash_of(ranks);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto candidate = begin; candidate != end; ++candidate) {
    SharedMembership known = candidate->second.lock();
    if (known != nullptr && known->is(ranks)) return known;
  }
  if (by_hash_.size() >= sweep_at_) sweep();
  auto made = std::make_shared<const Membership>(ranks);
  by_hash_.emplace(hash, made);
  return made;
}

SharedMembership Memberships::share_range(std::int32_t first, std::int32_t size) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), first);
  return share(ranks);
}

void Memberships::sweep() {
  std::erase_if(by_hash_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = 2 * by_hash_.size() + 64;
}

}  // namespace orrery::mpi
