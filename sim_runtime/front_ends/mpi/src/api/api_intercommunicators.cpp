// MPI 3.1, section 6.6: communicators of two groups.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "communicators/communicator_making.hpp"
#include "communicators/group.hpp"
#include "messages/plain_messages.hpp"

using namespace orrery::mpi;

namespace {

// What the leaders of two groups tell each other, and then their groups.
struct Introduction {
  std::uint32_t parent = 0;  // context of the group's communicator ...
  std::int32_t leader = 0;   // ... its first rank in the job ...
  std::uint64_t number = 0;  // ... and of the call there
  std::int32_t size = 0;
  std::int32_t unused = 0;  // no padding: its bytes are sent
};

int check_intercommunicator(const Call& call, MPI_Comm comm, Communicator*& found) {
  if (const int error = call.check_communicator(comm, found)) return error;
  if (found->is_inter()) return MPI_SUCCESS;
  return call.fail(found, MPI_ERR_COMM,
                   "%s is an intracommunicator, and this call needs an intercommunicator (MPI 3.1, "
                   "section 6.6)",
                   found->name);
}

// At the leader: who the other leader is.
int check_bridge(const Call& call, MPI_Comm bridge, int remote_leader, int tag,
                 Communicator*& found) {
  if (const int error = call.check_communicator(bridge, found)) return error;
  if (const int error = call.check_send_tag(*found, tag)) return error;
  const std::int32_t count = found->peers().size();
  if (remote_leader >= 0 && remote_leader < count &&
      (found->is_inter() || remote_leader != found->rank))
    return MPI_SUCCESS;
  return call.fail(found, MPI_ERR_RANK,
                   "argument remote_leader is %d, and must be a rank of argument peer_comm (0 to "
                   "%d) other than the caller (MPI 3.1, section 6.6.2)",
                   remote_leader, count - 1);
}

Introduction introduce(const Communicator& local) {
  return {local.context, local.world_rank(0), local.collectives, local.size, 0};
}

CollectiveCall arguments_of(const Call& call, int local_leader) {
  CollectiveCall arguments;
  arguments.name = call.name;
  arguments.root = local_leader;
  return arguments;
}

// The ranks in the job of the other group, as its leader has told; to all of the own group.
int meet(const Call& call, const Collective& collective, Communicator& local, int local_leader,
         const Introduction& own, const PlainMessages* leader_line, std::int32_t remote_leader,
         Introduction& remote, std::optional<Scratch>& ranks) {
  if (leader_line != nullptr)
    leader_line->exchange(remote_leader, &own, sizeof(own), &remote, sizeof(remote));
  collective.broadcast(local_leader, reinterpret_cast<std::byte*>(&remote), sizeof(remote));
  const auto bytes = static_cast<std::size_t>(remote.size) * sizeof(std::int32_t);
  ranks.emplace(call.state.scratch, bytes);
  if (leader_line != nullptr) {
    const auto own_bytes = static_cast<std::size_t>(local.size) * sizeof(std::int32_t);
    const Scratch own_ranks(call.state.scratch, own_bytes);
    for (std::int32_t rank = 0; rank < local.size; ++rank)
      own_ranks.array<std::int32_t>()[rank] = local.world_rank(rank);
    leader_line->exchange(remote_leader, own_ranks.data(), own_bytes, ranks->data(), bytes);
  }
  collective.broadcast(local_leader, ranks->data(), bytes);
  if (leader_line != nullptr && leader_line->error() != MPI_SUCCESS) return leader_line->error();
  return collective.error();
}

// In which order a merge puts the two groups, the first of them first; nothing: some group does not
// agree with itself.
std::optional<bool> keeps_order(std::span<const std::int32_t> highs, std::int32_t between) {
  const auto first = highs.first(static_cast<std::size_t>(between));
  const auto second = highs.subspan(static_cast<std::size_t>(between));
  for (const auto group : {first, second})
    if (std::count(group.begin(), group.end(), group[0]) != std::ssize(group)) return std::nullopt;
  return first[0] == 0 || second[0] != 0;
}

SharedMembership merge(const Call& call, const Communicator& everyone, std::int32_t between,
                       bool keep_order) {
  if (keep_order) return everyone.group;
  std::vector<std::int32_t> ranks;
  for (std::int32_t step = 0; step < everyone.size; ++step)
    ranks.push_back(everyone.world_rank((between + step) % everyone.size));
  return call.job.memberships().share(ranks);
}

}  // namespace

ORRERY_MPI_API int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  const Call call = ORRERY_CALL("MPI_Comm_test_inter");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  *flag = communicator->is_inter() ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_test_inter);

ORRERY_MPI_API int MPI_Comm_remote_size(MPI_Comm comm, int* size) {
  const Call call = ORRERY_CALL("MPI_Comm_remote_size");
  Communicator* communicator = nullptr;
  if (const int error = check_intercommunicator(call, comm, communicator)) return error;
  if (const int error = call.check_result(size, "size")) return error;
  *size = communicator->remote->size();
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_remote_size);

ORRERY_MPI_API int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  const Call call = ORRERY_CALL("MPI_Comm_remote_group");
  Communicator* communicator = nullptr;
  if (const int error = check_intercommunicator(call, comm, communicator)) return error;
  if (const int error = call.check_result(group, "group")) return error;
  *group = make_group(call, communicator->remote);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_remote_group);

ORRERY_MPI_API int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm,
                                        int remote_leader, int tag, MPI_Comm* newintercomm) {
  const Call call = ORRERY_CALL("MPI_Intercomm_create");
  Communicator* local = nullptr;
  if (const int error = call.check_communicator(local_comm, local)) return error;
  if (const int error = check_intracommunicator(call, *local, "local_comm", "6.6.2")) return error;
  if (const int error = call.check_root(*local, local_leader)) return error;
  if (const int error = call.check_result(newintercomm, "newintercomm")) return error;
  std::optional<PlainMessages> line;
  std::int32_t remote_rank = 0;
  if (local->rank == local_leader) {
    Communicator* bridge = nullptr;
    if (const int error = check_bridge(call, bridge_comm, remote_leader, tag, bridge)) return error;
    line.emplace(call, *bridge, bridge->context + making_context, tag);
    remote_rank = bridge->peers().world_rank(remote_leader);
  }
  const Introduction own = introduce(*local);
  const Collective collective(call, *local, arguments_of(call, local_leader));
  Introduction remote;
  std::optional<Scratch> ranks;
  if (const int error = meet(call, collective, *local, local_leader, own, line ? &*line : nullptr,
                             remote_rank, remote, ranks))
    return error;
  const std::span<const std::int32_t> members{ranks->array<std::int32_t>(),
                                              static_cast<std::size_t>(remote.size)};
  for (const std::int32_t world : members)
    if (local->local_rank(world) >= 0)
      return call.fail(local, MPI_ERR_COMM,
                       "rank %d of MPI_COMM_WORLD is in both groups, which must have no member in "
                       "common (MPI 3.1, section 6.6.2)",
                       world);
  const Introduction& low = remote.leader < own.leader ? remote : own;
  *newintercomm = make_communicator(call, *local, {low.parent, low.leader, low.number},
                                    local->group, call.job.memberships().share(members));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Intercomm_create);

ORRERY_MPI_API int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintercomm) {
  const Call call = ORRERY_CALL("MPI_Intercomm_merge");
  Communicator* old = nullptr;
  if (const int error = check_intercommunicator(call, intercomm, old)) return error;
  if (const int error = call.check_result(newintercomm, "newintracomm")) return error;
  const std::int32_t is_high = high != 0 ? 1 : 0;
  Assembly assembly(call, *old, sizeof(is_high));
  if (const int error = assembly.exchange(&is_high)) return error;
  const std::int32_t between = assembly.first_group_size();
  const auto keep_order = keeps_order(assembly.items<std::int32_t>(), between);
  if (!keep_order)
    return call.fail(old, MPI_ERR_ARG,
                     "argument high is not the same at all ranks of a group (MPI 3.1, section "
                     "6.6.2)");
  SharedMembership group = merge(call, assembly.everyone(), between, *keep_order);
  const Contexts::Key key = assembly.key(group->world_rank(0));
  *newintercomm = make_communicator(call, *old, key, std::move(group), nullptr);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Intercomm_merge);
