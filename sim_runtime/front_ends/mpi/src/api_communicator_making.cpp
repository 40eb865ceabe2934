// MPI 3.1, sections 6.4.2 and 6.4.3: communicators are made and freed.
#include <algorithm>
#include <vector>

#include "communicator_making.hpp"

using namespace orrery::mpi;

#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))

namespace {

struct Proposal {
  std::int32_t color = 0;
  std::int32_t key = 0;
};

// The groups of a split, in the order of their colors.
struct Part {
  std::int32_t color = 0;
  SharedMembership group;
};

// Of the ranks [begin, end) of those who take part.
std::vector<Part> parts_of(const Call& call, const Communicator& everyone,
                           std::span<const Proposal> proposals, std::int32_t begin,
                           std::int32_t end) {
  std::vector<std::int32_t> order;
  for (std::int32_t rank = begin; rank < end; ++rank)
    if (proposals[static_cast<std::size_t>(rank)].color != MPI_UNDEFINED) order.push_back(rank);
  const auto place = [&](std::int32_t rank) {
    const Proposal& proposal = proposals[static_cast<std::size_t>(rank)];
    return std::tuple(proposal.color, proposal.key, rank);
  };
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return place(a) < place(b); });
  std::vector<Part> parts;
  std::vector<std::int32_t> members;
  for (std::size_t index = 0; index < order.size(); ++index) {
    const std::int32_t color = std::get<0>(place(order[index]));
    members.push_back(everyone.world_rank(order[index]));
    if (index + 1 < order.size() && std::get<0>(place(order[index + 1])) == color) continue;
    parts.push_back({color, call.job.memberships().share(members)});
    members.clear();
  }
  return parts;
}

SharedMembership part_of(const std::vector<Part>& parts, std::int32_t color) {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const Part& part) { return part.color == color; });
  return found == parts.end() ? nullptr : found->group;
}

struct Split {
  std::vector<Part> first;
  std::vector<Part> second;  // of the other group of an intercommunicator
};

int split(const Call& call, Communicator& old, Proposal proposal, MPI_Comm* newcomm) {
  Assembly assembly(call, old, sizeof(Proposal));
  if (const int error = assembly.exchange(&proposal)) return error;
  const Split& split = assembly.shared<Split>([&] {
    const Communicator& everyone = assembly.everyone();
    const auto proposals = assembly.items<Proposal>();
    const std::int32_t between = assembly.first_group_size();
    return Split{parts_of(call, everyone, proposals, 0, between),
                 parts_of(call, everyone, proposals, between, everyone.size)};
  });
  *newcomm = MPI_COMM_NULL;
  if (proposal.color == MPI_UNDEFINED) return MPI_SUCCESS;
  const bool is_first = assembly.in_first_group();
  SharedMembership group = part_of(is_first ? split.first : split.second, proposal.color);
  SharedMembership remote;
  if (old.is_inter()) {
    remote = part_of(is_first ? split.second : split.first, proposal.color);
    if (remote == nullptr) return MPI_SUCCESS;  // nobody there has this color
  }
  const Contexts::Key key = assembly.key(leader_of(*group, remote.get()));
  *newcomm = make_communicator(call, old, key, std::move(group), std::move(remote));
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  const Call call = ORRERY_CALL("MPI_Comm_dup");
  Communicator* old = nullptr;
  if (const int error = call.check_communicator(comm, old)) return error;
  if (const int error = call.check_result(newcomm, "newcomm")) return error;
  Assembly assembly(call, *old, 0);
  if (const int error = assembly.exchange(nullptr)) return error;
  const Contexts::Key key = assembly.key(leader_of(*old->group, old->remote.get()));
  *newcomm = make_communicator(call, *old, key, old->group, old->remote);
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
  return split(call, *old, {color, key}, newcomm);
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
