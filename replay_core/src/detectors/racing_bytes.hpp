// Bytes that two parallel segments accessed, and which accesses of theirs these were.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

#include "access_bitmap.hpp"
#include "segment_list.hpp"

namespace orrery::detail {

/// Gives each variable of the C++ API a byte above all memory, so that bitmaps can have it.
class VariableBytes {
 public:
  void clear() {
    numbers_.clear();
    objects_.clear();
  }
  Address address_of(ObjectId object) {
    const auto [found, is_new] = numbers_.try_emplace(object.packed(), objects_.size());
    if (is_new) objects_.push_back(object);
    return begin + found->second;
  }
  /// What has that byte; nothing: it is one of memory.
  [[nodiscard]] std::optional<ObjectId> object_at(Address address) const {
    if (address < begin) return std::nullopt;
    return objects_[address - begin];
  }

 private:
  static constexpr Address begin = Address{1} << 48U;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
  std::vector<ObjectId> objects_;
};

/// A segment, by its number among those of its task.
struct SegmentId {
  TaskId task;
  std::uint32_t number = 0;
  friend constexpr auto operator<=>(const SegmentId&, const SegmentId&) = default;
};

/// One of two segments that race, and what it did.
struct RacingSide {
  SegmentId segment;
  std::uint32_t first_operation = 0;
  bool writes = false;
};

/// Bytes that follow one another, and that both sides accessed.
struct RacingBytes {
  AddressRange bytes;
  RacingSide one;
  RacingSide other;
};

/// Collects them.  A loop that races over and over is kept a few times for each stretch of bytes.
class RacingBytesList {
 public:
  void clear();
  /// Adds what these two, which are parallel, have in common within the range.
  void add_common(const Segment& one, const Segment& other, AddressRange range);

  [[nodiscard]] std::span<const RacingBytes> kept() const { return kept_; }
  [[nodiscard]] std::uint64_t racing_pairs() const { return racing_pairs_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  struct Key {
    Address begin = 0;
    TaskId one;
    TaskId other;
    unsigned kinds = 0;
    friend constexpr auto operator<=>(const Key&, const Key&) = default;
  };
  void add(const RacingBytes& bytes);
  bool is_earliest(const RacingSide& side);

  std::vector<RacingBytes> kept_;
  std::map<Key, std::uint32_t> counts_;
  std::map<TaskId, std::uint32_t> earliest_;  ///< segments that race
  std::uint64_t racing_pairs_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace orrery::detail
