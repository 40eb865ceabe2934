// Completion calls: which of several requests they report, by choice or as a replay says.
#include <algorithm>

#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {
namespace {

std::uint32_t count_given(std::span<const RequestHandle> requests) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(requests, [](RequestHandle handle) { return handle != 0; }));
}

/// The places of `reported`, which counts the given requests only.
void place_reported(std::span<const RequestHandle> requests,
                    std::span<const std::uint32_t> reported, std::vector<std::uint32_t>& places) {
  std::uint32_t given = 0;
  auto next = reported.begin();
  for (std::uint32_t i = 0; i < requests.size() && next != reported.end(); ++i) {
    if (requests[i] == 0) continue;
    if (given++ != *next) continue;
    places.push_back(i);
    ++next;
  }
}

/// Could the call report these as well as those, or nothing?
bool is_open(const SelectCall& call) {
  const bool chooses = call.extent != SelectExtent::all && count_given(call.requests) > 1;
  return call.polls || chooses || call.deadline != VirtualTime::never();
}

}  // namespace

/// How a replay wants a call to go.
struct MessageSystem::Forced {
  bool fails = false;
  std::vector<RequestHandle> requests;  ///< to wait for all of these, and to report them
};

void MessageSystem::force(const SelectCall& call, const Operation& operation, Forced& forced) {
  const OpenOutcome* const expected = machine_.expected(operation);
  if (expected == nullptr) return;
  forced.fails = call.polls && !expected->succeeded;
  if (!expected->succeeded) return;
  if (call.extent == SelectExtent::all) {
    forced.requests.assign(call.requests.begin(), call.requests.end());
    return;
  }
  place_reported(call.requests, expected->reported, selected_);
  for (const std::uint32_t place : selected_) forced.requests.push_back(call.requests[place]);
}

std::span<const std::uint32_t> MessageSystem::select(const SelectCall& call,
                                                     const SourceLocation& where) {
  // Before anybody is asked how it has to go.
  machine_.checkpoints().is_coming(call.kind);
  selected_.clear();
  Forced forced;
  if (machine_.constraint() != nullptr && is_open(call)) {
    Operation operation;
    operation.kind = call.kind;
    operation.deadline = call.deadline;
    // For the chooser: how many requests it is to choose from.
    if (call.extent != SelectExtent::all) operation.value = count_given(call.requests);
    operation.where = &where;
    force(call, operation, forced);
  }
  // Another task may make a call of its own while this one waits.
  const std::vector<std::uint32_t> places = selected_;
  const bool is_forced = !forced.requests.empty();
  const SelectSpec spec{is_forced ? std::span<const RequestHandle>(forced.requests) : call.requests,
                        is_forced || call.extent == SelectExtent::all};
  const bool succeeded = call.polls && !is_forced ? test(spec, forced.fails, where)
                                                  : wait(spec, call.deadline, call.kind, where);
  selected_ = places;
  if (succeeded && selected_.empty()) {
    take_complete(call);
  } else if (succeeded && !places.empty()) {
    tell_forced(call);
  }
  if (machine_.wants_outcomes() && is_open(call) && !machine_.is_unwinding()) {
    tell_selected(call, succeeded);
  }
  if (succeeded && !spec.all) {
    for (const std::uint32_t place : selected_)
      tell_completed(call.requests[place], call.kind, where);
  }
  if (succeeded && machine_.checkpoints().is_on()) {
    const std::vector<std::uint32_t> reported = selected_;  // others may select meanwhile
    machine_.checkpoints().may_have_got();
    selected_ = reported;
  }
  return selected_;
}

void MessageSystem::take_complete(const SelectCall& call) {
  const bool takes_all = call.extent == SelectExtent::all;
  for (std::uint32_t i = 0; i < call.requests.size(); ++i) {
    const RequestHandle handle = call.requests[i];
    if (handle != 0 && (takes_all || requests_[handle].complete)) selected_.push_back(i);
  }
  if (call.extent == SelectExtent::any) selected_ = {selected_[choose_complete(call)]};
  if (call.extent == SelectExtent::some) leave_some_out();
}

std::vector<Alternative> MessageSystem::alternatives_among(const SelectCall& call,
                                                           std::span<const std::uint32_t> places) {
  std::vector<Alternative> alternatives;
  const ObjectId object = mailbox(running_rank()).id();
  for (const std::uint32_t place : places) {
    alternatives.push_back({requests_[call.requests[place]].started_by,
                            machine_.running().current_id(), object, OperationKind::select,
                            /*weight=*/1});
  }
  return alternatives;
}

/// One of those in `selected_`: a choice.
std::size_t MessageSystem::choose_complete(const SelectCall& call) {
  return machine_.choose(ChoiceKind::request, alternatives_among(call, selected_));
}

// What a replay has decided are answers, too: to whoever writes the run down.
void MessageSystem::tell_forced(const SelectCall& call) {
  std::vector<std::uint32_t> complete;
  for (std::uint32_t i = 0; i < call.requests.size(); ++i) {
    if (call.requests[i] != 0 && requests_[call.requests[i]].complete) complete.push_back(i);
  }
  if (call.extent == SelectExtent::any) {
    const OperationId reported = requests_[call.requests[selected_.front()]].started_by;
    machine_.tell_chosen(ChoiceKind::request, alternatives_among(call, complete), reported);
    return;
  }
  machine_.tell_drawn(0, complete.size() - 1, complete.size() - selected_.size());
  for (std::size_t i = complete.size(); i-- > 0;) {
    if (std::ranges::binary_search(selected_, complete[i])) continue;
    machine_.tell_drawn(0, complete.size() - 1, i);
    complete.erase(complete.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// How many are left out, and each of them, is a choice of its own.
void MessageSystem::leave_some_out() {
  // The undisturbed answer, 0, reports all of them.
  const auto left_out = machine_.choose_value(ChoiceKind::value, 0, selected_.size() - 1);
  for (std::uint64_t i = 0; i < left_out; ++i) {
    const auto victim = machine_.choose_value(ChoiceKind::value, 0, selected_.size() - 1);
    selected_.erase(selected_.begin() + static_cast<std::ptrdiff_t>(victim));
  }
}

void MessageSystem::tell_selected(const SelectCall& call, bool succeeded) {
  OpenOutcome outcome;
  outcome.succeeded = succeeded;
  std::vector<std::uint32_t> reported;
  if (call.extent != SelectExtent::all) {
    std::uint32_t given = 0;
    auto next = selected_.begin();
    for (std::uint32_t i = 0; i < call.requests.size(); ++i) {
      if (call.requests[i] == 0) continue;
      if (next != selected_.end() && *next == i) {
        reported.push_back(given);
        ++next;
      }
      ++given;
    }
    outcome.among = given;
    outcome.reported = reported;
  }
  machine_.tell_outcome(call.kind, outcome);
}

}  // namespace orrery::detail
