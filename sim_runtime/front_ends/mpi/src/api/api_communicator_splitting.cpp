// MPI 3.1, section 6.4.2: communicators are split.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "communicators/communicator_making.hpp"
#include "communicators/host_hash.hpp"

using namespace orrery::mpi;

namespace {

struct Proposal {
  std::int32_t color = 0;
  std::int32_t key = 0;
};

/// What a rank says of itself where those on one host come together.
struct Place {
  Proposal proposal;
  std::uint64_t host = 0;  ///< a hash of its name
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

}  // namespace

int orrery::mpi::split_communicator(const Call& call, Communicator& old, std::int32_t color,
                                    std::int32_t order, MPI_Comm* newcomm) {
  const Proposal proposal{color, order};
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

namespace {

// The color of a rank is known only when all have said that they take part: it is the first rank of
// those on its host.
int split_by_host(const Call& call, Communicator& old, int key, bool takes_part,
                  MPI_Comm* newcomm) {
  const Place own{{takes_part ? 0 : MPI_UNDEFINED, key}, host_hash(call)};
  Assembly assembly(call, old, sizeof(Place));
  if (const int error = assembly.exchange(&own)) return error;
  const Split& result = assembly.shared<Split>([&] {
    const Communicator& everyone = assembly.everyone();
    std::vector<Proposal> proposals;
    std::map<std::uint64_t, std::int32_t> first_ranks;  // of each host
    for (const Place& place : assembly.items<Place>()) {
      const auto rank = static_cast<std::int32_t>(proposals.size());
      Proposal& of_rank = proposals.emplace_back(place.proposal);
      if (of_rank.color == MPI_UNDEFINED) continue;
      of_rank.color = first_ranks.try_emplace(place.host, rank).first->second;
    }
    return Split{parts_of(call, everyone, proposals, 0, everyone.size), {}};
  });
  *newcomm = MPI_COMM_NULL;
  if (!takes_part) return MPI_SUCCESS;
  for (const Part& part : result.first)
    if (part.group->rank_of(call.state.rank) >= 0)
      *newcomm = make_communicator(call, old, assembly.key(leader_of(*part.group, nullptr)),
                                   part.group, nullptr);
  return MPI_SUCCESS;
}

}  // namespace

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
  return split_communicator(call, *old, color, key, newcomm);
}
ORRERY_PROFILED(MPI_Comm_split);

ORRERY_MPI_API int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
                                       MPI_Comm* newcomm) {
  const Call call = ORRERY_CALL("MPI_Comm_split_type");
  Communicator* old = nullptr;
  const Info* hints = nullptr;
  if (const int error = call.check_communicator(comm, old)) return error;
  if (const int error = check_intracommunicator(call, *old, "comm", "6.4.2")) return error;
  if (const int error = check_info_or_null(call, info, "info", hints)) return error;
  if (const int error = call.check_result(newcomm, "newcomm")) return error;
  if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
    return call.fail(old, MPI_ERR_ARG,
                     "argument split_type is %d, and must be MPI_COMM_TYPE_SHARED or MPI_UNDEFINED "
                     "(MPI 3.1, section 6.4.2)",
                     split_type);
  return split_by_host(call, *old, key, split_type == MPI_COMM_TYPE_SHARED, newcomm);
}
ORRERY_PROFILED(MPI_Comm_split_type);
