// Which ranks of the job a group has, and in which order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace orrery::mpi {

/// An ordered set of ranks of the job.  Immutable; a sequence with a fixed stride takes no memory.
class Membership {
 public:
  explicit Membership(std::span<const std::int32_t> ranks);

  [[nodiscard]] std::int32_t size() const { return size_; }
  /// The rank in the job of a rank of the group, and back (-1: not a member).
  [[nodiscard]] std::int32_t world_rank(std::int32_t rank) const {
    return ranks_.empty() ? first_ + rank * stride_ : ranks_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::int32_t rank_of(std::int32_t world) const;
  [[nodiscard]] bool is(std::span<const std::int32_t> ranks) const;

 private:
  std::int32_t size_;
  std::int32_t first_ = 0;
  std::int32_t stride_ = 1;
  std::vector<std::int32_t> ranks_;  // empty: first_, first_ + stride_, ...
  std::vector<std::int32_t> order_;  // positions in ranks_, by ascending rank of the job
};

using SharedMembership = std::shared_ptr<const Membership>;

/// The memberships of a job, each of them kept once however many ranks and communicators have it.
class Memberships {
 public:
  SharedMembership share(std::span<const std::int32_t> ranks);
  /// The `size` ranks from `first` on.
  SharedMembership share_range(std::int32_t first, std::int32_t size);

 private:
  void sweep();

  std::multimap<std::uint64_t, std::weak_ptr<const Membership>> by_hash_;  // looked up only
  std::size_t sweep_at_ = 64;
};

}  // namespace orrery::mpi
