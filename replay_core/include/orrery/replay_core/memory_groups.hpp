// Which words of memory share one order of writes and one version.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery {

class NameWithOptions;

/// Zhou, Xiao and Zhang's grouping of variables.  A value type without constructors: threads that
/// are recorded have one in the heads of their files.
struct MemoryGroups {
  enum class By : std::uint32_t {
    word,        ///< each word is by itself
    block,       ///< of so many bytes: those with the same number
    site,        ///< the place in the program that has come to a word first
    allocation,  ///< which place has asked for its block of memory, and how far within it lies
  };
  By by;
  std::uint32_t block_bytes;

  [[nodiscard]] bool are_any() const { return by != By::word; }
  static constexpr std::uint32_t word_bytes = 8;
  static constexpr std::uint32_t block_bytes_max = 1U << 20U;
  /// What a user may write; in messages.
  static constexpr std::string_view ways =
      "variable, site, allocation, or block:BYTES with a power of two from 8 on, as block:64";

  /// As `group=WAY` of a recorder says.  Throws `UsageError`: it is none of `ways`.
  [[nodiscard]] static MemoryGroups asked_for(const NameWithOptions& given);
  /// Nothing: the text is none of `ways`.
  [[nodiscard]] static std::optional<MemoryGroups> of(std::string_view text) {
    if (text == "variable") return MemoryGroups{By::word, 0};
    if (text == "site") return MemoryGroups{By::site, 0};
    if (text == "allocation") return MemoryGroups{By::allocation, 0};
    constexpr std::string_view block = "block:";
    if (!text.starts_with(block)) return std::nullopt;
    MemoryGroups found{By::block, 0};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + block.size(), end, found.block_bytes);
    const bool is_size = read.ec == std::errc() && read.ptr == end &&
                         found.block_bytes >= word_bytes && found.block_bytes <= block_bytes_max &&
                         std::has_single_bit(found.block_bytes);
    return is_size ? std::optional(found) : std::nullopt;
  }
};

}  // namespace orrery
