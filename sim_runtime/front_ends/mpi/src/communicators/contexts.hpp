// The numbers that keep the messages of communicators (and windows) apart.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

namespace orrery::mpi {

/// Gives every communicator a block of contexts.  All members name what they make by the same key
/// and get the same block: nothing has to be agreed upon by messages, several threads of a rank may
/// make communicators at once, and in which order the ranks get here does not matter.
class Contexts {
 public:
  /// What is made: the `number`-th object that is made out of the communicator with context
  /// `parent`; `leader` is the rank in the job of the first member of the new one.
  struct Key {
    std::uint32_t parent = 0;
    std::int32_t leader = 0;
    std::uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };
  /// Of a block: the first is for messages, the second for collectives, the others as the object
  /// has it.
  static constexpr std::uint32_t block_size = 8;
  static constexpr std::uint32_t world = 0;
  static constexpr std::uint32_t self = block_size;

  /// The first context of the block of `key`, for one of `holder_count` members.
  std::uint32_t acquire(const Key& key, std::int32_t holder_count);
  /// That member has no more use for it.  When all have said so, the block is free again.
  void release(std::uint32_t context);

 private:
  struct Holder {
    Key key;
    std::int32_t holder_count = 0;
    std::int32_t released = 0;
  };
  std::map<std::uint32_t, Holder> holders_;  // by first context
};

}  // namespace orrery::mpi
