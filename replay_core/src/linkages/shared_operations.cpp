#include "shared_operations.hpp"

#include <algorithm>

#include "synchronisation/lamport_clocks.hpp"

namespace orrery::detail {
namespace {

constexpr std::uint64_t word_bytes = 8;
/// No creator of an object has a number with the highest bit alone.
constexpr std::uint64_t is_address = std::uint64_t{1} << 63U;

}  // namespace

bool acts_on_variable(OperationKind kind) {
  switch (kind) {
    case OperationKind::spawn:
    case OperationKind::join:
    case OperationKind::task_end:
    case OperationKind::fence: return false;
    default: return has_stamp(kind);
  }
}

const VariableKeys::Known& VariableKeys::of(ObjectId object) {
  const auto [found, is_new] = known_.try_emplace(object.packed());
  Known& known = found->second;
  if (!is_new) return known;
  known.place = place_of(object);
  const std::uint64_t address = known.place.program_address;
  known.key = address == 0 ? object.packed() : is_address | address / word_bytes;
  return known;
}

VariableKeys::Known VariableKeys::word_behind(const VariablePlace& place, std::uint64_t words) {
  const std::uint64_t word = place.program_address / word_bytes + words;
  return {is_address | word, {word * word_bytes, word * word_bytes, word_bytes}};
}

// --- recording ----------------------------------------------------------------------------------

void VariableNumbers::clear() {
  keys_.clear();
  numbers_.clear();
  tasks_.clear();
}

std::uint32_t VariableNumbers::come_to(TaskId task, const VariableKeys::Known& known) {
  const std::uint32_t variable = numbers_.try_emplace(known.key, count()).first->second;
  if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
  Task& own = tasks_[task.value];
  if (variable >= own.has_used.size()) own.has_used.resize(std::size_t{variable} + 1);
  if (!own.has_used[variable]) {
    own.has_used[variable] = true;
    own.first_uses.push_back(variable);
  }
  return variable;
}

std::vector<std::uint32_t> VariableNumbers::first_uses(TaskId task) const {
  return task.value < tasks_.size() ? tasks_[task.value].first_uses : std::vector<std::uint32_t>{};
}

// --- replaying ----------------------------------------------------------------------------------

void RecordedVariables::begin(const AccessRecords& records) {
  records_ = &records;
  keys_.clear();
  tasks_.clear();
  for (const AccessRecords::Task& task : records.tasks) {
    tasks_.resize(std::size_t{task.task.value} + 1);
    tasks_.back().records = &task;
  }
}

std::optional<std::uint32_t> RecordedVariables::by_address(const VariablePlace& place) const {
  const std::uint64_t word = place.program_address / word_bytes * word_bytes;
  const auto found = std::ranges::lower_bound(records_->addresses, word);
  if (found == records_->addresses.end() || *found != word) return std::nullopt;
  return static_cast<std::uint32_t>(found - records_->addresses.begin());
}

std::vector<RecordedVariables::Found> RecordedVariables::find(TaskId task, ObjectId object,
                                                              std::uint64_t words) {
  if (task.value >= tasks_.size() || tasks_[task.value].records == nullptr) return {};
  const Task& own = tasks_[task.value];
  const std::vector<std::uint32_t>& first_uses = own.records->first_uses;
  std::size_t next_use = own.used.size();
  const VariableKeys::Known first = keys_.of(object);
  std::vector<Found> all;
  for (std::uint64_t i = 0; i < words; ++i) {
    const VariableKeys::Known known = i == 0 ? first : VariableKeys::word_behind(first.place, i);
    Found found{.key = known.key, .place = known.place};
    if (!records_->addresses.empty()) {
      const auto variable = by_address(known.place);
      if (!variable) return {};
      found.variable = *variable;
    } else if (const auto used = own.used.find(known.key); used != own.used.end()) {
      found.variable = used->second;
    } else {
      if (next_use >= first_uses.size()) return {};
      found.variable = first_uses[next_use++];
    }
    all.push_back(found);
  }
  return all;
}

void RecordedVariables::come_to(TaskId task, const Found& found) {
  tasks_[task.value].used.try_emplace(found.key, found.variable);
}

}  // namespace orrery::detail
