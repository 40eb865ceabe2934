// Work that goes on beside the program: non-blocking collectives and their like.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include <orrery/sim_runtime/runtime_table.h>

namespace orrery::mpi {

/// Threads of a rank's that work for the library.  What they do is scheduled as all else is: when
/// such an operation gets on is a choice of the run's.  Which of them does what is not: one gets
/// more to do only once the program knows that what it did is complete, whenever that was.  So a
/// rank has as many as it ever had operations under way at once, and does the same in every run
/// that goes alike.
class Helpers {
 public:
  /// Has `work` done by a thread of the calling rank.  It ends by `table.complete_event`, or in any
  /// other way that somebody can wait for.  Returns the number of the thread, for `release`.
  std::uint32_t start(const OrreryRuntime& table, std::uintptr_t pc, std::function<void()> work);
  /// The program knows that its work is done.  0: none.
  void release(std::uint32_t number);
  /// Is this one of them?
  [[nodiscard]] bool owns(OrreryThread thread) const;

 private:
  struct Helper {
    const OrreryRuntime* table = nullptr;
    std::uintptr_t pc = 0;
    std::function<void()> work;
    OrreryRequest turn = 0;  ///< an event: there is more to do
    OrreryThread thread = 0;
    bool is_free = false;
  };
  [[noreturn]] static void run(void* helper);

  std::deque<Helper> helpers_;
};

}  // namespace orrery::mpi
