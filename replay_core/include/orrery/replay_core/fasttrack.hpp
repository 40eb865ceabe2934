// Data races by happens-before, in the style of FastTrack.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <orrery/replay_core/detectors.hpp>

namespace orrery {

/// Finds data races: two accesses of one plain variable (`Shared`), or of the same bytes of memory
/// (`on_accesses`), by two tasks, at least one of them a write, which nothing that the tasks did
/// orders.  So a race is found in runs in which nothing goes wrong, too.  docs/detectors.md says
/// what orders.
///
/// Findings are of kind `data_race`, one for each pair of places in the source: first the later
/// access, then the earlier one.  Everything that is reported is a race of this very run; of a
/// variable that has raced once, not all later races need be reported.
///
/// Costs: a few nanoseconds an access; 16 bytes for each eight bytes of memory that were ever
/// accessed, 32 where parts of them were, 16 for each variable, and a clock of as many words as
/// there are tasks for each task and object.
class FastTrack final : public Detector {
 public:
  FastTrack();
  ~FastTrack() override;
  FastTrack(const FastTrack&) = delete;
  FastTrack& operator=(const FastTrack&) = delete;

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  [[nodiscard]] bool is_quiet() const override { return true; }
  void on_event(const Event& event) override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  /// Program counters are return addresses, or 0 where they are not known.
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::vector<RaceAccesses> races() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] std::unique_ptr<Detector> make_fasttrack();

}  // namespace orrery
