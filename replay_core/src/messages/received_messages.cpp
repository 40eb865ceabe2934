#include "received_messages.hpp"

#include <algorithm>

namespace orrery::detail {

std::size_t ReceivedMessages::begin(const MatchingStep& step, bool is_probe, std::uint32_t known) {
  rank_ = step.destination;
  const TaskId task = step.receiver.task;
  if (task.value >= begun_.size()) begun_.resize(std::size_t{task.value} + 1);
  Receive receive;
  receive.id = step.receiver;
  receive.event = begun_[task.value]++;
  receive.began_at = known;
  receive.context = step.context;
  receive.source = step.source;
  receive.tag = step.tag;
  receive.is_probe = is_probe;
  receives_.push_back(receive);
  const std::size_t number = forgotten_ + receives_.size() - 1;
  if (!is_probe) open_[step.receiver.packed()] = number;
  return number;
}

std::size_t ReceivedMessages::find(OperationId operation) const {
  return open_.at(operation.packed());
}

void ReceivedMessages::take(std::size_t receive, OperationId send, std::int32_t from) {
  Receive& own = at(receive);
  own.send = send;
  own.from = from;
  own.has_message = true;
  if (own.is_probe) {
    // One that names its source sees the first message from there, whatever is traced.
    if (own.source == any_source) {
      seen_[send.packed()].push_back({receive, {own.id.task, own.event, send}});
    }
    return;
  }
  open_.erase(own.id.packed());
  if (latest_.size() < latest_max) latest_.emplace_back();
  latest_[taken_++ % latest_max] = {own.id, own.began_at};
}

std::optional<std::uint32_t> ReceivedMessages::known_before(OperationId receive) const {
  const auto found = std::ranges::find(latest_, receive, &Latest::receive);
  if (found == latest_.end()) return std::nullopt;
  return found->began_at;
}

void ReceivedMessages::withdraw(std::size_t receive) {
  Receive& own = at(receive);
  own.is_withdrawn = true;
  open_.erase(own.id.packed());
  // It has taken nothing, though in a replay something might be there in time.
  traced_.push_back({own.id.task, own.event, {}});
}

bool ReceivedMessages::is_open(std::size_t receive, OperationId send) const {
  if (receive < forgotten_ || receive >= forgotten_ + receives_.size()) return false;
  const Receive& own = at(receive);
  return own.has_message && own.send == send && own.completed_at == incomplete;
}

void ReceivedMessages::complete(std::size_t receive, std::uint32_t event) {
  Receive& own = at(receive);
  own.completed_at = event;
  if (own.wildcard != none) {
    Wildcard& wildcard = wildcards_[own.wildcard];
    wildcard.completed_at = std::min(wildcard.completed_at, event);
    settle_wildcards();
  }
  if (receive < decided_) note_overtaken(receive);
  forget();
}

void ReceivedMessages::trace(std::size_t receive) {
  const Receive& own = at(receive);
  if (traced_sends_.insert(own.send.packed()).second) trace_probes(receive, own.send);
  traced_.push_back({own.id.task, own.event, own.send});
}

void ReceivedMessages::trace_probes(std::size_t except, OperationId send) {
  const auto seen = seen_.find(send.packed());
  if (seen == seen_.end()) return;
  for (const Seen& one : seen->second) {
    if (one.probe == except) continue;
    traced_.push_back(one.record);
    const auto wildcard = std::ranges::lower_bound(wildcards_, one.probe, {}, &Wildcard::receive);
    if (wildcard != wildcards_.end() && wildcard->receive == one.probe) wildcard->is_traced = true;
  }
  seen_.erase(seen);
}

bool ReceivedMessages::overtakes_wildcard(std::size_t receive) const {
  const Receive& own = at(receive);
  if (traced_sends_.contains(own.send.packed())) return true;
  for (std::size_t i = forgotten_; i < receive; ++i) {
    const Receive& earlier = at(i);
    const bool is_open = earlier.completed_at == incomplete && !earlier.is_withdrawn;
    if (is_open && earlier.source == any_source && earlier.context == own.context) return true;
  }
  return false;
}

// --- the tight form -----------------------------------------------------------------------------

void ReceivedMessages::know(std::size_t receive, std::uint32_t event, std::uint32_t context,
                            std::int32_t tag) {
  decides_ = true;
  Receive& own = at(receive);
  own.sender_knew = event;
  own.context = context;
  own.message_tag = tag;
}

void ReceivedMessages::decide() {
  decides_ = true;
  for (; decided_ < forgotten_ + receives_.size(); ++decided_) {
    Receive& own = at(decided_);
    if (!own.has_message && !own.is_withdrawn) break;
    if (own.is_withdrawn) continue;
    const bool is_held = traced_sends_.contains(own.send.packed());
    const bool takes_any = own.source == any_source;
    if (is_held ? takes_any : races(own)) {
      hold(decided_);
    } else if (!is_held && takes_any) {
      own.wildcard = wildcards_.size();
      wildcards_.push_back({decided_, own.context, own.tag, own.from, own.completed_at});
      settle_wildcards();
    }
    note_front(own);
    note_overtaken(decided_);
  }
  forget();
}

// A record for its receive does, or for the probes that have seen it: one that names its sender
// then finds it, whatever is traced.
void ReceivedMessages::hold(std::size_t receive) {
  const Receive& own = at(receive);
  if (own.source == any_source || !seen_.contains(own.send.packed())) return trace(receive);
  traced_sends_.insert(own.send.packed());
  trace_probes(receive, own.send);
}

bool ReceivedMessages::races(const Receive& receive) const {
  for (std::size_t i = wildcards_.size(); i-- > 0;) {
    const Wildcard& earlier = wildcards_[i];
    if (i < settled_ && earlier.completed_so_far <= receive.sender_knew) return false;
    if (!earlier.fits(receive.context, receive.message_tag) || earlier.is_traced) continue;
    const bool is_known = earlier.completed_at <= receive.sender_knew;
    const bool is_of_same = earlier.from == receive.from;
    if (!is_known && !is_of_same && !waits_behind_another(receive, earlier)) return true;
  }
  return false;
}

// Messages of one sender do not overtake each other: while one is held for a receive that begins
// when the earlier one is complete, those after it cannot come to that one.
bool ReceivedMessages::waits_behind_another(const Receive& receive, const Wildcard& earlier) const {
  const auto fronts = fronts_.find(receive.from);
  if (fronts == fronts_.end()) return false;
  return std::ranges::any_of(fronts->second, [&](const Front& front) {
    const bool is_before =
        front.send.task == receive.send.task && front.send.number < receive.send.number;
    return is_before && earlier.fits(front.context, front.tag) &&
           front.began_at >= earlier.completed_at;
  });
}

void ReceivedMessages::note_front(const Receive& receive) {
  if (receive.is_probe || !traced_sends_.contains(receive.send.packed())) return;
  std::vector<Front>& fronts = fronts_[receive.from];
  std::erase_if(fronts, [&](const Front& front) {
    return front.context == receive.context && front.tag == receive.message_tag;
  });
  if (fronts.size() == fronts_max) fronts.erase(fronts.begin());
  fronts.push_back({receive.context, receive.message_tag, receive.send, receive.began_at});
}

// A message is offered to receives in the order in which they began: where it has come to this one,
// those before it that it fits have theirs.
void ReceivedMessages::note_overtaken(std::size_t receive) {
  const Receive& own = at(receive);
  if (own.is_probe || own.completed_at == incomplete) return;
  if (traced_sends_.contains(own.send.packed())) return;
  for (std::size_t i = settled_; i < wildcards_.size(); ++i) {
    Wildcard& earlier = wildcards_[i];
    if (earlier.receive >= receive) break;
    if (earlier.fits(own.context, own.message_tag)) {
      earlier.completed_at = std::min(earlier.completed_at, own.completed_at);
    }
  }
  settle_wildcards();
}

void ReceivedMessages::settle_wildcards() {
  for (; settled_ < wildcards_.size(); ++settled_) {
    Wildcard& next = wildcards_[settled_];
    if (next.completed_at == incomplete) return;
    const std::uint32_t before = settled_ == 0 ? 0 : wildcards_[settled_ - 1].completed_so_far;
    next.completed_so_far = std::max(before, next.completed_at);
  }
}

void ReceivedMessages::forget() {
  while (!receives_.empty()) {
    const Receive& oldest = receives_.front();
    const bool is_done = oldest.is_withdrawn || oldest.completed_at != incomplete;
    if (!is_done || (decides_ && forgotten_ >= decided_)) return;
    if (!oldest.is_probe) {
      seen_.erase(oldest.send.packed());
      traced_sends_.erase(oldest.send.packed());
    }
    receives_.pop_front();
    ++forgotten_;
  }
}

}  // namespace orrery::detail
