// Which threads of a rank call MPI, and whether the level of thread support allows it (MPI 3.1,
// section 12.4.3).
#pragma once

#include <orrery/sim_runtime/runtime_table.h>

#include "handles/handles.hpp"

namespace orrery::mpi {

struct Call;
struct RankState;

/// A thread that is inside a call at this moment: known where more than one thread may call MPI.
struct InsideCall {
  OrreryThread thread = 0;
  CallSite site;
};

/// A thread is inside a call, as long as this lives.  A copy of a call is not another one.
class Presence {
 public:
  Presence() = default;
  Presence(RankState& state, OrreryThread thread, const CallSite& site);
  Presence(const Presence& /*other*/) noexcept {}
  Presence& operator=(const Presence&) = delete;
  ~Presence() {
    if (state_ != nullptr) leave();
  }

 private:
  void leave();
  RankState* state_ = nullptr;
  OrreryThread thread_ = 0;
};

/// A finding if this thread may not make this call: at MPI_THREAD_SINGLE and MPI_THREAD_FUNNELED
/// any other than the one that initialised MPI, at MPI_THREAD_SERIALIZED one that comes while
/// another one is inside a call.
void check_thread(const Call& call, OrreryThread thread);
/// MPI_Finalize is for the main thread, when no other one is inside a call (section 12.4.2).
void check_main_thread(const Call& call);

}  // namespace orrery::mpi
