// Whether standard sends are complete before their messages are received.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/runtime_table.h>

namespace orrery::mpi {

/// What MPI leaves to the library (MPI 3.1, section 3.4): a standard send may copy its message and
/// be complete at once, or wait until the receive has begun.  A job does the one, the other, or
/// either from send to send: a choice of the run's, asked at its first standard send.
class SendBuffering {
 public:
  /// Does the standard send that now begins wait for its receive, however small it is?
  bool waits(const OrreryRuntime& table) {
    if (manner_ == Manner::all_buffer) return false;
    return asks_or_waits(table);
  }

 private:
  enum class Manner : std::uint8_t { all_buffer, none_buffers, each_as_it_likes, not_asked };
  bool asks_or_waits(const OrreryRuntime& table);

  Manner manner_ = Manner::not_asked;
};

}  // namespace orrery::mpi
