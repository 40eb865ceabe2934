// Which places in a program access memory only where synchronisation says in which order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// What synchronisation orders of all that is done to the variables that a place accesses.
enum class Protection : std::uint8_t {
  all,     ///< each access: Stride's `protectedRW`
  writes,  ///< the writes among themselves: `protectedW`
  none
};
/// `protected_rw`, `protected_w`, `unprotected`.
[[nodiscard]] std::string_view name(Protection protection);

/// Watches a run for it: "race-free optimisation" of Zhou, Xiao and Zhang (Stride, section V.C).
///
/// A variable is eight bytes, as a recorder of real memory has them.  Its accesses are in order if
/// happens-before orders them: by a lock that is held at each, or by whatever else the program
/// hands it over with.  A place is as well protected as the worst of its variables, each looked at
/// from one moment at which all that was done to it lies behind its next access to the next such.
class AccessProtection final : public Observer {
 public:
  struct Access {
    TaskId task;
    ProgramCounter counter = 0;  ///< a return address; 0: an atomic
    bool writes = false;
  };
  /// Called with two accesses that nothing orders, each time; the later one first.
  using OnRace = std::function<void(const Access& later, const Access& earlier)>;

  explicit AccessProtection(OnRace on_race = {});
  ~AccessProtection() override;
  AccessProtection(const AccessProtection&) = delete;
  AccessProtection& operator=(const AccessProtection&) = delete;

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  void on_event(const Event& event) override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;

  struct Site {
    ProgramCounter counter = 0;
    Protection protection = Protection::all;
  };
  /// All places that have accessed memory so far, in the order in which they came up.
  [[nodiscard]] std::vector<Site> sites() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace orrery
