// What a report of a race says besides the two lines: seen when the run is done again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/symbolizer.hpp>

#include "atomic_accesses.hpp"
#include "order/happens_before.hpp"

namespace orrery::detail {

/// A race that is to be told of.
struct ToldRace {
  Finding finding;
  RaceAccesses accesses;
};

/// Watches the same run once more, and sees how each race came about: the stacks and the locks of
/// both accesses, what lies in the memory, and what the two tasks last had to do with each other.
class RaceStory final : public Observer {
 public:
  /// `tell(i)` is called as soon as race `i` has been seen, with `races[i].finding` complete, and
  /// once more where a better pair of accesses comes up.
  RaceStory(std::vector<ToldRace>& races, std::function<void(std::size_t)> tell);

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  void on_event(const Event& event) override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_access(TaskId task, const MemoryAccess& access) override;
  void on_allocated(TaskId task, Address address, std::uint64_t size_bytes) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;

 private:
  /// A block of memory that has some of the bytes.
  struct Block {
    AddressRange bytes;
    std::string task;
    FindingPlace place;  ///< where it was allocated
  };
  struct Telling {
    std::optional<FindingPlace> earlier;
    Epoch epoch;  ///< of that
    std::uintptr_t counter = 0;
    std::optional<Block> block;
    bool is_told = false;  ///< there is a pair
    bool is_done = false;  ///< which nothing ordered
  };
  /// By which operation a task learned of another.
  struct Lesson {
    OperationKind kind = OperationKind::none;
    ObjectId object;
    TaskId from;  ///< whose operation it was that it followed, if it is known
    bool is_from_known = false;
    bool is_start = false;  ///< of the task itself
    FindingPlace place;
  };

  void access(TaskId task, AddressRange bytes, ObjectId variable, bool writes,
              const SourceLocation& where);
  void access_of(std::size_t index, TaskId task, bool writes, const SourceLocation& where);
  [[nodiscard]] FindingPlace here(const SourceLocation& where, const FindingPlace& known) const;
  void learn(const Event& event);
  void learn_by(TaskId task, const Lesson& lesson);
  void complete(std::size_t index, FindingPlace now, std::uintptr_t counter, bool is_ordered);
  void name_memory(ToldRace& race, const Telling& telling) const;
  [[nodiscard]] std::string order_note(const ToldRace& race, bool is_ordered);

  std::vector<ToldRace>& races_;
  std::function<void(std::size_t)> tell_;
  std::vector<Telling> tellings_;
  AtomicAccesses atomics_;
  HappensBefore order_;
  /// What each of two tasks knows of the other, and since when: pairs of tasks that race.
  std::map<std::pair<TaskId, TaskId>, std::pair<std::uint32_t, Lesson>> lessons_;
  const Names* names_ = nullptr;
  Symbolizer symbolizer_;
};

/// `joined thread worker#1`, `locked mutex m`, as a report says it.
[[nodiscard]] std::string learned_text(OperationKind kind, const std::string& object);

}  // namespace orrery::detail
