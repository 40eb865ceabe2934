// nbody [BODIES] [THREADS] [STEPS] [SIDE]: bodies that push each other, on SIDE x SIDE cells.
#include <cstdio>
#include <cstdlib>

#include "simulation.hpp"
#include "space.hpp"

namespace {

int argument(int argc, char** argv, int i, int otherwise, int least) {
  const int value = argc > i ? std::atoi(argv[i]) : otherwise;
  if (value < least) {
    std::fprintf(stderr, "usage: nbody [BODIES] [THREADS] [STEPS] [SIDE], SIDE at least 3\n");
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const int bodies = argument(argc, argv, 1, 40, 1);
  const int threads = argument(argc, argv, 2, 3, 1);
  const int steps = argument(argc, argv, 3, 3, 1);
  const int side = argument(argc, argv, 4, 3, 3);

  nbody::Space space(side, bodies);
  const long pairs = nbody::simulate(space, steps, threads);
  nbody::Space alone(side, bodies);
  const long pairs_alone = nbody::simulate(alone, steps, 1);

  const nbody::Vector momentum = space.momentum();
  std::printf("nbody: %d bodies, %ld pairs, momentum (%ld, %ld), hash %016lx\n", bodies, pairs,
              momentum.x, momentum.y, space.hash());
  if (space.count_in_place() != bodies) {
    std::printf("wrong: %ld bodies are in the cells of their places\n", space.count_in_place());
    return 1;
  }
  if (pairs != pairs_alone || space.hash() != alone.hash()) {
    std::printf("wrong: one thread alone finds %ld pairs, hash %016lx\n", pairs_alone,
                alone.hash());
    return 1;
  }
  return 0;
}
