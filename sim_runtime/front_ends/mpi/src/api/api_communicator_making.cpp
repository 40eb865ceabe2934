// MPI 3.1, sections 6.4.2 and 6.4.3: communicators are duplicated, made of groups, and freed.
#include <utility>
#include <vector>

#include "communicators/communicator_making.hpp"
#include "communicators/group.hpp"
#include "messages/plain_messages.hpp"
#include "messages/requests.hpp"

using namespace orrery::mpi;

namespace {

// The attributes of a duplicate, by the copy callbacks of the program; and the hints.
int complete_duplicate(const Call& call, Communicator& old, Communicator& made,
                       const InfoEntries& hints) {
  made.hints = hints;
  made.topology = old.topology;
  return copy_attributes(call, holder_of(call.state, old), made.attributes);
}

int duplicate(const Call& call, MPI_Comm comm, const MPI_Info* info, MPI_Comm* newcomm) {
  Communicator* old = nullptr;
  const Info* hints = nullptr;
  if (const int error = call.check_communicator(comm, old)) return error;
  if (info != nullptr) {
    if (const int error = check_info_or_null(call, *info, "info", hints)) return error;
  }
  if (const int error = call.check_result(newcomm, "newcomm")) return error;
  Assembly assembly(call, *old, 0);
  if (const int error = assembly.exchange(nullptr)) return error;
  const Contexts::Key key = assembly.key(leader_of(*old->group, old->remote.get()));
  Communicator* const made = make_communicator(call, *old, key, old->group, old->remote);
  *newcomm = MPI_COMM_NULL;
  const InfoEntries none;
  const InfoEntries& wanted = hints != nullptr  ? hints->entries
                              : info != nullptr ? none
                                                : old->hints;
  if (const int error = complete_duplicate(call, *old, *made, wanted)) {
    give_up(call.state, *made);
    return error;
  }
  *newcomm = made;
  return MPI_SUCCESS;
}

// Numbers of what only some members of a communicator make lie beyond those of its collectives.
constexpr std::uint64_t groups_begin = 1ULL << 62U;

// What each rank tells of the group that it gives to MPI_Comm_create.
struct Claim {
  std::int32_t leader = -1;  // rank in the job of the group's first member; -1: not a member
  std::int32_t size = 0;
  std::int32_t rank = -1;    // in the group
  std::uint32_t digest = 0;  // of all members
};

Claim claim_of(const Membership& group, std::int32_t own) {
  Claim claim;
  claim.rank = group.rank_of(own);
  if (claim.rank < 0) return claim;
  claim.leader = group.world_rank(0);
  claim.size = group.size();
  for (std::int32_t rank = 0; rank < group.size(); ++rank)
    claim.digest = claim.digest * 16777619U ^ static_cast<std::uint32_t>(group.world_rank(rank));
  return claim;
}

// All members of a group must have given the same one.
int check_claims(const Call& call, const Communicator& old, const Communicator& everyone,
                 std::span<const Claim> claims, const Membership& group, const Claim& own) {
  for (std::int32_t rank = 0; rank < group.size(); ++rank) {
    const std::int32_t member = everyone.local_rank(group.world_rank(rank));
    const Claim& other = claims[static_cast<std::size_t>(member)];
    if (other.leader == own.leader && other.size == own.size && other.digest == own.digest)
      continue;
    return call.fail(&old, MPI_ERR_GROUP,
                     "rank %d of %s is in the group that rank %d gives, but gives another group: "
                     "all members must give the same one (MPI 3.1, section 6.4.2)",
                     old.local_rank(group.world_rank(rank)), old.name, old.rank);
  }
  return MPI_SUCCESS;
}

// The other group of an intercommunicator, put together from what its members claim.
SharedMembership claimed_group(const Call& call, const Communicator& everyone,
                               std::span<const Claim> claims, std::int32_t begin,
                               std::int32_t end) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = begin; rank < end; ++rank) {
    const Claim& claim = claims[static_cast<std::size_t>(rank)];
    if (claim.rank < 0) continue;
    ranks.resize(static_cast<std::size_t>(claim.size));
    ranks[static_cast<std::size_t>(claim.rank)] = everyone.world_rank(rank);
  }
  return ranks.empty() ? nullptr : call.job.memberships().share(ranks);
}

int check_subgroup(const Call& call, const Communicator& communicator, const Membership& group) {
  for (std::int32_t rank = 0; rank < group.size(); ++rank)
    if (communicator.local_rank(group.world_rank(rank)) < 0)
      return call.fail(&communicator, MPI_ERR_GROUP,
                       "rank %d of argument group (rank %d of MPI_COMM_WORLD) is not in the group "
                       "of %s (MPI 3.1, section 6.4.2)",
                       rank, group.world_rank(rank), communicator.name);
  return MPI_SUCCESS;
}

// The members tell each other by messages of their own context, up and down a binomial tree, with
// the caller's tag: others may make groups at the same time.  The first one names what is made.
int agree_in_group(const Call& call, Communicator& old, const SharedMembership& group, int tag,
                   Contexts::Key& key) {
  const PlainMessages messages(call, old, old.context + making_context, tag);
  const std::int32_t rank = group->rank_of(call.state.rank);
  const std::int32_t size = group->size();
  const auto member = [&](std::int32_t of) { return group->world_rank(of); };
  key = {old.context, member(0), 0};
  if (rank == 0) key.number = groups_begin + old.subgroups++;
  std::int32_t distance = 1;
  for (; distance < size && (rank & distance) == 0; distance *= 2)
    if (rank + distance < size) messages.receive(member(rank + distance), nullptr, 0);
  if (rank != 0) {
    messages.send(member(rank - distance), nullptr, 0);
    messages.receive(member(rank - distance), &key.number, sizeof(key.number));
  }
  for (distance /= 2; distance > 0; distance /= 2)
    if (rank + distance < size)
      messages.send(member(rank + distance), &key.number, sizeof(key.number));
  return messages.error();
}

// A request's work: it gives the handle to the program when it is complete.
void hand_over(const Call&, Request& request) {
  auto* const made = static_cast<Communicator*>(request.work);
  made->header.made = {request.call, request.pc};
  *static_cast<MPI_Comm*>(request.buffer) = made;
}

}  // namespace

ORRERY_MPI_API int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return duplicate(ORRERY_CALL("MPI_Comm_dup"), comm, nullptr, newcomm);
}
ORRERY_PROFILED(MPI_Comm_dup);

ORRERY_MPI_API int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return duplicate(ORRERY_CALL("MPI_Comm_dup_with_info"), comm, &info, newcomm);
}
ORRERY_PROFILED(MPI_Comm_dup_with_info);

ORRERY_MPI_API int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Comm_idup");
  Communicator* old = nullptr;
  if (const int error = call.check_communicator(comm, old)) return error;
  if (const int error = call.check_result(newcomm, "newcomm")) return error;
  if (const int error = call.check_result(request, "request")) return error;
  // Until the request is complete nobody may use it, so it is none.
  *newcomm = MPI_COMM_NULL;
  const Contexts::Key key{old->context, leader_of(*old->group, old->remote.get()),
                          old->collectives};
  Communicator* const stand_in = make_stand_in(call, *old);
  Communicator* const made = make_communicator(call, *old, key, old->group, old->remote);
  if (const int error = complete_duplicate(call, *old, *made, old->hints)) return error;
  Request* const started = make_event_request(call, old, RequestKind::collective);
  made->header.made = {};  // until the request is complete it is not the program's
  started->work = made;
  started->buffer = static_cast<void*>(newcomm);
  started->finish = hand_over;
  *request = started->handle;
  started->helper = call.state.helpers.start(call.table, call.pc, [call, stand_in, started] {
    {
      Assembly assembly(call, *stand_in, 0);
      started->error = assembly.exchange(nullptr);
    }
    give_up(call.state, *stand_in);
    call.table.complete_event(started->id);
  });
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_idup);

ORRERY_MPI_API int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
                                         MPI_Comm* newcomm) {
  const Call call = ORRERY_CALL("MPI_Comm_create_group");
  Communicator* old = nullptr;
  const Membership* members = nullptr;
  if (const int error = call.check_communicator(comm, old)) return error;
  if (const int error = check_intracommunicator(call, *old, "comm", "6.4.2")) return error;
  if (const int error = check_group(call, group, "group", members)) return error;
  if (const int error = call.check_send_tag(*old, tag)) return error;
  if (const int error = call.check_result(newcomm, "newcomm")) return error;
  if (const int error = check_subgroup(call, *old, *members)) return error;
  *newcomm = MPI_COMM_NULL;
  if (members->size() == 0) return MPI_SUCCESS;
  if (members->rank_of(call.state.rank) < 0)
    return call.fail(old, MPI_ERR_GROUP,
                     "the calling process (rank %d of %s) is not in argument group, and only its "
                     "members make this call (MPI 3.1, section 6.4.2)",
                     old->rank, old->name);
  Contexts::Key key;
  const SharedMembership& shared = shared_members(call, group);
  if (const int error = agree_in_group(call, *old, shared, tag, key)) return error;
  *newcomm = make_communicator(call, *old, key, shared_members(call, group), nullptr);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_create_group);

ORRERY_MPI_API int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  const Call call = ORRERY_CALL("MPI_Comm_create");
  Communicator* old = nullptr;
  const Membership* members = nullptr;
  if (const int error = call.check_communicator(comm, old)) return error;
  if (const int error = check_group(call, group, "group", members)) return error;
  if (const int error = call.check_result(newcomm, "newcomm")) return error;
  if (const int error = check_subgroup(call, *old, *members)) return error;
  *newcomm = MPI_COMM_NULL;
  const Claim claim = claim_of(*members, call.state.rank);
  Assembly assembly(call, *old, sizeof(Claim));
  if (const int error = assembly.exchange(&claim)) return error;
  if (claim.rank < 0) return MPI_SUCCESS;
  const auto claims = assembly.items<Claim>();
  const Communicator& everyone = assembly.everyone();
  if (const int error = check_claims(call, *old, everyone, claims, *members, claim)) return error;
  SharedMembership remote;
  if (old->is_inter()) {
    const std::int32_t between = assembly.first_group_size();
    remote = assembly.in_first_group()
                 ? claimed_group(call, everyone, claims, between, everyone.size)
                 : claimed_group(call, everyone, claims, 0, between);
    if (remote == nullptr) return MPI_SUCCESS;  // nobody there
  }
  const Contexts::Key key = assembly.key(leader_of(*members, remote.get()));
  *newcomm = make_communicator(call, *old, key, shared_members(call, group), std::move(remote));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_create);

ORRERY_MPI_API int MPI_Comm_free(MPI_Comm* comm) {
  return free_communicator(ORRERY_CALL("MPI_Comm_free"), comm);
}
ORRERY_PROFILED(MPI_Comm_free);
