// Memory that was handed out: what lies there has no names any more.
#pragma once

#include <cstdint>
#include <map>

namespace orrery::detail {

/// Blocks of a heap, and stacks, are used again: by which task, and where, another order of steps
/// changes.  So a variable begins anew with its block.
class ForgottenMemory {
 public:
  static constexpr std::uint64_t word_bytes = 8;

  void clear() { *this = {}; }
  /// What came so far has that date or an earlier one.
  [[nodiscard]] std::uint64_t date() const { return date_; }
  void forget(std::uint64_t address, std::uint64_t size_bytes);
  /// Was what is known of the address since that date forgotten?
  [[nodiscard]] bool is_forgotten(std::uint64_t address, std::uint64_t date) const;

 private:
  struct Block {
    std::uint64_t behind = 0;  // its last word
    std::uint64_t date = 0;
  };
  std::map<std::uint64_t, Block> blocks_;  // by first word
  std::uint64_t date_ = 1;
};

}  // namespace orrery::detail
