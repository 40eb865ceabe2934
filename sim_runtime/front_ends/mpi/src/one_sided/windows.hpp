// How the ranks of a communicator make and free a window (MPI 3.1, section 11.2).
#pragma once

#include "calls/call.hpp"
#include "window.hpp"

namespace orrery::mpi {

/// What a rank brings to a new window.
struct WindowProposal {
  int flavor = MPI_WIN_FLAVOR_CREATE;
  void* base = nullptr;
  MPI_Aint size_bytes = 0;
  int displacement_unit = 1;
  MPI_Info info = MPI_INFO_NULL;
};

/// Collective.  `*made` is MPI_WIN_NULL where it returns an error.
int make_window(const Call& call, const WindowProposal& proposal, MPI_Comm comm, MPI_Win* made);
/// Collective; the handle becomes MPI_WIN_NULL.
int free_window(const Call& call, MPI_Win* handle);

/// Comes back when all ranks of the window have come.
int synchronize(const Call& call, Window& window, const char* assertion);

/// The ranks in the window of a group's members, ascending.
int check_group_of(const Call& call, const Window& window, MPI_Group group,
                   std::vector<std::int32_t>& ranks);
/// Takes over what a program says of the window.
int take_hints(const Call& call, Window& window, MPI_Info info);

}  // namespace orrery::mpi
