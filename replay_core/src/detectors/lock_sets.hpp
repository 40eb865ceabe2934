// Sets of locks, and which each task holds.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Gives each set of locks a short number, and remembers what two have in common, as Eraser does:
/// there are few different sets in a run.
class LockSets {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = 0;  ///< the empty set

  LockSets() { clear(); }
  void clear();
  /// The set of these, which are sorted.
  Number number_of(const std::vector<ObjectId>& locks);
  Number intersection(Number one, Number other) {
    return one == other || one == none ? one : known_intersection(one, other);
  }
  [[nodiscard]] bool is_subset(Number part, Number whole) {
    return intersection(part, whole) == part;
  }
  [[nodiscard]] std::span<const ObjectId> locks(Number set) const { return sets_[set]; }
  /// `mutex accounts and mutex log`, or `no lock`.
  [[nodiscard]] std::string text(Number set, const Names& names) const;

 private:
  Number known_intersection(Number one, Number other);

  std::vector<std::vector<ObjectId>> sets_;
  std::map<std::vector<ObjectId>, Number> numbers_;
  std::unordered_map<std::uint64_t, Number> intersections_;  ///< by both; looked up, never walked
};

/// What a task holds.
struct HeldSets {
  LockSets::Number any = LockSets::none;      ///< in whatever way
  LockSets::Number writing = LockSets::none;  ///< alone: a mutex, or a writer's
  friend constexpr bool operator==(const HeldSets&, const HeldSets&) = default;
};

/// Do these locks keep two accesses apart?  A lock that both hold as readers does not.
[[nodiscard]] inline bool keep_apart(const HeldSets& one, const HeldSets& other, LockSets& sets) {
  return sets.intersection(one.writing, other.any) != LockSets::none ||
         sets.intersection(one.any, other.writing) != LockSets::none;
}

/// Follows who holds what.
class HeldLocks {
 public:
  explicit HeldLocks(LockSets& sets) : sets_(sets) {}
  [[nodiscard]] static EventMask interest();
  void clear() { tasks_.clear(); }
  /// Takes every event; those that are not about locks change nothing.
  void apply(const Event& event);
  [[nodiscard]] HeldSets of(TaskId task) const {
    return task.value < tasks_.size() ? tasks_[task.value].sets : HeldSets{};
  }

 private:
  struct Held {
    ObjectId lock;
    bool writing = false;
    std::uint32_t count = 0;
  };
  struct Task {
    std::vector<Held> held;
    HeldSets sets;
  };
  void take(Task& task, ObjectId lock, bool writing);
  static bool give_up(Task& task, ObjectId lock, bool writing);
  void renew(Task& task);

  LockSets& sets_;
  std::vector<Task> tasks_;
};

}  // namespace orrery::detail
