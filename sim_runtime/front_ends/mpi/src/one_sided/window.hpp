// A rank's handle of a window (MPI 3.1, chapter 11).
#pragma once

#include <cstdint>
#include <vector>

#include "communicators/communicator.hpp"
#include "shared_window.hpp"

namespace orrery::mpi {

struct Call;

/// The epochs of one rank on one window: as an origin, and as a target of MPI_Win_post.
struct Epochs {
  // Between two fences.  Whether they are an epoch shows when something is accessed.
  bool fence_is_open = false;
  std::uintptr_t fence_pc = 0;
  std::uint64_t fences = 0;
  std::uint64_t fence_operations = 0;  ///< started since the last one
  std::uintptr_t fence_operation_pc = 0;
  // From MPI_Win_start to MPI_Win_complete.
  bool is_started = false;
  std::uintptr_t start_pc = 0;
  std::vector<std::int32_t> started;   ///< ranks in the window, ascending
  std::vector<std::int32_t> unposted;  ///< of these: whose MPI_Win_post is still to be waited for
  // From MPI_Win_post to MPI_Win_wait.
  bool is_posted = false;
  std::uintptr_t post_pc = 0;
  std::vector<std::int32_t> accessing;  ///< ranks that have not completed their access epochs
  // Locks: one for each target, or one for all.
  struct Lock {
    bool is_held = false;
    bool is_taken = false;  ///< of lock-all: the target has been asked for it
    std::uintptr_t pc = 0;
  };
  std::vector<Lock> locks;  ///< by rank in the window; empty until the first one
  std::int32_t lock_count = 0;
  bool has_locked_all = false;
  std::uintptr_t lock_all_pc = 0;
};

}  // namespace orrery::mpi

struct ompi_win_t : orrery::mpi::ErrorOwner {
  orrery::mpi::SharedWindow* shared = nullptr;
  /// Of its own, with the members of the one that it was made from: its messages, collectives and
  /// remote calls meet no others.
  ompi_communicator_t communicator;
  std::uintptr_t created_at = 0;
  // The predefined attributes (section 11.2.6).
  void* base = nullptr;
  MPI_Aint size_bytes = 0;
  int displacement_unit = 1;
  int flavor = MPI_WIN_FLAVOR_CREATE;
  int model = MPI_WIN_UNIFIED;
  void* allocated = nullptr;  ///< memory of the program's that goes with the window
  orrery::mpi::AttributeList attributes;
  orrery::mpi::InfoEntries hints;
  bool keeps_order = true;  ///< of accumulates: info key `accumulate_ordering` is not `none`
  bool named = false;       ///< by the program
  char name[MPI_MAX_OBJECT_NAME] = "a window";
  orrery::mpi::Epochs epochs;
  std::vector<std::uint32_t> pending;  ///< numbers of remote operations, in order
  std::uint32_t spread = 0;            ///< counts operations that need no order

  [[nodiscard]] std::int32_t rank() const { return communicator.rank; }
  [[nodiscard]] std::int32_t size() const { return communicator.size; }
};

namespace orrery::mpi {

using Window = ompi_win_t;

/// The window behind a handle.
int check_window(const Call& call, MPI_Win handle, Window*& found);
/// What MPI_Win_get_attr gives for a predefined key (a base may be null); null: it is none.
void* predefined_attribute(Window& window, int keyval);

}  // namespace orrery::mpi
