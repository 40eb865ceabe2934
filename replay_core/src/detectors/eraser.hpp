// A locking discipline, as Eraser checks it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/replay_core/detectors.hpp>

#include "lock_sets.hpp"
#include "memory_cells.hpp"
#include "order/place_table.hpp"
#include "race_list.hpp"

namespace orrery::detail {

/// The class of its findings.
inline constexpr std::string_view locking_discipline = "locking discipline";

/// What Eraser knows of a variable.
struct ErasedVariable {
  enum class State : std::uint8_t { virgin, exclusive, shared, shared_modified };
  struct Past {
    static constexpr unsigned task_bits = 30;
    PlaceNumber place = 0;
    std::uint32_t task : task_bits = 0;
    std::uint32_t writes : 1 = 0;
    std::uint32_t is_shared : 1 = 0;  ///< not of the phase in which one task alone initialises it
    Past() = default;
    Past(const RacingAccess& access, bool is_of_shared)
        : place(access.place),
          task(access.task.value & ((1U << task_bits) - 1U)),
          writes(access.writes),
          is_shared(is_of_shared) {}
    [[nodiscard]] RacingAccess access() const { return {TaskId{task}, place, writes != 0}; }
  };
  Past last;
  Past last_of_other;  ///< by another task than `last`
  Past breaker;        ///< the access from which on no lock protected it all the time
  LockSets::Number candidates = LockSets::none;  ///< C(v), from where it is shared
  State state = State::virgin;
  bool is_told = false;
  bool wants_partner = false;  ///< told of `breaker`, beside an access of the initialising phase
};

/// Savage, Burrows, Nelson, Sobalvarro, Anderson, "Eraser: a dynamic data race detector for
/// multithreaded programs", ACM TOCS 15(4), 1997: section 2, with its states (fig. 4) and its locks
/// for readers and writers (2.3).  Exact to the byte; a block that is given back is virgin again.
/// The paper names the access that breaks the discipline; we name another one beside it, of the
/// variable's shared phase where there is one, be it later: who initialises it broke nothing.
class Eraser final : public Detector {
 public:
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  [[nodiscard]] bool is_quiet() const override { return true; }
  void on_event(const Event& event) override;
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;
  [[nodiscard]] std::vector<Finding> findings() const override { return all_found().findings(); }
  [[nodiscard]] std::vector<RaceAccesses> races() const override { return all_found().races(); }

 private:
  /// Calls `variable()` for its name where there is something to tell.
  template <typename Name>
  void access(ErasedVariable& variable, const RacingAccess& now, const RacedMemory& where,
              const Name& name);
  /// The locks that have protected it all the time, this access included.
  void refine(ErasedVariable& variable, const ErasedVariable::Past& now, bool is_first_sharing);
  /// An access of another task that, with this one, breaks the discipline.
  [[nodiscard]] static ErasedVariable::Past partner(const ErasedVariable& variable,
                                                    const ErasedVariable::Past& now);
  template <typename Name>
  void tell(ErasedVariable& variable, const ErasedVariable::Past& now, LockSets::Number so_far,
            const RacedMemory& where, const Name& name);
  /// Tells of `breaker` beside this access, if the two are of two tasks and one of them writes.
  template <typename Name>
  void tell_partner(ErasedVariable& variable, const ErasedVariable::Past& now,
                    const RacedMemory& where, const Name& name);
  [[nodiscard]] std::string message(const ErasedVariable::Past& now, LockSets::Number so_far,
                                    const std::string& name) const;
  /// `found_`, and what of `initialising_` found no better partner.
  [[nodiscard]] RaceList all_found() const;

  struct BesideInitialising {
    std::string message;
    RacingAccess now;
    RacingAccess past;
    RacedMemory where;
  };
  LockSets sets_;
  HeldLocks held_{sets_};
  PlaceTable places_;
  std::unordered_map<std::uint64_t, ErasedVariable> variables_;  ///< by object
  MemoryCells<ErasedVariable> memory_;
  RaceList found_{std::string(locking_discipline)};
  std::map<std::pair<PlaceNumber, PlaceNumber>, BesideInitialising> initialising_;
  std::set<PlaceNumber> has_partner_;  ///< of the first places in `initialising_`
  const Names* names_ = nullptr;
};

}  // namespace orrery::detail

namespace orrery {

[[nodiscard]] std::unique_ptr<Detector> make_eraser();

}  // namespace orrery
