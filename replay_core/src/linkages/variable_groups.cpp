#include "variable_groups.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace orrery::detail {
namespace {

using By = MemoryGroups::By;

constexpr std::uint64_t variable_bytes = MemoryGroups::word_bytes;

/// Names the block that a variable with a value lies in.  Those of the C++ API lie where the run
/// has happened to put them: they count as one word each, in the order in which they were made.
std::uint64_t block_of(ObjectId object, const VariablePlace& place, std::uint64_t block_bytes) {
  if (place.program_address != 0) return place.program_address / block_bytes;
  constexpr std::uint64_t is_object = std::uint64_t{1} << 63U;
  const std::uint64_t number = object.number / (block_bytes / variable_bytes);
  return is_object | std::uint64_t{object.creator.value} << 32U | number;
}

/// The program's own line, not that of the library's template that it uses.
std::string line_of(const FindingPlace& place) {
  const auto is_own = [](const SourceFrame& frame) {
    return !frame.file.empty() && !frame.file.starts_with("/usr/");
  };
  const auto own = std::ranges::find_if(place.stack, is_own);
  if (own != place.stack.end()) return fmt::format("{}:{}", own->file, own->line);
  return place.stack.empty() ? std::string() : place.stack.front().function;
}

}  // namespace

void VariableGroups::note_allocated(std::uint64_t address, std::uint64_t bytes,
                                    const FindingPlace& asked_at) {
  const auto next = static_cast<std::uint32_t>(sites_.size());
  const std::uint32_t site = sites_.try_emplace(line_of(asked_at), next).first->second;
  auto behind = blocks_.lower_bound(address);
  while (behind != blocks_.end() && behind->first < address + bytes) behind = blocks_.erase(behind);
  blocks_[address] = {address + bytes, site};
}

/// Of a variable in no block: itself.
VariableGroups::Key VariableGroups::key_in_block(const VariablePlace& place) const {
  const std::uint64_t address = place.program_address;
  const auto behind = blocks_.upper_bound(address);
  if (behind != blocks_.begin()) {
    const auto& [begin, block] = *std::prev(behind);
    if (address < block.behind) return {block.site, (address - begin) / variable_bytes};
  }
  constexpr std::uint64_t is_none = std::uint64_t{1} << 63U;
  return {is_none, count_};
}

VariableGroups::Key VariableGroups::key_of(ObjectId object, const VariablePlace& place,
                                           std::uintptr_t site) const {
  if (grouping_.are_all_one) return {};
  switch (grouping_.which.by) {
    case By::block: return {0, block_of(object, place, grouping_.which.block_bytes)};
    case By::allocation: return key_in_block(place);
    default: return site != 0 ? Key{0, site} : Key{1, count_};
  }
}

std::uint32_t VariableGroups::of(std::uint32_t variable, ObjectId object,
                                 const VariablePlace& place, std::uintptr_t site) {
  if (!grouping_.are_all_one && !grouping_.which.are_any()) return variable;
  if (variable < groups_.size()) return groups_[variable];
  if (!grouping_.are_all_one && place.value_bytes == 0) {
    groups_.push_back(count_++);
    return groups_.back();
  }
  const auto [found, is_new] = known_.try_emplace(key_of(object, place, site), count_);
  if (is_new) ++count_;
  groups_.push_back(found->second);
  return groups_.back();
}

}  // namespace orrery::detail
