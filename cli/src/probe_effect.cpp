#include "probe_effect.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/first_arrived_chooser.hpp>

#include "network_report.hpp"
#include "run_report.hpp"

namespace orrery::cli {
namespace {

constexpr std::string_view probe_flag = "--probe-effect";

/// Hands over what an observer has kept of the run.
class DatedRunRecorder final : public Recorder {
 public:
  [[nodiscard]] Observer& observer() override { return observer_; }
  [[nodiscard]] std::vector<RecordedBlock> blocks() const override {
    return {{BlockKind::choices, observer_.run().bytes()}};
  }

 private:
  DatedRunObserver observer_;
};

/// What a run took, as far as it is compared.
struct Costs {
  std::int64_t end_ps = 0;
  std::int64_t host_ps = 0;       // of the hosts' processors, for messages and interrupts
  std::int64_t processor_ps = 0;  // of the cards' processors
  std::uint64_t hook_cycles = 0;
  std::int64_t waited_ps = 0;  // of what the hook runs on, its buffer being full
};

Costs costs_of(const IsolatedResult& result) {
  Costs costs;
  costs.end_ps = result.outcome.end.picoseconds();
  for (const NetworkNic& nic : network_from(result.more.at("network")).nics) {
    for (const NetworkStation& station : nic.stations) {
      const std::int64_t busy = station.use.busy.picoseconds();
      if (station.name == "host") costs.host_ps += busy;
      if (station.name == "processor") costs.processor_ps += busy;
    }
    costs.hook_cycles += nic.hook.cycles;
    costs.waited_ps += nic.hook.waited_for_room.picoseconds();
  }
  return costs;
}

Json moved_json(const MovedEvent& moved) {
  Json json{{"task", moved.task}, {"kind", moved.kind}, {"date_ps", moved.date_ps}};
  if (moved.was) json["was_ps"] = *moved.was;
  if (moved.place.line > 0) {
    json["where"] = {
        {"file", moved.place.file}, {"line", moved.place.line}, {"function", moved.place.function}};
  }
  return json;
}

/// What only the run's own process knows.
Json comparison(const DatedRunObserver& observer, const DatedRun& base,
                const HostRecorderCost& host) {
  const DatedRun& run = observer.run();
  Json json{{"messages", run.arrivals.size()},
            {"messages_reordered", reordered(run, base)},
            {"receives", run.takings.size()},
            {"receives_changed", changed_takings(run, base)},
            {"host_recorder_ps", host.taken().picoseconds()},
            {"host_records", host.records()}};
  if (observer.first_moved()) json["first_moved"] = moved_json(*observer.first_moved());
  return json;
}

}  // namespace

ProbeEffect::ProbeEffect(std::string_view recorders) {
  std::istringstream words{std::string(recorders)};
  for (std::string word; words >> word;) probes_.push_back(parse(word));
  if (!probes_.empty()) return;
  throw UsageError("there is no recorder to compare with none", std::string(probe_flag),
                   "name some: " + std::string(all_recorders));
}

ProbeEffect::Probe ProbeEffect::parse(const std::string& text) {
  const NameWithOptions given = NameWithOptions::parse(text, probe_flag);
  if (given.name() == "host") return {text, host_recorder_costs(given), nullptr};
  std::shared_ptr<Recorder> recorder = make_recorder(text, probe_flag);
  const bool is_alone = given.name().find('+') == std::string::npos;
  if (recorder->firmware() != nullptr && is_alone) return {text, std::nullopt, std::move(recorder)};
  throw UsageError("what the recorder '" + given.name() + "' takes of the hosts is not known",
                   std::string(probe_flag),
                   "give 'host' (with keeps=wildcards or keeps=orders), 'nic' or 'switch'");
}

void ProbeEffect::check(const FoundProgram& program, const Probe& probe) {
  if (program.machine.computing.method == ComputingTime::Method::measured) {
    throw UsageError("computing that is measured differs from run to run", std::string(probe_flag),
                     "use --compute cost, or leave it out");
  }
  if (program.image != nullptr && !program.image->uses_mpi()) {
    throw UsageError("the program passes no messages that a recorder could keep",
                     std::string(probe_flag), "give it one that does");
  }
  if (probe.recorder == nullptr) return;
  try {
    static_cast<void>(with_firmware(program.machine.network, probe.recorder->firmware())());
  } catch (const UsageError& error) {
    throw UsageError(error.problem(), std::string(probe_flag) + " " + probe.text, error.hint());
  }
}

IsolatedResult ProbeEffect::run(const FoundProgram& program,
                                const std::function<void(const OutputPiece&)>& on_output) const {
  for (const Probe& probe : probes_) check(program, probe);
  const auto strategy = make_strategy("random");
  const auto random = strategy->chooser({});
  // As message libraries do, and as recorders on cards need it.
  FirstArrivedChooser chooser(*random);
  const auto request = [&] {
    return IsolatedRun{.program = program.program,
                       .machine = program.machine,
                       .chooser = chooser,
                       .observers = {},
                       .on_output = {},
                       .drive = {},
                       .conclude = {},
                       .wants_statistics = true,
                       .keeps_schedule = false};
  };
  DatedRunRecorder dates;
  IsolatedRun alone = request();
  alone.on_output = on_output;
  alone.recorder = &dates;
  IsolatedResult base = run_isolated(alone);
  if (base.has_died) return base;  // there is nothing to hold others beside
  Json& list = base.more["probe_effect"] = Json::array();
  const DatedRun base_run = DatedRun::from(base.records.front().content);
  const Costs base_costs = costs_of(base);
  for (const Probe& probe : probes_) {
    DatedRunObserver observer(&base_run);
    HostRecorderCost host(probe.host.value_or(HostRecorderCosts::of_wildcards()));
    IsolatedRun with = request();
    with.observers.push_back(&observer);
    if (probe.host) {
      with.observers.push_back(&host);
      with.checkpointer = &host;
    }
    with.recorder = probe.recorder.get();
    with.conclude = [&](Simulation&, const Schedule&, Outcome&, Json& more) {
      more["beside"] = comparison(observer, base_run, host);
    };
    const IsolatedResult result = run_isolated(with);
    Json one{{"recorder", probe.text}, {"outcome", outcome_name(result)}};
    if (!result.has_died) {
      const Costs costs = costs_of(result);
      const Json& beside = result.more.at("beside");
      const bool at_ports = probe.recorder != nullptr &&
                            probe.recorder->firmware()->place() == HookPlace::switch_ports;
      one["virtual_time_added_ps"] = costs.end_ps - base_costs.end_ps;
      one["host_cpu_added_ps"] =
          costs.host_ps - base_costs.host_ps + beside.at("host_recorder_ps").get<std::int64_t>();
      one["nic_cycles_added"] = at_ports ? 0 : costs.hook_cycles;
      one["nic_time_added_ps"] = costs.processor_ps - base_costs.processor_ps;
      one["port_cycles_added"] = at_ports ? costs.hook_cycles : 0;
      one["waited_for_room_ps"] = costs.waited_ps;
      one.update(beside);
    }
    if (!result.blind_spot.empty()) one["refused"] = result.blind_spot;
    list.push_back(std::move(one));
  }
  return base;
}

}  // namespace orrery::cli
