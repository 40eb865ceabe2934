#include "natural_order.hpp"

#include <algorithm>

#include "schedules/alternatives.hpp"

namespace orrery {
namespace {

bool fits(const MatchingStep& receive, const MatchingStep& message) {
  return receive.context == message.context &&
         (receive.source == any_source || receive.source == message.source) &&
         (receive.tag == any_tag || receive.tag == message.tag);
}

}  // namespace

void NaturalOrder::begin_run(const RunInfo& info) {
  sent_.clear();
  open_.clear();
  has_given_up_ = false;
  ForwardingChooser::begin_run(info);
}

void NaturalOrder::on_matching(const MatchingStep& step) {
  using Kind = MatchingStep::Kind;
  switch (step.kind) {
    case Kind::sent:
      if (!step.is_call) sent_[step.send.packed()] = step;
      return;
    case Kind::posted: open_[step.destination].push_back(step); return;
    case Kind::taken:
    case Kind::withdrawn:
      std::erase_if(open_[step.destination],
                    [&](const MatchingStep& receive) { return receive.receiver == step.receiver; });
      return;
    case Kind::seen: return;
  }
}

bool NaturalOrder::may_arrive(const Alternative& delivery) {
  const auto found = sent_.find(delivery.id.packed());
  if (found == sent_.end()) return true;
  for (const MatchingStep& receive : open_[found->second.destination]) {
    if (!fits(receive, found->second)) continue;
    return ForwardingChooser::admits(
        {delivery.id, receive.receiver, delivery.object, OperationKind::receive});
  }
  return true;
}

bool NaturalOrder::admits(const Alternative& alternative) {
  const bool is_delivery =
      detail::is_step(alternative) && alternative.kind == OperationKind::deliver;
  if (is_delivery && !has_given_up_ && !may_arrive(alternative)) return false;
  return ForwardingChooser::admits(alternative);
}

void NaturalOrder::took(const Alternative& alternative) {
  if (alternative.kind == OperationKind::deliver) sent_.erase(alternative.id.packed());
  ForwardingChooser::took(alternative);
}

Decision NaturalOrder::choose(const ChoicePoint& point) {
  if (point.kind != ChoiceKind::step || has_given_up_) return ForwardingChooser::choose(point);
  const auto is_task = [](const Alternative& step) { return step.kind != OperationKind::deliver; };
  if (std::ranges::none_of(point.alternatives, is_task)) return ForwardingChooser::choose(point);
  const Decision wanted = ForwardingChooser::choose(point);
  if (wanted.abandon_run || is_task(point.alternatives[wanted.index])) return wanted;
  const auto first = std::ranges::find_if(point.alternatives, is_task);
  return Decision::take(static_cast<std::size_t>(first - point.alternatives.begin()));
}

bool NaturalOrder::gives_way(const PendingOperations& pending) {
  if (has_given_up_) return ForwardingChooser::gives_way(pending);
  has_given_up_ = true;
  return true;
}

}  // namespace orrery
