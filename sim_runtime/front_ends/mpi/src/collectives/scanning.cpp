// MPI_Scan and MPI_Exscan.
#include <optional>

#include "reducing.hpp"

namespace orrery::mpi {
namespace {

// Along the chain of ranks: n - 1 messages, and as many latencies.  Among more ranks than this a
// tree takes 2 log2 n latencies, and fewer than 2 n messages.
constexpr std::int32_t chain_ranks_max = 16;

// R. Brent and H. T. Kung, A Regular Layout for Parallel Adders, 1982.  On the way up the ranks
// that end a run of 2^k learn its result; on the way down they tell the next run what was before
// it. `before` gets the result of the ranks before the own one, `upto` has it with the own one's.
class PrefixTree {
 public:
  PrefixTree(const Collective& collective, PartialResult& upto, PartialResult* before)
      : collective_(collective), upto_(upto), before_(before) {}

  void run() {
    const std::int32_t ranks = collective_.size();
    const std::int32_t after = collective_.rank() + 1;
    std::int32_t distance = 1;
    for (; distance < ranks; distance *= 2) {
      if (after % (2 * distance) == 0) {
        take(collective_.rank() - distance);
      } else if (after % distance == 0 && after + distance <= ranks) {
        // Whoever ends the run of twice the length; there is none at the end of the ranks.
        upto_.send(collective_.rank() + distance, upto_.all());
      }
    }
    for (distance /= 2; distance > 0; distance /= 2) {
      if (after % (2 * distance) == 0) {
        if (after + distance <= ranks) upto_.send(collective_.rank() + distance, upto_.all());
      } else if (after % distance == 0 && after > distance) {
        take(collective_.rank() - distance);
      }
    }
  }

 private:
  // What comes is the result of ranks right before those that were taken in so far.
  void take(std::int32_t source) {
    if (before_ == nullptr) {
      upto_.receive_lower(source, upto_.all());
      return;
    }
    if (!has_before_) {
      before_->receive(source, before_->all());
      upto_.combine_lower(*before_);
      has_before_ = true;
      return;
    }
    incoming_.emplace(collective_, before_->reduction());
    incoming_->receive(source, incoming_->all());
    before_->combine_lower(*incoming_);
    upto_.combine_lower(*incoming_);
    incoming_.reset();
  }

  const Collective& collective_;
  PartialResult& upto_;
  PartialResult* before_;
  std::optional<PartialResult> incoming_;
  bool has_before_ = false;
};

}  // namespace

void scan(const Collective& collective, const Reduction& reduction, const void* contribution,
          void* result) {
  PartialResult upto(collective, reduction);
  upto.load(upto.all(), contribution);
  const std::int32_t rank = collective.rank();
  if (collective.size() > chain_ranks_max) {
    collective.goes_by("tree");
    PrefixTree(collective, upto, nullptr).run();
  } else {
    collective.goes_by("chain");
    if (rank > 0) upto.receive_lower(rank - 1, upto.all());
    if (rank + 1 < collective.size()) upto.send(rank + 1, upto.all());
  }
  upto.store(upto.all(), result);
}

void exclusive_scan(const Collective& collective, const Reduction& reduction,
                    const void* contribution, void* result) {
  PartialResult upto(collective, reduction);
  PartialResult before(collective, reduction);
  upto.load(upto.all(), contribution);
  const std::int32_t rank = collective.rank();
  if (collective.size() > chain_ranks_max) {
    collective.goes_by("tree");
    PrefixTree(collective, upto, &before).run();
  } else {
    collective.goes_by("chain");
    if (rank > 0) before.receive(rank - 1, before.all());
    if (rank + 1 < collective.size()) {
      if (rank > 0) upto.combine_lower(before);
      upto.send(rank + 1, upto.all());
    }
  }
  // What rank 0 has afterwards is not defined (section 5.11.2): it is left as it was.
  if (rank > 0) before.store(before.all(), result);
}

}  // namespace orrery::mpi
