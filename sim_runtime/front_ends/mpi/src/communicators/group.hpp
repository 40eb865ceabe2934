// Groups: ordered sets of processes (MPI 3.1, section 6.3).
#pragma once

#include <span>

#include "handles/handles.hpp"
#include "membership.hpp"

struct ompi_group_t {
  orrery::mpi::HandleHeader header;
  orrery::mpi::SharedMembership members;
};

namespace orrery::mpi {

using Group = ompi_group_t;
struct Call;

/// The members behind a handle, MPI_GROUP_EMPTY included; `argument` is its name in the standard.
int check_group(const Call& call, MPI_Group handle, const char* argument,
                const Membership*& members);
/// The group with these ranks of the job, in this order.
MPI_Group make_group(const Call& call, std::span<const std::int32_t> ranks);
MPI_Group make_group(const Call& call, const SharedMembership& members);
/// As the handle itself is kept.
const SharedMembership& shared_members(const Call& call, MPI_Group handle);

}  // namespace orrery::mpi
