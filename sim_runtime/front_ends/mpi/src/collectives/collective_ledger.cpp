#include "collective_ledger.hpp"

#include <array>
#include <cstring>

namespace orrery::mpi {
namespace {

using Witness = CollectiveLedger::Witness;

const char* difference(const AgreedData& first, const AgreedData& second) {
  if (!first.signature || !second.signature) return nullptr;
  if (*first.signature == *second.signature)
    return first.counts_hash != second.counts_hash && first.counts_hash != 0 &&
                   second.counts_hash != 0
               ? "other counts"
               : nullptr;
  return first.signature->size_bytes != second.signature->size_bytes ? "another amount of data"
                                                                     : "another type signature";
}

const char* difference(const Witness& first, const CollectiveCaller& caller,
                       const CollectiveCall& call) {
  // Names are constants of the library: mostly the same object.
  if (first.call.name != call.name && std::strcmp(first.call.name, call.name) != 0)
    return "another function";
  if (first.caller.root_group != caller.root_group) return "a root in the other group";
  if (first.caller.root_rank != caller.root_rank && first.caller.root_rank != no_root &&
      caller.root_rank != no_root)
    return "another root";
  if (first.call.operation != call.operation &&
      std::strcmp(first.call.operation, call.operation) != 0 && *first.call.operation != '\0' &&
      *call.operation != '\0')
    return "another operation";
  for (std::size_t way = 0; way < call.data.size(); ++way)
    if (const char* const what = difference(first.call.data.at(way), call.data.at(way)))
      return what;
  return nullptr;
}

// What can be compared with a call: the root, the operation, the data of both ways and its counts.
std::uint32_t knowledge(const CollectiveCaller& caller, const CollectiveCall& call) {
  std::uint32_t known =
      (caller.root_rank != no_root ? 1U : 0U) | (*call.operation != '\0' ? 2U : 0U);
  for (std::size_t way = 0; way < call.data.size(); ++way)
    known |=
        ((call.data.at(way).signature ? 1U : 0U) | (call.data.at(way).counts_hash != 0 ? 2U : 0U))
        << (2 + 2 * way);
  return known;
}

}  // namespace

std::optional<CollectiveLedger::Mismatch> CollectiveLedger::enter(const Key& key,
                                                                  const CollectiveCaller& caller,
                                                                  std::int32_t size,
                                                                  const CollectiveCall& call) {
  const auto [position, inserted] = entries_.try_emplace(key);
  Entry& entry = position->second;
  if (inserted) {
    entry.first = {caller, call};
  } else {
    if (const char* const what = difference(entry.first, caller, call))
      return Mismatch{entry.first, what};
    std::uint32_t known = knowledge(entry.first.caller, entry.first.call);
    for (const Witness& other : entry.others) {
      if (const char* const what = difference(other, caller, call)) return Mismatch{other, what};
      known |= knowledge(other.caller, other.call);
    }
    if ((knowledge(caller, call) & ~known) != 0) entry.others.push_back({caller, call});
  }
  entry.root_has_come = entry.root_has_come || caller.is_root;
  if (++entry.arrived < size) return std::nullopt;
  const Entry whole = std::move(entry);
  entries_.erase(position);
  // Between two groups the root itself may have called itself none.
  if (call.root != no_root && !whole.root_has_come)
    return Mismatch{whole.first, "no rank gives MPI_ROOT"};
  return std::nullopt;
}

bool CollectiveLedger::synchronises(const Key& key, const OrreryRuntime& table) {
  const std::pair communicator{key.context, key.leader};
  const auto known = synchronises_.find(communicator);
  if (known != synchronises_.end()) return known->second;
  static constexpr std::array<const char*, 2> answers{
      "collective operations with a root do not wait for all ranks",
      "collective operations with a root wait for all ranks"};
  // Whoever comes first asks for all of them, so the question is the communicator's: bits of its
  // name.
  std::uint64_t name = (std::uint64_t{key.context} << 32U) + static_cast<std::uint32_t>(key.leader);
  name = (name ^ name >> 31U) * 0x9e3779b97f4a7c15U;
  constexpr std::uint64_t not_the_only_one = 2;
  const auto number = static_cast<std::int32_t>(name >> 34U | not_the_only_one);
  const OrreryLeftOpen question{answers.data(), nullptr, answers.size(), number};
  const bool answer = table.left_open(&question) != 0;
  synchronises_.emplace(communicator, answer);
  return answer;
}

}  // namespace orrery::mpi
