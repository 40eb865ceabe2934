// Atoms that go from rank to rank.
#pragma once

#include <vector>

#include "atom.hpp"
#include "space.hpp"

class AtomExchange {
 public:
  explicit AtomExchange(const Space& space) : space_(space) {}

  /// Gives the atoms that are in others' boxes to them, and takes what comes.  Returns how many
  /// went.
  int migrate(std::vector<Atom>& atoms);

  /// Copies of the neighbours' atoms that may act on ours.
  [[nodiscard]] std::vector<Atom> ghosts(const std::vector<Atom>& atoms);

 private:
  /// Sends a list to each neighbour, of any length; returns what the neighbours sent us, in no
  /// order.
  std::vector<Atom> swap(const std::vector<std::vector<Atom>>& to_neighbours, int tag);

  const Space& space_;
  AtomType type_;
};
