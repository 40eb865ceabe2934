#include "halving.hpp"

namespace orrery::mpi {

/// One exchange: with whom, and which elements each of the two keeps.
struct Halving::Step {
  std::int32_t peer = 0;
  bool peer_is_lower = false;
  Elements kept;
  Elements given;
};

std::int32_t Halving::parts(std::int32_t ranks) {
  std::int32_t parts = 1;
  while (parts * 2 <= ranks) parts *= 2;
  return parts;
}

Halving::Halving(const Collective& collective, std::int32_t root, std::size_t* bounds)
    : collective_(collective),
      root_(root),
      bounds_(bounds),
      parts_(parts(collective.size())),
      pairs_(collective.size() - parts_) {
  const std::int32_t rank = collective.rank();
  if (rank >= 2 * pairs_) {
    index_ = rank - pairs_;
    return;
  }
  partner_ = rank ^ 1;
  if (rank_of(rank / 2) == rank) index_ = rank / 2;
}

void Halving::divide(std::size_t elements) const {
  for (std::int32_t part = 0; part <= parts_; ++part)
    bounds_[part] = elements * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts_);
}

std::int32_t Halving::first_rank(std::int32_t index) const {
  return index < pairs_ ? 2 * index : index + pairs_;
}

// Of a pair the higher one stays, unless the lower one is the root.
std::int32_t Halving::rank_of(std::int32_t index) const {
  const std::int32_t first = first_rank(index);
  return index < pairs_ && first != root_ ? first + 1 : first;
}

std::int32_t Halving::reversed(std::int32_t index) const {
  std::int32_t result = 0;
  for (std::int32_t bit = 1; bit < parts_; bit *= 2, index /= 2) result = 2 * result + index % 2;
  return result;
}

Elements Halving::own_part() const {
  const std::int32_t part = reversed(index_);
  return {bounds_[part], bounds_[part + 1]};
}

void Halving::pair_up(PartialResult& partial) const {
  if (partner_ < 0) return;
  if (!stays()) {
    partial.send(partner_, partial.all());
  } else if (partner_ < collective_.rank()) {
    partial.receive_lower(partner_, partial.all());
  } else {
    partial.receive_higher(partner_, partial.all());
  }
}

Halving::Step Halving::step(std::int32_t bit) const {
  // The parts that were left before it: the earlier steps are told by the lower bits.
  std::int32_t first = 0;
  std::int32_t width = parts_;
  for (std::int32_t earlier = 1; earlier < bit; earlier *= 2) {
    width /= 2;
    if ((index_ & earlier) != 0) first += width;
  }
  const Elements lower{bounds_[first], bounds_[first + width / 2]};
  const Elements upper{bounds_[first + width / 2], bounds_[first + width]};
  const bool is_upper = (index_ & bit) != 0;
  return {rank_of(index_ ^ bit), is_upper, is_upper ? upper : lower, is_upper ? lower : upper};
}

void Halving::reduce_scatter(PartialResult& partial) const {
  for (std::int32_t bit = 1; bit < parts_; bit *= 2) {
    const Step now = step(bit);
    partial.combine_with(now.peer, now.given, now.kept, now.peer_is_lower);
  }
}

void Halving::all_gather(PartialResult& partial) const {
  for (std::int32_t bit = parts_ / 2; bit > 0; bit /= 2) {
    const Step then = step(bit);
    partial.exchange(then.peer, then.kept, then.given);
  }
}

void Halving::gather(PartialResult& partial) const {
  const std::int32_t root_index = root_ < 2 * pairs_ ? root_ / 2 : root_ - pairs_;
  for (std::int32_t bit = parts_ / 2; bit > 0; bit /= 2) {
    const Step then = step(bit);
    if ((index_ & bit) != (root_index & bit)) {
      partial.send(then.peer, then.kept);
      return;
    }
    partial.receive(then.peer, then.given);
  }
}

}  // namespace orrery::mpi
