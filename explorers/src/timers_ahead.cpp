#include "timers_ahead.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/sim_runtime/names.hpp>

namespace orrery::detail {
namespace {

bool is_timer(const Alternative& one) {
  return one.kind == OperationKind::timeout || one.kind == OperationKind::sleep;
}

/// When it is due; nothing of messages, whose dates are the network's.
std::optional<VirtualTime> due_date(const ChoicePoint& point, const Alternative& one) {
  if (one.kind == OperationKind::deliver || one.kind == OperationKind::transfer) return {};
  const TaskId task = one.id.task;
  return one.kind == OperationKind::timeout ? point.pending.operation(task).deadline
                                            : point.pending.ready_date(task);
}

}  // namespace

void TimersAhead::begin_run(const RunInfo& info) {
  names_ = info.names;
  furthest_ = {};
  text_.clear();
}

void TimersAhead::on_choice(const ChoicePoint& point, std::size_t index) {
  const Alternative& taken = point.alternatives[index];
  if (point.kind != ChoiceKind::step || !is_timer(taken)) return;
  const VirtualTime date = *due_date(point, taken);
  if (date == VirtualTime::never()) return;  // it was ended: its thread is cancelled, say
  VirtualTime earliest = date;
  for (const Alternative& one : point.alternatives) {
    earliest = std::min(earliest, due_date(point, one).value_or(date));
  }
  const VirtualDuration ahead = date - std::max(earliest, std::min(point.now, date));
  if (ahead <= furthest_) return;
  furthest_ = ahead;
  text_ = fmt::format(
      "it takes others that are late by {}: the {} of {} was over before what was due earlier; "
      "--window DURATION says how late they may be",
      duration_text(ahead), taken.kind == OperationKind::sleep ? "sleep" : "timed wait",
      names_->task(taken.id.task));
}

}  // namespace orrery::detail
