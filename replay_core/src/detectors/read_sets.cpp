#include "read_sets.hpp"

#include <algorithm>

namespace orrery::detail {

void ReadSets::clear() {
  sets_.clear();
  free_.clear();
  steps_ = {};
}

ReadSets::Number ReadSets::fresh() {
  if (free_.empty()) {
    sets_.emplace_back();
    free_.push_back(static_cast<Number>(sets_.size() - 1));
  }
  const Number number = free_.back();
  free_.pop_back();
  Set& set = sets_[number];
  ++set.version;
  set.users = 1;
  return number;
}

void ReadSets::recycle(Number set) {
  sets_[set].reads.clear();
  sets_[set].tasks.clear();
  ++sets_[set].version;
  free_.push_back(set);
}

ReadSets::Number ReadSets::pair(const Access& first, const Access& second,
                                const EpochNumbers& epochs) {
  Step& step = step_for(first, second);
  if (leads_on(step, true, first, second)) return share(step.result);
  const Number number = fresh();
  const std::uint32_t first_task = epochs.epoch(first.epoch).task;
  const std::uint32_t second_task = epochs.epoch(second.epoch).task;
  const bool is_in_order = first_task < second_task;
  sets_[number].reads = {is_in_order ? first : second, is_in_order ? second : first};
  sets_[number].tasks = {std::min(first_task, second_task), std::max(first_task, second_task)};
  step = {true, first, second, number, sets_[number].version};
  return number;
}

ReadSets::Number ReadSets::with(Number set, const Access& read, const EpochNumbers& epochs) {
  const Access from{set, sets_[set].version};
  const Step& step = step_for(from, read);
  if (!leads_on(step, false, from, read)) return extended(set, read, epochs);
  const Number result = share(step.result);
  release(set);
  return result;
}

ReadSets::Number ReadSets::extended(Number set, const Access& read, const EpochNumbers& epochs) {
  const std::uint32_t task = epochs.epoch(read.epoch).task;
  const std::size_t place = place_of(task, sets_[set].tasks);
  const bool has_own = place < sets_[set].tasks.size() && sets_[set].tasks[place] == task;
  if (has_own && sets_[set].reads[place].epoch == read.epoch) return set;
  Number result = set;
  if (sets_[set].users == 1) {
    ++sets_[set].version;
  } else {
    result = fresh();  // may move the sets
    sets_[result].reads.assign(sets_[set].reads.begin(), sets_[set].reads.end());
    sets_[result].tasks.assign(sets_[set].tasks.begin(), sets_[set].tasks.end());
    const Access from{set, sets_[set].version};
    step_for(from, read) = {false, from, read, result, sets_[result].version};
    --sets_[set].users;
  }
  Set& extended = sets_[result];
  if (has_own) {
    extended.reads[place] = read;
  } else {
    const auto at = static_cast<std::ptrdiff_t>(place);
    extended.reads.insert(extended.reads.begin() + at, read);
    extended.tasks.insert(extended.tasks.begin() + at, task);
  }
  return result;
}

std::size_t ReadSets::place_of(std::uint32_t task, const std::vector<std::uint32_t>& tasks) {
  // Those of lower tasks are no more than there are lower tasks, and most often a few less.
  std::size_t place = std::min<std::size_t>(task, tasks.size());
  const std::size_t walked_to = place - std::min<std::size_t>(place, 8);
  while (place > walked_to && tasks[place - 1] >= task) --place;
  if (place > walked_to || place == 0) return place;
  const auto lower = std::span(tasks).first(place);
  return static_cast<std::size_t>(std::ranges::lower_bound(lower, task) - lower.begin());
}

}  // namespace orrery::detail
