// A user's own words, set off from ours in errors.
#pragma once

#include <string>
#include <string_view>

namespace orrery::detail {

inline std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

}  // namespace orrery::detail
