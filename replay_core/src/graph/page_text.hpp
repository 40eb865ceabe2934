// The page itself, as its files in page/ have it: made of these by cmake/EmbedPage.cmake.
#pragma once

#include <string_view>

namespace orrery::detail {

/// What stands before the runs, and behind them.
extern const std::string_view page_before_runs;
extern const std::string_view page_behind_runs;

}  // namespace orrery::detail
