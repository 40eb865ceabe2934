#include "group.hpp"

#include "calls/call.hpp"
#include "handles/freed_handles.hpp"

namespace orrery::mpi {
namespace {

bool is_empty_group(MPI_Group handle) {
  const auto header = find_predefined(handle, HandleKind::group);
  return header && header->index == static_cast<std::uint32_t>(PredefinedGroup::empty);
}

}  // namespace

int check_group(const Call& call, MPI_Group handle, const char* argument,
                const Membership*& members) {
  if (call.state.groups.contains(handle) || is_empty_group(handle)) {
    members = shared_members(call, handle).get();
    return MPI_SUCCESS;
  }
  const char* what = "no group";
  if (handle == nullptr) what = "a null pointer";
  if (find_predefined(handle, HandleKind::group)) what = "MPI_GROUP_NULL";
  if (call.state.groups.owns(handle))
    return fail_freed(call, nullptr, MPI_ERR_GROUP, handle->header, argument, "a group", "6.3.3");
  return call.fail(nullptr, MPI_ERR_GROUP,
                   "argument %s is %s, where a group is needed (MPI 3.1, section 6.2.1)", argument,
                   what);
}

MPI_Group make_group(const Call& call, const SharedMembership& members) {
  if (members->size() == 0) return MPI_GROUP_EMPTY;
  Group* const group = call.state.groups.create();
  group->members = members;
  return group;
}

MPI_Group make_group(const Call& call, std::span<const std::int32_t> ranks) {
  return make_group(call, call.job.memberships().share(ranks));
}

const SharedMembership& shared_members(const Call& call, MPI_Group handle) {
  return call.state.groups.contains(handle) ? handle->members : call.state.empty_group.members;
}

}  // namespace orrery::mpi
