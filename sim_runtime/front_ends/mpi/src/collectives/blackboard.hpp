// What the ranks of a job tell each other while they make an object together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "communicators/contexts.hpp"
#include "communicators/membership.hpp"

namespace orrery::mpi {

/// One exchange.  All ranks receive the same bytes in their messages, so they receive them at the
/// same place, and what is worked out from them is worked out once: a split of 1,024 ranks takes
/// memory for 1,024 proposals, not for 1,024 times as many.
struct Notice {
  std::vector<std::byte> bytes;  ///< of all ranks, in rank order
  std::int32_t readers_left = 0;
  std::shared_ptr<const void> result;  ///< worked out by the first rank that has all bytes
};

/// The exchanges that some rank has still to leave.
class Blackboard {
 public:
  /// The notice of this exchange, with room for `size_bytes` of each of `rank_count` ranks.
  Notice& open(const Contexts::Key& key, std::int32_t rank_count, std::size_t size_bytes) {
    const auto [position, is_new] = notices_.try_emplace(key);
    Notice& notice = position->second;
    if (is_new) {
      notice.bytes.resize(static_cast<std::size_t>(rank_count) * size_bytes);
      notice.readers_left = rank_count;
    }
    return notice;
  }
  /// One rank has read all that it wants.
  void leave(const Contexts::Key& key) {
    const auto found = notices_.find(key);
    if (found != notices_.end() && --found->second.readers_left == 0) notices_.erase(found);
  }

 private:
  std::map<Contexts::Key, Notice> notices_;
};

}  // namespace orrery::mpi
