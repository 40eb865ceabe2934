// Options that are switched on or off.
#pragma once

#include <string_view>

#include <orrery/network_model/name_with_options.hpp>

namespace orrery::detail {

/// `key=yes` or `key=no`, which is the default.  Throws `UsageError` for anything else.
[[nodiscard]] bool yes_or_no(const NameWithOptions& given, std::string_view key);

}  // namespace orrery::detail
