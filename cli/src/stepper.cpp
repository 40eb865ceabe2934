#include "stepper.hpp"

#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/timeline.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "console.hpp"

namespace orrery::cli {
namespace {

std::string_view name_of(TaskState state) {
  switch (state) {
    case TaskState::enabled: return "can go on";
    case TaskState::disabled: return "waits";
    case TaskState::polling: return "polls";
    case TaskState::sleeping: return "sleeps";
    case TaskState::ended: break;
  }
  return "has ended";
}

constexpr std::string_view help =
    "step [N]        take the next step, or the next N\n"
    "until DURATION  go on until this virtual time\n"
    "where           who is about to do what\n"
    "continue        go on to the end of the run\n"
    "quit            leave the run here\n";

}  // namespace

class Stepper::Implementation final : public Observer, public Chooser {
 public:
  explicit Implementation(Chooser& chooser) : chooser_(chooser) {}

  // Both bases have these.
  void begin_run(const RunInfo& info) override {
    if (names_ == nullptr) chooser_.begin_run(info);
    names_ = info.names;
  }
  void end_run(const Outcome&) override {}

  [[nodiscard]] bool constrains() const override { return chooser_.constrains(); }
  [[nodiscard]] bool lets_sleepers_wake() const override { return chooser_.lets_sleepers_wake(); }
  Decision choose(const ChoicePoint& point) override { return chooser_.choose(point); }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return chooser_.choose_value(question);
  }

  [[nodiscard]] EventMask interest() const override { return EventMask::all_events(); }
  void on_event(const Event& event) override {
    std::string place;
    if (event.where != nullptr) {
      const FindingPlace found = names_->place(*event.where);
      if (!found.file.empty()) place = fmt::format("  {}:{}", found.file, found.line);
    }
    print_err(fmt::format("  {:>10}  {} {}{}\n", duration_text(event.time.since_start()),
                          names_->task(event.id.task), words(event, *names_), place));
  }

  bool drive(Simulation& simulation) {
    say_where(simulation);
    std::string last = "step";
    for (;;) {
      if (simulation.clock().ended()) return true;
      print_err("orrery> ");
      std::string line;
      if (!std::getline(std::cin, line)) return false;
      if (line.empty()) line = last;
      last = line;
      try {
        if (const auto answer = obey(simulation, line)) return *answer;
      } catch (const UsageError& error) {
        print_err(fmt::format("{}\n", error.what()));
      }
    }
  }

 private:
  /// What `drive` should return; nothing to read on.
  std::optional<bool> obey(Simulation& simulation, const std::string& line) {
    std::istringstream words(line);
    std::string command;
    std::string argument;
    words >> command >> argument;
    if (command == "quit" || command == "q") return false;
    if (command == "continue" || command == "c") return true;
    if (command == "where" || command == "w") {
      say_where(simulation);
    } else if (command == "step" || command == "s") {
      step(simulation, argument.empty() ? 1 : parse_whole_number(argument, "step", 1));
    } else if (command == "until" || command == "u") {
      simulation.clock().run_until(parse_duration(argument, "until"));
      say_clock(simulation);
    } else if (command == "help" || command == "h") {
      print_err(help);
    } else {
      throw UsageError("there is no command '" + command + "'", "--step",
                       name_hint(command, {"step", "until", "where", "continue", "quit", "help"}));
    }
    return std::nullopt;
  }

  void step(Simulation& simulation, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && simulation.clock().step(); ++i) {
    }
    say_clock(simulation);
  }

  static void say_clock(Simulation& simulation) {
    print_err(fmt::format(
        "at {}, after step {}{}\n", duration_text(simulation.clock().now().since_start()),
        simulation.clock().steps(), simulation.clock().ended() ? ": the run has ended" : ""));
  }

  void say_where(Simulation& simulation) {
    say_clock(simulation);
    const PendingOperations& pending = simulation.pending();
    for (std::uint32_t i = 0; i < pending.task_count(); ++i) {
      const TaskId task{i};
      const TaskState state = pending.state(task);
      if (state == TaskState::ended) continue;
      print_err(fmt::format("  {:<16} {:<10} {}\n", names_->task(task), name_of(state),
                            operation_text(pending.operation(task))));
    }
  }

  std::string operation_text(const Operation& operation) const {
    std::string text(name(operation.kind));
    const bool is_of_tasks = operation.kind == OperationKind::task_start ||
                             operation.kind == OperationKind::spawn ||
                             operation.kind == OperationKind::join;
    if (operation.kind == OperationKind::join) {
      text += " " + names_->task(TaskId{static_cast<std::uint32_t>(operation.value)});
    }
    if (!is_of_tasks && operation.object != ObjectId{}) {
      text += " " + names_->object(operation.object);
    }
    if (operation.where == nullptr) return text;
    const FindingPlace place = names_->place(*operation.where);
    if (!place.file.empty()) text += fmt::format("  {}:{}", place.file, place.line);
    return text;
  }

  Chooser& chooser_;
  const Names* names_ = nullptr;
};

Stepper::Stepper(Chooser& chooser) : implementation_(std::make_unique<Implementation>(chooser)) {}
Stepper::~Stepper() = default;

Chooser& Stepper::chooser() {
  return *implementation_;
}

Observer& Stepper::observer() {
  return *implementation_;
}

bool Stepper::drive(Simulation& simulation) {
  return implementation_->drive(simulation);
}

}  // namespace orrery::cli
