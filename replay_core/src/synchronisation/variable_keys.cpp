#include "variable_keys.hpp"

namespace orrery::detail {
namespace {

/// No creator of an object has a number with the highest bit alone.
constexpr std::uint64_t is_address = std::uint64_t{1} << 63U;

}  // namespace

const VariableKeys::Known& VariableKeys::of(ObjectId object) {
  const auto [found, is_new] = known_.try_emplace(object.packed());
  Known& known = found->second;
  if (!is_new) return known;
  known.place = place_of(object);
  // Where the host has its own, and uses it again, is another matter in each run.
  if (known.place.is_hosts) known.place = {.is_hosts = true};
  const std::uint64_t address = known.place.program_address;
  // What has no value of its own (a futex, a flag of call_once) lies in a word that may have one.
  if (address != 0 && known.place.value_bytes == 0 && !known.place.is_atomic) {
    known.place.value_address = address & ~(ForgottenMemory::word_bytes - 1);
    known.place.value_bytes = ForgottenMemory::word_bytes;
  }
  known.key = address == 0 ? object.packed() : is_address | address / ForgottenMemory::word_bytes;
  return known;
}

VariableKeys::Known VariableKeys::word_behind(const VariablePlace& place, std::uint64_t words) {
  constexpr std::uint64_t word_bytes = ForgottenMemory::word_bytes;
  const std::uint64_t word = place.program_address / word_bytes + words;
  return {is_address | word, {word * word_bytes, word * word_bytes, word_bytes}};
}

}  // namespace orrery::detail
