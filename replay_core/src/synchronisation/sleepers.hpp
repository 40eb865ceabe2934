// Who sleeps on a condition, in a replay of real threads.
#pragma once

#include <algorithm>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery::detail {

/// Tasks, operations and objects are those of the replay.
class Sleepers {
 public:
  void clear() {
    all_.clear();
    are_notified_ = false;
  }
  /// From now on every notification finds those who sleep, as nothing says that one came earlier.
  void begin_to_be_notified() { are_notified_ = true; }
  /// `is_in_vain`: the deadline comes first.
  void add(OperationId wait, ObjectId condition, bool is_in_vain) {
    all_.push_back({wait, condition, is_in_vain, are_notified_});
  }
  /// The task does something else.
  void remove(TaskId task) {
    if (all_.empty()) return;
    std::erase_if(all_, [task](const Sleeper& one) { return one.wait.task == task; });
  }
  /// Does somebody sleep by this wait?
  [[nodiscard]] bool sleep_by(OperationId wait) const {
    return std::ranges::find(all_, wait, &Sleeper::wait) != all_.end();
  }
  /// Does somebody sleep by this wait who has nothing but notifications to wake by?
  [[nodiscard]] bool sleep_until_notified(OperationId wait) const {
    const auto found = std::ranges::find(all_, wait, &Sleeper::wait);
    return found != all_.end() && found->is_notified;
  }
  /// Do some wait for this condition whom nobody notifies in time?
  [[nodiscard]] bool are_in_vain(ObjectId condition) const {
    return std::ranges::any_of(all_, [condition](const Sleeper& one) {
      return one.is_in_vain && one.condition == condition;
    });
  }

 private:
  struct Sleeper {
    OperationId wait;
    ObjectId condition;
    bool is_in_vain;
    bool is_notified;
  };
  std::vector<Sleeper> all_;
  bool are_notified_ = false;
};

}  // namespace orrery::detail
