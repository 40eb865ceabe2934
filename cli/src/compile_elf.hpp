// Sections of our own in the files that compilers and linkers write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::cli {

using Bytes = std::vector<std::byte>;

/// The whole file; throws `UsageError` if it cannot be read.
[[nodiscard]] Bytes read_bytes(const std::filesystem::path& file);

struct NewSection {
  std::string name;
  Bytes content;
  bool is_for_linkers = false;  ///< left out of what a linker makes of the file
};

/// Adds sections at the end of the file, or replaces those of the same name.  Nothing else of it
/// moves.  Throws `UsageError` if the file cannot be written.
void add_sections(const std::filesystem::path& file, const std::vector<NewSection>& sections);

/// Where the guards of function-local statics lie (`_ZGV...`): sorted addresses, eight bytes each.
[[nodiscard]] Bytes guard_addresses(std::span<const std::byte> file);

}  // namespace orrery::cli
