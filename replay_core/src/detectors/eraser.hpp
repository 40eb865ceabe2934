// A locking discipline, as Eraser checks it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
    PlaceNumber place = 0;
    TaskId task;
  };
  Past last;
  Past last_of_other;                            ///< by another task than `last`
  LockSets::Number candidates = LockSets::none;  ///< C(v), from where it is shared
  State state = State::virgin;
  bool last_writes = false;
  bool last_of_other_writes = false;
  bool is_told = false;
};

/// Savage, Burrows, Nelson, Sobalvarro, Anderson, "Eraser: a dynamic data race detector for
/// multithreaded programs", ACM TOCS 15(4), 1997: section 2, with its states (fig. 4) and its locks
/// for readers and writers (2.3).  Exact to the byte; a block that is given back is virgin again.
class Eraser final : public Detector {
 public:
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  [[nodiscard]] bool is_quiet() const override { return true; }
  void on_event(const Event& event) override;
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;
  [[nodiscard]] std::vector<Finding> findings() const override { return found_.findings(); }
  [[nodiscard]] std::vector<RaceAccesses> races() const override { return found_.races(); }

 private:
  /// Calls `variable()` for its name where there is something to tell.
  template <typename Name>
  void access(ErasedVariable& variable, const RacingAccess& now, const RacedMemory& where,
              const Name& name);
  /// The locks that have protected it all the time, this access included.
  void refine(ErasedVariable& variable, bool is_first_sharing, bool writes, const HeldSets& held);

  LockSets sets_;
  HeldLocks held_{sets_};
  PlaceTable places_;
  std::unordered_map<std::uint64_t, ErasedVariable> variables_;  ///< by object
  MemoryCells<ErasedVariable> memory_;
  RaceList found_{std::string(locking_discipline)};
  const Names* names_ = nullptr;
};

}  // namespace orrery::detail

namespace orrery {

[[nodiscard]] std::unique_ptr<Detector> make_eraser();

}  // namespace orrery
