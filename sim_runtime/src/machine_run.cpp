// A run from its beginning to its end.
#include <cerrno>
#include <chrono>

#include <cxxabi.h>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/forked_run.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "machine.hpp"

namespace orrery::detail {
namespace {

constexpr std::uint32_t default_host_count = 1U << 20U;  // a host for each process

std::unique_ptr<NetworkModel> make_network(const SimulationOptions& options) {
  auto network =
      options.network ? options.network() : std::make_unique<ConstantNetwork>(default_host_count);
  if (network == nullptr || network->host_count() == 0) {
    throw UsageError("the network has no hosts", "SimulationOptions::network");
  }
  network->keep_statistics(options.keeps_network_statistics);
  return network;
}

// The only look at the clock on the wall: for the limit, never for a decision.
std::int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

constinit thread_local Machine* Machine::current_machine = nullptr;

Machine::Machine(SimulationOptions options)
    : options_(std::move(options)),
      fibers_(options_.stack_bytes),
      agenda_(options_.window),
      faults_(*this, options_.faults) {
  if (options_.step_limit == 0) {
    throw UsageError("a step limit of 0 allows no run at all", "step_limit", "use 1 or more");
  }
  if (options_.window < VirtualDuration::zero()) {
    throw UsageError("the reorder window is negative", "window", "use 0 or more");
  }
  messages_ = std::make_unique<MessageSystem>(*this, make_network(options_));
  processors_ = std::make_unique<Processors>(messages_->network());
  task_ends_ = std::make_unique<TaskEnds>(*this);
  world_ = std::make_unique<World>(*this);
}

Machine::~Machine() {
  if (!over_) end();
}

void Machine::reset(Chooser& chooser, std::span<Observer* const> observers) {
  now_ = VirtualTime::start();
  last_date_ = VirtualTime::start() + options_.virtual_limit;
  step_ = 0;
  ring_.clear();
  ring_start_ = options_.step_limit > StepRing::capacity ? options_.step_limit - StepRing::capacity
                                                         : options_.step_limit / 2;
  last_step_ = {};
  last_step_salt_ = 0;
  questions_in_step_ = 0;
  tasks_used_ = 0;
  tasks_alive_ = 0;
  pollers_.clear();
  spinners_return_ = VirtualTime::never();
  booted_.clear();
  crashed_.clear();
  poll_pause_ = std::chrono::microseconds(1);
  clock_was_read_ = false;
  processes_.clear();
  object_names_.clear();
  name_text_.clear();
  own_objects_ = 0;
  loans_ = 0;
  starts_.clear();
  if (progress_ != nullptr) *progress_ = {};
  running_ = nullptr;
  should_pause_ = nullptr;
  pause_requested_ = paused_ = false;
  unwinding_ = false;
  escaped_ = nullptr;
  outcome_.status = Outcome::Status::clean;
  outcome_.limit = Limit::none;
  outcome_.findings.clear();
  outcome_.questions = outcome_.preemptions = 0;
  outcome_.output.clear();
  standard_output_.clear();
  outcome_.faults = {};
  wall_start_ns_ = wall_clock_ns();
  set_invariant_run(options_.seed, options_.run_index);

  outside_ = nullptr;
  attach(chooser, observers);
  agenda_.reset(constraint_);
  fibers_.begin_run();
  messages_->reset();
  faults_.reset();
  checkpoints_.reset();
  program_threads_.reset();
  processors_->reset();
  program_accesses_.reset();
  task_ends_->renew();
  collective_counts_ = {};
  set_attention();
}

bool Machine::is_watched() const {
  const EventMask written_down = EventMask::steps() | EventMask::choices();
  return should_pause_ != nullptr || std::ranges::any_of(observers_, [&](const Watcher& one) {
           return (one.interest | written_down) != written_down && !one.observer->is_quiet();
         });
}

void Machine::attach(Chooser& chooser, std::span<Observer* const> observers) {
  chooser_ = &chooser;
  observers_.clear();
  const RunInfo info{options_.seed, options_.run_index, options_.window, this, this};
  chooser.begin_run(info);
  constraint_ = chooser.constrains() ? &chooser : nullptr;
  wanted_ = EventMask::none();
  for (Observer* const observer : observers) {
    observer->begin_run(info);
    observers_.push_back({observer, observer->interest()});
    wanted_ = wanted_ | observers_.back().interest;
  }
  wants_steps_ = wanted_.has_any(EventMask::steps());
  wants_choices_ = wanted_.has_any(EventMask::choices());
  is_observed_ = wanted_ != EventMask::none() || is_debugged();
}

void Machine::begin(const Program& program, Chooser& chooser,
                    std::span<Observer* const> observers) {
  ensure(over_, "a run ends before the next one begins");
  orrery_debugger_run_begins();
  reset(chooser, observers);
  over_ = false;
  exception_globals_ = reinterpret_cast<void**>(abi::__cxa_get_globals());
  errno_location_ = &errno;
  previous_machine_ = current_machine;
  current_machine = this;
  create_process("root");
  const TaskId root = boot(ProcessId{0}, "root", [this, &program] { program(*world_); }, {});
  last_ran_ = &tasks_[root.value];
  start_booted();
}

bool Machine::resume() {
  current_machine = this;
  paused_ = false;
  while (!over_ && !paused_) {
    if (!crashed_.empty()) reap();
    if (Task* const next = choose_next(); next != nullptr) switch_from(nullptr, next);
  }
  return !over_;
}

Outcome Machine::end() {
  if (!over_) stop(Outcome::Status::abandoned);
  if (!crashed_.empty()) reap();
  unwind_all();
  outcome_.steps = step_;
  outcome_.messages = messages_->sent();
  outcome_.end = now_;
  chooser_->end_run(outcome_);
  for (const auto& [observer, interest] : observers_) observer->end_run(outcome_);
  current_machine = previous_machine_;
  if (escaped_ != nullptr) std::rethrow_exception(std::exchange(escaped_, nullptr));
  return std::move(outcome_);
}

NetworkStatistics Machine::network_statistics() const {
  NetworkStatistics statistics = messages_->network().statistics();
  statistics.end = now_;
  return statistics;
}

void Machine::unwind_all() {
  // Youngest first: a child may refer to its parent's locals, never the other way round.
  unwinding_ = true;
  attention_step_ = 0;  // no operation takes the shortest way any more
  for (std::size_t i = 0; i < tasks_used_; ++i) {
    if (tasks_[i].waits_on != nullptr) unlink(tasks_[i]);  // while the objects still exist
  }
  for (std::size_t i = tasks_used_; i-- > 0;) {
    Task& task = tasks_[i];
    if (task.has_ended()) continue;
    if (task.fiber != nullptr) {
      switch_from(nullptr, &task);
    } else {
      task.body = nullptr;
    }
    task.state = TaskState::ended;
  }
  running_ = nullptr;
}

void Machine::request_pause() {
  pause_requested_ = true;
  set_attention();
}

void Machine::restart_wall_limit() {
  wall_start_ns_ = wall_clock_ns();
}

bool Machine::is_wall_time_up() const {
  const VirtualDuration spent = std::chrono::nanoseconds(wall_clock_ns() - wall_start_ns_);
  return spent > options_.wall_limit;
}

}  // namespace orrery::detail

namespace orrery {

void restart_wall_limit() {
  if (auto* const machine = detail::Machine::current()) machine->restart_wall_limit();
}

}  // namespace orrery
