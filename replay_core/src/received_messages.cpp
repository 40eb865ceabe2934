#include "received_messages.hpp"

#include <algorithm>

namespace orrery::detail {

std::size_t ReceivedMessages::begin(const MatchingStep& step, bool is_probe) {
  rank_ = step.destination;
  const TaskId task = step.receiver.task;
  if (task.value >= begun_.size()) begun_.resize(std::size_t{task.value} + 1);
  Receive receive;
  receive.id = step.receiver;
  receive.event = begun_[task.value]++;
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
    seen_[send.packed()].push_back({own.id.task, own.event, send});
  } else {
    open_.erase(own.id.packed());
  }
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
    wildcards_[own.wildcard].completed_at = event;
    settle_wildcards();
  }
  forget();
}

void ReceivedMessages::trace(std::size_t receive) {
  const Receive& own = at(receive);
  const bool is_new = traced_sends_.insert(own.send.packed()).second;
  const auto seen = seen_.find(own.send.packed());
  if (is_new && seen != seen_.end()) {
    for (const TracedMessage& probe : seen->second) {
      if (probe.event != own.event || probe.receiver != own.id.task) traced_.push_back(probe);
    }
  }
  traced_.push_back({own.id.task, own.event, own.send});
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
    if (!own.has_message && !own.is_withdrawn) return;
    if (own.is_withdrawn) continue;
    if (traced_sends_.contains(own.send.packed()) || races(own)) {
      trace(decided_);
    } else if (own.source == any_source) {
      own.wildcard = wildcards_.size();
      wildcards_.push_back({own.context, own.tag, own.from, own.completed_at, 0});
      settle_wildcards();
    }
  }
  forget();
}

bool ReceivedMessages::races(const Receive& receive) const {
  for (std::size_t i = wildcards_.size(); i-- > 0;) {
    const Wildcard& earlier = wildcards_[i];
    if (i < settled_ && earlier.completed_so_far <= receive.sender_knew) return false;
    const bool fits = earlier.context == receive.context &&
                      (earlier.tag == any_tag || earlier.tag == receive.message_tag);
    const bool is_known = earlier.completed_at <= receive.sender_knew;
    if (fits && !is_known && earlier.from != receive.from) return true;
  }
  return false;
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
