// Which accesses of the running stretch a program's hooks need not tell again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <orrery_hooks.h>

namespace orrery::host {

/// What `OrreryHooks::told` leads to.  The hooks mark in it what they tell; what has been marked is
/// forgotten when the running task comes to the host: by each access where these were few, by whole
/// pages where they were many.
class ToldMemory {
 public:
  /// What hooks look at.
  struct Place {
    std::uint8_t* told;
    std::uint64_t mask;
  };
  /// No access was ever told, and none may be marked.
  [[nodiscard]] static Place nothing_told();
  /// All accesses were told.
  [[nodiscard]] static Place all_told();

  ToldMemory() = default;
  ~ToldMemory();
  ToldMemory(const ToldMemory&) = delete;
  ToldMemory& operator=(const ToldMemory&) = delete;

  /// Asks the system for it, the first time; false: there is no room for it.
  bool reserve();
  /// Of which there is room.
  [[nodiscard]] Place place() const;

  /// Marks an access.  Nothing, where there is no room.
  void mark(std::uint64_t address, std::uint64_t bytes, bool is_write);
  /// The hooks have marked these, of which `forget` will not be told any more.
  void keep(std::span<const OrreryAccess> marked);
  /// A stretch ends.  The hooks have marked these, besides.
  void forget(std::span<const OrreryAccess> marked);
  [[nodiscard]] bool has_marks() const { return !marked_.empty() || !pages_.empty(); }

 private:
  void clear(std::span<const OrreryAccess> marked) const;
  /// `end_in_word`: the end, counted from where the word begins in which the address lies.
  [[gnu::noinline]] void clear_words(std::uint64_t address, std::uint64_t end_in_word) const;
  [[gnu::noinline]] void keep_pages(std::uint64_t first, std::uint64_t last);

  std::uint8_t* told_ = nullptr;
  std::uint8_t* is_kept_ = nullptr;  ///< by page: is it among `pages_`?
  bool was_refused_ = false;
  std::vector<OrreryAccess> marked_;  ///< by us
  std::vector<std::uint64_t> pages_;  ///< of memory: numbers
};

}  // namespace orrery::host
