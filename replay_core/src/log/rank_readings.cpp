#include "rank_readings.hpp"

#include <algorithm>
#include <utility>

#include "byte_cursor.hpp"

namespace orrery {
namespace {

// Each takes some twenty bytes at most, and a part may have as many of each clock.
constexpr std::size_t readings_per_block = std::size_t{1} << 18U;

template <typename Element>
void append_to(std::vector<Element>& all, const std::vector<Element>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

template <typename Element>
std::vector<Element> part_of(const std::vector<Element>& all, std::size_t part) {
  const std::size_t first = std::min(all.size(), part * readings_per_block);
  const std::size_t last = std::min(all.size(), first + readings_per_block);
  return {all.begin() + static_cast<std::ptrdiff_t>(first),
          all.begin() + static_cast<std::ptrdiff_t>(last)};
}

std::size_t longest(const RankReadings& readings) {
  std::size_t longest = readings.draws.size();
  for (const auto& steps : readings.clocks) longest = std::max(longest, steps.size());
  return longest;
}

std::size_t count(const RankReadings& readings) {
  std::size_t count = readings.draws.size();
  for (const auto& steps : readings.clocks) count += steps.size();
  return count;
}

}  // namespace

bool RankReadings::is_empty() const {
  return count(*this) == 0;
}

std::uint64_t RankReadings::date_count() const {
  std::uint64_t count = 0;
  for (const auto& steps : clocks) {
    for (const Steps& run : steps) count += run.count;
  }
  return count;
}

void RankReadings::append(const RankReadings& later) {
  for (std::size_t i = 0; i < clocks.size(); ++i) append_to(clocks[i], later.clocks[i]);
  append_to(draws, later.draws);
}

std::vector<std::byte> encode_readings(std::span<const RankReadings> ranks) {
  detail::ByteWriter out;
  out.varint(ranks.size());
  for (const RankReadings& rank : ranks) {
    out.varint(rank.task.value);
    for (std::size_t i = 1; i < rank.clocks.size(); ++i) {
      out.varint(rank.clocks[i].size());
      for (const RankReadings::Steps& run : rank.clocks[i]) {
        out.zigzag(run.step_ns);
        out.varint(run.count);
      }
    }
    out.varint(rank.draws.size());
    for (const std::uint64_t value : rank.draws) out.varint(value);
  }
  return out.take();
}

std::vector<RankReadings> decode_readings(std::span<const std::byte> bytes,
                                          std::string_view where) {
  detail::ByteReader in(bytes, where);
  std::vector<RankReadings> ranks(in.count(clock_kinds + 1));
  for (RankReadings& rank : ranks) {
    rank.task = TaskId{in.varint32()};
    for (std::size_t i = 1; i < rank.clocks.size(); ++i) {
      rank.clocks[i].resize(in.count(2));
      for (RankReadings::Steps& run : rank.clocks[i]) {
        run.step_ns = in.zigzag();
        run.count = in.varint();
        if (run.count == 0) in.fail("a clock that nobody has read");
      }
    }
    rank.draws.resize(in.count());
    for (std::uint64_t& value : rank.draws) value = in.varint();
  }
  in.finish();
  return ranks;
}

std::vector<std::vector<std::byte>> readings_blocks(std::span<const RankReadings> ranks) {
  std::vector<std::vector<std::byte>> blocks;
  std::vector<RankReadings> block;
  std::size_t elements = 0;
  const auto flush = [&] {
    if (!block.empty()) blocks.push_back(encode_readings(block));
    block.clear();
    elements = 0;
  };
  for (const RankReadings& rank : ranks) {
    const std::size_t parts =
        (longest(rank) + readings_per_block - 1) / readings_per_block;  // none of an empty one
    for (std::size_t part = 0; part < parts; ++part) {
      RankReadings piece;
      piece.task = rank.task;
      for (std::size_t i = 0; i < piece.clocks.size(); ++i)
        piece.clocks[i] = part_of(rank.clocks[i], part);
      piece.draws = part_of(rank.draws, part);
      if (elements + count(piece) > readings_per_block) flush();
      elements += count(piece);
      block.push_back(std::move(piece));
    }
  }
  flush();
  return blocks;
}

}  // namespace orrery
