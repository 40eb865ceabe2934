// From a call of the program's to a collective operation, blocking or not.
#pragma once

#include <functional>
#include <utility>

#include "one_sided/local_accesses.hpp"
#include "rank_blocks.hpp"
#include "ranks/loans.hpp"

namespace orrery::mpi {

/// How a call wants its operation done: before it comes back, or beside the program.  Value type.
class Completion {
 public:
  /// Of MPI_Bcast and the like.
  static Completion blocking() { return {}; }
  /// Of MPI_Ibcast and the like, whose request goes to `*request`.
  static Completion by(MPI_Request* request) {
    Completion completion;
    completion.request_ = request;
    completion.is_blocking_ = false;
    return completion;
  }
  [[nodiscard]] bool is_blocking() const { return is_blocking_; }
  [[nodiscard]] MPI_Request* request() const { return request_; }
  int check(const Call& call) const {
    return is_blocking_ ? MPI_SUCCESS : call.check_result(request_, "request");
  }

 private:
  MPI_Request* request_ = nullptr;
  bool is_blocking_ = true;
};

/// What is sent and what is received in a collective call, as far as it was checked.
struct CollectiveData {
  RankBlocks sent;
  RankBlocks received;
};

/// The work of a collective operation at one rank.
using CollectiveWork =
    std::function<void(const Collective&, const RankBlocks& sent, const RankBlocks& received)>;

/// Begins it beside the program.  What the call was given may change or go: types are held, arrays
/// are copied (section 5.12 would allow less).
void start_beside(const Call& call, const Collective& collective, Communicator& communicator,
                  const CollectiveData& data, MPI_Request* request, CollectiveWork work);

/// A finding if an operation under way has any of the buffers of a blocking call.
void check_buffers(const Call& call, const CollectiveData& data);
/// All of these buffers, while the call is under way.
void lend_buffers(LentWhileCalling& lent, const CollectiveData& data);

/// Compares the call with those of the other ranks and does its work.
template <typename Work>
int perform(const Call& call, Communicator& communicator, const Completion& completion,
            const CollectiveCall& arguments, const CollectiveData& data, Work&& work) {
  if (completion.is_blocking()) check_buffers(call, data);
  const Collective collective(call, communicator, arguments);
  if (completion.is_blocking()) {
    LentWhileCalling lent(call);
    if (lent.matters()) lend_buffers(lent, data);
    if (collective.synchronises()) collective.barrier();
    work(collective, data.sent, data.received);
    check_local_stores(call, data.received);
    return collective.error();
  }
  start_beside(call, collective, communicator, data, completion.request(),
               std::forward<Work>(work));
  return MPI_SUCCESS;
}

/// What a rank does in an operation with a root.  Value type.
struct RootedRole {
  std::int32_t root = 0;     ///< its rank in the group that has it
  bool is_root = false;      ///< this rank is it
  bool is_beside = false;    ///< in its group, with no part in the operation (MPI_PROC_NULL)
  bool between_two = false;  ///< the root and the others are in different groups
  /// Has it a block of its own?  Between two groups the root has none.
  [[nodiscard]] bool is_leaf() const { return !is_beside && !(between_two && is_root); }
};

/// The communicator and the root of a call, and what they say of the calling rank.
int check_rooted(const Call& call, MPI_Comm comm, int root, Communicator*& communicator,
                 RootedRole& role);
/// Between two groups nothing is done in place (section 5.2.3).
int check_not_in_place(const Call& call, const Communicator& communicator, const void* buffer,
                       const char* argument);

/// What all ranks must agree on, where they all give the same amount of data.
CollectiveCall describe_call(const Call& call, int root, const RankBlocks& data);
/// Where counts differ from rank to rank: only the messages can tell whether they agree.
CollectiveCall describe_varied_call(const Call& call, int root);
/// Where all send to all, each of them the same amount; between two groups each has its own.
CollectiveCall describe_exchange(const Call& call, const Communicator& communicator,
                                 const CollectiveData& data);
/// Where all get the same blocks, and each knows their sizes (of MPI_Allgatherv).
CollectiveCall describe_varied_exchange(const Call& call, const Communicator& communicator,
                                        const RankBlocks& received);
/// Which of `CollectiveCall::data` is that of what this rank's group sends: between two groups each
/// has its own.
std::size_t sent_data(const Communicator& communicator);
std::size_t received_data(const Communicator& communicator);

}  // namespace orrery::mpi
