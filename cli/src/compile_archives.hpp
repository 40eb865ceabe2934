// Static libraries of objects with a second image.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile_elf.hpp"

namespace orrery::cli {

[[nodiscard]] bool is_archive(std::span<const std::byte> file);

struct SecondArchive {
  Bytes content;                     ///< each member replaced by its second image
  std::vector<std::string> foreign;  ///< names of members without one, which stay as they are
};

/// The archive for the second link; nothing if no member has a second image.  Its index of symbols
/// is that of the first: both images of an object define the same.
[[nodiscard]] std::optional<SecondArchive> second_archive(const std::filesystem::path& path,
                                                          std::span<const std::byte> file);

}  // namespace orrery::cli
