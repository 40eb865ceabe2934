// The accesses to each byte of plain memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

#include "access_history.hpp"

namespace orrery::detail {

/// Histories by address.  Eight bytes have one history as long as they are accessed together; an
/// access to some of them gives these a history of their own, so that neighbours do not race.
class MemoryHistories {
 public:
  void clear();
  /// Notes an access to all bytes from `address` on.  What it races with is appended to `races`.
  void access(Address address, std::uint32_t size_bytes, AccessKind kind, const Access& access,
              const VectorClock& known, SharedReads& shared, std::vector<Race>& races);

  /// As if nobody had ever accessed it.  Whole words only: what is given back is larger.
  void forget(Address address, std::uint64_t size_bytes);

 private:
  static constexpr Address word_bytes = 8;
  static constexpr Address page_bytes = 4096;
  using ByteMask = std::uint8_t;
  struct Part {
    ByteMask bytes = 0;  ///< which of the eight
    AccessHistory history;
  };
  struct Word {
    Part first;
    std::unique_ptr<std::vector<Part>> more;
  };
  using Page = std::array<Word, page_bytes / word_bytes>;

  Page& page_at(Address number);
  struct Step;

  std::unordered_map<Address, std::unique_ptr<Page>> pages_;
  Address last_number_ = 0;
  Page* last_page_ = nullptr;
};

}  // namespace orrery::detail
