// The parent's side of a search: workers, their results, their deaths, the budget.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "child_process.hpp"
#include "explorer.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "search_state.hpp"
#include "shared_mapping.hpp"
#include "tally.hpp"
#include "worker.hpp"

namespace orrery::detail {

/// One search from beginning to end.  The report that it gives has everything but what is done for
/// findings afterwards (shrinking, logs, timelines).
class Search {
 public:
  Search(const ExploreOptions& options, const Program& program,
         std::shared_ptr<const Strategy> strategy);
  Report run();

 private:
  struct Slot {
    SharedMapping block;
    SharedMapping recording;
    std::unique_ptr<ChildProcess> process;
    std::uint64_t runs_seen = 0;  // by the watchdog
    Stopwatch since_run_began;
    bool is_hung = false;
    Stopwatch since_hung;
    std::uint64_t runs_at_start = 0;
    int idle_deaths = 0;  // one after the other, none with a run begun
    std::uint64_t killed_run = 0;
    int kills = 0;  // of that run, one after the other
  };

  void resume();
  void start(Slot& slot);
  [[nodiscard]] std::uint32_t number_of(const Slot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_.data());
  }
  void run_here();
  void wait_for_workers();
  void look_at(Slot& slot);
  void take_message(const Message& message);
  void ended(Slot& slot);
  void recover(Slot& slot, int status);
  [[nodiscard]] std::optional<std::uint64_t> lost_run(const Slot& slot) const;
  bool is_worth_another_try(Slot& slot, std::uint64_t index, int status);
  void died(Slot& slot, std::uint64_t index, int status);
  void watch(Slot& slot);
  void end_hung(Slot& slot, bool is_unwanted);
  void consume();
  void mind_the_budget();
  void save_state();
  [[nodiscard]] Report report();
  [[nodiscard]] SearchBlock& block() const { return search_.as<SearchBlock>(); }

  const ExploreOptions& options_;
  std::shared_ptr<const Strategy> strategy_;
  SharedMapping search_;
  SharedMapping walk_;
  SharedMapping walk_backup_;
  SearchContext context_;
  std::vector<Slot> slots_;
  Tally tally_;
  Progress progress_;
  InterruptGuard interrupt_;
  Stopwatch since_start_;
  Stopwatch since_saved_;
  Stopwatch since_interrupt_;
  bool is_interrupted_ = false;
  bool is_time_up_ = false;
  bool has_walk_ended_ = false;
};

}  // namespace orrery::detail
