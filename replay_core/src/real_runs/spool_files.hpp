// The files that a real run has left.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::detail {

/// Paths of the files whose names begin so, sorted.  Throws `UsageError` if the directory cannot be
/// read: a program may have removed it.
[[nodiscard]] std::vector<std::string> spool_files(const std::string& directory,
                                                   std::string_view prefix);

}  // namespace orrery::detail
