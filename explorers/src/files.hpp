// Whole files, read and written at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery::detail {

/// Writes `path.tmp` and renames it, so that a full disk leaves the old file whole.  Throws
/// `UsageError`.
void write_file(const std::string& path, std::string_view bytes);
/// Nothing if there is no such file; throws `UsageError` if it cannot be read.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

}  // namespace orrery::detail
