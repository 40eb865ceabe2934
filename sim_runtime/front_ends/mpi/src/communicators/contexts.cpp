#include "contexts.hpp"

namespace orrery::mpi {
namespace {

constexpr std::uint32_t block_count = UINT32_MAX / Contexts::block_size;

// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): every bit of a key matters.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::uint32_t preferred_block(const Contexts::Key& key) {
  std::uint64_t hash = mix(key.parent + 0x9e3779b97f4a7c15U);
  hash = mix(hash ^ static_cast<std::uint32_t>(key.leader));
  hash = mix(hash ^ key.number);
  return static_cast<std::uint32_t>(hash % block_count);
}

}  // namespace

std::uint32_t Contexts::acquire(const Key& key, std::int32_t holder_count) {
  constexpr std::uint32_t first_free_block = self / block_size + 1;
  for (std::uint32_t block = preferred_block(key);; ++block) {
    if (block >= block_count) block = 0;
    if (block < first_free_block) continue;
    const auto [position, is_new] =
        holders_.try_emplace(block * block_size, Holder{key, holder_count, 0});
    if (is_new || position->second.key == key) return position->first;
  }
}

void Contexts::release(std::uint32_t context) {
  const auto found = holders_.find(context);
  if (found == holders_.end()) return;
  if (++found->second.released == found->second.holder_count) holders_.erase(found);
}

}  // namespace orrery::mpi
