// Where a network model gets its chances from: jitter, losses, faults.
#pragma once

#include <cstdint>

namespace orrery {

/// Draws for a model.  The machine above implements it by asking its chooser, so that a draw in
/// the network is recorded, replayed, explored and shrunk like every other choice.
class ChanceSource {
 public:
  virtual ~ChanceSource() = default;
  /// A whole number in [0, bound), `bound` > 0.  `key` names the draw within the run (for example
  /// the transfer's id): the answer depends on it, not on how many draws came before.
  virtual std::uint64_t draw(std::uint64_t key, std::uint64_t bound) = 0;
};

}  // namespace orrery
