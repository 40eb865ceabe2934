// How far a run has come, as plain data that may outlive its process.
#pragma once

#include <array>
#include <cstdint>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// What a task is called, for whoever reads it without the machine.
struct TaskLabel {
  static constexpr std::uint32_t no_task = 0xffffffffU;

  std::uint32_t task = no_task;       ///< its number
  std::uint32_t start_number = 0;     ///< which of those that began in `start_function`, from 1
  std::uintptr_t start_function = 0;  ///< what it is called after without a name; 0: nothing
  std::array<char, 64> name{};        ///< cut; may be empty
};

/// Kept up to date by the machine in memory that another process maps too: whenever another task
/// goes on, and when this process reports its own death.  Between two switches `steps` is behind.
///
///     simulation.set_progress(&shared.progress);     // null: nowhere
struct RunProgress {
  std::uint64_t steps = 0;
  VirtualTime now;
  TaskLabel running;  ///< who went on last
};

}  // namespace orrery
