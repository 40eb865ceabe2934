// MPI 3.1, section 6.3: groups, asked and freed.
#include "calls/call.hpp"
#include "communicators/group.hpp"

using namespace orrery::mpi;

namespace {

bool is_similar(const Membership& a, const Membership& b) {
  if (a.size() != b.size()) return false;
  for (std::int32_t rank = 0; rank < a.size(); ++rank)
    if (b.rank_of(a.world_rank(rank)) < 0) return false;
  return true;
}

}  // namespace

ORRERY_MPI_API int MPI_Group_size(MPI_Group group, int* size) {
  const Call call = ORRERY_CALL("MPI_Group_size");
  const Membership* members = nullptr;
  if (const int error = check_group(call, group, "group", members)) return error;
  if (const int error = call.check_result(size, "size")) return error;
  *size = members->size();
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_size);

ORRERY_MPI_API int MPI_Group_rank(MPI_Group group, int* rank) {
  const Call call = ORRERY_CALL("MPI_Group_rank");
  const Membership* members = nullptr;
  if (const int error = check_group(call, group, "group", members)) return error;
  if (const int error = call.check_result(rank, "rank")) return error;
  const std::int32_t own = members->rank_of(call.state.rank);
  *rank = own < 0 ? MPI_UNDEFINED : own;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_rank);

ORRERY_MPI_API int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[],
                                             MPI_Group group2, int ranks2[]) {
  const Call call = ORRERY_CALL("MPI_Group_translate_ranks");
  const Membership* from = nullptr;
  const Membership* to = nullptr;
  if (const int error = check_group(call, group1, "group1", from)) return error;
  if (const int error = check_group(call, group2, "group2", to)) return error;
  if (const int error = call.check_count(nullptr, n, "n")) return error;
  if (n == 0) return MPI_SUCCESS;
  if (const int error = call.check_input(ranks1, "ranks1")) return error;
  if (const int error = call.check_result(ranks2, "ranks2")) return error;
  for (int index = 0; index < n; ++index) {
    const int rank = ranks1[index];
    if (rank == MPI_PROC_NULL) {
      ranks2[index] = MPI_PROC_NULL;
      continue;
    }
    if (rank < 0 || rank >= from->size())
      return call.fail(nullptr, MPI_ERR_RANK,
                       "argument ranks1[%d] is %d, but the ranks of group1 are 0 to %d (MPI 3.1, "
                       "section 6.3.1)",
                       index, rank, from->size() - 1);
    const std::int32_t found = to->rank_of(from->world_rank(rank));
    ranks2[index] = found < 0 ? MPI_UNDEFINED : found;
  }
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_translate_ranks);

ORRERY_MPI_API int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  const Call call = ORRERY_CALL("MPI_Group_compare");
  const Membership* first = nullptr;
  const Membership* second = nullptr;
  if (const int error = check_group(call, group1, "group1", first)) return error;
  if (const int error = check_group(call, group2, "group2", second)) return error;
  if (const int error = call.check_result(result, "result")) return error;
  // Memberships of a job are kept once each: equal ones are the same object.
  *result = first == second ? MPI_IDENT : is_similar(*first, *second) ? MPI_SIMILAR : MPI_UNEQUAL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_compare);

ORRERY_MPI_API int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  const Call call = ORRERY_CALL("MPI_Comm_group");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(group, "group")) return error;
  *group = make_group(call, communicator->group);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_group);

ORRERY_MPI_API int MPI_Group_free(MPI_Group* group) {
  const Call call = ORRERY_CALL("MPI_Group_free");
  if (const int error = call.check_result(group, "group")) return error;
  const Membership* members = nullptr;
  if (const int error = check_group(call, *group, "group", members)) return error;
  // MPI_GROUP_EMPTY may be the result of a call, and then it may be freed as any other.
  if (call.state.groups.contains(*group)) {
    (*group)->members.reset();
    call.state.groups.destroy(*group);
  }
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_free);
