// Words that say of all accesses that they need not be told.
#pragma once

#include <cstddef>
#include <cstdint>

#include <orrery_hooks.h>

namespace orrery::host {

/// What a program's hooks find in place of `OrreryHooks::told` while nobody wants its accesses:
/// every address has the same few pages of words, so that they take up next to nothing.
class ToldAlready {
 public:
  /// The stretch in which all of them were told; no other is it.
  static constexpr std::uint64_t stretch = ~(ORRERY_TOLD_STRETCH - 1);

  ToldAlready() = default;
  ~ToldAlready();
  ToldAlready(const ToldAlready&) = delete;
  ToldAlready& operator=(const ToldAlready&) = delete;

  /// Made at the first call; null: the system has no room for it.
  [[nodiscard]] OrreryToldWord* const* words();

 private:
  /// Pages, mapped again and again.
  struct Mapping {
    void* begin = nullptr;
    std::size_t bytes = 0;
  };
  [[nodiscard]] static Mapping repeated(std::uint64_t word, std::size_t pattern_bytes,
                                        std::size_t bytes);
  static void remove(Mapping& mapping);

  Mapping leaf_;
  Mapping directory_;
  bool has_tried_ = false;
};

}  // namespace orrery::host
