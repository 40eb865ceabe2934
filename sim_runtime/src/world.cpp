#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "machine.hpp"

namespace orrery {
namespace {

void sleep(detail::Machine& machine, VirtualTime until, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::sleep;
  operation.where = &where;
  machine.announce_at(operation, until);
  if (!machine.is_unwinding()) machine.told(operation);
}

void yield(detail::Machine& machine, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::yield;
  operation.where = &where;
  machine.announce(operation);
  if (machine.is_unwinding()) return;
  machine.poll_failed();
  machine.told(operation);
}

detail::Machine& current_machine() {
  auto* const machine = detail::Machine::current();
  if (machine == nullptr || !machine->has_running()) {
    throw UsageError("no simulated task runs here", "orrery::this_task",
                     "call it from within a program that orrery::Simulation runs");
  }
  return *machine;
}

Thread start_process(detail::Machine& machine, ProcessId process, std::string name,
                     ProcessBody body, SourceLocation where) {
  const std::int32_t rank = machine.process_at(process).rank;
  auto main = [machine = &machine, rank, body = std::move(body)] {
    Communicator communicator(*machine, rank);
    body(communicator);
  };
  return {machine, machine.boot(process, std::move(name), std::move(main), where)};
}

}  // namespace

World::World(detail::Machine& machine) : machine_(&machine) {}

Thread World::process(std::string name, ProcessBody body, SourceLocation where) {
  const ProcessId process = machine_->create_process(name);
  return start_process(*machine_, process, std::move(name), std::move(body), where);
}

Thread World::process_on(std::string_view host, std::string name, ProcessBody body,
                         SourceLocation where) {
  const std::uint32_t number =
      host_number(host, machine_->messages().network(), "World::process_on");
  const ProcessId process = machine_->create_process(name, number);
  return start_process(*machine_, process, std::move(name), std::move(body), where);
}

void World::ranks(std::uint32_t count, const ProcessBody& body, SourceLocation where) {
  std::vector<Thread> handles;
  handles.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    handles.push_back(process("rank " + std::to_string(machine_->rank_count()), body, where));
  }
  for (auto& handle : handles) handle.join(where);
}

Thread World::thread(std::string name, std::function<void()> body, SourceLocation where) {
  const ProcessId process = machine_->running().process;
  return {*machine_, machine_->spawn(process, std::move(name), std::move(body), where)};
}

VirtualTime World::now() const {
  return VirtualTime::start() +
         VirtualDuration::from_picoseconds(machine_->read_clock_picoseconds(ClockKind::inner));
}

void World::sleep_for(VirtualDuration duration, SourceLocation where) {
  sleep(*machine_, machine_->now() + duration, where);
}

void World::sleep_until(VirtualTime date, SourceLocation where) {
  sleep(*machine_, date - machine_->clock_offset(), where);
}

void World::compute(double flops, SourceLocation where) {
  constexpr double too_many = 9.2e18;
  if (!(flops >= 0 && flops < too_many)) {
    throw UsageError("a computation has 0 to 2^63 operations", "World::compute",
                     "give a number such as 2e9");
  }
  machine_->compute_flops(static_cast<std::uint64_t>(flops), where);
}

void World::yield(SourceLocation where) {
  orrery::yield(*machine_, where);
}

Random World::random() {
  return Random(*machine_);
}

BulkRandom World::bulk_random() {
  return BulkRandom(&machine_->running().bulk_state);
}

void World::check(bool holds, std::string_view message, SourceLocation where) {
  if (!holds) machine_->fail_here(FindingKind::assertion, std::string(message), where);
}

void World::write(std::string_view text, SourceLocation where) {
  machine_->write(1, text, where);
}

void check(bool holds, std::string_view message, SourceLocation where) {
  if (!holds) current_machine().fail_here(FindingKind::assertion, std::string(message), where);
}

namespace this_task {

clock::time_point clock::now() {
  return time_point(duration(current_machine().read_clock_picoseconds(ClockKind::inner)));
}

void sleep_for(VirtualDuration duration, SourceLocation where) {
  auto& machine = current_machine();
  sleep(machine, machine.now() + duration, where);
}

void yield(SourceLocation where) {
  orrery::yield(current_machine(), where);
}

TaskId id() {
  return current_machine().running().id;
}

std::string_view name() {
  return current_machine().running().name;
}

}  // namespace this_task
}  // namespace orrery
