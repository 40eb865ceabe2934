#include "shared_operations.hpp"

#include <algorithm>

#include <orrery/replay_core/memory_groups.hpp>

#include "synchronisation/lamport_clocks.hpp"

namespace orrery::detail {
bool acts_on_variable(OperationKind kind) {
  switch (kind) {
    case OperationKind::spawn:
    case OperationKind::join:
    case OperationKind::fence: return false;
    default: return has_stamp(kind);
  }
}

// --- recording ----------------------------------------------------------------------------------

void VariableNumbers::clear() {
  keys_.clear();
  numbers_.clear();
  keys_used_.clear();
  forgotten_.clear();
  tasks_.clear();
}

std::uint32_t VariableNumbers::come_to(TaskId task, ObjectId object, OperationKind kind) {
  const VariableKeys::Known& known = keys_.of(object);
  const auto used = is_wake(kind, known.place) ? last_used(task, known) : std::nullopt;
  return used ? *used : come_to(task, known);
}

std::uint32_t VariableNumbers::come_to(TaskId task, const VariableKeys::Known& known) {
  const auto [variable, is_new] = numbers_.add(known, forgotten_, count());
  if (is_new) keys_used_.push_back(known.key);
  if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
  Task& own = tasks_[task.value];
  if (variable >= own.has_used.size()) own.has_used.resize(std::size_t{variable} + 1);
  if (!own.has_used[variable]) {
    own.has_used[variable] = true;
    own.first_uses.push_back(variable);
  }
  return variable;
}

bool VariableNumbers::has_used(TaskId task, std::uint32_t variable) const {
  if (task.value >= tasks_.size()) return false;
  const std::vector<bool>& used = tasks_[task.value].has_used;
  return variable < used.size() && used[variable];
}

std::optional<std::uint32_t> VariableNumbers::last_used(TaskId task,
                                                        const VariableKeys::Known& known) const {
  const std::uint32_t* const newest = numbers_.last(known);
  if (newest == nullptr || task.value >= tasks_.size()) return std::nullopt;
  if (has_used(task, *newest)) return *newest;
  const std::vector<std::uint32_t>& uses = tasks_[task.value].first_uses;
  const auto last = std::find_if(uses.rbegin(), uses.rend(), [&](std::uint32_t variable) {
    return keys_used_[variable] == known.key;
  });
  if (last == uses.rend()) return std::nullopt;
  return *last;
}

std::vector<std::uint32_t> VariableNumbers::first_uses(TaskId task) const {
  return task.value < tasks_.size() ? tasks_[task.value].first_uses : std::vector<std::uint32_t>{};
}

// --- replaying ----------------------------------------------------------------------------------

void RecordedVariables::begin(const AccessRecords& records) {
  records_ = &records;
  keys_.clear();
  tasks_.clear();
  stack_words_.clear();
  forgotten_.clear();
  lone_words_.clear();
  for (const AccessRecords::Task& task : records.tasks) own(task.task).records = &task;
  for (const AccessRecords::StackWord& word : records.stack_words) {
    stack_words_[{word.task.value, word.words_below}] = word.variable;
  }
}

RecordedVariables::Task& RecordedVariables::own(TaskId task) {
  if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
  return tasks_[task.value];
}

std::optional<std::uint32_t> RecordedVariables::by_address(std::uint64_t address) const {
  const std::uint64_t word = address / MemoryGroups::word_bytes * MemoryGroups::word_bytes;
  const auto found = std::ranges::lower_bound(records_->addresses, word);
  if (found == records_->addresses.end() || *found != word) return std::nullopt;
  return static_cast<std::uint32_t>(found - records_->addresses.begin());
}

/// Of a word that the task finds whenever it comes to it; nothing: by when it does so first.
std::optional<std::uint32_t> RecordedVariables::without_use(
    const VariablePlace& place, std::optional<std::uint32_t> next_use) const {
  if (!records_->is_of_memory) {
    return records_->addresses.empty() ? std::nullopt : by_address(place.program_address);
  }
  const std::optional<std::uint32_t> variable = on_stack(place, next_use);
  if (variable || !records_->named.has(place.program_address)) return variable;
  return by_address(place.program_address).value_or(records_->own());
}

/// Of a word on a stack; nothing: it lies on none.  (Or its owner has ended, and the log is an old
/// one: in those a word of a stack was known from then on by who came to it when.)
std::optional<std::uint32_t> RecordedVariables::on_stack(
    const VariablePlace& place, std::optional<std::uint32_t> next_use) const {
  const auto stack = stack_place_ ? stack_place_(place.program_address) : std::nullopt;
  if (!stack) return std::nullopt;
  if (stack->line == 0) return stack->has_ended ? std::nullopt : std::optional(records_->own());
  const auto below = static_cast<std::int64_t>(stack->line / MemoryGroups::word_bytes -
                                               place.program_address / MemoryGroups::word_bytes);
  const auto found = stack_words_.find({stack->owner.value, below});
  const bool is_known = found != stack_words_.end();
  if (stack->has_ended && (!is_known || found->second == next_use)) return std::nullopt;
  return is_known ? found->second : records_->own();
}

/// A word of the heap has a name for good: all that ever met there stand in its order.  Stacks may
/// lie elsewhere in a replay, and other memory is known by when a task first comes to it.
std::optional<TaskId> RecordedVariables::met_at_own(TaskId task, const VariablePlace& place) {
  const std::uint64_t address = place.program_address;
  if (!records_->named.has(address)) return std::nullopt;
  if (stack_place_ && stack_place_(address)) return std::nullopt;
  return lone_words_.come(task, address);
}

std::optional<std::uint32_t> RecordedVariables::used_by(TaskId task, OperationKind kind,
                                                        const VariableKeys::Known& known) const {
  const ByVariable<std::uint32_t>& used = tasks_[task.value].used;
  if (const std::uint32_t* const found = used.find(known, forgotten_)) return *found;
  if (!is_wake(kind, known.place)) return std::nullopt;
  // Older logs may have had another name for it by then.
  const std::uint32_t* const last = used.last(known);
  return last != nullptr && has_turn_left_(task, *last) ? std::optional(*last) : std::nullopt;
}

std::vector<RecordedVariables::Found> RecordedVariables::find(TaskId task, OperationKind kind,
                                                              ObjectId object,
                                                              std::uint64_t words) {
  if (task.value >= tasks_.size() || tasks_[task.value].records == nullptr) return {};
  const Task& own = tasks_[task.value];
  const std::vector<std::uint32_t>& first_uses = own.records->first_uses;
  std::size_t next_use = own.uses;
  const VariableKeys::Known first = keys_.of(object);
  std::vector<Found> all;
  for (std::uint64_t i = 0; i < words; ++i) {
    const VariableKeys::Known known = i == 0 ? first : VariableKeys::word_behind(first.place, i);
    const auto next =
        next_use < first_uses.size() ? std::optional(first_uses[next_use]) : std::nullopt;
    auto variable = without_use(known.place, next);
    const bool has_uses = records_->is_of_memory || records_->addresses.empty();
    bool is_used = variable && records_->is_of_memory;
    if (!variable && has_uses) {
      variable = used_by(task, kind, known);
      is_used = variable.has_value();
      if (!is_used && next_use < first_uses.size()) variable = first_uses[next_use++];
    }
    if (!variable) return {};
    all.push_back({*variable, known.key, known.place, is_used});
  }
  return all;
}

void RecordedVariables::come_to(TaskId task, const Found& found) {
  if (found.is_used) return;
  Task& own = tasks_[task.value];
  if (own.used.add({found.key, found.place}, forgotten_, found.variable).second) ++own.uses;
}

}  // namespace orrery::detail
