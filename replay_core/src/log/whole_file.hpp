// A file's bytes at once, or a clear reason why not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orrery::detail {

/// Throws `UsageError` for what is missing, no regular file, or cannot be read.
[[nodiscard]] std::vector<std::byte> read_whole_file(const std::string& path);

}  // namespace orrery::detail
