// From a call of the program's to a collective operation, blocking or not.
#pragma once

#include <functional>
#include <utility>

#include "rank_blocks.hpp"

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

/// Collective operations between two groups are not known here.
[[noreturn]] void refuse_intercommunicator(const Call& call, const Communicator& communicator);

/// Compares the call with those of the other ranks and does its work.
template <typename Work>
int perform(const Call& call, Communicator& communicator, const Completion& completion,
            const CollectiveCall& arguments, const CollectiveData& data, Work&& work) {
  if (communicator.is_inter()) refuse_intercommunicator(call, communicator);
  const Collective collective(call, communicator, arguments);
  if (completion.is_blocking()) {
    if (collective.synchronises()) collective.barrier();
    work(collective, data.sent, data.received);
    return collective.error();
  }
  start_beside(call, collective, communicator, data, completion.request(),
               std::forward<Work>(work));
  return MPI_SUCCESS;
}

/// What all ranks must agree on, where they all give the same amount of data.
CollectiveCall describe_call(const Call& call, int root, const RankBlocks& data);
/// Where counts differ from rank to rank: only the messages can tell whether they agree.
CollectiveCall describe_varied_call(const Call& call, int root);

}  // namespace orrery::mpi
