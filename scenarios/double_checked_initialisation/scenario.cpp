// Two readers load the settings when they are first needed.
#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

struct Settings {
  explicit Settings(World& world)
      : is_loaded(world, false, "is loaded"),
        volume(world, 0, "volume"),
        mutex(world, "settings") {}

  Atomic<bool> is_loaded;
  Shared<int> volume;
  Mutex mutex;
};

using Load = void (*)(Settings&);

void load_flag_first(Settings& settings) {
  settings.is_loaded.store(true);  // whoever sees this does not wait for the mutex
  settings.volume.store(11);
}

void load_flag_last(Settings& settings) {
  settings.volume.store(11);
  settings.is_loaded.store(true);
}

int volume(Settings& settings, Load load) {
  if (!settings.is_loaded.load()) {
    Lock guard(settings.mutex);
    if (!settings.is_loaded.load()) load(settings);
  }
  return settings.volume.load();
}

void run(World& world, Load load) {
  Settings settings(world);
  const auto play = [&] {
    check(volume(settings, load) == 11, "plays in silence");  // BUG: the flag, but not the value
  };
  Thread radio = world.thread("radio", play);
  Thread alarm = world.thread("alarm", play);
}

void buggy(World& world) {
  run(world, load_flag_first);
}
void mended(World& world) {
  run(world, load_flag_last);
}

}  // namespace

Scenario double_checked_initialisation() {
  return {
      .name = "double_checked_initialisation",
      .summary = "a flag that says done before the value is there",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/double_checked_initialisation/scenario.cpp",
                   .line = 43,
                   .preemptions = 1},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
