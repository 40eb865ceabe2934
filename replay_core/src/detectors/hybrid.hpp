// Locksets and happens-before together.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/replay_core/detectors.hpp>

#include "freed_atomics.hpp"
#include "lock_sets.hpp"
#include "memory_cells.hpp"
#include "order/epoch_numbers.hpp"
#include "order/happens_before.hpp"
#include "order/order_without_locks.hpp"
#include "order/place_table.hpp"
#include "race_list.hpp"

namespace orrery::detail {

/// The class of its findings.
inline constexpr std::string_view no_common_lock = "no common lock";

/// O'Callahan and Choi, "Hybrid dynamic data race detection", PPoPP 2003: reports two accesses that
/// have no lock in common and that nothing but locks orders.  Exact to the byte.
class Hybrid final : public Detector {
 public:
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  [[nodiscard]] bool is_quiet() const override { return true; }
  void on_event(const Event& event) override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;
  [[nodiscard]] std::vector<Finding> findings() const override { return found_.findings(); }
  [[nodiscard]] std::vector<RaceAccesses> races() const override { return found_.races(); }

 private:
  using HeldNumber = std::uint32_t;
  /// An access that a later one may race with.
  struct Past {
    EpochNumber epoch = 0;
    PlaceNumber place = 0;
    HeldNumber held : 31 = 0;
    std::uint32_t writes : 1 = 0;
  };
  struct Variable {
    Past only;  ///< where there is one
    std::uint32_t many =
        0;  ///< where there are several: the number of their list; 0: there are not
  };
  /// Who accesses, and what all its accesses at this moment have in common.
  struct Accessor {
    TaskId task;
    EpochNumber epoch = 0;
    HeldNumber held = 0;
  };

  /// Of a variable of which parts are accessed from now on: a list has one owner.
  struct CopyOfVariable {
    Hybrid& hybrid;
    Variable operator()(const Variable& variable) const;
  };

  [[nodiscard]] Accessor accessor(TaskId task);
  void forget_old_epochs();
  /// Says what races with it, and remembers it.
  void access(Variable& variable, const Accessor& by, PlaceNumber place, bool writes);
  void access_many(std::vector<Past>& pasts, const Accessor& by, const Past& now);
  void make_many(Variable& variable);
  /// The number of an empty list.
  [[nodiscard]] std::uint32_t new_list();
  [[nodiscard]] bool says_all_of(const Past& past, const Past& now);
  [[nodiscard]] bool is_superseded(const Past& past, const Accessor& by, const Past& now);
  void compare(const Past& past, const Accessor& by, const Past& now);
  /// Calls `name()` for what the variable is called.
  template <typename Name>
  void tell(const Accessor& by, PlaceNumber place, bool writes, const RacedMemory& where,
            const Name& name);

  LockSets sets_;
  HeldLocks held_{sets_};
  std::vector<HeldSets> held_sets_;  ///< by number
  std::map<std::pair<LockSets::Number, LockSets::Number>, HeldNumber> held_numbers_;
  OrderWithoutLocks order_;
  EpochNumbers epochs_;
  PlaceTable places_;
  std::map<std::uint64_t, Variable> variables_;  ///< by object
  MemoryCells<Variable, CopyOfVariable> memory_{CopyOfVariable{*this}};
  std::vector<std::vector<Past>> many_;  ///< by number, less one
  std::vector<std::uint32_t> free_many_;
  std::vector<Past> races_;  ///< of the access at hand
  RaceList found_{std::string(no_common_lock)};
  // An atomic has no lock beside it: what locks order is no race with the end of its block.
  HappensBefore order_with_locks_;
  FreedAtomics atomics_{found_, places_};
  const Names* names_ = nullptr;
};

}  // namespace orrery::detail

namespace orrery {

[[nodiscard]] std::unique_ptr<Detector> make_hybrid();

}  // namespace orrery
