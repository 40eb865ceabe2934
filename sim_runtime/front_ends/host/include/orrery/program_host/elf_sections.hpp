// The sections of a file that a compiler or a linker wrote.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <elf.h>

namespace orrery {

/// Is it an ELF file for 64-bit machines of our byte order?
[[nodiscard]] bool is_elf(std::span<const std::byte> file);

/// A value in a file; zero where the file is too short.
template <typename T>
[[nodiscard]] T value_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof value) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

/// The text in a table of strings, as symbols and sections have their names; empty outside it.
[[nodiscard]] std::string_view text_at(std::span<const std::byte> table, std::size_t offset);

/// Headers and contents of sections.  What is no ELF file, or a damaged one, has none.
///
///     const orrery::ElfSections sections(bytes);
///     const auto comment = sections.content(sections.find(".comment"));
class ElfSections {
 public:
  /// `file` must stay.
  explicit ElfSections(std::span<const std::byte> file);

  [[nodiscard]] const std::vector<Elf64_Shdr>& headers() const { return headers_; }
  [[nodiscard]] std::size_t names() const { return names_; }  ///< the section of their names
  /// Empty for an index that is not one, and for a section without content.
  [[nodiscard]] std::span<const std::byte> content(std::size_t index) const;
  /// The index; that of the end if there is none of this name.
  [[nodiscard]] std::size_t find(std::string_view name) const;

 private:
  std::span<const std::byte> file_;
  std::vector<Elf64_Shdr> headers_;
  std::size_t names_ = 0;
};

}  // namespace orrery
