#include "exchange.hpp"

#include <algorithm>
#include <cstdio>

namespace {

constexpr int migration_tag = 1;
constexpr int ghost_tag = 2;

}  // namespace

std::vector<Atom> AtomExchange::swap(const std::vector<std::vector<Atom>>& to_neighbours, int tag) {
  const std::vector<int>& neighbours = space_.neighbours();
  std::vector<MPI_Request> sends(neighbours.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    MPI_Isend(to_neighbours[i].data(), static_cast<int>(to_neighbours[i].size()), type_.get(),
              neighbours[i], tag, space_.comm(), &sends[i]);
  }
  // Whoever comes first is served first: what is done with the atoms does not depend on it.  One
  // list a neighbour comes in each exchange; of the same one's next exchange none can be first.
  std::vector<Atom> came;
  std::vector<bool> has_come(neighbours.size(), false);
  for (std::size_t got = 0; got < neighbours.size(); ++got) {
    MPI_Status status;
    int count = 0;
    MPI_Probe(MPI_ANY_SOURCE, tag, space_.comm(), &status);
    const auto from = std::find(neighbours.begin(), neighbours.end(), status.MPI_SOURCE);
    const auto index = static_cast<std::size_t>(from - neighbours.begin());
    if (from == neighbours.end() || has_come[index]) {
      std::printf("wrong: a list of atoms from rank %d, who has sent one or is far\n",
                  status.MPI_SOURCE);
      MPI_Abort(space_.comm(), 1);
    }
    has_come[index] = true;
    MPI_Get_count(&status, type_.get(), &count);
    const std::size_t before = came.size();
    came.resize(before + static_cast<std::size_t>(count));
    MPI_Recv(came.data() + before, count, type_.get(), status.MPI_SOURCE, tag, space_.comm(),
             MPI_STATUS_IGNORE);
  }
  MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  return came;
}

int AtomExchange::migrate(std::vector<Atom>& atoms) {
  const std::vector<int>& neighbours = space_.neighbours();
  std::vector<std::vector<Atom>> leaving(neighbours.size());
  std::vector<Atom> staying;
  int gone = 0;
  for (const Atom& atom : atoms) {
    const int owner = space_.owner(atom.place);
    if (owner == space_.rank()) {
      staying.push_back(atom);
      continue;
    }
    const auto to = std::find(neighbours.begin(), neighbours.end(), owner);
    if (to == neighbours.end()) {
      std::printf("wrong: atom %d has gone too far in a step\n", atom.id);
      MPI_Abort(space_.comm(), 1);
    }
    leaving[static_cast<std::size_t>(to - neighbours.begin())].push_back(atom);
    ++gone;
  }
  const std::vector<Atom> came = swap(leaving, migration_tag);
  staying.insert(staying.end(), came.begin(), came.end());
  atoms = std::move(staying);
  return gone;
}

std::vector<Atom> AtomExchange::ghosts(const std::vector<Atom>& atoms) {
  const std::vector<int>& neighbours = space_.neighbours();
  std::vector<std::vector<Atom>> lists(neighbours.size());
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    for (const Atom& atom : atoms) {
      if (space_.is_near(atom.place, neighbours[i])) lists[i].push_back(atom);
    }
  }
  return swap(lists, ghost_tag);
}
