#include "collective_ledger.hpp"

#include <cstring>

namespace orrery::mpi {
namespace {

const char* difference(const CollectiveCall& first, const CollectiveCall& second) {
  if (std::strcmp(first.name, second.name) != 0) return "another function";
  if (first.root != second.root) return "another root";
  if (std::strcmp(first.operation, second.operation) != 0) return "another operation";
  if (!first.data || !second.data) return nullptr;
  if (*first.data == *second.data)
    return first.counts_hash != second.counts_hash ? "other counts" : nullptr;
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

bool CollectiveLedger::synchronises(const Key& key, const OrreryRuntime& table) {
  const std::pair communicator{key.context, key.leader};
  const auto known = synchronises_.find(communicator);
  if (known != synchronises_.end()) return known->second;
  const bool answer = table.left_open(2) != 0;
  synchronises_.emplace(communicator, answer);
  return answer;
}

}  // namespace orrery::mpi
