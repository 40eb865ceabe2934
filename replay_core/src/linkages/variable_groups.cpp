#include "variable_groups.hpp"

#include <bit>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

constexpr std::uint64_t variable_bytes = 8;

/// Names the block that a variable with a value lies in.  Those of the C++ API lie where the run
/// has happened to put them: they count as one word each, in the order in which they were made.
std::uint64_t block_of(ObjectId object, const VariablePlace& place, std::uint64_t block_bytes) {
  if (place.program_address != 0) return place.program_address / block_bytes;
  constexpr std::uint64_t is_object = std::uint64_t{1} << 63U;
  const std::uint64_t number = object.number / (block_bytes / variable_bytes);
  return is_object | std::uint64_t{object.creator.value} << 32U | number;
}

}  // namespace

Grouping Grouping::of(const NameWithOptions& given) {
  const std::string text = given.text("group").value_or("variable");
  if (text == "variable") return {};
  constexpr std::string_view block = "block:";
  Grouping grouping{.by = By::block};
  const char* const end = text.data() + text.size();
  const bool is_block = text.starts_with(block);
  const auto read = is_block
                        ? std::from_chars(text.data() + block.size(), end, grouping.block_bytes)
                        : std::from_chars_result{text.data(), std::errc::invalid_argument};
  const bool is_number = read.ec == std::errc() && read.ptr == end;
  if (!is_number || grouping.block_bytes < variable_bytes ||
      !std::has_single_bit(grouping.block_bytes)) {
    throw UsageError(fmt::format("'{}' is no way to group variables", text),
                     fmt::format("{} {}:group", given.where(), given.name()),
                     "variable, or block:BYTES with a power of two from 8 on, as block:64");
  }
  return grouping;
}

std::uint32_t VariableGroups::of(std::uint32_t variable, ObjectId object,
                                 const VariablePlace& place) {
  if (grouping_.by == Grouping::By::variable) return variable;
  if (variable < groups_.size()) return groups_[variable];
  const bool is_common = grouping_.by == Grouping::By::all;
  if (is_common || place.value_bytes != 0) {
    const std::uint64_t block = is_common ? 0 : block_of(object, place, grouping_.block_bytes);
    const auto [found, is_new] = blocks_.try_emplace(block, count_);
    if (is_new) ++count_;
    groups_.push_back(found->second);
  } else {
    groups_.push_back(count_++);
  }
  return groups_.back();
}

}  // namespace orrery::detail
