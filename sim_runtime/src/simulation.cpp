#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/simulation.hpp>

#include "machine.hpp"

namespace orrery {

Simulation::Simulation(SimulationOptions options)
    : machine_(std::make_unique<detail::Machine>(std::move(options))), clock_(*machine_) {}

Simulation::~Simulation() = default;

const SimulationOptions& Simulation::options() const {
  return machine_->options();
}

void Simulation::set_run(std::uint64_t seed, std::uint64_t run_index) {
  machine_->options().seed = seed;
  machine_->options().run_index = run_index;
}

void Simulation::set_step_limit(std::uint64_t steps) {
  machine_->options().step_limit = steps;
}

void Simulation::set_wall_limit(VirtualDuration real_time) {
  machine_->options().wall_limit = real_time;
}

void Simulation::start(Program program, Chooser& chooser, std::span<Observer* const> observers) {
  program_ = std::move(program);
  begin(program_, chooser, observers);
}

void Simulation::begin(const Program& program, Chooser& chooser,
                       std::span<Observer* const> observers) {
  if (!program) throw UsageError("the program is empty", "Simulation", "give it a function");
  if (!machine_->is_over()) {
    throw UsageError("a run is under way", "Simulation::start", "finish it first");
  }
  machine_->begin(program, chooser, observers);
}

VirtualClock& Simulation::clock() {
  return clock_;
}

const PendingOperations& Simulation::pending() const {
  return machine_->pending();
}

NetworkStatistics Simulation::network_statistics() const {
  return machine_->network_statistics();
}

const CollectiveCounts& Simulation::collective_counts() const {
  return machine_->collective_counts();
}

std::vector<std::uint32_t> Simulation::hosts_of_ranks() const {
  return machine_->messages().hosts();
}

Outcome Simulation::finish() {
  while (machine_->resume()) {
  }
  return machine_->end();
}

Outcome Simulation::run(const Program& program, Chooser& chooser,
                        std::span<Observer* const> observers) {
  begin(program, chooser, observers);
  return finish();
}

void Simulation::set_output_sink(OutputSink sink) {
  machine_->output_sink = std::move(sink);
}

void Simulation::set_progress(RunProgress* progress) {
  machine_->set_progress(progress);
}

void Simulation::set_checkpointer(Checkpointer* checkpointer) {
  machine_->checkpoints().set(checkpointer);
}

VirtualTime VirtualClock::now() const {
  return machine_->now();
}
std::uint64_t VirtualClock::steps() const {
  return machine_->steps();
}
bool VirtualClock::ended() const {
  return machine_->is_over();
}
void VirtualClock::pause() {
  machine_->request_pause();
}

bool VirtualClock::step() {
  const std::uint64_t before = machine_->steps();
  return run_until([this, before] { return machine_->steps() > before; });
}

bool VirtualClock::run_until(VirtualTime date) {
  return run_until([this, date] { return machine_->next_date() > date; });
}

bool VirtualClock::run_until(const std::function<bool()>& condition) {
  if (machine_->is_over()) return false;
  machine_->pause_when(condition);
  const bool goes_on = machine_->resume();
  machine_->pause_when(nullptr);
  return goes_on;
}

}  // namespace orrery
