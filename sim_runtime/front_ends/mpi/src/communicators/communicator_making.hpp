// How the members of a communicator make a new one together.
#pragma once

#include <span>

#include "collectives/collectives.hpp"

namespace orrery::mpi {

/// A collective call in which every rank tells all others one item.  On an intercommunicator all
/// ranks of both groups take part: first the group whose first member has the lower rank in the
/// job.
class Assembly {
 public:
  Assembly(const Call& call, Communicator& communicator, std::size_t item_bytes);
  ~Assembly();
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  /// Everybody who takes part, in the order of the items.
  [[nodiscard]] const Communicator& everyone() const { return *everyone_; }
  /// How many of them, at the beginning, are of the first group.
  [[nodiscard]] std::int32_t first_group_size() const { return first_group_size_; }
  /// Is this rank in the first group?
  [[nodiscard]] bool in_first_group() const { return everyone_->rank < first_group_size_; }
  /// Names what is made, the same at all ranks, by the first member of the new communicator.
  [[nodiscard]] Contexts::Key key(std::int32_t leader) const {
    return {key_.parent, leader, key_.number};
  }

  /// Tells `item` and comes back when all items are known.  Not MPI_SUCCESS: a connection broke.
  int exchange(const void* item);
  template <typename Item>
  [[nodiscard]] std::span<const Item> items() const {
    return {static_cast<const Item*>(static_cast<const void*>(notice_->bytes.data())),
            static_cast<std::size_t>(everyone_->size)};
  }
  /// What all ranks would work out alike, `make` works out for all.
  template <typename Result, typename Make>
  const Result& shared(Make&& make) {
    if (notice_->result == nullptr) notice_->result = std::make_shared<const Result>(make());
    return *static_cast<const Result*>(notice_->result.get());
  }

 private:
  const Call& call_;
  Contexts::Key key_;
  Communicator* everyone_;  // the communicator itself, or a temporary one with both groups
  bool is_temporary_ = false;
  std::int32_t first_group_size_ = 0;
  std::size_t item_bytes_;
  Notice* notice_ = nullptr;
};

/// A communicator of these groups (no `remote`: an intracommunicator) with a context of its own,
/// and what every new one inherits from `parent`: the error handler.
Communicator* make_communicator(const Call& call, const Communicator& parent,
                                const Contexts::Key& key, SharedMembership group,
                                SharedMembership remote);

/// A stand-in for one collective call on this communicator, with all who take part in one group.
/// The call keeps its number, though it may go on beside the program's next ones.
Communicator* make_stand_in(const Call& call, Communicator& communicator);

/// A new one that goes again, since what was to be done with it has failed.
void give_up(RankState& state, Communicator& made);

/// Of calls that are not for intercommunicators; `section` says so.
int check_intracommunicator(const Call& call, const Communicator& communicator,
                            const char* argument, const char* section);

/// The first member, in the order that both sides of an intercommunicator agree on.
std::int32_t leader_of(const Membership& group, const Membership* remote);

/// MPI_Comm_split, once the arguments are checked.
int split_communicator(const Call& call, Communicator& old, std::int32_t color, std::int32_t key,
                       MPI_Comm* newcomm);

/// MPI_Comm_free, once the call is made: the attributes go first.
int free_communicator(const Call& call, MPI_Comm* handle);

/// The handle by which programs know it.
MPI_Comm handle_of(const RankState& state, Communicator& communicator);
/// As an object with attributes.
AttributeHolder holder_of(const RankState& state, Communicator& communicator);

}  // namespace orrery::mpi
