// Work that goes on beside the program: non-blocking collectives and their like.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include <orrery/sim_runtime/runtime_table.h>

namespace orrery::mpi {

/// Threads of a rank's that work for the library.  One that is done waits for more; so a rank has
/// as many as it ever had operations under way at once.  What they do is scheduled as all else is:
/// when such an operation gets on is a choice of the run's.
class Helpers {
 public:
  /// Has `work` done by a thread of the calling rank.  It ends by `table.complete_event`, or in any
  /// other way that somebody can wait for.
  void start(const OrreryRuntime& table, std::uintptr_t pc, std::function<void()> work);
  /// Is this one of them?
  [[nodiscard]] bool owns(OrreryThread thread) const;

 private:
  struct Helper {
    const OrreryRuntime* table = nullptr;
    std::uintptr_t pc = 0;
    std::function<void()> work;
    OrreryRequest more = 0;  ///< an event, while it waits
    OrreryThread thread = 0;
  };
  [[noreturn]] static void run(void* helper);

  std::deque<Helper> helpers_;
};

}  // namespace orrery::mpi
