// Further runs of a program, in processes of their own: what becomes of them where they cannot be
// done.
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/reruns.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery {
namespace {

void write_at_once(World& world) {
  Shared<int> variable(world, 0, "variable");
  Thread one = world.thread("one", [&] { variable.store(1); });
  Thread other = world.thread("other", [&] { variable.store(2); });
  one.join();
  other.join();
}

/// As where the system has no memory left.
class FailingReruns final : public Reruns {
 public:
  Result run(const Body& /*body*/) override {
    Result result;
    result.failure = "no memory for another stack";
    return result;
  }
};

/// All that the detector says of a run whose further runs fail.
std::string told_by(const std::string& name) {
  Simulation simulation({});
  const std::unique_ptr<Detector> detector = make_detector(name);
  UndisturbedChooser chooser;
  Observer* const watching[] = {detector.get()};
  simulation.run(write_at_once, chooser, watching);
  FailingReruns reruns;
  detector->examine(reruns);
  detector->explain(reruns);
  std::string told;
  for (const auto& findings : {detector->findings(), detector->remarks()}) {
    for (const Finding& finding : findings) {
      told += finding.message + "\n";
      for (const std::string& note : finding.notes) told += note + "\n";
    }
  }
  return told;
}

}  // namespace

TEST_CASE(
    "A further run that fails says why, and nothing of it goes on behind the process's frames") {
  Simulation simulation({});
  UndisturbedChooser chooser;
  simulation.run(write_at_once, chooser, {});
  IsolatedReruns reruns(simulation.options(), write_at_once);
  SECTION("for what the system has not") {
    const Reruns::Result result = reruns.run([](const Reruns::Run&, const Reruns::Tell& tell) {
      tell("so far");
      throw UsageError("no memory for another stack", "stacks", "use fewer tasks");
    });
    CHECK(result.told == std::vector<std::string>{"so far"});
    CHECK(result.failure == "no memory for another stack; use fewer tasks");
    CHECK_FALSE(result.death);
  }
  SECTION("for any other reason") {
    const Reruns::Result result =
        reruns.run([](const Reruns::Run&, const Reruns::Tell&) { throw std::bad_alloc(); });
    CHECK(result.failure == "std::bad_alloc");
    CHECK_FALSE(result.death);
  }
  SECTION("and one that does not has no reason") {
    const Reruns::Result result = reruns.run([](const Reruns::Run& run, const Reruns::Tell& tell) {
      UndisturbedChooser again;
      ScheduleRecorder nobody;
      run(again, nobody, nullptr, RunExtent::as_watched());
      tell("done");
    });
    CHECK(result.told == std::vector<std::string>{"done"});
    CHECK(result.failure.empty());
  }
}

TEST_CASE(
    "A race whose further runs fail is reported, with the reason why no more is known of it") {
  const std::string name = GENERATE("fasttrack", "recplay", "eraser", "hybrid");
  CAPTURE(name);
  const std::string told = told_by(name);
  INFO(told);
  CHECK(told.find("variable") != std::string::npos);
  CHECK(told.find("could not be run again: no memory for another stack") != std::string::npos);
}

}  // namespace orrery
