#include "faults.hpp"

#include <algorithm>
#include <limits>

#include <orrery/sim_runtime/disk.hpp>

#include "machine.hpp"

namespace orrery::detail {
namespace {

/// All weights of a question together.
constexpr std::uint32_t parts = 1'000'000'000;

/// At place n of a run a fault strikes with a chance of 1 in 2 (n + 4): so it strikes as often
/// between places 10 and 20 as between 100 and 200, and half of all short runs have none.
constexpr std::uint64_t first_places = 4;

/// Up to so many hosts, any of them may be on either side of a partition.
constexpr std::size_t freely_parted_max = 24;

constexpr FaultKind message_kinds[] = {FaultKind::loss, FaultKind::duplicate, FaultKind::corrupt,
                                       FaultKind::delay};
constexpr FaultKind event_kinds[] = {FaultKind::partition, FaultKind::link_down,
                                     FaultKind::nic_stall, FaultKind::sram_full, FaultKind::crash};

std::size_t index(FaultKind kind) {
  return static_cast<std::size_t>(kind);
}

using Weights = std::array<std::uint32_t, fault_kind_count>;

/// Durations are drawn in eighths: so few that all can be tried, and easily made smaller.
VirtualDuration part_of(VirtualDuration longest, std::uint64_t eighths) {
  return VirtualDuration::from_picoseconds(longest.picoseconds() / 8 *
                                           static_cast<std::int64_t>(eighths));
}

/// Whatever is left is for no fault at all.
void fill_up(Weights& weights) {
  std::uint64_t sum = 0;
  for (const std::uint32_t weight : weights) sum += weight;
  weights[0] = sum < parts ? parts - static_cast<std::uint32_t>(sum) : 0;
}

}  // namespace

bool Faults::Disturbance::has(std::uint32_t host) const {
  return std::ranges::binary_search(hosts, host);
}

bool Faults::Disturbance::is_between(std::uint32_t from_host, std::uint32_t to_host) const {
  if (from_host == to_host) return false;
  switch (kind) {
    case FaultKind::partition: return has(from_host) != has(to_host);
    case FaultKind::sram_full: return has(to_host);
    case FaultKind::link_down:
    case FaultKind::nic_stall: return has(from_host) || has(to_host);
    default: return false;
  }
}

Faults::Faults(Machine& machine, const FaultPlan& plan) : machine_(machine), plan_(plan) {
  is_on_ = !plan_.is_empty();
  for (const FaultKind kind : message_kinds) {
    has_message_faults_ = has_message_faults_ || plan_[kind].is_on;
  }
}

void Faults::reset() {
  places_.fill(0);
  struck_.fill(0);
  disturbances_used_ = 0;
  active_.clear();
  hosts_.clear();
  ranks_seen_ = 0;
}

// --- questions --------------------------------------------------------------------------------

FaultKind Faults::ask(std::span<const std::uint32_t> weights) {
  FaultCounts& counts = machine_.fault_counts();
  for (std::size_t i = 1; i < weights.size(); ++i) {
    if (weights[i] != 0) ++counts.possible[i];
  }
  const auto last = static_cast<std::uint64_t>(weights.size() - 1);
  const std::uint64_t answer = machine_.choose_value(ChoiceKind::fault, 0, last, weights);
  return static_cast<FaultKind>(answer);
}

bool Faults::has_left(FaultKind kind) const {
  return plan_[kind].is_on && struck_[index(kind)] < plan_[kind].per_run_max;
}

std::uint32_t Faults::hazard(FaultKind kind) {
  const std::uint64_t place = places_[index(kind)]++;
  return static_cast<std::uint32_t>(parts / (2 * (place + first_places)));
}

void Faults::tell(FaultKind kind) {
  ++struck_[index(kind)];
  ++machine_.fault_counts().fired[index(kind)];
  if (!machine_.wants(OperationKind::fault)) return;
  Event event;
  event.id = machine_.running().current_id();
  event.kind = OperationKind::fault;
  event.payload_hash = static_cast<std::uint64_t>(kind);
  event.where = machine_.running().pending->where;
  machine_.tell(event);
}

void Faults::ask_before_operation() {
  if (machine_.is_unwinding()) return;
  const Process& process = machine_.process_at(machine_.running().process);
  if (process.rank < 0) return;
  Weights weights{};
  bool is_possible = false;
  for (const FaultKind kind : event_kinds) {
    // Alone in a network nobody notices what fails in it.
    if (!has_left(kind) || (kind != FaultKind::crash && hosts_in_use().size() < 2)) continue;
    weights[index(kind)] = hazard(kind);
    is_possible = true;
  }
  if (!is_possible) return;
  fill_up(weights);
  const FaultKind kind = ask(weights);
  if (kind != FaultKind::none) strike(kind);
}

MessageFate Faults::fate_of_message(std::uint64_t size_bytes) {
  MessageFate fate;
  if (!has_message_faults_) return fate;
  Weights weights{};
  for (const FaultKind kind : message_kinds) {
    const bool has_bits = kind != FaultKind::corrupt || size_bytes > 0;
    if (has_bits) weights[index(kind)] = plan_[kind].parts_per_billion;
  }
  fill_up(weights);
  fate.kind = ask(weights);
  if (fate.kind == FaultKind::delay) {
    const std::uint64_t eighths = machine_.choose_value(ChoiceKind::value, 1, 8);
    fate.delay = part_of(plan_[FaultKind::delay].duration, eighths);
  } else if (fate.kind == FaultKind::corrupt) {
    fate.bit = machine_.choose_value(ChoiceKind::value, 0, size_bytes * 8 - 1);
  }
  return fate;
}

VirtualDuration Faults::clock_offset() {
  if (!has_left(FaultKind::clock_skew) || !machine_.has_running()) return {};
  // A draw: the task that makes the processes asks for each of their hosts.
  constexpr std::uint32_t weights[] = {8, 1, 1, 1, 1, 1, 1, 1, 1};
  ++machine_.fault_counts().possible[index(FaultKind::clock_skew)];
  const std::uint64_t eighths =
      machine_.choose_value(ChoiceKind::value, 0, std::size(weights) - 1, weights);
  if (eighths != 0) tell(FaultKind::clock_skew);
  return part_of(plan_[FaultKind::clock_skew].duration, eighths);
}

// --- what lasts -------------------------------------------------------------------------------

void Faults::strike(FaultKind kind) {
  tell(kind);
  const std::uint32_t host = machine_.process_at(machine_.running().process).host;
  const Operation& operation = *machine_.running().pending;
  if (kind == FaultKind::crash) return crash(host);
  if (kind == FaultKind::partition) return begin(kind, side_of_partition());
  // It is the receiver's card that runs out of buffers.
  const bool is_at_peer = kind == FaultKind::sram_full && operation.kind == OperationKind::send;
  begin(kind, {is_at_peer ? machine_.process_of_rank(operation.peer).host : host});
}

const std::vector<std::uint32_t>& Faults::hosts_in_use() {
  for (; ranks_seen_ < machine_.rank_count(); ++ranks_seen_) {
    const std::uint32_t host = machine_.process_of_rank(ranks_seen_).host;
    const auto place = std::ranges::lower_bound(hosts_, host);
    if (place == hosts_.end() || *place != host) hosts_.insert(place, host);
  }
  return hosts_;
}

std::vector<std::uint32_t> Faults::side_of_partition() {
  const std::vector<std::uint32_t>& hosts = hosts_in_use();
  std::vector<std::uint32_t> side;
  if (hosts.size() <= freely_parted_max) {
    // The side without the first host, a bit for each of the others.
    const std::uint64_t last = (std::uint64_t{1} << (hosts.size() - 1)) - 1;
    const std::uint64_t bits = machine_.choose_value(ChoiceKind::value, 1, last);
    for (std::size_t i = 1; i < hosts.size(); ++i) {
      if ((bits >> (i - 1) & 1U) != 0) side.push_back(hosts[i]);
    }
    return side;
  }
  const std::uint64_t first = machine_.choose_value(ChoiceKind::value, 1, hosts.size() - 1);
  const std::uint64_t last = machine_.choose_value(ChoiceKind::value, first, hosts.size() - 1);
  for (std::uint64_t i = first; i <= last; ++i) side.push_back(hosts[static_cast<std::size_t>(i)]);
  return side;
}

void Faults::begin(FaultKind kind, std::vector<std::uint32_t> hosts) {
  if (disturbances_used_ == disturbances_.size()) disturbances_.emplace_back();
  const auto number = static_cast<std::uint32_t>(disturbances_used_++);
  Disturbance& disturbance = disturbances_[number];
  disturbance.kind = kind;
  active_.push_back(number);
  disturbance.hosts = std::move(hosts);
  disturbance.held.clear();
  const OperationId here = machine_.running().current_id();
  disturbance.actor.type = Actor::Type::recovery;
  disturbance.actor.place = Actor::Place::nowhere;
  disturbance.actor.owner = number;
  disturbance.actor.alternative = {here, here, ObjectId{}, OperationKind::recover, /*weight=*/1};
  machine_.agenda().add(disturbance.actor, machine_.now() + plan_[kind].duration);
}

Faults::Obstacle Faults::obstacle(std::uint32_t from_host, std::uint32_t to_host) const {
  Obstacle found;
  for (const std::uint32_t number : active_) {
    if (!disturbances_[number].is_between(from_host, to_host)) continue;
    // What loses messages counts before what only holds them up.
    if (found.kind == FaultKind::none || found.kind == FaultKind::nic_stall) {
      found = {disturbances_[number].kind, number};
    }
  }
  return found;
}

void Faults::recover(std::uint32_t number) {
  Disturbance& disturbance = disturbances_[number];
  std::erase(active_, number);
  if (machine_.wants(OperationKind::recover)) {
    Event event;
    event.id = disturbance.actor.alternative.id;
    event.kind = OperationKind::recover;
    event.payload_hash = static_cast<std::uint64_t>(disturbance.kind);
    machine_.tell(event);
  }
  if (disturbance.kind == FaultKind::crash) return machine_.restart_host(disturbance.hosts.front());
  machine_.messages().send_held(disturbance.held, disturbance.kind);
}

void Faults::crash(std::uint32_t host) {
  for (Disk* const disk : disks_) disk->host_crashed(host);
  // MPI has no way to start a rank again.
  if (!machine_.messages().is_reliable()) begin(FaultKind::crash, {host});
  machine_.crash_host(host);
}

}  // namespace orrery::detail
