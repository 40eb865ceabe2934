// What a table is asked for on its command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery::bench {

struct TableOptions {
  bool is_quick = false;      ///< `--quick`: smaller sizes, to see that all of it works
  std::optional<int> rounds;  ///< `--rounds N`, at least 1
  std::string only;           ///< `--only WORD`; empty: all
};

/// Reads those of the three that `usage` names.  Throws `UsageError` with it for all else.
[[nodiscard]] TableOptions table_options(int argc, char** argv, std::string_view usage);

}  // namespace orrery::bench
