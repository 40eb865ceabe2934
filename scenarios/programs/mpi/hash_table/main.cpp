// hash_table [OPERATIONS] [KEYS] [SLOTS]: counts keys in a table that all ranks hold together.
#include <array>
#include <cstdio>
#include <cstdlib>

#include <mpi.h>

#include "phases.hpp"
#include "table.hpp"

namespace {

int argument(int argc, char** argv, int i, int otherwise, int least) {
  const int value = argc > i ? std::atoi(argv[i]) : otherwise;
  if (value < least) {
    std::fprintf(stderr, "usage: hash_table [OPERATIONS] [KEYS] [SLOTS]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

/// What all ranks did and found, added up.
struct Totals {
  Work work;
  long slots = 0;
  std::uint64_t hash = 0;
};

Totals totals_of(const Work& work, long slots, std::uint64_t hash) {
  const std::array<long, 6> mine{work.operations, work.numbers, work.refused,
                                 work.wrong,      work.erased,  slots};
  std::array<long, 6> all{};
  Totals totals;
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_LONG, MPI_SUM,
                MPI_COMM_WORLD);
  MPI_Allreduce(&hash, &totals.hash, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  totals.work = {all[0], all[1], all[2], all[3], all[4]};
  totals.slots = all[5];
  return totals;
}

/// What is wrong; null if nothing is.
const char* mistake(const Totals& totals, const Input& input) {
  const std::map<Word, Entry> serial = serial_table(input);
  long numbers = 0, erased = 0;
  for (const auto& [key, entry] : serial) {
    numbers += entry.count * (entry.count - 1) / 2;
    erased += key % 2 == 0 ? 1 : 0;
  }
  if (totals.work.refused > 0) return "a key found no slot";
  if (totals.work.operations != input.operations) return "operations were left out, or done twice";
  if (totals.work.numbers != numbers) return "a key gave out a number twice, or left one out";
  if (totals.work.wrong > 0) return "an entry is not what it must be";
  if (totals.work.erased != erased) return "a key was taken out twice, or not at all";
  if (totals.slots != static_cast<long>(serial.size()) - erased) return "keys are there twice";
  return nullptr;
}

/// Whether all was right.
bool count_keys(const Input& input, int slots) {
  Work work;
  int rank = 0;
  long own_slots = 0;
  std::uint64_t hash = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Table table(MPI_COMM_WORLD, slots);
    add_all(table, input, work);
    table.meet();
    find_all(table, input, rank, work);
    table.meet();
    erase_some(table, input, work);
    table.meet();
    own_slots = check_own(table, input, hash, work);
  }
  const Totals totals = totals_of(work, own_slots, hash);
  const char* const wrong = mistake(totals, input);
  if (rank == 0) {
    std::printf("hash_table: %d operations, %ld keys left of those that were added: hash %016lx\n",
                input.operations, totals.slots, static_cast<unsigned long>(totals.hash));
    if (wrong != nullptr) std::printf("wrong: %s\n", wrong);
  }
  return wrong == nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Input input{argument(argc, argv, 1, 40, 0), argument(argc, argv, 2, 24, 1)};
  const bool is_right = count_keys(input, argument(argc, argv, 3, 24, 1));
  MPI_Finalize();
  return is_right ? 0 : 1;
}
