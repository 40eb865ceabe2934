// MPI 3.1, chapter 6: communicators.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "rank_blocks.hpp"

using namespace orrery::mpi;

#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))

namespace {

// What the ranks tell each other when they make a communicator.
struct Proposal {
  std::int32_t color = 0;
  std::int32_t key = 0;
  std::uint32_t next_context = 0;
  std::int32_t rank = 0;  // in the old communicator
};

CollectiveCall arguments_of(const Call& call) {
  CollectiveCall arguments;
  arguments.name = call.name;
  return arguments;
}

// Everybody's proposal, in rank order, in memory of the pool.
std::span<Proposal> exchange_proposals(const Collective& collective, const Scratch& memory,
                                       Proposal own) {
  const Datatype& bytes = builtin_type(Builtin::byte);
  const OwnBlock block{&bytes, &own, sizeof(Proposal)};
  const RankBlocks all{&bytes, memory.data(), sizeof(Proposal), nullptr, nullptr};
  all_gather(collective, block, all);
  return {memory.array<Proposal>(), static_cast<std::size_t>(collective.size())};
}

// A context that no member has used: the highest of all proposals.  Communicators of one split have
// no member in common, so that they can share it.
std::uint32_t agree_on_context(RankState& state, std::span<const Proposal> proposals) {
  std::uint32_t context = 0;
  for (const Proposal& proposal : proposals) context = std::max(context, proposal.next_context);
  state.next_context = context + 2;  // one for messages, one for collectives
  return context;
}

void finish_communicator(Communicator& made, std::int32_t world_rank) {
  made.size = static_cast<std::int32_t>(made.members.size());
  for (std::int32_t rank = 0; rank < made.size; ++rank)
    made.by_world.emplace_back(made.members[static_cast<std::size_t>(rank)], rank);
  std::sort(made.by_world.begin(), made.by_world.end());
  made.rank = made.local_rank(world_rank);
}

bool same_group(const Communicator& a, const Communicator& b, bool ordered) {
  if (a.size != b.size) return false;
  for (std::int32_t rank = 0; rank < a.size; ++rank) {
    const std::int32_t other = b.local_rank(a.world_rank(rank));
    if (other < 0 || other >= b.size || (ordered && other != rank)) return false;
  }
  return true;
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
  *result = first == second                      ? MPI_IDENT
            : same_group(*first, *second, true)  ? MPI_CONGRUENT
            : same_group(*first, *second, false) ? MPI_SIMILAR
                                                 : MPI_UNEQUAL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_compare);

ORRERY_MPI_API int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  const Call call = ORRERY_CALL("MPI_Comm_dup");
  Communicator* old = nullptr;
  if (const int error = call.check_communicator(comm, old)) return error;
  if (const int error = call.check_result(newcomm, "newcomm")) return error;
  const Collective collective(call, *old, arguments_of(call));
  const Scratch memory(call.state.scratch, sizeof(Proposal) * static_cast<std::size_t>(old->size));
  const auto proposals =
      exchange_proposals(collective, memory, {0, 0, call.state.next_context, old->rank});
  if (collective.error() != MPI_SUCCESS) return collective.error();
  Communicator* const made = call.state.communicators.create();
  made->context = agree_on_context(call.state, proposals);
  made->errors = old->errors;
  for (std::int32_t rank = 0; rank < old->size; ++rank)
    made->members.push_back(old->world_rank(rank));
  finish_communicator(*made, call.state.rank);
  *newcomm = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_dup);

ORRERY_MPI_API int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  const Call call = ORRERY_CALL("MPI_Comm_split");
  Communicator* old = nullptr;
  if (const int error = call.check_communicator(comm, old)) return error;
  if (const int error = call.check_result(newcomm, "newcomm")) return error;
  if (color < 0 && color != MPI_UNDEFINED)
    return call.fail(old, MPI_ERR_ARG,
                     "argument color is %d, and must be MPI_UNDEFINED or not negative (MPI 3.1, "
                     "section 6.4.2)",
                     color);
  const Collective collective(call, *old, arguments_of(call));
  const Scratch memory(call.state.scratch, sizeof(Proposal) * static_cast<std::size_t>(old->size));
  const auto proposals =
      exchange_proposals(collective, memory, {color, key, call.state.next_context, old->rank});
  if (collective.error() != MPI_SUCCESS) return collective.error();
  const std::uint32_t context = agree_on_context(call.state, proposals);
  *newcomm = MPI_COMM_NULL;
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  std::sort(proposals.begin(), proposals.end(), [](const Proposal& a, const Proposal& b) {
    return a.key != b.key ? a.key < b.key : a.rank < b.rank;
  });
  Communicator* const made = call.state.communicators.create();
  made->context = context;
  made->errors = old->errors;
  for (const Proposal& proposal : proposals)
    if (proposal.color == color) made->members.push_back(old->world_rank(proposal.rank));
  finish_communicator(*made, call.state.rank);
  *newcomm = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_split);

ORRERY_MPI_API int MPI_Comm_free(MPI_Comm* comm) {
  const Call call = ORRERY_CALL("MPI_Comm_free");
  if (const int error = call.check_result(comm, "comm")) return error;
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(*comm, communicator)) return error;
  if (communicator == &call.state.world || communicator == &call.state.self)
    return call.fail(communicator, MPI_ERR_COMM,
                     "argument comm is %s, and a predefined communicator cannot be freed (MPI 3.1, "
                     "section 6.4.3)",
                     communicator->name);
  communicator->freed = true;
  release(call.state, *communicator);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_free);

ORRERY_MPI_API int MPI_Comm_set_name(MPI_Comm comm, const char* name) {
  const Call call = ORRERY_CALL("MPI_Comm_set_name");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(name, "comm_name")) return error;
  std::snprintf(communicator->name, sizeof(communicator->name), "%s", name);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_set_name);

ORRERY_MPI_API int MPI_Comm_get_name(MPI_Comm comm, char* name, int* resultlen) {
  const Call call = ORRERY_CALL("MPI_Comm_get_name");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(name, "comm_name")) return error;
  if (const int error = call.check_result(resultlen, "resultlen")) return error;
  std::memcpy(name, communicator->name, sizeof(communicator->name));
  *resultlen = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_get_name);

ORRERY_MPI_API int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void* attribute_value, int* flag) {
  // The value is given out by address, so it must outlive the call; it is never written.
  static int tag_upper_bound = 0x7fffffff;
  static int no_host = MPI_PROC_NULL;
  static int any_rank = MPI_ANY_SOURCE;
  static int clock_is_global = 1;
  const Call call = ORRERY_CALL("MPI_Comm_get_attr");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(attribute_value, "attribute_val")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  int* value = nullptr;
  switch (keyval) {
    case MPI_TAG_UB: value = &tag_upper_bound; break;
    case MPI_HOST: value = &no_host; break;
    case MPI_IO: value = &any_rank; break;
    case MPI_WTIME_IS_GLOBAL: value = &clock_is_global; break;
    default:
      return call.fail(communicator, MPI_ERR_KEYVAL,
                       "argument comm_keyval is %d, which is no attribute key (MPI 3.1, section "
                       "6.7.2)",
                       keyval);
  }
  *static_cast<int**>(attribute_value) = value;
  *flag = 1;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_get_attr);
