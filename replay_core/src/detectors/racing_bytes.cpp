#include "racing_bytes.hpp"

namespace orrery::detail {
namespace {

constexpr std::uint32_t kept_of_each_max = 4;
constexpr std::size_t kept_in_all_max = 100'000;

}  // namespace

void RacingBytesList::clear() {
  kept_.clear();
  counts_.clear();
  earliest_.clear();
  racing_pairs_ = left_out_ = 0;
}

bool RacingBytesList::is_earliest(const RacingSide& side) {
  const auto [found, is_new] = earliest_.try_emplace(side.segment.task, side.segment.number);
  if (is_new || side.segment.number >= found->second) return is_new;
  found->second = side.segment.number;
  return true;
}

void RacingBytesList::add(const RacingBytes& bytes) {
  // The race frontier needs those, however often the bytes have raced.
  const bool is_first = is_earliest(bytes.one);
  const bool is_first_of_other = is_earliest(bytes.other);
  const unsigned kinds = (bytes.one.writes ? 1U : 0U) + (bytes.other.writes ? 2U : 0U);
  std::uint32_t& count =
      counts_[{bytes.bytes.begin, bytes.one.segment.task, bytes.other.segment.task, kinds}];
  const bool has_room = count < kept_of_each_max && kept_.size() < kept_in_all_max;
  if (!has_room && !is_first && !is_first_of_other) {
    ++left_out_;
    return;
  }
  ++count;
  kept_.push_back(bytes);
}

void RacingBytesList::add_common(const Segment& one, const Segment& other, AddressRange range) {
  bool has_any = false;
  const auto add_kind = [&](bool one_writes, bool other_writes) {
    const AccessBitmap& of_one = one_writes ? one.writes : one.reads;
    const AccessBitmap& of_other = other_writes ? other.writes : other.reads;
    RacingBytes next{{},
                     {{one.task, one.number}, one.first_operation, one_writes},
                     {{other.task, other.number}, other.first_operation, other_writes}};
    of_one.for_each_common(of_other, range, [&](AddressRange piece) {
      has_any = true;
      if (piece.begin == next.bytes.end) {
        next.bytes.end = piece.end;
        return;
      }
      if (next.bytes.end != 0) add(next);
      next.bytes = piece;
    });
    if (next.bytes.end != 0) add(next);
  };
  add_kind(true, true);
  add_kind(true, false);
  add_kind(false, true);
  if (has_any) ++racing_pairs_;
}

}  // namespace orrery::detail
