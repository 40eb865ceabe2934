// The report of a deadlock: its words, its circle, and its class.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "deadlock_report.hpp"

namespace orrery::detail {

std::string DeadlockReport::circle_words(const std::vector<std::size_t>& circle) const {
  std::vector<std::string> words;
  const auto name_of = [this](std::size_t i) { return machine_.task(waiting_[i].task->id); };
  if (circle.size() == 1) return fmt::format("{} waits for itself", name_of(circle.front()));
  for (std::size_t i = 0; i < circle.size(); ++i) {
    words.push_back(fmt::format("{} waits for {}", name_of(circle[i]),
                                name_of(circle[(i + 1) % circle.size()])));
  }
  return listed(words, ", ");
}

void DeadlockReport::judge(Finding& finding) const {
  std::vector<Waiter> waiters;
  for (const Waiting& one : waiting_) waiters.push_back(one.waiter);
  const std::vector<bool> is_freed = WaitGraph(waiters).freed_by_buffers();
  const auto stuck = std::ranges::find(is_freed, false);
  const bool is_certain = stuck != is_freed.end();
  // What buffers would dissolve is not why it is certain.
  for (std::size_t i = 0; is_certain && i < waiters.size(); ++i) {
    if (is_freed[i]) waiters[i].needs.clear();
  }
  const auto circle = WaitGraph(std::move(waiters)).circle();
  if (!circle.empty()) finding.message += fmt::format("; in a circle: {}", circle_words(circle));
  const auto is_of_messages = [](const Waiting& one) { return one.is_of_messages; };
  if (std::ranges::none_of(waiting_, is_of_messages)) return;
  const auto name_of = [&](auto predicate) {
    const auto found = std::ranges::find_if(waiting_, predicate);
    return found == waiting_.end() ? std::string("somebody") : machine_.task(found->task->id);
  };
  if (is_certain) {
    finding.class_name = "certain";
    // Whoever waits for no message waits for somebody who does.
    auto who = static_cast<std::size_t>(stuck - is_freed.begin());
    for (std::size_t i = waiting_.size(); i-- > 0;) {
      if (!is_freed[i] && waiting_[i].is_of_messages) who = i;
    }
    finding.message += fmt::format("; it is certain: whatever sends are buffered, {} cannot go on",
                                   machine_.task(waiting_[who].task->id));
    return;
  }
  finding.class_name = "depends on buffering";
  finding.message += fmt::format(
      "; it depends on buffering: the send of {} would be complete if it were buffered, which no "
      "program may rely on (MPI 3.1, section 3.5)",
      name_of([](const Waiting& one) {
        return std::ranges::any_of(one.waiter.needs, &Need::could_buffer);
      }));
}

Finding DeadlockReport::finding() {
  find_waiting();
  Finding finding{FindingKind::deadlock, {}, {}};
  bool only_detached = true;
  for (const Waiting& one : waiting_) {
    only_detached = only_detached && one.task->detached;
    const Operation& operation = *one.task->pending;
    const auto where = operation.where != nullptr ? *operation.where : SourceLocation{};
    finding.where.push_back(machine_.place_on_stack(where, *one.task, one.words));
  }
  // Whoever only waits for others to end is a bystander: name the others first.
  std::stable_partition(finding.where.begin(), finding.where.end(), [](const auto& place) {
    return place.role.find("waits for the end of") == std::string::npos;
  });
  std::vector<std::string> words;
  for (const auto& place : finding.where)
    words.push_back(fmt::format("{} {}", place.task, place.role));
  finding.message = listed(words, "; ");
  if (only_detached) {
    finding.kind = FindingKind::leak;
    finding.message.insert(0, "detached tasks never end: ");
    return finding;
  }
  finding.message.insert(0, "nobody can go on: ");
  judge(finding);
  return finding;
}

void Machine::report_deadlock() {
  record(DeadlockReport(*this).finding());
}

}  // namespace orrery::detail
