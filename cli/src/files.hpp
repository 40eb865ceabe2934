// Files that flags name.
#pragma once

#include <string>
#include <string_view>

namespace orrery::cli {

/// Throws `UsageError` if a file of this name cannot be made: better before a long run than after
/// it.  Leaves nothing behind.  `where` is the flag that names it.
void check_can_write(const std::string& path, std::string_view where);

/// The content of a file that `where`, a flag, names.  Throws `UsageError` if it cannot be read.
[[nodiscard]] std::string read_whole_file(const std::string& path, std::string_view where);

/// `DIR/NAME-of.orr` for `DIR/NAME.orr` and the ending `-of`.
[[nodiscard]] std::string path_beside(const std::string& path, std::string_view ending);

/// The file that the shell starts for this word; empty: it is in no directory of PATH.
[[nodiscard]] std::string place_in_path(const std::string& command);

}  // namespace orrery::cli
