// MPI 3.1, chapter 6: communicators.
#include <cstdio>

#include "calls/call.hpp"

using namespace orrery::mpi;

namespace {

bool same_members(const Membership& a, const Membership& b) {
  if (a.size() != b.size()) return false;
  for (std::int32_t rank = 0; rank < a.size(); ++rank)
    if (b.rank_of(a.world_rank(rank)) < 0) return false;
  return true;
}

// Memberships of a job are kept once each: equal ones are the same object.
int compare(const Communicator& a, const Communicator& b) {
  if (&a == &b) return MPI_IDENT;
  if (a.is_inter() != b.is_inter()) return MPI_UNEQUAL;
  if (a.group == b.group && a.remote == b.remote) return MPI_CONGRUENT;
  const bool similar =
      same_members(*a.group, *b.group) && (!a.is_inter() || same_members(*a.remote, *b.remote));
  return similar ? MPI_SIMILAR : MPI_UNEQUAL;
}

}  // namespace

ORRERY_MPI_API int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  const Call call = ORRERY_CALL("MPI_Comm_rank");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(rank, "rank")) return error;
  *rank = communicator->rank;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_rank);

ORRERY_MPI_API int MPI_Comm_size(MPI_Comm comm, int* size) {
  const Call call = ORRERY_CALL("MPI_Comm_size");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(size, "size")) return error;
  *size = communicator->size;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_size);

ORRERY_MPI_API int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  const Call call = ORRERY_CALL("MPI_Comm_compare");
  Communicator* first = nullptr;
  Communicator* second = nullptr;
  if (const int error = call.check_communicator(comm1, first)) return error;
  if (const int error = call.check_communicator(comm2, second)) return error;
  if (const int error = call.check_result(result, "result")) return error;
  *result = compare(*first, *second);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_compare);

ORRERY_MPI_API int MPI_Comm_set_name(MPI_Comm comm, const char* name) {
  const Call call = ORRERY_CALL("MPI_Comm_set_name");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_input(name, "comm_name")) return error;
  std::snprintf(communicator->name, sizeof(communicator->name), "%s", name);
  communicator->named = true;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_set_name);

ORRERY_MPI_API int MPI_Comm_get_name(MPI_Comm comm, char* name, int* resultlen) {
  const Call call = ORRERY_CALL("MPI_Comm_get_name");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(name, "comm_name")) return error;
  if (const int error = call.check_result(resultlen, "resultlen")) return error;
  // One that has no name has an empty one (section 6.8).
  const char* const own = communicator->named ? communicator->name : "";
  *resultlen = std::snprintf(name, MPI_MAX_OBJECT_NAME, "%s", own);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_get_name);

ORRERY_MPI_API int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  const Call call = ORRERY_CALL("MPI_Comm_set_info");
  Communicator* communicator = nullptr;
  const Info* hints = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = check_info_or_null(call, info, "info", hints)) return error;
  communicator->hints = hints == nullptr ? InfoEntries{} : hints->entries;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_set_info);

ORRERY_MPI_API int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  const Call call = ORRERY_CALL("MPI_Comm_get_info");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(info_used, "info_used")) return error;
  *info_used = call.state.infos.create();
  (*info_used)->entries = communicator->hints;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_get_info);
