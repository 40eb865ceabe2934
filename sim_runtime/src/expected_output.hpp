// What a program wrote, beside what it should have written.
#pragma once

#include <string>
#include <string_view>

namespace orrery::detail {

/// The first line in which the two differ, in words; empty if they are the same.
[[nodiscard]] std::string first_difference(std::string_view expected, std::string_view written);

}  // namespace orrery::detail
