// All that can be said of a run in which nobody can go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>

#include "machine.hpp"
#include "wait_graph.hpp"

namespace orrery::detail {

/// What each task waits for (deadlock_waits.cpp), who waits for whom in a circle, and whether
/// buffers would have helped (machine_deadlock.cpp).
class DeadlockReport {
 public:
  explicit DeadlockReport(Machine& machine) : machine_(machine) {}
  Finding finding();

 private:
  /// One thing that is waited for.
  struct Cause {
    std::string words;  ///< after `waits for`; empty where another one's say it all
    Need need;
    bool is_of_messages = true;
  };
  /// A task that waits.
  struct Waiting {
    const Task* task = nullptr;
    std::string words;
    Waiter waiter;
    bool is_of_messages = false;
  };

  // deadlock_waits.cpp
  void find_waiting();
  void describe(Waiting& waiting);
  [[nodiscard]] std::vector<Cause> causes_of(const Task& task, const char*& function) const;
  [[nodiscard]] Cause receive_of(OrreryWait& wait) const;
  [[nodiscard]] Cause cause_of(RequestHandle handle, OrreryWait& wait) const;
  [[nodiscard]] Cause send_of(const OrreryWait& wait) const;
  [[nodiscard]] Cause call_of(const OrreryWait& wait, const char* name) const;
  [[nodiscard]] Cause event_of(const RequestState& request, const OrreryWait& wait) const;
  [[nodiscard]] std::vector<Cause> object_of(const Task& task) const;
  [[nodiscard]] OrreryWait wait_of(const Task& task) const;
  void ask(OrreryWait& wait) const;

  [[nodiscard]] std::int32_t rank_of(const Task& task) const {
    return machine_.processes_[task.process.value].rank;
  }
  [[nodiscard]] const std::vector<std::size_t>& by_rank(std::int32_t rank) const;
  [[nodiscard]] std::vector<std::size_t> waiting_as(TaskId task) const;
  [[nodiscard]] std::string rank_words(std::int32_t rank) const;

  // machine_deadlock.cpp
  [[nodiscard]] std::string circle_words(const std::vector<std::size_t>& circle) const;
  void judge(Finding& finding) const;

  Machine& machine_;
  std::vector<Waiting> waiting_;
  std::vector<std::vector<std::size_t>> by_process_;  ///< which of them are of this process
};

/// The texts one after the other; of very many only the first.
[[nodiscard]] std::string listed(const std::vector<std::string>& texts, const char* separator);

}  // namespace orrery::detail
