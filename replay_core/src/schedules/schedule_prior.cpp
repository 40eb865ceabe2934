#include "schedule_prior.hpp"

#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {
namespace {

using Kind = OperationKind;

struct Follows {
  Kind before;
  Kind after;
  std::uint32_t weight;
};

constexpr std::uint32_t always = 400;
constexpr std::uint32_t often = 24;
constexpr std::uint32_t sometimes = 12;

// Threads that lock, wait and share; ranks that send and receive; parents that start and join.
constexpr Follows usual_followers[] = {
    {Kind::none, Kind::task_start, always},
    {Kind::task_start, Kind::spawn, sometimes},
    {Kind::task_start, Kind::mutex_lock, often},
    {Kind::task_start, Kind::send, often},
    {Kind::task_start, Kind::receive, often},
    {Kind::task_start, Kind::read, often},
    {Kind::task_start, Kind::write, sometimes},
    {Kind::task_start, Kind::read_modify_write, sometimes},
    {Kind::spawn, Kind::spawn, often},
    {Kind::spawn, Kind::join, often},
    {Kind::join, Kind::join, 2 * often},
    {Kind::read, Kind::read, often},
    {Kind::read, Kind::write, often},
    {Kind::read, Kind::mutex_lock, sometimes},
    {Kind::read, Kind::mutex_unlock, often},
    {Kind::write, Kind::read, sometimes},
    {Kind::write, Kind::write, often},
    {Kind::write, Kind::mutex_unlock, often},
    {Kind::write, Kind::condition_notify, sometimes},
    {Kind::mutex_lock, Kind::mutex_lock, sometimes},
    {Kind::mutex_lock, Kind::mutex_unlock, often},
    {Kind::mutex_lock, Kind::read, often},
    {Kind::mutex_lock, Kind::write, sometimes},
    {Kind::mutex_lock, Kind::condition_wait, often},
    {Kind::mutex_lock, Kind::condition_notify, sometimes},
    {Kind::mutex_unlock, Kind::mutex_lock, often},
    {Kind::mutex_unlock, Kind::mutex_unlock, sometimes},
    {Kind::mutex_unlock, Kind::condition_notify, sometimes},
    {Kind::mutex_unlock, Kind::read, sometimes},
    {Kind::mutex_unlock, Kind::join, sometimes},
    {Kind::condition_wait, Kind::mutex_lock, 4 * often},
    {Kind::condition_notify, Kind::mutex_unlock, 2 * often},
    {Kind::condition_notify, Kind::mutex_lock, sometimes},
    {Kind::send, Kind::send, often},
    {Kind::send, Kind::receive, often},
    {Kind::send, Kind::wait, often},
    {Kind::receive, Kind::receive, often},
    {Kind::receive, Kind::send, often},
    {Kind::post_receive, Kind::post_receive, often},
    {Kind::post_receive, Kind::send, often},
    {Kind::post_receive, Kind::wait, often},
    {Kind::post_receive, Kind::select, sometimes},
    {Kind::wait, Kind::wait, often},
    {Kind::wait, Kind::send, sometimes},
    {Kind::wait, Kind::receive, sometimes},
};

}  // namespace

WhatContext WhatContext::of(std::size_t index) {
  if (index == 0) return {};
  const std::size_t bits = index - 1;
  return {.is_new = false,
          .ran_last = (bits & 8U) != 0,
          .has_after_two = (bits & 1U) != 0,
          .has_after_one = (bits & 2U) != 0,
          .has_delivery = (bits & 4U) != 0};
}

WhoWeights usual_who(std::size_t tasks_known) {
  WhoWeights weights{};
  for (std::size_t place = 0; place < tasks_known && place < who_named; ++place) {
    weights[place] = place == 0 ? 6 : 4;
  }
  weights[who_named] = 1;
  weights[who_new] = tasks_known < 6 ? 4 : 1;
  return weights;
}

WhatWeights usual_what(const WhatContext& context) {
  WhatWeights weights{};
  const auto at = [&weights](What what) -> std::uint32_t& {
    return weights[static_cast<std::size_t>(what)];
  };
  at(What::operation) = context.is_new ? 64 : 16;
  at(What::numbered) = 1;
  at(What::choice) = 1;
  at(What::draw) = 1;
  if (context.has_after_two) at(What::as_after_two) = 48;
  if (context.has_after_one) at(What::as_after_one) = context.has_after_two ? 4 : 16;
  if (context.has_delivery) at(What::delivery) = 24;
  return weights;
}

WhereWeights usual_where(OperationKind kind) {
  switch (kind) {
    case Kind::none:
    case Kind::sleep:
    case Kind::compute:
    case Kind::yield:
    case Kind::fence:
    case Kind::random:
    case Kind::recover:
      return {16, 1, 1, 1};  // nothing
    // They act on the machine's list of tasks, where every task begins.
    case Kind::task_start:
    case Kind::task_end:
    case Kind::spawn: return {1, 32, 1, 1};
    case Kind::join: return {1, 16, 16, 1};
    case Kind::mutex_unlock: return {1, 8, 8, 1};
    default: return {1, 4, 4, 4};
  }
}

QuestionWeights usual_question() {
  QuestionWeights weights{};
  weights.fill(1);
  weights[static_cast<std::size_t>(ChoiceKind::message)] = 16;
  weights[static_cast<std::size_t>(ChoiceKind::waiter)] = 8;
  weights[static_cast<std::size_t>(ChoiceKind::fault)] = 16;
  weights[static_cast<std::size_t>(ChoiceKind::value)] = 16;
  return weights;
}

OperationWeights usual_operation(OperationKind before) {
  OperationWeights weights{};
  for (std::size_t kind = 1; kind < operation_kinds_foreseen; ++kind) weights[kind] = 1;
  for (const Follows& one : usual_followers) {
    // What is usual somewhere is likelier everywhere.
    weights[static_cast<std::size_t>(one.after)] += one.before == before ? one.weight + 1 : 1;
  }
  return weights;
}

}  // namespace orrery::detail
