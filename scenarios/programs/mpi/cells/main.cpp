// cells [ATOMS] [STEPS] [CHECK]: atoms that act on each other, in boxes that ranks own.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

#include "cell_list.hpp"
#include "exchange.hpp"
#include "force.hpp"
#include "space.hpp"

namespace {

int argument(int argc, char** argv, int i, int otherwise, int least) {
  const int value = argc > i ? std::atoi(argv[i]) : otherwise;
  if (value < least) {
    std::fprintf(stderr, "usage: cells [ATOMS] [STEPS] [CHECK]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

/// What all ranks' atoms come to.
struct Totals {
  long atoms = 0;
  long ids = 0;  ///< the sum of their numbers
  std::array<long, dimensions> momentum{};
  unsigned long hash = 0;
  long migrated = 0;
  long differing = 0;  ///< from the serial computation
};

Totals totals_of(const Space& space, const std::vector<Atom>& atoms, long migrated,
                 const std::vector<Atom>& serial) {
  std::array<long, 6> sums{};
  unsigned long hash = 0;
  sums[4] = migrated;
  for (const Atom& atom : atoms) {
    sums[0] += 1;
    sums[1] += atom.id;
    for (std::size_t d = 0; d < dimensions; ++d) sums[2 + d] += atom.speed[d];
    hash += atom_hash(atom);
    if (!serial.empty()) {
      sums[5] += atom_hash(atom) != atom_hash(serial[static_cast<std::size_t>(atom.id)]);
    }
  }
  std::array<long, 6> all{};
  Totals totals;
  MPI_Allreduce(sums.data(), all.data(), static_cast<int>(sums.size()), MPI_LONG, MPI_SUM,
                space.comm());
  MPI_Allreduce(&hash, &totals.hash, 1, MPI_UNSIGNED_LONG, MPI_SUM, space.comm());
  totals.atoms = all[0];
  totals.ids = all[1];
  totals.momentum = {all[2], all[3]};
  totals.migrated = all[4];
  totals.differing = all[5];
  return totals;
}

/// Says what is wrong; whether anything is.
bool is_wrong(const Totals& totals, int atoms, bool speaks) {
  const long ids = static_cast<long>(atoms) * (atoms - 1) / 2;
  const char* wrong = nullptr;
  if (totals.atoms != atoms || totals.ids != ids) wrong = "atoms are lost or there twice";
  if (totals.momentum != std::array<long, dimensions>{}) wrong = "the momentum is not 0";
  if (totals.differing > 0) wrong = "atoms differ from the serial computation";
  if (wrong != nullptr && speaks) std::printf("wrong: %s\n", wrong);
  return wrong != nullptr;
}

bool simulate(int count, int steps, bool has_check) {
  const Space space(MPI_COMM_WORLD);
  if (!space.fits()) {
    std::fprintf(stderr, "cells: there are too many ranks for the cut-off\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  std::vector<Atom> serial = first_atoms(count);
  std::vector<Atom> atoms;
  for (const Atom& atom : serial) {
    if (space.owner(atom.place) == space.rank()) atoms.push_back(atom);
  }
  AtomExchange exchange(space);
  long migrated = 0;
  for (int step = 0; step < steps; ++step) {
    const std::vector<Atom> ghosts = exchange.ghosts(atoms);
    std::vector<Force> forces(atoms.size());
    {
      const CellList cells(space, atoms, ghosts);
      for (std::size_t i = 0; i < atoms.size(); ++i) forces[i] = cells.force_on_own(i);
    }
    for (std::size_t i = 0; i < atoms.size(); ++i) move(atoms[i], forces[i]);
    migrated += exchange.migrate(atoms);
  }
  if (has_check) {
    serial_steps(serial, steps);
  } else {
    serial.clear();
  }
  const Totals totals = totals_of(space, atoms, migrated, serial);
  if (space.rank() == 0) {
    std::printf("cells: %d atoms, %d steps: hash %016lx, %ld moves to another box\n", count, steps,
                totals.hash, totals.migrated);
  }
  return !is_wrong(totals, count, space.rank() == 0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int atoms = argument(argc, argv, 1, 48, 1);
  const int steps = argument(argc, argv, 2, 4, 0);
  const bool has_check = argument(argc, argv, 3, 1, 0) != 0;
  const bool is_right = simulate(atoms, steps, has_check);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
