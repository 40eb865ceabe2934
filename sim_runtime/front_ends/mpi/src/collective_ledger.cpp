#include "collective_ledger.hpp"

#include <cstring>

namespace orrery::mpi {
namespace {

const char* difference(const CollectiveCall& first, const CollectiveCall& second) {
  if (std::strcmp(first.name, second.name) != 0) return "another function";
  if (first.root != second.root) return "another root";
  if (std::strcmp(first.operation, second.operation) != 0) return "another operation";
  if (!first.data || !second.data || *first.data == *second.data) return nullptr;
  return first.data->size_bytes != second.data->size_bytes ? "another amount of data"
                                                           : "another type signature";
}

}  // namespace

std::optional<CollectiveLedger::Mismatch> CollectiveLedger::enter(const Key& key, std::int32_t rank,
                                                                  std::int32_t size,
                                                                  const CollectiveCall& call) {
  const auto [position, inserted] = entries_.try_emplace(key);
  Entry& entry = position->second;
  if (inserted) {
    entry.first_rank = rank;
    entry.call = call;
  } else if (const char* what = difference(entry.call, call)) {
    return Mismatch{entry.first_rank, entry.call, what};
  } else if (!entry.call.data) {
    entry.call = call;  // the first one had nothing to compare
    entry.first_rank = rank;
  }
  if (++entry.arrived == size) entries_.erase(position);
  return std::nullopt;
}

}  // namespace orrery::mpi
