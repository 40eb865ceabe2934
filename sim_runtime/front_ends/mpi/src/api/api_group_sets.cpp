// MPI 3.1, section 6.3.2: groups made out of groups.
#include <algorithm>

#include "calls/call.hpp"
#include "communicators/group.hpp"

using namespace orrery::mpi;

namespace {

// Ranks of the job, in memory of the pool: a wrong argument may end the run in the middle.
class RankList {
 public:
  RankList(const Call& call, std::int32_t room)
      : memory_(call.state.scratch, static_cast<std::size_t>(room) * sizeof(std::int32_t)) {}
  void push_back(std::int32_t rank) { memory_.array<std::int32_t>()[count_++] = rank; }
  [[nodiscard]] std::span<const std::int32_t> ranks() const {
    return {memory_.array<std::int32_t>(), count_};
  }

 private:
  Scratch memory_;
  std::size_t count_ = 0;
};

// Which members of a group a list has named so far.
class Named {
 public:
  Named(const Call& call, const Membership& members)
      : members_(members), memory_(call.state.scratch, static_cast<std::size_t>(members.size())) {
    std::fill_n(memory_.data(), members.size(), std::byte{0});
  }
  [[nodiscard]] bool contains(std::int32_t rank) const { return memory_.data()[rank] != none; }
  void add(std::int32_t rank) { memory_.data()[rank] = std::byte{1}; }
  void put_others(RankList& list) const {
    for (std::int32_t rank = 0; rank < members_.size(); ++rank)
      if (!contains(rank)) list.push_back(members_.world_rank(rank));
  }

 private:
  static constexpr std::byte none{0};
  const Membership& members_;
  Scratch memory_;
};

struct TwoGroups {
  const Membership* first = nullptr;
  const Membership* second = nullptr;
};

int check_two(const Call& call, MPI_Group group1, MPI_Group group2, const MPI_Group* newgroup,
              TwoGroups& groups) {
  if (const int error = check_group(call, group1, "group1", groups.first)) return error;
  if (const int error = check_group(call, group2, "group2", groups.second)) return error;
  return call.check_result(newgroup, "newgroup");
}

// The members of the first that are (or are not) in the second, in the order of the first.
void put_filtered(const Membership& first, const Membership& second, bool wanted, RankList& list) {
  for (std::int32_t rank = 0; rank < first.size(); ++rank) {
    const std::int32_t world = first.world_rank(rank);
    if ((second.rank_of(world) >= 0) == wanted) list.push_back(world);
  }
}

int check_list(const Call& call, MPI_Group group, int n, const void* list, const char* argument,
               const MPI_Group* newgroup, const Membership*& members) {
  if (const int error = check_group(call, group, "group", members)) return error;
  if (const int error = call.check_count(nullptr, n, "n")) return error;
  if (n > 0) {
    if (const int error = call.check_input(list, argument)) return error;
  }
  return call.check_result(newgroup, "newgroup");
}

// One rank more of a list, which must be one of the group's and in it only once.
int take(const Call& call, const Membership& members, Named& named, const char* argument, int index,
         int rank) {
  if (rank < 0 || rank >= members.size())
    return call.fail(nullptr, MPI_ERR_RANK,
                     "argument %s[%d] gives rank %d, but the ranks of the group are 0 to %d (MPI "
                     "3.1, section 6.3.2)",
                     argument, index, rank, members.size() - 1);
  if (named.contains(rank))
    return call.fail(nullptr, MPI_ERR_RANK,
                     "argument %s[%d] gives rank %d a second time, and all must be distinct (MPI "
                     "3.1, section 6.3.2)",
                     argument, index, rank);
  named.add(rank);
  return MPI_SUCCESS;
}

// The ranks of a list, in its order.
int take_ranks(const Call& call, const Membership& members, int n, const int* list, RankList& taken,
               Named& named) {
  for (int index = 0; index < n; ++index) {
    if (const int error = take(call, members, named, "ranks", index, list[index])) return error;
    taken.push_back(members.world_rank(list[index]));
  }
  return MPI_SUCCESS;
}

// The same for triples of first, last and stride.
int take_ranges(const Call& call, const Membership& members, int n, const int (*ranges)[3],
                RankList& taken, Named& named) {
  for (int index = 0; index < n; ++index) {
    const std::int64_t first = ranges[index][0];
    const std::int64_t last = ranges[index][1];
    const std::int64_t stride = ranges[index][2];
    if (stride == 0)
      return call.fail(nullptr, MPI_ERR_ARG,
                       "argument ranges[%d] is (%d, %d, 0), and a stride must not be 0 (MPI 3.1, "
                       "section 6.3.2)",
                       index, ranges[index][0], ranges[index][1]);
    if (stride > 0 ? first > last : first < last)
      return call.fail(nullptr, MPI_ERR_ARG,
                       "argument ranges[%d] is (%d, %d, %d), which goes away from its end (MPI "
                       "3.1, section 6.3.2)",
                       index, ranges[index][0], ranges[index][1], ranges[index][2]);
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      if (const int error = take(call, members, named, "ranges", index, static_cast<int>(rank)))
        return error;
      taken.push_back(members.world_rank(static_cast<std::int32_t>(rank)));
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  const Call call = ORRERY_CALL("MPI_Group_union");
  TwoGroups groups;
  if (const int error = check_two(call, group1, group2, newgroup, groups)) return error;
  RankList list(call, groups.first->size() + groups.second->size());
  put_filtered(*groups.first, *groups.first, true, list);
  put_filtered(*groups.second, *groups.first, false, list);
  *newgroup = make_group(call, list.ranks());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_union);

ORRERY_MPI_API int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  const Call call = ORRERY_CALL("MPI_Group_intersection");
  TwoGroups groups;
  if (const int error = check_two(call, group1, group2, newgroup, groups)) return error;
  RankList list(call, groups.first->size());
  put_filtered(*groups.first, *groups.second, true, list);
  *newgroup = make_group(call, list.ranks());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_intersection);

ORRERY_MPI_API int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  const Call call = ORRERY_CALL("MPI_Group_difference");
  TwoGroups groups;
  if (const int error = check_two(call, group1, group2, newgroup, groups)) return error;
  RankList list(call, groups.first->size());
  put_filtered(*groups.first, *groups.second, false, list);
  *newgroup = make_group(call, list.ranks());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_difference);

ORRERY_MPI_API int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  const Call call = ORRERY_CALL("MPI_Group_incl");
  const Membership* members = nullptr;
  if (const int error = check_list(call, group, n, ranks, "ranks", newgroup, members)) return error;
  RankList taken(call, members->size());
  Named named(call, *members);
  if (const int error = take_ranks(call, *members, n, ranks, taken, named)) return error;
  *newgroup = make_group(call, taken.ranks());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_incl);

ORRERY_MPI_API int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  const Call call = ORRERY_CALL("MPI_Group_excl");
  const Membership* members = nullptr;
  if (const int error = check_list(call, group, n, ranks, "ranks", newgroup, members)) return error;
  RankList taken(call, members->size());
  Named named(call, *members);
  if (const int error = take_ranks(call, *members, n, ranks, taken, named)) return error;
  RankList rest(call, members->size());
  named.put_others(rest);
  *newgroup = make_group(call, rest.ranks());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_excl);

ORRERY_MPI_API int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3],
                                        MPI_Group* newgroup) {
  const Call call = ORRERY_CALL("MPI_Group_range_incl");
  const Membership* members = nullptr;
  if (const int error = check_list(call, group, n, ranges, "ranges", newgroup, members))
    return error;
  RankList taken(call, members->size());
  Named named(call, *members);
  if (const int error = take_ranges(call, *members, n, ranges, taken, named)) return error;
  *newgroup = make_group(call, taken.ranks());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_range_incl);

ORRERY_MPI_API int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3],
                                        MPI_Group* newgroup) {
  const Call call = ORRERY_CALL("MPI_Group_range_excl");
  const Membership* members = nullptr;
  if (const int error = check_list(call, group, n, ranges, "ranges", newgroup, members))
    return error;
  RankList taken(call, members->size());
  Named named(call, *members);
  if (const int error = take_ranges(call, *members, n, ranges, taken, named)) return error;
  RankList rest(call, members->size());
  named.put_others(rest);
  *newgroup = make_group(call, rest.ranks());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Group_range_excl);
