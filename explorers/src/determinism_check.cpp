#include "determinism_check.hpp"

#include <utility>

#include <fmt/format.h>

namespace orrery::detail {

void DeterminismCheck::remember() {
  first_run_.clear();
  places_.clear();
  comparing_ = false;
  difference_.reset();
}

void DeterminismCheck::compare() {
  comparing_ = true;
  seen_ = 0;
}

void DeterminismCheck::on_event(const Event& event) {
  if (!comparing_) {
    first_run_.push_back(event);
    places_.push_back(event.where == nullptr ? SourceLocation{} : *event.where);
    return;
  }
  if (difference_) return;
  if (seen_ == first_run_.size()) {
    differ("the end of the run", describe(event), place(event));
  } else if (!is_same_event(event, first_run_[seen_])) {
    differ(describe(first_run_[seen_]), describe(event), place(event));
  }
  ++seen_;
}

void DeterminismCheck::end_run(const Outcome& outcome) {
  // A run that was cut by the wall clock may end anywhere.
  if (!comparing_ || difference_ || outcome.limit == Limit::wall_time) return;
  if (seen_ == first_run_.size()) return;
  Event missing = first_run_[seen_];
  missing.where = &places_[seen_];
  differ(describe(missing), "the end of the run", place(missing));
}

std::string DeterminismCheck::describe(const Event& event) const {
  std::string text = fmt::format("{} of {} by {}", name(event.kind), names_->object(event.object),
                                 names_->task(event.id.task));
  if (event.payload_hash != 0) text += fmt::format(", value or payload {:x}", event.payload_hash);
  if (event.matched != OperationId{}) {
    text += fmt::format(", matching operation {} of {}", event.matched.number,
                        names_->task(event.matched.task));
  }
  return text + (event.timed_out ? ", timed out" : "");
}

FindingPlace DeterminismCheck::place(const Event& event) const {
  FindingPlace where;
  if (event.where != nullptr) where = names_->place(*event.where);
  where.task = names_->task(event.id.task);
  where.role = "differs between two runs with the same choices";
  return where;
}

void DeterminismCheck::differ(const std::string& before, const std::string& now,
                              FindingPlace where) {
  Finding finding;
  finding.kind = FindingKind::divergence;
  finding.message = fmt::format(
      "the program is not deterministic: event {} was {}, and with the same choices again {}",
      seen_ + 1, before, now);
  finding.where.push_back(std::move(where));
  difference_ = std::move(finding);
}

}  // namespace orrery::detail
